//! The receipt of a veiled text: the guarantee for each group, its limits, and how the text was
//! made.

use std::collections::{BTreeMap, BTreeSet};

use inkveil_detect::{Kind, Language};
use inkveil_lexicon::{CasingPolicy, Lexicon};
use inkveil_privacy::faults::{self, Fault};
use inkveil_privacy::{
    Epsilon, GroupBudget, Guarantee, Metric, Neighbours, NoiseKey, Receipt, ReceiptBuilder, ReleaseKind,
};
use inkveil_surrogates::{Shape, ShapeLevel};
use serde::{Deserialize, Serialize};

use crate::alternatives::Survival;
use crate::mechanism::{MechanismName, unit_of};
use crate::plan::TextPlan;
use crate::zero::{Replacer, kind_of_surrogate};
use crate::{
    AtZero, Consistency, Decoding, Error, Group, Grouping, LexiconNotes, Links, Mechanism, Punctuation,
    TextSettings, Threshold, Treatment,
};

/// What all receipts of a veil have in common.
pub(crate) struct Terms<'v> {
    pub(crate) lexicon: &'v Lexicon,
    pub(crate) mechanism: &'v dyn Mechanism,
    /// The SHA-256 of the prior, if noised words are decoded jointly.
    pub(crate) prior: Option<String>,
    pub(crate) settings: &'v TextSettings,
    /// Whether every budget is infinite.
    pub(crate) keeps_all: bool,
    pub(crate) threshold: Threshold,
    pub(crate) replacer: &'v Replacer,
    pub(crate) notes: &'v LexiconNotes,
    /// The true worst case at each budget of noised words, if it was computed.
    pub(crate) certified: &'v [(Epsilon, Epsilon)],
    pub(crate) pack: Option<(&'v str, &'v str)>,
}

/// The counts of a release of many documents, for one receipt over all of them.
///
/// ```
/// # fn example(veil: &inkveil_text::TextVeil, key: &inkveil_privacy::NoiseKey) -> Result<(), inkveil_text::Error> {
/// use inkveil_text::{Document, TextTally};
///
/// let mut tally = TextTally::default();
/// for veiled in veil.veil_all(&[Document::new("One."), Document::new("Two.")], 0, key)? {
///     tally.add(veiled.plan());
/// }
/// println!("{}", veil.receipt(&tally, None, key)?.render());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "KeptTally", into = "KeptTally")]
pub struct TextTally {
    counts: BTreeMap<(Group, ReleaseWay), (u64, Epsilon)>,
    /// The kinds of what was replaced.
    kinds: BTreeSet<String>,
    /// What linked replacements reveal, in words.
    reveals: BTreeSet<String>,
    has_task: bool,
    repaired_by: Option<String>,
    decisions: UserDecisions,
    /// The number of passages in each language, and whether it has a tagger.
    languages: BTreeMap<String, (u64, bool)>,
}

/// What the user decided about single spans, against what the veil would have done. It holds counts only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserDecisions {
    /// Spans that were kept.
    pub kept: u64,
    /// Spans that were replaced although nothing had found them.
    pub replaced: u64,
    /// Replacements that were drawn again.
    pub drawn_again: u64,
}

impl UserDecisions {
    /// Returns whether the user decided nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the counts in words, for example "3 kept, 1 drawn again".
    pub fn in_words(&self) -> String {
        let counts = [(self.kept, "kept"), (self.replaced, "replaced"), (self.drawn_again, "drawn again")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }
}

/// The stored form of a tally, for a job that may be interrupted.
#[derive(Serialize, Deserialize)]
struct KeptTally {
    counts: Vec<(Group, ReleaseWay, u64, Epsilon)>,
    kinds: BTreeSet<String>,
    reveals: BTreeSet<String>,
    has_task: bool,
    repaired_by: Option<String>,
    #[serde(default, skip_serializing_if = "UserDecisions::is_empty")]
    decisions: UserDecisions,
    #[serde(default)]
    languages: BTreeMap<String, (u64, bool)>,
}

impl From<TextTally> for KeptTally {
    fn from(tally: TextTally) -> Self {
        let TextTally { counts, kinds, reveals, has_task, repaired_by, languages, decisions } = tally;
        let count = |((group, way), (count, epsilon))| (group, way, count, epsilon);
        let counts = counts.into_iter().map(count).collect();
        Self { counts, kinds, reveals, has_task, repaired_by, languages, decisions }
    }
}

impl From<KeptTally> for TextTally {
    fn from(kept: KeptTally) -> Self {
        let KeptTally { counts, kinds, reveals, has_task, repaired_by, languages, decisions } = kept;
        let count = |(group, way, count, epsilon)| ((group, way), (count, epsilon));
        let counts = counts.into_iter().map(count).collect();
        Self { counts, kinds, reveals, has_task, repaired_by, languages, decisions }
    }
}

impl TextTally {
    /// Records that a language model rewrote the veiled text before it was released.
    pub fn repaired_by(&mut self, model: &str) {
        self.repaired_by = Some(model.to_owned());
    }

    /// Records what the user decided about single spans.
    pub fn decided(&mut self, decisions: UserDecisions) {
        self.decisions.kept += decisions.kept;
        self.decisions.replaced += decisions.replaced;
        self.decisions.drawn_again += decisions.drawn_again;
    }

    /// Adds the counts of another tally.
    pub fn join(&mut self, other: &Self) {
        self.decided(other.decisions);
        self.has_task |= other.has_task;
        self.kinds.extend(other.kinds.iter().cloned());
        self.reveals.extend(other.reveals.iter().cloned());
        self.repaired_by = self.repaired_by.take().or_else(|| other.repaired_by.clone());
        for (name, &(count, has_tagger)) in &other.languages {
            self.languages.entry(name.clone()).or_insert((0, has_tagger)).0 += count;
        }
        for (&way, &(count, epsilon)) in &other.counts {
            self.counts.entry(way).or_insert((0, epsilon)).0 += count;
        }
    }

    /// Returns whether a charge of this tally pays for `released`: it has no more words of any group, in any way.
    pub fn covers(&self, released: &Self) -> bool {
        let counted = |way| self.counts.get(way).map_or(0, |(count, _)| *count);
        released.counts.iter().all(|(way, (count, _))| *count <= counted(way))
    }

    /// Counts a released document.
    pub fn add(&mut self, plan: &TextPlan<'_>) {
        self.has_task |= plan.has_task;
        for passage in plan.passages() {
            let language = passage.language;
            self.languages.entry(language.name().to_owned()).or_insert((0, language.has_tagger())).0 += 1;
        }
        self.reveals.extend(plan.reveals().into_iter().map(|reveal| reveal.about().to_owned()));
        for (index, unit) in plan.units.iter().enumerate().filter(|(_, unit)| unit.counts()) {
            if matches!(unit.treatment, Treatment::Replaced(_)) {
                self.kinds.extend(kind_of_surrogate(plan, index).map(|kind| kind.name().to_owned()));
            }
            let way = match unit.treatment {
                Treatment::Noise => ReleaseWay::Noise,
                Treatment::Replaced(_) | Treatment::Joined if unit.related => ReleaseWay::Moved,
                Treatment::Replaced(_) | Treatment::Joined => ReleaseWay::Replaced,
                Treatment::Kept | Treatment::Punctuation | Treatment::Clitic => ReleaseWay::Kept,
            };
            self.counts.entry((unit.group, way)).or_insert((0, unit.epsilon)).0 += 1;
        }
    }
}

impl TextTally {
    /// Lists the languages of the passages, if one of them is not English.
    fn describe_languages(&self, mut receipt: ReceiptBuilder) -> ReceiptBuilder {
        if self.languages.keys().all(|name| name == Language::English.name()) {
            return receipt;
        }
        let counts: Vec<String> =
            self.languages.iter().map(|(name, (count, _))| format!("{name} {count}")).collect();
        receipt = receipt.parameter("languages of passages", counts.join(", ")).treatment(
            "words of passages in other languages than English",
            "treated as words that are not in the lexicon: replaced or kept, never noised",
            None,
        );
        receipt = receipt.not_covered(
            "in other languages than English, the gender that a form of address shows, and whether an address has a number: surrogates keep them",
        );
        for (name, (count, _)) in self.languages.iter().filter(|(_, (_, has_tagger))| !has_tagger) {
            let (passages, are) = if *count == 1 { ("passage", "is") } else { ("passages", "are") };
            let support = Language::support_of(name);
            receipt = receipt.not_covered(&format!(
                "names in {count} {passages} that {are} in {name}, which detection supports {support}"
            ));
        }
        receipt
    }
}

/// How units of a group were released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReleaseWay {
    Noise,
    Replaced,
    /// By a value that moves with others.
    Moved,
    Kept,
}

/// What a receipt calls the endings that stay with their word.
const ENDINGS: &str = "endings such as 's and n't, and the verb before n't where the lexicon does not separate it (can't, wasn't)";

/// Rounds a probability to the precision of the curves.
fn rounded(probability: f64) -> f64 {
    (probability * 1e4).round() / 1e4
}

impl Terms<'_> {
    pub(crate) fn receipt(
        &self,
        tally: &TextTally,
        sha256: Option<String>,
        key: &NoiseKey,
    ) -> Result<Receipt, Error> {
        let unit = unit_of(self.lexicon);
        let name = self.mechanism.name();
        let mut receipt = Receipt::builder(ReleaseKind::Text, name.name(), unit, key);
        if matches!(name, MechanismName::Polar | MechanismName::PolarRadial) {
            receipt = receipt.calibration(self.settings.mechanism.calibration);
        }
        receipt = receipt
            .parameter("lexicon", self.lexicon.kind())
            .parameter("dimension", self.lexicon.table().dimension())
            .parameter("grouping", self.settings.grouping.name())
            .parameter(
                "relevance",
                format!("{}, needed from {}", self.settings.task_vector.name(), self.threshold),
            );
        if self.replacer.how == AtZero::Surrogate {
            receipt = receipt.parameter("shape", self.settings.shape);
        }
        for (name, value) in self.mechanism.parameters() {
            receipt = receipt.parameter(name, value);
        }
        let noised = tally.counts.keys().any(|(_, way)| *way == ReleaseWay::Noise);
        if let (Some(prior), true) = (&self.prior, noised) {
            receipt = receipt
                .parameter("decoding", Decoding::Joint.name())
                .parameter("prior over neighbouring words", prior)
                .note("noised words were decoded jointly, from their noise, from what this release shows and from a public prior: post-processing, which costs no budget");
        }
        if tally.counts.is_empty() {
            // A text without words costs nothing. The receipt needs a group to state that.
            receipt = receipt.group(self.budget(Group::Neither, ReleaseWay::Replaced, 0, Epsilon::ZERO)?);
        }
        for (&(group, way), &(count, epsilon)) in &tally.counts {
            receipt = receipt.group(self.budget(group, way, count, epsilon)?);
        }
        let how = self.replacer.how.name();
        let reveals = self.replacer.reveals(self.settings.scope());
        receipt = receipt
            .treatment("identifiers", &format!("{} ({how})", self.settings.identifiers.name()), None)
            .treatment("words and numbers that are not in the lexicon", how, None)
            .treatment("replacements", reveals, None);
        if self.replacer.how == AtZero::Surrogate && self.settings.shape != ShapeLevel::Kind {
            for name in tally.kinds.iter().filter(|name| !self.is_linked(name)) {
                let reveals = Shape::reveals(&Kind::named(name), self.settings.shape);
                receipt = receipt.treatment(
                    &format!("surrogates of kind {name}"),
                    &format!("reveal {reveals}"),
                    None,
                );
            }
        }
        if self.settings.restorable {
            receipt = receipt.treatment(
                "replacements that cannot be restored",
                "drawn again if the rest of the released text contains them or another original has them; this reads nothing that is not released",
                None,
            );
        }
        if self.settings.links() != Links::None {
            receipt = receipt.treatment(
                "mentions of one person, organisation or place",
                "forms of one identity, which is drawn at random",
                None,
            );
            for reveals in &tally.reveals {
                receipt = receipt.not_covered(reveals);
            }
        }
        if self.settings.links() == Links::Weekdays {
            receipt = receipt.not_covered("the weekdays of dates, which are kept");
        }
        if self.settings.links().moves_values() {
            receipt = receipt.treatment(
                "dates, ages and amounts",
                "moved together by secret shifts; this gives no formal guarantee",
                Some(Epsilon::INFINITE),
            );
        }
        receipt =
            receipt.treatment("invisible characters", if self.keeps_all { "kept" } else { "left out" }, None);
        let shown = match self.settings.scope() {
            Consistency::None => None,
            Consistency::Document => Some((
                "the same for the same original within a document",
                "repetitions: places of a document with the same original have the same replacement",
            )),
            Consistency::Job => Some((
                "the same for the same original within the whole job",
                "repetitions: places with the same original have the same replacement in everything released by this job",
            )),
        };
        if let Some((treatment, not_covered)) = shown {
            receipt =
                receipt.treatment("consistency of replacements", treatment, None).not_covered(not_covered);
        }
        receipt = match self.settings.punctuation {
            Punctuation::Keep => receipt.treatment("punctuation", "kept", Some(Epsilon::INFINITE)).treatment(
                ENDINGS,
                "kept",
                Some(Epsilon::INFINITE),
            ),
            Punctuation::Noise => receipt.treatment("punctuation", "noised if it is in the lexicon", None),
        };
        receipt = match self.settings.casing {
            CasingPolicy::AsOriginal => {
                receipt.treatment("upper and lower case", "copied from the original", Some(Epsilon::INFINITE))
            }
            CasingPolicy::AsVocabulary => {
                receipt.treatment("upper and lower case", "as in the lexicon", None)
            }
        };
        receipt = receipt
            .not_covered("the layout: texts with different layouts can be told apart with certainty")
            .not_covered(
                "the exact number of words in each group and treatment: it is on this receipt, without noise",
            )
            .not_covered("correlations between words: a noised word can be guessed from its neighbours")
            .not_covered("the style of writing");
        if self.settings.punctuation == Punctuation::Keep {
            receipt = receipt.not_covered(&format!("{ENDINGS}: they are kept"));
        }
        receipt = match self.settings.grouping {
            Grouping::Text => receipt
                .not_covered("which words are sensitive or needed: groups depend on the whole text")
                .not_covered("sensitive words that detection misses: they count as not sensitive"),
            Grouping::Public => receipt
                .not_covered("which words are sensitive or needed: the group of a word depends on the word alone, but the release shows the order of groups")
                .not_covered("sensitive words that are on no list: they count as not sensitive"),
        };
        let decisions = tally.decisions;
        if !decisions.is_empty() {
            receipt = receipt.treatment("spans that the user decided about", &decisions.in_words(), None);
        }
        if decisions.kept > 0 {
            receipt = receipt.not_covered("what the user kept: it is released as it is");
        }
        if decisions.drawn_again > 0 {
            receipt = receipt.not_covered(
                "what the user's choice among replacements reveals: the choice may depend on the original",
            );
        }
        receipt = tally.describe_languages(receipt);
        if let Some(model) = &tally.repaired_by {
            receipt = receipt.note(&format!(
                "rewritten for coherence by {model}, which saw only the veiled text; the guarantee is unchanged"
            ));
        }
        if !tally.has_task {
            receipt = receipt.note("no task was given, so no word counts as needed");
        }
        if let Some((name, hash)) = self.pack {
            let short: String = hash.chars().take(16).collect();
            receipt = receipt.pack(name, hash).space(format!("lexicon {} {short}", self.lexicon.kind()));
        }
        if let Some(sha256) = sha256 {
            receipt = receipt.sha256(sha256);
        }
        Ok(receipt.build()?)
    }

    /// Returns whether surrogates of a kind are forms of identities.
    fn is_linked(&self, kind: &str) -> bool {
        let kinds = [Kind::Person, Kind::Title, Kind::Organisation, Kind::Email];
        self.settings.links() != Links::None && kinds.iter().any(|linked| linked.name() == kind)
    }

    fn budget(
        &self,
        group: Group,
        way: ReleaseWay,
        count: u64,
        epsilon: Epsilon,
    ) -> Result<GroupBudget, Error> {
        let unit = unit_of(self.lexicon);
        let name = format!("group {}, {}", group.number(), group.about());
        Ok(match way {
            ReleaseWay::Noise => {
                let guarantee = self.mechanism.guarantee(epsilon)?;
                let compared = match faults::is(Fault::AnyNeighbours) {
                    true => Neighbours::Any,
                    false => Neighbours::SameLayout,
                };
                let same_layout = |one: Guarantee| one.among(compared);
                let guarantees = guarantee.guarantees.into_iter().map(same_layout).collect();
                let mut budget = GroupBudget::new(&name, count, epsilon, guarantees).with_certainty();
                for equivalent in guarantee.equivalents {
                    budget = budget.equivalent(same_layout(equivalent));
                }
                let diameter = self.lexicon.geometry()?.diameter();
                let decoding = if self.prior.is_some() { Decoding::Joint } else { Decoding::Nearest };
                if let Some(at) =
                    Survival::at(epsilon, self.notes, &self.settings.mechanism, decoding, diameter)
                {
                    budget = at.alternatives.into_iter().fold(budget, GroupBudget::alternative);
                    budget = budget.survival(rounded(at.probability));
                }
                let certified = self.certified.iter().find(|(budget, _)| *budget == epsilon);
                budget = budget.certified(certified.map(|(_, loss)| *loss));
                for (metric, diameter) in guarantee.diameters {
                    budget = budget.diameter(metric, diameter);
                }
                if let Some(slack) = guarantee.slack {
                    budget = budget.slack(slack);
                }
                match guarantee.typical_distance {
                    Some(distance) => budget.typical_distance(distance),
                    None => budget,
                }
            }
            ReleaseWay::Replaced => {
                let guarantee = Guarantee::new(Metric::Discrete, Epsilon::ZERO, unit);
                let guarantees = vec![guarantee.among(self.replacer.neighbours())];
                GroupBudget::new(&name, count, Epsilon::ZERO, guarantees)
                    .mechanism(self.replacer.how.name())
                    .with_certainty()
            }
            ReleaseWay::Moved => {
                let guarantee = Guarantee::new(Metric::Discrete, Epsilon::INFINITE, unit);
                GroupBudget::new(&name, count, Epsilon::INFINITE, vec![guarantee])
                    .mechanism("shift")
                    .with_certainty()
            }
            ReleaseWay::Kept => {
                let guarantee = Guarantee::new(Metric::Discrete, Epsilon::INFINITE, unit);
                GroupBudget::new(&name, count, Epsilon::INFINITE, vec![guarantee])
                    .mechanism("keep")
                    .with_certainty()
            }
        })
    }
}
