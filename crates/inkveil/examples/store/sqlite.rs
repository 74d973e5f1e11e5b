//! Vectors in SQLite, with the extension `sqlite-vec` linked in: a file or memory, no server.

use std::collections::BTreeSet;
use std::mem::transmute;
use std::path::Path;

use rusqlite::auto_extension::{RawAutoExtension, register_auto_extension};
use rusqlite::{Connection, params};

use super::store::{Store, StoreError, from_column, to_column};

const NAME: &str = "SQLite";

pub(crate) struct SqliteStore {
    connection: Connection,
    dim: usize,
}

impl SqliteStore {
    /// Opens or creates a file. Without one the store is in memory.
    pub(crate) fn open(file: Option<&Path>, dim: usize) -> Result<Self, StoreError> {
        register_sqlite_vec()?;
        let connection = match file {
            Some(file) => Connection::open(file)?,
            None => Connection::open_in_memory()?,
        };
        // The dimension is part of a virtual table's definition and cannot be a parameter.
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE IF NOT EXISTS veiled USING vec0(
                id INTEGER PRIMARY KEY, vector FLOAT[{dim}] DISTANCE_METRIC=cosine)"
        ))?;
        Ok(Self { connection, dim })
    }
}

impl Store for SqliteStore {
    fn insert(&mut self, ids: &[u64], rows: &[f32]) -> Result<(), StoreError> {
        // Dropped before the commit, a transaction is rolled back.
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO veiled (id, vector) VALUES (?1, ?2)")?;
            for (&id, row) in ids.iter().zip(rows.chunks_exact(self.dim)) {
                insert.execute(params![to_column(id)?, bytes(row)])?;
            }
        }
        Ok(transaction.commit()?)
    }

    fn ids(&mut self) -> Result<BTreeSet<u64>, StoreError> {
        let mut select = self.connection.prepare("SELECT id FROM veiled")?;
        let ids = select.query_map([], |row| row.get(0))?;
        ids.map(|id| from_column(id?)).collect()
    }

    fn nearest(&mut self, query: &[f32], k: u32) -> Result<Vec<u64>, StoreError> {
        let mut select = self
            .connection
            .prepare("SELECT id FROM veiled WHERE vector MATCH ?1 AND k = ?2 ORDER BY distance")?;
        let ids = select.query_map(params![bytes(query), k], |row| row.get(0))?;
        ids.map(|id| from_column(id?)).collect()
    }
}

/// Returns a vector in the format of `sqlite-vec`: the bytes of its numbers.
fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_ne_bytes()).collect()
}

/// Registers `sqlite-vec` for every connection that is opened from now on. Calling it twice changes nothing.
#[allow(unsafe_code)]
fn register_sqlite_vec() -> Result<(), StoreError> {
    // SAFETY: the binding declares the entry point without arguments, but the C source that it is built from defines it as
    // every SQLite extension's: `int sqlite3_vec_init(sqlite3 *, char **, const sqlite3_api_routines *)`, which is what
    // `RawAutoExtension` says. It is built with SQLITE_CORE, so it calls the SQLite that this program is linked with. It opens
    // and closes no database and registers nothing, as `register_auto_extension` demands.
    unsafe {
        register_auto_extension(transmute::<unsafe extern "C" fn(), RawAutoExtension>(
            sqlite_vec::sqlite3_vec_init,
        ))?;
    }
    Ok(())
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Refused { store: NAME, reason: error.to_string() }
    }
}
