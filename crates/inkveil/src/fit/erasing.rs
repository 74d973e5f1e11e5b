//! Sums for erasers: one pass over the texts, in bounded memory.

use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_vector::{ConceptFinder, EraseSettings, Eraser, LabelSums, Moments, label_words};

use super::texts::FitTexts;
use super::vectors::VectorSource;
use super::{FitEvent, FitEvents};
use crate::error::{Error, ErrorKind};

/// The number of texts that are encoded at once.
const BATCH: usize = 1024;

/// What was read to fit erasers.
pub(super) struct Sums {
    moments: Moments,
    labels: Vec<LabelSums>,
}

impl Sums {
    /// The number of texts.
    pub(super) fn texts(&self) -> usize {
        usize::try_from(self.moments.count()).unwrap_or(usize::MAX)
    }

    /// The number of texts with a label of the concept at this position.
    pub(super) fn labelled(&self, concept: usize) -> usize {
        usize::try_from(self.labels[concept].texts()).unwrap_or(usize::MAX)
    }

    /// The eraser of the concept at this position.
    pub(super) fn eraser(&self, concept: usize, settings: &EraseSettings) -> Result<Eraser, Error> {
        Ok(Eraser::fit(&self.moments, &self.labels[concept], settings)?)
    }
}

/// Reads all texts and their vectors. Each finder labels texts with the words of its concept; without
/// finders, a column does.
pub(super) fn read(
    texts: &FitTexts<'_>,
    source: &mut VectorSource<'_>,
    finders: &[ConceptFinder],
    cancel: &AtomicBool,
    events: &mut FitEvents<'_>,
) -> Result<Sums, Error> {
    let dim = source.dim();
    let concepts = finders.len().max(1);
    let mut sums = Sums { moments: Moments::new(dim), labels: vec![LabelSums::new(dim); concepts] };
    let (mut batch, mut marked): (Vec<String>, Vec<bool>) = (Vec::new(), Vec::new());
    let mut rows = texts.rows()?.peekable();
    while let Some(row) = rows.next() {
        if cancel.load(Ordering::Relaxed) {
            return Err(ErrorKind::Cancelled.into());
        }
        let (text, label) = row?;
        marked.extend(label);
        batch.push(text);
        if batch.len() == BATCH || rows.peek().is_none() {
            add(&mut sums, source, finders, (&batch, &marked), cancel)?;
            events(FitEvent::Read { texts: sums.moments.count() });
            batch.clear();
            marked.clear();
        }
    }
    source.end()?;
    match sums.moments.count() {
        0 => Err(texts.empty()),
        _ => Ok(sums),
    }
}

fn add(
    sums: &mut Sums,
    source: &mut VectorSource<'_>,
    finders: &[ConceptFinder],
    (texts, marked): (&[String], &[bool]),
    cancel: &AtomicBool,
) -> Result<(), Error> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut vectors = source.of_next(&texts, cancel)?;
    to_length_1(&mut vectors, source.dim());
    sums.moments.add(&vectors)?;
    if finders.is_empty() {
        let label = |yes: &bool| if *yes { vec!["yes".to_owned()] } else { Vec::new() };
        sums.labels[0].add(&vectors, &marked.iter().map(label).collect::<Vec<_>>())?;
    }
    for (finder, labels) in finders.iter().zip(&mut sums.labels) {
        let spans = finder.spans(&texts)?;
        let words: Vec<Vec<String>> =
            texts.iter().zip(&spans).map(|(text, spans)| label_words(text, spans)).collect();
        labels.add(&vectors, &words)?;
    }
    Ok(())
}

/// Vectors are released with length 1, so erasers are fitted on vectors of length 1.
pub(super) fn to_length_1(rows: &mut [f32], dim: usize) {
    for row in rows.chunks_exact_mut(dim.max(1)) {
        let length = row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
        }
    }
}
