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

/// The folder of a job in every state that a kill can leave while it is removed.
#[test]
fn a_kill_while_the_job_folder_is_removed_is_finished_by_resume_and_charged_once() {
    let steps = [
        "true",
        "rm -f out.jsonl.inkveil-job/key",
        "rm -f out.jsonl.inkveil-job/lock",
        "rm -f out.jsonl.inkveil-job/complete.json",
    ];
    for killed_after in 1..=steps.len() {
        let folder = Folder::new();
        folder.write("in.jsonl", rows());
        let line = format!("text --file in.jsonl --column text -o out.jsonl --ledger l.db {FAST}");
        // The state just before the folder is removed: everything is released, and the state says so.
        bash(&folder, &format!("{TRACE} {line} 2>/dev/null; test -e out.jsonl.inkveil-job/job.json"));
        if !folder.path("out.jsonl.inkveil-job/job.json").exists() {
            eprintln!("strace is missing here: the kill was not tried");
            return;
        }
        assert!(folder.path("out.jsonl").exists());
        let script = format!(
            "mv out.jsonl.inkveil-job/job.json out.jsonl.inkveil-job/complete.json; {}",
            steps[..killed_after].join("; ")
        );
        bash(&folder, &script).good();
        let released = folder.read("out.jsonl");
        run(&folder, &format!("{line} --resume")).good();
        assert!(!folder.path("out.jsonl.inkveil-job").exists(), "after step {killed_after}");
        assert_eq!(folder.read("out.jsonl"), released);
        assert_eq!(charges(&folder), 1);
    }
}

/// Kills the process at its first rename of the state to its last name: everything is released then.
const TRACE: &str = "strace -f -qq -o /dev/null -e trace=rename,renameat,renameat2 -P \
                     out.jsonl.inkveil-job/complete.json -e inject=rename,renameat,renameat2:signal=KILL $INKVEIL";

/// Kills at every rename, unlink and link of a release. After each, `--resume` or a new run completes it, nothing is
/// charged twice, and nothing is left over.
#[test]
fn a_kill_at_any_change_of_names_leaves_nothing_behind_after_a_resume() {
    let mut tried = 0;
    for call in 1..=40 {
        let folder = Folder::new();
        folder.write("in.jsonl", rows());
        let line = format!("text --file in.jsonl --column text -o out.jsonl --ledger l.db {FAST}");
        let calls = "rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir";
        let killed = bash(
            &folder,
            &format!(
                "command -v strace >/dev/null || exit 99; \
                 strace -f -qq -o /dev/null -e trace={calls} -e inject={calls}:signal=KILL:when={call} $INKVEIL {line}"
            ),
        );
        match killed.code {
            99 => {
                eprintln!("strace is missing here: kills were not tried");
                return;
            }
            // It ended before that call.
            0 => break,
            _ => tried += 1,
        }
        let job = folder.path("out.jsonl.inkveil-job");
        let resumed = match job.exists() {
            true => run(&folder, &format!("{line} --resume")),
            false if folder.path("out.jsonl").exists() => continue,
            false => run(&folder, &line),
        };
        // A job that was killed before its state was written is started again.
        let done = match resumed.code {
            0 => resumed,
            _ if !folder.path("out.jsonl").exists() => run(&folder, &format!("{line} --force")),
            _ => resumed,
        };
        assert_eq!(done.code, 0, "killed at call {call}: {}", done.stderr);
        let names: Vec<String> =
            folder.names().into_iter().filter(|name| !name.starts_with("l.db")).collect();
        assert_eq!(names, ["in.jsonl", "out.jsonl", "out.jsonl.receipt.json"], "killed at call {call}");
        assert_eq!(charges(&folder), 1, "killed at call {call}");
    }
    assert!(tried > 5, "only {tried} kills");
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
