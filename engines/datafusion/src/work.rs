//! What the functions of one query share: models, the permit to release, and counts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inkveil::detect::{Detector, Span};
use inkveil::release::{MaskRelease, MemoryRelease, MemoryText, Silent};
use inkveil::restore::Restorer;
use inkveil::style::{Memory, StyleAssessment, StyleAssessor, StyleEncoder};
use inkveil::{Encoder, TextTally};

use crate::error::{Error, refused};
use crate::remote::{Job, TaskTally};
use crate::settings::library;
use crate::vector_release::VectorVeiling;
use crate::vectors::Vectors;

/// Texts that are searched together. A cancellation is noticed after each of these pieces.
const PIECE: usize = 256;

/// A memory of styles and its encoder.
pub(crate) type Style = (StyleEncoder, Memory);

/// How texts are veiled.
pub(crate) enum Veiling {
    /// The cost is counted. Nothing is released.
    Planned(Arc<MemoryRelease>),
    /// The query was charged.
    Charged(Arc<MemoryRelease>),
}

/// What functions need that release nothing. The run that counts the cost of a query uses the same.
#[derive(Default, Clone)]
pub(crate) struct Tools {
    pub(crate) detector: Option<Arc<Detector>>,
    pub(crate) style: Option<Arc<Style>>,
    pub(crate) restorer: Option<Restorer>,
    pub(crate) encoder: Option<Arc<Encoder>>,
    /// Whether names of columns may be data, so that no message holds one.
    pub(crate) hides_names: bool,
}

/// The work of a query.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) veil: Option<Veiling>,
    pub(crate) vectors: Option<VectorVeiling>,
    /// The release of masked texts, until it is confirmed.
    pub(crate) mask: Mutex<Option<MaskRelease>>,
    /// What workers need, if the functions run on other machines.
    pub(crate) job: Option<Job>,
    tools: Tools,
    cancel: Arc<AtomicBool>,
    /// Texts that the functions have finished.
    done: Arc<AtomicU64>,
    tally: Mutex<TextTally>,
    masked: AtomicU64,
}

impl Work {
    /// Work that stops when `cancel` is set and counts in `done`.
    pub(crate) fn new(cancel: &Arc<AtomicBool>, done: &Arc<AtomicU64>, tools: Tools) -> Self {
        Self { cancel: cancel.clone(), done: done.clone(), tools, ..Self::default() }
    }

    /// The name of a column or of an expression, for messages.
    pub(crate) fn shown(&self, name: &str) -> String {
        match !self.tools.hides_names && inkveil::looks_like_name(name) {
            true => format!("the column {name}"),
            false => "a column".to_owned(),
        }
    }

    /// Veils texts. Nothing is returned if the cost is only counted.
    pub(crate) fn veil(&self, texts: &[MemoryText<'_>]) -> Result<Option<Vec<String>>, Error> {
        let (tally, veiled) = match &self.veil {
            None => return Err(not_charged()),
            Some(Veiling::Planned(release)) => (release.plan(texts, &Silent, &self.cancel)?, None),
            Some(Veiling::Charged(release)) => {
                let released = release.release(texts, &Silent, &self.cancel)?;
                (released.tally, Some(released.texts.into_iter().map(|text| text.text).collect()))
            }
        };
        lock(&self.tally).join(&tally);
        self.add_done(texts.len());
        Ok(veiled)
    }

    /// Adds noise to vectors in place. Returns false if they are only counted.
    pub(crate) fn veil_vectors(&self, vectors: &mut Vectors, records: &[u64]) -> Result<bool, Error> {
        self.check()?;
        let dim = vectors.dim;
        let is_released = match &self.vectors {
            None => return Err(not_charged()),
            Some(VectorVeiling::Planned(count)) => {
                lock(count).add(records.len(), dim)?;
                false
            }
            Some(VectorVeiling::Charged(release)) => {
                release.veil(&mut vectors.values, dim, records, &self.cancel)?;
                true
            }
        };
        self.add_done(records.len());
        Ok(is_released)
    }

    /// Turns texts into vectors without noise, one after the other, and returns the length of each.
    pub(crate) fn embed(&self, texts: &[&str]) -> Result<(Vec<f32>, usize), Error> {
        let encoder = self.tools.encoder.as_ref().ok_or_else(not_charged)?;
        let vectors = encoder.encode(texts, &self.cancel, |_| ())?;
        self.add_done(texts.len());
        Ok((vectors, encoder.model.width()))
    }

    /// The length of the vectors that texts become.
    pub(crate) fn width(&self) -> Result<usize, Error> {
        Ok(self.tools.encoder.as_ref().ok_or_else(not_charged)?.model.width())
    }

    /// Masks texts.
    pub(crate) fn mask(&self, texts: &[&str]) -> Result<Vec<String>, Error> {
        let found = self.detect(texts)?;
        let mask = lock(&self.mask);
        let mask = mask.as_ref().ok_or_else(not_charged)?;
        self.masked.fetch_add(texts.len() as u64, Ordering::Relaxed);
        Ok(texts.iter().zip(&found).map(|(text, spans)| mask.masked(text, spans)).collect())
    }

    /// Finds what is sensitive.
    pub(crate) fn detect(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        let detector = self.tools.detector.as_ref().ok_or_else(not_charged)?;
        let mut found = Vec::with_capacity(texts.len());
        for piece in texts.chunks(PIECE) {
            self.check()?;
            found.extend(detector.detect(piece).map_err(library)?);
            self.add_done(piece.len());
        }
        Ok(found)
    }

    /// Measures the risk of styles.
    pub(crate) fn style_risks(&self, texts: &[&str]) -> Result<Vec<Option<f64>>, Error> {
        let (encoder, memory) = self.tools.style.as_deref().ok_or_else(not_charged)?;
        let geometry = memory.geometry().map_err(library)?;
        let assessor = StyleAssessor { encoder, geometry: &geometry, earlier: &[], habits: 0 };
        let assessed = assessor
            .assess(texts, &mut |_| !self.cancel.load(Ordering::Relaxed))
            .map_err(|error| self.check().err().unwrap_or_else(|| library(error)))?;
        self.add_done(texts.len());
        let risk = |style| match style {
            StyleAssessment::Measured(style) => Some(style.risk.score),
            _ => None,
        };
        Ok(assessed.into_iter().map(risk).collect())
    }

    /// Puts originals back into a text.
    pub(crate) fn restore(&self, text: &str) -> Result<String, Error> {
        self.check()?;
        Ok(self.tools.restorer.as_ref().ok_or_else(not_charged)?.restore_text(text).0)
    }

    /// What was veiled or planned so far.
    pub(crate) fn tally(&self) -> TextTally {
        lock(&self.tally).clone()
    }

    /// Adds what a task on another machine has released.
    pub(crate) fn add_remote(&self, task: &TaskTally) -> Result<(), Error> {
        lock(&self.tally).join(&task.texts);
        self.masked.fetch_add(task.masked, Ordering::Relaxed);
        match (&self.vectors, task.vectors) {
            (_, None) => Ok(()),
            (Some(VectorVeiling::Charged(release)), Some((dim, count))) => release.add_remote(dim, count),
            (Some(VectorVeiling::Planned(sum)), Some((dim, count))) => lock(sum).add(count as usize, dim),
            _ => Err(not_charged()),
        }
    }

    /// Adds what these functions have released to a sum.
    pub(crate) fn report(&self, sum: &mut TaskTally) -> Result<(), Error> {
        sum.texts.join(&self.tally());
        sum.masked += self.masked();
        let found = match &self.vectors {
            Some(VectorVeiling::Charged(release)) => release.released(),
            Some(VectorVeiling::Planned(count)) => lock(count).found(),
            None => None,
        };
        let Some((dim, count)) = found else { return Ok(()) };
        match &mut sum.vectors {
            None => sum.vectors = Some((dim, count)),
            Some((known, sum)) if *known == dim => *sum += count,
            Some(_) => return Err(crate::vector_release::several_lengths()),
        }
        Ok(())
    }

    /// Stops the work.
    pub(crate) fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// The number of masked texts.
    pub(crate) fn masked(&self) -> u64 {
        self.masked.load(Ordering::Relaxed)
    }

    fn add_done(&self, texts: usize) {
        self.done.fetch_add(texts as u64, Ordering::Relaxed);
    }

    fn check(&self) -> Result<(), Error> {
        match self.cancel.load(Ordering::Relaxed) {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Work")
    }
}

fn not_charged() -> Error {
    refused("a function runs in a query that did not ask for it; nothing was released")
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
