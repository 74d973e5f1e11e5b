//! The body of a response, received in pieces from the thread of the request.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};
use crate::monitor::Monitor;
use crate::net::address::Address;
use crate::net::client::ResponseHead;

/// The body of a response.
pub(crate) struct Stream {
    pieces: Receiver<Result<Piece, Error>>,
    pace: Pace,
    address: Address,
}

/// A message from the thread of a request.
pub(crate) enum Piece {
    Head(Box<ResponseHead>),
    Bytes(Vec<u8>),
    End,
}

impl Stream {
    /// A stream that fails if the server sends too slowly.
    pub(crate) fn new(pieces: Receiver<Result<Piece, Error>>, timeout: Duration, address: &Address) -> Self {
        Self { pieces, pace: Pace::new(timeout), address: address.clone() }
    }

    /// Starts to measure the speed of the body. The time before it does not count.
    pub(crate) fn restart_pace(&mut self) {
        self.pace = Pace::new(self.pace.window);
    }

    /// The next bytes, or none at the end.
    pub(crate) fn next(&mut self, monitor: &Monitor<'_>) -> Result<Option<Vec<u8>>, Error> {
        match self.next_piece(monitor)? {
            Piece::Bytes(bytes) => {
                self.pace.received(bytes.len()).map_err(|e| e.of(&self.address))?;
                Ok(Some(bytes))
            }
            Piece::End => Ok(None),
            Piece::Head(_) => Err(ErrorKind::BadPage { what: "it has two headers" }.into()),
        }
    }

    /// The next piece of any kind.
    pub(crate) fn next_piece(&mut self, monitor: &Monitor<'_>) -> Result<Piece, Error> {
        loop {
            monitor.check()?;
            match self.pieces.recv_timeout(Duration::from_millis(50)) {
                Ok(piece) => return piece,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = "the request ended without a reason".to_owned();
                    return Err(Error::from(ErrorKind::Network { reason }).of(&self.address));
                }
            }
        }
    }
}

/// Detects servers that send a byte now and then. A timeout of a single read does not.
struct Pace {
    window: Duration,
    start: Instant,
    bytes: usize,
}

impl Pace {
    fn new(window: Duration) -> Self {
        Self { window, start: Instant::now(), bytes: 0 }
    }

    fn received(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        let elapsed = self.start.elapsed();
        if elapsed < self.window {
            return Ok(());
        }
        if (self.bytes as f64) < 1024.0 * elapsed.as_secs_f64() {
            return Err(timed_out(self.window));
        }
        (self.start, self.bytes) = (Instant::now(), 0);
        Ok(())
    }
}

/// The error for a server that sent nothing, or almost nothing, in this time.
pub(crate) fn timed_out(timeout: Duration) -> Error {
    ErrorKind::TimedOut { seconds: timeout.as_secs().max(1) }.into()
}
