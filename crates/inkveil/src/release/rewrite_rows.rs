//! The style veil over rows of texts, optionally after the word veil.

use std::sync::{Arc, Mutex};

use inkveil_detect::Detector;
use inkveil_privacy::{NoiseAddress, NoiseKey, Purpose, Receipt};
use inkveil_rows::Texts;
use inkveil_style::{Declined, ModelLocation, Rewrite, RewriteProgress, StyleVeil};
use inkveil_text::{Document, Replacements, TextVeil};
use serde::{Deserialize, Serialize};

use super::account::{Account, Accounting, PartCharge, Reserved, lock, sent_part};
use super::job::KeyChoice;
use super::observer::Observer;
use super::row_veil::{PermitSending, RowVeil, VeiledRow};
use super::rows::content_of;
use super::text_rows::tally_of;
use crate::error::Error;

/// The stream of the model's seed. It depends on no text.
const REWRITE: Purpose = Purpose::named("rewrite");

/// The style veil (STAMP-R) as a step of the pipeline. A word veil may come first.
pub struct RewriteRows {
    style: Arc<StyleVeil>,
    text: Option<Arc<TextVeil>>,
    seed: Option<u64>,
    on_rewrite: Option<Box<RewriteListener>>,
}

/// Gets a rewrite before it is charged, and returns which passages and sentences of the original are kept; none to
/// release nothing.
pub type DeclinePassages<'d> = dyn FnMut(&Rewrite) -> Option<Declined> + 'd;

/// Gets the address of a text and its rewrite.
type RewriteListener = dyn Fn(u64, &Rewrite) + Send + Sync;

/// Sums over rewritten texts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RewriteTally {
    rewrites: inkveil_style::RewriteTally,
    /// What the word veil spent on texts that are released.
    veiled: Option<inkveil_text::TextTally>,
}

impl RewriteRows {
    /// Rewrites with this veil.
    pub fn new(style: Arc<StyleVeil>) -> Self {
        Self { style, text: None, seed: None, on_rewrite: None }
    }

    /// Veils words first. The model then sees the veiled text only.
    pub fn after(mut self, text: Option<Arc<TextVeil>>) -> Self {
        self.text = text;
        self
    }

    /// Draws candidates from this seed. By default the seed follows from the key of the release.
    pub fn seed(mut self, seed: Option<u64>) -> Self {
        self.seed = seed;
        self
    }

    /// Calls a function with every rewrite, for example to report refused passages.
    pub fn on_rewrite(mut self, listener: impl Fn(u64, &Rewrite) + Send + Sync + 'static) -> Self {
        self.on_rewrite = Some(Box::new(listener));
        self
    }

    /// The style veil.
    pub fn style(&self) -> &Arc<StyleVeil> {
        &self.style
    }

    /// Rewrites one text. `progress` gets finished passages and returns false to stop.
    fn rewrite(
        &self,
        text: &str,
        key: &NoiseKey,
        progress: &mut dyn FnMut(RewriteProgress<'_>) -> bool,
        permit: &PermitSending<'_, RewriteTally>,
    ) -> Result<(Rewrite, Option<inkveil_text::TextTally>), Error> {
        let (mut rewrites, tallies) = self.rewrite_all(&[Document::new(text)], 0, key, progress, permit)?;
        Ok((rewrites.remove(0), tallies.into_iter().next().flatten()))
    }

    /// Rewrites documents, and returns what the word veil spent on each.
    fn rewrite_all(
        &self,
        documents: &[Document<'_>],
        first: u64,
        key: &NoiseKey,
        progress: &mut dyn FnMut(RewriteProgress<'_>) -> bool,
        permit: &PermitSending<'_, RewriteTally>,
    ) -> Result<(Vec<Rewrite>, Vec<Option<inkveil_text::TextTally>>), Error> {
        let seed =
            self.seed.unwrap_or_else(|| key.stream(NoiseAddress::record(0).purpose(REWRITE), &()).next_u64());
        let Some(veil) = &self.text else {
            let texts: Vec<&str> = documents.iter().map(Document::text).collect();
            let rewrites = self.ask_model(&texts, &vec![None; texts.len()], first, seed, progress, permit)?;
            return Ok((rewrites, vec![None; documents.len()]));
        };
        let veiled = veil.veil_all(documents, first, key)?;
        let tallies: Vec<_> = veiled.iter().map(|veiled| Some(tally_of(veiled))).collect();
        let texts: Vec<&str> = veiled.iter().map(|veiled| veiled.text()).collect();
        Ok((self.ask_model(&texts, &tallies, first, seed, progress, permit)?, tallies))
    }

    /// Lets the model rewrite texts. A model behind an address needs a permit.
    fn ask_model(
        &self,
        texts: &[&str],
        tallies: &[Option<inkveil_text::TextTally>],
        first: u64,
        seed: u64,
        progress: &mut dyn FnMut(RewriteProgress<'_>) -> bool,
        permit: &PermitSending<'_, RewriteTally>,
    ) -> Result<Vec<Rewrite>, Error> {
        let sent = || {
            let sent = |veiled: &Option<_>| RewriteTally::sent(veiled.clone());
            permit(&tallies.iter().map(sent).collect::<Vec<_>>())
        };
        let _permit = self.sends().then(sent).transpose()?;
        Ok(self.style.rewrite_all(texts, first, seed, progress)?)
    }
}

impl RewriteTally {
    /// What is known of a text before it is sent to a server.
    fn sent(veiled: Option<inkveil_text::TextTally>) -> Self {
        Self { rewrites: inkveil_style::RewriteTally::default(), veiled }
    }

    fn of(rewrite: &Rewrite, veiled: Option<inkveil_text::TextTally>) -> Self {
        let mut rewrites = inkveil_style::RewriteTally::default();
        rewrites.add(rewrite);
        // A refused text does not leave, so nothing was spent on it.
        Self { rewrites, veiled: veiled.filter(|_| rewrite.text.is_some()) }
    }

    /// The number of refused texts.
    pub fn refused(&self) -> u64 {
        self.rewrites.refused()
    }
}

impl RowVeil for RewriteRows {
    type Tally = RewriteTally;

    fn veil(
        &self,
        texts: &Texts,
        _known: &mut Replacements,
        first: u64,
        key: &NoiseKey,
        go_on: &(dyn Fn() -> bool + Sync),
        permit: &PermitSending<'_, RewriteTally>,
    ) -> Result<Vec<VeiledRow<RewriteTally>>, Error> {
        let documents: Vec<Document<'_>> = texts.iter().map(Document::new).collect();
        let (rewrites, tallies) = self.rewrite_all(&documents, first, key, &mut |_| go_on(), permit)?;
        let mut rows = Vec::with_capacity(rewrites.len());
        for (address, (rewrite, veiled)) in (first..).zip(rewrites.into_iter().zip(tallies)) {
            if let Some(listener) = &self.on_rewrite {
                listener(address, &rewrite);
            }
            let tally = RewriteTally::of(&rewrite, veiled);
            rows.push(VeiledRow::new(rewrite.text, tally));
        }
        Ok(rows)
    }

    fn sends(&self) -> bool {
        self.style.model().location() != ModelLocation::Local
    }

    fn join(&self, sum: &mut RewriteTally, later: &RewriteTally) {
        sum.rewrites.join(&later.rewrites);
        if let Some(later) = &later.veiled {
            sum.veiled.get_or_insert_default().join(later);
        }
    }

    fn receipt(
        &self,
        tally: &RewriteTally,
        sha256: Option<String>,
        key: &NoiseKey,
    ) -> Result<Receipt, Error> {
        let before = match &self.text {
            Some(veil) => Some(veil.receipt(&tally.veiled.clone().unwrap_or_default(), None, key)?),
            None => None,
        };
        Ok(self.style.receipt_of(&tally.rewrites, before.as_ref(), sha256)?)
    }

    fn identity(&self) -> Result<String, Error> {
        let key = NoiseKey::insecure_from_seed(0);
        let text = match &self.text {
            Some(veil) => {
                let receipt = veil.receipt(&inkveil_text::TextTally::default(), None, &key)?;
                format!("{:?} {}", veil.settings(), receipt.digest())
            }
            None => String::new(),
        };
        let settings = self.style.settings();
        let judge = self.style.judge();
        Ok(format!(
            "{settings:?} {:?} {:?} {:?} {} {} {:?} {text}",
            self.style.search(),
            self.style.model(),
            judge.encoder().note(),
            judge.memory().len(),
            judge.earlier().map_or("", |earlier| earlier.sha256()),
            self.seed
        ))
    }

    fn withholds(&self, tally: &RewriteTally) -> bool {
        tally.rewrites.released() == 0 && tally.rewrites.refused() > 0
    }

    fn detector(&self) -> Option<&Detector> {
        self.text.as_ref().and_then(|veil| veil.detector())
    }

    fn workers(&self) -> Option<usize> {
        // A language model uses all cores for one text.
        Some(1)
    }
}

impl std::fmt::Debug for RewriteRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RewriteRows({:?})", self.style)
    }
}

/// A release of one rewritten text, for example to standard output.
///
/// Pieces of the text are handed out while it is rewritten if there is no ledger. With a ledger the text
/// is handed out as a whole, because it is charged at the end. A text that is sent to a server is charged
/// before that.
pub struct RewriteRelease {
    rows: RewriteRows,
    key: NoiseKey,
    accounting: Accounting,
    tally: Mutex<RewriteTally>,
}

impl RewriteRelease {
    /// Opens the ledger.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open(rows: RewriteRows, key: KeyChoice, account: &Account, dataset: &str) -> Result<Self, Error> {
        let (key, accounting) = (key.key()?, account.open(dataset)?);
        Ok(Self { rows, key, accounting, tally: Mutex::default() })
    }

    /// Rewrites a text and charges the ledger. `progress` gets pieces of the new text only if there is no
    /// ledger and nothing to decide. `decide` is asked before the ledger is charged.
    ///
    /// # Errors
    /// If a model fails, the work is stopped, or a limit would be passed.
    pub fn text(
        &self,
        text: &str,
        observer: &dyn Observer,
        progress: &mut dyn FnMut(RewriteProgress<'_>) -> bool,
        decide: Option<&mut DeclinePassages<'_>>,
    ) -> Result<Rewrite, Error> {
        let streams = !self.accounting.is_kept() && decide.is_none();
        let mut charged_progress = |event: RewriteProgress<'_>| match event {
            RewriteProgress::Piece { .. } if !streams => true,
            event => progress(event),
        };
        let content = Some(content_of([text].into_iter()));
        let reserve = |part: u64, tallies: &[RewriteTally], charged_when_sent: bool| {
            let mut sum = RewriteTally::default();
            tallies.iter().for_each(|tally| self.rows.join(&mut sum, tally));
            let receipt = self.rows.receipt(&sum, None, &self.key)?;
            let charge = PartCharge { charged_when_sent, ..PartCharge::new(part, &receipt, content) };
            self.accounting.reserve(&charge, observer)
        };
        let permit = |tallies: &[RewriteTally]| reserve(sent_part(0), tallies, false);
        let (mut rewrite, veiled) = self.rows.rewrite(text, &self.key, &mut charged_progress, &permit)?;
        // The server has the text, whatever is decided about the rewrite.
        if self.rows.sends() {
            self.accounting.commit_earlier(sent_part(0))?;
        }
        // There is nothing to decide about a text that misses its goal and is withheld.
        let withheld = rewrite.misses_goal() && rewrite.text.is_none();
        if let Some(decide) = decide.filter(|_| !withheld) {
            self.rows.style.align(&mut rewrite)?;
            let declined = decide(&rewrite)
                .ok_or_else(|| inkveil_style::Error::from(inkveil_style::ErrorKind::Stopped))?;
            rewrite = self.rows.style.decline(rewrite, &declined)?;
        }
        let tally = RewriteTally::of(&rewrite, veiled);
        if rewrite.text.is_some() {
            let _: Reserved = reserve(0, std::slice::from_ref(&tally), self.rows.sends())?;
        }
        *lock(&self.tally) = tally;
        Ok(rewrite)
    }

    /// The veil.
    pub fn rows(&self) -> &RewriteRows {
        &self.rows
    }

    /// The receipt of the text, with the checksum of the released bytes.
    ///
    /// # Errors
    /// If sums overflow.
    pub fn receipt(&self, sha256: Option<String>) -> Result<Receipt, Error> {
        self.rows.receipt(&lock(&self.tally), sha256, &self.key)
    }

    /// Confirms in the ledger that the text has left.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn confirm(&self) -> Result<(), Error> {
        self.accounting.commit_all()
    }
}

impl std::fmt::Debug for RewriteRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RewriteRelease({:?})", self.rows)
    }
}
