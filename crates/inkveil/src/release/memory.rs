//! Texts in memory: lists of a program, columns of tables, and the parts of a job on several machines.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_restore::ReplacementMap;
use inkveil_text::{Consistency, Document, Replacements, TextTally, TextVeil, Veiled};
use inkveil_vector::VectorVeil;
use rayon::prelude::*;

use super::account::{Account, Accounting, PartCharge, Reserved, lock};
use super::map::{extend, pairs_of};
use super::memory_vectors::MemoryVectors;
use super::observer::{Observer, Progress};
use super::rows::content_of;
use super::text_rows::tally_of;
use super::ticket::Ticket;
use crate::error::{Error, ErrorKind};
use crate::explain::{ExplainedUnit, Explanation};

/// Texts that are searched together. A cancellation is noticed after each of these pieces.
const PIECE_ROWS: usize = 64;
const PIECE_BYTES: usize = 64 << 10;

/// A text to release.
#[derive(Clone, Copy)]
pub struct MemoryText<'t> {
    /// The text. **Private.**
    pub text: &'t str,
    /// What it is for. The tasks of the veil by default.
    pub task: Option<&'t str>,
    /// The record of its noise. The next free one by default.
    pub record: Option<u64>,
}

impl<'t> MemoryText<'t> {
    /// A text with the tasks of the veil.
    pub fn new(text: &'t str) -> Self {
        Self { text, task: None, record: None }
    }
}

impl std::fmt::Debug for MemoryText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryText({} bytes)", self.text.len())
    }
}

/// A text that was released.
pub struct ReleasedMemoryText {
    /// The text.
    pub text: String,
    /// Its receipt.
    pub receipt: Receipt,
    /// What is sensitive or was changed in it, by places in the original and in the released text. It holds no text.
    pub changes: Vec<ExplainedUnit>,
    /// Its replacements, if the veil's replacements can be restored. **Private**: it holds originals.
    pub pairs: ReplacementMap,
}

/// Texts that were released together.
pub struct ReleasedTexts {
    /// The texts, in order.
    pub texts: Vec<ReleasedMemoryText>,
    /// What the receipt is made from.
    pub tally: TextTally,
    /// The receipt of all of them.
    pub receipt: Receipt,
}

impl ReleasedTexts {
    /// Returns the replacements of all texts. **Private**: it holds originals.
    ///
    /// # Errors
    /// If a replacement cannot be kept.
    pub fn pairs(&self) -> Result<ReplacementMap, Error> {
        let mut map = ReplacementMap::default();
        for text in &self.texts {
            extend(&mut map, std::slice::from_ref(&text.pairs))?;
        }
        Ok(map)
    }
}

impl std::fmt::Debug for ReleasedTexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReleasedTexts({} texts)", self.texts.len())
    }
}

/// A release of texts in memory.
///
/// Each call is charged before it returns. Without a record of its own, a text gets the next one, so
/// the same text gets fresh noise each time.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::AtomicBool;
/// use inkveil::release::{Account, MemoryRelease, MemoryText, Silent};
/// use inkveil::{NoiseKey, Veil};
///
/// let veil = Arc::new(Veil::text().build()?);
/// let release = MemoryRelease::open(veil, NoiseKey::fresh()?, &Account::none(), "letters")?;
/// let texts = [MemoryText::new("Ana Lima lives in Porto."), MemoryText::new("Call me.")];
/// let released = release.release(&texts, &Silent, &AtomicBool::new(false))?;
/// assert!(!released.texts[0].text.contains("Ana Lima"));
/// assert_eq!(released.texts[1].text, "Call me.");
/// # Ok::<(), inkveil::Error>(())
/// ```
pub struct MemoryRelease {
    veil: Arc<TextVeil>,
    key: NoiseKey,
    charging: Charging,
    state: Mutex<State>,
}

/// Who charges.
enum Charging {
    /// This release, for each call.
    Each(Box<Accounting>),
    /// The job that this release is a part of, before it began.
    ByJob,
    /// The job that this release is the whole of. It releases no more than was charged.
    Within(Box<Charged>),
}

/// What a job was charged for, and what has left of it.
struct Charged {
    charged: TextTally,
    released: Mutex<TextTally>,
}

#[derive(Default)]
struct State {
    /// The record of the next text.
    next: u64,
    /// The number of the next part in the ledger.
    part: u64,
    /// Earlier replacements, where they must be consistent and restorable.
    known: Replacements,
}

impl MemoryRelease {
    /// Opens the ledger.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open(veil: Arc<TextVeil>, key: NoiseKey, account: &Account, dataset: &str) -> Result<Self, Error> {
        let charging = Charging::Each(Box::new(account.open(dataset)?));
        Ok(Self { veil, key, charging, state: Mutex::default() })
    }

    /// Works on a part of a job that was charged as a whole.
    ///
    /// # Errors
    /// If the veil has other settings or models than the job.
    pub fn of_job(veil: Arc<TextVeil>, ticket: &Ticket) -> Result<Self, Error> {
        let key = ticket.key_for(&veil)?;
        Ok(Self { veil, key, charging: Charging::ByJob, state: Mutex::default() })
    }

    /// Works on the whole of a job that was charged with `charged`. If the texts have changed since, so that they would
    /// cost more, they are refused.
    ///
    /// # Errors
    /// If the veil has other settings or models than the job.
    pub fn of_whole_job(veil: Arc<TextVeil>, ticket: &Ticket, charged: TextTally) -> Result<Self, Error> {
        let charging = Charging::Within(Box::new(Charged { charged, released: Mutex::default() }));
        Ok(Self { charging, ..Self::of_job(veil, ticket)? })
    }

    /// The veil.
    pub fn veil(&self) -> &Arc<TextVeil> {
        &self.veil
    }

    /// The key of the noise.
    pub(super) fn key(&self) -> &NoiseKey {
        &self.key
    }

    /// Returns whether a ledger is charged.
    pub fn is_charged(&self) -> bool {
        matches!(&self.charging, Charging::Each(accounting) if accounting.is_kept())
    }

    /// Returns the receipt of texts that this release made, from their joined tallies.
    ///
    /// # Errors
    /// If sums overflow.
    pub fn receipt(&self, tally: &TextTally) -> Result<Receipt, Error> {
        Ok(self.veil.receipt(tally, None, &self.key)?)
    }

    /// Releases texts.
    ///
    /// # Errors
    /// If two different texts have the same record, a model fails, a limit would be passed, or the work is cancelled. Nothing may leave then.
    pub fn release(
        &self,
        texts: &[MemoryText<'_>],
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<ReleasedTexts, Error> {
        let (first, part) = self.take(texts.len() as u64);
        let texts: Vec<MemoryText<'_>> = (first..)
            .zip(texts)
            .map(|(next, text)| MemoryText { record: text.record.or(Some(next)), ..*text })
            .collect();
        refuse_same_ids(&texts)?;
        let done = Done { rows: AtomicU64::new(0), bytes: AtomicU64::new(0), observer, cancel };
        let pieces: Vec<&[MemoryText<'_>]> = pieces(&texts);
        let veiled: Vec<Piece> = match self.in_order() {
            true => {
                let known = &mut lock(&self.state).known;
                pieces.into_iter().map(|piece| self.piece(piece, known, &done)).collect::<Result<_, _>>()?
            }
            false => {
                let alone = |piece| self.piece(piece, &mut Replacements::default(), &done);
                pieces.into_par_iter().map(alone).collect::<Result<_, _>>()?
            }
        };
        let (mut tally, mut released) = (TextTally::default(), Vec::with_capacity(texts.len()));
        for piece in veiled {
            tally.join(&piece.tally);
            released.extend(piece.texts);
        }
        let receipt = self.receipt(&tally)?;
        if let Charging::Within(job) = &self.charging {
            let mut released = lock(&job.released);
            released.join(&tally);
            if !job.charged.covers(&released) {
                return Err(ErrorKind::MoreThanCharged.into());
            }
        }
        let permit = match texts.is_empty() {
            true => None,
            false => self.reserve(part, &receipt, texts.iter().map(|text| text.text), observer)?,
        };
        let released = ReleasedTexts { texts: released, tally, receipt };
        if let (Some(permit), Charging::Each(accounting)) = (permit, &self.charging) {
            accounting.commit(permit)?;
        }
        Ok(released)
    }

    /// Returns what texts would cost. Nothing is drawn, charged or released.
    ///
    /// # Errors
    /// If two different texts have the same record, a model fails, or the work is cancelled.
    pub fn plan(
        &self,
        texts: &[MemoryText<'_>],
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<TextTally, Error> {
        refuse_same_ids(texts)?;
        let done = Done { rows: AtomicU64::new(0), bytes: AtomicU64::new(0), observer, cancel };
        let tallies: Vec<TextTally> = pieces(texts)
            .into_par_iter()
            .map(|piece| {
                done.check()?;
                let documents: Vec<Document<'_>> = piece.iter().map(document).collect();
                let mut tally = TextTally::default();
                self.veil.plan(&documents)?.iter().for_each(|plan| tally.add(plan));
                done.add(piece);
                Ok(tally)
            })
            .collect::<Result<_, Error>>()?;
        let mut sum = TextTally::default();
        tallies.iter().for_each(|tally| sum.join(tally));
        Ok(sum)
    }

    /// Charges a whole job, and returns what its workers need. `tally` is the sum of the plans of all its texts; it
    /// does not matter if no ledger is charged.
    ///
    /// # Errors
    /// If a limit would be passed, or if replacements depend on the order of texts.
    pub fn charge_job(&self, tally: &TextTally, observer: &dyn Observer) -> Result<Ticket, Error> {
        let ticket = self.ticket()?;
        if let Charging::Each(accounting) = &self.charging {
            let (_, part) = self.take(0);
            let receipt = self.receipt(tally)?;
            let permit = accounting.reserve(&PartCharge::new(part, &receipt, None), observer)?;
            accounting.commit(permit)?;
        }
        Ok(ticket)
    }

    /// Charges a whole job of texts, and `count` vectors that leave with them: both, or none if a limit would be passed.
    /// Returns what the workers need, and the release of the vectors, which releases no more than `count`.
    ///
    /// # Errors
    /// Those of [`charge_job`](Self::charge_job).
    pub fn charge_job_with_vectors(
        &self,
        tally: &TextTally,
        vectors: impl Into<Arc<VectorVeil>>,
        key: NoiseKey,
        count: u64,
        observer: &dyn Observer,
    ) -> Result<(Ticket, MemoryVectors), Error> {
        let vectors = MemoryVectors::charged_elsewhere(vectors.into(), key, count)?;
        let ticket = self.ticket()?;
        if let Charging::Each(accounting) = &self.charging {
            let (texts, veiled) = (self.receipt(tally)?, vectors.receipt(count)?);
            let ((_, first), (_, second)) = (self.take(0), self.take(0));
            let parts = [PartCharge::new(first, &texts, None), PartCharge::new(second, &veiled, None)];
            for permit in accounting.reserve_all(&parts, observer)? {
                accounting.commit(permit)?;
            }
        }
        Ok((ticket, vectors))
    }

    fn ticket(&self) -> Result<Ticket, Error> {
        if self.in_order() {
            return Err(ErrorKind::Contradiction(
                "replacements that are restorable and consistent within a job depend on the order of the texts; \
                 workers of a job have none. Make them consistent within a document",
            )
            .into());
        }
        Ticket::new(self)
    }

    /// Whether a replacement depends on earlier texts.
    fn in_order(&self) -> bool {
        let settings = self.veil.settings();
        settings.restorable && settings.consistent == Consistency::Job
    }

    /// Takes the records of texts and the number of a part.
    fn take(&self, texts: u64) -> (u64, u64) {
        let mut state = lock(&self.state);
        let taken = (state.next, state.part);
        state.next = state.next.saturating_add(texts);
        state.part += 1;
        taken
    }

    fn reserve<'t>(
        &self,
        part: u64,
        receipt: &Receipt,
        texts: impl Iterator<Item = &'t str>,
        observer: &dyn Observer,
    ) -> Result<Option<Reserved>, Error> {
        let Charging::Each(accounting) = &self.charging else { return Ok(None) };
        let content = accounting.is_kept().then(|| content_of(texts));
        accounting.reserve(&PartCharge::new(part, receipt, content), observer).map(Some)
    }

    fn piece(
        &self,
        texts: &[MemoryText<'_>],
        known: &mut Replacements,
        done: &Done<'_>,
    ) -> Result<Piece, Error> {
        done.check()?;
        let documents: Vec<Document<'_>> = texts.iter().map(document).collect();
        let veiled = self.veil.veil_all_with(known, &documents, 0, &self.key)?;
        let mut piece = Piece::default();
        for veiled in veiled {
            piece.tally.join(&tally_of(&veiled));
            piece.texts.push(self.released(veiled)?);
        }
        done.add(texts);
        Ok(piece)
    }

    fn released(&self, veiled: Veiled<'_>) -> Result<ReleasedMemoryText, Error> {
        let pairs = match self.veil.settings().restorable {
            true => pairs_of(veiled.replacements().chain(veiled.forms()))?,
            false => ReplacementMap::default(),
        };
        let changes = Explanation::of_veiled(&veiled).changes();
        let receipt = veiled.receipt().clone();
        Ok(ReleasedMemoryText { text: veiled.into_text(), receipt, changes, pairs })
    }
}

impl std::fmt::Debug for MemoryRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryRelease").field("veil", &self.veil).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Piece {
    texts: Vec<ReleasedMemoryText>,
    tally: TextTally,
}

/// Counts finished work.
struct Done<'a> {
    rows: AtomicU64,
    bytes: AtomicU64,
    observer: &'a dyn Observer,
    cancel: &'a AtomicBool,
}

impl Done<'_> {
    fn check(&self) -> Result<(), Error> {
        match self.cancel.load(Ordering::Relaxed) {
            true => Err(ErrorKind::Cancelled.into()),
            false => Ok(()),
        }
    }

    fn add(&self, texts: &[MemoryText<'_>]) {
        let bytes: usize = texts.iter().map(|text| text.text.len()).sum();
        let rows = self.rows.fetch_add(texts.len() as u64, Ordering::Relaxed) + texts.len() as u64;
        let bytes = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        self.observer.progress(&Progress { file: None, index: 0, files: 1, rows, bytes });
    }
}

fn document<'t>(text: &MemoryText<'t>) -> Document<'t> {
    let mut document = Document::new(text.text);
    if let Some(task) = text.task {
        document = document.task(task);
    }
    match text.record {
        Some(record) => document.at_record(record),
        None => document,
    }
}

/// Refuses different texts with one record: the difference of two texts with the same noise shows more than either. The
/// same text again gets the same bytes, so it may stand twice.
fn refuse_same_ids(texts: &[MemoryText<'_>]) -> Result<(), Error> {
    let mut seen: HashMap<u64, usize> = HashMap::with_capacity(texts.len());
    for (at, text) in texts.iter().enumerate() {
        let Some(record) = text.record else { continue };
        let first = *seen.entry(record).or_insert(at);
        let other = &texts[first];
        if (other.text, other.task) != (text.text, text.task) {
            return Err(ErrorKind::SameId { first: first + 1, second: at + 1 }.into());
        }
    }
    Ok(())
}

/// Cuts a list into pieces of work.
fn pieces<'p, 't>(texts: &'p [MemoryText<'t>]) -> Vec<&'p [MemoryText<'t>]> {
    let (mut all, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.text.len();
        if bytes >= PIECE_BYTES || index + 1 - start >= PIECE_ROWS {
            all.push(&texts[start..=index]);
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < texts.len() {
        all.push(&texts[start..]);
    }
    all
}

#[cfg(test)]
mod tests;
