//! Malformed files, made by code: each ends with a clear error and without an output.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;

use super::{MASK, run};
use crate::folder::Folder;

fn parquet() -> Vec<u8> {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["hello there"; 200]));
    let batch = RecordBatch::try_from_iter([("text", texts)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The bytes of a valid file of each format that a conversion of the binary itself writes.
fn converted(to: &str) -> Vec<u8> {
    let folder = Folder::new();
    let rows: String = (0..50).map(|row| format!("{{\"text\": \"row {row} says hello there\"}}\n")).collect();
    folder.write("in.jsonl", rows);
    run(&folder, &format!("text --file in.jsonl --column text --to {to} -o out.{to} {MASK}")).good();
    folder.read(&format!("out.{to}"))
}

fn cut(bytes: &[u8], share: f64) -> Vec<u8> {
    bytes[..(bytes.len() as f64 * share) as usize].to_vec()
}

fn files() -> Vec<(String, Vec<u8>)> {
    let rows = b"{\"text\": \"hello there\"}\n".repeat(50);
    let mut files: Vec<(String, Vec<u8>)> = vec![
        ("bytes.jsonl".into(), b"{\"text\": \"\xff\xfe\xfd\"}\n".to_vec()),
        ("half.csv".into(), b"id,text\n1,caf\xc3\n".to_vec()),
        ("surrogate.txt".into(), b"caf\xed\xa0\x80".to_vec()),
        ("overlong.txt".into(), b"\xc0\xaf".to_vec()),
        ("nul.jsonl".into(), b"\0\0\0\0\n".to_vec()),
        ("nul-in.jsonl".into(), b"{\"text\": \"a\0b\"}\n".to_vec()),
        ("utf16.jsonl".into(), b"\xff\xfe{\0\"\0\n".to_vec()),
        ("two-marks.jsonl".into(), b"\xef\xbb\xbf\xef\xbb\xbf{\"text\": \"a\"}\n".to_vec()),
        ("cr.csv".into(), b"id,text\r1,a\r2,b\r".to_vec()),
        ("open.csv".into(), b"id,text\n1,\"a\n2,b\n".to_vec()),
        ("short.csv".into(), b"id,text\n1,a\n2\n".to_vec()),
        ("wide.csv".into(), b"id,text\n1,a,b\n".to_vec()),
        ("empty.parquet".into(), Vec::new()),
        ("empty.arrow".into(), Vec::new()),
        ("magic.parquet".into(), b"PAR1PAR1".to_vec()),
        (
            "deep.jsonl".into(),
            format!("{{\"text\": {}1{}}}\n", "[".repeat(300), "]".repeat(300)).into_bytes(),
        ),
        ("array.jsonl".into(), b"[1, 2]\n".to_vec()),
        ("null.jsonl".into(), b"null\n".to_vec()),
        ("number.jsonl".into(), b"{\"text\": 7}\n".to_vec()),
        ("trailing.jsonl".into(), b"{\"text\": \"a\"} {\"text\": \"b\"}\n".to_vec()),
        // A line of 70 MB in a file of 70 kB.
        ("line.jsonl.gz".into(), gzip(&vec![b'x'; 70 << 20])),
        ("plain.jsonl.gz".into(), rows.clone()),
        ("plain.jsonl.zst".into(), rows.clone()),
    ];
    // A gigabyte declared by a length in the footer.
    let mut length = parquet();
    let end = length.len();
    length[end - 8..end - 4].copy_from_slice(&0x4000_0000_u32.to_le_bytes());
    files.push(("length.parquet".into(), length));
    let arrow = converted("arrow");
    let mut huge = arrow.clone();
    huge[12..16].copy_from_slice(&0x4000_0000_u32.to_le_bytes());
    files.push(("length.arrow".into(), huge));
    for (format, bytes) in [
        ("parquet", parquet()),
        ("arrow", arrow),
        ("jsonl.gz", gzip(&rows)),
        ("jsonl.zst", converted("jsonl.zst")),
    ] {
        for (index, share) in [0.1, 0.5, 0.9, 0.99].into_iter().enumerate() {
            files.push((format!("cut{index}.{format}"), cut(&bytes, share)));
        }
    }
    files
}

#[test]
fn malformed_files_are_refused_and_nothing_is_written() {
    let folder = Folder::new();
    for (name, bytes) in files() {
        File::create(folder.path(&name)).unwrap().write_all(&bytes).unwrap();
        let column = if name.ends_with("txt") { "" } else { "--column text" };
        let before = folder.names();
        for line in [
            format!("text --file {name} {column} -o out {MASK}"),
            format!("detect --mask --tier rules --file {name} {column} -o out"),
        ] {
            let ended = run(&folder, &line);
            assert!(ended.code == 1 || ended.code == 2, "{line}: exit {}\n{}", ended.code, ended.stderr);
            let message = ended.stderr.lines().find(|line| line.starts_with("error:"));
            assert!(message.is_some_and(|message| message.len() < 400), "{line}: {}", ended.stderr);
            assert!(!ended.stderr.contains("panicked"), "{line}: {}", ended.stderr);
            // The rows before a bad one are kept, so that the job can be resumed. They are no output.
            let _ = std::fs::remove_dir_all(folder.path("out.inkveil-job"));
            assert_eq!(folder.names(), before, "{line}: {}", ended.stderr);
        }
        std::fs::remove_file(folder.path(&name)).unwrap();
    }
}

/// Odd, but valid: nothing is lost.
#[test]
fn odd_texts_come_through() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("nul.txt", b"a\0b\n".to_vec()),
        ("mark.csv", "\u{feff}id,text\n1,hello\n".as_bytes().to_vec()),
        ("crlf.csv", b"id,text\r\n1,\"a\rb\"\r\n".to_vec()),
        ("empty.csv", b"id,text\n".to_vec()),
        ("controls.txt", (1..32u8).collect()),
    ] {
        folder.write(name, &bytes);
        let column = if name.ends_with("txt") { "" } else { "--column text" };
        run(&folder, &format!("text --file {name} {column} -o out.{name} --budgets inf,inf,inf,inf")).good();
        assert_eq!(folder.read(&format!("out.{name}")), bytes, "{name}");
    }
}
