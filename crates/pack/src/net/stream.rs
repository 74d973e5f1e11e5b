//! The body of an answer, piece by piece, as the thread of the request sends it.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};
use crate::job::Job;
use crate::net::client::Answer;
use crate::net::url::Url;

/// The body of an answer, as it comes.
pub(crate) struct Stream {
    pieces: Receiver<Result<Piece, Error>>,
    pace: Pace,
    url: Url,
}

/// What the thread of a request sends.
pub(crate) enum Piece {
    Head(Box<Answer>),
    Bytes(Vec<u8>),
    End,
}

impl Stream {
    /// A stream of pieces that must come at a pace.
    pub(crate) fn new(pieces: Receiver<Result<Piece, Error>>, timeout: Duration, url: &Url) -> Self {
        Self { pieces, pace: Pace::new(timeout), url: url.clone() }
    }

    /// Begins to watch the pace of the body; a server may think for a while before it.
    pub(crate) fn restart_pace(&mut self) {
        self.pace = Pace::new(self.pace.window);
    }

    /// The next bytes, or none at the end.
    pub(crate) fn next(&mut self, job: &Job<'_>) -> Result<Option<Vec<u8>>, Error> {
        match self.next_piece(job)? {
            Piece::Bytes(bytes) => {
                self.pace.came(bytes.len()).map_err(|e| e.of(&self.url))?;
                Ok(Some(bytes))
            }
            Piece::End => Ok(None),
            Piece::Head(_) => Err(ErrorKind::BadPage { what: "it has two heads" }.into()),
        }
    }

    /// The next piece, whatever it is.
    pub(crate) fn next_piece(&mut self, job: &Job<'_>) -> Result<Piece, Error> {
        loop {
            job.check()?;
            match self.pieces.recv_timeout(Duration::from_millis(50)) {
                Ok(piece) => return piece,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = "the request ended without a reason".to_owned();
                    return Err(Error::from(ErrorKind::Network { reason }).of(&self.url));
                }
            }
        }
    }
}

/// Finds servers that send a byte now and then, which no timeout of a single read does.
struct Pace {
    window: Duration,
    began: Instant,
    bytes: usize,
}

impl Pace {
    fn new(window: Duration) -> Self {
        Self { window, began: Instant::now(), bytes: 0 }
    }

    fn came(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        let elapsed = self.began.elapsed();
        if elapsed < self.window {
            return Ok(());
        }
        if (self.bytes as f64) < 1024.0 * elapsed.as_secs_f64() {
            return Err(timed_out(self.window));
        }
        (self.began, self.bytes) = (Instant::now(), 0);
        Ok(())
    }
}

/// Nothing, or next to nothing, came in this time.
pub(crate) fn timed_out(timeout: Duration) -> Error {
    ErrorKind::TimedOut { seconds: timeout.as_secs().max(1) }.into()
}
