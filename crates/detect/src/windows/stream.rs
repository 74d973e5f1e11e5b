//! Detection in a stream of windows, with cancellation and progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::detect::WindowDetector;
use super::piece::TextPiece;
use super::window::Window;
use crate::detector::Detector;
use crate::error::{Error, ErrorKind};

/// The time after which a cancellation is noticed at the latest while the source is silent.
const POLL: Duration = Duration::from_millis(100);

/// A source of windows, for example a [`WindowReader`](super::WindowReader).
pub trait WindowSource {
    /// What a caller attaches to the windows.
    type Tag;
    /// Why reading can fail.
    type Error;

    /// Returns the next windows in order, or `None` at the end.
    ///
    /// # Errors
    /// Fails if the next windows cannot be read. It is not called again then.
    fn next_windows(&mut self) -> Result<NextWindows<Self::Tag>, Self::Error>;
}

/// The next windows of a source, or `None` at the end.
pub type NextWindows<T> = Option<Vec<Window<T>>>;

impl Detector {
    /// Detects everything that `source` yields and passes the pieces to `visit`, batch by batch, in order.
    /// After each batch, `progress` receives the number of bytes in it.
    ///
    /// `source` is read on a thread of its own, so that a cancellation is noticed while it blocks. A
    /// cancelled thread ends at its next read.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    ///
    /// use inkveil_detect::windows::WindowReader;
    /// use inkveil_detect::{Detector, Error, Settings, Tier};
    ///
    /// let detector = Detector::open(None, Settings::of(Tier::Rules))?;
    /// let lines = WindowReader::new("nothing\nana@example.org\n".as_bytes(), ()).lines();
    /// let (mut bytes, mut found) = (0, Vec::new());
    /// detector.stream(lines, &AtomicBool::new(false), |read| bytes += read, |pieces| {
    ///     let with_spans = pieces.iter().filter(|piece| !piece.spans.is_empty());
    ///     found.extend(with_spans.filter_map(|piece| piece.line));
    ///     Ok::<(), Error>(())
    /// })?;
    /// assert_eq!((bytes, found), (24, vec![2]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the source, the detection or `visit` fails, and with [`ErrorKind::Cancelled`] once `cancel`
    /// is true.
    pub fn stream<S, E>(
        &self,
        mut source: S,
        cancel: &AtomicBool,
        mut progress: impl FnMut(u64),
        mut visit: impl FnMut(&[TextPiece<S::Tag>]) -> Result<(), E>,
    ) -> Result<(), E>
    where
        S: WindowSource<Tag: Send, Error: Send> + Send + 'static,
        E: From<Error> + From<S::Error>,
    {
        // One batch waits while another one is detected.
        let (sender, batches) = sync_channel(1);
        let read = move || {
            while let Some(batch) = source.next_windows().transpose() {
                let failed = batch.is_err();
                // Sending fails if the receiver has stopped.
                if sender.send(batch).is_err() || failed {
                    return;
                }
            }
        };
        // The system may refuse a thread, and `thread::spawn` would panic.
        let refused = |e: std::io::Error| ErrorKind::File { doing: "start a thread", cause: (&e).into() };
        let reading = thread::Builder::new().spawn(read).map_err(|e| Error::from(refused(e)))?;
        let mut windows = WindowDetector::new(self);
        loop {
            let batch = batches.recv_timeout(POLL);
            if cancel.load(Ordering::Relaxed) {
                return Err(Error::from(ErrorKind::Cancelled).into());
            }
            match batch {
                Ok(batch) => {
                    let batch = batch?;
                    let bytes: usize = batch.iter().map(Window::bytes).sum();
                    visit(&windows.detect(batch)?)?;
                    progress(bytes as u64);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Settings, Tier};
    use crate::windows::WindowReader;

    fn detector() -> Detector {
        Detector::open(None, Settings::of(Tier::Rules)).unwrap()
    }

    /// A reader that blocks until the test ends.
    struct Silent;

    impl std::io::Read for Silent {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            thread::sleep(Duration::from_secs(3600));
            Ok(0)
        }
    }

    #[test]
    fn a_cancellation_is_noticed_while_the_source_is_silent() {
        let error = detector()
            .stream(WindowReader::new(Silent, ()), &AtomicBool::new(true), |_| (), |_| Ok::<(), Error>(()))
            .unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
    }

    #[test]
    fn an_error_of_the_visitor_stops_the_stream() {
        let mut visited = 0;
        let lines = WindowReader::new("a\nb\n".as_bytes(), ()).lines();
        let ended = detector().stream(
            lines,
            &AtomicBool::new(false),
            |_| (),
            |_| {
                visited += 1;
                Err(Error::damaged("enough"))
            },
        );
        assert_eq!((ended.unwrap_err().to_string(), visited), ("enough".to_owned(), 1));
    }

    #[test]
    fn an_error_of_the_source_is_returned() {
        let reader = WindowReader::new(&b"fine\n\xff"[..], ());
        let error =
            detector().stream(reader, &AtomicBool::new(false), |_| (), |_| Ok::<(), Error>(())).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotUtf8 { byte: 5, line: 2 }), "{error}");
    }

    #[test]
    #[should_panic(expected = "a broken source")]
    fn a_panic_of_the_source_reaches_the_caller() {
        struct Broken;
        impl WindowSource for Broken {
            type Tag = ();
            type Error = Error;
            fn next_windows(&mut self) -> Result<Option<Vec<Window>>, Error> {
                panic!("a broken source")
            }
        }
        let _ = detector().stream(Broken, &AtomicBool::new(false), |_| (), |_| Ok::<(), Error>(()));
    }
}
