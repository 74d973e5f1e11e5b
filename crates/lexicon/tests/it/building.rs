//! Precomputed files of lexicons.

use std::path::Path;

use inkveil_lexicon::{ErrorKind, Lexicon, LexiconKind, build_lexicon, build_words, whole_words};

use crate::folder::{DIMENSION, TOKENS, rows, wordpiece, write, write_table};

const FILES: [&str; 4] = ["lexicon.json", "lexicon.safetensors", "words.txt", "words.safetensors"];

/// Builds both lexicons of a model.
fn build(folder: &Path) {
    let words = whole_words(Lexicon::open(folder).unwrap().vocabulary());
    assert_eq!(words, ["the", "doctor", "nurse", "walk", "river", "tea", "cafe", "a", "boston"]);
    build_words(folder, &words, &rows(words.len()), DIMENSION).unwrap();
    build_lexicon(folder, LexiconKind::Subword, Some(2)).unwrap();
    build_lexicon(folder, LexiconKind::Words, Some(0)).unwrap();
}

#[test]
fn opening_gives_the_lexicon_that_was_built() {
    let folder = wordpiece();
    build(folder.path());
    for (kind, components) in [(LexiconKind::Subword, 2), (LexiconKind::Words, 0)] {
        let opened = Lexicon::open_kind(folder.path(), kind).unwrap();
        let built = build_lexicon(folder.path(), kind, Some(components)).unwrap();
        assert_eq!(opened.kind(), kind);
        assert_eq!(opened.centring().unwrap().count(), components);
        assert_eq!(opened.centring(), built.centring());
        assert_eq!(opened.table().values(), built.table().values());
        assert_eq!(opened.geometry().unwrap(), built.geometry().unwrap());
    }
    // Without a tokenizer, the folder has only the word lexicon.
    std::fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    let words = Lexicon::open(folder.path()).unwrap();
    assert_eq!(words.kind(), LexiconKind::Words);
    assert_eq!(words.neighbours("Boston", 3).unwrap().len(), 3);
}

#[test]
fn centring_removes_the_mean() {
    let folder = wordpiece();
    let plain = Lexicon::open(folder.path()).unwrap();
    let centred = build_lexicon(folder.path(), LexiconKind::Subword, Some(0)).unwrap();
    let mean_cosine = |lexicon: &Lexicon| lexicon.geometry().unwrap().mean_cosine();
    assert!(mean_cosine(&plain) > 0.3 && mean_cosine(&centred).abs() < 0.1);
    // Without components, the table is no longer centred.
    let again = build_lexicon(folder.path(), LexiconKind::Subword, None).unwrap();
    assert!(again.centring().is_none());
    assert_eq!(again.table().values(), plain.table().values());
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let read = |folder: &Path| FILES.map(|name| std::fs::read(folder.join(name)).unwrap());
    let (one, two) = (wordpiece(), wordpiece());
    build(one.path());
    build(two.path());
    build(two.path());
    assert_eq!(read(one.path()), read(two.path()));
    let names: Vec<_> =
        std::fs::read_dir(two.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 6, "{names:?}");
}

#[test]
fn the_stored_diameter_covers_all_pairs() {
    let folder = wordpiece();
    let lexicon = build_lexicon(folder.path(), LexiconKind::Subword, Some(1)).unwrap();
    let mut farthest = 0.0_f64;
    for &a in &lexicon.inputs() {
        for &b in &lexicon.inputs() {
            let (a, b) = (lexicon.row(a).unwrap(), lexicon.row(b).unwrap());
            let square: f64 = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum();
            farthest = farthest.max(square.sqrt());
        }
    }
    let stored = Lexicon::open(folder.path()).unwrap().geometry().unwrap().diameter();
    // The rows are rounded to `f32`; the diameter is that of the exact directions.
    assert!((stored - farthest).abs() < 2e-7, "{stored} {farthest}");
}

/// The stored data of another table must not be used: a diameter that is too small breaks
/// guarantees.
#[test]
fn a_description_of_another_table_is_refused() {
    let folder = wordpiece();
    build(folder.path());
    let mut table = rows(TOKENS.len());
    table[100] += 1e-6;
    write_table(folder.path(), "embeddings.word_embeddings.weight", &table);
    let error = Lexicon::open(folder.path()).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Stale);
    assert!(error.to_string().contains("lexicon.json"));
    // Building the lexicon again helps. The other lexicon is not affected.
    assert!(Lexicon::open_kind(folder.path(), LexiconKind::Words).is_ok());
    build_lexicon(folder.path(), LexiconKind::Subword, Some(2)).unwrap();
    assert!(Lexicon::open(folder.path()).is_ok());
}

#[test]
fn words_and_vectors_must_match() {
    let folder = wordpiece();
    build(folder.path());
    write(folder.path(), "words.txt", b"tea\npot\n");
    let error = Lexicon::open_kind(folder.path(), LexiconKind::Words).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Mismatch { tokens: 2, rows: 9 });
    // The right number of other words.
    let words: String = (0..9).map(|i| format!("word{i}\n")).collect();
    write(folder.path(), "words.txt", words.as_bytes());
    assert_eq!(Lexicon::open_kind(folder.path(), LexiconKind::Words).unwrap_err().kind(), &ErrorKind::Stale);
}

#[test]
fn lists_of_words_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let build = |words: &[&str], rows: &[f32]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        build_words(folder.path(), &words, rows, 2)
    };
    let table = [1.0, 0.0, 0.0, 1.0];
    build(&["tea", "pot"], &table).unwrap();
    for bad in [["tea", "tea"], ["tea ", "pot"], ["te\na", "pot"]] {
        assert!(matches!(build(&bad, &table).unwrap_err().kind(), ErrorKind::Argument { .. }), "{bad:?}");
    }
    assert!(matches!(
        build(&["tea"], &table).unwrap_err().kind(),
        ErrorKind::Mismatch { tokens: 1, rows: 2 }
    ));
    assert!(build(&[], &[]).is_err());
    assert!(build(&["tea", "pot"], &table[..3]).is_err());
}
