//! Columns: which hold the texts, and what is copied.

use std::fs::File;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{MASK, run, run_with};
use crate::folder::Folder;

const TWICE: &str = "text,text\nmail a@example.org,mail b@example.org\n";

fn parquet(folder: &Folder, name: &str, columns: &[(&str, ArrayRef)]) {
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let columns = columns.iter().map(|(_, column)| Arc::clone(column)).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(folder.path(name)).unwrap(), schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn strings(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn two_columns_of_one_name_are_refused_by_every_command() {
    let folder = Folder::new();
    folder
        .write("in.csv", TWICE)
        .write("in.jsonl", "{\"text\": \"a@example.org\", \"text\": \"b@example.org\"}\n");
    parquet(
        &folder,
        "in.parquet",
        &[("text", strings(&["a@example.org"])), ("text", strings(&["b@example.org"]))],
    );
    for input in ["in.csv", "in.jsonl", "in.parquet"] {
        for column in ["--column text", ""] {
            for command in [
                format!("text --file {input} {column} -o out.{input} {MASK}"),
                format!(
                    "detect --mask --tier rules --file {input} --from {} {column} -o out.{input}",
                    &input[3..]
                ),
                format!("vector embed {input} {column} -o out.jsonl"),
            ] {
                run(&folder, &command).refused(&["occurs more than once"]);
            }
        }
    }
    run_with(&folder, &format!("text --from csv --column text {MASK}"), TWICE).refused(&["more than once"]);
    assert_eq!(folder.names(), ["in.csv", "in.jsonl", "in.parquet"]);
}

#[test]
fn a_chosen_column_is_said_and_the_receipt_lists_the_copied_ones() {
    let folder = Folder::new();
    folder.write("in.csv", "id,text,label\n1,write to a@example.org,good\n2,nothing,bad\n");
    let said = run(&folder, &format!("text --file in.csv -o out.csv {MASK}")).good().stderr;
    assert!(said.contains("\"text\"") && said.contains("copied unchanged: \"id\", \"label\""), "{said}");
    let receipt = String::from_utf8(folder.read("out.csv.receipt.json")).unwrap();
    assert!(
        receipt.contains("texts were read from the column \\\"text\\\", chosen by the name"),
        "{receipt}"
    );
    assert!(
        receipt.contains("the columns \\\"id\\\", \\\"label\\\": they are copied unchanged"),
        "{receipt}"
    );
    run(&folder, "receipt verify out.csv.receipt.json --release out.csv").good();
    let piped =
        run_with(&folder, &format!("text --from csv {MASK} --receipt r.json"), folder.read("in.csv")).good();
    assert!(piped.stderr.contains("copied unchanged") && !piped.stdout.contains("a@example.org"));
    assert!(String::from_utf8(folder.read("r.json")).unwrap().contains("copied unchanged"));
    // A column that the user names needs no word, but the receipt has it.
    let named = run(&folder, &format!("text --file in.csv --column text -o two.csv {MASK}")).good();
    assert!(!named.stderr.contains("note:"), "{}", named.stderr);
    assert!(String::from_utf8(folder.read("two.csv.receipt.json")).unwrap().contains("copied unchanged"));
}

#[test]
fn without_a_named_column_nothing_is_copied_that_may_be_a_text_or_sensitive() {
    let folder = Folder::new();
    folder
        .write("two.csv", "text,comment\nhello there,I am at home\n")
        .write("sentence.csv", "id,text,summary\n1,hello,my left knee hurts since Monday\n")
        .write("finding.csv", "id,text,contact\n1,hello,a@example.org\n")
        .write("nested.jsonl", "{\"text\": \"hello\", \"who\": {\"mails\": [\"a@example.org\"]}}\n");
    parquet(
        &folder,
        "finding.parquet",
        &[("text", strings(&["hello"])), ("contact", strings(&["a@example.org"]))],
    );
    for input in ["two.csv", "sentence.csv", "finding.csv", "nested.jsonl", "finding.parquet"] {
        let before = folder.names();
        for command in ["text --preset placeholders", "detect --mask"] {
            let from = input.split('.').next_back().unwrap();
            let line = format!("{command} --tier rules --file {input} --from {from} -o out.{input}");
            let refused = run(&folder, &line).refused(&["--column", "--copy"]);
            assert!(!refused.stderr.contains("a@example.org"), "{}", refused.stderr);
            assert_eq!(folder.names(), before);
        }
    }
    let piped = run_with(&folder, &format!("text --from csv {MASK}"), folder.read("finding.csv"))
        .refused(&["--copy"]);
    assert!(piped.stdout.is_empty(), "{}", piped.stdout);
    run(&folder, &format!("text --file finding.csv --copy contact -o a.csv {MASK}")).good();
    run(&folder, &format!("text --file finding.csv --column text -o b.csv {MASK}")).good();
    run(&folder, &format!("text --file finding.csv --copy contract -o c.csv {MASK}")).refused(&["contract"]);
    assert!(String::from_utf8(folder.read("a.csv")).unwrap().contains("a@example.org"));
}

#[test]
fn all_columns_means_every_string() {
    let folder = Folder::new();
    folder
        .write("in.csv", "id,a,b\n1,x@example.org,y@example.org\n")
        .write("in.jsonl", "{\"n\": 7, \"a\": \"x@example.org\", \"b\": [{\"c\": \"y@example.org\"}], \"k\": \"z@example.org\"}\n");
    parquet(
        &folder,
        "in.parquet",
        &[
            ("a", strings(&["x@example.org"])),
            ("n", Arc::new(Int64Array::from(vec![7]))),
            ("b", strings(&["y@example.org"])),
        ],
    );
    run(&folder, &format!("text --file in.csv --column all -o out.csv {MASK}")).good();
    run(&folder, &format!("text --file in.jsonl --column all --copy k -o out.jsonl {MASK}")).good();
    run(&folder, &format!("text --file in.parquet --column all -o out.parquet {MASK}")).good();
    let csv = String::from_utf8(folder.read("out.csv")).unwrap();
    assert!(!csv.contains('@') && csv.starts_with("id,a,b\n1,"), "{csv}");
    let json = String::from_utf8(folder.read("out.jsonl")).unwrap();
    assert!(
        !json.contains("x@") && !json.contains("y@") && json.contains("z@") && json.contains("\"n\": 7"),
        "{json}"
    );
    let file = File::open(folder.path("out.parquet")).unwrap();
    let batch =
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().next().unwrap().unwrap();
    assert!(!format!("{batch:?}").contains('@'), "{batch:?}");
    assert_eq!(batch.schema().field(1).data_type(), &DataType::Int64);
}

/// A search that leaves out columns would call a file clean that is not.
#[test]
fn a_search_without_a_named_column_reads_every_string() {
    let folder = Folder::new();
    parquet(
        &folder,
        "in.parquet",
        &[("text", strings(&["hello"])), ("contact", strings(&["a@example.org"]))],
    );
    let found = run(&folder, "detect --check --tier rules --file in.parquet");
    assert_eq!(found.code, 1, "{}", found.stderr);
}
