//! A reader for tests.

use std::io::{self, Read};

/// Gives out a few bytes at a time, as a pipe may.
pub(crate) struct Trickle<'a>(pub(crate) &'a [u8], pub(crate) usize);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(self.0.len()).min(into.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}
