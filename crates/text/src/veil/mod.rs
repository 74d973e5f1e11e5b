//! The text veil: documents in, veiled texts with receipts out.

mod certify;
mod writing;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use inkveil_chat::LocalChat;
use inkveil_detect::Span;
use inkveil_lexicon::{Lexicon, Replacement, Symbols, WordPrior};
use inkveil_privacy::{Epsilon, Neighbours, NoiseKey, Receipt};
use rayon::prelude::*;

use self::certify::noised;
use self::writing::tokens;
use crate::decode::JointDecoder;
use crate::layout::Layout;
use crate::linked::FormPair;
use crate::mechanism::{LikelyOriginals, Mechanism, Observation};
use crate::notes::{LexiconNotes, VeilNotes, budgets};
use crate::plan::{Planner, TextPlan};
use crate::receipt::{Terms, TextTally};
use crate::relevance::{Needs, Tasks};
use crate::sensitivity::Sensitivity;
use crate::veiled::Veiled;
use crate::zero::Replacer;
use crate::{
    Budgets, Consistency, Decoding, Document, Error, Grouping, Replacements, TaskVector, TextSettings,
    Threshold, in_text,
};

/// Veils texts.
///
/// Opening it reads the models once; after that it can be used from several threads. Documents are
/// processed in batches, so pass many at once.
pub struct TextVeil {
    settings: TextSettings,
    lexicon: Arc<Lexicon>,
    sensitivity: Sensitivity,
    tasks: Tasks,
    threshold: Threshold,
    budgets: Budgets,
    mechanism: Box<dyn Mechanism>,
    /// Decodes noised words together; none if each is decoded alone.
    decoder: Option<JointDecoder>,
    replacer: Replacer,
    notes: LexiconNotes,
    /// The true worst case at each budget of noised words, if it was computed.
    certified: Vec<(Epsilon, Epsilon)>,
    pack: Option<(String, String)>,
}

/// The threshold if neither the settings nor the pack give one: the tenth of the vocabulary nearest
/// to the task.
const THRESHOLD: Threshold = Threshold::Quantile(0.9);

impl TextVeil {
    /// Opens a veil with the models in the folder `pack`.
    ///
    /// # Errors
    /// If a model is missing in the folder, or settings contradict each other.
    pub fn open(pack: &Path, settings: TextSettings) -> Result<Self, Error> {
        Self::open_with(pack, pack, settings, None)
    }

    /// Opens a veil as [`open`](Self::open) does, with taggers and lists of names from the folder
    /// `names`, and with a language model for [`AtZero::Fill`](crate::AtZero::Fill). This way a pack can be used that is
    /// only a lexicon.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(
        pack: &Path,
        names: &Path,
        settings: TextSettings,
        model: Option<Arc<LocalChat>>,
    ) -> Result<Self, Error> {
        let kind = match settings.lexicon {
            Some(kind) => kind,
            None => VeilNotes::open(pack)?.lexicon(),
        };
        let lexicon = Arc::new(Lexicon::open_kind(pack, kind)?.with_symbols(Symbols::Units));
        Self::open_on(lexicon, pack, names, settings, model)
    }

    /// Opens a veil as [`open_with`](Self::open_with) does, with the [`lexicon`](Self::lexicon) of
    /// another veil of the same pack instead of the one in the settings. The distances between the
    /// words of a large table are then not computed again.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_on(
        lexicon: Arc<Lexicon>,
        pack: &Path,
        names: &Path,
        settings: TextSettings,
        model: Option<Arc<LocalChat>>,
    ) -> Result<Self, Error> {
        settings.check()?;
        let known = VeilNotes::open(pack)?.of(lexicon.kind());
        let diameter = lexicon.geometry()?.diameter();
        let mechanism = settings.mechanism.build(lexicon.clone())?;
        let decoding = Decoding::chosen(&settings, pack, &lexicon, &*mechanism)?;
        // Joint decoding by default keeps the budgets of words alone: it lets a few more of them through.
        let curve = settings.decoding.unwrap_or(Decoding::Nearest);
        let budgets = budgets(settings.budget, &known, &settings.mechanism, curve, diameter)?;
        let threshold = match settings.task_vector {
            TaskVector::Context if settings.grouping == Grouping::Public => {
                return Err(Error::setting(
                    "groups that do not depend on the text cannot use the relevance of words in their text: choose grouping = \"text\", or another task-vector",
                ));
            }
            TaskVector::Context => settings.threshold.unwrap_or(in_text::THRESHOLD),
            _ => settings.threshold.or(known.threshold).unwrap_or(THRESHOLD),
        };
        // Budgets that the mechanism cannot take are refused now, not with the first document.
        let noised = noised(&budgets);
        for epsilon in &noised {
            mechanism.guarantee(*epsilon)?;
        }
        let decoder = match decoding {
            Decoding::Joint if !noised.is_empty() => JointDecoder::open(pack, &lexicon, &settings)?,
            _ => None,
        };
        let veil = Self {
            sensitivity: Sensitivity::open(
                names,
                settings.grouping,
                settings.detection(),
                settings.second_look,
            )?,
            tasks: Tasks::new(pack, &lexicon, settings.task_vector, threshold)?,
            replacer: Replacer::new(&settings, names, model)?,
            notes: known,
            certified: Vec::new(),
            pack: None,
            settings,
            lexicon,
            threshold,
            budgets,
            mechanism,
            decoder,
        };
        if veil.settings.certify { veil.certify(&|_| ()) } else { Ok(veil) }
    }

    /// Names the pack in receipts, with the SHA-256 of its manifest.
    pub fn with_pack_name(mut self, name: &str, sha256: &str) -> Self {
        self.pack = Some((name.to_owned(), sha256.to_owned()));
        self
    }

    /// Returns the detector that decides by the whole text what is sensitive, if one does.
    pub fn detector(&self) -> Option<&inkveil_detect::Detector> {
        match &self.sensitivity {
            Sensitivity::Text(text) => Some(&text.first),
            Sensitivity::Public(_) => None,
        }
    }

    /// Returns the group, the cost and the treatment of each unit of the documents. Nothing is
    /// drawn and nothing is spent.
    ///
    /// # Errors
    /// If a model fails.
    pub fn plan<'t>(&self, documents: &[Document<'t>]) -> Result<Vec<TextPlan<'t>>, Error> {
        let texts: Vec<&str> = documents.iter().map(|document| document.text).collect();
        self.plan_found(documents, self.find(&texts)?)
    }

    /// Returns the sensitive spans of texts. They depend on each text alone, so they can be kept for a
    /// text that is veiled again.
    ///
    /// # Errors
    /// If a model fails.
    pub fn find(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        self.sensitivity.spans(texts)
    }

    fn plan_found<'t>(
        &self,
        documents: &[Document<'t>],
        spans: Vec<Vec<Span>>,
    ) -> Result<Vec<TextPlan<'t>>, Error> {
        let needs = self.needs(documents)?;
        let planner = Planner {
            lexicon: &self.lexicon,
            sensitivity: &self.sensitivity,
            budgets: self.budgets,
            identifiers: self.settings.identifiers,
            punctuation: self.settings.punctuation,
            links: self.settings.links(),
            // In a job the same city may be needed in one text and not in another.
            sizes: self.settings.links().moves_values() && self.settings.scope() == Consistency::Document,
            flags: &|word| self.replacer.known_flags(word),
        };
        documents
            .par_iter()
            .zip(spans)
            .zip(needs)
            .map(|((document, spans), needs)| planner.plan(document.text, spans, &needs, &document.kept))
            .collect()
    }

    /// Returns the layout of a planned text. The guarantees on a receipt compare texts with the same
    /// layout only.
    pub fn layout(&self, plan: &TextPlan<'_>) -> Layout {
        Layout::of(plan, &self.settings)
    }

    /// Veils a text with fresh randomness.
    ///
    /// # Errors
    /// If a model fails or the system has no randomness. Nothing is released then.
    pub fn veil<'t>(&self, text: &'t str) -> Result<Veiled<'t>, Error> {
        let veiled = self.veil_all(&[Document::new(text)], 0, &NoiseKey::fresh()?)?;
        veiled.into_iter().next().ok_or_else(|| Error::setting("there is no document to veil"))
    }

    /// Veils documents. Each gets its own receipt. The noise of document i is at record `first` + i
    /// of the key, or at a record of its own ([`Document::at_record`]), so a retry with the same key
    /// draws the same noise.
    ///
    /// # Errors
    /// If a model fails. Nothing is released then.
    pub fn veil_all<'t>(
        &self,
        documents: &[Document<'t>],
        first: u64,
        key: &NoiseKey,
    ) -> Result<Vec<Veiled<'t>>, Error> {
        self.veil_all_with(&mut Replacements::default(), documents, first, key)
    }

    /// Veils documents of a job that comes in several calls. `known` holds the replacements of
    /// earlier calls, and those of this call are added. They matter only if replacements are
    /// [restorable](TextSettings::restorable) and consistent within the job: then the result
    /// depends on the key and on all documents so far, in order.
    ///
    /// # Errors
    /// As [`veil_all`](Self::veil_all). `known` may then hold replacements that were not released;
    /// fill it again before the next call.
    pub fn veil_all_with<'t>(
        &self,
        known: &mut Replacements,
        documents: &[Document<'t>],
        first: u64,
        key: &NoiseKey,
    ) -> Result<Vec<Veiled<'t>>, Error> {
        let texts: Vec<&str> = documents.iter().map(|document| document.text).collect();
        self.veil_found_with(known, documents, self.find(&texts)?, first, key)
    }

    /// Veils documents as [`veil_all_with`](Self::veil_all_with) does, with the spans that
    /// [`find`](Self::find) has found in them. Spans may be added; they must be sorted, must not overlap,
    /// and must lie on character boundaries.
    ///
    /// # Errors
    /// As [`veil_all_with`](Self::veil_all_with), and if there are more or fewer lists of spans than
    /// documents, or spans that are not in order.
    pub fn veil_found_with<'t>(
        &self,
        known: &mut Replacements,
        documents: &[Document<'t>],
        spans: Vec<Vec<Span>>,
        first: u64,
        key: &NoiseKey,
    ) -> Result<Vec<Veiled<'t>>, Error> {
        let fit = |(document, spans): (&Document<'_>, &Vec<Span>)| {
            let mut at = 0;
            spans.iter().all(|span| {
                let fits = at <= span.start && span.start < span.end;
                at = span.end;
                fits && document.text.get(span.range()).is_some()
            })
        };
        if spans.len() != documents.len() || !documents.iter().zip(&spans).all(fit) {
            return Err(Error::setting("the spans do not fit the documents"));
        }
        let plans = self.plan_found(documents, spans)?;
        let records: Vec<u64> =
            documents.iter().zip(first..).map(|(document, next)| document.record.unwrap_or(next)).collect();
        let drawn = self.draw(&plans, &records, key)?;
        let mut drawn = drawn.into_iter();
        let replacements: Vec<(Vec<Replacement>, Vec<FormPair>)> = records
            .iter()
            .zip(&plans)
            .map(|(&record, plan)| self.replacements(plan, record, key, known, &mut drawn))
            .collect::<Result<_, Error>>()?;
        plans
            .into_par_iter()
            .zip(replacements)
            .map(|(plan, (replacements, forms))| {
                let replacements = self.fill(&plan, replacements)?;
                let (text, written) = self.render(&plan, &replacements)?;
                let mut tally = TextTally::default();
                tally.add(&plan);
                let receipt = self.receipt(&tally, None, key)?;
                Ok(Veiled { text, receipt, plan, written, forms })
            })
            .collect()
    }

    /// Returns one receipt for a release of many documents; `sha256` is the checksum of the
    /// released bytes.
    ///
    /// # Errors
    /// If the sum of the budgets overflows.
    pub fn receipt(
        &self,
        tally: &TextTally,
        sha256: Option<String>,
        key: &NoiseKey,
    ) -> Result<Receipt, Error> {
        self.terms().receipt(tally, sha256, key)
    }

    /// Returns the budgets of the groups.
    pub fn budgets(&self) -> Budgets {
        self.budgets
    }

    /// Returns the settings in use.
    pub fn settings(&self) -> &TextSettings {
        &self.settings
    }

    /// Returns the relevance from which on a word is needed.
    pub fn threshold(&self) -> Threshold {
        self.threshold
    }

    /// Returns which originals a replaced unit cannot be told from.
    pub fn neighbours_of_replaced(&self) -> Neighbours {
        self.replacer.neighbours()
    }

    /// Returns the lexicon in use.
    pub fn lexicon(&self) -> &Arc<Lexicon> {
        &self.lexicon
    }

    /// Returns how noised words are decoded.
    pub fn decoding(&self) -> Decoding {
        if self.decoder.is_some() { Decoding::Joint } else { Decoding::Nearest }
    }

    /// Returns the mechanism in use.
    pub fn mechanism(&self) -> &dyn Mechanism {
        &*self.mechanism
    }

    fn terms(&self) -> Terms<'_> {
        Terms {
            lexicon: &self.lexicon,
            mechanism: &*self.mechanism,
            prior: self.decoder.as_ref().map(|decoder| decoder.prior().sha256().to_string()),
            settings: &self.settings,
            keeps_all: self.budgets.keep_all(),
            threshold: self.threshold,
            replacer: &self.replacer,
            notes: &self.notes,
            certified: &self.certified,
            pack: self.pack.as_ref().map(|(name, hash)| (name.as_str(), hash.as_str())),
        }
    }

    /// Returns what the tasks of each document need. Equal tasks are computed once.
    fn needs(&self, documents: &[Document<'_>]) -> Result<Vec<Needs>, Error> {
        let own: Vec<&str> = self.settings.tasks.iter().map(String::as_str).collect();
        let mut known: HashMap<&[&str], Needs> = HashMap::new();
        let mut all = Vec::with_capacity(documents.len());
        for document in documents {
            let tasks = if document.tasks.is_empty() { own.as_slice() } else { document.tasks.as_slice() };
            if !known.contains_key(tasks) {
                known.insert(tasks, self.tasks.needs(&self.lexicon, tasks)?);
            }
            all.push(known.get(tasks).cloned().unwrap_or_default());
        }
        let texts: Vec<&str> = documents.iter().map(|document| document.text).collect();
        self.tasks.read(&self.lexicon, &texts, &mut all)?;
        Ok(all)
    }

    /// Returns what the mechanism draws for each noised unit of a plan, before decoding: what an
    /// attacker sees who has the noisy vectors. It is for experiments. `record` is the place of the
    /// document in the release. None if the mechanism's likelihood is not known.
    ///
    /// # Errors
    /// If a budget is out of range.
    pub fn observe(
        &self,
        plan: &TextPlan<'_>,
        record: u64,
        key: &NoiseKey,
        likely: &LikelyOriginals,
    ) -> Result<Option<Vec<Observation>>, Error> {
        self.mechanism.observe(&tokens(std::slice::from_ref(plan), &[record]), key, likely)
    }

    /// Returns the likeliest words of the noised units of a plan under a prior of the caller's own. It
    /// is for experiments.
    pub fn decode(&self, plan: &TextPlan<'_>, observed: &[Observation], prior: &WordPrior) -> Vec<u32> {
        let shows = crate::decode::Shows::of(&self.settings);
        crate::decode::decode(&crate::decode::Released::of(plan, shows, observed), prior).entries
    }
}

impl std::fmt::Debug for TextVeil {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextVeil")
            .field("lexicon", &self.lexicon)
            .field("mechanism", &self.mechanism)
            .field("budgets", &self.budgets)
            .finish_non_exhaustive()
    }
}
