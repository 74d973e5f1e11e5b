//! Compares static tables with the reference.

use std::path::{Path, PathBuf};

use inkveil_nn::models::{StaticModel, VectorTable};
use inkveil_nn::{ErrorKind, Weights};
use serde::Deserialize;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

#[derive(Deserialize)]
struct Expected {
    text: String,
    vector: Vec<f32>,
}

#[test]
fn the_token_table_of_gpt2_matches_the_reference() {
    let table = VectorTable::open_gpt2(&fixture("gpt2-tiny")).unwrap();
    let weights = Weights::open(&fixture("gpt2-tiny")).unwrap();
    let shape = [table.len(), table.width()];
    assert_eq!(weights.values("transformer.wte.weight", &shape).unwrap(), table.values());
    assert_eq!(table.row(7).unwrap(), &table.values()[28..32]);
    assert_eq!(
        (table.name(0), table.name(table.len()), table.row(table.len())),
        (Some("<|endoftext|>"), None, None)
    );
    assert!(table.names().iter().any(|name| name == "Ġthe"));
}

#[test]
fn model2vec_matches_the_reference() {
    for folder in ["model2vec-tiny", "model2vec-mapped"] {
        let model = StaticModel::open(&fixture(folder)).unwrap();
        let file = std::fs::read(fixture(folder).join("expected.json")).unwrap();
        let all: Vec<Expected> = serde_json::from_slice(&file).unwrap();
        assert!(all.iter().any(|expected| expected.vector.iter().all(|&x| x == 0.0)));
        for expected in all {
            let found = model.encode(&expected.text).unwrap();
            assert_eq!(found.len(), expected.vector.len());
            let close = found.iter().zip(&expected.vector).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(close, "{folder}: {:?}", expected.text);
        }
        assert_eq!(model.table().len(), model.tokenizer().vocabulary_size());
    }
}

#[test]
fn a_table_of_another_tokenizer_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["vocab.json", "merges.txt"] {
        std::fs::copy(fixture("gpt2-tiny").join(file), folder.path().join(file)).unwrap();
    }
    let header = r#"{"wte.weight":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}"#;
    let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &[0; 8]].concat();
    std::fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
    let error = VectorTable::open_gpt2(folder.path()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TokenizerMismatch { rows: 2, .. }), "{error}");
}

#[test]
fn a_word_table_is_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.txt");
    std::fs::write(&path, "2 2\nalpha 1 2\nbeta 3 4\n").unwrap();
    assert_eq!(VectorTable::open_words(&path).unwrap().names(), ["alpha", "beta"]);
    std::fs::write(&path, "alpha 1 2\nbeta 3\n").unwrap();
    let error = VectorTable::open_words(&path).unwrap_err().to_string();
    assert!(error.contains("words.txt") && error.contains("row 2") && !error.contains("beta"), "{error}");
    std::fs::write(&path, "").unwrap();
    assert!(VectorTable::open_words(&path).is_err());
}

#[test]
#[ignore = "reads pulled models: see CONTRIBUTING.md, INKVEIL_REAL_MODELS"]
fn real_tables_have_sensible_neighbours() {
    let folder = PathBuf::from(std::env::var("INKVEIL_REAL_MODELS").unwrap());
    let start = std::time::Instant::now();
    let glove = VectorTable::open_words(&folder.join("glove-300/glove.840B.300d_filtered.txt")).unwrap();
    eprintln!("glove-300: {glove:?} in {:?}", start.elapsed());
    assert_eq!((glove.len(), glove.width()), (33_860, 300));
    let row = |word: &str| glove.row(glove.names().iter().position(|name| name == word).unwrap()).unwrap();
    let cosine = |a: &[f32], b: &[f32]| {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    assert!(cosine(row("doctor"), row("physician")) > cosine(row("doctor"), row("bread")) + 0.3);

    let start = std::time::Instant::now();
    let potion = StaticModel::open(&folder.join("potion-8m")).unwrap();
    eprintln!("potion-8m: {:?} in {:?}", potion.table(), start.elapsed());
    let encode = |text| potion.encode(text).unwrap();
    let (a, b, c) =
        (encode("The doctor saw me."), encode("I visited my physician."), encode("Bread needs flour."));
    assert!(cosine(&a, &b) > cosine(&a, &c) + 0.1);
    assert!((cosine(&a, &a) - 1.0).abs() < 1e-5);
}
