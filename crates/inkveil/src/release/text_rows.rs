//! The word veil over rows of texts, with an optional language model that repairs the grammar.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use inkveil_chat::Chat;
use inkveil_detect::Detector;
use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_restore::ReplacementMap;
use inkveil_rows::Texts;
use inkveil_text::{Document, Repaired, Replacements, TextTally, TextVeil, Veiled};

use super::account::Reserved;
use super::map::pairs_of;
use super::row_veil::{PermitSending, RowVeil, VeiledRow};
use super::rows::LONG;
use crate::error::{Error, ErrorKind};
use crate::language_model::open_recorded_model;

/// A language model that repairs the grammar of veiled texts. It sees the veiled text only.
pub struct Repairer {
    model: Box<dyn Chat>,
    refusals: Arc<RepairRefusals>,
}

/// How many repairs were discarded because they broke a rule. Their texts are released as veiled.
#[derive(Debug, Default)]
pub struct RepairRefusals {
    count: AtomicU64,
    why: OnceLock<&'static str>,
}

impl RepairRefusals {
    /// The number of texts that are not repaired, and why the first was not.
    pub fn seen(&self) -> Option<(u64, &'static str)> {
        Some((self.count.load(Ordering::Relaxed), self.why.get()?))
    }
}

impl Repairer {
    /// Opens a model: one that was pulled, a folder, a GGUF file, or `URL#MODEL`.
    ///
    /// # Errors
    /// If there is no such model or it cannot be opened.
    pub fn open(model: &str) -> Result<Self, Error> {
        Ok(Self::new(open_recorded_model(model)?))
    }

    /// Uses this model.
    pub fn new(model: Box<dyn Chat>) -> Self {
        Self { model, refusals: Arc::default() }
    }

    /// The model's name on receipts.
    pub fn name(&self) -> String {
        self.model.name()
    }

    /// Counts the repairs that were discarded.
    pub fn refusals(&self) -> Arc<RepairRefusals> {
        Arc::clone(&self.refusals)
    }

    /// Whether texts leave this machine.
    pub(super) fn sends(&self) -> bool {
        self.model.leaves_this_machine()
    }

    /// Repairs one veiled text. A model behind an address needs a permit.
    pub(super) fn repair(&self, veiled: &Veiled<'_>, permit: Option<&Reserved>) -> Result<Repaired, Error> {
        if self.sends() && permit.is_none() {
            return Err(ErrorKind::Bug("a text was about to leave without a charge").into());
        }
        let repaired = inkveil_text::repair(&*self.model, veiled)?;
        if let Some(why) = repaired.discarded() {
            self.refusals.count.fetch_add(1, Ordering::Relaxed);
            let _ = self.refusals.why.set(why);
        }
        Ok(repaired)
    }
}

impl std::fmt::Debug for Repairer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Repairer({})", self.name())
    }
}

/// The word veil (STAMP) as a step of the pipeline.
#[derive(Debug, Clone)]
pub struct TextRows {
    pub(super) veil: Arc<TextVeil>,
    pub(super) repairer: Option<Arc<Repairer>>,
    /// Whether replacements are kept, so that they can be restored.
    pub(super) keeps_pairs: bool,
}

impl TextRows {
    /// Veils with this veil.
    pub fn new(veil: Arc<TextVeil>) -> Self {
        Self { veil, repairer: None, keeps_pairs: false }
    }

    /// Lets a model repair the grammar afterwards.
    pub fn repairer(mut self, repairer: Option<Repairer>) -> Self {
        self.repairer = repairer.map(Arc::new);
        self
    }

    /// Counts the repairs that are discarded, if a model repairs.
    pub fn refusals(&self) -> Option<Arc<RepairRefusals>> {
        self.repairer.as_ref().map(|repairer| repairer.refusals())
    }

    /// Keeps what was replaced, for a map.
    pub fn keep_pairs(mut self, keep: bool) -> Self {
        self.keeps_pairs = keep;
        self
    }

    fn row(
        &self,
        veiled: &Veiled<'_>,
        mut tally: TextTally,
        permit: Option<&Reserved>,
    ) -> Result<VeiledRow<TextTally>, Error> {
        let text = match &self.repairer {
            None => veiled.text().to_owned(),
            Some(repairer) => {
                let repaired = repairer.repair(veiled, permit)?;
                if repaired.changed > 0 {
                    tally.repaired_by(&repairer.name());
                }
                repaired.text
            }
        };
        let pairs = match self.keeps_pairs {
            true => pairs_of(veiled.replacements().chain(veiled.forms()))?,
            false => ReplacementMap::default(),
        };
        Ok(VeiledRow { text: Some(text), tally, pairs })
    }
}

impl RowVeil for TextRows {
    type Tally = TextTally;

    fn veil(
        &self,
        texts: &Texts,
        known: &mut Replacements,
        first: u64,
        key: &NoiseKey,
        _go_on: &(dyn Fn() -> bool + Sync),
        permit: &PermitSending<'_, TextTally>,
    ) -> Result<Vec<VeiledRow<TextTally>>, Error> {
        let documents: Vec<Document<'_>> = (0..texts.len()).map(|index| document(texts, index)).collect();
        let groups = match self.sends() {
            // All texts are charged before the first is sent.
            true => std::iter::once(0..documents.len()).collect(),
            false => groups_of(texts),
        };
        let mut rows = Vec::with_capacity(documents.len());
        for group in groups {
            let first = first + group.start as u64;
            let veiled = self.veil.veil_all_with(known, &documents[group], first, key)?;
            let tallies: Vec<TextTally> = veiled.iter().map(tally_of).collect();
            let permit = self.sends().then(|| permit(&tallies)).transpose()?;
            for (veiled, tally) in veiled.iter().zip(tallies) {
                rows.push(self.row(veiled, tally, permit.as_ref())?);
            }
        }
        Ok(rows)
    }

    fn sends(&self) -> bool {
        self.repairer.as_ref().is_some_and(|repairer| repairer.sends())
    }

    fn join(&self, sum: &mut TextTally, later: &TextTally) {
        sum.join(later);
    }

    fn receipt(&self, tally: &TextTally, sha256: Option<String>, key: &NoiseKey) -> Result<Receipt, Error> {
        Ok(self.veil.receipt(tally, sha256, key)?)
    }

    fn identity(&self) -> Result<String, Error> {
        // The receipt names the pack, the mechanism and its parameters; the settings decide the rest.
        let receipt = self.veil.receipt(&TextTally::default(), None, &NoiseKey::insecure_from_seed(0))?;
        let repairer = self.repairer.as_ref().map(|repairer| repairer.name());
        let settings = self.veil.settings();
        let tasks = settings.tasks.join("\u{1f}");
        Ok(format!("{settings:?} {tasks} {repairer:?} {} {}", self.keeps_pairs, receipt.digest()))
    }

    fn detector(&self) -> Option<&Detector> {
        self.veil.detector()
    }

    fn workers(&self) -> Option<usize> {
        // Earlier replacements decide later ones, so documents must come one after the other.
        self.keeps_pairs.then_some(1)
    }
}

/// What a veiled text costs.
pub(super) fn tally_of(veiled: &Veiled<'_>) -> TextTally {
    let mut tally = TextTally::default();
    tally.add(veiled.plan());
    tally
}

/// Consecutive texts that are worked on at once. What is known of each word takes a hundred times its length, so the
/// parts of a long text take turns.
pub(super) fn groups_of(texts: &Texts) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (index, text) in texts.iter().enumerate() {
        bytes += text.len();
        match groups.last_mut() {
            Some(group) if bytes <= LONG => group.end = index + 1,
            _ => {
                groups.push(index..index + 1);
                bytes = text.len();
            }
        }
    }
    groups
}

/// One text of a table as a document, with its own task if it has one.
pub(crate) fn document(texts: &Texts, index: usize) -> Document<'_> {
    let document = Document::new(texts.text(index));
    match texts.task(index) {
        Some(task) => document.task(task),
        None => document,
    }
}
