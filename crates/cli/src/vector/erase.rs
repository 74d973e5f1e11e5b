//! Fits erasers: one pass over the texts, in bounded memory.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::ensure;
use inkveil::Encoder;
use inkveil::vectors::{ConceptFinder, EraseSettings, Eraser, LabelSums, Moments, label_words};

use super::texts::Rows;
use crate::args::FitArgs;
use crate::{corpus, outcome, progress};

/// The number of texts that are encoded at once.
const BATCH: usize = 1024;

/// What was read to fit erasers.
pub(super) struct Read {
    moments: Moments,
    labels: Vec<LabelSums>,
}

impl Read {
    /// The number of texts.
    pub(super) fn texts(&self) -> usize {
        usize::try_from(self.moments.count()).unwrap_or(usize::MAX)
    }

    /// The number of texts with a label of the concept at this position.
    pub(super) fn labelled(&self, concept: usize) -> usize {
        usize::try_from(self.labels[concept].texts()).unwrap_or(usize::MAX)
    }

    /// The eraser of the concept at this position.
    pub(super) fn eraser(&self, concept: usize, args: &FitArgs) -> anyhow::Result<Eraser> {
        let settings = EraseSettings { gamma: args.gamma, rho: args.rho, least_texts: args.min_count };
        Ok(Eraser::fit(&self.moments, &self.labels[concept], &settings)?)
    }
}

/// Reads and encodes all texts. Each finder labels texts with the words of its concept; without
/// finders, a column does.
pub(super) fn read(
    args: &FitArgs,
    encoder: &Encoder,
    finders: &[ConceptFinder],
    cancel: &AtomicBool,
) -> anyhow::Result<Read> {
    let (tables, column) = (&args.texts.tables, args.label_column.as_ref());
    let rows = Rows::open_labelled(&args.texts.file, tables.from, &corpus::options(tables), column)?;
    let name = rows.name().to_owned();
    let dim = encoder.model.width();
    let concepts = finders.len().max(1);
    let mut read = Read { moments: Moments::new(dim), labels: vec![LabelSums::new(dim); concepts] };
    let bar = progress::bar(None, "reading {spinner} {human_pos} texts  {elapsed}", args.quiet);
    let (mut texts, mut marked): (Vec<String>, Vec<bool>) = (Vec::new(), Vec::new());
    let mut rows = rows.peekable();
    while let Some(row) = rows.next() {
        if cancel.load(Ordering::Relaxed) {
            return Err(outcome::interrupted());
        }
        let row = row?;
        if let Some(column) = column {
            marked.push(row.has_label(column, &name, read.texts() + texts.len() + 1)?);
        }
        texts.push(row.text);
        if texts.len() == BATCH || rows.peek().is_none() {
            add(&mut read, encoder, finders, &texts, &marked, cancel)?;
            bar.set_position(read.moments.count());
            texts.clear();
            marked.clear();
        }
    }
    bar.finish_and_clear();
    ensure!(read.moments.count() > 0, "{name}: there are no texts in it");
    Ok(read)
}

fn add(
    read: &mut Read,
    encoder: &Encoder,
    finders: &[ConceptFinder],
    texts: &[String],
    marked: &[bool],
    cancel: &AtomicBool,
) -> anyhow::Result<()> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut vectors = encoder.encode(&texts, cancel, |_| ())?;
    // Vectors are released with length 1, so they are fitted with it.
    for row in vectors.chunks_exact_mut(encoder.model.width()) {
        let length = row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
        }
    }
    read.moments.add(&vectors)?;
    if finders.is_empty() {
        let label = |yes: &bool| if *yes { vec!["yes".to_owned()] } else { Vec::new() };
        read.labels[0].add(&vectors, &marked.iter().map(label).collect::<Vec<_>>())?;
    }
    for (finder, sums) in finders.iter().zip(&mut read.labels) {
        let spans = finder.spans(&texts)?;
        let labels: Vec<Vec<String>> =
            texts.iter().zip(&spans).map(|(text, spans)| label_words(text, spans)).collect();
        sums.add(&vectors, &labels)?;
    }
    Ok(())
}
