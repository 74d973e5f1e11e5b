//! Shared by the tests of this crate.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::generator::Generator;
use crate::lists::Lists;

/// The folder of the lists of this crate.
pub(crate) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/lists");

/// Returns the lists of this crate, read once.
pub(crate) fn our_lists() -> Arc<Lists> {
    static LISTS: LazyLock<Arc<Lists>> = LazyLock::new(|| Arc::new(Lists::open(Path::new(FOLDER)).unwrap()));
    LISTS.clone()
}

/// Returns a generator over the lists of this crate.
pub(crate) fn generator(seed: u64) -> Generator {
    Generator::new(our_lists(), words(seed))
}

/// SplitMix64, which is good enough for tests.
pub(crate) fn words(seed: u64) -> impl FnMut() -> u64 + Send + 'static {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}
