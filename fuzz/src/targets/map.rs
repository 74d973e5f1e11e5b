//! Any bytes are opened as a map or refused in words, and a map of any pairs restores any text, however it is cut.

use std::io::Read;
use std::sync::LazyLock;

use inkveil_restore::{MapKey, ReplacementMap, RestoreOptions, Restorer};

use super::BORDER;

static KEY: LazyLock<MapKey> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("inkveil-fuzz-{}", std::process::id()));
    let key = MapKey::create_file(&folder).unwrap();
    std::fs::remove_file(folder).unwrap();
    key
});

pub fn run(bytes: &[u8]) {
    if let Err(error) = ReplacementMap::unseal(bytes, &KEY) {
        assert!(!error.to_string().is_empty());
    }
    let input = String::from_utf8_lossy(bytes);
    let parts: Vec<&str> = input.split(BORDER).collect();
    let Some((text, pairs)) = parts.split_last() else { return };
    let mut builder = ReplacementMap::builder();
    for pair in pairs.chunks_exact(2) {
        let _ = builder.add(pair[0], pair[1], "person");
    }
    let map = builder.build();
    let mut sealed = Vec::new();
    map.seal(&KEY, &mut sealed).unwrap();
    assert!(ReplacementMap::unseal(&sealed[..], &KEY).unwrap() == map);
    let restorer = Restorer::new(&map, RestoreOptions::default().parts(true)).unwrap();
    let (whole, _) = restorer.restore_text(text);
    let mut cut = Vec::new();
    restorer.restore(Cut(text.as_bytes()), &mut cut).unwrap();
    assert_eq!(whole.as_bytes(), cut);
}

/// Gives out three bytes at a time.
struct Cut<'a>(&'a [u8]);

impl Read for Cut<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(into.len()).min(3);
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}
