//! `inkveil ledger`.

use inkveil::ledger::{Charge, Ledger, Release, ReleaseId};
use inkveil::privacy::{Epsilon, Metric, Receipt, ReleaseKind, Unit};
use insta::assert_snapshot;

use crate::folder::{Folder, ROWS};

const TIME: (&str, &str) = (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[time]");
const HASH: (&str, &str) = (r"[0-9a-f]{64}", "[hash]");

fn release(part: u64, subject: Option<&str>, epsilon: f64) -> Release {
    let charge = Charge {
        worst_case: Some(Epsilon::new(2.0 * epsilon).unwrap()),
        units: 4,
        ..Charge::new(subject, Metric::Chordal, Epsilon::new(epsilon).unwrap())
    };
    Release {
        id: ReleaseId([0xab; 16]),
        part,
        dataset: "letters".into(),
        kind: ReleaseKind::Text,
        mechanism: "polar".into(),
        unit: Unit::Token,
        secure: true,
        receipt: "0".repeat(64),
        content: Some([3; 32]),
        charges: vec![charge],
    }
}

/// A folder with a ledger of three releases, one of them not confirmed.
fn spent() -> Folder {
    let folder = Folder::new();
    let mut ledger = Ledger::open(folder.path("b.ledger")).unwrap();
    ledger.record(&release(0, Some("patient 7"), 20.0)).unwrap();
    ledger.record(&release(1, Some("patient 8"), 0.3)).unwrap();
    ledger.record(&release(2, None, 5.0)).unwrap();
    ledger.confirm_all(&[(ReleaseId([0xab; 16]), 0), (ReleaseId([0xab; 16]), 1)]).unwrap();
    folder
}

#[test]
fn show_and_limits() {
    let folder = spent();
    let runs: Vec<String> = [
        "ledger limit --ledger b.ledger",
        "ledger limit --ledger b.ledger --every-subject --epsilon 50 --metric chordal",
        "ledger limit --ledger b.ledger --dataset letters --epsilon 100 --worst-case",
        "ledger limit --ledger b.ledger --every-dataset --epsilon inf",
        "ledger limit --ledger b.ledger",
        "ledger limit --ledger b.ledger --json",
        "ledger show --ledger b.ledger",
        "ledger show --ledger b.ledger --dataset letters --json",
        "ledger show --ledger b.ledger --subject nobody",
        "ledger show --ledger b.ledger --releases",
        "ledger limit --ledger b.ledger --every-dataset --remove",
        "ledger limit --ledger b.ledger --every-dataset --remove",
    ]
    .iter()
    .map(|line| folder.run(line))
    .collect();
    insta::with_settings!({filters => vec![TIME, HASH]}, {
        assert_snapshot!("ledger-show", runs.join("\n"));
    });
    // The limits hold for a program that records.
    let mut ledger = Ledger::open(folder.path("b.ledger")).unwrap();
    assert!(ledger.record(&release(3, Some("patient 7"), 31.0)).is_err());
    ledger.record(&release(3, Some("patient 7"), 24.0)).unwrap();
}

#[test]
fn export() {
    let folder = spent();
    insta::with_settings!({filters => vec![TIME, HASH]}, {
        assert_snapshot!("ledger-export", folder.run("ledger export --ledger b.ledger"));
        assert_snapshot!("ledger-export-csv", folder.run("ledger export --ledger b.ledger --format csv"));
    });
    assert!(folder.run("ledger export --ledger b.ledger --dataset other").contains("--- stdout\n--- stderr"));
}

#[test]
fn verify_with_receipts_and_damage() {
    let folder = spent();
    folder.write("rows.jsonl", ROWS);
    let run = folder.run("noise rows.jsonl -o out.jsonl -m polar -e 100 --insecure-seed 1 --quiet");
    assert!(run.contains("exit 0"), "{run}");
    let json = String::from_utf8(folder.read("out.jsonl.receipt.json")).unwrap();
    let receipt = Receipt::from_json(&json).unwrap();
    let verify = "ledger verify --ledger b.ledger --receipt out.jsonl.receipt.json";
    let mut runs = vec![folder.run("ledger verify --ledger b.ledger"), folder.run(verify)];
    {
        let mut ledger = Ledger::open(folder.path("b.ledger")).unwrap();
        let charges = Charge::of_receipt(None, &receipt);
        ledger.record(&Release::of_receipt(ReleaseId([1; 16]), 0, "rows", &receipt, charges)).unwrap();
    }
    runs.push(folder.run(verify));
    folder.write("changed.json", json.replace("\"count\": 4", "\"count\": 2"));
    runs.push(folder.run("ledger verify --ledger b.ledger --receipt changed.json"));
    let mut bytes = folder.read("b.ledger");
    let middle = 4096 * 2;
    bytes[middle..middle + 100].fill(0x55);
    folder.write("b.ledger", &bytes);
    let damaged = folder.run("ledger verify --ledger b.ledger");
    assert!(damaged.contains("\nexit 1\n") && damaged.contains("the file is damaged"), "{damaged}");
    let refused = folder.run("ledger show --ledger b.ledger");
    assert!(refused.contains("\nexit 1\n") && refused.contains("Restore a backup"), "{refused}");
    insta::with_settings!({filters => vec![TIME, HASH]}, {
        assert_snapshot!("ledger-verify", runs.join("\n"));
    });
}

#[test]
fn refused() {
    let folder = spent();
    folder.write("diary.txt", "my secret diary");
    let mut runs: Vec<String> = [
        "ledger show --ledger absent.ledger",
        "ledger show --ledger .",
        "ledger verify --ledger diary.txt",
        "ledger limit --ledger diary.txt --every-subject -e 5",
        "ledger limit --ledger b.ledger --subject anna",
        "ledger limit --ledger b.ledger --epsilon 5",
        "ledger limit --ledger b.ledger --subject a --dataset b -e 5",
        "ledger limit --ledger b.ledger --subject a -e -5",
        "ledger limit --ledger b.ledger --subject a -e 5 --metric taxicab",
    ]
    .iter()
    .map(|line| folder.run(line))
    .collect();
    let output = folder.command().args(["ledger", "show"]).env_remove("INKVEIL_LEDGER").output().unwrap();
    runs.push(String::from_utf8(output.stderr).unwrap());
    assert!(!runs.join("").contains("secret"));
    assert_snapshot!("ledger-refused", runs.join("\n"));
    let named = folder.command().args(["ledger", "show"]).env("INKVEIL_LEDGER", "b.ledger").output().unwrap();
    assert!(named.status.success());
}

#[test]
fn a_first_limit_creates_the_ledger() {
    let folder = Folder::new();
    let run = folder.run("ledger limit --ledger new.ledger --every-subject --epsilon 5");
    assert!(run.contains("exit 0"), "{run}");
    assert_eq!(folder.names(), ["new.ledger"]);
}

/// Two lexicons are two measures under one limit, and δ needs a limit of its own.
#[test]
fn limits_hold_across_lexicons_and_count_delta() {
    let folder = Folder::new();
    folder.write("v.jsonl", ROWS);
    let text = |lexicon: &str, ledger: &str| {
        format!(
            "text --tier rules -m exponential --budgets 20,20,20,20 --lexicon {lexicon} --ledger {ledger} --dataset d the late bus"
        )
    };
    for lexicon in ["words", "subword"] {
        let run = folder.run(&text(lexicon, "two.db"));
        assert!(run.contains("exit 0"), "{run}");
    }
    let shown = folder.run("ledger show --ledger two.db --dataset d");
    for lexicon in ["chordal, lexicon words ", "chordal, lexicon subword "] {
        assert_eq!(shown.matches(lexicon).count(), 1, "{shown}");
    }
    // Each lexicon alone stays below this limit, both together do not.
    let set = folder.run("ledger limit --ledger one.db --dataset d --epsilon 100 --metric chordal");
    assert!(set.contains("exit 0"), "{set}");
    let runs = ["words", "subword"].map(|lexicon| folder.run(&text(lexicon, "one.db")));
    assert!(runs[0].contains("exit 0") && runs[1].contains("exit 1\n--- stdout\n--- stderr"), "{runs:?}");
    // Another metric cannot be counted by that limit.
    let other = folder.run("noise v.jsonl -m laplace-l2 -e 0.01 --ledger one.db --dataset d");
    assert!(other.contains("exit 1\n--- stdout\n") && other.contains("cannot express"), "{other}");

    let gaussian = "noise v.jsonl -m gaussian -e 1 --delta 1e-6 --clip 1 --ledger d.db --dataset d -q";
    let set = folder.run("ledger limit --ledger d.db --dataset d --epsilon 10");
    assert!(set.contains("exit 0"), "{set}");
    let refused = folder.run(gaussian);
    assert!(refused.contains("exit 1\n--- stdout\n") && refused.contains("0 allowed"), "{refused}");
    let set = folder.run("ledger limit --ledger d.db --dataset d --epsilon 10 --delta 1e-4");
    assert!(set.contains("δ of at most 0.0001"), "{set}");
    // Three files of four vectors: the sum of ε is 12, the composition stays below 10.
    for _ in 0..3 {
        let run = folder.run(gaussian);
        assert!(run.contains("exit 0"), "{run}");
    }
    let shown = folder.run("ledger show --ledger d.db --dataset d --json");
    let start = shown.find('{').unwrap();
    let end = shown.find("--- stderr").unwrap();
    let totals: serde_json::Value = serde_json::from_str(&shown[start..end]).unwrap();
    let is_euclidean = |total: &&serde_json::Value| {
        total["measure"].as_str().is_some_and(|name| name.starts_with("euclidean"))
    };
    let total = totals["totals"].as_array().unwrap().iter().find(is_euclidean).unwrap();
    assert_eq!(total["epsilon"], 12.0, "{totals}");
    let composed = total["composed"].as_f64().unwrap();
    assert!((2.0..8.0).contains(&composed), "{totals}");
}
