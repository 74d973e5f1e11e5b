//! Every command that releases something obeys limits, can be resumed, and is charged once.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::{Delays, Folder};
use crate::server::Server;

const BUS: &str = "The bus was late again, so we walked home in the rain.";
const WALK: &str = "Again the bus came late, and we went home on foot through the rain.";

/// A command that releases, without its output and its ledger.
struct Release {
    name: &'static str,
    line: String,
    output: &'static str,
    /// Whether each release costs more than any finite limit.
    infinite: bool,
}

fn vectors(rows: usize) -> String {
    let number = |row: usize, column: usize| ((row * 7 + column * 3) % 19) as f64 / 10.0 - 0.9;
    let row = |row: usize| {
        let numbers: Vec<String> = (0..32).map(|column| number(row, column).to_string()).collect();
        format!("{{\"id\": {row}, \"user\": \"u{}\", \"embedding\": [{}]}}\n", row % 3, numbers.join(", "))
    };
    (0..rows).map(row).collect()
}

fn texts(rows: usize) -> String {
    (0..rows)
        .map(|row| format!("{{\"id\": {row}, \"user\": \"u{}\", \"text\": \"{BUS}\"}}\n", row % 3))
        .collect()
}

/// All commands that release, on inputs of this many rows.
fn releases(folder: &Folder, server: &Server, vector_rows: usize, text_rows: usize) -> Vec<Release> {
    folder.write("vectors.jsonl", vectors(vector_rows)).write("texts.jsonl", texts(text_rows));
    let model = format!("--model {}#some --allow-remote", server.url);
    vec![
        Release {
            name: "text",
            line: "text --file texts.jsonl --insecure-seed 7 --tier rules --lexicon subword \
                   --mechanism randomized-response --epsilon 3 --save-every 0"
                .to_owned(),
            output: "out.jsonl",
            infinite: false,
        },
        Release {
            name: "noise",
            line: "noise vectors.jsonl -m laplace-l2 -e 5 --clip 1 --insecure-seed 7".to_owned(),
            output: "out.jsonl",
            infinite: false,
        },
        Release {
            name: "vector apply",
            line: "vector apply vectors.jsonl -m laplace-l2 -e 5 --insecure-seed 7".to_owned(),
            output: "out.jsonl",
            infinite: false,
        },
        Release {
            name: "vector embed with noise",
            line: "vector embed texts.jsonl -m laplace-l2 -e 500 --insecure-seed 7".to_owned(),
            output: "out.jsonl",
            infinite: false,
        },
        Release {
            name: "vector embed without noise",
            line: "vector embed texts.jsonl".to_owned(),
            output: "out.npy",
            infinite: true,
        },
        Release {
            name: "style rewrite",
            line: format!(
                "style rewrite texts.jsonl {model} --seed 3 --candidates 1 --rounds 1 --meaning 0.7 --save-every 0"
            ),
            output: "out.jsonl",
            infinite: true,
        },
    ]
}

fn good(folder: &Folder, line: &str) -> String {
    let run = folder.run(line);
    assert!(run.contains("\nexit 0\n"), "{run}");
    run
}

fn totals(folder: &Folder, ledger: &str) -> Value {
    let output = folder.command().args(["ledger", "show", "--json", "--ledger", ledger]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_release_is_charged_and_none_passes_a_limit() {
    let (folder, server) = (Folder::new(), Server::saying(WALK));
    for release in releases(&folder, &server, 20, 2) {
        let Release { name, line, output, infinite } = &release;
        let _ = std::fs::remove_file(folder.path("spent.db"));
        let charged = good(&folder, &format!("{line} --subject ana --ledger spent.db -o {output}"));
        assert!(!charged.contains("late"), "{charged}");
        let shown = good(&folder, "ledger show --ledger spent.db --subject ana");
        assert_eq!(shown.contains("inf"), *infinite, "{name}: {shown}");
        good(&folder, &format!("ledger verify --ledger spent.db --receipt {output}.receipt.json"));
        good(&folder, &format!("receipt verify {output}.receipt.json --release {output}"));
        // The same ledger through the environment: nothing releases beside it.
        good(&folder, "ledger limit --ledger spent.db --subject ana --epsilon 0.001");
        for name in [output.to_string(), format!("{output}.receipt.json"), format!("{output}.encoder.json")] {
            let _ = std::fs::remove_file(folder.path(&name));
        }
        let words = format!("{line} --subject ana -o {output}");
        let refused = folder
            .command()
            .args(words.split_whitespace())
            .env("INKVEIL_LEDGER", folder.path("spent.db"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains("left of") || said.contains("limit"), "{name}: {said}");
        assert!(
            !folder.path(output).exists() && !folder.path(&format!("{output}.receipt.json")).exists(),
            "{name}"
        );
        let _ = std::fs::remove_dir_all(folder.path(&format!("{output}.inkveil-job")));
    }
}

#[test]
fn a_pipe_of_vectors_is_charged_before_it_is_written() {
    let folder = Folder::new();
    folder.write("vectors.jsonl", vectors(5));
    good(&folder, "ledger limit --ledger spent.db --every-dataset --epsilon 1");
    let refused = folder.run("noise vectors.jsonl -m laplace-l2 -e 1000 --ledger spent.db");
    assert!(refused.contains("exit 1\n--- stdout\n--- stderr"), "{refused}");
    let charged = good(&folder, "noise vectors.jsonl -m laplace-l2 -e 0.01 --ledger spent.db --quiet");
    assert!(charged.contains("\"embedding\""), "{charged}");
    let shown = good(&folder, "ledger show --ledger spent.db --json");
    assert!(shown.contains("vectors.jsonl"), "{shown}");
}

#[test]
fn subjects_of_vectors_come_from_a_column() {
    let folder = Folder::new();
    folder.write("vectors.jsonl", vectors(6));
    let line = "vector apply vectors.jsonl -o out.jsonl -m laplace-l2 -e 2 --ledger spent.db";
    good(&folder, &format!("{line} --subject-column user"));
    let shown = totals(&folder, "spent.db");
    let subjects: Vec<(&str, f64)> = shown["totals"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|total| {
            total["scope"] == "subject" && total["measure"].as_str().unwrap().starts_with("euclidean")
        })
        .map(|total| (total["name"].as_str().unwrap(), total["epsilon"].as_f64().unwrap()))
        .collect();
    assert_eq!(subjects, [("u0", 4.0), ("u1", 4.0), ("u2", 4.0)]);
}

/// Kills each release at 20 random points and resumes it. It must end with the bytes and the charges of a
/// run that was never disturbed.
#[test]
fn a_killed_release_ends_like_an_undisturbed_one() {
    let (folder, server) = (Folder::new(), Server::saying(WALK));
    for release in releases(&folder, &server, 3000, 6) {
        // `text` has a test of its own, with subjects.
        if release.name != "text" {
            kill_and_resume(&folder, &release);
        }
    }
}

fn kill_and_resume(folder: &Folder, release: &Release) {
    let Release { name, line, output, .. } = release;
    let whole = format!("whole-{output}");
    let run = |output: &str, ledger: &str| format!("{line} --subject ana -o {output} --ledger {ledger}");
    for old in
        [&whole, &format!("{whole}.receipt.json"), &format!("{whole}.encoder.json"), &"whole.db".to_owned()]
    {
        let _ = std::fs::remove_file(folder.path(old));
    }
    let begun = Instant::now();
    good(folder, &run(&whole, "whole.db"));
    let seconds = begun.elapsed().as_secs_f64();
    let job = folder.path(&format!("{output}.inkveil-job"));
    let same = || {
        assert!(folder.read(output) == folder.read(&whole), "{name}: other bytes than an undisturbed run");
        assert_eq!(
            folder.read(&format!("{output}.receipt.json")),
            folder.read(&format!("{whole}.receipt.json")),
            "{name}"
        );
        assert_eq!(totals(folder, "cut.db"), totals(folder, "whole.db"), "{name}");
        good(folder, "ledger verify --ledger cut.db");
        let outputs =
            [output.to_string(), format!("{output}.receipt.json"), format!("{output}.encoder.json")];
        let ledger = ["cut.db", "cut.db-wal", "cut.db-shm"].map(str::to_owned);
        for name in outputs.into_iter().chain(ledger) {
            let _ = std::fs::remove_file(folder.path(&name));
        }
    };
    let (mut delays, mut kills) = (Delays(11), 0);
    while kills < 20 {
        let resume = if job.join("job.json").exists() { " --resume" } else { "" };
        let mut child = std::process::Command::new(folder.command().get_program())
            .args(format!("{}{resume}", run(output, "cut.db")).split_whitespace())
            .current_dir(folder.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_secs_f64(delays.next() * seconds));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
        // A folder without a state is what is left of a finished job.
        if folder.path(output).exists() && !job.join("job.json").exists() {
            let _ = std::fs::remove_dir_all(&job);
            same();
        }
    }
    if job.join("job.json").exists() {
        good(folder, &format!("{} --resume", run(output, "cut.db")));
    } else if !folder.path(output).exists() {
        good(folder, &run(output, "cut.db"));
    }
    same();
}

#[test]
fn a_resumed_release_needs_the_same_input_and_settings() {
    let folder = Folder::new();
    folder.write("vectors.jsonl", vectors(10));
    let line = "noise vectors.jsonl -o out.jsonl -m laplace-l2 --ledger spent.db";
    let missing = folder.run(&format!("{line} -e 5 --resume"));
    assert!(missing.contains("exit 1"), "{missing}");
    good(&folder, "ledger limit --ledger spent.db --every-dataset --epsilon 1");
    let refused = folder.run(&format!("{line} -e 5"));
    assert!(refused.contains("exit 1") && !folder.path("out.jsonl").exists(), "{refused}");
}

#[test]
fn a_model_behind_an_address_needs_permission() {
    let (folder, server) = (Folder::new(), Server::saying(WALK));
    folder.write("draft.txt", BUS);
    let line = format!("style rewrite draft.txt --model {}#some --quiet --meaning 0.7", server.url);
    let refused = folder.run(&line);
    assert!(refused.contains("exit 1") && refused.contains("--allow-remote"), "{refused}");
    assert!(server.asked().is_empty());
    good(&folder, &format!("{line} --allow-remote"));
    assert!(!server.asked().is_empty());
}
