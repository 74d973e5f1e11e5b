//! Limits of model settings. Larger settings are mistakes or attacks; no real model comes close.

pub(crate) const MAX_VOCABULARY: usize = 1 << 22;
pub(crate) const MAX_WIDTH: usize = 1 << 17;
pub(crate) const MAX_LAYERS: usize = 1 << 10;
