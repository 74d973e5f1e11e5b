//! Runs work of the library beside Python: other threads of Python go on, Ctrl-C stops the work, and a callback sees
//! its progress.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use inkveil::Error;
use inkveil::release::{Observer, Progress};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{Class, raised};

/// How long a signal waits at most before it is noticed.
const POLL: Duration = Duration::from_millis(50);

/// What work reports and asks while it runs.
#[derive(Default)]
pub(crate) struct Watch {
    /// Whether the work should stop.
    pub(crate) cancel: AtomicBool,
    done: AtomicU64,
}

impl Watch {
    /// Sets how much is done.
    pub(crate) fn set_done(&self, done: u64) {
        self.done.fetch_max(done, Ordering::Relaxed);
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress<'_>) {
        self.set_done(progress.rows);
    }
}

/// Runs work without the lock of Python. `progress` is called with what is done; an exception of it stops the work.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let pool = pool().ok_or_else(|| Class::Inkveil.error(py, "the system refuses to start threads"))?;
    let watch = Watch::default();
    let callback = progress.map(|callback| callback.clone().unbind());
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let (watch, pool) = (&watch, &pool);
            let body = move || {
                let result = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(watch))));
                // If the receiver is gone, the answer does not matter any more.
                let _ = sender.send(result);
            };
            // A refused thread is a failure and no panic.
            if std::thread::Builder::new().name("inkveil".to_owned()).spawn_scoped(scope, body).is_err() {
                return Outcome::Died;
            }
            let (mut told, mut stopped) = (0, None);
            loop {
                let received = receiver.recv_timeout(POLL);
                let done = watch.done.load(Ordering::Relaxed);
                let news = stopped.is_none() && done > told;
                if let Some(callback) = callback.as_ref().filter(|_| news) {
                    told = done;
                    let called = Python::attach(|py| callback.call1(py, (done,)).map(drop));
                    if let Err(error) = called {
                        watch.cancel.store(true, Ordering::Relaxed);
                        stopped = Some(error);
                    }
                }
                match received {
                    Ok(Ok(result)) => return Outcome::Ended(result, stopped),
                    Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Outcome::Died,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if stopped.is_none()
                    && let Err(signal) = Python::attach(|py| py.check_signals())
                {
                    watch.cancel.store(true, Ordering::Relaxed);
                    stopped = Some(signal);
                }
            }
        })
    });
    match outcome {
        Outcome::Ended(_, Some(stopped)) => Err(stopped),
        Outcome::Ended(Ok(result), None) => Ok(result),
        Outcome::Ended(Err(error), None) if error.is_cancelled() => {
            Err(PyKeyboardInterrupt::new_err("the work was cancelled"))
        }
        Outcome::Ended(Err(error), None) => Err(raised(py, error)),
        // The message of a panic may quote a text, so it is dropped.
        Outcome::Died => Err(Class::Inkveil.error(py, "inkveil failed; this is a bug, please report it")),
    }
}

enum Outcome<T> {
    Ended(Result<T, Error>, Option<PyErr>),
    Died,
}

/// The threads of this process. A forked process has none of its parent's threads, so it gets its own.
fn pool() -> Option<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let process = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match &*pool {
        Some((owner, threads)) if *owner == process => Some(threads.clone()),
        _ => {
            let threads = Arc::new(ThreadPoolBuilder::new().build().ok()?);
            // The parent's threads do not exist here, and joining them would wait forever.
            std::mem::forget(pool.replace((process, threads.clone())));
            Some(threads)
        }
    }
}
