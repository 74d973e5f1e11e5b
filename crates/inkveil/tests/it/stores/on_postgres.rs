//! PostgreSQL with pgvector, at the address in `INKVEIL_TEST_POSTGRES`; `scripts/test-postgres` starts one.

use std::io::Write;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};

use super::postgres::PostgresStore;
use super::release::{BATCH, ReleaseError};
use super::store::{Store, StoreError};
use super::{Eventful, all_ids, dim, embedded, mean_recall, release};

const EPSILON: f64 = 3000.0;

/// A table for one test, which is dropped with it.
struct Table {
    url: String,
    name: String,
}

impl Table {
    /// None, and a notice that no test runner holds back, where there is no server.
    fn new(test: &str) -> Option<Self> {
        let Ok(url) = std::env::var("INKVEIL_TEST_POSTGRES") else {
            let notice = "NOT TESTED: PostgreSQL. Run scripts/test-postgres, or set INKVEIL_TEST_POSTGRES to the URL of a \
                server with pgvector.";
            // `eprintln!` would only be seen when the test fails.
            let mut stderr = std::io::stderr();
            writeln!(stderr, "{test}: {notice}").unwrap();
            return None;
        };
        Some(Self { url, name: format!("inkveil_{test}_{}", std::process::id()) })
    }

    fn open(&self) -> PostgresStore {
        PostgresStore::open(&self.url, &self.name, dim()).unwrap()
    }

    /// A connection beside the store's own.
    fn admin(&self) -> Client {
        Client::connect(&self.url, NoTls).unwrap()
    }

    /// Ends the store's connections that are in this state, as soon as there is one.
    fn cut(&self, admin: &mut Client, state: &str) {
        let cut = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name = 'inkveil {}' AND {state}",
            self.name
        );
        let begin = Instant::now();
        while admin.query(&cut, &[]).unwrap().is_empty() {
            assert!(begin.elapsed() < Duration::from_secs(20), "the store has no connection that is {state}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Stops at the second batch by losing the connection, then stores the rest over a new one.
    fn stop_and_resume(&self, cut: &mut dyn FnMut()) {
        let mut store = self.open();
        let mut on_insert = |nth: usize, insert: &mut dyn FnMut() -> Result<(), StoreError>| {
            if nth == 2 {
                cut();
            }
            insert()
        };
        let error = release(&mut Eventful::new(&mut store, &mut on_insert), EPSILON, 5).unwrap_err();
        assert!(
            matches!(error, ReleaseError::Stopped { stored: BATCH, error: StoreError::Lost { .. }, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("connection to PostgreSQL was lost"), "{error}");
        // The same client does not come back by itself.
        assert!(matches!(store.ids(), Err(StoreError::Lost { .. })));

        let before = self.rows();
        assert_eq!(before.len(), BATCH);
        let mut store = self.open();
        release(&mut store, EPSILON, 5).unwrap();
        let after = self.rows();
        assert_eq!(after[..BATCH], before, "stored rows were changed");
        assert!(after.iter().map(|(id, _)| *id).eq(0..embedded().texts.len() as i64));
        assert_eq!(store.ids().unwrap(), all_ids());
    }

    /// All rows by id, as text.
    fn rows(&self) -> Vec<(i64, String)> {
        let rows =
            self.admin().query(&format!("SELECT id, vector::TEXT FROM {} ORDER BY id", self.name), &[]);
        rows.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let drop = format!("DROP TABLE IF EXISTS {}", self.name);
        let dropped = Client::connect(&self.url, NoTls).and_then(|mut admin| admin.batch_execute(&drop));
        if let Err(error) = dropped {
            let _ = writeln!(std::io::stderr(), "the table {} stays: {error}", self.name);
        }
    }
}

#[test]
fn postgres_end_to_end() {
    let Some(table) = Table::new("end_to_end") else { return };
    let mut store = table.open();
    release(&mut store, EPSILON, 3).unwrap();
    assert_eq!(store.ids().unwrap(), all_ids());
    let recall = mean_recall(&mut store, EPSILON, 4);
    assert!(recall >= 0.8, "{recall}");

    // A batch is stored whole or not at all.
    let error = store.insert(&[100, 0], &vec![1.0; 2 * dim()]).unwrap_err();
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
    assert_eq!(store.ids().unwrap(), all_ids());
}

#[test]
fn postgres_connection_cut_between_batches() {
    let Some(table) = Table::new("cut_between") else { return };
    table.stop_and_resume(&mut || table.cut(&mut table.admin(), "state = 'idle'"));
}

#[test]
fn postgres_connection_cut_inside_a_transaction() {
    let Some(table) = Table::new("cut_inside") else { return };
    thread::scope(|scope| {
        table.stop_and_resume(&mut || {
            // The insert waits for this lock, so its transaction has begun when the connection goes.
            let mut lock = table.admin();
            lock.batch_execute(&format!("BEGIN; LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", table.name))
                .unwrap();
            let table = &table;
            scope.spawn(move || {
                table.cut(&mut table.admin(), "wait_event_type = 'Lock'");
                lock.batch_execute("ROLLBACK").unwrap();
            });
        });
    });
}

#[test]
fn postgres_cannot_be_reached_or_is_asked_for_nonsense() {
    let error = PostgresStore::open("postgresql://name:secret@[", "veiled", 3).err().unwrap();
    assert!(matches!(error, StoreError::Refused { .. }) && !error.to_string().contains("secret"), "{error}");
    // Nothing listens at a port that was just given back.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let closed = format!("postgresql://name:secret@127.0.0.1:{port}/database");
    let error = PostgresStore::open(&closed, "veiled", 3).err().unwrap();
    assert!(
        matches!(error, StoreError::Unreachable { .. }) && !error.to_string().contains("secret"),
        "{error}"
    );
    // Names that would have to be quoted.
    for table in ["", "a b", "x;drop", "1st", "Upper", "\"q\""] {
        let error = PostgresStore::open("postgresql://localhost", table, 3).err().unwrap();
        assert!(error.to_string().contains("table's name"), "{error}");
    }
}
