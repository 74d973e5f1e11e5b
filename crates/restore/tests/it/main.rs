//! Maps and restoring through the public interface.

#![allow(clippy::unwrap_used)]

mod sealed;
mod streams;
