//! Sends one file through the work: one thread reads, several change, and the results come back in order.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::work::{BatchAddress, Work};
use crate::error::{Error, ErrorKind};
use crate::records::{RecordReader, Records, Reject, Texts, WrittenRows};

/// The interval at which a waiting thread checks for cancellation.
const POLL: Duration = Duration::from_millis(50);

/// A batch of changed rows.
pub(super) struct ChangedBatch<N> {
    pub(super) rows: u64,
    /// The number of rows and texts of the file up to the end of this batch.
    pub(super) end_row: u64,
    pub(super) end_text: u64,
    pub(super) bytes_read: u64,
    pub(super) fingerprint: String,
    pub(super) rejects: Vec<Reject>,
    pub(super) written: WrittenRows,
    pub(super) note: N,
    pub(super) texts: Texts,
}

enum Event<N, E> {
    Changed(Box<ChangedBatch<N>>),
    Failed(E),
    End,
}

/// An event and the number of its batch.
type Numbered<W> = (u64, Event<<W as Work>::Note, <W as Work>::Error>);

/// The settings of one run over one file.
pub(super) struct Pipeline<'a, W: Work> {
    pub(super) work: &'a W,
    pub(super) file: usize,
    pub(super) workers: usize,
    /// The most rows to read.
    pub(super) most: Option<u64>,
    pub(super) cancel: &'a AtomicBool,
}

impl<W: Work> Pipeline<'_, W> {
    /// Sends all rows through the work; `take` receives the results in order. Results before an error are taken.
    pub(super) fn through(
        &self,
        mut reader: RecordReader,
        mut take: impl FnMut(ChangedBatch<W::Note>) -> Result<(), W::Error>,
    ) -> Result<(), W::Error> {
        let ahead = 2 * self.workers;
        let (tickets, ticket) = sync_channel(ahead);
        for _ in 0..ahead {
            // The channel has room for all tickets.
            let _ = tickets.send(());
        }
        let (queue, queued) = sync_channel(ahead);
        let (events, event) = sync_channel(ahead + 1);
        let read_events = events.clone();
        if let Some(most) = self.most {
            reader.take(most);
        }
        // This thread is not joined: it may hang in a pipe, and its only effect is what it sends.
        thread::Builder::new()
            .name("inkveil-read".to_owned())
            .spawn(move || read_all::<W>(reader, &ticket, &queue, &read_events))
            .map_err(|e| Error::io("start a thread", &e))?;
        let (queued, stop) = (Mutex::new(queued), AtomicBool::new(false));
        thread::scope(|scope| {
            let mut started = Ok(());
            for number in 0..self.workers {
                let (queued, stop, events) = (&queued, &stop, events.clone());
                let work = move || self.change_all(queued, stop, &events);
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => {}
                    // Fewer threads are slower, but one is enough.
                    Err(error) if number == 0 => started = Err(Error::io("start a thread", &error)),
                    Err(_) => break,
                }
                if started.is_err() {
                    break;
                }
            }
            drop(events);
            let result = match started {
                Ok(()) => self.in_order(&event, &tickets, &mut take),
                Err(error) => Err(error.into()),
            };
            stop.store(true, Ordering::Relaxed);
            // Threads that still want to send must not block.
            drop(event);
            result
        })
    }

    fn in_order(
        &self,
        event: &Receiver<Numbered<W>>,
        tickets: &SyncSender<()>,
        take: &mut impl FnMut(ChangedBatch<W::Note>) -> Result<(), W::Error>,
    ) -> Result<(), W::Error> {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Error::from(ErrorKind::Cancelled).into());
            }
            match event.recv_timeout(POLL) {
                Ok((number, event)) => {
                    waiting.insert(number, event);
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err(Error::from(ErrorKind::WorkerLost).into()),
            }
            while let Some(event) = waiting.remove(&next) {
                next += 1;
                match event {
                    Event::Changed(done) => take(*done)?,
                    Event::Failed(error) => return Err(error),
                    Event::End => return Ok(()),
                }
                // The reading thread may have ended.
                let _ = tickets.send(());
            }
        }
    }

    fn change_all(
        &self,
        queued: &Mutex<Receiver<(u64, Records)>>,
        stop: &AtomicBool,
        events: &SyncSender<Numbered<W>>,
    ) {
        while !stop.load(Ordering::Relaxed) {
            let next = queued.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(POLL);
            let (number, records) = match next {
                Ok(next) => next,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let changed = catch_unwind(AssertUnwindSafe(|| self.change(records)))
                .unwrap_or_else(|_| Err(Error::from(ErrorKind::WorkerLost).into()));
            let event = match changed {
                Ok(done) => Event::Changed(Box::new(done)),
                Err(error) => Event::Failed(error),
            };
            if events.send((number, event)).is_err() {
                return;
            }
        }
    }

    fn change(&self, mut records: Records) -> Result<ChangedBatch<W::Note>, W::Error> {
        let address = BatchAddress { file: self.file, first_text: records.first_text() };
        let (changed, note) = self.work.change(records.texts(), address)?;
        let written = records.write(&changed)?;
        Ok(ChangedBatch {
            rows: records.rows(),
            end_row: records.first_row() + records.rows(),
            end_text: records.first_text() + records.texts().len() as u64,
            bytes_read: records.bytes_read(),
            fingerprint: records.fingerprint().to_owned(),
            rejects: std::mem::take(&mut records.rejects),
            written,
            note,
            texts: records.texts,
        })
    }
}

fn read_all<W: Work>(
    mut reader: RecordReader,
    ticket: &Receiver<()>,
    queue: &SyncSender<(u64, Records)>,
    events: &SyncSender<Numbered<W>>,
) {
    for number in 0.. {
        // A closed channel means that the work has ended.
        if ticket.recv().is_err() {
            return;
        }
        let last = match reader.next() {
            Ok(Some(records)) => {
                if queue.send((number, records)).is_err() {
                    return;
                }
                continue;
            }
            Ok(None) => Event::End,
            Err(error) => Event::Failed(error.into()),
        };
        let _ = events.send((number, last));
        return;
    }
}
