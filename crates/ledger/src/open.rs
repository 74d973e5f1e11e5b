//! How a ledger is created, and what is looked at before one is used.

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
use crate::ledger::Head;
use crate::moment::Moment;
use crate::schema;

/// Creates a ledger, whole or not at all. If another process creates it at the same time, that ledger is kept.
pub(crate) fn create(path: &Path, key: &ContentKey, now: Moment) -> Result<(), Error> {
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
    connection.execute_batch(&format!("BEGIN; {} COMMIT;", schema::TABLES)).map_err(sql)?;
    Head::first(now).insert(connection, key)?;
    connection.pragma_update(None, "application_id", schema::APPLICATION).map_err(sql)?;
    connection.pragma_update(None, "user_version", schema::VERSION).map_err(sql)?;
    write_ahead(connection)
}

/// A new key for the hashes of contents.
pub(crate) fn fresh_key() -> Result<ContentKey, Error> {
    let mut key = Secret::new([0; 32]);
    getrandom::fill(key.expose_mut()).map_err(|e| ErrorKind::NoEntropy { cause: Cause::new(e) })?;
    Ok(key)
}

/// Opens a file that is a ledger of this version with the tables of one. What is in them is not looked at yet.
///
/// The file is never opened but by SQLite: closing it elsewhere in this process would drop SQLite's locks.
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
        return Err(ErrorKind::NotALedger { what: "it is a SQLite file of something else" }.into());
    }
    match number("user_version")? {
        schema::VERSION => {}
        version if version > schema::VERSION => {
            return Err(ErrorKind::Newer { version, known: schema::VERSION }.into());
        }
        _ => return Err(Error::corrupt("its version is impossible")),
    }
    if !schema::is_ours(&connection)? {
        return Err(Error::corrupt("its tables are not those of a ledger"));
    }
    if connection.is_readonly("main").map_err(sql)? {
        return Err(ErrorKind::ReadOnly.into());
    }
    write_ahead(&connection)?;
    Ok(connection)
}

fn connection(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(sql)?;
    connection.busy_timeout(PATIENCE).map_err(sql)?;
    // A stranger's file is data and no program, and a damaged one is noticed rather than followed.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(sql)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(sql)?;
    connection.pragma_update(None, "cell_size_check", true).map_err(sql)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(sql)?;
    // A row is on the disk when a recording returns, also if the power fails the moment after.
    connection.pragma_update(None, "synchronous", "FULL").map_err(sql)?;
    Ok(connection)
}

/// Readers and one writer at the same time, and one flush for each recording.
fn write_ahead(connection: &Connection) -> Result<(), Error> {
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)).map_err(sql)?;
    match mode.as_str() {
        "wal" => Ok(()),
        _ => Err(ErrorKind::NoWriteAheadLog.into()),
    }
}
