//! Every error says what was wrong, where, and what to do; none says a value.

use std::path::Path;

use inkveil_files::{Input, Output};
use inkveil_privacy::{Grid, GridRows};
use inkveil_vectors_io::{
    Error, ErrorKind, ReadOptions, VectorFormat, VectorReader, VectorWriter, read_matrix,
};

use crate::samples::*;

/// Checks an error's words, and that the value in the data is not among them.
fn check(error: &Error, words: &[&str]) {
    let (display, debug) = (format!("{error:#}"), format!("{error:?} {:?}", error.kind()));
    for word in words {
        assert!(display.contains(word), "{word:?} is not in {display:?}");
    }
    for secret in ["987", "secret"] {
        assert!(!display.contains(secret) && !debug.contains(secret), "{display}");
    }
}

fn jsonl(text: &str) -> Error {
    values(text.as_bytes(), VectorFormat::Jsonl).unwrap_err()
}

#[test]
fn jsonl_errors() {
    check(&jsonl("[987.654, 1]\n[987.654]\n"), &["row 2: ", "expected 2 numbers", "found 1"]);
    check(
        &jsonl("{\"vector\":[987.654]}\n{\"vector\":[987.654,1]}"),
        &["row 2, field \"vector\"", "found 2"],
    );
    check(&jsonl("{\"a\":[987.654],\"b\":[1]}"), &["row 1", "choose one of [\"a\", \"b\"]"]);
    check(&jsonl("{\"a\":987.654,\"b\":\"secret\"}"), &["row 1", "no vectors", "[\"a\", \"b\"]"]);
    check(
        &jsonl("{\"vector\":[1]}\n{\"987.654\":[1]}"),
        &["row 2, field \"vector\": the field is missing", "drop the row"],
    );
    check(&jsonl("{\"vector\":[1],\"vector\":[987.654]}"), &["row 1, field \"vector\"", "more than once"]);
    check(&jsonl("[1]\n{\"vector\":[987.654]}"), &["row 2", "expected an array"]);
    check(&jsonl("{\"vector\":[987.654]}\n[1]"), &["row 2", "expected an object"]);
    check(&jsonl("[1]\n[\"secret\"]"), &["row 2", "expected an array of numbers", "coordinate 0"]);
    check(&jsonl("{\"vector\":\"secret\"}"), &["row 1, field \"vector\"", "expected an array of numbers"]);
    check(&jsonl("{\"vector\":[1]}\n{\"vector\":[null]}"), &["row 2, field \"vector\"", "coordinate 0"]);
    check(&jsonl("[1]\n\n[987.654]"), &["row 2: the line is blank"]);
    check(&jsonl("[1, 2]\n[987.654, 1e999]"), &["row 2: coordinate 1", "not a finite number"]);
    check(&jsonl("[1, 2]\n[987.654, NaN]"), &["row 2: coordinate 1", "not a finite number"]);
    check(&jsonl("[1]\n[987.654"), &["row 2: not valid jsonl", "ends in the middle"]);
    check(&jsonl("[1]\n[987.654 secret]"), &["row 2: not valid jsonl", "near byte"]);
    check(&jsonl("[1]\n[987.654] secret"), &["row 2: not valid jsonl"]);
    check(
        &jsonl("{\"vector\":[1]}\n{\"vector\":[987.654]} secret"),
        &["row 2, field \"vector\": not valid jsonl"],
    );
    check(&jsonl("secret"), &["row 1: not valid jsonl", "an array of numbers or an object"]);
    let not_utf8 = values(b"[1]\n[987.654, \"\xFF\"]", VectorFormat::Jsonl).unwrap_err();
    check(&not_utf8, &["row 2: the line is not UTF-8"]);
    let named =
        |column, text: &str| open_with(text.as_bytes(), VectorFormat::Jsonl, Some(column), 3).unwrap_err();
    check(&named("w", "{\"vector\":[987.654]}"), &["row 1, field \"w\": the field is missing", "\"vector\""]);
    check(&named("w", "[987.654]"), &["field \"w\": the field is missing"]);
    assert_eq!(jsonl("").kind(), &ErrorKind::Empty);
}

#[test]
fn npy_errors() {
    let error = |bytes: &[u8]| values(bytes, VectorFormat::Npy).unwrap_err();
    let data = f32s(&[1.0, 987.654, f32::NAN, 2.0]);
    check(
        &error(&npy("<f4", "(2, 2)", &data)),
        &["row 2: coordinate 0 (counted from 0) is not a finite number"],
    );
    check(&error(&npy("<f4", "(2, 2)", &data[..15])), &["row 2: the file ends here"]);
    check(&error(&npy("<f4", "(1, 2)", &data)), &["bytes after the end"]);
    check(&error(&npy("<f4", "(4294967296, 16777216)", &data)), &["row 1: the file ends here"]);
    check(&error(&npy("<f4", "(9223372036854775807, 4)", &data)), &["larger than any file"]);
    check(&error(&npy("<f4", "(1, 9223372036854775807)", &data)), &["the other way round"]);
    check(&error(&npy("<f4", "(4,)", &data)), &["1 axis", "reshape(1, -1)"]);
    check(&error(&npy("<f4", "(1, 2, 2)", &data)), &["3 axes"]);
    check(&error(&npy("<i4", "(2, 2)", &data)), &["astype('float32')"]);
    check(&error(b"secret 987"), &["not valid npy"]);
    for shape in ["(0, 2)", "(2, 0)"] {
        assert_eq!(error(&npy("<f4", shape, &[])).kind(), &ErrorKind::Empty);
    }
    assert_eq!(error(b"").kind(), &ErrorKind::Empty);
    let column = open_with(&npy("<f4", "(2, 2)", &data), VectorFormat::Npy, Some("x"), 1).unwrap_err();
    check(&column, &["field \"x\"", "do not choose a column"]);
}

#[test]
fn safetensors_errors() {
    let header = "{\"v\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}";
    let error =
        |header: &str, data: &[u8]| values(&tensors(header, data), VectorFormat::Safetensors).unwrap_err();
    let data = f32s(&[1.0, 987.654, 3.0, f32::INFINITY]);
    check(&error(header, &data), &["row 2, field \"v\": coordinate 1"]);
    check(&error(header, &data[..9]), &["row 2, field \"v\": the file ends here"]);
    let good = f32s(&[1.0, 987.654, 3.0, 4.0]);
    check(&error(header, &[&good[..], &[0]].concat()), &["bytes after the end"]);
    check(&error("{\"v\": secret}", &data), &["not valid safetensors"]);
    let two = "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},\
               \"b\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[8,16]}}";
    check(&error(two, &data), &["choose one of [\"a\", \"b\"]"]);
    let other = "{\"a\":{\"dtype\":\"I8\",\"shape\":[9],\"data_offsets\":[0,9]},\
                 \"b\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[9,17]}}";
    check(&error(other, &data[..3]), &["the file ends here"]);
    let huge = [&u64::MAX.to_le_bytes()[..], b"secret"].concat();
    check(&values(&huge, VectorFormat::Safetensors).unwrap_err(), &["header is longer than"]);
}

#[test]
fn parquet_errors() {
    let error = |vectors| values(&parquet(&vectors), VectorFormat::Parquet).unwrap_err();
    for lists in [Lists::List, Lists::Large] {
        let ragged = some(&[&[1.0, 987.654], &[1.0, 2.0], &[1.0]]);
        check(
            &error(f32_lists(lists, 0, &ragged)),
            &["row 3, field \"embedding\": expected 2 numbers", "found 1"],
        );
    }
    for lists in [Lists::Fixed, Lists::List, Lists::Large] {
        let null_row = vec![Some(vec![Some(987.654)]), Some(vec![Some(1.0)]), Some(vec![Some(1.0)]), None];
        check(&error(f32_lists(lists, 1, &null_row)), &["row 4, field \"embedding\": the vector is null"]);
        let null_first = vec![None, Some(vec![Some(987.654)])];
        check(&error(f32_lists(lists, 1, &null_first)), &["row 1, field \"embedding\": the vector is null"]);
        let null_item = vec![Some(vec![Some(987.654), Some(1.0)]), Some(vec![Some(1.0), None])];
        check(&error(f64_lists(lists, 2, &null_item)), &["row 2, field \"embedding\": coordinate 1", "null"]);
        let nan = some(&[&[987.654, 1.0], &[1.0, 1.0], &[1.0, f64::NAN]]);
        check(&error(f64_lists(lists, 2, &nan)), &["row 3, field \"embedding\": coordinate 1", "finite"]);
        assert_eq!(error(f64_lists(lists, 2, &vec![])).kind(), &ErrorKind::Empty);
    }
    let empty = vec![Some(vec![]), Some(vec![])];
    assert_eq!(error(f64_lists(Lists::List, 0, &empty)).kind(), &ErrorKind::Empty);
    let good = parquet(&f32_lists(Lists::List, 1, &some(&[&[1.0]])));
    let column = |name| open_with(&good, VectorFormat::Parquet, Some(name), 1).unwrap_err();
    check(&column("text"), &["field \"text\": a column of type utf8", "choose a list"]);
    check(&column("x"), &["field \"x\": the field is missing", "\"embedding\""]);
    check(&values(b"secret 987.654 and more", VectorFormat::Parquet).unwrap_err(), &["not valid parquet"]);
    assert_eq!(values(b"", VectorFormat::Parquet).unwrap_err().kind(), &ErrorKind::Empty);
    let stdin =
        VectorReader::open(Input::stdin(), VectorFormat::Parquet, &ReadOptions::default()).unwrap_err();
    assert_eq!(stdin.to_string(), "standard input: Parquet must be a file; pipe JSONL or npy instead");
}

#[test]
fn numbers_too_large_for_the_file_are_refused() {
    let grow = |batch: &mut inkveil_vectors_io::VectorBatch| {
        let (first, dim) = (batch.first_row(), batch.dim());
        let change = |row: &mut [f64]| {
            row.iter_mut().skip(1).for_each(|v| *v = if first > 0 { 987.654e270 } else { *v });
        };
        let grid = if first > 0 { Grid::new(880).unwrap() } else { Grid::WITHOUT_NOISE };
        batch.release(|values| {
            let rows = GridRows::without_noise(values, dim).and_then(|rows| rows.then(grid, change));
            rows.map_err(|_| Error::from(ErrorKind::OutOfOrder))
        })
    };
    for (format, bytes) in one_of_each() {
        let result = change(open(&bytes, format).unwrap(), grow);
        match format {
            VectorFormat::Jsonl => assert!(result.is_ok()),
            _ => {
                let error = result.unwrap_err();
                assert!(
                    matches!(error.kind(), ErrorKind::Overflow { index: 1, dtype: "float32" }),
                    "{error}"
                );
                let row = if format == VectorFormat::Parquet { "row 3" } else { "row 4" };
                check(&error, &[row, "too large for float32"]);
            }
        }
        let mut batch = open(&bytes, format).unwrap();
        assert!(!format!("{batch:?} {:?}", batch.next_batch().unwrap()).contains("987"));
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let open =
        |path: &Path| VectorReader::open(Input::path(path), VectorFormat::Npy, &ReadOptions::default());
    let error = open(Path::new("/no/such.npy")).unwrap_err();
    check(&error, &["/no/such.npy: cannot open it: No such file or directory"]);
    check(&open(&std::env::temp_dir()).unwrap_err(), &["not an ordinary file"]);
    check(&read_matrix(Path::new("/no/such.parquet")).unwrap_err(), &["/no/such.parquet", "No such file"]);
}

#[test]
fn the_output_may_not_be_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, "[1.0]\n").unwrap();
    let detour = folder.path().join("../").join(folder.path().file_name().unwrap()).join("a.jsonl");
    let reader =
        VectorReader::open(Input::path(&detour), VectorFormat::Jsonl, &ReadOptions::default()).unwrap();
    let error = VectorWriter::like(&reader, Output::file(&path, true).unwrap()).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::SameFile);
    check(&error, &["a.jsonl: the output would replace the input"]);
    let link = folder.path().join("b.jsonl");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let error = VectorWriter::like(&reader, Output::file(&link, true).unwrap()).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::SameFile);
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"[1.0]\n");
    let _ = link;
}

#[test]
fn batches_must_be_written_in_order() {
    let (format, bytes) = one_of_each().swap_remove(1);
    let mut reader = open(&bytes, format).unwrap();
    let (first, second) = (reader.next_batch().unwrap().unwrap(), reader.next_batch().unwrap().unwrap());
    let new = || VectorWriter::like(&reader, Output::writer(Box::new(std::io::sink()))).unwrap();
    assert_eq!(new().write(second).unwrap_err().kind(), &ErrorKind::OutOfOrder);
    let mut writer = new();
    writer.write(first).unwrap();
    assert_eq!(writer.finish().unwrap_err().kind(), &ErrorKind::OutOfOrder);
    let other = open(b"[1, 2]\n", VectorFormat::Jsonl).unwrap().next_batch().unwrap().unwrap();
    assert_eq!(new().write(other).unwrap_err().kind(), &ErrorKind::OutOfOrder);
}

#[test]
fn an_error_is_final() {
    let mut reader = open_with(b"[1]\n[1,2]\n[3]\n", VectorFormat::Jsonl, None, 1).unwrap();
    reader.next_batch().unwrap().unwrap();
    let error = reader.next_batch().unwrap_err();
    assert_eq!(reader.next_batch().unwrap_err(), error);
}
