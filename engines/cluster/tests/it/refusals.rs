//! What a cluster refuses, before anything is charged.

use inkveil::ledger::{Filter, Ledger};

use crate::processes::{TestCluster, mails};

#[test]
fn plans_that_would_write_raw_texts_are_refused_and_charge_nothing() {
    let cluster = TestCluster::start(1);
    let table = cluster.path("mails.parquet");
    mails(&table, 20, 10);
    let ledger = cluster.path("spent.ledger");
    let setting = format!("ledger={}", ledger.to_str().unwrap());
    for (sql, told) in [
        ("SELECT body, veil(body, id) AS v FROM mails", "\"body\""),
        ("SELECT substr(body, 1, 3) AS s, veil(body, id) AS v FROM mails", "\"s\""),
        (
            "SELECT veil(body, id) AS v FROM (SELECT * FROM mails ORDER BY size LIMIT 5)",
            "Veil each table first",
        ),
        (
            "SELECT veil(m.body, m.id) AS v FROM mails m JOIN mails n ON m.id = n.size",
            "Veil each table first",
        ),
        ("SELECT id, pii_kinds(body) AS k, veil(body, id) AS v FROM mails", "pii_kinds()"),
        ("SELECT id, body FROM mails", "veils and masks nothing"),
        ("SELECT embed(body) AS e, mask(body) AS m FROM mails", "\"e\""),
    ] {
        let said = cluster.refuses(&table, sql, &["--set", &setting]);
        assert!(said.contains(told), "{sql}: {said}");
    }
    let charged =
        if ledger.exists() { Ledger::open(&ledger).unwrap().releases(Filter::default()).count() } else { 0 };
    assert_eq!(charged, 0);
    // A text that is the id of a row may stay, because rows need ids.
    let sql = "SELECT city, veil(body, city) AS v FROM mails";
    cluster.query(&table, sql, "ids.csv", &["--set", "ledger=none"]);
    cluster.check_silence();
}

#[test]
fn an_executor_with_another_pack_refuses_the_task() {
    let cluster = TestCluster::with(1, &["--pack", "/nonexistent/pack"]);
    let table = cluster.path("mails.parquet");
    mails(&table, 20, 10);
    let said = cluster.refuses(&table, "SELECT veil(body, id) AS v FROM mails", &[]);
    assert!(said.contains("pack"), "{said}");
    // The names of the default pack, with another manifest.
    let other = TestCluster::start(0);
    let pack = other.path("pack");
    copy_pack(&pack);
    let mut other = other;
    other.add_executor(&["--pack", pack.to_str().unwrap()]);
    let table = other.path("mails.parquet");
    mails(&table, 20, 10);
    let said = other.refuses(&table, "SELECT veil(body, id) AS v FROM mails", &[]);
    assert!(said.contains("other settings or models"), "{said}");
    other.check_silence();
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(std::fs::copy(&path, &to).unwrap()),
        }
    }
}

/// A copy of the default pack with one changed byte in its manifest.
fn copy_pack(to: &std::path::Path) {
    let from = inkveil::pack_folder(inkveil::DEFAULT_PACK).unwrap();
    copy(&from, to);
    let manifest = std::fs::read_to_string(from.join("manifest.json")).unwrap();
    let changed = manifest.replacen("\"en\"", "\"eo\"", 1);
    assert_ne!(manifest, changed);
    std::fs::write(to.join("manifest.json"), changed).unwrap();
}

#[test]
fn a_file_that_changes_after_it_was_counted_is_refused() {
    let cluster = TestCluster::start(1);
    let table = cluster.path("mails.parquet");
    mails(&table, 4000, 100);
    let running = cluster.begin(
        &table,
        "SELECT veil(body, id) AS v FROM mails",
        "out.parquet",
        &["--partitions", "30"],
    );
    crate::processes::wait("the executor to begin", || cluster.has_begun(0));
    let file = std::fs::OpenOptions::new().append(true).open(&table).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let said = crate::processes::failure(&running.end());
    assert!(said.contains("has changed since"), "{said}");
    assert!(!cluster.path("out.parquet").exists());
    cluster.check_silence();
}

#[test]
fn an_error_of_a_row_shows_no_text() {
    let cluster = TestCluster::start(1);
    let table = cluster.path("mails.parquet");
    mails(&table, 20, 10);
    let sql = "SELECT CAST(substr(body, 6) AS BIGINT) AS n, veil(body, id) AS v FROM mails";
    let said = cluster.refuses(&table, sql, &[]);
    assert!(said.contains("cannot be converted"), "{said}");
    let said = cluster.refuses(&table, "SELECT veil(body, nullif(id, 4)) AS v FROM mails", &[]);
    assert!(said.contains("the id of a row is null"), "{said}");
    cluster.check_silence();
}
