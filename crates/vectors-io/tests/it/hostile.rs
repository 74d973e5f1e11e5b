//! No bytes make a reader panic, hang or take more memory than they are worth.

use inkveil_vectors_io::VectorFormat;
use proptest::prelude::*;

use crate::samples::*;

const FORMATS: [VectorFormat; 4] =
    [VectorFormat::Jsonl, VectorFormat::Npy, VectorFormat::Parquet, VectorFormat::Safetensors];

#[test]
fn truncation_anywhere_is_an_error() {
    for (format, bytes) in one_of_each() {
        for end in 0..bytes.len() {
            let result = values(&bytes[..end], format);
            // Lines are complete files in themselves.
            let whole_lines = bytes[..=end].ends_with(b"\n") || bytes[..end].ends_with(b"\n");
            let complete = format == VectorFormat::Jsonl && whole_lines;
            assert_eq!(result.is_ok(), complete && end > 0, "{format} cut at {end}");
            if let Err(error) = result {
                assert!(!error.to_string().contains("987"), "{error}");
            }
        }
    }
}

#[test]
fn every_single_byte_may_be_wrong() {
    for (format, bytes) in one_of_each() {
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                if let Err(error) = values(&damaged, format) {
                    assert!(!error.to_string().contains("987"), "{error}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for format in FORMATS {
            let _ = values(&bytes, format);
        }
    }

    #[test]
    fn arbitrary_text(text in "[\\[\\]{}\",:0-9eE.\\-+ \\n\\r\\\\a-c]{0,80}") {
        let _ = values(text.as_bytes(), VectorFormat::Jsonl);
    }

    #[test]
    fn arbitrary_npy_headers(text in "[{}'<>f248(),:FalsT desctrhponui0-9_]{0,120}", rest in any::<[u8; 9]>()) {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(rest);
        let _ = values(&bytes, VectorFormat::Npy);
    }

    #[test]
    fn arbitrary_tensor_headers(shape in any::<[u64; 2]>(), offsets in any::<[u64; 2]>(), rest in any::<[u8; 9]>()) {
        let header = format!("{{\"v\":{{\"dtype\":\"F16\",\"shape\":{shape:?},\"data_offsets\":{offsets:?}}}}}");
        let _ = values(&tensors(&header, &rest), VectorFormat::Safetensors);
    }

    #[test]
    fn many_wrong_bytes(which in 0usize..4, edits in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..12)) {
        let (format, mut bytes) = one_of_each().swap_remove(which);
        for (at, byte) in edits {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        let _ = values(&bytes, format);
    }

    #[test]
    fn finite_numbers_come_back(rows in proptest::collection::vec(any::<[f64; 3]>(), 1..9), batch in 1usize..5) {
        prop_assume!(rows.iter().flatten().all(|value| value.is_finite()));
        let text: String = rows.iter().map(|row| format!("{row:?}\n")).collect();
        let reader = open_with(text.as_bytes(), VectorFormat::Jsonl, None, batch).unwrap();
        let out = change(reader, keep).unwrap();
        let back = values(&out, VectorFormat::Jsonl).unwrap();
        let bits = |value: &f64| value.to_bits();
        prop_assert_eq!(back.iter().map(bits).collect::<Vec<_>>(), rows.iter().flatten().map(bits).collect::<Vec<_>>());
        // What was written once is written the same again.
        let again = change(open(&out, VectorFormat::Jsonl).unwrap(), keep).unwrap();
        prop_assert_eq!(again, out);
    }
}
