//! The program, run as a user would run it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use inkveil::Receipt;
use inkveil::ledger::{Filter, Ledger};

use crate::tables::{NAME, is_empty_folder, mails, text, write_parquet};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inkveil-sql"));
    command.current_dir(folder).args(arguments).env_remove("INKVEIL_LEDGER");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn ok(folder: &Path, arguments: &[&str]) -> (String, String) {
    let done = run(folder, arguments);
    let (out, err) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
    assert!(done.status.success(), "{arguments:?}: {err}");
    (out, err)
}

fn fails(folder: &Path, arguments: &[&str]) -> String {
    let done = run(folder, arguments);
    let err = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{arguments:?}: {err}");
    assert!(!err.contains("Oostergaard") && done.stdout.is_empty(), "{err}");
    err
}

const TABLE: [&str; 6] =
    ["--table", "mails=mails.parquet", "--set", "insecure_seed=5", "--set", "tier=rules"];
const VEIL: &str = "SELECT id, veil(body, id) AS body, city FROM mails ORDER BY id";

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    TABLE.iter().copied().chain(more.iter().copied()).collect()
}

fn folder(rows: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_parquet(&folder.path().join("mails.parquet"), &mails(rows));
    folder
}

#[test]
fn a_query_is_written_with_its_receipt_and_can_be_read_again() {
    let folder = folder(30);
    let path = folder.path();
    for name in ["out.parquet", "out.csv", "out.jsonl"] {
        let receipt = format!("{name}.receipt.json");
        let (out, err) = ok(path, &with(&["-c", VEIL, "-o", name, "--receipt", &receipt]));
        assert!(out.is_empty() && err.contains("30 rows") && err.contains("released:"), "{err}");
        let file = std::fs::read(path.join(name)).unwrap();
        let kept = Receipt::from_json(&std::fs::read_to_string(path.join(&receipt)).unwrap()).unwrap();
        assert!(kept.verify().is_empty());
        assert_eq!(kept.release_sha256().unwrap(), inkveil::files::Sha256Sum::of(&file).to_string());
        let table = format!("veiled={name}");
        let (rows, _) = ok(
            path,
            &["--table", &table, "--format", "csv", "-c", "SELECT id, body FROM veiled ORDER BY id"],
        );
        let (printed, _) = ok(
            path,
            &with(&[
                "--format",
                "csv",
                "-q",
                "-c",
                "SELECT id, veil(body, id) AS body FROM mails ORDER BY id",
            ]),
        );
        assert_eq!(rows.lines().next(), Some("id,body"));
        assert!(rows.lines().count() >= 31 && name == "out.csv" || rows == printed, "{name}");
    }
    let exists = fails(path, &with(&["-c", VEIL, "-o", "out.csv"]));
    assert!(exists.contains("exists"), "{exists}");
    ok(path, &with(&["-c", VEIL, "-o", "out.csv", "--force"]));
}

#[test]
fn a_failed_query_leaves_no_file_and_is_charged_only_if_it_has_begun() {
    let folder = folder(30);
    let path = folder.path();
    std::fs::create_dir(path.join("out")).unwrap();
    let ledger = ["--set", "ledger=spent.ledger"];
    for sql in [
        "SELECT veil(body, id), CAST(body AS INT) FROM mails",
        "SELECT veil(body) FROM mails",
        "SELECT veil(body, id) FROM males",
        "SELECT veil(body, id FROM mails",
        "SELECT detect(body) FROM mails",
    ] {
        fails(
            path,
            &[&with(&ledger)[..], &["-c", sql, "-o", "out/a.csv", "--receipt", "out/a.json"]].concat(),
        );
        assert!(is_empty_folder(&path.join("out")), "{sql}");
        // The first query fails in its rows, and the others before.
        let spent = Ledger::open(path.join("spent.ledger")).unwrap().releases(Filter::default()).count();
        assert_eq!(spent, 1, "{sql}");
    }
    fails(path, &with(&["-c", VEIL, "-o", "out/a.xlsx"]));
    fails(path, &with(&["-c", "SELECT 1", "--receipt", "out/a.json"]));
    fails(path, &with(&["-c", VEIL, "-o", "out/a.csv", "--receipt", "out/a.csv"]));
    fails(path, &with(&["--set", "preset=none", "-c", VEIL]));
    fails(path, &["--table", "mails=missing.parquet", "-c", VEIL]);
    fails(path, &["--table", "mails", "-c", VEIL]);
    assert!(is_empty_folder(&path.join("out")));
}

#[test]
fn a_ledger_is_charged_once_and_a_limit_leaves_no_output() {
    use inkveil::Epsilon;
    use inkveil::ledger::{BudgetScope, Counted, Limit};
    let folder = folder(30);
    let path = folder.path();
    let ledger = ["--set", "ledger=spent.ledger", "--set", "preset=strict"];
    let releases = || Ledger::open(path.join("spent.ledger")).unwrap().releases(Filter::default()).count();
    ok(path, &[&with(&ledger)[..], &["-c", VEIL, "-o", "a.parquet", "--partitions", "4"]].concat());
    assert_eq!(releases(), 1);
    let scope = BudgetScope::Dataset("mails".to_owned());
    let limit = Limit::new(scope, Counted::EachMetric, Epsilon::new(0.001).unwrap());
    Ledger::open(path.join("spent.ledger")).unwrap().set_limit(&limit).unwrap();
    let err =
        fails(path, &[&with(&ledger)[..], &["-c", VEIL, "-o", "b.parquet", "--receipt", "b.json"]].concat());
    assert!(err.contains("exceed the limit") && err.matches("exceed").count() == 1, "{err}");
    assert!(!path.join("b.parquet").exists() && !path.join("b.json").exists());
    assert_eq!(releases(), 1);
}

#[test]
fn columns_that_the_format_cannot_hold_are_refused_before_the_charge() {
    let folder = folder(12);
    let path = folder.path();
    let ledger = ["--set", "ledger=spent.ledger", "--set", "preset=strict"];
    let sql = "SELECT veil(body, id) AS body, pii_kinds(body) AS kinds FROM mails";
    for more in [["-o", "a.csv"], ["--format", "csv"]] {
        let err = fails(path, &[&with(&ledger)[..], &["-c", sql], &more].concat());
        assert!(err.contains("CSV cannot hold"), "{err}");
    }
    let releases = || Ledger::open(path.join("spent.ledger")).unwrap().releases(Filter::default()).count();
    assert_eq!(releases(), 0);
    ok(path, &[&with(&ledger)[..], &["-c", sql, "-o", "a.jsonl"]].concat());
    assert_eq!(releases(), 1);
}

#[cfg(unix)]
#[test]
fn a_reader_that_closes_the_output_ends_the_program_quietly() {
    let folder = folder(3000);
    for format in ["csv", "jsonl", "table"] {
        let arguments =
            ["--table", "mails=mails.parquet", "--format", format, "-c", "SELECT id, body FROM mails"];
        let mut child =
            command(folder.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(141), "{format}: {}", String::from_utf8_lossy(&done.stderr));
        assert!(done.stderr.is_empty(), "{format}");
    }
}

#[test]
fn statements_come_from_standard_input_too() {
    use std::io::Write as _;
    let folder = folder(6);
    let mut shell = command(folder.path(), &["--table", "mails=mails.parquet", "--format", "csv", "-q"]);
    let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = "SET inkveil.id = 'id';\nSELECT count(*) AS n\n FROM mails;\nSELECT veil(body) AS v FROM mails LIMIT 1;\nSHOW inkveil.id;\n";
    shell.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let done = shell.wait_with_output().unwrap();
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success() && out.starts_with("n\n6\nv\n") && out.contains("inkveil.id,id"), "{out}");
    assert!(!out.contains("Oostergaard"));
}

#[test]
fn a_table_controls_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.jsonl"), "{\"id\": 1, \"body\": \"a \\u001b[2J \\u202e b\"}\n")
        .unwrap();
    let (out, _) = ok(folder.path(), &["--table", "a=a.jsonl", "-c", "SELECT body FROM a"]);
    assert!(out.contains("[2J") && !out.contains('\u{1b}') && !out.contains('\u{202e}'), "{out:?}");
    let twice = fails(folder.path(), &["--table", "a=a.jsonl", "--table", "a=a.jsonl", "-c", "SELECT 1"]);
    assert!(twice.contains("two tables are named a"), "{twice}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing() {
    let folder = folder(60_000);
    let path = folder.path();
    std::fs::create_dir(path.join("out")).unwrap();
    let mut child = command(path, &["--table", "mails=mails.parquet", "-c", VEIL, "-o", "out/a.parquet"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(4));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(is_empty_folder(&path.join("out")));
}

#[cfg(unix)]
#[test]
fn a_killed_query_leaves_no_output_and_an_exact_ledger() {
    let folder = folder(10_000);
    let path = folder.path();
    std::fs::create_dir(path.join("out")).unwrap();
    let ledger = path.join("spent.ledger");
    let entries = || match ledger.exists() {
        false => Vec::new(),
        true => {
            Ledger::open(&ledger).unwrap().releases(Filter::default()).map(Result::unwrap).collect::<Vec<_>>()
        }
    };
    let sql = "SELECT id, veil(body, id) AS body FROM mails ORDER BY id";
    let more = ["--set", "ledger=spent.ledger", "--set", "preset=strict", "--receipt", "out/a.json"];
    let arguments = with(&[&more[..], &["-c", sql, "-o", "out/a.parquet"]].concat());
    // While the cost is counted, after the charge, and in the middle of the rows.
    for (charges, pause) in [(0, 300), (1, 0), (1, 1500)] {
        let before = entries().len();
        let mut child = command(path, &arguments).stderr(Stdio::piped()).spawn().unwrap();
        let start = std::time::Instant::now();
        while entries().len() < before + charges && start.elapsed().as_secs() < 300 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        std::thread::sleep(std::time::Duration::from_millis(pause));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert!(status.code().is_none(), "the query ended before it was killed");
        assert_eq!(entries().len(), before + charges);
        let names = std::fs::read_dir(path.join("out")).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        // What is left has no name that a reader would take for an output.
        assert!(names.iter().all(|name| name.starts_with(".inkveil-")), "{names:?}");
    }
    let spent = entries();
    assert_eq!(spent.len(), 2);
    assert_eq!(spent[0].charges, spent[1].charges);
    assert!(Ledger::open(&ledger).unwrap().verify().unwrap().is_empty());
    // The next query does not notice.
    let sql = "SELECT id, veil(body, id) AS body FROM mails WHERE size < 200 ORDER BY id";
    ok(path, &with(&[&more[..], &["-c", sql, "-o", "out/a.parquet"]].concat()));
    ok(path, &with(&["-c", sql, "-o", "b.parquet", "--set", "preset=strict"]));
    assert!(
        std::fs::read(path.join("out/a.parquet")).unwrap() == std::fs::read(path.join("b.parquet")).unwrap()
    );
    assert_eq!(entries().len(), 3);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_query_of_one_partition_and_a_scan() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // A CSV file has large batches, and the engine computes one without a pause.
    let rows: String = (0..40_000).map(|row| format!("{row},\"{}\",Oslo\n", text(row))).collect();
    std::fs::write(path.join("mails.csv"), format!("id,body,city\n{rows}")).unwrap();
    std::fs::create_dir(path.join("out")).unwrap();
    let one = ["--table", "mails=mails.csv", "--partitions", "1", "-c", VEIL, "-o", "out/a.parquet"];
    for arguments in [&one[..], &["scan", ".", "--policy", "out/lake.toml"]] {
        let mut child = command(path, arguments).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(6));
        let pressed = std::time::Instant::now();
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{arguments:?}");
        assert!(pressed.elapsed() < std::time::Duration::from_secs(15), "{arguments:?}");
        assert!(is_empty_folder(&path.join("out")));
    }
}

#[test]
fn folders_that_are_no_tables_are_named() {
    let folder = folder(4);
    let path = folder.path();
    for (file, text) in [
        ("lake/years/2024/a.csv", "id\n1\n"),
        ("lake/mixed/a.csv", "id\n1\n"),
        ("lake/mixed/b.jsonl", "{\"id\": 1}\n"),
    ] {
        let file = path.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    std::fs::create_dir(path.join("lake/_notes")).unwrap();
    std::fs::copy(path.join("mails.parquet"), path.join("lake/mails.parquet")).unwrap();
    for arguments in [&["--folder", "lake", "-c", "SELECT count(*) FROM mails"][..], &["scan", "lake", "-q"]]
    {
        let (_, err) = ok(path, arguments);
        assert!(err.contains("years is left out") && err.contains("mixed is left out"), "{err}");
        assert!(!err.contains("_notes") && err.matches("left out").count() == 2, "{err}");
    }
}

#[test]
fn a_folder_is_scanned_and_read_under_its_policy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::create_dir(path.join("lake")).unwrap();
    write_parquet(&path.join("lake/mails.parquet"), &mails(40));
    let (report, _) = ok(path, &["scan", "lake", "--policy", "lake.toml", "-q"]);
    assert!(report.contains("person") && report.contains("veil"), "{report}");
    let (json, _) = ok(path, &["scan", "lake", "--json", "-q"]);
    assert!(json.contains("\"texts_with_findings\"") && !json.contains(NAME), "{json}");
    let read = ["--folder", "lake", "--policy", "lake.toml", "--format", "jsonl", "-q"];
    let err = fails(path, &[&read[..], &["-c", "SELECT * FROM mails"]].concat());
    assert!(err.contains("key_file or a ledger"), "{err}");
    ok(path, &["new-key", "noise.key"]);
    let read = [&read[..], &["--set", "key_file=noise.key"]].concat();
    let (rows, _) = ok(path, &[&read[..], &["-c", "SELECT * FROM mails"]].concat());
    assert_eq!(rows.lines().count(), 40);
    assert!(!rows.contains("Oostergaard"), "{rows}");
    std::fs::write(path.join("lake.toml"), "[tables.mail]\ncolumns = { body = \"mask\" }\n").unwrap();
    let err = fails(path, &[&read[..], &["-c", "SELECT * FROM mails"]].concat());
    assert!(err.contains("mails"), "{err}");
}

#[test]
fn vectors_are_written_with_their_receipt_and_clear_ones_are_private() {
    let folder = folder(12);
    let path = folder.path();
    let veiled = "SELECT id, veil_vector(embed(body), id) AS v, veil(city, id) AS city FROM mails";
    let more = ["--set", "vector_epsilon=130", "-o", "a.parquet", "--receipt", "a.json", "-c", veiled];
    let (_, err) = ok(path, &with(&more));
    assert!(err.matches("released:").count() == 2, "{err}");
    let receipts = std::fs::read_to_string(path.join("a.json")).unwrap();
    let receipts: Vec<Receipt> = receipts.lines().map(|line| Receipt::from_json(line).unwrap()).collect();
    let file = inkveil::files::Sha256Sum::of(&std::fs::read(path.join("a.parquet")).unwrap()).to_string();
    assert_eq!(receipts.len(), 2);
    assert!(receipts.iter().all(|receipt| receipt.verify().is_empty()));
    assert!(receipts.iter().all(|receipt| receipt.release_sha256() == Some(&file)));
    // One row in seven has no text.
    assert_eq!(receipts[1].count(), 11);
    let none = ["--set", "vector_epsilon=130", "-o", "n.parquet", "--receipt", "n.json", "-c"];
    let sql = "SELECT veil_vector(embed(body), id) AS v FROM mails WHERE id < 0";
    let (_, err) = ok(path, &with(&[&none[..], &[sql]].concat()));
    assert!(err.contains("no receipt") && !path.join("n.json").exists(), "{err}");
    ok(path, &with(&["-o", "b.parquet", "-c", "SELECT id, embed(body) AS v FROM mails"]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |name: &str| std::fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o077;
        assert_eq!(mode("b.parquet"), 0);
        assert_ne!(mode("a.parquet"), 0);
    }
}

#[test]
fn a_wrong_policy_or_a_damaged_table_is_named_and_nothing_leaves() {
    let folder = folder(300);
    let path = folder.path();
    std::fs::create_dir(path.join("out")).unwrap();
    let right = "[settings]\nledger = \"spent.ledger\"\n[tables.mails]\nid = \"id\"\n\
                 columns = { body = \"veil\", city = \"drop\" }\n";
    let read = ["--table", "mails=mails.parquet", "--policy", "lake.toml", "-o", "out/a.parquet", "-c"];
    let read = [&read[..], &["SELECT * FROM mails"]].concat();
    for (wrong, says) in [
        (right.replace("\"veil\"", "\"viel\""), &["lake.toml", "veil"][..]),
        (right.replace("body =", "bodi ="), &["the table mails", "body"]),
        (right.replace("id = \"id\"", "id = \"idd\""), &["the table mails", "id"]),
        (right.replace("[tables.mails]", "[tables.mial]"), &["mails"]),
        (right.replace("ledger =", "legder ="), &["lake.toml", "ledger"]),
    ] {
        std::fs::write(path.join("lake.toml"), wrong).unwrap();
        let err = fails(path, &read);
        assert!(says.iter().all(|word| err.contains(word)), "{says:?}: {err}");
        assert!(is_empty_folder(&path.join("out")) && !path.join("spent.ledger").exists());
    }
    std::fs::write(path.join("lake.toml"), right).unwrap();
    let table = path.join("mails.parquet");
    let mut damaged = std::fs::read(&table).unwrap();
    damaged[4..4000].iter_mut().for_each(|byte| *byte ^= 0x5a);
    std::fs::write(&table, damaged).unwrap();
    let err = fails(path, &read);
    assert!(err.contains("reads mails (mails.parquet)"), "{err}");
    let spent = Ledger::open(path.join("spent.ledger")).unwrap().releases(Filter::default()).count();
    assert!(is_empty_folder(&path.join("out")) && spent == 0);
}
