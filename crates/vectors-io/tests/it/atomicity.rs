//! A file appears whole or not at all.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_files::{Input, Output, write_atomically};
use inkveil_vectors_io::{
    Error, ErrorKind, ReadOptions, VectorFormat, VectorProgress, VectorReader, VectorWriter, transform,
};

use crate::samples::*;

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn start(bytes: &[u8], format: VectorFormat, path: &Path) -> (VectorReader, VectorWriter) {
    let reader = open_with(bytes, format, None, 1).unwrap();
    let writer = VectorWriter::like(&reader, Output::file(path, true).unwrap()).unwrap();
    (reader, writer)
}

#[test]
fn a_failure_midway_leaves_nothing() {
    for (format, bytes) in one_of_each() {
        for existing in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            if existing {
                fs::write(&path, b"old").unwrap();
            }
            let (reader, writer) = start(&bytes, format, &path);
            let mut seen = 0;
            let result = transform(
                reader,
                writer,
                &AtomicBool::new(false),
                |_| {},
                |batch| {
                    seen += batch.rows();
                    if seen > 2 { Err(Error::from(ErrorKind::Empty)) } else { Ok(()) }
                },
            );
            assert_eq!(result.unwrap_err().kind(), &ErrorKind::Empty);
            assert_eq!(names(folder.path()), if existing { vec!["out"] } else { vec![] }, "{format}");
            assert!(!existing || fs::read(&path).unwrap() == b"old");
        }
    }
}

#[test]
fn a_bad_row_midway_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let (reader, writer) = start(b"[1]\n[2]\n[3]\n[4]\n[5]\n[6, 7]\n", VectorFormat::Jsonl, &path);
    let result = transform(reader, writer, &AtomicBool::new(false), |_| {}, keep);
    assert_eq!(result.unwrap_err().row(), Some(6));
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_panic_in_the_change_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let (reader, writer) = start(b"[1]\n[2]\n[3]\n", VectorFormat::Jsonl, &path);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        transform(
            reader,
            writer,
            &AtomicBool::new(false),
            |_| {},
            |batch| {
                assert!(batch.first_row() < 1, "expected by this test");
                Ok::<(), Error>(())
            },
        )
    }));
    assert!(result.is_err());
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn cancelling_leaves_nothing() {
    for (format, bytes) in one_of_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let (reader, writer) = start(&bytes, format, &path);
        let cancel = AtomicBool::new(false);
        let mut seen = Vec::new();
        let result = transform(
            reader,
            writer,
            &cancel,
            |progress: VectorProgress| {
                seen.push(progress.rows);
                cancel.store(progress.rows == 2, Ordering::Relaxed);
            },
            keep,
        );
        assert_eq!(result.unwrap_err().kind(), &ErrorKind::Cancelled);
        assert_eq!(seen.last(), Some(&2));
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
}

/// A reader of a silent pipe would wait forever.
#[cfg(unix)]
#[test]
fn cancelling_does_not_wait_for_a_silent_pipe() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let path = pipe.clone();
    let (send, held) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut end = fs::OpenOptions::new().write(true).open(path).unwrap();
        end.write_all(b"[1.0]\n[2.0]\n[3.0]\n").unwrap();
        send.send(end).unwrap();
    });
    let options = ReadOptions { column: None, batch_rows: 1 };
    let reader = VectorReader::open(Input::path(&pipe), VectorFormat::Jsonl, &options).unwrap();
    assert_eq!(reader.bytes_total(), None);
    let writer =
        VectorWriter::like(&reader, Output::file(folder.path().join("out"), false).unwrap()).unwrap();
    let cancel = AtomicBool::new(false);
    let observe = |progress: VectorProgress| cancel.store(progress.rows == 2, Ordering::Relaxed);
    let result = transform(reader, writer, &cancel, observe, keep);
    assert_eq!(result.unwrap_err().kind(), &ErrorKind::Cancelled);
    assert_eq!(names(folder.path()), ["pipe"]);
    drop(held.recv().unwrap());
}

#[test]
fn a_result_is_named_only_when_committed() {
    for (format, bytes) in one_of_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let (reader, writer) = start(&bytes, format, &path);
        let finished = transform(reader, writer, &AtomicBool::new(false), |_| {}, keep).unwrap();
        assert!(!path.exists());
        assert_eq!((finished.rows(), finished.sha256().len()), (5, 64));
        let size = finished.bytes();
        finished.commit().unwrap();
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::metadata(&path).unwrap().len(), size);
        assert_eq!(values(&fs::read(&path).unwrap(), format).unwrap().len(), 10);

        let (reader, writer) = start(&bytes, format, &path);
        fs::write(&path, b"old").unwrap();
        drop(transform(reader, writer, &AtomicBool::new(false), |_| {}, keep).unwrap());
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}

#[test]
fn existing_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    write_atomically(&path, b"old", false).unwrap();
    let error = write_atomically(&path, b"new", false).unwrap_err();
    assert_eq!(error.kind(), &inkveil_files::ErrorKind::Exists);
    assert!(error.to_string().ends_with("out: this file exists already"));
    assert_eq!(Output::file(&path, false).unwrap_err().kind(), &inkveil_files::ErrorKind::Exists);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    write_atomically(&path, b"new", true).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["out"]);
}

/// A writer that fails after some bytes, as a full disk does.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error() {
    for (format, bytes) in one_of_each() {
        for room in [0, 50] {
            let reader = open_with(&bytes, format, None, 1).unwrap();
            let result = VectorWriter::like(&reader, Output::writer(Box::new(Full(room))))
                .and_then(|writer| transform(reader, writer, &AtomicBool::new(false), |_| {}, keep));
            let error = result.unwrap_err();
            let mut cause: Option<&dyn std::error::Error> = Some(&error);
            let mut full = false;
            while let Some(error) = cause {
                let io = error.downcast_ref::<std::io::Error>();
                full |= io.is_some_and(|error| error.kind() == std::io::ErrorKind::StorageFull);
                cause = error.source();
            }
            assert!(full, "{format}: {error}");
        }
    }
}
