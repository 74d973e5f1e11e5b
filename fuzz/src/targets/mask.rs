//! Arbitrary bytes as the file of a mask: what is read can be used, and written again as it was.

use std::path::Path;

use inkveil_vector::{Mask, sigma};

pub fn run(bytes: &[u8]) {
    if let Ok(mask) = Mask::from_bytes(bytes, Path::new("fuzzed.mask")) {
        let diagonal = sigma(&mask.gates, 0.0).expect("the gates of a mask that was read are sound");
        assert!(diagonal.iter().all(|entry| *entry > 0.0));
        let again = mask.to_bytes().expect("a mask that was read can be written");
        assert_eq!(Mask::from_bytes(&again, Path::new("again.mask")).expect("and read again"), mask);
    }
}
