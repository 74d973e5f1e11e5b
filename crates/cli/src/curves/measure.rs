//! Measuring, in a way that can be watched and stopped.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use inkveil::curves::{self, CurveEffort};
use inkveil::{CurvePoint, NoiseKey};
use inkveil_lexicon::{Lexicon, LexiconKind};

use super::Subject;
use crate::args::CurvesArgs;
use crate::progress;

/// How long an interruption may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(100);

/// Where mechanisms are measured.
pub(super) struct Bench {
    folder: PathBuf,
    kind: LexiconKind,
    effort: CurveEffort,
    seed: u64,
    quiet: bool,
    cancel: Arc<AtomicBool>,
    /// Opened for the first measurement: what is stored needs none.
    lexicon: Option<Arc<Lexicon>>,
}

impl Bench {
    pub(super) fn new(folder: &Path, kind: LexiconKind, args: &CurvesArgs, cancel: Arc<AtomicBool>) -> Self {
        let effort =
            CurveEffort { words: args.words.into(), draws: args.draws.into(), points: args.points.into() };
        let (seed, quiet) = (args.insecure_seed, args.quiet);
        Self { folder: folder.to_owned(), kind, effort, seed, quiet, cancel, lexicon: None }
    }

    /// The curve of a mechanism; none if the user has interrupted.
    pub(super) fn measure(
        &mut self,
        subject: &Subject,
        place: &str,
    ) -> anyhow::Result<Option<Vec<CurvePoint>>> {
        let lexicon = self.lexicon()?;
        let template = "{spinner} {prefix} {bar:30} {pos}/{len}  {eta} left";
        let bar = progress::bar(Some(self.effort.points as u64), template, self.quiet);
        bar.set_prefix(format!("{} ({place})", subject.name));

        let (send, receive) = mpsc::sync_channel(1);
        let watched = bar.clone();
        let (names, effort, seed, settings) =
            (inkveil::names_folder(&self.folder)?, self.effort, self.seed, subject.settings);
        // On a thread of its own, which ends with the program: a measurement cannot be stopped from inside.
        thread::spawn(move || {
            let key = NoiseKey::insecure_from_seed(seed);
            let result = curves::measure(&names, &lexicon, &settings, effort, &key, |done, all| {
                if done == 0 {
                    // Finding the range took time, too, but says nothing about the rest.
                    watched.reset_eta();
                }
                watched.set_length(all as u64);
                watched.set_position(done as u64);
            });
            // Nobody waits for it any more after an interruption.
            let _ = send.send(result);
        });
        let points = loop {
            match receive.recv_timeout(PATIENCE) {
                Ok(result) => break Some(result?),
                Err(RecvTimeoutError::Timeout) if self.cancel.load(Ordering::Relaxed) => break None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(anyhow!("measuring {} ended without a result", subject.name));
                }
            }
        };
        bar.finish_and_clear();
        Ok(points)
    }

    fn lexicon(&mut self) -> anyhow::Result<Arc<Lexicon>> {
        let lexicon = match &self.lexicon {
            Some(lexicon) => lexicon.clone(),
            None => Arc::new(Lexicon::open_kind(&self.folder, self.kind)?),
        };
        Ok(self.lexicon.insert(lexicon).clone())
    }
}
