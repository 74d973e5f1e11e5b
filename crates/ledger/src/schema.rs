//! The tables of the file.

use rusqlite::Connection;

use crate::error::{Error, sql};

/// The application id in the file's header: "inkL".
pub(crate) const APPLICATION: i64 = 0x696e_6b4c;

/// The version of these tables. Version 1 had no `row_sets`.
pub(crate) const VERSION: i64 = 2;

/// Rows of `releases` and `charges` are only added, which triggers enforce. Each release stores a
/// hash of itself and of the release before it. All other rows store a hash of themselves. `totals`
/// has the sums for subjects, datasets and contents; contents are named by their keyed hash. A
/// `within` of 0 and an empty `space` mean none. `rho` is the zero-concentrated budget of Gaussian
/// charges, and `rest_…` are the sums of all others.
const FIRST_TABLES: &str = "\
CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    created INTEGER NOT NULL,
    content_key BLOB NOT NULL CHECK (length(content_key) = 32),
    releases INTEGER NOT NULL,
    head BLOB NOT NULL,
    seal BLOB NOT NULL
) STRICT;
CREATE TABLE releases (
    seq INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    part INTEGER NOT NULL,
    at INTEGER NOT NULL,
    dataset TEXT NOT NULL,
    kind TEXT NOT NULL,
    mechanism TEXT NOT NULL,
    unit TEXT NOT NULL,
    secure INTEGER NOT NULL,
    receipt TEXT NOT NULL,
    content BLOB,
    chain BLOB NOT NULL,
    UNIQUE (id, part)
) STRICT;
CREATE INDEX releases_content ON releases (content) WHERE content IS NOT NULL;
CREATE TABLE charges (
    release INTEGER NOT NULL REFERENCES releases (seq),
    position INTEGER NOT NULL,
    subject TEXT,
    measure TEXT NOT NULL,
    space TEXT NOT NULL,
    within REAL NOT NULL,
    epsilon REAL NOT NULL,
    worst_case REAL,
    delta REAL NOT NULL,
    units INTEGER NOT NULL,
    rho REAL,
    PRIMARY KEY (release, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE confirmations (
    release INTEGER PRIMARY KEY REFERENCES releases (seq),
    at INTEGER NOT NULL,
    seal BLOB NOT NULL
) STRICT;
CREATE TABLE totals (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    measure TEXT NOT NULL,
    space TEXT NOT NULL,
    within REAL NOT NULL,
    epsilon REAL NOT NULL,
    delta REAL NOT NULL,
    rho REAL NOT NULL,
    rest_epsilon REAL NOT NULL,
    rest_delta REAL NOT NULL,
    units INTEGER NOT NULL,
    releases INTEGER NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (scope, name, measure, space, within)
) STRICT, WITHOUT ROWID;
CREATE TABLE limits (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    counted TEXT NOT NULL,
    epsilon REAL NOT NULL,
    delta REAL NOT NULL,
    within REAL NOT NULL,
    at INTEGER NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (scope, name, counted)
) STRICT;
CREATE TRIGGER releases_stay BEFORE UPDATE ON releases BEGIN SELECT RAISE(ABORT, 'releases are only added'); END;
CREATE TRIGGER releases_remain BEFORE DELETE ON releases BEGIN SELECT RAISE(ABORT, 'releases are only added'); END;
CREATE TRIGGER charges_stay BEFORE UPDATE ON charges BEGIN SELECT RAISE(ABORT, 'charges are only added'); END;
CREATE TRIGGER charges_remain BEFORE DELETE ON charges BEGIN SELECT RAISE(ABORT, 'charges are only added'); END;
";

/// The number and the checksum of the rows of other tables, since version 2.
pub(crate) const ROW_SETS: &str = "\
CREATE TABLE row_sets (
    name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL,
    sum BLOB NOT NULL CHECK (length(sum) = 32),
    seal BLOB NOT NULL
) STRICT;
";

/// Returns the tables of a version.
pub(crate) fn tables(version: i64) -> String {
    match version {
        1 => FIRST_TABLES.to_owned(),
        _ => format!("{FIRST_TABLES}{ROW_SETS}"),
    }
}

/// Whether the tables of a file are exactly those of a version. Other tables could run code when they are used.
pub(crate) fn is_ours(connection: &Connection, version: i64) -> Result<bool, Error> {
    let fresh = Connection::open_in_memory().map_err(sql)?;
    fresh.execute_batch(&tables(version)).map_err(sql)?;
    Ok(listed(connection)? == listed(&fresh)?)
}

/// Lists everything that the file defines, by name: a file of an older version has its tables in another order.
fn listed(connection: &Connection) -> Result<Vec<[Option<String>; 4]>, Error> {
    let query = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name LIMIT 100";
    let mut statement = connection.prepare(query).map_err(sql)?;
    let rows = statement
        .query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))
        .map_err(sql)?;
    rows.collect::<Result<_, _>>().map_err(sql)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_stable() {
        // A change here needs a new version, and code that reads the old one.
        insta::assert_snapshot!("schema", format!("version {VERSION}\n{}", tables(VERSION)));
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&tables(1)).unwrap();
        assert!(is_ours(&connection, 1).unwrap() && !is_ours(&connection, VERSION).unwrap());
        connection.execute_batch(ROW_SETS).unwrap();
        assert!(is_ours(&connection, VERSION).unwrap());
        connection.execute_batch("CREATE VIEW v AS SELECT 1").unwrap();
        assert!(!is_ours(&connection, VERSION).unwrap());
    }
}
