//! Reads, changes and writes vectors at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::batch::VectorBatch;
use crate::error::{Error, ErrorKind};
use crate::reader::VectorReader;
use crate::writer::VectorWriter;
use inkveil_files::Finished;

/// The number of batches that wait before and after the change.
const AHEAD: usize = 2;

/// The interval at which a wait for input checks for cancellation.
const POLL: Duration = Duration::from_millis(50);

/// The progress of a [`transform`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorProgress {
    /// The number of vectors changed so far.
    pub rows: u64,
    /// The number of bytes of the input read so far.
    pub bytes_read: u64,
}

enum Read {
    Batch(VectorBatch, u64),
    Failed(Error),
    End,
}

enum Write {
    Batch(VectorBatch),
    End,
}

/// Reads every batch, changes it with `f`, and writes it.
///
/// Reading and writing run in threads of their own; `f` and `observe` run in the thread of the caller. Memory is
/// bounded by a few batches. When `cancel` becomes true the work stops with [`ErrorKind::Cancelled`], even while a
/// pipe has nothing to read. On any error the temporary file is removed and nothing appears under the final name.
///
/// ```
/// use inkveil_files::{Input, Output};
/// use inkveil_privacy::GridRows;
/// use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader, VectorWriter, transform};
/// use std::sync::atomic::AtomicBool;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("out.jsonl");
/// let input = Input::from_bytes(b"[1.0]\n[2.0]\n".to_vec());
/// let reader = VectorReader::open(input, VectorFormat::Jsonl, &ReadOptions::default())?;
/// let writer = VectorWriter::like(&reader, Output::file(&path, false)?)?;
/// let finished = transform(reader, writer, &AtomicBool::new(false), |_| {}, |batch| {
///     batch.release(|values| Ok::<_, Box<dyn std::error::Error>>(GridRows::without_noise(values, 1)?))
/// })?;
/// assert_eq!(finished.rows(), 2);
/// finished.commit()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "[1.0]\n[2.0]\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn transform<E: From<Error>>(
    reader: VectorReader,
    writer: VectorWriter,
    cancel: &AtomicBool,
    mut observe: impl FnMut(VectorProgress),
    mut f: impl FnMut(&mut VectorBatch) -> Result<(), E>,
) -> Result<Finished, E> {
    let (read_sender, read) = sync_channel(AHEAD);
    // This thread is not joined: it may hang in a pipe, and its only effect is what it sends.
    thread::Builder::new()
        .name("inkveil-read".to_owned())
        .spawn(move || read_all(reader, &read_sender))
        .map_err(|e| Error::io("start a thread", &e))?;
    // The writing thread is joined, so that the temporary file is removed before this function returns, even if `f` panics.
    thread::scope(|scope| {
        let (write, write_receiver) = sync_channel(AHEAD);
        let writing = thread::Builder::new()
            .name("inkveil-write".to_owned())
            .spawn_scoped(scope, move || write_all(writer, &write_receiver))
            .map_err(|e| Error::io("start a thread", &e))?;
        let changed = change_all(&read, &write, cancel, &mut observe, &mut f);
        // The writer ends when the channel is closed.
        drop(write);
        let written = writing.join().unwrap_or(Err(ErrorKind::WorkerLost.into()));
        match (changed, written) {
            (Ok(()), Ok(Some(finished))) => Ok(finished),
            (Ok(()), Ok(None)) => Err(Error::from(ErrorKind::WorkerLost).into()),
            // A failure of the writer is the cause of what followed.
            (_, Err(error)) => Err(error.into()),
            (Err(error), Ok(_)) => Err(error),
        }
    })
}

fn read_all(mut reader: VectorReader, to: &SyncSender<Read>) {
    loop {
        let (message, last) = match reader.next_batch() {
            Ok(Some(batch)) => (Read::Batch(batch, reader.bytes_read()), false),
            Ok(None) => (Read::End, true),
            Err(error) => (Read::Failed(error), true),
        };
        // The receiver is gone if the work was cancelled or has failed.
        if to.send(message).is_err() || last {
            return;
        }
    }
}

fn write_all(mut writer: VectorWriter, from: &Receiver<Write>) -> Result<Option<Finished>, Error> {
    loop {
        match from.recv() {
            Ok(Write::Batch(batch)) => writer.write(batch)?,
            Ok(Write::End) => return writer.finish().map(Some),
            Err(_) => return Ok(None),
        }
    }
}

fn change_all<E: From<Error>>(
    from: &Receiver<Read>,
    to: &SyncSender<Write>,
    cancel: &AtomicBool,
    observe: &mut impl FnMut(VectorProgress),
    f: &mut impl FnMut(&mut VectorBatch) -> Result<(), E>,
) -> Result<(), E> {
    let lost = || Error::from(ErrorKind::WorkerLost);
    let mut progress = VectorProgress { rows: 0, bytes_read: 0 };
    loop {
        if cancel.load(Ordering::Relaxed) {
            return Err(Error::from(ErrorKind::Cancelled).into());
        }
        let (mut batch, bytes_read) = match from.recv_timeout(POLL) {
            Ok(Read::Batch(batch, bytes_read)) => (batch, bytes_read),
            Ok(Read::Failed(error)) => return Err(error.into()),
            Ok(Read::End) => return to.send(Write::End).map_err(|_| lost().into()),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Err(lost().into()),
        };
        if batch.rows() > 0 {
            f(&mut batch)?;
        }
        progress = VectorProgress { rows: progress.rows + batch.rows() as u64, bytes_read };
        to.send(Write::Batch(batch)).map_err(|_| lost())?;
        observe(progress);
    }
}
