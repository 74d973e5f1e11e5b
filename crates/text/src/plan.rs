//! The plan for a text: the group, the cost and the treatment of each unit. Nothing is drawn and
//! nothing is spent.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use inkveil_detect::{EntryFlags, Kind, Language, Passage, Span};
use inkveil_entities::{
    Entities, Resolver, Reveal, Topic, Values, is_hour, is_quantity, names_of_people, with_repeated_names,
};
use inkveil_lexicon::{Alignment, Lexicon, TextUnit};
use inkveil_privacy::Epsilon;

use crate::endings::{Endings, Place};
use crate::relevance::Needs;
use crate::sensitivity::Sensitivity;
use crate::treatment::{has_words, is_punctuation};
use crate::{Budgets, Error, Group, Identifiers, Links, Punctuation, ReplacementReason, Treatment};

/// The labels of replaced units that are not entities.
pub(crate) const WORD: &str = "word";
pub(crate) const NUMBER: &str = "number";
pub(crate) const SYMBOL: &str = "symbol";

/// The plan for a text, unit by unit.
#[derive(Clone)]
pub struct TextPlan<'t> {
    pub(crate) alignment: Alignment<'t>,
    pub(crate) spans: Vec<Span>,
    pub(crate) units: Vec<PlannedUnit>,
    pub(crate) has_task: bool,
    /// The passages and their languages; empty if groups do not depend on the text.
    pub(crate) passages: Vec<Passage>,
    /// The entities that the spans mention, if replacements are linked.
    pub(crate) entities: Option<Arc<Entities>>,
}

/// A unit of a text and its treatment.
#[derive(Clone, Debug)]
pub struct PlannedUnit {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its entry in the lexicon; none if it is not there.
    pub id: Option<u32>,
    /// Its kind, if it is sensitive.
    pub kind: Option<Kind>,
    /// The index of the span it belongs to, if one was found in the text.
    pub span: Option<usize>,
    /// Its cosine with the task; none without a task or if the word is not in the lexicon.
    pub relevance: Option<f64>,
    /// Its group. All units of a span have the same group.
    pub group: Group,
    /// The budget of its group.
    pub epsilon: Epsilon,
    /// Its treatment.
    pub treatment: Treatment,
    /// Whether it is replaced by a value that moves with others. Such a value has no formal
    /// guarantee.
    pub related: bool,
    /// The topic that its surrogate keeps.
    pub(crate) topic: Option<Topic>,
}

impl PlannedUnit {
    /// Returns the budget that it is released with. It is 0 if the unit is replaced, whatever the
    /// budget of its group.
    pub fn spent(&self) -> Epsilon {
        match self.treatment {
            Treatment::Noise => self.epsilon,
            Treatment::Replaced(_) | Treatment::Joined if self.related => Epsilon::INFINITE,
            Treatment::Replaced(_) | Treatment::Joined => Epsilon::ZERO,
            Treatment::Kept | Treatment::Punctuation | Treatment::Clitic => Epsilon::INFINITE,
        }
    }

    /// Returns whether it counts as a unit of its group. Kept punctuation and endings do not count,
    /// and a replaced span counts once.
    pub(crate) fn counts(&self) -> bool {
        !matches!(self.treatment, Treatment::Punctuation | Treatment::Clitic | Treatment::Joined)
    }
}

impl<'t> TextPlan<'t> {
    /// Returns the text.
    pub fn text(&self) -> &'t str {
        self.alignment.text()
    }

    /// Returns its units, in order.
    pub fn units(&self) -> &[PlannedUnit] {
        &self.units
    }

    /// Returns the sensitive spans.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the passages with their languages; none if groups do not depend on the text.
    pub fn passages(&self) -> &[Passage] {
        &self.passages
    }

    /// Returns the language of the passage at a byte; English if groups do not depend on the text.
    pub(crate) fn language_at(&self, at: usize) -> Language {
        let passage = self.passages.iter().find(|passage| passage.range.contains(&at));
        passage.map_or(Language::English, |passage| passage.language)
    }

    /// Returns the language of the longest passage.
    pub(crate) fn main_language(&self) -> Language {
        let longest = self.passages.iter().max_by_key(|passage| passage.range.len());
        longest.map_or(Language::English, |passage| passage.language)
    }

    /// Returns whether there is a task with a word in the lexicon. Without one no unit is needed.
    pub fn has_task(&self) -> bool {
        self.has_task
    }

    /// Returns the label of the unit at `index`: its kind, or what sort of unit it is.
    pub(crate) fn label(&self, index: usize) -> &str {
        let Some(unit) = self.units.get(index) else { return WORD };
        if let Some(kind) = &unit.kind {
            return kind.name();
        }
        let text = &self.text()[unit.range.clone()];
        match (text.contains(char::is_alphabetic), text.contains(char::is_numeric)) {
            (true, _) => WORD,
            (false, true) => NUMBER,
            (false, false) => SYMBOL,
        }
    }

    /// Returns the bytes that are removed when the unit at `index` is replaced: its own and those
    /// of the units joined to it.
    pub(crate) fn replaced(&self, index: usize) -> Range<usize> {
        let Some((first, rest)) = self.units.get(index..).and_then(<[_]>::split_first) else { return 0..0 };
        let joined = rest.iter().take_while(|unit| unit.treatment == Treatment::Joined);
        first.range.start..joined.last().unwrap_or(first).range.end
    }

    /// Returns the sensitive text of the unit at `index`: the span that starts there, or what is
    /// replaced with the unit.
    pub(crate) fn original(&self, index: usize) -> &'t str {
        let span = self.units.get(index).and_then(|unit| unit.span).and_then(|span| self.spans.get(span));
        let range = span.map_or_else(|| self.replaced(index), Span::range);
        self.text().get(range).unwrap_or_default()
    }

    /// Returns what linked replacements reveal.
    pub(crate) fn reveals(&self) -> BTreeSet<Reveal> {
        let mut reveals = self.entities.as_ref().map(|entities| entities.reveals()).unwrap_or_default();
        for unit in self.units.iter().filter(|unit| unit.related) {
            if is_quantity(self.text(), unit.range.clone()) {
                reveals.insert(Reveal::Quantities);
                continue;
            }
            reveals.extend(unit.kind.as_ref().map_or(&[][..], Values::reveals));
        }
        if self.units.iter().any(|unit| unit.topic.is_some()) {
            reveals.insert(Reveal::Topics);
        }
        reveals
    }

    /// Returns the number of units of each group as the published code counts them: with
    /// punctuation and every part of a span.
    pub fn reference_counts(&self) -> [usize; 4] {
        let mut counts = [0; 4];
        self.units.iter().for_each(|unit| counts[unit.group as usize] += 1);
        counts
    }

    /// Returns the mean of the groups' budgets over all units, as the published code computes it.
    /// The budget that is spent may be smaller; the receipt states it. None if there are no units.
    pub fn mean_epsilon(&self) -> Option<Epsilon> {
        let sum: f64 = self.units.iter().map(|unit| unit.epsilon.get()).sum();
        Epsilon::new(sum / self.units.len() as f64).ok()
    }

    /// Returns the number of units of each group.
    pub fn counts(&self) -> [usize; 4] {
        let mut counts = [0; 4];
        self.units.iter().filter(|unit| unit.counts()).for_each(|unit| counts[unit.group as usize] += 1);
        counts
    }
}

impl std::fmt::Debug for TextPlan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TextPlan({} units, groups {:?})", self.units.len(), self.counts())
    }
}

/// What plans are made with.
pub(crate) struct Planner<'v> {
    pub(crate) lexicon: &'v Lexicon,
    pub(crate) sensitivity: &'v Sensitivity,
    pub(crate) budgets: Budgets,
    pub(crate) identifiers: Identifiers,
    pub(crate) punctuation: Punctuation,
    pub(crate) links: Links,
    /// Whether a city that the task needs becomes a city of a similar size.
    pub(crate) sizes: bool,
    /// Returns what the gazetteer knows of a word.
    pub(crate) flags: &'v (dyn Fn(&str) -> EntryFlags + Sync),
}

impl Planner<'_> {
    pub(crate) fn plan<'t>(
        &self,
        text: &'t str,
        spans: Vec<Span>,
        needs: &Needs,
        kept: &[Range<usize>],
    ) -> Result<TextPlan<'t>, Error> {
        let alignment = self.lexicon.align(text)?;
        let endings = match self.punctuation {
            Punctuation::Keep => Endings::of(text),
            Punctuation::Noise => Endings::ignored(),
        };
        let mut spans = split_spans(text, spans);
        endings.trim(text, &mut spans);
        if self.completes_names() && matches!(self.sensitivity, Sensitivity::Text(_)) {
            spans = with_repeated_names(text, spans, self.flags);
            let hours = spans.iter_mut().filter(|span| {
                matches!(span.kind, Kind::Age | Kind::Address | Kind::Date) && is_hour(text, span.range())
            });
            hours.for_each(|span| span.kind = Kind::Time);
        }
        if !kept.is_empty() {
            spans = without(text, spans, kept);
        }
        let passages = match self.sensitivity {
            Sensitivity::Text(whole) => whole.first.passages(text),
            Sensitivity::Public(_) => Vec::new(),
        };
        let mut units = Vec::with_capacity(alignment.units().len());
        let (mut next_span, mut passage) = (0, 0);
        for unit in alignment.units() {
            while spans.get(next_span).is_some_and(|span| span.end <= unit.range().start) {
                next_span += 1;
            }
            let span = spans.get(next_span).filter(|span| span.start < unit.range().end).map(|_| next_span);
            while passages.get(passage).is_some_and(|here| here.range.end <= unit.range().start) {
                passage += 1;
            }
            // The lexicon is English. A word of another language that it happens to have means something else.
            let known = !unit.is_unknown()
                && passages.get(passage).is_none_or(|here| here.language == Language::English);
            let place = endings.place(text, &unit.range(), known);
            units.push(self.single(
                text,
                unit,
                (place, known),
                span.map(|span| (span, &spans[span])),
                needs,
            )?);
        }
        let mut plan =
            TextPlan { alignment, spans, units, has_task: !needs.is_empty(), passages, entities: None };
        self.share_groups(&mut plan);
        self.treat(&mut plan);
        join_compounds(&mut plan, &endings);
        keep(&mut plan, kept);
        self.link(&mut plan);
        Ok(plan)
    }

    /// Returns whether a name that is found once is found wherever the text repeats it. A name that is replaced in
    /// one place and kept in another is not hidden. The paper's code takes spans as they are found.
    fn completes_names(&self) -> bool {
        let is_replaced = |group: &Group| self.budgets.of(*group).is_zero();
        let replaces = [Group::SensitiveNeeded, Group::Sensitive].iter().any(is_replaced);
        self.links != Links::None || replaces && self.identifiers == Identifiers::Replace
    }

    /// Plans a unit as if it stood alone.
    fn single(
        &self,
        text: &str,
        unit: &TextUnit,
        (place, known): (Place, bool),
        span: Option<(usize, &Span)>,
        needs: &Needs,
    ) -> Result<PlannedUnit, Error> {
        let word = &text[unit.range()];
        let id = unit.id().filter(|_| known && place == Place::Whole);
        let kind = match (span, self.sensitivity) {
            (Some((_, span)), _) => Some(span.kind.clone()),
            // The group must depend on the entry alone. A word that is not in the lexicon is
            // replaced in any case.
            (None, Sensitivity::Public(alone)) if !is_punctuation(word) => match id {
                Some(id) => alone.kind_of(self.lexicon, id)?,
                None => None,
            },
            (None, _) => None,
        };
        let relevance = id.and_then(|id| needs.relevance(self.lexicon, id, &unit.range()));
        let group = Group::of(kind.is_some(), relevance.is_some_and(|relevance| relevance.needed));
        Ok(PlannedUnit {
            range: unit.range(),
            id,
            kind,
            span: span.map(|(index, _)| index),
            relevance: relevance.map(|relevance| relevance.cosine),
            group,
            epsilon: self.budgets.of(group),
            treatment: if place == Place::Clitic { Treatment::Clitic } else { Treatment::Noise },
            related: false,
            topic: None,
        })
    }

    /// Gives all units of a span one group. If the task needs one of them, it needs all.
    fn share_groups(&self, plan: &mut TextPlan<'_>) {
        for units in plan.units.chunk_by_mut(|a, b| a.span.is_some() && a.span == b.span) {
            if units[0].span.is_some() {
                let needed = units.iter().any(|unit| unit.group.is_needed());
                let group = Group::of(true, needed);
                for unit in units {
                    (unit.group, unit.epsilon) = (group, self.budgets.of(group));
                }
            }
        }
    }

    /// Resolves the mentions of a text, and marks the values that move together.
    fn link(&self, plan: &mut TextPlan<'_>) {
        if self.links == Links::None {
            return;
        }
        let text = plan.text();
        let mut entities = Resolver::default().resolve(text, &plan.spans);
        let (spans, has_task) = (&plan.spans, plan.has_task);
        let mut sized = Vec::new();
        for units in plan.units.chunk_by_mut(|a, b| a.span.is_some() && a.span == b.span) {
            let span = units[0].span.and_then(|span| spans.get(span));
            let replaced = matches!(units[0].treatment, Treatment::Replaced(_));
            let moves = |span: &Span| {
                is_quantity(text, span.range()) || Values::reads(&span.kind, &text[span.range()])
            };
            let Some(span) = span.filter(|_| self.links.moves_values() && replaced) else { continue };
            if moves(span) {
                units.iter_mut().for_each(|unit| unit.related = true);
            } else if !has_task || units[0].group.is_needed() {
                // Nothing shows that the topic or the size does not matter.
                units[0].topic = Topic::of(&span.kind, &text[span.range()]);
                sized.extend(units[0].span.filter(|_| self.sizes));
            }
        }
        sized.into_iter().for_each(|span| entities.keep_size_of(span));
        plan.entities = Some(Arc::new(entities));
    }

    fn treat(&self, plan: &mut TextPlan<'_>) {
        let text = plan.alignment.text();
        let spans = &plan.spans;
        for units in plan.units.chunk_by_mut(|a, b| a.span.is_some() && a.span == b.span) {
            let why = units[0].span.and_then(|span| self.replaces_whole(text, &spans[span], units));
            if let Some(why) = why {
                units.iter_mut().for_each(|unit| unit.treatment = Treatment::Joined);
                units[0].treatment = Treatment::Replaced(why);
                continue;
            }
            for unit in units.iter_mut().filter(|unit| unit.treatment != Treatment::Clitic) {
                unit.treatment = self.treatment(text, unit);
            }
        }
    }

    /// Returns why a span is replaced as a whole; none if it is not.
    fn replaces_whole(&self, text: &str, span: &Span, units: &[PlannedUnit]) -> Option<ReplacementReason> {
        let epsilon = units[0].epsilon;
        if epsilon.is_infinite() {
            return None;
        }
        if epsilon.is_zero() {
            return Some(ReplacementReason::Budget);
        }
        let code = !has_words(&span.kind) || text[span.range()].contains(char::is_numeric);
        if code && self.identifiers == Identifiers::Replace {
            return Some(ReplacementReason::Identifier);
        }
        // The release must not show which parts of a name are in the lexicon.
        let kept =
            |unit: &PlannedUnit| unit.treatment == Treatment::Clitic || self.keeps_punctuation(text, unit);
        let unknown = units.iter().any(|unit| unit.id.is_none() && !kept(unit));
        unknown.then_some(ReplacementReason::Unknown)
    }

    fn keeps_punctuation(&self, text: &str, unit: &PlannedUnit) -> bool {
        let keeps = self.punctuation == Punctuation::Keep || unit.id.is_none();
        keeps && is_punctuation(&text[unit.range.clone()])
    }

    fn treatment(&self, text: &str, unit: &PlannedUnit) -> Treatment {
        if self.keeps_punctuation(text, unit) {
            return Treatment::Punctuation;
        }
        if unit.epsilon.is_infinite() {
            return Treatment::Kept;
        }
        if unit.epsilon.is_zero() {
            return Treatment::Replaced(ReplacementReason::Budget);
        }
        // Public grouping has no spans, and a code may be a word of its own.
        let code = unit.span.is_none() && unit.kind.as_ref().is_some_and(|kind| !has_words(kind));
        match unit.id {
            None => Treatment::Replaced(ReplacementReason::Unknown),
            Some(_) if code && self.identifiers == Identifiers::Replace => {
                Treatment::Replaced(ReplacementReason::Identifier)
            }
            Some(_) => Treatment::Noise,
        }
    }
}

/// Splits spans at line breaks, so that a replacement never joins two lines, and names at words such as
/// the "met" of "Ana Horak met Ana Novak".
fn split_spans(text: &str, spans: Vec<Span>) -> Vec<Span> {
    let mut split = Vec::with_capacity(spans.len());
    for span in spans {
        let Some(words) = text.get(span.range()) else {
            split.push(span);
            continue;
        };
        // A name may have its given name on one line and its family name on the next.
        let is_one_name = span.kind == Kind::Person && words.split_whitespace().count() == 2;
        if is_one_name {
            split.push(span);
            continue;
        }
        for line in words.split(['\n', '\r']) {
            let parts = if span.kind == Kind::Person { names_of_people(line) } else { vec![line] };
            for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
                let start = part.as_ptr() as usize - text.as_ptr() as usize;
                split.push(Span { start, end: start + part.len(), ..span.clone() });
            }
        }
    }
    split
}

/// Returns the spans without the places that are kept. Of a name of which a part is kept, the rest stays.
fn without(text: &str, spans: Vec<Span>, kept: &[Range<usize>]) -> Vec<Span> {
    let mut left = Vec::with_capacity(spans.len());
    for span in spans {
        if !kept.iter().any(|place| place.start < span.end && span.start < place.end) {
            left.push(span);
            continue;
        }
        let mut pieces = vec![span.range()];
        for place in kept {
            pieces = pieces
                .into_iter()
                .flat_map(|piece| {
                    [piece.start..piece.end.min(place.start), piece.start.max(place.end)..piece.end]
                        .into_iter()
                        .filter(|part| part.start < part.end)
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        for piece in pieces {
            let Some(words) = text.get(piece.clone()) else { continue };
            let trimmed = words.trim_matches(|c: char| !c.is_alphanumeric());
            if !trimmed.is_empty() {
                let start = trimmed.as_ptr() as usize - text.as_ptr() as usize;
                left.push(Span { start, end: start + trimmed.len(), ..span.clone() });
            }
        }
    }
    left
}

/// Keeps the units that lie in these places, and whatever was joined to them.
fn keep(plan: &mut TextPlan<'_>, kept: &[Range<usize>]) {
    let is_kept = |unit: &PlannedUnit| {
        unit.span.is_none()
            && kept.iter().any(|place| unit.range.start < place.end && place.start < unit.range.end)
    };
    for unit in plan.units.iter_mut().filter(|unit| is_kept(unit)) {
        if !matches!(unit.treatment, Treatment::Punctuation | Treatment::Clitic) {
            (unit.treatment, unit.epsilon) = (Treatment::Kept, Epsilon::INFINITE);
        }
        (unit.related, unit.topic) = (false, None);
    }
}

/// Makes one replacement of the parts of a word such as "O'Brien".
fn join_compounds(plan: &mut TextPlan<'_>, endings: &Endings) {
    for host in endings.compounds(plan.alignment.text()) {
        let first = plan.units.partition_point(|unit| unit.range.start < host.start);
        let parts = plan.units[first..].iter_mut().take_while(|unit| unit.range.end <= host.end);
        let mut parts = parts.skip_while(|unit| !matches!(unit.treatment, Treatment::Replaced(_)));
        if parts.next().is_some_and(|head| head.span.is_none()) {
            parts.for_each(|part| part.treatment = Treatment::Joined);
        }
    }
}
