//! `inkveil receipt`.

use insta::assert_snapshot;

use crate::folder::{Folder, ROWS};

fn released() -> Folder {
    let folder = Folder::new();
    folder.write("rows.jsonl", ROWS);
    let run = folder.run("noise rows.jsonl -o out.jsonl -m polar -e 100 --insecure-seed 1 --quiet");
    assert!(run.contains("exit 0"), "{run}");
    folder
}

#[test]
fn show_and_verify() {
    let folder = released();
    insta::with_settings!({filters => vec![(r"by inkveil \d+\.\d+\.\d+", "by inkveil [version]")]}, {
        assert_snapshot!("receipt-show", folder.run("receipt show out.jsonl.receipt.json"));
    });
    assert_snapshot!(
        "receipt-verify",
        folder.run("receipt verify out.jsonl.receipt.json --release out.jsonl")
    );
}

#[test]
fn tampering_and_wrong_files_are_found() {
    let folder = released();
    let receipt = String::from_utf8(folder.read("out.jsonl.receipt.json")).unwrap();
    folder
        .write("changed.json", receipt.replace("\"count\": 4", "\"count\": 2"))
        .write("newer.json", receipt.replace("\"version\": 1", "\"version\": 99"))
        .write("private.json", "my secret diary 987.654")
        .write("binary.json", [0xff, 0xfe, 0x00]);
    let runs: Vec<String> = [
        "receipt verify changed.json",
        "receipt verify out.jsonl.receipt.json --release rows.jsonl",
        "receipt verify newer.json",
        "receipt verify private.json",
        "receipt show binary.json",
        "receipt show absent.json",
    ]
    .iter()
    .map(|line| folder.run(line))
    .collect();
    assert!(
        runs.iter().all(|run| run.contains("\nexit 1\n") && !run.contains("diary") && !run.contains("987"))
    );
    assert_snapshot!("receipt-refused", runs.join("\n"));
}
