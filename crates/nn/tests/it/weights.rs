//! Tests valid and damaged files of weights.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use inkveil_nn::{Device, ErrorKind, Weights};
use proptest::prelude::*;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// A GGUF header with these settings (already as bytes) and tensors (name, dimensions, type,
/// offset).
fn gguf(settings: &[Vec<u8>], tensors: &[(&str, &[u64], u32, u64)], data: &[u8]) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    file.extend((tensors.len() as u64).to_le_bytes());
    file.extend((settings.len() as u64).to_le_bytes());
    file.extend(settings.concat());
    for (name, dimensions, kind, offset) in tensors {
        file.extend(text(name));
        file.extend((dimensions.len() as u32).to_le_bytes());
        file.extend(dimensions.iter().flat_map(|d| d.to_le_bytes()));
        file.extend(kind.to_le_bytes());
        file.extend(offset.to_le_bytes());
    }
    file.resize(file.len().next_multiple_of(32), 0);
    file.extend(data);
    file
}

fn setting(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    [&(name.len() as u64).to_le_bytes(), name.as_bytes(), &kind.to_le_bytes(), value].concat()
}

fn error(bytes: Vec<u8>) -> String {
    Weights::from_bytes(bytes).unwrap_err().to_string()
}

/// Reads all content of a file in every way; it must not panic.
fn read_all(weights: &Weights) {
    for name in weights.names() {
        let shape = weights.shape(name).unwrap();
        let values = weights.values(name, shape);
        if let Ok(values) = &values {
            assert_eq!(values.len(), shape.iter().product::<usize>());
        }
        if let Ok(Some(rows)) = weights.int8_rows(name, shape) {
            assert_eq!(rows.widen().len(), values.unwrap().len());
        }
        let _ = weights.tensor(name, shape, &Device::Cpu);
    }
}

#[test]
fn every_gguf_format_matches_its_own_library() {
    let weights = Weights::open(&fixture("gguf-tiny/quantised.gguf")).unwrap();
    let expected = Weights::open(&fixture("gguf-tiny/expected.safetensors")).unwrap();
    assert_eq!(expected.names().count(), 13);
    for name in expected.names() {
        let (found, wanted) =
            (weights.values(name, &[2, 256]).unwrap(), expected.values(name, &[2, 256]).unwrap());
        // The order of two products may differ, which changes the last bit.
        let close = |(a, b): (&f32, &f32)| a == b || (a.to_bits().abs_diff(b.to_bits()) <= 1);
        assert!(found.iter().zip(&*wanted).all(close), "{name}");
    }
}

#[test]
fn floats_are_borrowed_from_the_file() {
    let weights = Weights::open(&fixture("gguf-tiny/quantised.gguf")).unwrap();
    assert!(matches!(weights.values("F32", &[2, 256]).unwrap(), Cow::Borrowed(_)));
    assert!(matches!(weights.values("F16", &[2, 256]).unwrap(), Cow::Owned(_)));
}

#[test]
fn gguf_names_match_those_of_the_shards() {
    let names =
        |path: &str| Weights::open(&fixture(path)).unwrap().names().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names("qwen2-tiny"), names("gguf-tiny/qwen2-q8.gguf"));
    assert_eq!(names("llama-tiny"), names("gguf-tiny/llama-f16.gguf"));
    let weights = Weights::open(&fixture("qwen2-tiny")).unwrap();
    assert_eq!(weights.shape("model.layers.1.mlp.down_proj.weight"), Some([32, 64].as_slice()));
}

#[test]
fn int8_rows_have_scales() {
    let header = r#"{"w":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]},"w.scale":{"dtype":"F32","shape":[2],"data_offsets":[6,14]}}"#;
    let data = |scales: [f32; 2]| {
        let integers = [1_i8, -2, 127, 0, -128, 4].map(|x| x as u8);
        [integers.as_slice(), scales.map(f32::to_le_bytes).as_flattened()].concat()
    };
    let weights = Weights::from_bytes(safetensors(header, &data([0.5, 2.0]))).unwrap();
    let rows = weights.int8_rows("w", &[2, 3]).unwrap().unwrap();
    assert_eq!((rows.values, &*rows.scales), ([1, -2, 127, 0, -128, 4].as_slice(), [0.5, 2.0].as_slice()));
    let wide = [0.5, -1.0, 63.5, 0.0, -256.0, 8.0];
    assert_eq!(weights.values("w", &[2, 3]).unwrap(), wide.as_slice());
    let tensor = weights.tensor("w", &[2, 3], &Device::Cpu).unwrap();
    assert_eq!(tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap(), wide);
    assert!(weights.int8_rows("w.scale", &[2]).unwrap().is_none());

    let error = |header: &str, data: Vec<u8>| {
        let weights = Weights::from_bytes(safetensors(header, &data)).unwrap();
        let shape = weights.shape("w").unwrap().to_vec();
        assert!(weights.values("w", &shape).is_err());
        weights.int8_rows("w", &shape).unwrap_err().to_string()
    };
    assert!(error(header, data([f32::NAN, 1.0])).contains("not a finite number"));
    let other = header.replace("\"shape\":[2,3]", "\"shape\":[3,2]");
    assert!(error(&other, data([0.5, 2.0])).contains("has shape [2], expected [3]"));
    let flat = header.replace("\"shape\":[2,3]", "\"shape\":[6]");
    assert!(error(&flat, data([0.5, 2.0])).contains("not a matrix"));
    let alone = r#"{"w":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]}}"#;
    assert!(error(alone, data([0.5, 2.0])[..6].to_vec()).contains("\"w.scale\" is missing"));
}

#[test]
fn damaged_safetensors_are_refused() {
    let good = r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
    assert!(Weights::from_bytes(safetensors(good, &[0; 8])).is_ok());
    for (header, bytes) in [
        (good, 7),
        (good, 9),
        (r#"{"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#, 8),
        (r#"{"w":{"dtype":"F32","shape":[18446744073709551615,2],"data_offsets":[0,8]}}"#, 8),
        (
            r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"v":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}"#,
            12,
        ),
        (r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#, 8),
        (r#"{"w":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}}"#, 8),
        ("{", 0),
    ] {
        let error = Weights::from_bytes(safetensors(header, &vec![0; bytes])).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    }
    for bytes in [vec![], vec![255; 8], vec![0; 7], u64::MAX.to_le_bytes().to_vec()] {
        assert!(Weights::from_bytes(bytes).is_err());
    }
}

#[test]
fn missing_tensors_and_wrong_shapes_are_errors() {
    let header = r#"{"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"ids":{"dtype":"I64","shape":[1],"data_offsets":[8,16]}}"#;
    let weights = Weights::from_bytes(safetensors(header, &[0; 16])).unwrap();
    let kind = |name: &str, shape: &[usize]| weights.values(name, shape).unwrap_err().kind().clone();
    assert!(matches!(kind("v", &[2, 1]), ErrorKind::MissingTensor { name } if name == "v"));
    assert!(matches!(kind("w", &[1, 2]), ErrorKind::Shape { found, .. } if found == [2, 1]));
    assert!(matches!(kind("ids", &[1]), ErrorKind::Unsupported { .. }));
}

#[test]
fn damaged_gguf_is_refused() {
    let f32s = |count: usize| vec![0; 4 * count];
    let good = gguf(&[], &[("a", &[3, 2], 0, 0), ("b", &[1], 0, 32)], &f32s(9));
    let weights = Weights::from_bytes(good.clone()).unwrap();
    assert_eq!(weights.shape("a"), Some([2, 3].as_slice()));
    for length in 0..good.len() {
        assert!(Weights::from_bytes(good[..length].to_vec()).is_err(), "{length}");
    }

    assert!(error(gguf(&[], &[("a", &[3], 0, 0), ("b", &[3], 0, 0)], &f32s(9))).contains("overlap"));
    assert!(error(gguf(&[], &[("a", &[3], 0, 0), ("a", &[1], 0, 32)], &f32s(9))).contains("two tensors"));
    assert!(error(gguf(&[], &[("a", &[3], 0, 4)], &f32s(9))).contains("a multiple of 32"));
    assert!(
        error(gguf(&[], &[("a", &[u64::MAX, 2], 0, 0)], &f32s(9))).contains("larger than the address space")
    );
    assert!(error(gguf(&[], &[("a", &[1 << 40], 0, 0)], &f32s(9))).contains("ends before"));
    assert!(error(gguf(&[], &[("a", &[1], 0, u64::MAX - 31)], &f32s(9))).contains("ends before"));
    assert!(error(gguf(&[], &[("a", &[33], 8, 0)], &f32s(9))).contains("multiples of 32"));
    assert!(error(gguf(&[], &[("a", &[], 8, 0)], &f32s(9))).contains("multiples of 32"));
    assert!(error(gguf(&[], &[("a", &[1; 5], 0, 0)], &f32s(9))).contains("5 dimensions"));
    assert!(error(gguf(&[], &[("a", &[32], 99, 0)], &f32s(9))).contains("format number 99"));
    assert!(error(b"GGUF\x01\0\0\0".to_vec()).contains("version 1"));
    let endless = [b"GGUF\x03\0\0\0".as_slice(), &[255; 16]].concat();
    assert!(error(endless).contains("ends inside its header"));
}

#[test]
fn damaged_settings_of_gguf_are_refused() {
    let file = |settings: &[Vec<u8>]| gguf(settings, &[], &[]);
    let alignment = |value: u32| file(&[setting("general.alignment", 4, &value.to_le_bytes())]);
    assert!(Weights::from_bytes(alignment(64)).is_ok());
    for value in [0, 1, 4, 33, 1 << 31] {
        assert!(error(alignment(value)).contains("alignment"), "{value}");
    }
    let twice = setting("x", 0, &[1]);
    assert!(error(file(&[twice.clone(), twice])).contains("twice"));
    assert!(error(file(&[setting("x", 7, &[2])])).contains("neither true nor false"));
    assert!(error(file(&[setting("x", 77, &[2])])).contains("unknown type 77"));
    assert!(error(file(&[setting("x", 8, &u64::MAX.to_le_bytes())])).contains("ends inside"));
    assert!(error(file(&[setting("x", 8, &[1, 0, 0, 0, 0, 0, 0, 0, 255])])).contains("not UTF-8"));
    let array = |element: u32, count: u64| {
        setting("x", 9, &[&element.to_le_bytes()[..], &count.to_le_bytes()].concat())
    };
    assert!(error(file(&[array(10, u64::MAX / 4)])).contains("ends inside"));
    assert!(error(file(&[array(8, u64::MAX)])).contains("ends inside"));
    assert!(error(file(&[array(9, 1)])).contains("array of arrays"));
    assert!(error(file(&[array(99, 1)])).contains("unknown type 99"));
}

#[test]
fn errors_say_what_a_folder_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Weights::open(folder.path()).unwrap_err().to_string();
    assert!(open().contains("no weights in this folder"));
    std::fs::write(folder.path().join("a.gguf"), b"GGUF").unwrap();
    assert!(open().contains("a.gguf: not valid GGUF"));
    std::fs::write(folder.path().join("b.gguf"), b"GGUF").unwrap();
    assert!(open().contains("several .gguf files"));

    let index = folder.path().join("model.safetensors.index.json");
    std::fs::write(&index, r#"{"weight_map": {"w": "../../secret"}}"#).unwrap();
    assert!(open().contains("outside its folder"));
    std::fs::write(&index, r#"{"weight_map": {"w": "one.safetensors"}}"#).unwrap();
    assert!(open().contains("one.safetensors"));
    let other = safetensors(r#"{"v":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, &[0; 4]);
    std::fs::write(folder.path().join("one.safetensors"), other).unwrap();
    assert!(open().contains("lists \"w\""));
    std::fs::write(&index, "[]").unwrap();
    assert!(open().contains("index does not have the expected structure"));
    assert!(Weights::open(&folder.path().join("none")).is_err());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("model.safetensors");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let error = Weights::open(&pipe).unwrap_err();
    assert!(error.to_string().contains("not an ordinary file"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_bytes_never_panic(place in 0..6000_usize, byte: u8, which in 0..3_usize) {
        let name = ["gguf-tiny/quantised.gguf", "gguf-tiny/qwen2-q8.gguf", "gguf-tiny/expected.safetensors"][which];
        let mut bytes = std::fs::read(fixture(name)).unwrap();
        bytes[place] = byte;
        if let Ok(weights) = Weights::from_bytes(bytes) {
            read_all(&weights);
        }
    }

    #[test]
    fn any_header_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Weights::from_bytes([b"GGUF\x03\0\0\0".as_slice(), &bytes].concat()).map(|weights| read_all(&weights));
        let _ = Weights::from_bytes(bytes).map(|weights| read_all(&weights));
    }
}
