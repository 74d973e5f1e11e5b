//! The word veil over rows of texts, with an optional language model that repairs the grammar.

use std::sync::Arc;

use inkveil_chat::Chat;
use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_rows::Texts;
use inkveil_text::{Document, Repaired, Replacements, TextTally, TextVeil, Veiled};

use super::map::KeptPair;
use super::row_veil::{RowVeil, VeiledRow};
use crate::error::Error;

/// A language model that repairs the grammar of veiled texts. It sees the veiled text only.
pub struct Repairer(Box<dyn Chat>);

impl Repairer {
    /// Uses this model.
    pub fn new(model: Box<dyn Chat>) -> Self {
        Self(model)
    }

    /// The model's name on receipts.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Repairs one veiled text.
    ///
    /// # Errors
    /// If the model fails.
    pub fn repair(&self, veiled: &Veiled<'_>) -> Result<Repaired, Error> {
        Ok(inkveil_text::repair(&*self.0, veiled)?)
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

    /// Keeps what was replaced, for a map.
    pub fn keep_pairs(mut self, keep: bool) -> Self {
        self.keeps_pairs = keep;
        self
    }

    fn row(&self, veiled: &Veiled<'_>) -> Result<VeiledRow<TextTally>, Error> {
        let mut tally = TextTally::default();
        tally.add(veiled.plan());
        let text = match &self.repairer {
            None => veiled.text().to_owned(),
            Some(repairer) => {
                let repaired = repairer.repair(veiled)?;
                if repaired.refused.is_none() {
                    tally.repaired_by(&repairer.name());
                }
                repaired.text
            }
        };
        let pairs = match self.keeps_pairs {
            true => veiled.replacements().chain(veiled.forms()).map(KeptPair::of).collect(),
            false => Vec::new(),
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
    ) -> Result<Vec<VeiledRow<TextTally>>, Error> {
        let documents: Vec<Document<'_>> = (0..texts.len()).map(|index| document(texts, index)).collect();
        let veiled = self.veil.veil_all_with(known, &documents, first, key)?;
        veiled.iter().map(|veiled| self.row(veiled)).collect()
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

    fn workers(&self) -> Option<usize> {
        // Earlier replacements decide later ones, so documents must come one after the other.
        self.keeps_pairs.then_some(1)
    }
}

/// One text of a table as a document, with its own task if it has one.
pub(crate) fn document(texts: &Texts, index: usize) -> Document<'_> {
    let document = Document::new(texts.text(index));
    match texts.task(index) {
        Some(task) => document.task(task),
        None => document,
    }
}
