//! Pipes in place of files: they are opened once, and lose nothing.
#![cfg(unix)]

use super::{MASK, bash};
use crate::folder::Folder;

const TABLE: &str = "id,text\n1,write to a@example.org\n2,nothing\n";

#[test]
fn a_pipe_given_as_a_file_loses_nothing() {
    let folder = Folder::new();
    folder.write("in.csv", TABLE).write("in.txt", "Write to a@example.org.\nGood bye.\n");
    let run = |script: &str| {
        let program = format!("run() {{ timeout 100 $INKVEIL \"$@\" {MASK}; }}; set -o pipefail; {script}");
        bash(&folder, &program)
    };
    let direct = run("run text --file in.csv --from csv --column text").good().stdout;
    assert!(direct.starts_with("id,text\n1,write to [") && direct.contains("2,nothing"), "{direct}");
    let text = run("run text --file in.txt").good().stdout;
    assert!(text.starts_with("Write to [") && text.ends_with("Good bye.\n"), "{text}");
    for (script, expected) in [
        ("run text --from csv --column text --file <(cat in.csv)", &direct),
        ("run text --from csv --column text --file /dev/stdin < in.csv", &direct),
        ("cat in.csv | run text --from csv --column text --file /dev/stdin", &direct),
        ("mkfifo a.csv; (cat in.csv > a.csv) & run text --column text --file a.csv", &direct),
        ("run text --file <(cat in.txt)", &text),
        ("mkfifo b; (cat in.txt > b) & run text --file b", &text),
        ("mkfifo c; (cat in.txt > c) & run text --file c -o out.txt && cat out.txt", &text),
    ] {
        let piped = run(script).good();
        assert_eq!(&piped.stdout, expected, "{script}: {}", piped.stderr);
    }
    run("mkfifo d.csv; (cat in.csv > d.csv) & run text --column text --file d.csv -o out.csv; code=$?; cat d.csv >/dev/null; exit $code")
        .refused(&["standard output"]);
    let found = bash(
        &folder,
        "timeout 100 $INKVEIL detect --tier rules --mask --from csv --column text --file <(cat in.csv)",
    );
    assert_eq!(found.good().stdout.lines().count(), 3);
    let found = bash(
        &folder,
        "mkfifo e; (cat in.txt > e) & timeout 100 $INKVEIL detect --tier rules --mask --file e",
    );
    assert!(found.good().stdout.ends_with("Good bye.\n"));
}
