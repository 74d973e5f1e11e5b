//! Tests sentence encoding: order, truncation, pooling, and agreement with the model in 32 bits.

use std::path::{Path, PathBuf};

use inkveil_nn::cpu::Precision;
use inkveil_nn::{SentenceEncoder, Weights};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Writes the tiny BERT with a tokenizer of letters and these settings files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["config.json", "model.safetensors"] {
        std::fs::copy(fixtures().join("bert").join(name), folder.path().join(name)).unwrap();
    }
    let letters = ('a'..='z').flat_map(|letter| [letter.to_string(), format!("##{letter}")]);
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "."].map(str::to_owned);
    let vocabulary: Vec<String> = special.into_iter().chain(letters).collect();
    std::fs::write(folder.path().join("vocab.txt"), vocabulary.join("\n")).unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

const NORMALISED: &str = r#"[{"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]"#;

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>() / (length(a) * length(b))
}

#[test]
fn vectors_are_in_the_order_of_their_texts() {
    let folder = folder(&[("modules.json", NORMALISED)]);
    let encoder = SentenceEncoder::open_with(folder.path(), Precision::Bf16).unwrap();
    let texts = ["a dog.", "", "quick brown foxes jump over lazy dogs", "b", "a dog.", "été ☃", "the end."];
    let mut seen = Vec::new();
    let vectors = encoder.encode_with(&texts, &mut |done, all| seen.push((done, all))).unwrap();
    assert_eq!(seen, [(7, 7)]);
    assert_eq!(vectors[0], vectors[4]);
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(&encoder.encode(&[text]).unwrap()[0], vector);
        assert!((length(vector) - 1.0).abs() < 1e-5);
    }
    let mut distinct = vectors.clone();
    distinct.sort_by(|a, b| a.partial_cmp(b).unwrap());
    distinct.dedup();
    assert_eq!(distinct.len(), texts.len() - 1);
    assert!(encoder.encode(&[]).unwrap().is_empty());
}

#[test]
fn progress_is_reported_after_every_batch() {
    let folder = folder(&[]);
    let encoder = SentenceEncoder::open(folder.path()).unwrap();
    let text = "word ".repeat(40);
    let texts = vec![text.as_str(); 250];
    let mut seen = Vec::new();
    let vectors = encoder.encode_with(&texts, &mut |done, all| seen.push((done, all))).unwrap();
    assert!(seen.len() > 1 && seen.windows(2).all(|pair| pair[0].0 < pair[1].0), "{seen:?}");
    assert_eq!(seen.last(), Some(&(250, 250)));
    assert!(vectors.iter().all(|vector| vector == &vectors[0]));
}

#[test]
fn long_texts_are_truncated_and_keep_their_last_token() {
    let limit = ("sentence_bert_config.json", r#"{"max_seq_length": 12}"#);
    let folder = folder(&[limit]);
    let encoder = SentenceEncoder::open(folder.path()).unwrap();
    assert_eq!(encoder.max_tokens(), 12);
    let ids = encoder.tokens(&"abc ".repeat(30)).unwrap();
    let special = ["[CLS]", "[SEP]"].map(|token| encoder.tokenizer().id(token).unwrap());
    assert_eq!((ids.len(), ids[0], ids[11]), (12, special[0], special[1]));
    assert_eq!(
        encoder.encode(&[&"abc ".repeat(30)]).unwrap(),
        encoder.encode(&[&"abc ".repeat(90)]).unwrap()
    );
    // The position table is a limit too.
    let plain = self::folder(&[]);
    let encoder = SentenceEncoder::open(plain.path()).unwrap();
    assert_eq!(encoder.max_tokens(), 156);
    assert_eq!(encoder.encode(&[&"abc ".repeat(300)]).unwrap()[0].len(), encoder.width());
}

#[test]
fn pooling_follows_the_settings_of_the_folder() {
    let pool = |settings: &str| {
        let folder = folder(&[("modules.json", NORMALISED), ("1_Pooling/config.json", settings)]);
        let encoder = SentenceEncoder::open_with(folder.path(), Precision::F32).unwrap();
        let states = encoder.encoder().hidden_states(&[&encoder.tokens("some words").unwrap()]).unwrap();
        (encoder.encode(&["some words"]).unwrap().remove(0), states.into_iter().next().unwrap())
    };
    let (first, states) = pool(r#"{"pooling_mode_cls_token": true}"#);
    assert!(cosine(&first, &states[..32]) > 0.999_99);
    let (mean, states) = pool(r#"{"pooling_mode_mean_tokens": true}"#);
    let sum: Vec<f32> = (0..32).map(|i| states.iter().skip(i).step_by(32).sum()).collect();
    assert!(cosine(&mean, &sum) > 0.999_99);
    assert!(cosine(&mean, &first) < 0.999);
}

/// 32 of the sentences, with their vectors from Hugging Face's code in 32 bits; see
/// tests/fixtures/sentences/record.py.
#[test]
fn the_model_in_the_repository_agrees_with_32_bits() {
    let model = match std::env::var_os("INKVEIL_MODEL_EN") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/en"),
    };
    let sentences = std::fs::read_to_string(fixtures().join("sentences/parity.txt")).unwrap();
    let sentences: Vec<&str> = sentences.lines().collect();
    assert_eq!(sentences.len(), 1000);
    let chosen: Vec<&str> = sentences.iter().copied().step_by(32).take(32).collect();
    let expected = Weights::open(&fixtures().join("sentences/expected.safetensors")).unwrap();
    let expected = expected.values("vectors", &[32, 384]).unwrap();
    for (precision, close) in [(Precision::Bf16, 0.9995), (Precision::Int8, 0.999), (Precision::F32, 0.9995)]
    {
        let encoder = SentenceEncoder::open_with(&model, precision).unwrap();
        let vectors = encoder.encode(&chosen).unwrap();
        let cosines: Vec<f32> = vectors.iter().zip(expected.chunks(384)).map(|(a, b)| cosine(a, b)).collect();
        let mean = cosines.iter().sum::<f32>() / 32.0;
        let least = cosines.iter().copied().fold(1.0, f32::min);
        assert!(mean >= close && least >= 0.998, "{precision:?}: mean {mean}, least {least}");
    }
}
