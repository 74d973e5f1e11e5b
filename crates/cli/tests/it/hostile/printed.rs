//! Standard output that cannot be written: no command panics, and none loses its output and reports success.
#![cfg(target_os = "linux")]

use std::fs::OpenOptions;
use std::process::{Command, Stdio};

use super::{FAST, MASK, Run, bash, run};
use crate::folder::Folder;

/// A folder with a receipt, a ledger, a map, a mask and a settings file.
fn filled() -> Folder {
    let folder = Folder::new();
    folder.write("in.txt", "Write to ana@example.org today.\n");
    folder.write("in.csv", "id,text\n1,hello there\n2,good bye\n");
    run(&folder, &format!("text --file in.txt -o out.txt {FAST} --ledger l.db")).good();
    run(&folder, &format!("text --file in.txt -o two.txt {MASK} --map m.map --map-key m.key")).good();
    run(&folder, "ledger limit --ledger l.db --subject ana --epsilon 100");
    let example = run(&folder, "config example").good().stdout;
    folder.write("inkveil.toml", example);
    folder.write("v.jsonl", "{\"vector\": [0.1, 0.2, 0.3]}\n");
    folder
}

/// Command lines that print something, at least one for each command.
fn lines() -> Vec<String> {
    [
        format!("text {FAST} hello"),
        format!("text {FAST} --json hello"),
        format!("text {FAST} --dry-run hello"),
        format!("text {FAST} --file in.csv --column text"),
        "detect --tier rules ana@example.org".to_owned(),
        "detect --tier rules --format jsonl ana@example.org".to_owned(),
        "detect --tier rules --mask ana@example.org".to_owned(),
        "detect --tier rules --mask --file in.csv --column text".to_owned(),
        "detect --list".to_owned(),
        "restore two.txt --map m.map --map-key m.key".to_owned(),
        "noise v.jsonl --mechanism laplace-l2 --epsilon 3".to_owned(),
        "style risk in.txt".to_owned(),
        "eval list".to_owned(),
        "receipt show out.txt.receipt.json".to_owned(),
        "receipt verify out.txt.receipt.json".to_owned(),
        "ledger show --ledger l.db".to_owned(),
        "ledger show --json --ledger l.db".to_owned(),
        "ledger show --releases --ledger l.db".to_owned(),
        "ledger export --ledger l.db".to_owned(),
        "ledger verify --ledger l.db".to_owned(),
        "words near house".to_owned(),
        "config example".to_owned(),
        "config check inkveil.toml".to_owned(),
        "models".to_owned(),
        "models --json".to_owned(),
        "models path en".to_owned(),
        "models verify en".to_owned(),
        "completions bash".to_owned(),
        "man".to_owned(),
        "--help".to_owned(),
        "--version".to_owned(),
        "text --help".to_owned(),
    ]
    .into()
}

fn run_into(folder: &Folder, line: &str, stdout: impl Into<Stdio>) -> Run {
    let program = folder.command().get_program().to_owned();
    let output = Command::new(program)
        .args(line.split_whitespace())
        .current_dir(folder.path(""))
        .stdin(Stdio::null())
        .stdout(stdout)
        .output()
        .unwrap();
    Run::of(&output)
}

#[test]
fn a_full_disk_is_an_error() {
    let folder = filled();
    for line in lines() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        run_into(&folder, &line, full).refused(&["error:"]);
    }
}

#[test]
fn a_closed_pipe_ends_a_command_quietly() {
    let folder = filled();
    for line in lines() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = run_into(&folder, &line, writer).refused(&[]);
        assert_eq!(run.code, 141, "{line}: {}", run.stderr);
        assert!(!run.stderr.contains("error:"), "{line}: {}", run.stderr);
    }
}

#[test]
fn a_closed_standard_output_is_an_error_in_every_command() {
    let folder = filled();
    for line in lines() {
        bash(&folder, &format!("$INKVEIL {line} >&-")).refused(&["standard output is closed"]);
    }
}

/// Messages that cannot be written are lost, and nothing else is.
#[test]
fn standard_error_that_cannot_be_written_changes_nothing() {
    let folder = filled();
    for line in lines() {
        let usual = bash(&folder, &format!("$INKVEIL {line}"));
        for closed in ["2>/dev/full", "2>&-"] {
            let run = bash(&folder, &format!("$INKVEIL {line} {closed}"));
            assert_eq!(run.code, usual.code, "{line} {closed}");
        }
    }
}
