//! Rows with texts: everything but the texts is kept.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use inkveil_files::Input;
use inkveil_rows::{
    Added, Changed, ColumnPath, Columns, ErrorKind, Packing, RecordFormat, RecordOptions, RecordReader,
    WrittenRows,
};
use proptest::prelude::*;

pub(crate) fn columns(names: &[&str]) -> Columns {
    Columns {
        texts: names.iter().map(|name| name.parse::<ColumnPath>().unwrap()).collect(),
        ..Columns::default()
    }
}

fn options(names: &[&str]) -> RecordOptions {
    RecordOptions { columns: columns(names), ..RecordOptions::default() }
}

/// Reads everything and writes it with each text changed by `f`.
fn through(
    bytes: &[u8],
    format: RecordFormat,
    options: &RecordOptions,
    f: impl Fn(&str) -> Option<String>,
) -> Result<Vec<u8>, inkveil_rows::Error> {
    let mut reader = RecordReader::open(Input::from_bytes(bytes.to_vec()), format, Packing::None, options)?;
    let mut out = reader.prelude(&[]);
    while let Some(records) = reader.next()? {
        let texts = records.texts().iter().map(&f).collect();
        match records.write(&Changed { texts, ..Changed::default() })? {
            WrittenRows::Bytes(bytes) => out.extend(bytes),
            WrittenRows::Batch(_) => unreachable!("bytes expected"),
        }
    }
    Ok(out)
}

fn shout(text: &str) -> Option<String> {
    Some(format!("<{text}>"))
}

fn keep(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn json_lines_change_in_their_texts_only() {
    let rows = "\u{feff}{ \"id\" : 1.0e2, \"text\": \"a\\u00e9\\n\", \"more\": [1,  2] }\r\n\n{\"text\":null}\n{\"text\":\"x\",\"z\":{}}";
    let same = through(rows.as_bytes(), RecordFormat::Jsonl, &options(&["text"]), keep).unwrap();
    assert_eq!(String::from_utf8(same).unwrap(), rows);
    let loud = through(rows.as_bytes(), RecordFormat::Jsonl, &options(&["text"]), shout).unwrap();
    let expected = rows.replace("\"a\\u00e9\\n\"", "\"<aé\\n>\"").replace("\"x\"", "\"<x>\"");
    assert_eq!(String::from_utf8(loud).unwrap(), expected);
    let none = through(b"{\"text\":\"x\"}\n", RecordFormat::Jsonl, &options(&[]), |_| None).unwrap();
    assert_eq!(none, b"{\"text\":null}\n");
}

#[test]
fn nested_texts_and_several_columns() {
    let row = r#"{"m":[{"c":"one"},{"c":"two"}],"t":"three","u":"stays"}"#;
    let loud = through(row.as_bytes(), RecordFormat::Jsonl, &options(&["t", "m[].c"]), shout).unwrap();
    assert_eq!(
        String::from_utf8(loud).unwrap(),
        r#"{"m":[{"c":"<one>"},{"c":"<two>"}],"t":"<three>","u":"stays"}"#
    );
}

#[test]
fn separated_values_change_in_their_texts_only() {
    let rows = "\u{feff}id;Text;note\r\n1;\"a;\"\"b\"\"\r\nc\";\"x\"\r\n2; plain ;y\r\n\r\n3;\"q\";";
    let same = through(rows.as_bytes(), RecordFormat::Csv, &options(&[]), keep).unwrap();
    assert_eq!(String::from_utf8(same).unwrap(), rows);
    let loud = through(rows.as_bytes(), RecordFormat::Csv, &options(&["Text"]), shout).unwrap();
    let expected = rows
        .replace("\"a;\"\"b\"\"\r\nc\"", "\"<a;\"\"b\"\"\r\nc>\"")
        .replace(" plain ", "< plain >")
        .replace("\"q\"", "\"<q>\"");
    assert_eq!(String::from_utf8(loud).unwrap(), expected);
    let no_header = RecordOptions { header: false, ..options(&["2"]) };
    let loud = through(b"1\ta b\n2\tc\n", RecordFormat::Tsv, &no_header, shout).unwrap();
    assert_eq!(loud, b"1\t<a b>\n2\t<c>\n");
    let latin = RecordOptions { encoding: Some("windows-1252".into()), ..options(&["text"]) };
    let loud = through(b"text,n\ncaf\xe9,1\n", RecordFormat::Csv, &latin, shout).unwrap();
    assert_eq!(String::from_utf8(loud).unwrap(), "text,n\n<café>,1\n");
}

#[test]
fn plain_texts_and_lines() {
    let text = "one\n\ntwo\r\nthree";
    assert_eq!(through(text.as_bytes(), RecordFormat::Lines, &options(&[]), keep).unwrap(), text.as_bytes());
    let loud = through(text.as_bytes(), RecordFormat::Lines, &options(&[]), shout).unwrap();
    assert_eq!(loud, b"<one>\n<>\n<two>\r\n<three>");
    let whole = through(b"one\ntwo\n", RecordFormat::Text, &options(&[]), shout).unwrap();
    assert_eq!(whole, b"<one\ntwo>\n");
    // A line stays a line, whatever becomes of it.
    let broken = through(b"a\n", RecordFormat::Lines, &options(&[]), |_| Some("x\r\ny\nz".into())).unwrap();
    assert_eq!(broken, b"x y z\n");
}

#[test]
fn added_columns_stand_at_the_end() {
    let added = |rows: &[u64]| {
        let values = rows.iter().map(|row| (*row, format!("r,{row}"))).collect();
        vec![Added { name: "receipt".into(), values }]
    };
    let write = |bytes: &[u8], format| {
        let input = Input::from_bytes(bytes.to_vec());
        let mut reader = RecordReader::open(input, format, Packing::None, &options(&["text"])).unwrap();
        let mut out = reader.prelude(&["receipt".into()]);
        while let Some(records) = reader.next().unwrap() {
            let rows: Vec<u64> = (0..records.texts().len()).map(|index| records.texts().row(index)).collect();
            let texts = records.texts().iter().map(keep).collect();
            match records.write(&Changed { texts, added: added(&rows) }).unwrap() {
                WrittenRows::Bytes(bytes) => out.extend(bytes),
                WrittenRows::Batch(_) => panic!("bytes expected"),
            }
        }
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        write(b"text,n\r\na,1\r\nb,2", RecordFormat::Csv),
        "text,n,receipt\r\na,1,\"r,0\"\r\nb,2,\"r,1\""
    );
    assert_eq!(
        write(b"{\"text\":\"a\" }\n\n{\"text\":null}\n", RecordFormat::Jsonl),
        "{\"text\":\"a\" , \"receipt\": \"r,0\"}\n\n{\"text\":null, \"receipt\": null}\n"
    );
}

#[test]
fn bad_rows_are_named_or_set_aside() {
    let rows = b"{\"text\":\"a\"}\n{\"text\":7}\nnot json\n{\"text\":\"\xff\"}\n{}\n{\"text\":\"b\"}\n";
    let error = through(rows, RecordFormat::Jsonl, &options(&["text"]), keep).unwrap_err();
    assert_eq!((error.row(), error.field(), error.kind()), (Some(2), Some("text"), &ErrorKind::NotText));
    assert!(!error.to_string().contains('7'));
    let reject = RecordOptions { reject: true, ..options(&["text"]) };
    let input = Input::from_bytes(rows.to_vec());
    let mut reader = RecordReader::open(input, RecordFormat::Jsonl, Packing::None, &reject).unwrap();
    let records = reader.next().unwrap().unwrap();
    let texts: Vec<&str> = records.texts().iter().collect();
    assert_eq!((texts, records.texts().row(1)), (vec!["a", "b"], 5));
    let bad: Vec<Option<u64>> = records.rejects().iter().map(|reject| reject.error.row()).collect();
    assert_eq!(bad, [Some(2), Some(3), Some(4), Some(5)]);
    for (bytes, kind) in [
        (&b"text,n\na,1\nb\n"[..], ErrorKind::FieldCount { expected: 2, found: 1 }),
        (b"text,n\n\"a,1\nb,2\n", ErrorKind::OpenQuote),
        (b"text,n\n\xff,1\n", ErrorKind::NotUtf8),
    ] {
        let error = through(bytes, RecordFormat::Csv, &options(&["text"]), keep).unwrap_err();
        assert_eq!(error.kind(), &kind);
        assert!(error.row().is_some(), "{error}");
    }
    let missing = through(b"a,b\n1,2\n", RecordFormat::Csv, &options(&["text"]), keep).unwrap_err();
    assert!(missing.to_string().contains("\"a\", \"b\""), "{missing}");
    let which =
        through(b"{\"a\":\"1\",\"b\":\"2\"}\n", RecordFormat::Jsonl, &options(&[]), keep).unwrap_err();
    assert!(matches!(which.kind(), ErrorKind::NoTexts { .. }), "{which}");
}

/// A Parquet file with two groups, metadata and a dictionary-like column.
pub(crate) fn parquet(rows: i64, group: usize) -> Vec<u8> {
    let metadata = HashMap::from([("made".to_owned(), "by hand".to_owned())]);
    let schema = Arc::new(Schema::new_with_metadata(
        vec![Field::new("id", DataType::Int64, false), Field::new("text", DataType::Utf8, true)],
        metadata,
    ));
    let texts: Vec<Option<String>> =
        (0..rows).map(|row| (row % 5 != 4).then(|| format!("text {row} for Ana"))).collect();
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from_iter_values(0..rows)), Arc::new(StringArray::from(texts))];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .build();
    let mut bytes = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn columns_change_in_their_texts_only() {
    let bytes = parquet(1000, 300);
    let mut reader =
        RecordReader::open(Input::from_bytes(bytes), RecordFormat::Parquet, Packing::None, &options(&[]))
            .unwrap();
    assert_eq!(reader.rows_total(), Some(1000));
    let mut rows = 0;
    while let Some(records) = reader.next().unwrap() {
        let texts = records.texts().iter().map(shout).collect();
        let WrittenRows::Batch(batch) = records.write(&Changed { texts, ..Changed::default() }).unwrap()
        else {
            panic!("a table expected")
        };
        let ids: &Int64Array = batch.column(0).as_any().downcast_ref().unwrap();
        let texts: &StringArray = batch.column(1).as_any().downcast_ref().unwrap();
        for row in 0..batch.num_rows() {
            assert_eq!(ids.value(row), rows);
            match rows % 5 {
                4 => assert!(texts.is_null(row)),
                _ => assert_eq!(texts.value(row), format!("<text {rows} for Ana>")),
            }
            rows += 1;
        }
    }
    assert_eq!(rows, 1000);
}

#[test]
fn what_is_skipped_counts_for_the_fingerprint() {
    let rows: String = (0..2000).map(|row| format!("{{\"text\":\"{row}\"}}\n")).collect();
    let open = |rows: &str| {
        let input = Input::from_bytes(rows.as_bytes().to_vec());
        RecordReader::open(input, RecordFormat::Jsonl, Packing::None, &options(&[])).unwrap()
    };
    let mut first = open(&rows);
    let records = first.next().unwrap().unwrap();
    let (done, print) = (records.rows(), records.fingerprint().to_owned());
    let mut second = open(&rows);
    second.skip(done, done).unwrap();
    assert_eq!(second.fingerprint().unwrap(), print);
    let next = second.next().unwrap().unwrap();
    assert_eq!((next.first_row(), next.first_text(), next.texts().text(0)), (done, done, &*done.to_string()));
    // Rows that were not reached may change, those that were may not.
    let mut later = open(&rows.replace("1999", "changed"));
    later.skip(done, done).unwrap();
    assert_eq!(later.fingerprint().unwrap(), print);
    let mut earlier = open(&rows.replacen("\"0\"", "\"x\"", 1));
    earlier.skip(done, done).unwrap();
    assert_ne!(earlier.fingerprint().unwrap(), print);
    assert!(open("{}\n").skip(5, 5).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), reject: bool, which in 0..7usize) {
        let options = RecordOptions { reject, batch_rows: 3, ..RecordOptions::default() };
        let format = RecordFormat::ALL[which];
        if let Ok(mut reader) = RecordReader::open(Input::from_bytes(bytes), format, Packing::None, &options) {
            while let Ok(Some(records)) = reader.next() {
                let texts = records.texts().iter().map(keep).collect();
                let _ = records.write(&Changed { texts, ..Changed::default() });
            }
        }
    }

    #[test]
    fn separated_values_come_back_byte_for_byte(rows in prop::collection::vec("[a,\"\n\r; é]{0,12}", 0..20)) {
        let mut bytes = b"text\n".to_vec();
        for row in &rows { bytes.extend(row.as_bytes()); bytes.push(b'\n'); }
        let reject = RecordOptions { reject: true, ..options(&["text"]) };
        let input = Input::from_bytes(bytes.clone());
        let mut reader = RecordReader::open(input, RecordFormat::Csv, Packing::None, &reject).unwrap();
        let mut out = reader.prelude(&[]);
        let mut rejected = 0;
        while let Some(records) = reader.next().unwrap() {
            let texts = records.texts().iter().map(keep).collect();
            rejected += records.rejects().iter().map(|reject| reject.raw.len()).sum::<usize>();
            let WrittenRows::Bytes(bytes) = records.write(&Changed { texts, ..Changed::default() }).unwrap() else { panic!() };
            out.extend(bytes);
        }
        // Nothing is lost: what is not written was set aside.
        prop_assert_eq!(out.len() + rejected, bytes.len());
    }
}
