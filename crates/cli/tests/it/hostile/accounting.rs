//! Limits that a release could pass unseen, and ledgers with missing rows.

use super::{FAST, run, run_with};
use crate::folder::Folder;

#[test]
fn a_release_without_a_subject_does_not_pass_a_limit_on_every_subject() {
    let folder = Folder::new();
    folder.write("in.csv", "who,text\nana,hello there\n,good morning\n");
    run(&folder, "ledger limit --ledger l.db --every-subject --epsilon 1000000").good();
    let text = format!("--ledger l.db {FAST}");
    run_with(&folder, &format!("text {text}"), "hello there").refused(&["--subject"]);
    run(&folder, &format!("text --file in.csv --column text -o out.csv {text}")).refused(&["--subject"]);
    // The second row names no one.
    run(&folder, &format!("text --file in.csv --column text --subject-column who -o out.csv -f {text}"))
        .refused(&["--subject"]);
    run_with(&folder, "detect --mask --tier rules --ledger l.db", "hello").refused(&["--subject"]);
    assert!(!folder.path("out.csv").exists());
    run_with(&folder, &format!("text --subject ana {text}"), "hello there").good();
}

/// Changes a ledger as a program other than inkveil would.
fn change(folder: &Folder, statement: &str) -> bool {
    let script = format!(
        "command -v python3 >/dev/null || exit 99; \
         python3 -c \"import sqlite3; c = sqlite3.connect('l.db'); c.execute('{statement}'); c.commit()\""
    );
    match super::bash(folder, &script).code {
        0 => true,
        code => {
            eprintln!("exit {code}: there is no Python here to change a ledger with");
            false
        }
    }
}

#[test]
fn removed_limits_and_totals_are_noticed_by_verify_and_by_the_next_release() {
    for statement in ["DELETE FROM limits", "DELETE FROM totals", "DELETE FROM confirmations"] {
        let folder = Folder::new();
        run(&folder, "ledger limit --ledger l.db --dataset d --epsilon 1000000").good();
        let line = format!("text --ledger l.db --dataset d {FAST}");
        run_with(&folder, &line, "hello there").good();
        if !change(&folder, statement) {
            return;
        }
        run(&folder, "ledger verify --ledger l.db").refused(&["removed"]);
        run_with(&folder, &line, "hello there").refused(&["removed"]);
    }
}
