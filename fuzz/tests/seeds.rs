//! Every target runs on its seeds, so that a target that no longer works is noticed without a fuzzer.

use std::fs;
use std::path::Path;

use inkveil_fuzz::TARGETS;

#[test]
fn every_target_takes_its_seeds_and_nonsense() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for (name, run) in TARGETS {
        for bytes in [&b""[..], b"\0", b"{}", b"\xff\xfe\0\x01", "Ana Novak, 27 May 2025, £60,317".as_bytes()]
        {
            run(bytes);
        }
        let Ok(files) = fs::read_dir(seeds.join(name)) else { continue };
        for file in files {
            run(&fs::read(file.unwrap().path()).unwrap());
        }
    }
    for folder in fs::read_dir(&seeds).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(TARGETS.iter().any(|(target, _)| *target == name), "no target {name}");
    }
}
