//! The key of a release that is not finished.

use std::fs;

use inkveil::privacy::NoiseAddress;

use super::kept_key::{Fingerprint, KeptKey, KeptKeyError};

fn first_draw(kept: &KeptKey) -> u64 {
    kept.key().stream(NoiseAddress::record(0), &()).next_u64()
}

#[test]
fn a_key_is_kept_until_it_is_discarded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("release.key");
    let fingerprint = Fingerprint::of(&[vec![1.0, 2.0]], 10.0, None);
    let begun = KeptKey::resume_or_begin(&file, fingerprint, 48).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // The rows that were missing then are what the key is for, however many are missing now.
    let resumed = KeptKey::resume_or_begin(&file, fingerprint, 3).unwrap();
    assert_eq!((first_draw(&resumed), resumed.rows()), (first_draw(&begun), 48));
    assert!(resumed.key().is_secure());

    resumed.discard().unwrap();
    assert!(!file.exists());
    let next = KeptKey::resume_or_begin(&file, fingerprint, 1).unwrap();
    assert_ne!(first_draw(&next), first_draw(&begun));
}

#[test]
fn a_key_is_for_one_input_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("release.key");
    let vectors = [vec![1.0, 2.0], vec![3.0, 4.0]];
    KeptKey::resume_or_begin(&file, Fingerprint::of(&vectors, 10.0, None), 2).unwrap();
    let others = [
        Fingerprint::of(&[vec![1.0, 2.0], vec![3.0, 4.5]], 10.0, None),
        Fingerprint::of(&[vec![1.0, 2.0, 3.0, 4.0]], 10.0, None),
        Fingerprint::of(&vectors[..1], 10.0, None),
        Fingerprint::of(&vectors, 11.0, None),
        Fingerprint::of(&vectors, 10.0, Some(b"")),
        Fingerprint::of(&vectors, 10.0, Some(b"mask")),
    ];
    for other in others {
        let error = KeptKey::resume_or_begin(&file, other, 2).err().unwrap();
        assert!(matches!(error, KeptKeyError::OtherRelease { .. }), "{error}");
    }
}

#[test]
fn what_is_no_key_is_refused_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("release.key");
    let fingerprint = Fingerprint::of(&[], 10.0, None);
    for length in [0, 1, 72, 74] {
        fs::write(&file, vec![7; length]).unwrap();
        let error = KeptKey::resume_or_begin(&file, fingerprint, 0).err().unwrap();
        assert!(matches!(error, KeptKeyError::NotAKey { .. }), "{length}: {error}");
        assert_eq!(fs::read(&file).unwrap().len(), length);
    }
    let error = KeptKey::resume_or_begin(folder.path(), fingerprint, 0).err().unwrap();
    assert!(matches!(error, KeptKeyError::Io { .. }), "{error}");
}
