//! What a rule is: forms it may take, a check, words that speak for it.

use std::borrow::Cow;
use std::ops::Range;

use super::error::{RuleError, RuleErrorKind};
use crate::Kind;

/// What a check says of a text that has the right form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It passes: a check digit fits, or there is no other reading.
    Valid,
    /// It cannot be what the rule looks for, and is dropped.
    Invalid,
    /// The check neither speaks for it nor against it.
    Unsure,
}

/// A check of a text that has the right form.
pub(super) type Check = fn(&str) -> Verdict;

/// Finds the pieces of a text near a place; what it yields is judged like a match of a pattern.
pub(super) type Parse = fn(text: &str, at: usize, found: &mut Vec<Range<usize>>);

/// One way in which a rule's text can be written, and where it may begin.
#[derive(Debug, Clone)]
pub(super) enum Form {
    /// A pattern that begins where a number or code begins, or at one of the words; the whole match counts.
    ///
    /// All shapes of all rules are one automaton. They hold no look-around: edges are checked in code.
    Shape { pattern: Cow<'static, str>, words: &'static [&'static str] },
    /// A pattern that follows one of the words directly; its first group counts.
    Led { words: &'static [&'static str], pattern: Cow<'static, str> },
    /// A function that looks around a place of this sort.
    Parsed { trigger: Trigger, parse: Parse },
    /// A pattern that may match anywhere, for the rules of users.
    Anywhere { pattern: Cow<'static, str> },
}

/// The sorts of places at which a [`Form::Parsed`] is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// An `@`; the place is its own.
    At,
    /// The `://` of an address; the place is the colon's.
    Scheme,
    /// The first label of names joined by dots; the place is where it begins.
    Host,
    /// A word with a number after it; the place is where the word begins.
    WordBeforeNumber,
    /// One of these words; the place is where it begins.
    Words(&'static [&'static str]),
}

/// What may stand next to a match. No match is ever glued to a letter or digit of its own sort of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edges {
    /// Anything else may.
    Word,
    /// No number that goes on beyond a dot or dash: `1.2.3.4` is not in `1.2.3.4.5`.
    Number,
    /// As `Number`, and not beyond a slash or colon either: `3/4/21` is not in `1/3/4/21`.
    Strict,
}

/// Words that speak for a rule when they stand near a match.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) words: Vec<Cow<'static, str>>,
    pub(super) score: f32,
    /// How far before the match they may stand, in bytes.
    pub(super) reach: usize,
    pub(super) required: bool,
}

/// A check, and the score of what passes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Validator {
    /// The name to give as a reason; a check that only refuses has none.
    pub(super) name: Option<&'static str>,
    pub(super) check: Check,
    pub(super) score: f32,
    /// Whether what the check is unsure of is dropped too.
    pub(super) must_pass: bool,
}

/// How a match goes on beyond what its pattern or parser looks at: a long value must neither be lost nor cut in half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    /// A match that is shorter, in bytes, was not cut off.
    pub(super) from: usize,
    /// What such a value is made of.
    pub(super) inside: fn(char) -> bool,
    /// What of it does not count at the end.
    pub(super) loose: fn(char) -> bool,
}

/// A rule: how something sensitive is written, how to check it, and which words nearby speak for it.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_detect::rules::{Rule, RuleSet};
///
/// let badge = Rule::pattern("badge", Kind::named("badge"), r"B-[0-9]{5}").scored(0.4).near(["badge"], 0.9);
/// let rules = RuleSet::builtin().with(vec![badge])?;
/// let mut found = Vec::new();
/// rules.find("Show badge B-20417 at the door.", &mut found);
/// assert!(found.iter().any(|span| span.kind.name() == "badge" && span.score > 0.8));
/// # Ok::<(), inkveil_detect::rules::RuleError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rule {
    name: Cow<'static, str>,
    kind: Kind,
    about: Cow<'static, str>,
    score: f32,
    pub(super) validator: Option<Validator>,
    pub(super) context: Option<Context>,
    pub(super) edges: Edges,
    pub(super) never_after: &'static [&'static str],
    pub(super) growth: Option<Growth>,
    pub(super) swallows: bool,
    pub(super) forms: Vec<Form>,
}

/// The score of a match with a context word of the user's nearby, for a rule that has none of its own.
const CONTEXT_SCORE: f32 = 0.9;

/// How far before a match context words may stand unless a rule says otherwise, in bytes.
pub(super) const REACH: usize = 60;

impl Rule {
    /// A rule of the user's: what `pattern` matches, anywhere. If the pattern has groups, the first that takes part
    /// in the match is what is reported, else all of it. Its score is 0.8 unless [`Rule::scored`] says otherwise.
    pub fn pattern(
        name: impl Into<Cow<'static, str>>,
        kind: Kind,
        pattern: impl Into<Cow<'static, str>>,
    ) -> Self {
        Rule::patterns(name, kind, [pattern])
    }

    /// As [`Rule::pattern`], with several patterns of which any may match.
    pub fn patterns<P: Into<Cow<'static, str>>>(
        name: impl Into<Cow<'static, str>>,
        kind: Kind,
        patterns: impl IntoIterator<Item = P>,
    ) -> Self {
        let mut rule = Rule::new(name, kind, "A rule of your own.", 0.8);
        rule.forms.extend(patterns.into_iter().map(|pattern| Form::Anywhere { pattern: pattern.into() }));
        rule
    }

    /// A built-in rule without a form.
    pub(super) fn new(
        name: impl Into<Cow<'static, str>>,
        kind: Kind,
        about: &'static str,
        score: f32,
    ) -> Self {
        Rule {
            name: name.into(),
            kind,
            about: about.into(),
            score,
            validator: None,
            context: None,
            edges: Edges::Number,
            never_after: &[],
            growth: None,
            swallows: false,
            forms: Vec::new(),
        }
    }

    /// Says what the rule finds, in a sentence.
    #[must_use]
    pub fn described(mut self, about: impl Into<Cow<'static, str>>) -> Self {
        self.about = about.into();
        self
    }

    /// Sets the score of a match that nothing else speaks for; clamped to 0..=1.
    #[must_use]
    pub fn scored(mut self, score: f32) -> Self {
        self.score = if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
        if let Some(validator) = self.validator.as_mut().filter(|validator| validator.must_pass) {
            validator.score = self.score;
        }
        self
    }

    /// Raises the score to `score` when one of the words stands near: whole words or phrases, in any case.
    #[must_use]
    pub fn near<W: Into<Cow<'static, str>>>(
        mut self,
        words: impl IntoIterator<Item = W>,
        score: f32,
    ) -> Self {
        let words = words.into_iter().map(Into::into).collect();
        let score = if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
        self.context = Some(Context { words, score, reach: REACH, required: false });
        self
    }

    /// Drops every match that none of the words of [`Rule::near`] stands by.
    #[must_use]
    pub fn only_near<W: Into<Cow<'static, str>>>(
        self,
        words: impl IntoIterator<Item = W>,
        score: f32,
    ) -> Self {
        let mut rule = self.near(words, score);
        if let Some(context) = &mut rule.context {
            context.required = true;
        }
        rule
    }

    /// Drops every match that does not pass the check of this name, for example `"Luhn"`. The checks are those of the
    /// built-in rules, see [`Rule::check`]; case does not matter.
    pub fn checked_by(mut self, name: &str) -> Result<Self, RuleError> {
        let known = super::builtin_rules()
            .into_iter()
            .filter_map(|rule| rule.validator)
            .find(|known| known.name.is_some_and(|known| known.eq_ignore_ascii_case(name)));
        let Some(known) = known else {
            return Err(RuleError::new(&self.name, RuleErrorKind::UnknownCheck { given: name.to_owned() }));
        };
        self.validator = Some(Validator { score: self.score, must_pass: true, ..known });
        Ok(self)
    }

    /// Its name, for example `"iban"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn name_for_reason(&self) -> Cow<'static, str> {
        self.name.clone()
    }

    /// What it finds.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What it finds and why that is sensitive, in a sentence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The score of a match that nothing else speaks for.
    pub fn score(&self) -> f32 {
        self.score
    }

    /// The name of its check, if it has one, and the score of what passes.
    pub fn check(&self) -> Option<(&'static str, f32)> {
        self.validator.and_then(|validator| Some((validator.name?, validator.score)))
    }

    /// The words that speak for it nearby.
    pub fn context_words(&self) -> impl Iterator<Item = &str> {
        self.context.iter().flat_map(|context| context.words.iter().map(AsRef::as_ref))
    }

    /// The score that a context word raises a match to.
    pub fn context_score(&self) -> Option<f32> {
        self.context.as_ref().map(|context| context.score)
    }

    /// Whether a match without a context word is dropped.
    pub fn needs_context(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.required)
    }

    /// Adds words that speak for it nearby to those it has.
    pub(super) fn add_context(&mut self, words: impl IntoIterator<Item = String>) {
        let context = self.context.get_or_insert_with(|| Context {
            words: Vec::new(),
            score: CONTEXT_SCORE,
            reach: REACH,
            required: false,
        });
        context.words.extend(words.into_iter().map(Cow::Owned));
    }

    pub(super) fn shape(self, pattern: impl Into<Cow<'static, str>>) -> Self {
        self.shape_at(&[], pattern)
    }

    pub(super) fn shape_at(
        mut self,
        words: &'static [&'static str],
        pattern: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.forms.push(Form::Shape { pattern: pattern.into(), words });
        self
    }

    pub(super) fn led(
        mut self,
        words: &'static [&'static str],
        pattern: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.forms.push(Form::Led { words, pattern: pattern.into() });
        self
    }

    pub(super) fn parsed(mut self, trigger: Trigger, parse: Parse) -> Self {
        self.forms.push(Form::Parsed { trigger, parse });
        self
    }

    pub(super) fn checked(mut self, name: &'static str, check: Check, score: f32) -> Self {
        self.validator = Some(Validator { name: Some(name), check, score, must_pass: false });
        self
    }

    /// Drops what the check refuses; passing it says nothing.
    pub(super) fn filtered(mut self, check: Check) -> Self {
        self.validator = Some(Validator { name: None, check, score: self.score, must_pass: false });
        self
    }

    pub(super) fn edges(mut self, edges: Edges) -> Self {
        self.edges = edges;
        self
    }

    /// Context words must stand at most this many bytes before the match, for shapes that say little themselves.
    pub(super) fn within(mut self, reach: usize) -> Self {
        if let Some(context) = &mut self.context {
            context.reach = reach;
        }
        self
    }

    /// Drops a match that directly follows one of these words.
    pub(super) fn never_after(mut self, words: &'static [&'static str]) -> Self {
        self.never_after = words;
        self
    }

    /// A match goes on to the end of its token, however long.
    pub(super) fn growing(mut self, growth: Growth) -> Self {
        self.growth = Some(growth);
        self
    }

    /// No shape is looked for inside a match.
    pub(super) fn swallowing(mut self) -> Self {
        self.swallows = true;
        self
    }
}
