//! Files of rows through the real binary: what changes and what does not, interruptions, accounting, and the way back.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::{Delays, Folder};

/// Quick, and the same every time: this mechanism looks for no neighbours.
const FAST: &str =
    "--insecure-seed 7 --tier rules --lexicon subword --mechanism randomized-response --epsilon 3";

const PEOPLE: [&str; 4] = ["mirela@example.org", "+44 20 7946 0958", "jo.lind@example.com", "10.4.7.21"];

/// A row's text: something sensitive, and words enough to be noised.
fn sentence(row: usize) -> String {
    let who = PEOPLE[row % PEOPLE.len()];
    format!(
        "The blue kettle number {row} from London came late, write to {who} before the \"small\" door, please."
    )
}

fn json_rows(rows: usize) -> String {
    (0..rows)
        .map(|row| {
            let text = serde_json::to_string(&sentence(row)).unwrap();
            format!(
                "{{\"id\":  {row}, \"user\": \"u{}\", \"body\": {{\"text\": {text}}}, \"stars\": 4.50}}\n",
                row % 3
            )
        })
        .collect()
}

fn good(folder: &Folder, line: &str) -> String {
    let run = folder.run(line);
    assert!(run.contains("\nexit 0\n"), "{run}");
    run
}

#[test]
fn a_table_changes_in_its_texts_only() {
    let folder = Folder::new();
    folder.write("in.jsonl", json_rows(40));
    good(&folder, &format!("text --file in.jsonl --column body.text -o out.jsonl {FAST}"));
    let (before, after) = (folder.read("in.jsonl"), folder.read("out.jsonl"));
    let (before, after) = (String::from_utf8(before).unwrap(), String::from_utf8(after).unwrap());
    assert_eq!(before.lines().count(), after.lines().count());
    for (row, (before, after)) in before.lines().zip(after.lines()).enumerate() {
        let (head, tail) = (before.split("\"text\": ").next().unwrap(), "}, \"stars\": 4.50}");
        assert!(after.starts_with(head) && after.ends_with(tail), "{after}");
        let value: Value = serde_json::from_str(after).unwrap();
        let text = value["body"]["text"].as_str().unwrap();
        assert!(!text.contains(PEOPLE[row % 4]) && text != sentence(row), "{text}");
    }
    good(&folder, "receipt verify out.jsonl.receipt.json --release out.jsonl");
    assert_eq!(folder.names(), ["in.jsonl", "out.jsonl", "out.jsonl.receipt.json"]);
    let again = folder.run(&format!("text --file in.jsonl --column body.text -o out.jsonl {FAST}"));
    assert!(again.contains("exit 1") && again.contains("--force"), "{again}");
}

#[test]
fn separated_values_keep_their_bytes_and_pipes_their_rows() {
    let folder = Folder::new();
    let rows: String =
        (0..9).map(|row| format!("{row};\"{}\";x y\r\n", sentence(row).replace('"', "\"\""))).collect();
    let table = format!("\u{feff}id;text;note\r\n{rows}");
    folder.write("in.csv", &table);
    good(&folder, &format!("text --file in.csv -o out.csv {FAST} --receipts columns"));
    let out = String::from_utf8(folder.read("out.csv")).unwrap();
    let first = out.lines().nth(1).unwrap();
    assert!(out.starts_with("\u{feff}id;text;note;inkveil_receipt\r\n"), "{out}");
    assert!(
        first.starts_with("0;\"") && first.contains("\";x y;\"{") && !first.contains("mirela"),
        "{first}"
    );
    assert_eq!(folder.names(), ["in.csv", "out.csv"]);
    // The same noise through a pipe, without receipts.
    let piped = folder.run_with(&format!("text --file - --from csv --column text {FAST}"), table.as_str());
    for row in 0..9 {
        assert!(piped.contains(&format!("{row};\"")), "{piped}");
    }
    assert!(piped.contains(";x y\r\n") && !piped.contains("mirela"), "{piped}");
}

#[test]
fn folders_other_formats_and_tasks_of_rows() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    folder.write("in/a.jsonl", json_rows(5)).write("in/b.jsonl", json_rows(3));
    good(&folder, &format!("text --file in -o out --column body.text --to parquet {FAST}"));
    good(
        &folder,
        "detect --file out/a.parquet --column body.text --format jsonl --id-column id --tier rules",
    );
    let found = folder.run("detect --file out/*.parquet --column body.text --summary --tier rules");
    assert!(!found.contains("email"), "{found}");
    folder.write(
        "tasks.csv",
        "text,question\nMy knee hurts.,What helps a knee?\nThe soup was cold.,How was the soup?\n",
    );
    let plan =
        folder.run(&format!("text --file tasks.csv --column text --task-column question --json {FAST}"));
    assert!(plan.contains("exit 0") && plan.contains("\"line\":2"), "{plan}");
    folder.write("in/c.csv", "text\nx\n");
    let drift = folder.run(&format!("text --file in -o out2 --column body.text {FAST}"));
    assert!(drift.contains("exit 1") && drift.contains("c.csv"), "{drift}");
    assert!(!folder.path("out2").exists());
}

#[test]
fn bad_rows_stop_the_job_or_are_set_aside() {
    let folder = Folder::new();
    folder.write("in.jsonl", json_rows(6) + "{\"body\": {\"text\": 7}}\n" + &json_rows(2));
    let line = format!("text --file in.jsonl --column body.text -o out.jsonl {FAST}");
    let stopped = folder.run(&line);
    assert!(stopped.contains("exit 1") && stopped.contains("row 7, field \"body.text\""), "{stopped}");
    assert!(stopped.contains("--resume") && !folder.path("out.jsonl").exists());
    // Mended, it goes on after the rows that are done.
    folder.write("in.jsonl", json_rows(6) + "{\"body\": {\"text\": \"x\"}}\n" + &json_rows(2));
    good(&folder, &format!("{line} --resume"));
    assert_eq!(String::from_utf8(folder.read("out.jsonl")).unwrap().lines().count(), 9);
    folder.write("bad.jsonl", json_rows(6) + "not json, with secret words\n");
    let aside = good(
        &folder,
        &format!("text --file bad.jsonl --column body.text -o ok.jsonl --on-error reject {FAST}"),
    );
    assert!(aside.contains("1 rows") && !aside.contains("secret"), "{aside}");
    assert!(String::from_utf8(folder.read("ok.jsonl.rejects.jsonl")).unwrap().contains("\"row\":7"));
}

#[test]
fn a_dry_run_predicts_and_a_sample_is_a_sample() {
    let folder = Folder::new();
    folder.write("in.jsonl", json_rows(9000));
    let predicted =
        folder.run(&format!("text --file in.jsonl --column body.text --dry-run --sample 50 {FAST}"));
    assert!(predicted.contains("exit 0") && predicted.contains("read 50 texts"), "{predicted}");
    assert!(predicted.contains("about 9") && predicted.contains("nothing was released"), "{predicted}");
    assert_eq!(folder.names(), ["in.jsonl"]);
    good(&folder, &format!("text --file in.jsonl --column body.text --sample 20 -o out.jsonl {FAST}"));
    assert_eq!(String::from_utf8(folder.read("out.jsonl")).unwrap().lines().count(), 20);
}

/// Totals by subject, as the ledger tells them.
fn totals(folder: &Folder, ledger: &str) -> Value {
    let output = folder.command().args(["ledger", "show", "--json", "--ledger", ledger]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn spending_is_recorded_limited_and_repeated_content_told() {
    let folder = Folder::new();
    folder.write("in.jsonl", json_rows(6));
    let line =
        format!("text --file in.jsonl --column body.text --subject-column user --ledger spent.db {FAST}");
    let first = good(&folder, &format!("{line} -o a.jsonl"));
    assert!(!first.contains("before"), "{first}");
    let shown = good(&folder, "ledger show --ledger spent.db");
    assert!(shown.contains("u0") && shown.contains("u2") && shown.contains("in.jsonl"), "{shown}");
    let second = good(&folder, &format!("{line} -o b.jsonl"));
    assert!(second.contains("released once before"), "{second}");
    good(&folder, "ledger limit --ledger spent.db --every-subject --epsilon 1 --metric discrete");
    let refused = folder.run(&format!("{line} -o c.jsonl"));
    assert!(
        refused.contains("exit 1") && refused.contains(" spent, ") && refused.contains(" left of"),
        "{refused}"
    );
    // Subjects come from the rows, and what is in rows is in no error.
    assert!(!["u0", "u1", "u2"].iter().any(|name| refused.contains(name)), "{refused}");
    assert!(!folder.path("c.jsonl").exists() && !folder.path("c.jsonl.receipt.json").exists());
    // What was worked out is not lost: with a higher limit the same job is released without doing it again.
    good(&folder, "ledger limit --ledger spent.db --every-subject --epsilon 100000000 --metric discrete");
    good(&folder, &format!("{line} -o c.jsonl --resume"));
    good(&folder, "ledger verify --ledger spent.db");
}

#[test]
fn what_was_replaced_comes_back_with_the_key() {
    let folder = Folder::new();
    folder.write("in.jsonl", json_rows(60));
    let flags = "--insecure-seed 7 --tier rules --budgets 0,0,inf,inf";
    for how in ["mask", "surrogate"] {
        let line = format!(
            "text --file in.jsonl --column body.text --at-zero {how} --map {how}.map --map-key the.key"
        );
        good(&folder, &format!("{line} -o {how}.jsonl {flags}"));
        assert_ne!(folder.read(&format!("{how}.jsonl")), folder.read("in.jsonl"));
        good(&folder, &format!("restore {how}.jsonl --map {how}.map --map-key the.key -o back-{how}.jsonl"));
        assert_eq!(folder.read(&format!("back-{how}.jsonl")), folder.read("in.jsonl"), "{how}");
    }
    folder.write(
        "other.key",
        folder
            .read("the.key")
            .iter()
            .map(|byte| if *byte == b'1' { b'2' } else { *byte })
            .collect::<Vec<u8>>(),
    );
    let wrong = folder.run("restore mask.jsonl --map mask.map --map-key other.key");
    assert!(wrong.contains("exit 1") && !wrong.contains("mirela"), "{wrong}");
}

#[test]
fn masks_of_rows_leave_everything_else() {
    let folder = Folder::new();
    folder.write("in.jsonl", json_rows(8));
    good(&folder, "detect --file in.jsonl --column body.text --mask --tier rules -o out.jsonl");
    let out = String::from_utf8(folder.read("out.jsonl")).unwrap();
    assert!(out.contains("[EMAIL]") && out.contains("\"stars\": 4.50") && !out.contains("mirela"), "{out}");
    let piped =
        folder.run_with("detect --file - --from jsonl --column body.text --mask --tier rules", json_rows(8));
    assert!(piped.contains(&out), "{piped}");
}

/// Kills the job at 20 random points, resumes it each time, and finds the rows and the spending of a run that nobody disturbed.
#[test]
fn a_killed_job_ends_as_if_nothing_had_happened() {
    let folder = Folder::new();
    folder.write("in.jsonl", json_rows(1500));
    let line = |out: &str, ledger: &str| {
        format!(
            "text --file in.jsonl --column body.text --subject-column user -o {out} --ledger {ledger} --save-every 0 {FAST}"
        )
    };
    let begun = Instant::now();
    good(&folder, &line("whole.jsonl", "whole.db"));
    let whole = begun.elapsed().as_secs_f64();
    let (mut delays, mut kills) = (Delays(9), 0);
    while kills < 20 {
        let resume = if folder.path("out.jsonl.inkveil-job/job.json").exists() { " --resume" } else { "" };
        let mut child = std::process::Command::new(folder.command().get_program())
            .args(format!("{}{resume}", line("out.jsonl", "cut.db")).split_whitespace())
            .current_dir(folder.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_secs_f64(delays.next() * whole));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
        // A folder without a state is what is left of a finished job.
        if folder.path("out.jsonl").exists() && !folder.path("out.jsonl.inkveil-job/job.json").exists() {
            let _ = std::fs::remove_dir_all(folder.path("out.jsonl.inkveil-job"));
            same_as_whole(&folder);
            for name in ["out.jsonl", "out.jsonl.receipt.json", "cut.db", "cut.db-wal", "cut.db-shm"] {
                let _ = std::fs::remove_file(folder.path(name));
            }
        }
    }
    if folder.path("out.jsonl.inkveil-job/job.json").exists() {
        good(&folder, &format!("{} --resume", line("out.jsonl", "cut.db")));
    } else if !folder.path("out.jsonl").exists() {
        good(&folder, &line("out.jsonl", "cut.db"));
    }
    same_as_whole(&folder);
}

fn same_as_whole(folder: &Folder) {
    assert!(
        folder.read("out.jsonl") == folder.read("whole.jsonl"),
        "other rows than in a run that nobody disturbed"
    );
    assert_eq!(folder.read("out.jsonl.receipt.json"), folder.read("whole.jsonl.receipt.json"));
    assert_eq!(totals(folder, "cut.db"), totals(folder, "whole.db"));
    good(folder, "ledger verify --ledger cut.db");
}

#[test]
fn an_interruption_keeps_what_is_done() {
    let folder = Folder::new();
    folder.write("in.jsonl", json_rows(4000));
    let line = format!("text --file in.jsonl --column body.text -o out.jsonl --save-every 0 {FAST}");
    let mut child = folder.start(&line);
    drop(child.stdin.take().map(|mut stdin| stdin.flush()));
    let part = folder.path("out.jsonl.inkveil-job/000000/00000000.json");
    let begun = Instant::now();
    while !part.exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let interrupted =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("--resume") && !folder.path("out.jsonl").exists(), "{said}");
    good(&folder, &format!("{line} --resume"));
    assert_eq!(String::from_utf8(folder.read("out.jsonl")).unwrap().lines().count(), 4000);
}
