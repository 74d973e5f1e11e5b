//! Work that takes a while: what it tells of its progress, and how it is stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};

/// What a long piece of work tells while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A stage begins.
    Begin {
        /// What is done, in words, such as `downloading model.whl`.
        stage: &'a str,
        /// The bytes it goes through, if that is known.
        total: Option<u64>,
    },
    /// The stage has come this far.
    Position {
        /// The bytes it went through.
        bytes: u64,
    },
    /// Something the user should know, such as that a download is tried again.
    Note {
        /// What happened, in words.
        text: &'a str,
    },
}

/// How a long piece of work reports, and a flag that stops it.
///
/// ```
/// use inkveil_pack::{Event, Job};
/// use std::sync::atomic::AtomicBool;
///
/// let cancel = AtomicBool::new(false);
/// let mut print = |event: Event<'_>| if let Event::Note { text } = event { eprintln!("{text}") };
/// let job = Job::new(&mut print, &cancel);
/// # drop(job);
/// ```
pub struct Job<'a> {
    listener: Option<&'a mut dyn FnMut(Event<'_>)>,
    cancel: Option<&'a AtomicBool>,
    position: u64,
}

impl<'a> Job<'a> {
    /// A job that tells `listener` of its progress and ends with [`ErrorKind::Cancelled`] soon after `cancel` becomes
    /// true.
    pub fn new(listener: &'a mut dyn FnMut(Event<'_>), cancel: &'a AtomicBool) -> Self {
        Self { listener: Some(listener), cancel: Some(cancel), position: 0 }
    }

    /// A job that nobody watches.
    pub fn silent() -> Self {
        Self { listener: None, cancel: None, position: 0 }
    }

    pub(crate) fn begin(&mut self, stage: &str, total: Option<u64>) {
        self.position = 0;
        self.tell(Event::Begin { stage, total });
    }

    /// Goes some bytes on, unless the work was cancelled.
    pub(crate) fn advance(&mut self, more: u64) -> Result<(), Error> {
        self.set_position(self.position.saturating_add(more));
        self.check()
    }

    pub(crate) fn set_position(&mut self, bytes: u64) {
        self.position = bytes;
        self.tell(Event::Position { bytes });
    }

    pub(crate) fn note(&mut self, text: &str) {
        self.tell(Event::Note { text });
    }

    /// Fails if the work was cancelled.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(ErrorKind::Cancelled.into()),
            _ => Ok(()),
        }
    }

    /// Waits, unless the work is cancelled meanwhile.
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

    fn tell(&mut self, event: Event<'_>) {
        if let Some(listener) = &mut self.listener {
            listener(event);
        }
    }
}

impl std::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("position", &self.position).finish_non_exhaustive()
    }
}
