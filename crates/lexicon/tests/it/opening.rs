//! Folders with and without lexicons.

use std::path::{Path, PathBuf};

use inkveil_lexicon::{ErrorKind, Flags, Lexicon, LexiconKind, Spelling};
use inkveil_nn::SentenceEncoder;

use crate::folder::{DIMENSION, TOKENS, byte_level, id, rows, wordpiece, write, write_table};

#[test]
fn a_model_is_a_lexicon() {
    let lexicon = Lexicon::open(wordpiece().path()).unwrap();
    assert_eq!(lexicon.kind(), LexiconKind::Subword);
    assert_eq!((lexicon.vocabulary().len(), lexicon.table().dimension()), (TOKENS.len(), DIMENSION));
    assert!(lexicon.centring().is_none());
    assert_eq!(lexicon.unknown(), Some(id("[UNK]")));
    let allowed: Vec<u32> = (5..TOKENS.len() as u32).collect();
    assert_eq!(lexicon.allowed(), allowed);
    assert_eq!(lexicon.inputs().len(), allowed.len() + 1);
    assert_eq!(lexicon.vocabulary().count(Flags::PIECE), 4);
    assert!(format!("{lexicon:?}").contains("Subword"));
}

#[test]
fn a_byte_level_model_is_a_lexicon() {
    let lexicon = Lexicon::open(byte_level().path()).unwrap();
    let tea = lexicon.find("tea").unwrap();
    assert!(lexicon.vocabulary().flags(tea).contains(Flags::WORD_START | Flags::LOWER));
    // Half of the single bytes are not characters.
    assert!(lexicon.vocabulary().count(Flags::CONTROL) >= 128);
    assert!(lexicon.allowed().iter().all(|&id| !lexicon.vocabulary().text(id).unwrap().is_empty()));
}

/// Layouts for which inkveil-nn has fixtures.
#[test]
fn layouts_of_other_libraries_are_opened() {
    for (name, rows, dimension, spelling) in
        [("gpt2-tiny", 300, 4, Spelling::ByteLevel), ("model2vec-tiny", 150, 6, Spelling::WordPiece)]
    {
        let lexicon = Lexicon::open(&fixture(name)).unwrap();
        assert_eq!((lexicon.table().rows(), lexicon.table().dimension()), (rows, dimension), "{name}");
        assert_eq!(lexicon.vocabulary().spelling(), spelling, "{name}");
    }
}

#[test]
fn an_encoder_gives_word_vectors() {
    let folder = wordpiece();
    for file in ["config.json", "model.safetensors"] {
        std::fs::copy(fixture("mpnet").join(file), folder.path().join(file)).unwrap();
    }
    let encoder = SentenceEncoder::open(folder.path()).unwrap();
    let words: Vec<String> = ["tea", "river", "nurse"].map(String::from).to_vec();
    let lexicon = Lexicon::words_from_encoder(&encoder, words.clone()).unwrap();
    assert_eq!(lexicon.kind(), LexiconKind::Words);
    for (id, word) in words.iter().enumerate() {
        let vector = &encoder.encode(&[word]).unwrap()[0];
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        for (x, wanted) in lexicon.row(id as u32).unwrap().iter().zip(vector) {
            assert!((x - wanted / length).abs() < 1e-5);
        }
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../nn/tests/fixtures").join(name)
}

#[test]
fn neighbours_are_the_nearest_rows() {
    let lexicon = Lexicon::open(wordpiece().path()).unwrap();
    let near = lexicon.neighbours("Doctor", 100).unwrap();
    assert_eq!(near.len(), lexicon.allowed().len() - 1);
    assert!(near.iter().any(|near| near.text == "##ing"));
    // Brute force.
    let cosine = |a: u32, b: u32| -> f64 {
        let (a, b) = (lexicon.row(a).unwrap(), lexicon.row(b).unwrap());
        a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    let doctor = id("doctor");
    let mut expected: Vec<(f64, u32)> =
        lexicon.allowed().iter().filter(|&&id| id != doctor).map(|&id| (cosine(doctor, id), id)).collect();
    expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (near, (cosine, id)) in near.iter().zip(expected) {
        assert_eq!(near.id, id);
        assert!((near.cosine - cosine).abs() < 1e-12);
    }
    assert_eq!(lexicon.neighbours("zebra", 3).unwrap_err().kind(), &ErrorKind::UnknownWord);
    assert_eq!(lexicon.neighbours("[UNK]", 3).unwrap_err().kind(), &ErrorKind::UnknownWord);
    assert!(lexicon.neighbours("tea", 0).unwrap().is_empty());
}

#[test]
fn rows_without_a_direction_are_not_released() {
    let folder = wordpiece();
    let mut table = rows(TOKENS.len());
    let (tea, unknown) = (id("tea") as usize, id("[UNK]") as usize);
    table[tea * DIMENSION..(tea + 1) * DIMENSION].fill(0.0);
    table[unknown * DIMENSION] = f32::NAN;
    write_table(folder.path(), "embeddings.word_embeddings.weight", &table);
    let lexicon = Lexicon::open(folder.path()).unwrap();
    assert!(!lexicon.allowed().contains(&(tea as u32)) && lexicon.find("tea").is_none());
    assert_eq!(lexicon.unknown(), None);
    let alignment = lexicon.align("the tea").unwrap();
    assert!(alignment.units()[1].is_unknown() && alignment.units()[1].id().is_none());
}

#[test]
fn padding_rows_are_not_allowed() {
    let folder = wordpiece();
    write_table(folder.path(), "embeddings.word_embeddings.weight", &rows(32));
    let lexicon = Lexicon::open(folder.path()).unwrap();
    assert_eq!(lexicon.vocabulary().len(), 32);
    assert_eq!(lexicon.allowed().last(), Some(&(TOKENS.len() as u32 - 1)));
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    for count in [TOKENS.len() - 1, 5000] {
        let folder = wordpiece();
        write_table(folder.path(), "embeddings.word_embeddings.weight", &rows(count));
        let error = Lexicon::open(folder.path()).unwrap_err();
        let words = format!("the tokenizer has 24 tokens, but the table has {count} rows");
        assert!(error.to_string().contains(&words), "{error}");
    }
}

#[test]
fn folders_without_a_lexicon_are_refused() {
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Lexicon::open(empty.path()).unwrap_err().kind(), ErrorKind::Model(_)));
    let error = Lexicon::open_kind(empty.path(), LexiconKind::Words).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoSuchKind { kind: "words", .. }), "{error}");

    let folder = wordpiece();
    write_table(folder.path(), "classifier.weight", &rows(TOKENS.len()));
    let error = Lexicon::open(folder.path()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoTable { .. }), "{error}");

    let folder = wordpiece();
    write(folder.path(), "lexicon.json", b"{\"format\": 2}");
    let error = Lexicon::open(folder.path()).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Version { found: 2, known: 1 });
    for json in ["", "[]", "{\"format\": 1, \"subword\": {}}", "{\"format\": 1, \"more\": 1}", "\u{0}"] {
        write(folder.path(), "lexicon.json", json.as_bytes());
        let error = Lexicon::open(folder.path()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{json}: {error}");
        assert!(error.to_string().contains("lexicon.json"), "{error}");
    }
}
