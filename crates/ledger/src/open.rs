//! Creates ledger files, and checks a file before it is used.

use std::fs;
use std::io;
use std::path::Path;

use inkveil_error::Cause;
use inkveil_files::Output;
use inkveil_privacy::Secret;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::content::ContentKey;
use crate::error::{Error, ErrorKind, PATIENCE, sql};
use crate::head::Head;
use crate::moment::Moment;
use crate::row_sets;
use crate::schema;
use crate::verify;

/// Creates a ledger. The file appears complete or not at all. If another process creates it at the
/// same time, that file is kept.
pub(crate) fn create(path: &Path, key: &ContentKey, now: Moment) -> Result<(), Error> {
    inkveil_files::remove_leftovers(path);
    let create = || -> Result<(), Error> {
        // The file is private, and SQLite gives its own files beside it the same permissions.
        Output::private_file(path, false)?.fill_by_path(|temporary| {
            let connection = connection(temporary)?;
            fill(&connection, key, now)?;
            connection.close().map_err(|(_, e)| sql(e))
        })
    };
    match create() {
        Err(error) if is_taken(&error) => Ok(()),
        created => created,
    }
}

fn is_taken(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::File(file) if *file.kind() == inkveil_files::ErrorKind::Exists)
}

fn fill(connection: &Connection, key: &ContentKey, now: Moment) -> Result<(), Error> {
    connection.execute_batch(&format!("BEGIN; {} COMMIT;", schema::tables(schema::VERSION))).map_err(sql)?;
    Head::first(now).insert(connection, key)?;
    row_sets::fill(connection)?;
    connection.pragma_update(None, "application_id", schema::APPLICATION).map_err(sql)?;
    connection.pragma_update(None, "user_version", schema::VERSION).map_err(sql)?;
    write_ahead(connection)
}

/// Draws a new key for the content hashes.
pub(crate) fn fresh_key() -> Result<ContentKey, Error> {
    let mut key = Secret::new([0; 32]);
    getrandom::fill(key.expose_mut()).map_err(|e| ErrorKind::NoEntropy { cause: Cause::new(e) })?;
    Ok(key)
}

/// Opens a file that is a ledger of this version with the expected tables. Their rows are not
/// checked yet.
///
/// Only SQLite may open the file: closing it elsewhere in this process would drop SQLite's locks.
pub(crate) fn connect(path: &Path) -> Result<Connection, Error> {
    let found = fs::metadata(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound.into(),
        _ => Error::io("open the ledger", &e),
    })?;
    if found.is_dir() {
        return Err(ErrorKind::Folder.into());
    }
    if !found.is_file() {
        return Err(ErrorKind::NotALedger { what: "it is not a file" }.into());
    }
    if found.len() == 0 {
        return Err(ErrorKind::NotALedger { what: "it is empty" }.into());
    }
    let connection = connection(path)?;
    let number =
        |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(sql);
    if number("application_id")? != schema::APPLICATION {
        return Err(ErrorKind::NotALedger { what: "it is a SQLite file of another program" }.into());
    }
    match number("user_version")? {
        schema::VERSION => {}
        version if version > schema::VERSION => {
            return Err(ErrorKind::Newer { version, known: schema::VERSION }.into());
        }
        FIRST_VERSION => {}
        _ => return Err(Error::corrupt("its version is not valid")),
    }
    if connection.is_readonly("main").map_err(sql)? {
        return Err(ErrorKind::ReadOnly.into());
    }
    if number("user_version")? == FIRST_VERSION {
        migrate(&connection)?;
    }
    if !schema::is_ours(&connection, schema::VERSION)? {
        return Err(Error::corrupt("its tables are not those of a ledger"));
    }
    write_ahead(&connection)?;
    Ok(connection)
}

const FIRST_VERSION: i64 = 1;

/// Brings a ledger of version 1 to this version, in one transaction. Its totals are compared with its releases first,
/// because from now on the rows that are there count as the right ones. Limits that were removed before cannot be noticed.
fn migrate(connection: &Connection) -> Result<(), Error> {
    connection.execute_batch("BEGIN IMMEDIATE").map_err(sql)?;
    let migrated = migrate_locked(connection).and_then(|()| connection.execute_batch("COMMIT").map_err(sql));
    if migrated.is_err() {
        // The error matters more than a rollback that fails too: closing the file rolls back.
        let _ = connection.execute_batch("ROLLBACK");
    }
    migrated
}

fn migrate_locked(connection: &Connection) -> Result<(), Error> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(sql)?;
    if version != FIRST_VERSION {
        // Another process was faster.
        return Ok(());
    }
    if !schema::is_ours(connection, FIRST_VERSION)? {
        return Err(Error::corrupt("its tables are not those of a ledger"));
    }
    connection.execute_batch(schema::ROW_SETS).map_err(sql)?;
    row_sets::fill(connection)?;
    if let Some(problem) = verify::problems(connection).first() {
        return Err(Error::corrupt(problem.to_string()));
    }
    connection.pragma_update(None, "user_version", schema::VERSION).map_err(sql)
}

fn connection(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(sql)?;
    connection.busy_timeout(PATIENCE).map_err(sql)?;
    // An untrusted file must not run code, and a damaged file must be detected.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(sql)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(sql)?;
    connection.pragma_update(None, "cell_size_check", true).map_err(sql)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(sql)?;
    // A row is on disk when recording returns, even if the power fails right after.
    connection.pragma_update(None, "synchronous", "FULL").map_err(sql)?;
    Ok(connection)
}

/// Allows readers and one writer at the same time, with one flush per recording.
fn write_ahead(connection: &Connection) -> Result<(), Error> {
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)).map_err(sql)?;
    match mode.as_str() {
        "wal" => Ok(()),
        _ => Err(ErrorKind::NoWriteAheadLog.into()),
    }
}
