//! The library and the command release the same bytes for the same key.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use inkveil::release::{
    Account, Corpus, Destination, DocumentRelease, KeepPairs, KeyChoice, RowRelease, Silent, TextRows,
    VectorRelease,
};
use inkveil::{AtZero, Bound, Epsilon, Preset, VectorNoise, Veil};

use crate::folder::{Folder, ROWS};

const TEXT: &str = "I am Ana Lima from Porto. My knee hurts since Monday, write to ana@example.org.";

#[test]
fn the_library_and_the_command_veil_a_text_alike() {
    let folder = Folder::new();
    folder.write("a.txt", TEXT);
    let run =
        folder.run("text --file a.txt -o veiled.txt --preset corpus --at-zero surrogate --insecure-seed 5");
    assert!(run.contains("exit 0"), "{run}");
    let veil = Veil::text().preset(Preset::Corpus).at_zero(AtZero::Surrogate).build().unwrap();
    let rows = TextRows::new(Arc::new(veil));
    let key = KeyChoice::InsecureSeed(5);
    let release =
        DocumentRelease::open(rows, key, &Account::none(), "a.txt", KeepPairs::No, &Silent).unwrap();
    let released = release.text(TEXT, &Silent).unwrap();
    assert_eq!(released.text().as_bytes(), folder.read("veiled.txt"));
}

#[test]
fn the_library_and_the_command_veil_rows_alike() {
    let folder = Folder::new();
    let rows: String = (0..9).map(|row| format!("{{\"id\": {row}, \"text\": \"{TEXT}\"}}\n")).collect();
    folder.write("in.jsonl", rows);
    let run = folder.run("text --file in.jsonl -o command.jsonl --at-zero surrogate --insecure-seed 5");
    assert!(run.contains("exit 0"), "{run}");
    let veil = Veil::text().at_zero(AtZero::Surrogate).build().unwrap();
    let corpus = Corpus::open(&[folder.path("in.jsonl")], None, false).unwrap();
    let release = RowRelease::new(TextRows::new(Arc::new(veil))).key(KeyChoice::InsecureSeed(5));
    let destination = Destination::new(&corpus, folder.path("library.jsonl"));
    release.files(&destination, &Silent, &AtomicBool::new(false)).unwrap();
    assert_eq!(folder.read("library.jsonl"), folder.read("command.jsonl"));
    assert_eq!(folder.read("library.jsonl.receipt.json"), folder.read("command.jsonl.receipt.json"));
}

#[test]
fn the_library_and_the_command_veil_vectors_alike() {
    let folder = Folder::new();
    folder.write("in.jsonl", ROWS);
    let run =
        folder.run("vector apply in.jsonl -o command.jsonl -m laplace-l2 -e 50 --clip 1 --insecure-seed 5");
    assert!(run.contains("exit 0"), "{run}");
    let mut release = VectorRelease::file(folder.path("in.jsonl"), folder.path("library.jsonl")).unwrap();
    release.key = KeyChoice::InsecureSeed(5);
    let veil = Veil::vectors(Epsilon::new(50.0).unwrap()).noise(VectorNoise::Round).bound(Bound::Clip(1.0));
    release.run(|dim| veil.build(dim), &Silent, &AtomicBool::new(false)).unwrap();
    assert_eq!(folder.read("library.jsonl"), folder.read("command.jsonl"));
    assert_eq!(folder.read("library.jsonl.receipt.json"), folder.read("command.jsonl.receipt.json"));
}
