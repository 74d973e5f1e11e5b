//! Arbitrary bytes as the file of a memory: what is read can be asked, and written again as it was.

use std::path::Path;

use inkveil_style::{Memory, StyleMap};

pub fn run(bytes: &[u8]) {
    if let Ok(memory) = Memory::from_bytes(bytes, Path::new("fuzzed.memory")) {
        let again = memory.to_bytes().expect("a memory that was read can be written");
        assert!(Memory::from_bytes(&again, Path::new("again.memory")).expect("and read again") == memory);
        if let Ok(geometry) = memory.geometry() {
            let vector = vec![0.5; memory.dimension()];
            assert!(geometry.mean_distance(&vector).expect("a vector of this dimension").is_finite());
            assert!(geometry.reference(&vector, 0.5).expect("a reference") < memory.len());
            StyleMap::of(&memory).place(&vector);
        }
    }
}
