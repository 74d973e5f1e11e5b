//! Arbitrary bytes as npy.

use inkveil_vectors_io::VectorFormat;

use super::round_trip::round_trip;

pub fn run(bytes: &[u8]) {
    round_trip(bytes, VectorFormat::Npy);
}
