//! `inkveil noise` on JSON lines: every mechanism, every refusal.

use std::io::Write;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::folder::{Folder, ROWS};

/// The version is not part of what a snapshot is about.
fn check(name: &str, run: &str) {
    insta::with_settings!({filters => vec![(r"by inkveil \d+\.\d+\.\d+", "by inkveil [version]")]}, {
        assert_snapshot!(name, run);
    });
}

#[test]
fn every_mechanism() {
    let folder = Folder::new();
    folder
        .write("rows.jsonl", ROWS)
        .write("sigma.jsonl", "[1.0, 2.0, 0.5, 0.5]\n")
        .write("full.jsonl", "[2, 0.5, 0, 0]\n[0.5, 1, 0, 0]\n[0, 0, 1, 0]\n[0, 0, 0, 0.25]\n");
    for (name, flags) in [
        ("polar", "-m polar -e 100"),
        ("polar-reference", "-m polar -e 100 --calibration reference"),
        ("polar-pure", "-m polar -e 100 --calibration pure --diameter 1.5"),
        ("polar-zero", "-m polar -e 0"),
        ("purkayastha", "-m purkayastha -e 100"),
        ("laplace-l1", "-m laplace-l1 -e 10"),
        ("laplace-l1-sensitivity", "-m laplace-l1 -e 10 --sensitivity 4"),
        ("laplace-l2", "-m laplace-l2 -e 10"),
        ("laplace-l2-clip", "-m laplace-l2 -e 10 --clip 0.5"),
        ("mahalanobis", "-m mahalanobis -e 10 --sigma sigma.jsonl"),
        ("mahalanobis-full", "-m mahalanobis -e 10 --sigma full.jsonl --clip 1"),
        ("gaussian", "-m gaussian -e 1 --delta 1e-6 --clip 1"),
        ("polar-radial", "-m polar-radial -e 50 --epsilon-radius 5"),
        ("polar-radial-length-only", "-m polar-radial -e inf --epsilon-radius 5"),
        ("no-noise", "-m laplace-l2 -e inf"),
    ] {
        let run = folder.run(&format!("noise rows.jsonl {flags} --insecure-seed 1"));
        check(&format!("noise-{name}"), &run);
    }
    assert_eq!(folder.names(), ["full.jsonl", "rows.jsonl", "sigma.jsonl"]);
}

#[test]
fn a_file_comes_with_its_receipt_and_all_else_on_a_line_stays() {
    let folder = Folder::new();
    folder.write("rows.jsonl", ROWS);
    check("noise-file", &folder.run("noise rows.jsonl -o out.jsonl -m polar -e 100 --insecure-seed 1"));
    assert_eq!(folder.names(), ["out.jsonl", "out.jsonl.receipt.json", "rows.jsonl"]);
    let out = String::from_utf8(folder.read("out.jsonl")).unwrap();
    let rest = |line: &str| -> (String, String) {
        let start = line.find("[").unwrap();
        let end = line.find(']').unwrap();
        (line[..start].to_owned(), line[end..].to_owned())
    };
    assert_eq!(ROWS.lines().map(rest).collect::<Vec<_>>(), out.lines().map(rest).collect::<Vec<_>>());
    // The same seed, through a pipe and without a name, gives the same bytes.
    let piped = folder
        .command()
        .args(["noise", "-m", "polar", "-e", "100", "--insecure-seed", "1", "--quiet"])
        .write_stdin(ROWS)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), out);
}

#[test]
fn fresh_randomness_by_default() {
    let folder = Folder::new();
    folder.write("rows.jsonl", ROWS);
    for name in ["a.jsonl", "b.jsonl"] {
        let run = folder.run(&format!("noise rows.jsonl -o {name} -m laplace-l2 -e 10 --quiet"));
        assert!(run.contains("exit 0"), "{run}");
    }
    assert_ne!(folder.read("a.jsonl"), folder.read("b.jsonl"));
    let receipt = String::from_utf8(folder.read("a.jsonl.receipt.json")).unwrap();
    assert!(receipt.contains("\"secure\": true"));
}

#[test]
fn refusals_of_flags() {
    let folder = Folder::new();
    folder
        .write("rows.jsonl", ROWS)
        .write("rows.txt", ROWS)
        .write("short.jsonl", "[1, 2, 3]\n")
        .write("flat.jsonl", "[1, 1, 1, 0]\n");
    let lines = [
        "noise rows.jsonl -m polar -e -1",
        "noise rows.jsonl -m polar -e ten",
        "noise rows.jsonl -m polar -e 1e9",
        "noise rows.jsonl -m laplace-l2 -e 0",
        "noise rows.jsonl -m polar -e 1 --sigma short.jsonl",
        "noise rows.jsonl -m polar -e 1 --clip 1",
        "noise rows.jsonl -m polar -e 1 --diameter 1",
        "noise rows.jsonl -m polar -e 1 --calibration pure --diameter 3",
        "noise rows.jsonl -m mahalanobis -e 1",
        "noise rows.jsonl -m mahalanobis -e 1 --sigma short.jsonl",
        "noise rows.jsonl -m mahalanobis -e 1 --sigma flat.jsonl",
        "noise rows.jsonl -m mahalanobis -e 1 --sigma absent.npy",
        "noise rows.jsonl -m gaussian -e 1",
        "noise rows.jsonl -m gaussian -e 1 --delta 1e-6",
        "noise rows.jsonl -m gaussian -e 1 --delta 2 --clip 1",
        "noise rows.jsonl -m polar-radial -e 1",
        "noise rows.jsonl -m polar-radial -e 1 --epsilon-radius 1 --calibration pure",
        "noise rows.jsonl -m laplace-l2 -e 1 --clip -2",
        "noise rows.jsonl -m laplace-l2 -e 1 --format xml",
        "noise rows.txt -m laplace-l2 -e 1",
        "noise absent.jsonl -m laplace-l2 -e 1",
        "noise rows.jsonl -o rows.jsonl -m laplace-l2 -e 1 --force",
        "noise rows.jsonl -o no/such/folder.jsonl -m laplace-l2 -e 1",
        "noise rows.jsonl -m laplace-l2 -e 1 --column text",
        "noise rows.jsonl -m nonsense -e 1",
        "noise rows.jsonl",
    ];
    let runs: Vec<String> = lines.iter().map(|line| folder.run(line)).collect();
    assert!(runs.iter().all(|run| run.contains("\nexit 1\n") || run.contains("\nexit 2\n")));
    check("noise-refused-flags", &runs.join("\n"));
    assert_eq!(folder.names(), ["flat.jsonl", "rows.jsonl", "rows.txt", "short.jsonl"]);
}

#[test]
fn refusals_of_rows_name_the_row_and_leave_nothing() {
    let folder = Folder::new();
    let long: String = (0..5000).map(|_| "[1, 2]\n").chain(["[0, 0]\n"]).collect();
    for (name, rows) in [
        ("ragged", "[1, 2]\n[1, 2, 987.654]\n"),
        ("zero", "[1, 2]\n[0, 0]\n"),
        ("late-zero", &long),
        ("word", "[1, 2]\n[987.654, \"x\"]\n"),
        ("nan", "[1, 2]\n[NaN, 987.654]\n"),
        ("huge", "[1, 2]\n[1e999, 987.654]\n"),
        ("null", "[1, 2]\n[null, 987.654]\n"),
        ("not-json", "[1, 2]\nhello 987.654\n"),
        ("blank", "[1, 2]\n\n[3, 4]\n"),
        ("empty", ""),
        ("mixed", "[1, 2]\n{\"embedding\": [1, 987.654]}\n"),
        ("ambiguous", "{\"a\": [1, 2], \"b\": [3, 987.654]}\n"),
        ("one-dimension", "[1]\n"),
    ] {
        let run = folder.run_with("noise -o out.jsonl -m polar -e 10 --insecure-seed 1", rows);
        assert!(run.contains("\nexit 1\n"), "{run}");
        assert!(!run.contains("987"), "private content in an error: {run}");
        check(&format!("noise-refused-{name}"), &run);
        assert!(folder.names().is_empty(), "{name} left {:?}", folder.names());
    }
}

#[test]
fn existing_files_are_kept_unless_forced() {
    let folder = Folder::new();
    folder.write("rows.jsonl", ROWS).write("out.jsonl", "mine");
    let line = "noise rows.jsonl -o out.jsonl -m laplace-l2 -e 10 --insecure-seed 1 --quiet";
    check("noise-exists", &folder.run(line));
    assert_eq!(folder.read("out.jsonl"), b"mine");
    folder.write("fresh.jsonl.receipt.json", "mine too");
    let other = line.replace("out.jsonl", "fresh.jsonl");
    check("noise-receipt-exists", &folder.run(&other));
    assert_eq!(folder.read("fresh.jsonl.receipt.json"), b"mine too");
    assert!(!folder.names().contains(&"fresh.jsonl".into()));
    assert!(folder.run(&format!("{line} --force")).contains("exit 0"));
    assert_ne!(folder.read("out.jsonl"), b"mine");
}

/// Ctrl-C while a pipe is still open: exit 130, no output, no temporary file.
#[cfg(unix)]
#[test]
fn an_interruption_leaves_nothing() {
    let folder = Folder::new();
    let binary = folder.command().get_program().to_owned();
    let mut child = std::process::Command::new(binary)
        .args(["noise", "-o", "out.jsonl", "-m", "laplace-l2", "-e", "1"])
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(ROWS.as_bytes()).unwrap();
    stdin.flush().unwrap();
    // Wait until the temporary file shows that the work has begun.
    while folder.names().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

/// A bound on lengths does not bound directions, and a guarantee up to a distance gives no worst case beyond it. Worst
/// cases include the slack of rounding errors, 0.125 for noise on directions.
#[test]
fn worst_cases_are_worst_cases() {
    let folder = Folder::new();
    for (line, expected) in [
        (
            "-m polar-radial -e 10 --epsilon-radius 2 --clip 0.01",
            "worst case  ε = 20.1452 for any two inputs",
        ),
        ("-m polar -e 1 --calibration pure --diameter 0.5", "worst case  ε = 4.12515"),
        ("-m polar -e 1 --calibration pure", "worst case  ε = 1.12517 for any two inputs"),
        (
            "-m laplace-l1 -e 10 --clip 3 --sensitivity 2",
            "no worst case: the guarantee holds up to a fixed distance",
        ),
    ] {
        let run = folder.run_with(&format!("noise {line}"), "[1, 2]\n[-1, -2]\n");
        assert!(run.contains(expected), "{run}");
    }
}

/// No file that was given may be written over by another one.
#[test]
fn files_given_twice_are_refused() {
    let folder = Folder::new();
    folder.write("rows.jsonl", ROWS).write("sigma.jsonl", "[1, 1, 1, 1]\n");
    let runs = [
        "noise rows.jsonl -o out.jsonl --receipt rows.jsonl -m polar -e 1 --force",
        "noise rows.jsonl -o out.jsonl --receipt ./out.jsonl -m polar -e 1 --force",
        "noise rows.jsonl -o sigma.jsonl -m mahalanobis --sigma sigma.jsonl -e 1 --force",
        "noise rows.jsonl --receipt - -m polar -e 1",
        "noise rows.jsonl --receipt no/such/folder.json -m polar -e 1",
        "noise rows.jsonl -o out.npy -m polar -e 1",
    ]
    .map(|line| folder.run(line));
    check("noise-refused-files", &runs.join("\n"));
    assert_eq!(folder.read("rows.jsonl"), ROWS.as_bytes());
    assert_eq!(folder.names(), ["rows.jsonl", "sigma.jsonl"]);
}
