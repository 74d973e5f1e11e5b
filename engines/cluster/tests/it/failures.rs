//! Programs that are killed (kill -9) while a query runs.

use inkveil::ledger::{Filter, Ledger};

use crate::processes::{TestCluster, failure, mails, wait};
use crate::queries::alone;

const VEIL: &str = "SELECT id, size, veil(body, id) AS body FROM mails ORDER BY id";

#[test]
fn a_killed_executor_loses_and_doubles_no_row() {
    for is_charged in [false, true] {
        let mut cluster = TestCluster::start(2);
        let table = cluster.path("mails.parquet");
        mails(&table, 40000, 1000);
        let expected = alone(&table, VEIL, &cluster.path("alone.parquet"), &[]);
        // Executors open the models in the first query.
        cluster.query(&table, VEIL, "first.parquet", &[]);
        wait("the rows to be removed", || !cluster.has_begun(0) && !cluster.has_begun(1));
        let ledger = cluster.path("spent.ledger");
        let charged = format!("ledger={}", ledger.to_str().unwrap());
        let setting = if is_charged { charged.as_str() } else { "ledger=none" };
        let running = cluster.begin(&table, VEIL, "out.parquet", &["--partitions", "40", "--set", setting]);
        // The first job counts, and the second one veils.
        match is_charged {
            false => wait("both executors to begin", || cluster.has_begun(0) && cluster.has_begun(1)),
            true => wait("the charge", || charges(&ledger) > 0),
        }
        cluster.executors[1].kill();
        let done = running.end();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        match done.status.success() {
            true => assert!(std::fs::read(cluster.path("out.parquet")).unwrap() == expected, "other bytes"),
            // The query had ended, and the executor died before its rows were fetched.
            false => {
                assert!(said.contains("executor"), "{said}");
                assert!(!cluster.path("out.parquet").exists());
            }
        }
        println!(
            "killed executor: {}",
            if done.status.success() { "equal bytes" } else { "nothing was written" }
        );
        assert_eq!(charges(&ledger), usize::from(is_charged));
        cluster.check_silence();
    }
}

#[test]
fn a_stopped_executor_loses_and_doubles_no_row() {
    let mut cluster = TestCluster::start(2);
    let table = cluster.path("mails.parquet");
    mails(&table, 40000, 1000);
    let expected = alone(&table, VEIL, &cluster.path("alone.parquet"), &[]);
    cluster.query(&table, VEIL, "first.parquet", &[]);
    wait("the rows to be removed", || !cluster.has_begun(0) && !cluster.has_begun(1));
    let running = cluster.begin(&table, VEIL, "out.parquet", &["--partitions", "40"]);
    wait("both executors to begin", || cluster.has_begun(0) && cluster.has_begun(1));
    cluster.executors[1].stop();
    assert!(!cluster.has_begun(1));
    let done = running.end();
    match done.status.success() {
        true => assert!(std::fs::read(cluster.path("out.parquet")).unwrap() == expected, "other bytes"),
        false => assert!(!cluster.path("out.parquet").exists()),
    }
    cluster.check_silence();
}

#[test]
fn the_loss_of_all_executors_ends_the_query_and_writes_nothing() {
    let mut cluster = TestCluster::start(1);
    let table = cluster.path("mails.parquet");
    mails(&table, 40000, 1000);
    let running = cluster.begin(&table, VEIL, "out.parquet", &["--partitions", "40"]);
    wait("the executor to begin", || cluster.has_begun(0));
    cluster.executors[0].kill();
    let said = failure(&running.end());
    assert!(said.contains("all executors were lost"), "{said}");
    assert!(!cluster.path("out.parquet").exists());
}

#[test]
fn a_killed_scheduler_ends_the_query_with_one_charge_and_no_file() {
    for is_charged in [false, true] {
        let mut cluster = TestCluster::start(2);
        let table = cluster.path("mails.parquet");
        mails(&table, 40000, 1000);
        let ledger = cluster.path("spent.ledger");
        let setting = format!("ledger={}", ledger.to_str().unwrap());
        let receipt = cluster.path("receipt.json");
        let more = ["--partitions", "40", "--set", &setting, "--receipt", receipt.to_str().unwrap()];
        let running = cluster.begin(&table, VEIL, "out.parquet", &more);
        // The first job counts, and the second one veils.
        match is_charged {
            false => wait("an executor to begin", || cluster.has_begun(0) || cluster.has_begun(1)),
            true => wait("the charge", || charges(&ledger) > 0),
        }
        cluster.scheduler.kill();
        let said = failure(&running.end());
        assert!(said.contains("scheduler"), "{said}");
        assert!(!cluster.path("out.parquet").exists() && !receipt.exists());
        assert_eq!(charges(&ledger), usize::from(is_charged));
        cluster.check_silence();
    }
}

/// The number of releases in a ledger.
fn charges(ledger: &std::path::Path) -> usize {
    match ledger.exists() {
        true => Ledger::open(ledger).map_or(0, |ledger| ledger.releases(Filter::default()).count()),
        false => 0,
    }
}

#[test]
fn an_interrupted_client_leaves_nothing() {
    let cluster = TestCluster::start(1);
    let table = cluster.path("mails.parquet");
    mails(&table, 40000, 1000);
    let running = cluster.begin(&table, VEIL, "out.parquet", &["--partitions", "40"]);
    wait("the executor to begin", || cluster.has_begun(0));
    running.interrupt();
    assert_eq!(running.end().status.code(), Some(130));
    assert!(!cluster.path("out.parquet").exists());
    wait("the rows to be removed", || !cluster.has_begun(0));
}
