//! Vectors in PostgreSQL with the extension `pgvector`, through the `postgres` client.
//!
//! The connection is not encrypted, so use it only for a server on this machine. An address that demands TLS
//! (`sslmode=require`) is refused. `Config::connect` accepts the TLS of another crate instead of [`NoTls`].

use std::collections::BTreeSet;
use std::error::Error as _;

use pgvector::Vector;
use postgres::error::Severity;
use postgres::{Client, Config, NoTls, Statement};

use super::store::{Store, StoreError, from_column, to_column};

const NAME: &str = "PostgreSQL";

pub(crate) struct PostgresStore {
    client: Client,
    insert: Statement,
    ids: Statement,
    nearest: Statement,
    dim: usize,
}

impl PostgresStore {
    /// Connects, and creates the table if it does not exist. `table` is a plain name in lower case.
    pub(crate) fn open(url: &str, table: &str, dim: usize) -> Result<Self, StoreError> {
        // A table's name cannot be a parameter of a statement, so only names that need no quoting are accepted.
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if !table.starts_with(|first: char| first.is_ascii_lowercase()) || !table.bytes().all(plain) {
            return Err(refused("a table's name is a letter and then letters in lower case, digits and _"));
        }
        let mut config: Config = url.parse()?;
        // Shown in the server's list of connections.
        config.application_name(&format!("inkveil {table}"));
        let mut client = config
            .connect(NoTls)
            .map_err(|error| StoreError::Unreachable { store: NAME, reason: reason(&error) })?;
        client.batch_execute(&format!(
            "CREATE EXTENSION IF NOT EXISTS vector;
             CREATE TABLE IF NOT EXISTS {table} (id BIGINT PRIMARY KEY, vector VECTOR({dim}) NOT NULL)"
        ))?;
        let insert = client.prepare(&format!(
            "INSERT INTO {table} (id, vector) SELECT * FROM unnest($1::BIGINT[], $2::VECTOR[])"
        ))?;
        let ids = client.prepare(&format!("SELECT id FROM {table}"))?;
        // Every row is compared: exact, and fast enough up to some hundred thousand rows. Beyond that add
        // `CREATE INDEX ON … USING hnsw (vector vector_cosine_ops)`, whose answers are approximate.
        let nearest = client.prepare(&format!("SELECT id FROM {table} ORDER BY vector <=> $1 LIMIT $2"))?;
        Ok(Self { client, insert, ids, nearest, dim })
    }
}

impl Store for PostgresStore {
    fn insert(&mut self, ids: &[u64], rows: &[f32]) -> Result<(), StoreError> {
        let ids = ids.iter().map(|&id| to_column(id)).collect::<Result<Vec<_>, _>>()?;
        let vectors: Vec<Vector> =
            rows.chunks_exact(self.dim).map(|row| Vector::from(row.to_vec())).collect();
        // Dropped before the commit, a transaction is rolled back. The server does the same when a connection is lost.
        let mut transaction = self.client.transaction()?;
        transaction.execute(&self.insert, &[&ids, &vectors])?;
        Ok(transaction.commit()?)
    }

    fn ids(&mut self) -> Result<BTreeSet<u64>, StoreError> {
        self.client.query(&self.ids, &[])?.iter().map(|row| from_column(row.try_get(0)?)).collect()
    }

    fn nearest(&mut self, query: &[f32], k: u32) -> Result<Vec<u64>, StoreError> {
        let rows = self.client.query(&self.nearest, &[&Vector::from(query.to_vec()), &i64::from(k)])?;
        rows.iter().map(|row| from_column(row.try_get(0)?)).collect()
    }
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        let over = match error.as_db_error() {
            // The server ends the connection after these.
            Some(said) => matches!(said.parsed_severity(), Some(Severity::Fatal | Severity::Panic)),
            None => error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>()),
        };
        let reason = reason(&error);
        if over { StoreError::Lost { store: NAME, reason } } else { refused(reason) }
    }
}

/// Returns the message of the server without its details, which may quote rows, or the message of the client.
fn reason(error: &postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(said), _) => said.message().to_owned(),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    }
}

fn refused(reason: impl Into<String>) -> StoreError {
    StoreError::Refused { store: NAME, reason: reason.into() }
}
