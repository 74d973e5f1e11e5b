//! Ctrl-C. The engine computes on the threads of the runtime, so a thread of its own listens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder as ThreadBuilder, JoinHandle};

use inkveil_datafusion::{Engine, Error};
use tokio::runtime::Builder as RuntimeBuilder;
use tokio::sync::Notify;

/// Listens until it is dropped.
pub(crate) struct Interrupt {
    cancel: Arc<AtomicBool>,
    pressed: Arc<Notify>,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Interrupt {
    /// Starts to listen. Ctrl-C cancels the work of the session, which the functions notice.
    pub(crate) fn listen(engine: &Engine) -> std::io::Result<Self> {
        let cancel = engine.cancel().clone();
        cancel.store(false, Ordering::Relaxed);
        let (pressed, stop) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let runtime = RuntimeBuilder::new_current_thread().enable_all().build()?;
        let thread = ThreadBuilder::new().spawn({
            let (cancel, pressed, stop) = (cancel.clone(), pressed.clone(), stop.clone());
            let listen = async move {
                tokio::select! {
                    Ok(()) = tokio::signal::ctrl_c() => {
                        cancel.store(true, Ordering::Relaxed);
                        pressed.notify_one();
                    }
                    () = stop.notified() => {}
                }
            };
            move || runtime.block_on(listen)
        })?;
        Ok(Self { cancel, pressed, stop, thread: Some(thread) })
    }

    /// Waits for Ctrl-C.
    pub(crate) async fn pressed(&self) -> Error {
        self.pressed.notified().await;
        Error::Cancelled
    }

    /// Stops here if Ctrl-C was pressed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.cancel.load(Ordering::Relaxed) {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
