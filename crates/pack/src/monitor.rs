//! Progress reports and cancellation for long operations.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};

/// A progress report of a long operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgressEvent<'a> {
    /// A stage starts.
    Stage {
        /// A description, for example `downloading model.whl`.
        name: &'a str,
        /// The number of bytes to process, if known.
        total: Option<u64>,
    },
    /// The number of bytes processed in this stage so far.
    Position {
        /// The bytes processed.
        bytes: u64,
    },
    /// A message for the user, for example that a download is retried.
    Message {
        /// The message.
        text: &'a str,
    },
}

/// Receives the progress of a long operation and can cancel it.
///
/// ```
/// use inkveil_pack::{Monitor, ProgressEvent};
/// use std::sync::atomic::AtomicBool;
///
/// let cancel = AtomicBool::new(false);
/// let mut print = |event: ProgressEvent<'_>| {
///     if let ProgressEvent::Message { text } = event {
///         eprintln!("{text}");
///     }
/// };
/// let monitor = Monitor::new(&mut print, &cancel);
/// # drop(monitor);
/// ```
pub struct Monitor<'a> {
    listener: Option<&'a mut dyn FnMut(ProgressEvent<'_>)>,
    cancel: Option<&'a AtomicBool>,
    position: u64,
}

impl<'a> Monitor<'a> {
    /// A monitor that passes events to `listener`. Soon after `cancel` becomes true, the operation ends with
    /// [`ErrorKind::Cancelled`].
    pub fn new(listener: &'a mut dyn FnMut(ProgressEvent<'_>), cancel: &'a AtomicBool) -> Self {
        Self { listener: Some(listener), cancel: Some(cancel), position: 0 }
    }

    /// A monitor that ignores events and never cancels.
    pub fn silent() -> Self {
        Self { listener: None, cancel: None, position: 0 }
    }

    pub(crate) fn start(&mut self, stage: &str, total: Option<u64>) {
        self.position = 0;
        self.send(ProgressEvent::Stage { name: stage, total });
    }

    /// Adds to the position. Fails if the operation was cancelled.
    pub(crate) fn advance(&mut self, more: u64) -> Result<(), Error> {
        self.set_position(self.position.saturating_add(more));
        self.check()
    }

    pub(crate) fn set_position(&mut self, bytes: u64) {
        self.position = bytes;
        self.send(ProgressEvent::Position { bytes });
    }

    pub(crate) fn message(&mut self, text: &str) {
        self.send(ProgressEvent::Message { text });
    }

    /// Fails if the operation was cancelled.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(ErrorKind::Cancelled.into()),
            _ => Ok(()),
        }
    }

    /// Sleeps. Fails early if the operation is cancelled.
    pub(crate) fn sleep(&self, time: Duration) -> Result<(), Error> {
        let end = Instant::now() + time;
        loop {
            self.check()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
    }

    fn send(&mut self, event: ProgressEvent<'_>) {
        if let Some(listener) = &mut self.listener {
            listener(event);
        }
    }
}

impl std::fmt::Debug for Monitor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Monitor").field("position", &self.position).finish_non_exhaustive()
    }
}
