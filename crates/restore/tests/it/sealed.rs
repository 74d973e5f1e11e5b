//! Encrypted files: which ones can be opened, and that arbitrary bytes cause no panic.

use inkveil_restore::{ErrorKind, KeySource, MapKey, ReplacementMap};
use proptest::prelude::*;

fn key(folder: &tempfile::TempDir, name: &str) -> MapKey {
    MapKey::create_file(folder.path().join(name)).unwrap()
}

fn map(count: usize) -> ReplacementMap {
    let mut pairs = ReplacementMap::builder();
    for i in 0..count {
        pairs.add(&format!("[person {i}]"), &format!("Secret Name {i}"), "person").unwrap();
    }
    pairs.build()
}

#[test]
fn a_saved_map_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let key = key(&folder, "key");
    let path = folder.path().join("names.map");
    for count in [0, 1, 5000] {
        map(count).save(&path, &key, true).unwrap();
        assert_eq!(ReplacementMap::open(&path, &key).unwrap(), map(count));
    }
    assert_eq!(ReplacementMap::key_source(&path).unwrap(), KeySource::KeyFile);
    let bytes = std::fs::read(&path).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("Secret"));
    assert!(bytes.starts_with(b"inkveil-map\x01\x01"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let error = map(1).save(&path, &key, false).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::File(file) if *file.kind() == inkveil_files::ErrorKind::Exists)
            && error.to_string().contains("names.map"),
        "{error}"
    );
}

#[test]
fn a_wrong_key_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.map");
    map(3).save(&path, &key(&folder, "one"), false).unwrap();
    let error = ReplacementMap::open(&path, &key(&folder, "two")).unwrap_err();
    assert!(error.to_string().ends_with("names.map: wrong key, or the file was changed"), "{error}");
    let phrase = MapKey::from_passphrase("correct horse".to_owned().into()).unwrap();
    assert!(matches!(ReplacementMap::open(&path, &phrase).unwrap_err().kind(), ErrorKind::NeedsKeyFile));
}

#[test]
fn a_passphrase_decrypts_its_map() {
    let phrase = |text: &str| MapKey::from_passphrase(text.to_owned().into()).unwrap();
    let mut sealed = Vec::new();
    map(3).seal(&phrase("correct horse"), &mut sealed).unwrap();
    assert_eq!(ReplacementMap::unseal(&sealed[..], &phrase("correct horse")).unwrap(), map(3));
    let error = ReplacementMap::unseal(&sealed[..], &phrase("correct horsf")).unwrap_err();
    assert_eq!(error.to_string(), "wrong key, or the file was changed");
    let folder = tempfile::tempdir().unwrap();
    let error = ReplacementMap::unseal(&sealed[..], &key(&folder, "key")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NeedsPassphrase));
}

#[test]
fn two_files_of_the_same_map_are_unrelated() {
    let folder = tempfile::tempdir().unwrap();
    let key = key(&folder, "key");
    let seal = || {
        let mut sealed = Vec::new();
        map(10).seal(&key, &mut sealed).unwrap();
        sealed.split_off(64)
    };
    let same = seal().iter().zip(seal()).filter(|(a, b)| *a == b).count();
    assert!(same < 20, "{same} of about 400 bytes are equal; 2 are expected by chance");
}

#[test]
fn replacements_that_cannot_be_found_are_refused() {
    let mut pairs = ReplacementMap::builder();
    for (replacement, original, kind) in [
        ("x".repeat(1 << 17), String::new(), String::new()),
        ("x".to_owned(), "y".repeat((16 << 20) + 1), String::new()),
        ("x".to_owned(), String::new(), "k".repeat(2000)),
        (" x".to_owned(), "y".to_owned(), String::new()),
        ("x\n".to_owned(), "y".to_owned(), String::new()),
    ] {
        assert!(pairs.add(&replacement, &original, &kind).is_err());
    }
    pairs.add("", "removed without a replacement", "person").unwrap();
    assert!(pairs.is_empty());
}

#[test]
fn debug_output_is_redacted() {
    let map = map(2);
    let shown = format!("{map:?} {:?} {:?}", map.pairs().collect::<Vec<_>>(), map.clone().into_builder());
    assert!(!shown.contains("Secret") && !shown.contains("person"), "{shown}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_refused(mut bytes in proptest::collection::vec(any::<u8>(), 0..400), valid_header: bool) {
        let folder = tempfile::tempdir().unwrap();
        let key = key(&folder, "key");
        if valid_header {
            let mut start = b"inkveil-map\x01\x01".to_vec();
            start.resize(44, 0);
            start.extend([3; 19]);
            start.push(0);
            bytes.splice(0..0, start);
        }
        prop_assert!(ReplacementMap::unseal(&bytes[..], &key).is_err());
    }

    #[test]
    fn arbitrary_pairs_round_trip(pairs in proptest::collection::vec(("[^ \t\r\n]{1,9}", ".{0,9}", "[a-z]{0,5}"), 0..20)) {
        let folder = tempfile::tempdir().unwrap();
        let key = key(&folder, "key");
        let mut builder = ReplacementMap::builder();
        for (replacement, original, kind) in &pairs {
            builder.add(replacement, original, kind).unwrap();
        }
        let map = builder.build();
        let mut sealed = Vec::new();
        map.seal(&key, &mut sealed).unwrap();
        prop_assert_eq!(ReplacementMap::unseal(&sealed[..], &key).unwrap(), map);
    }
}
