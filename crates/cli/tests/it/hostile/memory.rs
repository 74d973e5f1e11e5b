//! Memory that does not follow the length of a row.
#![cfg(target_os = "linux")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{MASK, Run, bash, run};
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

/// The peak of the memory of a run, in MiB, and what it printed.
fn peak_of(folder: &Folder, line: &str) -> (u64, Run) {
    let program = folder.command().get_program().to_owned();
    // wait4 reports the peak of the child, and python3 shows it.
    let script = "import resource, subprocess, sys\n\
         code = subprocess.run(sys.argv[1:]).returncode\n\
         print('peak', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)\n\
         sys.exit(code)";
    let output = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(program)
        .args(line.split_whitespace())
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let run = Run::of(&output);
    let peak = run.stderr.lines().find_map(|line| line.strip_prefix("peak "));
    (peak.and_then(|peak| peak.parse().ok()).unwrap(), run)
}

/// A small file that holds one row of 24 MB is veiled in parts. What the memory follows is the length of the row and not,
/// many times over, the number of its words.
#[test]
fn a_huge_row_is_veiled_in_parts() {
    let folder = Folder::new();
    let (sentence, times) = ("write to ana@example.org and go on with all of this. ", 460_000);
    gzip_of(&folder, "in.jsonl.gz", "{\"text\": \"one\"}\n{\"text\": \"", sentence, times, "\", \"n\": 1}\n");
    assert!(folder.read("in.jsonl.gz").len() < 400_000);
    for (line, name) in [
        (format!("text --file in.jsonl.gz --column text -o out.jsonl {MASK}"), "out.jsonl"),
        ("detect --mask --tier rules --file in.jsonl.gz --column text -o two.jsonl".to_owned(), "two.jsonl"),
    ] {
        let (peak, run) = peak_of(&folder, &line);
        let run = run.good();
        assert!(run.stderr.contains("in parts"), "{}", run.stderr);
        // Six copies of the row, and 300 MiB for a part of it.
        assert!(peak < 300 + 6 * 24, "{line}: {peak} MiB");
        let out = String::from_utf8(folder.read(name)).unwrap();
        let rows: Vec<&str> = out.lines().collect();
        assert!(rows.len() == 2 && rows[1].ends_with("and go on with all of this. \", \"n\": 1}"), "{name}");
        assert!(!out.contains('@') && rows[1].matches("go on with").count() == times, "{name}");
    }
    let receipt = String::from_utf8(folder.read("out.jsonl.receipt.json")).unwrap();
    assert!(receipt.contains("in parts"), "{receipt}");
}

/// Each format writes a text that came in parts as one value again.
#[test]
fn a_long_text_is_one_value_again_in_every_format() {
    let folder = Folder::new();
    let text = "write to ana@example.org, \"now\", and go on; with all of this.\\n".repeat(80_000);
    folder.write("in.jsonl", format!("{{\"id\": 1, \"text\": \"{}\"}}\n", text.replace('"', "\\\"")));
    let line = |from: &str, to: &str| format!("text --file {from} --column text -o {to} {MASK}");
    for format in ["csv", "tsv", "parquet", "arrow", "jsonl.gz"] {
        run(&folder, &format!("{} --to {format}", line("in.jsonl", &format!("a.{format}")))).good();
        run(&folder, &format!("{} --to jsonl", line(&format!("a.{format}"), &format!("b-{format}.jsonl"))))
            .good();
        let out = String::from_utf8(folder.read(&format!("b-{format}.jsonl"))).unwrap();
        assert_eq!((out.lines().count(), out.matches("go on; with").count()), (1, 80_000), "{format}");
        assert!(!out.contains('@') && out.contains("\\\"now\\\""), "{format}");
    }
}

/// A word that is longer than a part cannot be cut without a risk, so the row is refused, and the message names it.
#[test]
fn a_huge_word_is_refused() {
    let folder = Folder::new();
    gzip_of(&folder, "in.jsonl.gz", "{\"text\": \"one\"}\n{\"text\": \"", "go-on-", 10_000_000, "\"}\n");
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
