//! How far a query has come, on standard error if a person watches.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use inkveil_datafusion::Engine;

use super::is_watched;

/// A line that is drawn again and again until this is dropped.
pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Progress {
    /// Starts to draw.
    pub(crate) fn start(engine: &Engine, quiet: bool) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        if quiet || !is_watched() {
            return Self { stop, thread: None };
        }
        let (done, before, stopped) = (engine.counter(), engine.done(), stop.clone());
        let draw = move || {
            let start = Instant::now();
            while !stopped.load(Ordering::Relaxed) {
                std::thread::park_timeout(Duration::from_millis(250));
                let count = done.load(Ordering::Relaxed).saturating_sub(before);
                let rate = count as f64 / start.elapsed().as_secs_f64().max(0.001);
                let mut out = std::io::stderr();
                // The line is drawn again soon, so a failed write does not matter.
                let _ = write!(out, "\r\x1b[K{count} texts, {rate:.0}/s").and_then(|()| out.flush());
            }
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        };
        Self { stop, thread: std::thread::Builder::new().spawn(draw).ok() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
