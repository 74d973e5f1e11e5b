//! Vectors change as they should; everything else is kept.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Float32Type;
use bytes::Bytes;
use half::{bf16, f16};
use inkveil_vectors_io::{VectorFormat, read_matrix};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;

use crate::samples::*;

const NUMBERS: [f64; 8] = [0.0, -0.0, 1.5, -2.25, 0.00390625, 1024.0, -0.5, 3.0];

#[test]
fn jsonl_is_exact_to_the_byte() {
    for text in [
        "[0.1,0.2]\n[-1e-7,3e+20]\n",
        "[0.1, 0.2]\r\n[5e-324, 1.7976931348623157e+308]",
        "\u{feff}{\"id\": 1, \"embedding\": [0.1, 2.0], \"t\": \"[9] \\u00e9 é\"}\n{\"t\":null,\"embedding\":[1.0,-0.0]}\n\n \n",
        " { \"a\" : { \"embedding\" : [ 1 ] } , \"embedding\" : [1.5]\t} \n{\"embedding\":[2.5],\"n\":1e5,\"n\":1E5}",
    ] {
        let out = change(open(text.as_bytes(), VectorFormat::Jsonl).unwrap(), keep).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}

#[test]
fn jsonl_changes_the_vector_alone() {
    let text = "{\"v\": [1, 2.50], \"x\": [1, 2.50]}\r\n{\"x\": \"987.654\", \"v\":[3e0,4]}";
    let reader = open_with(text.as_bytes(), VectorFormat::Jsonl, Some("v"), 1).unwrap();
    let out = change(reader, double).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{\"v\": [2.0, 5.0], \"x\": [1, 2.50]}\r\n{\"x\": \"987.654\", \"v\":[6.0,8.0]}"
    );
}

#[test]
fn npy_is_exact_to_the_byte_in_every_type() {
    for (descr, data) in encodings() {
        for batch_rows in [1, 3, 100] {
            let bytes = npy(descr, "(4, 2)", &data);
            let reader = open_with(&bytes, VectorFormat::Npy, None, batch_rows).unwrap();
            assert_eq!((reader.rows(), reader.dim(), reader.column()), (Some(4), 2, None));
            assert_eq!(change(reader, keep).unwrap(), bytes, "{descr}");
        }
        let bytes = npy(descr, "(4, 2)", &data);
        let doubled = change(open(&bytes, VectorFormat::Npy).unwrap(), double).unwrap();
        assert_eq!(doubled.len(), bytes.len());
        assert_eq!(values(&doubled, VectorFormat::Npy).unwrap(), NUMBERS.map(|value| value * 2.0));
    }
}

fn encodings() -> Vec<(&'static str, Vec<u8>)> {
    let bytes = |f: &dyn Fn(f64) -> Vec<u8>| NUMBERS.iter().flat_map(|value| f(*value)).collect::<Vec<u8>>();
    vec![
        ("<f2", bytes(&|v| f16::from_f64(v).to_le_bytes().to_vec())),
        (">f2", bytes(&|v| f16::from_f64(v).to_be_bytes().to_vec())),
        ("<f4", bytes(&|v| (v as f32).to_le_bytes().to_vec())),
        (">f4", bytes(&|v| (v as f32).to_be_bytes().to_vec())),
        ("<f8", bytes(&|v| v.to_le_bytes().to_vec())),
        (">f8", bytes(&|v| v.to_be_bytes().to_vec())),
    ]
}

#[test]
fn safetensors_is_exact_to_the_byte_in_every_type() {
    let brain: Vec<u8> = NUMBERS.iter().flat_map(|v| bf16::from_f64(*v).to_le_bytes()).collect();
    let all = encodings();
    for (dtype, data) in [("F16", &all[0].1), ("BF16", &brain), ("F32", &all[2].1), ("F64", &all[4].1)] {
        let (start, end) = (3_000_000, 3_000_000 + data.len());
        let header = format!(
            "{{\"__metadata__\":{{\"k\":\"v\"}},\"big\":{{\"dtype\":\"U8\",\"shape\":[3000000],\"data_offsets\":[0,{start}]}},\
             \"v\":{{\"dtype\":\"{dtype}\",\"shape\":[4,2],\"data_offsets\":[{start},{end}]}},\
             \"z\":{{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[{end},{}]}}}}   ",
            end + 8
        );
        let noise: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let file = tensors(&header, &[&noise[..], data, &[1, 2, 3, 4, 5, 6, 7, 8]].concat());
        let reader = open(&file, VectorFormat::Safetensors).unwrap();
        assert_eq!((reader.rows(), reader.dim(), reader.column()), (Some(4), 2, Some("v")));
        assert!(change(reader, keep).unwrap() == file, "{dtype}");
        let doubled = change(open(&file, VectorFormat::Safetensors).unwrap(), double).unwrap();
        let vectors = 8 + header.len() + start;
        assert!(
            doubled[..vectors] == file[..vectors]
                && doubled[vectors + data.len()..] == file[vectors + data.len()..]
        );
        assert_eq!(values(&doubled, VectorFormat::Safetensors).unwrap(), NUMBERS.map(|value| value * 2.0));
    }
}

fn read_parquet(bytes: &[u8]) -> (Arc<ParquetMetaData>, Vec<RecordBatch>) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(bytes)).unwrap();
    let metadata = Arc::clone(builder.metadata());
    (metadata, builder.with_batch_size(100).build().unwrap().map(Result::unwrap).collect())
}

#[test]
fn parquet_keeps_values_schema_metadata_and_codecs() {
    let rows: Vec<Vec<f32>> = (0..5).map(|i| vec![i as f32, -0.5, 1e-30]).collect();
    let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
    let wide: Vec<Vec<f64>> = rows.iter().map(|r| r.iter().map(|v| f64::from(*v) / 3.0).collect()).collect();
    let wide: Vec<&[f64]> = wide.iter().map(Vec::as_slice).collect();
    for lists in [Lists::Fixed, Lists::List, Lists::Large] {
        for vectors in [f32_lists(lists, 3, &some(&rows)), f64_lists(lists, 3, &some(&wide))] {
            let bytes = parquet(&vectors);
            let reader = open(&bytes, VectorFormat::Parquet).unwrap();
            assert_eq!((reader.rows(), reader.dim(), reader.column()), (Some(5), 3, Some("embedding")));
            assert_eq!(reader.bytes_total(), Some(bytes.len() as u64));
            let out = change(reader, keep).unwrap();
            let ((_, before), (metadata, after)) = (read_parquet(&bytes), read_parquet(&out));
            assert_eq!(before, after, "{lists:?}");
            assert_eq!(before[0].schema(), after[0].schema());
            let pairs = metadata.file_metadata().key_value_metadata().unwrap();
            assert!(pairs.iter().any(|p| p.key == "owner" && p.value.as_deref() == Some("me")));
            assert_eq!(pairs.iter().filter(|p| p.key == "ARROW:schema").count(), 1);
            let columns = metadata.row_group(0).columns();
            assert!(matches!(columns[0].compression(), Compression::ZSTD(_)));
            assert_eq!(columns[1].compression(), Compression::UNCOMPRESSED);
            assert_eq!(columns[2].compression(), Compression::SNAPPY);
            assert!(columns[1].statistics().is_none() && columns[1].dictionary_page_offset().is_none());
        }
    }
}

#[test]
fn parquet_changes_the_vector_alone() {
    let bytes = parquet(&f32_lists(Lists::Fixed, 2, &some(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]])));
    let out = change(open(&bytes, VectorFormat::Parquet).unwrap(), double).unwrap();
    let ((_, before), (_, after)) = (read_parquet(&bytes), read_parquet(&out));
    assert_eq!(before[0].column(0), after[0].column(0));
    assert_eq!(before[0].column(2), after[0].column(2));
    let vectors = after[0].column(1).as_fixed_size_list().values().clone();
    assert_eq!(vectors.as_primitive::<Float32Type>().values(), &[2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
}

#[test]
fn every_format_says_how_far_it_is() {
    for (format, bytes) in one_of_each() {
        let mut reader = open(&bytes, format).unwrap();
        assert_eq!(reader.format(), format);
        let mut rows = 0;
        while let Some(batch) = reader.next_batch().unwrap() {
            assert_eq!(batch.first_row(), rows);
            rows += batch.rows() as u64;
            assert!(reader.bytes_read() > 0 && reader.bytes_read() <= reader.bytes_total().unwrap());
        }
        assert_eq!(rows, 5, "{format}");
        assert!(reader.next_batch().unwrap().is_none());
        if format != VectorFormat::Parquet {
            assert_eq!(Some(reader.bytes_read()), reader.bytes_total());
        }
    }
}

#[test]
fn matrices_are_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    for (format, bytes) in one_of_each() {
        let path = folder.path().join(format!("m.{format}"));
        std::fs::write(&path, bytes).unwrap();
        let matrix = read_matrix(&path).unwrap();
        assert_eq!((matrix.rows, matrix.dim, matrix.values.len(), matrix.values[3]), (5, 2, 10, 3.25));
        assert!(!format!("{matrix:?}").contains("987"));
    }
    let one = folder.path().join("one.npy");
    std::fs::write(&one, npy("<f4", "(3,)", &f32s(&[1.0, 2.0, 3.0]))).unwrap();
    let matrix = read_matrix(&one).unwrap();
    assert_eq!((matrix.rows, matrix.dim), (1, 3));
    assert!(read_matrix(&folder.path().join("m.csv")).unwrap_err().to_string().contains("m.csv"));
}

/// Reads from a real standard input: this test runs itself with a pipe.
#[test]
fn pipes_can_be_read() {
    use inkveil_files::{Input, Output};
    use inkveil_vectors_io::{ReadOptions, VectorReader, VectorWriter};
    if let Ok(format) = std::env::var("INKVEIL_TEST_PIPE") {
        let reader = VectorReader::open(Input::stdin(), format.parse().unwrap(), &ReadOptions::default());
        let reader = reader.unwrap_or_else(|e| {
            eprintln!("{e}");
            std::process::exit(3)
        });
        assert_eq!(reader.bytes_total(), None);
        let path = std::env::var_os("INKVEIL_TEST_OUT").unwrap();
        let mut writer = VectorWriter::like(&reader, Output::file(path, false).unwrap()).unwrap();
        let mut reader = reader;
        while let Some(batch) = reader.next_batch().unwrap() {
            writer.write(batch).unwrap();
        }
        writer.finish().unwrap().commit().unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (format, bytes) in one_of_each() {
        let out = folder.path().join(format.to_string());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "round_trip::pipes_can_be_read", "--nocapture"])
            .env("INKVEIL_TEST_PIPE", format.to_string())
            .env("INKVEIL_TEST_OUT", &out)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The Parquet child stops without reading.
        let _ = child.stdin.take().unwrap().write_all(&bytes);
        let result = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&result.stderr).into_owned();
        if format == VectorFormat::Parquet {
            assert!(
                said.contains("standard input: Parquet must be a file; pipe JSONL or npy instead"),
                "{said}"
            );
        } else {
            assert!(result.status.success(), "{said}");
            assert!(std::fs::read(&out).unwrap() == bytes, "{format}");
        }
    }
}
