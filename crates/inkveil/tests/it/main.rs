//! The facade together with what its users put beside it.

#![allow(clippy::unwrap_used)]

mod stores;
