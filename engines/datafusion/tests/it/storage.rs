//! Tables and outputs in object storage, with the program as a user runs it.

use std::path::Path;
use std::process::{Command, Output};

use inkveil::Receipt;
use inkveil::ledger::{Filter, Ledger};

use crate::bucket::{Bucket, Fault};
use crate::tables::{mails, text, write_parquet};

const SECRET: &str = "hunter2hunter2";

fn command(bucket: &Bucket, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inkveil-sql"));
    command.current_dir(folder).args(arguments).env_remove("INKVEIL_LEDGER");
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", bucket.port));
    command.env("AWS_ACCESS_KEY_ID", "AKIATESTID").env("AWS_SECRET_ACCESS_KEY", SECRET);
    // A proxy would see what is not encrypted. There is none at this port.
    for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env(proxy, "http://127.0.0.1:9");
    }
    command
}

fn run(bucket: &Bucket, folder: &Path, arguments: &[&str]) -> Output {
    let done = command(bucket, folder, arguments).output().unwrap();
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(!err.contains(SECRET) && !err.contains("AKIATESTID") && !err.contains("Oostergaard"), "{err}");
    done
}

fn ok(bucket: &Bucket, folder: &Path, arguments: &[&str]) -> String {
    let done = run(bucket, folder, arguments);
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn fails(bucket: &Bucket, folder: &Path, arguments: &[&str]) -> String {
    let done = run(bucket, folder, arguments);
    let err = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{arguments:?}: {err}");
    assert!(done.stdout.is_empty());
    err
}

/// A bucket with one table in four forms.
fn filled() -> (Bucket, tempfile::TempDir) {
    let (bucket, folder) = (Bucket::start(), tempfile::tempdir().unwrap());
    let file = write_parquet(&folder.path().join("mails.parquet"), &mails(120));
    let parquet = std::fs::read(file).unwrap();
    bucket.put("lake/mails.parquet", parquet.clone());
    bucket.put("lake/in parts/part-1.parquet", parquet);
    bucket.put("lake/in parts/_SUCCESS", Vec::new());
    let lines: String = (0..120)
        .filter(|row| row % 7 != 6)
        .map(|row| format!("{{\"id\": {}, \"body\": \"{}\"}}\n", row * 3 + 1, text(row)))
        .collect();
    bucket.put("lake/letters.jsonl", lines.into_bytes());
    bucket.put("lake/mixed/a.csv", b"id\n1\n".to_vec());
    bucket.put("lake/mixed/b.jsonl", b"{\"id\": 1}\n".to_vec());
    (bucket, folder)
}

const VEIL: &str = "SELECT id, veil(body, id) AS body FROM mails WHERE body IS NOT NULL ORDER BY id";

fn veil<'a>(table: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let first = ["--table", table, "--set", "insecure_seed=5", "--set", "tier=rules", "-q", "-c", VEIL];
    first.iter().chain(more).copied().collect()
}

#[test]
fn tables_in_object_storage_give_the_bytes_of_files() {
    let (bucket, folder) = filled();
    let path = folder.path();
    let local = ok(&bucket, path, &veil("mails=mails.parquet", &["--format", "csv"]));
    // The rules find numbers and addresses, and no names.
    assert!(local.lines().count() > 100 && !local.contains("31 20 555") && !local.contains("w.oostergaard"));
    for place in
        ["s3://lake/mails.parquet", "s3://lake/in parts/", "s3://lake/in parts", "s3://lake/letters.jsonl"]
    {
        let table = format!("mails={place}");
        assert_eq!(ok(&bucket, path, &veil(&table, &["--format", "csv"])), local, "{place}");
    }
}

/// docs/results/sql.md and `scripts/sql-model` have these numbers.
#[test]
fn a_parquet_object_is_read_with_few_requests() {
    let (bucket, folder) = (Bucket::start(), tempfile::tempdir().unwrap());
    let requests = |groups: usize| {
        let file = write_parquet(&folder.path().join("mails.parquet"), &mails(50 * groups));
        bucket.put("lake/mails.parquet", std::fs::read(file).unwrap());
        bucket.state().requests.clear();
        let one = ["--format", "csv", "--partitions", "1"];
        ok(&bucket, folder.path(), &veil("mails=s3://lake/mails.parquet", &one));
        bucket.state().requests.len()
    };
    let (one, eleven) = (requests(1), requests(11));
    // Five of them do not depend on the row groups.
    assert_eq!((one, eleven - one), (6, 10));
}

#[test]
fn an_output_appears_whole_with_its_receipt() {
    let (bucket, folder) = filled();
    let path = folder.path();
    let place = ["-o", "s3://lake/out/a.parquet", "--receipt", "s3://lake/out/a.json"];
    ok(&bucket, path, &veil("mails=s3://lake/mails.parquet", &place));
    assert!(bucket.state().uploads.is_empty());
    let object = bucket.state().objects["lake/out/a.parquet"].clone();
    let receipt = String::from_utf8(bucket.state().objects["lake/out/a.json"].clone()).unwrap();
    let receipt = Receipt::from_json(&receipt).unwrap();
    assert_eq!(receipt.release_sha256().unwrap(), inkveil::files::Sha256Sum::of(&object).to_string());
    ok(&bucket, path, &veil("mails=mails.parquet", &["-o", "a.parquet"]));
    assert_eq!(std::fs::read(path.join("a.parquet")).unwrap(), object);
    // An object that exists is kept.
    for again in [&place[..2], &["-o", "s3://lake/out/b.parquet", "--receipt", "s3://lake/out/a.json"]] {
        let err = fails(&bucket, path, &veil("mails=s3://lake/mails.parquet", again));
        assert!(err.contains("exists"), "{err}");
    }
    assert!(bucket.state().uploads.is_empty() && !bucket.keys().contains(&"lake/out/b.parquet".to_owned()));
    // A query is not charged for an output or a receipt that cannot be written.
    for wrong in [
        &["-o", "c.parquet", "--receipt", "s3://lake/out/a.json"][..],
        &["-o", "s3://lake/out/a.parquet"],
        &["-o", "c.parquet", "--receipt", "s3://lake"],
        &["-o", "c.parquet", "--receipt", "s3://lake/", "--force"],
        &["-o", "s3://lake.parquet"],
    ] {
        let charged = [wrong, &["--set", "ledger=spent.ledger", "--set", "preset=strict"]].concat();
        let err = fails(&bucket, path, &veil("mails=s3://lake/mails.parquet", &charged));
        assert!(err.contains("exists") || err.contains("is a bucket"), "{err}");
        let spent = path.join("spent.ledger");
        assert!(
            !spent.exists() || Ledger::open(&spent).unwrap().releases(Filter::default()).next().is_none()
        );
        assert!(!path.join("c.parquet").exists());
    }
    let about_bucket =
        |request: &String| request.starts_with("PUT lake ") || request.starts_with("PUT lake/ ");
    assert!(!bucket.state().requests.iter().any(about_bucket));
    assert_eq!(bucket.state().objects["lake/out/a.parquet"], object);
    ok(&bucket, path, &veil("mails=s3://lake/mails.parquet", &[&place[..], &["--force"]].concat()));
    let same = veil("mails=mails.parquet", &["-o", "s3://lake/o.csv", "--receipt", "s3://lake/o.csv"]);
    assert!(fails(&bucket, path, &same).contains("same object"));
}

/// A query whose output has several parts.
const LARGE: &str = "SELECT id, repeat(body, 60) AS body, CAST(CASE WHEN size = LAST THEN 'x' ELSE '1' END AS INT) AS n \
                     FROM mails ORDER BY size";

#[test]
fn a_large_output_is_sent_in_parts() {
    let (bucket, folder) = (Bucket::start(), tempfile::tempdir().unwrap());
    let path = folder.path();
    write_parquet(&path.join("mails.parquet"), &mails(12_000));
    let sql = LARGE.replace("LAST", "-1");
    let query = ["--table", "mails=mails.parquet", "-q", "-c", &sql];
    ok(&bucket, path, &[&query[..], &["-o", "s3://lake/a.csv"]].concat());
    ok(&bucket, path, &[&query[..], &["-o", "a.csv"]].concat());
    let local = std::fs::read(path.join("a.csv")).unwrap();
    assert!(local.len() > 32 << 20, "{}", local.len());
    assert!(bucket.state().objects["lake/a.csv"] == local);
    let parts = bucket.state().requests.iter().filter(|request| request.contains("partNumber")).count();
    assert_eq!(parts, local.len().div_ceil(16 << 20));
    // Nothing is left where a part or the end is refused, or where the query fails in its last row.
    for (fault, last) in [(Some(Fault::Part(2)), "-1"), (Some(Fault::Complete), "-1"), (None, "11999")] {
        bucket.state().fault = fault;
        let sql = LARGE.replace("LAST", last);
        let err = fails(
            &bucket,
            path,
            &["--table", "mails=mails.parquet", "-q", "-c", &sql, "-o", "s3://lake/b.csv"],
        );
        assert!(
            err.contains(if fault.is_some() { "refuses the access" } else { "the query failed" }),
            "{err}"
        );
        assert!(bucket.state().uploads.is_empty(), "{fault:?}");
        assert_eq!(bucket.keys(), ["lake/a.csv"], "{fault:?}");
    }
}

#[test]
fn a_refused_output_takes_its_receipt_back_and_a_limit_leaves_nothing() {
    let (bucket, folder) = filled();
    let path = folder.path();
    let before = bucket.keys();
    bucket.state().fault = Some(Fault::Complete);
    let place = ["-o", "s3://lake/a.csv", "--receipt", "s3://lake/a.json", "--set", "ledger=spent.ledger"];
    fails(&bucket, path, &veil("mails=s3://lake/mails.parquet", &place));
    assert_eq!(bucket.keys(), before);
    bucket.state().fault = None;
    let releases = || Ledger::open(path.join("spent.ledger")).unwrap().releases(Filter::default()).count();
    // The rows were computed and sent, so they stay charged.
    assert_eq!(releases(), 1);
    use inkveil::Epsilon;
    use inkveil::ledger::{BudgetScope, Counted, Limit};
    let scope = BudgetScope::Dataset("mails".to_owned());
    let limit = Limit::new(scope, Counted::EachMetric, Epsilon::new(0.001).unwrap());
    Ledger::open(path.join("spent.ledger")).unwrap().set_limit(&limit).unwrap();
    let strict = [&place[..], &["--set", "preset=strict"]].concat();
    let err = fails(&bucket, path, &veil("mails=s3://lake/mails.parquet", &strict));
    assert!(err.contains("limit"), "{err}");
    assert!(bucket.keys() == before && bucket.state().uploads.is_empty() && releases() == 1);
}

#[test]
fn a_refused_output_leaves_the_earlier_receipt() {
    let (bucket, folder) = filled();
    let path = folder.path();
    let place = ["-o", "s3://lake/a.csv", "--receipt", "s3://lake/a.json"];
    let in_file = ["-o", "s3://lake/b.csv", "--receipt", "b.json"];
    for place in [place, in_file] {
        ok(&bucket, path, &veil("mails=mails.parquet", &place));
    }
    let before = bucket.state().objects.clone();
    let receipt = std::fs::read(path.join("b.json")).unwrap();
    let files = || std::fs::read_dir(path).unwrap().count();
    let count = files();
    // Other settings give another output and another receipt.
    let others = ["--force", "--set", "preset=placeholders"];
    let again = |place: &[&'static str]| {
        veil("mails=mails.parquet", &[place, &others].concat())
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let run_again = |place: &[&'static str]| {
        let arguments = again(place);
        run(&bucket, path, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    bucket.state().fault = Some(Fault::Complete);
    for place in [&place, &in_file, &["-o", "s3://lake/c.csv", "--receipt", "c.json"]] {
        assert_eq!(run_again(place).status.code(), Some(1));
        assert!(bucket.state().objects == before && bucket.state().uploads.is_empty());
        assert!(std::fs::read(path.join("b.json")).unwrap() == receipt && files() == count);
    }
    // If the storage then refuses everything, the earlier receipt is under another name, which is told.
    bucket.state().fault = Some(Fault::CompleteAndRest);
    let done = run_again(&place);
    let err = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(err.contains("they are in s3://lake/a.json.earlier"), "{err}");
    assert_eq!(bucket.state().objects["lake/a.json.earlier"], before["lake/a.json"]);
    assert_eq!(bucket.state().objects["lake/a.csv"], before["lake/a.csv"]);
    // The next query replaces both, and leaves the earlier receipt.
    bucket.state().fault = None;
    for place in [&place, &in_file] {
        assert!(run_again(place).status.success());
    }
    let after = bucket.state().objects.clone();
    assert!(after["lake/a.csv"] != before["lake/a.csv"] && after["lake/a.json"] != before["lake/a.json"]);
    assert_eq!(after["lake/a.json.earlier"], before["lake/a.json"]);
    assert_eq!((after.len(), files()), (before.len() + 1, count));
    assert_ne!(std::fs::read(path.join("b.json")).unwrap(), receipt);
}

#[test]
fn a_storage_that_refuses_is_told_without_its_words() {
    let (bucket, folder) = filled();
    let path = folder.path();
    bucket.state().fault = Some(Fault::Forbidden);
    let err = fails(&bucket, path, &veil("mails=s3://lake/mails.parquet", &[]));
    assert!(err.contains("s3://lake/mails.parquet") && err.contains("AWS_ACCESS_KEY_ID"), "{err}");
    assert!(!err.contains("Signature"), "{err}");
    for table in ["mails=s3://lake/in parts", "mails=s3://lake"] {
        let err = fails(&bucket, path, &veil(table, &[]));
        assert!(err.contains("refuses the access") && !err.contains("Signature"), "{err}");
    }
    let err = fails(&bucket, path, &veil("mails=mails.parquet", &["-o", "s3://lake/b.csv"]));
    assert!(err.contains("refuses the access"), "{err}");
    bucket.state().fault = None;
    for (place, words) in [
        ("s3://lake/missing.parquet", "no such object"),
        ("s3://lake/missing", "no such object"),
        ("s3://lake/mixed", "is not a table"),
        ("s3://id:hunter2hunter2@lake/a.csv", "s3://BUCKET/KEY"),
        ("https://lake.example.org/a.csv", "s3://BUCKET/KEY"),
    ] {
        let table = format!("mails={place}");
        let err = fails(&bucket, path, &veil(&table, &[]));
        assert!(err.contains(words), "{place}: {err}");
    }
    let mut none = command(&bucket, path, &veil("mails=s3://lake/mails.parquet", &[]));
    let none = none.env_remove("AWS_SECRET_ACCESS_KEY").output().unwrap();
    assert!(String::from_utf8_lossy(&none.stderr).contains("no credentials"));
    let mut clear = command(&bucket, path, &veil("mails=s3://lake/mails.parquet", &[]));
    let clear = clear.env("AWS_ENDPOINT_URL", "http://storage.example.org").output().unwrap();
    assert!(String::from_utf8_lossy(&clear.stderr).contains("not encrypted"));
}

#[test]
fn a_redirect_is_not_followed() {
    let (bucket, other) = (Bucket::start(), Bucket::start());
    let folder = tempfile::tempdir().unwrap();
    bucket.state().fault = Some(Fault::Redirected(other.port));
    fails(&bucket, folder.path(), &veil("mails=s3://lake/mails.parquet", &[]));
    assert!(other.state().requests.is_empty());
}

#[test]
fn private_rows_are_not_written_to_object_storage() {
    let (bucket, folder) = filled();
    let sql = "SELECT embed(body) AS v FROM mails";
    let arguments = ["--table", "mails=s3://lake/mails.parquet", "-c", sql, "-o", "s3://lake/v.parquet"];
    let err = fails(&bucket, folder.path(), &arguments);
    assert!(
        err.contains("write them to a file") && !bucket.keys().contains(&"lake/v.parquet".to_owned()),
        "{err}"
    );
}

#[test]
fn a_folder_is_scanned_and_read_under_its_policy() {
    let (bucket, folder) = filled();
    let path = folder.path();
    let scanned =
        run(&bucket, path, &["scan", "s3://lake/", "--policy", "lake.toml", "--set", "tier=rules", "-q"]);
    let (report, err) = (String::from_utf8_lossy(&scanned.stdout), String::from_utf8_lossy(&scanned.stderr));
    assert!(scanned.status.success() && err.contains("mixed is left out"), "{err}");
    assert!(
        report.contains("in_parts") && report.contains("letters") && report.contains("mails"),
        "{report}"
    );
    assert!(!report.contains("Oostergaard"), "{report}");
    ok(&bucket, path, &["new-key", "noise.key"]);
    let read = [
        "--folder",
        "s3://lake",
        "--policy",
        "lake.toml",
        "--set",
        "key_file=noise.key",
        "--format",
        "jsonl",
    ];
    let rows = ok(&bucket, path, &[&read[..], &["-q", "-c", "SELECT * FROM letters"]].concat());
    assert!(rows.lines().count() > 100 && !rows.contains("31 20 555"), "{rows}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_or_killed_query_leaves_no_object() {
    let (bucket, folder) = (Bucket::start(), tempfile::tempdir().unwrap());
    let path = folder.path();
    write_parquet(&path.join("mails.parquet"), &mails(60_000));
    for signal in ["-INT", "-KILL"] {
        let place = ["-o", "s3://lake/a.csv", "--receipt", "s3://lake/a.json"];
        let mut child = command(&bucket, path, &veil("mails=mails.parquet", &place)).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(4));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let status = child.wait().unwrap();
        assert!(bucket.keys().is_empty(), "{signal}");
        // A program that is killed cannot abort its upload, which has no name.
        assert_eq!(
            (status.code() == Some(130), bucket.state().uploads.is_empty()),
            (signal == "-INT", signal == "-INT")
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_at_the_end_leaves_the_output_and_its_receipt_together() {
    let (bucket, folder) = filled();
    bucket.state().fault = Some(Fault::Slow);
    let place = ["-o", "s3://lake/a.csv", "--receipt", "s3://lake/a.json"];
    let mut child = command(&bucket, folder.path(), &veil("mails=mails.parquet", &place)).spawn().unwrap();
    let start = std::time::Instant::now();
    let has = |key: &str| bucket.state().objects.contains_key(key);
    while !has("lake/a.json") && start.elapsed().as_secs() < 300 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // The storage gives the output its name now.
    assert!(!has("lake/a.csv"));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(has("lake/a.csv") && has("lake/a.json") && bucket.state().uploads.is_empty());
}
