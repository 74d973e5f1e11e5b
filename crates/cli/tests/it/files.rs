//! `inkveil noise` on binary formats, end to end.

use std::fs::File;
use std::sync::Arc;

use arrow_array::types::Float32Type;
use arrow_array::{Array, ArrayRef, FixedSizeListArray, Float32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::folder::Folder;

const LINE: &str = "-m laplace-l2 -e 50 --insecure-seed 1 --quiet";

/// A version-1.0 .npy file of rows × 3 `<f4`.
fn npy(rows: &[[f32; 3]]) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 3), }}", rows.len());
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    rows.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

const ROWS: [[f32; 3]; 2] = [[0.5, -0.25, 1.0], [0.0, 2.0, -1.0]];

/// Noise at ε = 50 in three dimensions is about 0.06 long and never nothing.
fn close_but_changed(before: &[f32], after: &[f32]) {
    assert_eq!(before.len(), after.len());
    for (a, b) in before.iter().zip(after) {
        assert!(a != b && (a - b).abs() < 0.5, "{a} {b}");
    }
}

#[test]
fn npy_keeps_its_header() {
    let folder = Folder::new();
    let before = npy(&ROWS);
    folder.write("in.npy", &before);
    let run = folder.run(&format!("noise in.npy -o out.npy {LINE}"));
    assert!(run.contains("exit 0"), "{run}");
    let after = folder.read("out.npy");
    assert_eq!(before[..128], after[..128]);
    close_but_changed(&floats(&before[128..]), &floats(&after[128..]));
    let piped = folder
        .command()
        .args(["noise", "--format", "npy"])
        .args(LINE.split(' '))
        .write_stdin(before)
        .output();
    assert_eq!(piped.unwrap().stdout, after);
}

#[test]
fn npy_refusals() {
    let folder = Folder::new();
    let mut bad = ROWS;
    bad[1][2] = f32::NAN;
    let cut = npy(&ROWS)[..140].to_vec();
    folder.write("nan.npy", npy(&bad)).write("cut.npy", cut).write("text.npy", "987.654");
    let runs: Vec<String> = ["nan", "cut", "text"]
        .iter()
        .map(|name| folder.run(&format!("noise {name}.npy -o out.npy {LINE}")))
        .collect();
    insta::assert_snapshot!(runs.join("\n"));
    assert_eq!(folder.names(), ["cut.npy", "nan.npy", "text.npy"]);
}

#[test]
fn safetensors_keeps_other_tensors() {
    let folder = Folder::new();
    let header = r#"{"bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"emb":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]}}"#;
    let mut before = (header.len() as u64).to_le_bytes().to_vec();
    before.extend(header.as_bytes());
    let data = before.len();
    [7.0f32, 8.0].iter().for_each(|x| before.extend(x.to_le_bytes()));
    ROWS.iter().flatten().for_each(|x| before.extend(x.to_le_bytes()));
    folder.write("in.safetensors", &before);
    let run = folder.run(&format!("noise in.safetensors -o out.safetensors {LINE}"));
    assert!(run.contains("exit 0"), "{run}");
    let after = folder.read("out.safetensors");
    assert_eq!(before[..data + 8], after[..data + 8]);
    close_but_changed(&floats(&before[data + 8..]), &floats(&after[data + 8..]));
}

#[test]
fn parquet_keeps_other_columns() {
    let folder = Folder::new();
    let vectors =
        FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(ROWS.map(|row| Some(row.map(Some))), 3);
    let names: ArrayRef = Arc::new(StringArray::from(vec!["first", "second"]));
    let batch =
        RecordBatch::try_from_iter([("name", names), ("vector", Arc::new(vectors) as ArrayRef)]).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(folder.path("in.parquet")).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let run = folder.run(&format!("noise in.parquet -o out.parquet {LINE}"));
    assert!(run.contains("exit 0"), "{run}");
    let file = File::open(folder.path("out.parquet")).unwrap();
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let after = reader.next().unwrap().unwrap();
    assert_eq!(after.schema(), batch.schema());
    assert_eq!(after.column(0), batch.column(0));
    let list = after.column(1).as_any().downcast_ref::<FixedSizeListArray>().unwrap();
    let values = list.values().as_any().downcast_ref::<Float32Array>().unwrap();
    close_but_changed(ROWS.as_flattened(), values.values());
}
