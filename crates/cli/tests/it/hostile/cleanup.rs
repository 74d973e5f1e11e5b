//! Kills in the last steps of a release, and what they leave behind.
#![cfg(unix)]

use super::{FAST, bash, run};
use crate::folder::Folder;

fn rows() -> String {
    (0..20).map(|row| format!("{{\"text\": \"row {row} for a@example.org\"}}\n")).collect()
}

fn charges(folder: &Folder) -> usize {
    run(folder, "ledger export --ledger l.db").good().stdout.lines().count()
}

/// Kills at every change of names: each rename, link, unlink and rmdir of a release. After each, the same command with
/// `--resume` completes the release, also if only the folder of the job was left. Nothing is charged twice, and nothing is
/// left over.
#[test]
fn a_kill_at_any_change_of_names_leaves_nothing_behind_after_a_resume() {
    let (mut kills, mut while_removing) = (0, 0);
    for call in ["rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "rmdir"] {
        for when in 1..=30 {
            let folder = Folder::new();
            folder.write("in.jsonl", rows());
            run(&folder, "ledger limit --ledger l.db --every-dataset --epsilon inf").good();
            let line = format!("text --file in.jsonl --column text -o out.jsonl --ledger l.db {FAST}");
            let killed = bash(
                &folder,
                &format!(
                    "command -v strace >/dev/null || exit 99; strace -f -qq -o /dev/null -e trace={call} \
                     -e inject={call}:signal=KILL:when={when} $INKVEIL {line}"
                ),
            );
            match killed.code {
                99 => {
                    eprintln!("strace is missing here: kills were not tried");
                    return;
                }
                // There were fewer calls.
                0 => break,
                _ => kills += 1,
            }
            let place = format!("killed at {call} {when}");
            while_removing += usize::from(folder.path("out.jsonl.inkveil-job/complete.json").exists());
            let (is_released, has_job) =
                (folder.path("out.jsonl").exists(), folder.path("out.jsonl.inkveil-job").exists());
            let done = match has_job {
                true => run(&folder, &format!("{line} --resume")),
                // Everything was done.
                false if is_released => continue,
                false => run(&folder, &line),
            };
            // Only a job that was killed before it had a state is started again.
            let done =
                if done.code != 0 && !is_released { run(&folder, &format!("{line} --force")) } else { done };
            assert_eq!(done.code, 0, "{place}: {}", done.stderr);
            let names: Vec<String> =
                folder.names().into_iter().filter(|name| !name.starts_with("l.db")).collect();
            assert_eq!(names, ["in.jsonl", "out.jsonl", "out.jsonl.receipt.json"], "{place}");
            assert_eq!(charges(&folder), 1, "{place}");
        }
    }
    assert!(kills > 8 && while_removing > 1, "{kills} kills, {while_removing} while the folder was removed");
}

/// A ledger is created under a temporary name, with a journal of SQLite beside it.
#[test]
fn a_kill_while_a_ledger_is_created_leaves_nothing_behind() {
    for when in 1..=30 {
        let folder = Folder::new();
        let line = "ledger limit --ledger l.db --every-dataset --epsilon 7";
        let killed = bash(
            &folder,
            &format!(
                "command -v strace >/dev/null || exit 0; strace -f -qq -o /dev/null -e trace=unlink \
                 -e inject=unlink:signal=KILL:when={when} $INKVEIL {line}"
            ),
        );
        if killed.code == 0 {
            break;
        }
        run(&folder, line).good();
        assert_eq!(folder.names(), ["l.db"], "killed at unlink {when}");
    }
}

#[test]
fn an_output_that_is_a_link_to_nowhere_is_refused_before_any_work() {
    let folder = Folder::new();
    folder.write("in.jsonl", rows());
    bash(&folder, "ln -s nowhere.jsonl out.jsonl").good();
    let line = format!("text --file in.jsonl --column text -o out.jsonl --ledger l.db {FAST}");
    run(&folder, &line).refused(&["exists already"]);
    assert!(!folder.path("l.db").exists() || charges(&folder) == 0);
    bash(&folder, "rm out.jsonl; ln -s nowhere.json out.jsonl.receipt.json").good();
    run(&folder, &line).refused(&["exists already"]);
    assert!(!folder.path("l.db").exists() || charges(&folder) == 0);
    assert!(!folder.path("nowhere.jsonl").exists() && !folder.path("nowhere.json").exists());
}
