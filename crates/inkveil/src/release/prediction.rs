//! What a release of texts would cost, in ε and in time.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_rows::{ColumnUse, RecordReader};
use inkveil_text::{Budgets, Document, TextVeil};

use super::documents::{each_document, plan_documents};
use crate::error::Error;
use crate::explain::{ExplainedDocument, OriginalDocument, TreatmentCounts};

/// A release that is only computed: nothing is released or charged.
#[derive(Debug)]
pub struct DryRun {
    veil: Arc<TextVeil>,
    most: Option<u64>,
    key: NoiseKey,
    counts: TreatmentCounts,
    bytes: u64,
    time: Duration,
}

/// What a whole release costs, if the rest of it is like what was read.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The number of its documents.
    pub documents: f64,
    /// The sum of its budgets.
    pub epsilon: Epsilon,
    /// How long it takes on this machine.
    pub time: Duration,
}

impl DryRun {
    /// Reads at most this many documents. They are also veiled with a key that is discarded, to measure the time.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn new(veil: Arc<TextVeil>, most: Option<u64>) -> Result<Self, Error> {
        let (counts, key) = (TreatmentCounts::default(), NoiseKey::fresh()?);
        Ok(Self { veil, most, key, counts, bytes: 0, time: Duration::ZERO })
    }

    /// Plans the documents of an input. `open` gets how many may still be read. `take` gets each document, and whether it
    /// is the first of all.
    ///
    /// # Errors
    /// If reading, a model or `take` fails.
    pub fn read<E: From<Error>>(
        &mut self,
        open: impl FnOnce(Option<u64>) -> Result<RecordReader, Error> + Send + 'static,
        mut take: impl FnMut(&ExplainedDocument, bool) -> Result<(), E>,
    ) -> Result<(), E> {
        let left = self.most.map(|most| most.saturating_sub(self.counts.documents));
        if left == Some(0) {
            return Ok(());
        }
        let (veil, before) = (Arc::clone(&self.veil), self.bytes);
        let work = move |originals: Vec<OriginalDocument>, _: &ColumnUse| plan_documents(&veil, originals);
        each_document(
            move || open(left),
            work,
            &AtomicBool::new(false),
            |documents, bytes| {
                self.bytes = before + bytes;
                if self.most.is_some() {
                    let texts: Vec<Document<'_>> =
                        documents.iter().map(|document| Document::new(&document.original.text)).collect();
                    let begun = Instant::now();
                    self.veil.veil_all(&texts, self.counts.documents, &self.key).map_err(Error::from)?;
                    self.time += begun.elapsed();
                }
                for document in &documents {
                    take(document, self.counts.documents == 0)?;
                    self.counts.add(document);
                }
                Ok(())
            },
        )
    }

    /// How the words of all documents are treated.
    pub fn counts(&self) -> &TreatmentCounts {
        &self.counts
    }

    /// The number of bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The cost of all `bytes` of the inputs. None if all of them were read.
    ///
    /// # Errors
    /// If a sum of budgets cannot be computed.
    pub fn predict(&self, budgets: &Budgets, bytes: u64) -> Result<Option<Prediction>, Error> {
        if self.most.is_none() || bytes <= self.bytes {
            return Ok(None);
        }
        let times = bytes as f64 / self.bytes.max(1) as f64;
        Ok(Some(Prediction {
            documents: (self.counts.documents as f64 * times).round(),
            epsilon: self.counts.total(budgets)?.checked_mul(times)?,
            time: self.time.mul_f64(times),
        }))
    }
}

#[cfg(test)]
mod tests {
    use inkveil_files::Input;
    use inkveil_rows::{Packing, RecordFormat, RecordOptions};

    use super::*;
    use crate::Veil;

    #[test]
    fn a_sample_predicts_the_whole() {
        let veil = Arc::new(Veil::text().build().unwrap());
        let mut run = DryRun::new(Arc::clone(&veil), Some(2)).unwrap();
        for _ in 0..2 {
            let open = |left: Option<u64>| {
                let input = Input::from_bytes("Ana Lima lives in Porto.\n".repeat(3).into_bytes());
                let options = RecordOptions::default();
                let mut reader = RecordReader::open(input, RecordFormat::Lines, Packing::None, &options)?;
                reader.take(left.unwrap_or(u64::MAX));
                Ok(reader)
            };
            let mut first = 0;
            run.read(open, |_, is_first| {
                first += u64::from(is_first);
                Ok::<_, Error>(())
            })
            .unwrap();
            assert!(first <= 1);
        }
        assert_eq!(run.counts().documents, 2);
        let budgets = veil.budgets();
        let whole = run.predict(&budgets, 3 * run.bytes()).unwrap().unwrap();
        assert_eq!((whole.documents, whole.epsilon), (6.0, Epsilon::INFINITE));
        assert_eq!(run.predict(&budgets, run.bytes()).unwrap(), None);
    }
}
