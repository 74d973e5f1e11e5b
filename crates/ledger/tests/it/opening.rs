//! Files that can be opened, and files that are refused.

use std::fs;

use inkveil_ledger::{ErrorKind, Filter, Ledger};

use crate::making::{TestLedger, charge, release};

#[test]
fn a_new_ledger_is_readable_only_by_its_owner() {
    let test = TestLedger::new();
    assert!(matches!(Ledger::open_existing(&test.path).unwrap_err().kind(), ErrorKind::NotFound));
    let mut ledger = test.open();
    ledger.record(&release(vec![charge(None, 1.0)])).unwrap();
    #[cfg(unix)]
    for entry in fs::read_dir(test.folder.path()).unwrap() {
        use std::os::unix::fs::PermissionsExt;
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.file_name());
    }
    let sqlite = rusqlite::Connection::open(&test.path).unwrap();
    let pragma = |name: &str| sqlite.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!((pragma("application_id"), pragma("user_version")), (0x696e_6b4c, 2));
    assert!(!format!("{ledger:?}").contains("key"));
}

#[test]
fn other_files_are_refused_and_not_changed() {
    let test = TestLedger::new();
    let folder = Ledger::open(test.folder.path()).unwrap_err();
    assert!(matches!(folder.kind(), ErrorKind::Folder), "{folder}");
    let nowhere = Ledger::open(test.folder.path().join("absent").join("a.ledger")).unwrap_err();
    assert!(matches!(nowhere.kind(), ErrorKind::Io { .. } | ErrorKind::File(_)), "{nowhere}");

    for content in [&b""[..], b"a", b"my secret diary", &[0; 5000], b"SQLite format 3\0", &[0xff; 70_000]] {
        fs::write(&test.path, content).unwrap();
        for result in [Ledger::open(&test.path), Ledger::open_existing(&test.path)] {
            let error = result.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::NotALedger { .. }), "{error}");
            assert!(!error.to_string().contains("diary"));
        }
        assert!(Ledger::examine(&test.path).is_err());
        assert_eq!(fs::read(&test.path).unwrap(), content, "the file is unchanged");
    }
}

#[test]
fn other_sqlite_files_and_other_versions_are_refused() {
    let test = TestLedger::new();
    drop(test.open());
    let change = |statement: &str| {
        rusqlite::Connection::open(&test.path).unwrap().execute_batch(statement).unwrap();
        Ledger::open(&test.path).unwrap_err()
    };
    let error = change("PRAGMA user_version = 3");
    assert!(matches!(error.kind(), ErrorKind::Newer { version: 3, known: 2 }), "{error}");
    let error = change("PRAGMA user_version = -3");
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    let error = change("PRAGMA user_version = 2; CREATE TABLE more (a)");
    assert!(error.to_string().contains("tables") && error.to_string().contains("backup"), "{error}");
    let error = change("DROP TABLE more; PRAGMA application_id = 7");
    assert!(matches!(error.kind(), ErrorKind::NotALedger { .. }), "{error}");
    rusqlite::Connection::open(&test.path)
        .unwrap()
        .execute_batch("PRAGMA application_id = 1768844108")
        .unwrap();
    assert!(Ledger::open(&test.path).is_ok());
}

#[cfg(unix)]
#[test]
fn a_ledger_that_cannot_be_written_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let test = TestLedger::new();
    drop(test.open());
    fs::set_permissions(&test.path, fs::Permissions::from_mode(0o400)).unwrap();
    // Root may write every file, so there is nothing to refuse.
    if fs::OpenOptions::new().append(true).open(&test.path).is_ok() {
        return;
    }
    let error = Ledger::open(&test.path).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ReadOnly), "{error}");
    fs::set_permissions(&test.path, fs::Permissions::from_mode(0o000)).unwrap();
    assert!(matches!(Ledger::open(&test.path).unwrap_err().kind(), ErrorKind::Io { .. }));
}

#[test]
fn rows_cannot_be_changed_or_deleted() {
    let test = TestLedger::new();
    test.open().record(&release(vec![charge(None, 1.0)])).unwrap();
    let sqlite = rusqlite::Connection::open(&test.path).unwrap();
    for statement in ["DELETE FROM releases", "UPDATE charges SET epsilon = 0", "DELETE FROM charges"] {
        assert!(sqlite.execute_batch(statement).is_err(), "{statement}");
    }
    assert_eq!(test.open().releases(Filter::default()).count(), 1);
}
