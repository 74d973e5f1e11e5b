//! Queries give the bytes of one machine, are charged once, and leave nothing on executors.

use std::path::Path;

use inkveil::Receipt;
use inkveil::files::Output;
use inkveil::ledger::{Filter, Ledger};
use inkveil_datafusion::{Engine, EngineOptions, OutputFormat, RowOutput, TableFile};

use crate::processes::{TestCluster, entries, mails, wait};

const VEIL: &str = "SELECT id, size, veil(body, id) AS body FROM mails ORDER BY id";

/// The file that one machine writes.
pub(crate) fn alone(table: &Path, sql: &str, output: &Path, settings: &[(&str, &str)]) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let tables = [TableFile { name: "mails".into(), path: table.to_owned() }];
        let options = EngineOptions { partitions: Some(2), batch_size: None };
        let engine = Engine::with_tables(options, &tables, None).await.unwrap();
        for (name, value) in
            [("insecure_seed", "5"), ("tier", "rules"), ("ledger", "none")].iter().chain(settings)
        {
            engine.set(name, value).unwrap();
        }
        let query = engine.prepare_one(sql).await.unwrap();
        let mut running = engine.start(query).await.unwrap();
        let format = OutputFormat::of(output).unwrap();
        let mut rows =
            RowOutput::start(Output::file(output, true).unwrap(), format, &running.schema()).unwrap();
        while let Some(batch) = running.next().await.unwrap() {
            rows.write(batch).unwrap();
        }
        rows.finish().unwrap().commit().unwrap();
        std::fs::read(output).unwrap()
    })
}

#[test]
fn one_and_two_executors_give_the_bytes_of_one_machine() {
    let mut cluster = TestCluster::start(1);
    let table = cluster.path("mails.parquet");
    mails(&table, 600, 50);
    let sqls = [
        VEIL,
        "SELECT id, veil(body, id) AS a, veil(city, id) AS b FROM mails ORDER BY id",
        "SELECT id, mask(body) AS body FROM mails WHERE size > 3 AND body LIKE '%0%' ORDER BY id",
        "SELECT size, count(*) AS n, min(v) AS v FROM (SELECT size, veil(body, id) AS v FROM mails) GROUP BY size ORDER BY size",
        "SELECT id, upper(veil(body, id)) AS body FROM mails ORDER BY id LIMIT 20",
        "SELECT a.id, a.v, b.w FROM (SELECT id, veil(body, id) AS v FROM mails) AS a JOIN (SELECT id, mask(city) AS w FROM mails) \
         AS b ON a.id = b.id ORDER BY a.id",
    ];
    for executors in [1, 2] {
        if executors == 2 {
            cluster.add_executor(&[]);
        }
        for (at, sql) in sqls.into_iter().enumerate() {
            for (ending, partitions) in [("parquet", "1"), ("csv", "7")] {
                let expected = alone(&table, sql, &cluster.path(&format!("alone.{ending}")), &[]);
                let output = format!("out-{executors}-{at}-{partitions}.{ending}");
                let found = cluster.query(&table, sql, &output, &["--partitions", partitions]);
                assert!(found == expected, "{executors} executors, {partitions} partitions: {sql}");
            }
        }
    }
    cluster.check_silence();
}

#[test]
fn both_executors_work_and_remove_their_rows_after_each_job() {
    let cluster = TestCluster::start(2);
    let table = cluster.path("mails.parquet");
    mails(&table, 40000, 1000);
    // Executors open the models in the first query.
    cluster.query(&table, VEIL, "first.parquet", &[]);
    wait("the rows to be removed", || entries(&cluster.work(0)) + entries(&cluster.work(1)) == 0);
    let running = cluster.begin(&table, VEIL, "out.parquet", &["--partitions", "40"]);
    let mut seen = [false, false];
    wait("both executors to begin", || {
        [0, 1].into_iter().for_each(|executor| seen[executor] |= cluster.has_begun(executor));
        seen == [true, true]
    });
    assert!(running.end().status.success());
    wait("the rows to be removed", || entries(&cluster.work(0)) + entries(&cluster.work(1)) == 0);
    cluster.check_silence();
}

#[test]
fn rows_are_removed_when_an_executor_starts_and_ends() {
    let mut cluster = TestCluster::start(1);
    let table = cluster.path("mails.parquet");
    mails(&table, 2000, 100);
    let running = cluster.begin(&table, VEIL, "out.parquet", &[]);
    wait("the executor to begin", || cluster.has_begun(0));
    cluster.executors[0].kill();
    drop(running);
    assert_eq!(entries(&cluster.work(0)), 1);
    let (files, work) = (cluster.files(), cluster.work(0));
    let scheduler = cluster.scheduler.address.clone();
    let arguments = ["executor", "--scheduler", &scheduler, "--bind", "127.0.0.1:0", "--cluster", &files];
    let mut again =
        crate::processes::Server::start(&[&arguments[..], &["--work", work.to_str().unwrap()]].concat());
    assert_eq!(entries(&work), 0);
    std::fs::create_dir(work.join("left")).unwrap();
    again.stop();
    assert_eq!(entries(&work), 0);
}

#[test]
fn csv_and_json_lines_and_folders_are_read() {
    let cluster = TestCluster::start(2);
    let parquet = cluster.path("mails.parquet");
    mails(&parquet, 300, 40);
    for ending in ["csv", "jsonl"] {
        // The unveiled table in another format.
        let table = cluster.path(&format!("mails.{ending}"));
        alone(&parquet, "SELECT * FROM mails ORDER BY id", &table, &[]);
        let expected = alone(&table, VEIL, &cluster.path("alone.parquet"), &[]);
        assert!(cluster.query(&table, VEIL, &format!("out-{ending}.parquet"), &[]) == expected, "{ending}");
    }
    let lake = cluster.path("lake");
    std::fs::create_dir(&lake).unwrap();
    for part in 0..5 {
        let sql = format!("SELECT * FROM mails WHERE id % 5 = {part} ORDER BY id");
        alone(&parquet, &sql, &lake.join(format!("part-{part}.parquet")), &[]);
    }
    let expected = alone(&lake, VEIL, &cluster.path("alone.parquet"), &[]);
    assert!(cluster.query(&lake, VEIL, "out-lake.parquet", &[]) == expected);
}

#[test]
fn vectors_give_the_bytes_of_one_machine() {
    let cluster = TestCluster::start(2);
    let table = cluster.path("vectors.parquet");
    let source = cluster.path("mails.parquet");
    mails(&source, 200, 40);
    alone(
        &source,
        "SELECT id, make_array(size * 1.0, id * 0.01, 0.5) AS vector FROM mails ORDER BY id",
        &table,
        &[],
    );
    let sql = "SELECT id, veil_vector(vector, id) AS vector FROM mails ORDER BY id";
    let expected = alone(&table, sql, &cluster.path("alone.parquet"), &[("vector_epsilon", "30")]);
    let receipt = cluster.path("receipt.json");
    let more = ["--set", "vector_epsilon=30", "--receipt", receipt.to_str().unwrap()];
    assert!(cluster.query(&table, sql, "out.parquet", &more) == expected);
    let kept = Receipt::from_json(&std::fs::read_to_string(&receipt).unwrap()).unwrap();
    assert_eq!(kept.count(), 200);
    let raw =
        cluster.refuses(&table, "SELECT id, vector, veil_vector(vector, id) AS v FROM mails", &more[..2]);
    assert!(raw.contains("vector"), "{raw}");
}

#[test]
fn a_query_is_charged_once_and_its_receipt_is_that_of_one_machine() {
    let cluster = TestCluster::start(2);
    let table = cluster.path("mails.parquet");
    mails(&table, 300, 30);
    let ledger = cluster.path("spent.ledger");
    let setting = format!("ledger={}", ledger.to_str().unwrap());
    let mut counts = Vec::new();
    for (name, charged) in [("with", setting.as_str()), ("without", "ledger=none")] {
        let receipt = cluster.path(&format!("{name}.json"));
        let more = ["--set", charged, "--set", "preset=strict", "--receipt", receipt.to_str().unwrap()];
        let file = cluster.query(&table, VEIL, &format!("{name}.parquet"), &more);
        let receipt = Receipt::from_json(&std::fs::read_to_string(receipt).unwrap()).unwrap();
        assert!(receipt.verify().is_empty());
        assert_eq!(receipt.release_sha256().unwrap(), inkveil::files::Sha256Sum::of(&file).to_string());
        counts.push((receipt.count(), receipt.total_epsilon().map(|total| total.to_string())));
    }
    // Without a ledger, the tasks have counted.
    assert_eq!(counts[0], counts[1]);
    let ledger = Ledger::open(&ledger).unwrap();
    assert_eq!(ledger.releases(Filter::default()).count(), 1);
    assert!(ledger.unconfirmed().next().is_none());
}
