//! Files that can hold input are for their owner alone.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;

use super::{FAST, MASK, bash, run};
use crate::folder::Folder;

fn mode(folder: &Folder, name: &str) -> u32 {
    std::fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777
}

#[test]
fn everything_that_can_hold_input_is_private() {
    let folder = Folder::new();
    folder
        .write("in.csv", "id,text\n1,hello\n2\n")
        .write("letter.txt", "Write to a@example.org, please.\n")
        .write("map.key", "");
    std::fs::remove_file(folder.path("map.key")).unwrap();
    // Files that others may read already, and that are replaced.
    for name in ["why.html", "found.html", "back.txt"] {
        folder.write(name, "old");
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    run(&folder, &format!("text --file in.csv --on-error reject -o out.csv {MASK}")).good();
    run(
        &folder,
        &format!("text --file letter.txt --explain-html why.html -f {MASK} -o out.txt --map m.map --map-key map.key"),
    )
    .good();
    run(&folder, "restore out.txt --map m.map --map-key map.key -o back.txt -f").good();
    run(&folder, "detect --tier rules --file letter.txt --format html -o found.html -f").good();
    for format in ["text", "jsonl", "csv", "places"] {
        run(&folder, &format!("detect --tier rules --file letter.txt --format {format} -o found.{format}"))
            .good();
    }
    for name in [
        "out.csv.rejects.jsonl",
        "why.html",
        "found.html",
        "found.text",
        "found.jsonl",
        "found.csv",
        "found.places",
        "back.txt",
        "m.map",
        "map.key",
    ] {
        assert_eq!(mode(&folder, name), 0o600, "{name}");
    }
    // A release is an ordinary file.
    assert_ne!(mode(&folder, "out.csv"), 0o600);
}

/// The folder of an interrupted job, and everything in it.
#[test]
fn a_job_folder_is_private() {
    let folder = Folder::new();
    let rows: String =
        (0..200).map(|row| format!("{{\"text\": \"row {row} for a@example.org\"}}\nbroken\n")).collect();
    folder.write("in.jsonl", rows);
    let script = format!(
        "umask 022; $INKVEIL text --file in.jsonl --on-error reject -o out.jsonl {FAST} --ledger l.db; \
         $INKVEIL ledger limit --ledger l.db --every-dataset --epsilon 0; \
         $INKVEIL text --file in.jsonl --on-error reject -o two.jsonl {FAST} --ledger l.db; \
         find two.jsonl.inkveil-job l.db* -printf '%m %y %p\\n'"
    );
    let found = bash(&folder, &script).good().stdout;
    assert!(found.contains("job.json") && found.contains("rejects") && found.contains("l.db"), "{found}");
    // The folder itself closes everything in it; its files are closed as well.
    for line in found.lines().filter(|line| line.contains(" f ")) {
        assert!(line.starts_with("600 "), "{line}");
    }
    assert!(found.contains("700 d two.jsonl.inkveil-job\n"), "{found}");
}
