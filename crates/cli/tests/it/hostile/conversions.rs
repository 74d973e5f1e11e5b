//! Conversions change no value.

use std::fs::File;

use arrow_array::cast::AsArray as _;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{MASK, run};
use crate::folder::Folder;

/// Two characters of every plane but the surrogates, as JSON escapes.
fn all_planes() -> (String, String) {
    let mut characters = String::new();
    for plane in 0..=16u32 {
        characters.extend(
            [0x21, 0xb7, 0xbb7, 0xfffd].into_iter().filter_map(|low| char::from_u32((plane << 16) + low)),
        );
    }
    characters.push('𠮷');
    let escaped: String = characters.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    (characters, escaped)
}

#[test]
fn escaped_characters_of_all_planes_survive_every_conversion() {
    let folder = Folder::new();
    let (characters, escaped) = all_planes();
    folder
        .write("in.jsonl", format!("{{\"id\": \"x{escaped}y\", \"text\": \"hello \\\\ud842 {escaped}\"}}\n"));
    for to in ["csv", "tsv", "parquet", "arrow", "jsonl.gz"] {
        run(&folder, &format!("text --file in.jsonl --column text --to {to} -o out.{to} {MASK}")).good();
    }
    let id = format!("x{characters}y");
    for name in ["out.csv", "out.tsv"] {
        let table = String::from_utf8(folder.read(name)).unwrap();
        let (written, quoted) = (id.as_str(), id.replace('"', "\"\""));
        assert!(table.contains(written) || table.contains(&quoted), "{name}");
        assert!(table.contains("\\ud842"), "an escaped backslash is no escape: {table}");
    }
    let file = File::open(folder.path("out.parquet")).unwrap();
    let batch =
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().next().unwrap().unwrap();
    let column = batch.column_by_name("id").unwrap();
    assert_eq!(column.as_string::<i32>().value(0), id);
}

#[test]
fn half_a_character_is_refused_in_a_conversion() {
    let folder = Folder::new();
    folder.write("in.jsonl", "{\"id\": \"\\ud842\", \"text\": \"hello\"}\n");
    run(&folder, &format!("text --file in.jsonl --column text --to csv -o out.csv {MASK}"))
        .refused(&["not valid jsonl"]);
    assert!(!folder.path("out.csv").exists());
}
