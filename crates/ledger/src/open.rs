//! Creates ledger files, and checks a file before it is used.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use inkveil_privacy::Secret;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::content::ContentKey;
use crate::error::{Error, ErrorKind, PATIENCE, sql};
use crate::head::Head;
use crate::moment::Moment;
use crate::schema;

/// Creates a ledger. The file appears complete or not at all. If another process creates it at the
/// same time, that file is kept.
pub(crate) fn create(path: &Path, key: &ContentKey, now: Moment) -> Result<(), Error> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let failed = |e: io::Error| Error::io("create the ledger", &e);
    // A temporary file is readable only by its owner, and SQLite gives its additional files the
    // same mode.
    let temporary =
        tempfile::Builder::new().prefix(".inkveil-ledger-").tempfile_in(folder).map_err(failed)?;
    let temporary = temporary.into_temp_path();
    let connection = connection(&temporary)?;
    fill(&connection, key, now)?;
    connection.close().map_err(|(_, e)| sql(e))?;
    File::open(&temporary).and_then(|file| file.sync_all()).map_err(failed)?;
    match temporary.persist_noclobber(path) {
        Ok(()) => sync_folder(folder).map_err(failed),
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(failed(e.error)),
    }
}

fn fill(connection: &Connection, key: &ContentKey, now: Moment) -> Result<(), Error> {
    connection.execute_batch(&format!("BEGIN; {} COMMIT;", schema::TABLES)).map_err(sql)?;
    Head::first(now).insert(connection, key)?;
    connection.pragma_update(None, "application_id", schema::APPLICATION).map_err(sql)?;
    connection.pragma_update(None, "user_version", schema::VERSION).map_err(sql)?;
    write_ahead(connection)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Draws a new key for the content hashes.
pub(crate) fn fresh_key() -> Result<ContentKey, Error> {
    let mut key = Secret::new([0; 32]);
    getrandom::fill(key.expose_mut()).map_err(|e| ErrorKind::NoEntropy { reason: e.to_string() })?;
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
        _ => return Err(Error::corrupt("its version is not valid")),
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
        _ => Err(ErrorKind::Io {
            doing: "use the ledger",
            reason: "its folder does not support a write-ahead log; move the ledger to a local disk".into(),
        }
        .into()),
    }
}
