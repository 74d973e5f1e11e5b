//! The veiling itself, on a thread of its own: a language model may take its time, and an interruption must not wait for it.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::bail;
use inkveil::{Document, NoiseKey, Replacements, TextTally, TextVeil, Veiled};

use super::explained::{Explained, Fate, Release};
use super::map::{Kept, MapFile};
use super::repairer::Repairer;
use super::source::{Batch, Original, Read};
use crate::corpus::{Spending, content_of};

/// What is done with documents.
pub(super) struct Work {
    pub(super) veil: Arc<TextVeil>,
    /// How they are released; none if they are only planned, so that nothing is drawn.
    pub(super) release: Option<Releasing>,
}

/// How documents are released.
pub(super) struct Releasing {
    pub(super) key: NoiseKey,
    pub(super) repairer: Option<Repairer>,
    pub(super) map: Option<MapFile>,
    pub(super) spending: Arc<Spending>,
    /// What was replaced so far.
    pub(super) known: Mutex<Replacements>,
}

/// What the work gives.
pub(super) enum Message {
    /// The next documents, in order, and how much of the input was read for them.
    Documents(Vec<Explained>, u64),
    /// All documents are done, and this is what their release comes to.
    End(TextTally),
}

impl Work {
    /// Works on all batches, in order. A channel that closes without an end is a failure.
    pub(super) fn start(self, batches: Receiver<Batch>) -> Receiver<anyhow::Result<Message>> {
        // One batch waits while another is written.
        let (sender, receiver) = sync_channel(1);
        thread::spawn(move || {
            // If nobody listens any more, nobody wants to know.
            let _ = match self.through(&batches, &sender) {
                Ok(tally) => sender.send(Ok(Message::End(tally))),
                Err(error) => sender.send(Err(error)),
            };
        });
        receiver
    }

    fn through(
        &self,
        batches: &Receiver<Batch>,
        sender: &SyncSender<anyhow::Result<Message>>,
    ) -> anyhow::Result<TextTally> {
        let mut tally = TextTally::default();
        let mut first = 0;
        loop {
            let Ok(batch) = batches.recv() else {
                bail!("reading stopped unexpectedly; this is a bug, please report it")
            };
            let Some(Read { originals, bytes }) = batch? else { return Ok(tally) };
            let fates = self.fates(&originals, first, &mut tally)?;
            first += originals.len() as u64;
            let documents =
                fates.into_iter().zip(originals).map(|(fate, original)| fate.of(original)).collect();
            if sender.send(Ok(Message::Documents(documents, bytes))).is_err() {
                return Ok(tally);
            }
        }
    }

    /// What becomes of documents; the noise of the first is at the record `first`.
    fn fates(&self, originals: &[Original], first: u64, tally: &mut TextTally) -> anyhow::Result<Vec<Fate>> {
        let documents: Vec<Document<'_>> = originals.iter().map(as_document).collect();
        let Some(release) = &self.release else {
            return Ok(self.veil.plan(&documents)?.iter().map(Fate::planned).collect());
        };
        let mut known = release.known.lock().unwrap_or_else(PoisonError::into_inner);
        let veiled = self.veil.veil_all_with(&mut known, &documents, first, &release.key)?;
        let fates: Vec<Fate> = veiled
            .iter()
            .map(|veiled| release.fate(&self.veil, veiled, tally))
            .collect::<anyhow::Result<_>>()?;
        release.keep(&veiled)?;
        release.record(&self.veil, &veiled, originals, first)?;
        Ok(fates)
    }
}

/// A document, with the task of its own if it has one.
fn as_document(original: &Original) -> Document<'_> {
    let document = Document::new(&original.text);
    match &original.task {
        Some(task) => document.task(task),
        None => document,
    }
}

impl Releasing {
    /// Keeps what was replaced, before it is released.
    fn keep(&self, veiled: &[Veiled<'_>]) -> anyhow::Result<()> {
        let Some(map) = &self.map else { return Ok(()) };
        let pairs: Vec<Kept> = veiled.iter().flat_map(Veiled::replacements).map(Kept::of).collect();
        map.add(&pairs)
    }

    /// Records what documents cost, before they are released.
    fn record(
        &self,
        veil: &TextVeil,
        veiled: &[Veiled<'_>],
        originals: &[Original],
        first: u64,
    ) -> anyhow::Result<()> {
        if !self.spending.is_on() || veiled.is_empty() {
            return Ok(());
        }
        let mut tally = TextTally::default();
        veiled.iter().for_each(|veiled| tally.add(veiled.plan()));
        let receipt = veil.receipt(&tally, None, &self.key)?;
        let content = content_of(originals.iter().map(|original| original.text.as_str()));
        // The number of its first document names a batch.
        self.spending.record(first, &receipt, &BTreeMap::new(), Some(content))
    }

    fn fate(&self, veil: &TextVeil, veiled: &Veiled<'_>, tally: &mut TextTally) -> anyhow::Result<Fate> {
        tally.add(veiled.plan());
        let (text, mut receipt) = (veiled.text().to_owned(), veiled.receipt().clone());
        let mut repaired = None;
        if let Some(repairer) = &self.repairer {
            let rewrite = repairer.repair(veiled)?;
            if rewrite.refused.is_none() {
                let mut alone = TextTally::default();
                alone.add(veiled.plan());
                for tally in [&mut alone, &mut *tally] {
                    tally.repaired_by(&repairer.name());
                }
                receipt = veil.receipt(&alone, None, &self.key)?;
            }
            repaired = Some(rewrite);
        }
        Ok(Fate::veiled(veiled, Release { veiled: text, receipt, repaired }))
    }
}
