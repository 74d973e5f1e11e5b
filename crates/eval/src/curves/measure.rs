//! Measures a curve on its own thread, so that it can be cancelled.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use inkveil_lexicon::{Lexicon, WordPrior};
use inkveil_privacy::NoiseKey;
use inkveil_text::curves::{self, CurveEffort};
use inkveil_text::{CurvePoint, Decoding};

use super::subject::CurveSubject;
use crate::{Error, ErrorKind};

/// How long a cancellation may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(100);

/// The words that curves are measured on, and the effort.
#[derive(Debug, Clone)]
pub struct CurveSource {
    /// The folder of the pack with the lexicon.
    pub pack: PathBuf,
    /// The folder of a pack with lists of names.
    pub names: PathBuf,
    /// The lexicon.
    pub lexicon: Arc<Lexicon>,
    /// How many words, draws and budgets are measured.
    pub effort: CurveEffort,
    /// The seed of the draws. Nothing is released, so it is no secret.
    pub seed: u64,
}

/// Measures a curve. `progress` gets the number of finished and of all budgets. After `cancel`
/// becomes true, the function returns at once; the thread of the measurement ends with its current
/// budget.
///
/// # Errors
/// If the pack has no lists of names, the lexicon has too few sensitive words, or the measurement
/// was cancelled.
pub fn measure(
    subject: &CurveSubject,
    source: &CurveSource,
    progress: impl Fn(usize, usize) + Send + 'static,
    cancel: &AtomicBool,
) -> Result<Vec<CurvePoint>, Error> {
    let (send, receive) = mpsc::sync_channel(1);
    let (source, settings) = (source.clone(), subject.settings);
    let prior = match subject.decoding {
        Decoding::Nearest => None,
        Decoding::Joint => {
            let missing = || Error::argument("the pack has no prior, so words cannot be decoded jointly");
            Some(Arc::new(WordPrior::open(&source.pack, &source.lexicon)?.ok_or_else(missing)?))
        }
    };
    thread::spawn(move || {
        let key = NoiseKey::insecure_from_seed(source.seed);
        let CurveSource { names, lexicon, effort, .. } = &source;
        // After a cancellation the receiver is gone.
        let _ = send.send(curves::measure(names, lexicon, &settings, prior, *effort, &key, progress));
    });
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(result) => return Ok(result?),
            Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::Relaxed) => {
                return Err(ErrorKind::Cancelled.into());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::argument(format!("the measurement of {} panicked", subject.name)));
            }
        }
    }
}
