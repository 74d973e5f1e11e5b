//! Arbitrary bytes as the manifest of a pack.

use inkveil_pack::Manifest;

pub fn run(bytes: &[u8]) {
    if let Ok(manifest) = Manifest::parse(bytes) {
        for file in manifest.files() {
            // Whatever passed must stay inside the pack.
            assert!(!file.path.starts_with('/') && !file.path.contains('\\'));
            assert!(file.path.split('/').all(|part| !matches!(part, "" | "." | "..")));
        }
        let json = manifest.to_json().expect("a manifest can be written");
        assert_eq!(Manifest::parse(json.as_bytes()).as_ref(), Ok(&manifest));
    }
}
