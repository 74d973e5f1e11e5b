//! The style veil (STAMP-R): texts in, rewrites and a receipt out.

mod model;
mod reach;
mod receipt;
mod tally;

use std::fmt;

use inkveil_privacy::Receipt;

pub use self::model::{ModelLocation, RewriteModel};
use self::reach::Reach;
use self::receipt::Terms;
pub use self::tally::RewriteTally;
use crate::Error;
use crate::rewrite::{
    Declined, DeclinedPart, FactRule, GoalSearch, Identifying, Judge, JudgeModels, PassageOutcome, Rewrite,
    RewriteProgress, RewriteSettings, Rewriter,
};

/// Rewrites texts toward a common style.
///
/// It gives no formal guarantee. Its receipt lists what was measured. Opening it reads the models once; after that it can be used
/// from several threads.
///
/// ```no_run
/// use std::path::Path;
/// use inkveil_nn::Device;
/// use inkveil_style::{JudgeModels, Memory, RewriteModel, RewriteSettings, StyleEncoder, StyleVeil};
///
/// let pack = Path::new("models/en");
/// let (encoder, memory) = (StyleEncoder::open(pack)?, Memory::open(&pack.join("style.memory"))?);
/// let judge = JudgeModels::open(pack, encoder, memory)?;
/// let model = RewriteModel::local("smollm2", Path::new("packs/smollm2"), None, &Device::Cpu)?;
/// let veil = StyleVeil::new(model, judge, RewriteSettings::default())?;
/// let rewrites = veil.rewrite_all(&["Well; I never! A most peculiar evening."], 0, 7, &mut |_| true)?;
/// println!("{}", rewrites[0].text.as_deref().unwrap_or("no candidate was good enough"));
/// println!("{}", veil.receipt(&rewrites, None, None)?.render());
/// # Ok::<(), inkveil_style::Error>(())
/// ```
pub struct StyleVeil {
    model: RewriteModel,
    judge: JudgeModels,
    settings: RewriteSettings,
    search: Option<GoalSearch>,
}

impl StyleVeil {
    /// Puts a model and a judge together.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(model: RewriteModel, judge: JudgeModels, settings: RewriteSettings) -> Result<Self, Error> {
        settings.check()?;
        Ok(Self { model, judge, settings, search: None })
    }

    /// Rewrites each text with the weakest strength that reaches a goal. The settings are then those of the strengths.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn with_goal(mut self, search: GoalSearch) -> Result<Self, Error> {
        search.tries.iter().try_for_each(|(_, settings)| settings.check())?;
        self.settings = *search.strongest();
        self.search = Some(search);
        Ok(self)
    }

    /// Returns the model that writes candidates.
    pub fn model(&self) -> &RewriteModel {
        &self.model
    }

    /// Returns the models that measure candidates.
    pub fn judge(&self) -> &JudgeModels {
        &self.judge
    }

    /// Returns the goal and the strengths that are tried for it, if there is a goal.
    pub fn search(&self) -> Option<&GoalSearch> {
        self.search.as_ref()
    }

    /// Returns the settings; with a goal, those of the strongest try.
    pub fn settings(&self) -> &RewriteSettings {
        &self.settings
    }

    /// Rewrites texts, in order. `progress` returns whether to continue.
    ///
    /// Text i of the call has the index `first` + i. The random draws for a text depend on `seed` and its index only, so a
    /// resumed job gives the remaining texts the rewrites they would have had. On a GPU, where many
    /// passages are computed together, the job must also be cut into the same calls.
    ///
    /// # Errors
    /// If a model fails, or `progress` returned false ([`ErrorKind::Stopped`](crate::ErrorKind::Stopped)).
    pub fn rewrite_all(
        &self,
        texts: &[&str],
        first: u64,
        seed: u64,
        progress: &mut dyn FnMut(RewriteProgress<'_>) -> bool,
    ) -> Result<Vec<Rewrite>, Error> {
        let geometry = self.judge.memory().geometry()?;
        let (judge, writer) = (self.judge.judge(&geometry), self.model.writer());
        match &self.search {
            Some(search) => Reach { judge, writer, search }.rewrite(texts, first, seed, progress),
            None => Rewriter { judge, writer, settings: self.settings }.rewrite(texts, first, seed, progress),
        }
    }

    /// Pairs the sentences of rewritten passages with those of the original, where they correspond one by one.
    ///
    /// # Errors
    /// If a model fails.
    pub fn align(&self, rewrite: &mut Rewrite) -> Result<(), Error> {
        let geometry = self.judge.memory().geometry()?;
        let judge = self.judge.judge(&geometry);
        let Rewrite { original, passages, .. } = rewrite;
        for passage in passages {
            if let (Some(before), Some(after)) = (original.get(passage.range.clone()), &passage.text) {
                passage.sentences = judge.align(before, after)?;
            }
        }
        Ok(())
    }

    /// Keeps parts of the original, and measures the text again. A text with refused passages is released if all of them
    /// are kept. A passage whose mixture of sentences would invent a fact is kept whole, unless such facts are only
    /// reported. A text that then misses the goal is treated as one that never reached it.
    ///
    /// # Errors
    /// If a model fails.
    pub fn decline(&self, mut rewrite: Rewrite, declined: &Declined) -> Result<Rewrite, Error> {
        if declined.is_empty() {
            return Ok(rewrite);
        }
        rewrite.decline(declined);
        let geometry = self.judge.memory().geometry()?;
        let judge = self.judge.judge(&geometry);
        let inventing = self.measure_mixed(&judge, &mut rewrite)?;
        rewrite.decline(&inventing);
        // The reference prototype of a whole text is not used, so its seed does not matter.
        let source = judge.sources(&[(rewrite.original.as_str(), 0)])?;
        rewrite.measures = match (&rewrite.text, source.first()) {
            (Some(text), Some(source)) => judge.measure(&[(source, text.as_str())])?.pop(),
            _ => None,
        };
        let (Some(search), Some(goal)) = (&self.search, &rewrite.goal) else { return Ok(rewrite) };
        let reach = Reach { judge, writer: self.model.writer(), search };
        rewrite.goal = Some(reach.assess(&rewrite, goal.strength)?);
        Ok(reach.settled(rewrite))
    }

    /// Measures passages of old and new sentences, and returns those that invent a fact and may not.
    fn measure_mixed(&self, judge: &Judge<'_>, rewrite: &mut Rewrite) -> Result<Declined, Error> {
        let mut inventing = Declined::new();
        let Rewrite { original, passages, .. } = rewrite;
        for (number, passage) in passages.iter_mut().enumerate() {
            let (PassageOutcome::Mixed, Some(text)) = (passage.outcome, &passage.text) else { continue };
            let before = original.get(passage.range.clone()).unwrap_or_default();
            let sources = judge.sources(&[(before, 0)])?;
            let Some(source) = sources.first() else { continue };
            passage.measures = judge.measure(&[(source, text)])?.pop();
            passage.changes = judge.changes(&[(source, text)])?.pop().unwrap_or_default();
            if self.settings.rules.facts == FactRule::Refuse && !passage.changes.invented.is_empty() {
                inventing.insert(number, DeclinedPart::Whole);
            }
        }
        Ok(inventing)
    }

    /// Finds what identifies a person in a text, whatever its style: names, numbers, amounts, days.
    ///
    /// # Errors
    /// If a model fails.
    pub fn identifying(&self, text: &str) -> Result<Vec<Identifying>, Error> {
        Ok(Identifying::of(text, &self.judge.find(text)?))
    }

    /// Returns one receipt for rewrites that are released together.
    ///
    /// `before` is the receipt of the text veil, if the texts were veiled first; its guarantees still hold. `sha256` is the
    /// checksum of the released bytes.
    ///
    /// # Errors
    /// If the system has no randomness to give, or the receipt is not consistent.
    pub fn receipt(
        &self,
        rewrites: &[Rewrite],
        before: Option<&Receipt>,
        sha256: Option<String>,
    ) -> Result<Receipt, Error> {
        self.receipt_of(&rewrites.iter().collect(), before, sha256)
    }

    /// Returns one receipt for rewrites that were counted, for jobs that do not keep them all.
    ///
    /// # Errors
    /// As [`receipt`](Self::receipt).
    pub fn receipt_of(
        &self,
        tally: &RewriteTally,
        before: Option<&Receipt>,
        sha256: Option<String>,
    ) -> Result<Receipt, Error> {
        let Self { model, judge, settings, search } = self;
        let terms = Terms { model, judge, settings, goal: search.as_ref().map(|search| search.goal) };
        receipt::receipt(&terms, tally, before, sha256)
    }
}

impl fmt::Debug for StyleVeil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StyleVeil({:?}, {:?})", self.model, self.judge.memory())
    }
}
