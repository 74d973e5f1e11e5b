//! Single texts through the word veil, each with an explanation of every word.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_restore::ReplacementMap;
use inkveil_rows::{ColumnUse, RecordReader, Records};
use inkveil_text::{Document, Replacements, TextTally, TextVeil, Veiled};

use super::account::{Account, Accounting, PartCharge, Reserved, lock};
use super::columns::{ColumnWatch, with_columns};
use super::drawn::{self, Drawn};
use super::job::KeyChoice;
use super::map::{KeepPairs, MapFile, extend, pairs_of};
use super::observer::Observer;
use super::rows::content_of;
use super::text_rows::{TextRows, tally_of};
use super::turns::check_conversation;
use crate::error::{Error, ErrorKind};
use crate::explain::{DocumentOrigin, ExplainedDocument, Explanation, OriginalDocument, ReleasedText};
use crate::overrides::Overrides;

/// A cancellation is noticed within this time, however long a model takes.
const POLL: Duration = Duration::from_millis(100);

/// A release of single texts.
///
/// Each batch is added to the map and charged to the ledger before it is returned, so the caller may
/// write it at once. Call [`confirm`](Self::confirm) when everything is written.
///
/// ```
/// use std::sync::Arc;
/// use inkveil::Veil;
/// use inkveil::release::{Account, DocumentRelease, KeepPairs, KeyChoice, Silent, TextRows};
///
/// let veil = Arc::new(Veil::text().build()?);
/// let rows = TextRows::new(veil);
/// let release = DocumentRelease::open(rows, KeyChoice::Fresh, &Account::none(), "note", KeepPairs::No, &Silent)?;
/// let text = release.text("Ana Lima lives in Porto.", &Silent)?;
/// assert!(!text.text().contains("Ana Lima"));
/// release.confirm()?;
/// # Ok::<(), inkveil::Error>(())
/// ```
pub struct DocumentRelease {
    rows: TextRows,
    key: NoiseKey,
    accounting: Accounting,
    pairs: PairStore,
    state: Mutex<State>,
    columns: ColumnWatch,
    overrides: Overrides,
}

/// Where pairs are kept.
enum PairStore {
    Nowhere,
    Memory(Mutex<ReplacementMap>),
    File(Box<MapFile>),
}

#[derive(Default)]
struct State {
    known: Replacements,
    tally: TextTally,
    columns: ColumnUse,
    /// The address of the next document.
    next: u64,
}

impl DocumentRelease {
    /// Opens the map and the ledger. A session has its own noise key, and `key` is not used then.
    ///
    /// # Errors
    /// If one of them cannot be used, or if the veil's replacements cannot be kept in a session.
    pub fn open(
        rows: TextRows,
        key: KeyChoice,
        account: &Account,
        dataset: &str,
        keep: KeepPairs<'_>,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let mut state = State::default();
        let (pairs, key) = match keep {
            KeepPairs::No => (PairStore::Nowhere, key.key()?),
            KeepPairs::InMemory => (PairStore::Memory(Mutex::default()), key.key()?),
            KeepPairs::NewMap { settings, overwrite } => {
                (PairStore::File(Box::new(settings.open(false, overwrite, observer)?)), key.key()?)
            }
            KeepPairs::Session(settings) => {
                check_conversation(&rows.veil)?;
                let (map, key) = settings.open_session(observer)?;
                map.remember(&mut state.known);
                (PairStore::File(Box::new(map)), key)
            }
        };
        let accounting = account.open(dataset)?;
        let rows = rows.keep_pairs(!matches!(pairs, PairStore::Nowhere));
        let (state, columns) = (Mutex::new(state), ColumnWatch::default());
        Ok(Self { rows, key, accounting, pairs, state, columns, overrides: Overrides::default() })
    }

    /// Applies decisions of the owner of the texts about single words. Decisions about places hold for the first
    /// document of each batch, so they are for a release of one text.
    #[must_use]
    pub fn overrides(mut self, overrides: Overrides) -> Self {
        self.overrides = overrides;
        self
    }

    /// Returns the pairs so far, to restore answers with.
    pub fn pairs(&self) -> ReplacementMap {
        match &self.pairs {
            PairStore::Nowhere => ReplacementMap::default(),
            PairStore::Memory(map) => lock(map).clone(),
            PairStore::File(map) => map.pairs(),
        }
    }

    /// The veil.
    pub fn veil(&self) -> &Arc<TextVeil> {
        &self.rows.veil
    }

    /// Releases one text.
    ///
    /// # Errors
    /// As [`documents`](Self::documents).
    pub fn text(&self, text: &str, observer: &dyn Observer) -> Result<ReleasedText, Error> {
        let original = OriginalDocument {
            line: None,
            id: None,
            text: text.to_owned(),
            task: None,
            line_break: "",
            origin: None,
        };
        let mut released = self.documents(vec![original], observer)?;
        let released = released.pop().and_then(|document| document.release);
        released.ok_or_else(|| ErrorKind::Bug("a document got lost").into())
    }

    /// Releases documents: veils them, adds replacements to the map, and charges the ledger.
    ///
    /// # Errors
    /// If a model fails, the map cannot be saved, or a limit would be passed. Nothing may leave then.
    pub fn documents(
        &self,
        originals: Vec<OriginalDocument>,
        observer: &dyn Observer,
    ) -> Result<Vec<ExplainedDocument>, Error> {
        let mut state = lock(&self.state);
        let first = state.next;
        let documents: Vec<Document<'_>> = originals.iter().map(as_document).collect();
        let count = originals.len() as u64;
        let texts: Vec<&str> = originals.iter().map(|original| original.text.as_str()).collect();
        let spans = self.rows.veil.find(&texts)?;
        let (veil, at) = (&self.rows.veil, (first, &self.key));
        let Drawn { veiled, decisions, .. } =
            drawn::draw(veil, documents, spans, &self.overrides, &mut state.known, at)?;
        let mut tallies: Vec<TextTally> = veiled.iter().map(tally_of).collect();
        if let Some(tally) = tallies.first_mut() {
            tally.decided(decisions);
        }
        let pairs = || pairs_of(veiled.iter().flat_map(|veiled| veiled.replacements().chain(veiled.forms())));
        match &self.pairs {
            PairStore::Nowhere => {}
            PairStore::Memory(map) => extend(&mut lock(map), &[pairs()?])?,
            PairStore::File(map) => map.add(&[pairs()?])?,
        }
        // The charge comes before the repair, because a model behind an address sees the veiled text.
        let permit = match veiled.is_empty() {
            true => None,
            false => Some(self.reserve(first, &tallies, &originals, observer)?),
        };
        let mut batch = TextTally::default();
        let mut released = Vec::with_capacity(veiled.len());
        for ((veiled, tally), permit) in veiled.iter().zip(tallies).zip(permit.iter().cycle()) {
            released.push(self.released(veiled, tally, &mut batch, permit)?);
        }
        state.tally.join(&batch);
        state.next += count;
        let explanations: Vec<Explanation> = veiled.iter().map(Explanation::of_veiled).collect();
        let parts = explanations.into_iter().zip(originals).zip(released);
        Ok(parts.map(|((explanation, original), release)| explanation.of(original, Some(release))).collect())
    }

    fn reserve(
        &self,
        first: u64,
        tallies: &[TextTally],
        originals: &[OriginalDocument],
        observer: &dyn Observer,
    ) -> Result<Reserved, Error> {
        let mut sum = TextTally::default();
        tallies.iter().for_each(|tally| sum.join(tally));
        let receipt = self.rows.veil.receipt(&sum, None, &self.key)?;
        let content = content_of(originals.iter().map(|original| original.text.as_str()));
        // The address of its first document names a batch.
        self.accounting.reserve(&PartCharge::new(first, &receipt, Some(content)), observer)
    }

    fn released(
        &self,
        veiled: &Veiled<'_>,
        mut tally: TextTally,
        batch: &mut TextTally,
        permit: &Reserved,
    ) -> Result<ReleasedText, Error> {
        let (text, mut receipt, mut repaired) = (veiled.text().to_owned(), veiled.receipt().clone(), None);
        if !self.overrides.is_empty() {
            receipt = self.rows.veil.receipt(&tally, None, &self.key)?;
        }
        if let Some(repairer) = &self.rows.repairer {
            let result = repairer.repair(veiled, Some(permit))?;
            if result.changed > 0 {
                tally.repaired_by(&repairer.name());
                receipt = self.rows.veil.receipt(&tally, None, &self.key)?;
            }
            repaired = Some(result);
        }
        batch.join(&tally);
        Ok(ReleasedText::new(text, receipt, repaired, permit))
    }

    /// Notes what became of the columns of a table, for the receipt, and says which column was chosen.
    pub fn columns(&self, columns: &ColumnUse, observer: &dyn Observer) {
        // Only the texts are released.
        let columns = ColumnUse { copied: Default::default(), ..columns.clone() };
        self.columns.tell(&columns, observer);
        lock(&self.state).columns.join(&columns);
    }

    /// Returns what was removed from documents so far, and how often.
    pub fn removed(&self) -> BTreeMap<String, u64> {
        lock(&self.state).columns.removed.clone()
    }

    /// The receipt of everything released so far, with the checksum of the released bytes.
    ///
    /// # Errors
    /// If sums overflow.
    pub fn receipt(&self, sha256: Option<String>) -> Result<Receipt, Error> {
        let state = lock(&self.state);
        Ok(with_columns(self.rows.veil.receipt(&state.tally, sha256, &self.key)?, &state.columns))
    }

    /// Confirms in the ledger that everything has left.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn confirm(&self) -> Result<(), Error> {
        self.accounting.commit_all()
    }
}

impl std::fmt::Debug for DocumentRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentRelease").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// Explains what a veil would do to documents. Nothing is drawn, charged or released.
///
/// # Errors
/// If a model fails.
pub fn plan_documents(
    veil: &TextVeil,
    originals: Vec<OriginalDocument>,
) -> Result<Vec<ExplainedDocument>, Error> {
    let documents: Vec<Document<'_>> = originals.iter().map(as_document).collect();
    let explanations: Vec<Explanation> = veil.plan(&documents)?.iter().map(Explanation::of_plan).collect();
    Ok(explanations.into_iter().zip(originals).map(|(plan, original)| plan.of(original, None)).collect())
}

/// Reads documents and works on them in a thread of its own, and hands them on in order.
///
/// `work` gets the documents of each batch and what became of the columns of a table. `take` gets what it returns and how many bytes of the input
/// were read. A cancellation is noticed although a pipe is silent or a model takes long.
///
/// # Errors
/// If reading, `work` or `take` fails, or the work is cancelled.
pub fn each_document<R, W, T, E>(open: R, work: W, cancel: &AtomicBool, mut take: T) -> Result<(), E>
where
    R: FnOnce() -> Result<RecordReader, Error> + Send + 'static,
    W: FnMut(Vec<OriginalDocument>, &ColumnUse) -> Result<Vec<ExplainedDocument>, Error> + Send + 'static,
    T: FnMut(Vec<ExplainedDocument>, u64) -> Result<(), E>,
    E: From<Error>,
{
    // One batch waits while another is written.
    let (sender, batches) = sync_channel(1);
    let read = move || {
        let ended = send_all(open, work, &sender);
        // If nobody listens any more, the work was cancelled or has failed already.
        let _ = sender.send(ended.map(|()| None));
    };
    thread::Builder::new().name("inkveil-read".to_owned()).spawn(read).map_err(Error::no_thread)?;
    loop {
        let batch = batches.recv_timeout(POLL);
        if cancel.load(Ordering::Relaxed) {
            return Err(Error::from(ErrorKind::Cancelled).into());
        }
        match batch {
            Ok(batch) => match batch? {
                Some((documents, bytes)) => take(documents, bytes)?,
                None => return Ok(()),
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::from(ErrorKind::Bug("a thread ended early")).into());
            }
        }
    }
}

type Batch = Result<Option<(Vec<ExplainedDocument>, u64)>, Error>;

fn send_all(
    open: impl FnOnce() -> Result<RecordReader, Error>,
    mut work: impl FnMut(Vec<OriginalDocument>, &ColumnUse) -> Result<Vec<ExplainedDocument>, Error>,
    sender: &SyncSender<Batch>,
) -> Result<(), Error> {
    let mut reader = open()?;
    let (has_rows, is_document) = (reader.format().has_rows(), reader.format().document().is_some());
    while let Some(records) = reader.next()? {
        let (bytes, records) = (records.bytes_read(), Arc::new(records));
        let origin = is_document.then(|| DocumentOrigin(Arc::clone(&records)));
        let documents = work(originals(&records, has_rows, origin.as_ref()), records.texts().columns())?;
        if sender.send(Ok(Some((documents, bytes)))).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn originals(records: &Records, has_rows: bool, origin: Option<&DocumentOrigin>) -> Vec<OriginalDocument> {
    let texts = records.texts();
    let one = |index: usize| OriginalDocument {
        line: has_rows.then(|| texts.row(index) + 1),
        id: texts.id(index).map(str::to_owned),
        text: texts.text(index).to_owned(),
        task: texts.task(index).map(str::to_owned),
        line_break: records.line_break(index),
        origin: origin.cloned(),
    };
    (0..texts.len()).map(one).collect()
}

fn as_document(original: &OriginalDocument) -> Document<'_> {
    let document = Document::new(&original.text);
    match &original.task {
        Some(task) => document.task(task),
        None => document,
    }
}

#[cfg(test)]
mod tests {
    use inkveil_files::Input;
    use inkveil_rows::{Packing, RecordFormat, RecordOptions};

    use super::*;

    fn all(text: &str, format: RecordFormat) -> Vec<OriginalDocument> {
        let bytes = text.as_bytes().to_vec();
        let open = move || {
            let options = RecordOptions::default();
            Ok(RecordReader::open(Input::from_bytes(bytes), format, Packing::None, &options)?)
        };
        let explain =
            |original| ExplainedDocument { original, has_task: false, units: vec![], release: None };
        let work = move |originals: Vec<OriginalDocument>, _: &ColumnUse| {
            Ok(originals.into_iter().map(explain).collect())
        };
        let mut read = Vec::new();
        each_document(open, work, &AtomicBool::new(false), |documents, _| {
            read.extend(documents.into_iter().map(|document| document.original));
            Ok::<_, Error>(())
        })
        .unwrap();
        read
    }

    #[test]
    fn lines_are_the_input() {
        let text = "one\n\nzwei é\r\n𝄞\r\n\nno end";
        let lines = all(text, RecordFormat::Lines);
        let joined: String = lines.iter().flat_map(|line| [line.text.as_str(), line.line_break]).collect();
        assert_eq!(joined, text);
        let numbers: Vec<u64> = lines.iter().filter_map(|line| line.line).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
        assert_eq!((lines[2].text.as_str(), lines[2].line_break), ("zwei é", "\r\n"));
        let whole = all(text, RecordFormat::Text);
        assert_eq!((whole.len(), whole[0].text.as_str(), whole[0].line), (1, text, None));
        assert!(all("", RecordFormat::Lines).is_empty());
    }

    #[test]
    fn a_cancelled_run_stops() {
        let open = || -> Result<RecordReader, Error> {
            thread::sleep(Duration::from_secs(3600));
            Err(ErrorKind::Cancelled.into())
        };
        let ended =
            each_document(open, |_, _| Ok(Vec::new()), &AtomicBool::new(true), |_, _| Ok::<_, Error>(()));
        assert!(ended.unwrap_err().is_cancelled());
    }
}
