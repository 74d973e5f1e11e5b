//! A policy stands between every query and its tables.

use datafusion::arrow::util::pretty::pretty_format_batches;
use inkveil_datafusion::{Engine, EngineOptions, Policy, TableFile};

use crate::tables::{NAME, mails, query, refused, under, values, write_parquet};

const POLICY: &str = "\
[settings]
insecure_seed = \"5\"
ledger = \"none\"

[tables.mails]
id = \"id\"
task = \"What is broken?\"
columns = { body = \"veil\", city = \"drop\" }
";

#[tokio::test(flavor = "multi_thread")]
async fn no_query_sees_a_raw_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(40));
    let engine = under(&path, POLICY).await.unwrap();
    for sql in [
        "SELECT * FROM mails",
        "SELECT body FROM mails",
        "SELECT m.body FROM mails AS m",
        "SELECT x FROM (SELECT body AS x FROM mails) WHERE x IS NOT NULL",
        "WITH a AS (SELECT * FROM mails) SELECT b.body FROM a JOIN a AS b ON a.id = b.id",
        "SELECT a.body, b.body FROM mails a, mails b WHERE a.id = b.id",
        "SELECT max(body), min(body) FROM mails",
        "SELECT string_agg(body, ' ') FROM mails",
        "SELECT body FROM mails UNION ALL SELECT body FROM mails",
        "SELECT (SELECT max(body) FROM mails) AS a FROM mails",
        "SELECT body FROM mails WHERE EXISTS (SELECT 1 FROM mails b WHERE b.body LIKE '%a%')",
        "SELECT first_value(body) OVER (ORDER BY id) FROM mails",
        "SELECT upper(body), length(body) FROM mails ORDER BY body",
        "SELECT body FROM datafusion.public.mails",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM information_schema.views",
        "SELECT * FROM information_schema.columns",
        "SELECT * FROM information_schema.df_settings WHERE name LIKE 'inkveil%'",
        "DESCRIBE mails",
        "EXPLAIN SELECT body FROM mails",
        "EXPLAIN FORMAT TREE SELECT body FROM mails",
    ] {
        let rows = query(&engine, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        let shown = pretty_format_batches(&rows).unwrap().to_string().to_lowercase();
        assert!(!shown.contains("oostergaard") && !shown.contains("ghent"), "{sql}: {shown}");
    }
    let found =
        query(&engine, "SELECT count(*) AS n FROM mails WHERE body LIKE '%Oostergaard%'").await.unwrap();
    assert_eq!(values(&found, "n")[0].as_deref(), Some("0"));
    for sql in [
        "SELECT city FROM mails",
        "SELECT mails.city FROM mails",
        "SELECT id FROM mails WHERE city = 'Oslo'",
        "EXPLAIN VERBOSE SELECT body FROM mails",
        "EXPLAIN (COSTS ON) SELECT body FROM mails",
        "EXPLAIN (COSTS, FORMAT TREE) SELECT * FROM mails",
        "SET datafusion.explain.show_statistics = true",
        "SET inkveil.tier = 'rules'",
        "SET inkveil.id = 'size'",
        "RESET inkveil.ledger",
        "SELECT mask(body) FROM mails",
        "SELECT veil(body, id) FROM mails",
    ] {
        let message = refused(&engine, sql).await;
        assert!(!message.contains("Oostergaard"), "{message}");
    }
    let raw = format!("CREATE EXTERNAL TABLE raw STORED AS PARQUET LOCATION '{}'", path.display());
    assert!(refused(&engine, &raw).await.contains("--table"));
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_shows_no_values_of_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(40));
    let engine = under(&path, POLICY).await.unwrap();
    for options in ["(COSTS ON)", "(COSTS TRUE, FORMAT INDENT)", "(VERBOSE)", "VERBOSE"] {
        let message = refused(&engine, &format!("EXPLAIN {options} SELECT body FROM mails")).await;
        assert!(message.contains("least and greatest values"), "{options}: {message}");
    }
    let rows = query(&engine, "EXPLAIN (COSTS OFF) SELECT * FROM mails").await.unwrap();
    let shown = pretty_format_batches(&rows).unwrap().to_string();
    assert!(!shown.contains("Min=") && !shown.contains("Oostergaard") && !shown.contains("Ghent"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_veils_needs_a_key_or_a_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(12));
    let key = folder.path().join("noise.key");
    inkveil_datafusion::new_key_file(&key).unwrap();
    let policy = POLICY.replace("insecure_seed = \"5\"\n", "").replace("ledger = \"none\"\n", "");
    let engine = under(&path, &policy).await.unwrap();
    engine.set("ledger", "none").unwrap();
    let message = refused(&engine, "SELECT body FROM mails").await;
    assert!(message.contains("key_file or a ledger"), "{message}");
    // Queries that veil nothing draw no noise.
    query(&engine, "SELECT count(*) FROM mails").await.unwrap();
    engine.set("key_file", key.to_str().unwrap()).unwrap();
    let bodies =
        async || values(&query(&engine, "SELECT body FROM mails ORDER BY id").await.unwrap(), "body");
    assert_eq!(bodies().await, bodies().await);
    engine.set("key_file", "").unwrap();
    engine.set("ledger", folder.path().join("spent.ledger").to_str().unwrap()).unwrap();
    query(&engine, "SELECT body FROM mails").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_a_policy_cannot_be_overridden() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let engine = under(&path, POLICY).await.unwrap();
    let before = engine.options();
    for (name, value) in [("ledger", "other.ledger"), ("insecure_seed", "6"), ("insecure_seed", "")] {
        let message = engine.set(name, value).unwrap_err().to_string();
        assert!(message.contains("the policy decides the setting"), "{message}");
    }
    assert_eq!(engine.options(), before);
    engine.set("tier", "rules").unwrap();
    let message = refused(&engine, "RESET inkveil.ledger").await;
    assert!(message.contains("RESET") && !message.contains("--table"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_shows_the_policy() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let engine = under(&path, POLICY).await.unwrap();
    let rows = query(&engine, "EXPLAIN SELECT body FROM mails").await.unwrap();
    let shown = pretty_format_batches(&rows).unwrap().to_string();
    assert!(shown.contains("veil(mails.body, mails.id"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_treatment_does_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(8));
    let treated = async |treatment: &str| {
        let policy = POLICY.replace("\"veil\"", &format!("\"{treatment}\""));
        let engine = under(&path, &policy).await.unwrap();
        pretty_format_batches(&query(&engine, "SELECT * FROM mails ORDER BY id").await.unwrap())
            .unwrap()
            .to_string()
    };
    assert!(treated("keep").await.contains(NAME));
    assert!(treated("mask").await.contains("[PERSON]"));
    assert!(treated("detect").await.contains("kind: person"));
    assert!(!treated("drop").await.contains("body"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_in_a_policy_is_refused_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    for (wrong, says) in [
        (POLICY.replace("\"veil\"", "\"viel\""), "did you mean \"veil\""),
        (POLICY.replace("body =", "bodi ="), "did you mean \"body\""),
        (POLICY.replace("[tables.mails]", "[tables.mail]"), "did you mean \"mails\""),
        (POLICY.replace("id = \"id\"\n", ""), "stable row id"),
        (POLICY.replace("id = \"id\"", "id = \"ids\""), "did you mean \"id\""),
        (POLICY.replace("task =", "tasks ="), "task"),
        (POLICY.replace(", city = \"drop\"", ""), "others = \"keep\""),
        (POLICY.replace("city = \"drop\"", "city = \"drop\", size = \"veil\""), "does not hold texts"),
        (POLICY.replace("\"none\"", "7"), "number"),
        (POLICY.replace("[settings]", "[settings]\npreset = \"strickt\""), "strict"),
        (POLICY.replace("columns = {", "columns = {{"), "TOML"),
        (String::new(), "tables"),
    ] {
        let message = under(&path, &wrong).await.unwrap_err().to_string();
        assert!(message.contains(says), "{wrong}\n{message}");
    }
    let others = POLICY.replace(", city = \"drop\" }", " }\nothers = \"keep\"");
    let rows = query(&under(&path, &others).await.unwrap(), "SELECT city FROM mails").await.unwrap();
    assert_eq!(values(&rows, "city").len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_the_policy_does_not_list_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let table = |name: &str| TableFile { name: name.to_owned(), path: path.clone() };
    let policy = Policy::from_toml(POLICY, std::path::Path::new("policy.toml")).unwrap();
    let both = [table("mails"), table("copy")];
    let message =
        Engine::with_tables(EngineOptions::default(), &both, Some(&policy)).await.unwrap_err().to_string();
    assert!(message.contains("says nothing about the table copy"), "{message}");
    assert_eq!(Policy::from_toml(&policy.to_toml(), std::path::Path::new("p.toml")).unwrap(), policy);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_could_undo_those_of_a_policy_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let config = folder.path().join("strict.toml");
    std::fs::write(&config, "[text]\npreset = \"strict\"\n").unwrap();
    let tables = POLICY.split_once("\n\n").unwrap().1;
    for (sets, cannot) in [
        ("preset = \"strict\"", &["epsilon", "mechanism", "at_zero", "config", "tier", "language"][..]),
        (&format!("config = \"{}\"", config.display()), &["preset", "epsilon", "shape"]),
        ("ledger = \"spent.ledger\"", &["dataset", "subject"]),
        ("key_file = \"noise.key\"", &["insecure_seed"]),
        ("vector_epsilon = \"40\"", &["vector_mask", "encoder"]),
    ] {
        let engine = under(&path, &format!("[settings]\n{sets}\n{tables}")).await.unwrap();
        let before = engine.options();
        for name in cannot {
            let message = engine.set(name, "1").unwrap_err().to_string();
            let set = sets.split(' ').next().unwrap();
            assert!(message.contains(&format!("{name}, because it sets {set}")), "{message}");
        }
        assert_eq!(engine.options(), before);
        engine.set("id", "id").unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_shows_no_path_of_a_file_under_a_policy() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("mails");
    std::fs::create_dir(&table).unwrap();
    // The values of partitions, and sometimes persons, are in the names of files.
    write_parquet(&table.join(format!("{NAME}.parquet")), &mails(4));
    let engine = under(&table, POLICY).await.unwrap();
    for sql in ["EXPLAIN SELECT * FROM mails", "EXPLAIN FORMAT TREE SELECT * FROM mails"] {
        let rows = query(&engine, sql).await.unwrap();
        let shown = pretty_format_batches(&rows).unwrap().to_string();
        assert!(!shown.contains("Oostergaard") && !shown.contains(".parquet"), "{sql}: {shown}");
    }
}
