//! Memory that does not follow the length of a row.
#![cfg(target_os = "linux")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{MASK, Run, bash};
use crate::folder::Folder;

/// Runs the binary with at most this much memory, in MiB.
fn with_memory(folder: &Folder, mib: u64, line: &str) -> Run {
    bash(folder, &format!("ulimit -v {}; exec $INKVEIL {line}", mib << 10))
}

fn gzip_of(folder: &Folder, name: &str, head: &str, repeated: &str, times: usize, tail: &str) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(head.as_bytes()).unwrap();
    let many = repeated.repeat(1000);
    (0..times.div_ceil(1000)).for_each(|_| encoder.write_all(many.as_bytes()).unwrap());
    encoder.write_all(tail.as_bytes()).unwrap();
    folder.write(name, encoder.finish().unwrap());
}

/// A small file that holds one row of 60 MB is refused in a few MB of memory, and the message names the row.
#[test]
fn a_small_file_with_a_huge_row_is_refused() {
    let folder = Folder::new();
    gzip_of(&folder, "in.jsonl.gz", "{\"text\": \"one\"}\n{\"text\": \"", "go on ", 10_000_000, "\"}\n");
    assert!(folder.read("in.jsonl.gz").len() < 400_000);
    for line in [
        format!("text --file in.jsonl.gz --column text -o out.jsonl.gz {MASK}"),
        "detect --mask --tier rules --file in.jsonl.gz --column text -o two.jsonl.gz".to_owned(),
    ] {
        let run = with_memory(&folder, 2000, &line).refused(&["row 2", "longer than 4194304 bytes"]);
        assert!(!run.stderr.contains("memory allocation"), "{}", run.stderr);
    }
    // The row can be left out.
    let line = format!("text --file in.jsonl.gz --column text --on-error reject -o out.jsonl {MASK}");
    let run = with_memory(&folder, 2000, &line).good();
    assert!(run.stderr.contains("1 rows could not be read"), "{}", run.stderr);
}

/// Plain text of any size is veiled in parts, and every byte of it arrives.
#[test]
fn plain_text_over_64_mib_is_veiled_in_parts() {
    let folder = Folder::new();
    let (line, times) = ("write to a@example.org and go on with this\n", 1_600_000);
    let mut file = std::fs::File::create(folder.path("in.txt")).unwrap();
    let many = line.repeat(1000);
    (0..times / 1000).for_each(|_| file.write_all(many.as_bytes()).unwrap());
    assert!(folder.path("in.txt").metadata().unwrap().len() > 64 << 20);
    let run = with_memory(&folder, 2500, &format!("text --file in.txt -o out.txt {MASK}")).good();
    assert!(run.stderr.contains("in parts"), "{}", run.stderr);
    let out = String::from_utf8(folder.read("out.txt")).unwrap();
    assert_eq!(out.lines().count(), times);
    assert!(!out.contains('@') && out.ends_with("and go on with this\n"));
    let receipt = String::from_utf8(folder.read("out.txt.receipt.json")).unwrap();
    assert!(receipt.contains("in parts"), "{receipt}");
}
