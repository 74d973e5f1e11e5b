//! Files other programs wrote, byte by byte, so that the samples made here cannot be wrong in the same way as the code.

use inkveil_vectors_io::VectorFormat;

use crate::samples::*;

/// What `numpy.save(f, numpy.array([[1, -2], [0.5, 3]], '<f4'))` writes.
const NPY: &[u8] = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }                                                          \n\
\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f\x00\x00\x40\x40";

/// What `safetensors.numpy.save({"v": numpy.array([[1, -2], [0.5, 3]], 'f4')}, {"by": "test"})` writes.
const SAFETENSORS: &[u8] = b"X\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{\"by\":\"test\"},\"v\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}  \
\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f\x00\x00\x40\x40";

#[test]
fn golden_files_are_read_and_written() {
    for (format, bytes) in [(VectorFormat::Npy, NPY), (VectorFormat::Safetensors, SAFETENSORS)] {
        assert_eq!(values(bytes, format).unwrap(), [1.0, -2.0, 0.5, 3.0]);
        assert_eq!(change(open(bytes, format).unwrap(), keep).unwrap(), bytes);
        let doubled = change(open(bytes, format).unwrap(), double).unwrap();
        let (header, data) = doubled.split_at(doubled.len() - 16);
        assert_eq!(header, &bytes[..bytes.len() - 16]);
        assert_eq!(data, b"\x00\x00\x00\x40\x00\x00\x80\xc0\x00\x00\x80\x3f\x00\x00\xc0\x40");
    }
}
