//! Rules: forms, a check and context words.

use std::borrow::Cow;
use std::ops::Range;

use crate::kind::Kind;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The text passes, for example because its check digit is right.
    Valid,
    /// The text is dropped.
    Invalid,
    /// The check does not decide.
    Unsure,
}

/// A check of a text that matches a form.
pub(super) type Check = fn(&str) -> Verdict;

/// Finds values near a place in a text. They are treated like matches of a pattern.
pub(super) type Parse = fn(text: &str, at: usize, found: &mut Vec<Range<usize>>);

/// One notation of a value, and where it may start.
#[derive(Debug, Clone)]
pub(super) enum Form {
    /// A pattern that starts at a number, a code or one of the words. The whole match is the value.
    ///
    /// All shapes of all rules are one automaton without look-around. Neighbouring characters are checked in
    /// code.
    Shape { pattern: Cow<'static, str>, words: &'static [&'static str] },
    /// A pattern that directly follows one of the words. Its first group is the value.
    Led { words: &'static [&'static str], pattern: Cow<'static, str> },
    /// A function that reads the text around a trigger.
    Parsed { trigger: Trigger, parse: Parse },
    /// A pattern that may match anywhere, for rules of users.
    Anywhere { pattern: Cow<'static, str> },
}

/// The places at which a [`Form::Parsed`] is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// An `@`, at its place.
    At,
    /// The `://` of a web address, at the colon.
    Scheme,
    /// The first of several names joined by dots, at its start.
    Host,
    /// A word with a number after it, at the start of the word.
    WordBeforeNumber,
    /// One of these words, at its start.
    Words(&'static [&'static str]),
}

/// Which neighbouring characters are allowed. A letter or digit of a spaced script never is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edges {
    /// All other characters.
    Word,
    /// Not a dot or dash that continues a number: `1.2.3.4` is not found in `1.2.3.4.5`.
    Number,
    /// Also not a slash or colon that continues a number: `3/4/21` is not found in `1/3/4/21`.
    Strict,
}

/// Context words, which raise the score of a match nearby.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) words: Vec<Cow<'static, str>>,
    pub(super) score: f32,
    /// The longest distance before a match, in bytes.
    pub(super) reach: usize,
    pub(super) required: bool,
}

/// A check, and the score of values that pass it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Validator {
    /// The name that reasons show. A check that only refuses has none.
    pub(super) name: Option<&'static str>,
    pub(super) check: Check,
    pub(super) score: f32,
    /// Whether undecided values are dropped too.
    pub(super) must_pass: bool,
}

/// How a match is extended to the end of its token, so that long values are found completely.
#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    /// Shorter matches, in bytes, are not extended.
    pub(super) from: usize,
    /// The characters of such a value.
    pub(super) inside: fn(char) -> bool,
    /// Characters that do not count at the end of a value.
    pub(super) loose: fn(char) -> bool,
}

/// A rule: notations of a kind, a check and context words.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_detect::rules::{Rule, RuleSet};
///
/// let badge = Rule::pattern("badge", Kind::named("badge"), r"B-[0-9]{5}").scored(0.4).near(["badge"], 0.9);
/// let rules = RuleSet::builtin().with(vec![badge])?;
/// let mut found = Vec::new();
/// rules.find("Show badge B-20417 at the gate.", &mut found);
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

/// The score with a context word of the user, for rules without context words of their own.
const CONTEXT_SCORE: f32 = 0.9;

/// The default of the longest distance between a context word and a match, in bytes.
pub(super) const REACH: usize = 60;

impl Rule {
    /// A rule of the user with one pattern, which may match anywhere. If the pattern has groups, the first
    /// group that matches is reported, otherwise the whole match. The score is 0.8 by default.
    pub fn pattern(
        name: impl Into<Cow<'static, str>>,
        kind: Kind,
        pattern: impl Into<Cow<'static, str>>,
    ) -> Self {
        Rule::patterns(name, kind, [pattern])
    }

    /// As [`Rule::pattern`], with several patterns.
    pub fn patterns<P: Into<Cow<'static, str>>>(
        name: impl Into<Cow<'static, str>>,
        kind: Kind,
        patterns: impl IntoIterator<Item = P>,
    ) -> Self {
        let mut rule = Rule::new(name, kind, "A rule of your own.", 0.8);
        rule.forms.extend(patterns.into_iter().map(|pattern| Form::Anywhere { pattern: pattern.into() }));
        rule
    }

    /// A built-in rule without forms.
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

    /// Sets the description, one sentence.
    #[must_use]
    pub fn described(mut self, about: impl Into<Cow<'static, str>>) -> Self {
        self.about = about.into();
        self
    }

    /// Sets the score of a match without check and context, limited to 0..=1.
    #[must_use]
    pub fn scored(mut self, score: f32) -> Self {
        self.score = if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
        if let Some(validator) = self.validator.as_mut().filter(|validator| validator.must_pass) {
            validator.score = self.score;
        }
        self
    }

    /// Raises the score to `score` if one of the context words is near. They are whole words or phrases, in
    /// any case.
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

    /// As [`Rule::near`], but drops matches without a context word.
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

    /// Returns its name, for example `"iban"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn name_for_reason(&self) -> Cow<'static, str> {
        self.name.clone()
    }

    /// Returns the kind that it finds.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Describes what it finds in one sentence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the score of a match without check and context.
    pub fn score(&self) -> f32 {
        self.score
    }

    /// Returns the name of its check and the score of values that pass it.
    pub fn check(&self) -> Option<(&'static str, f32)> {
        self.validator.and_then(|validator| Some((validator.name?, validator.score)))
    }

    /// Returns its context words.
    pub fn context_words(&self) -> impl Iterator<Item = &str> {
        self.context.iter().flat_map(|context| context.words.iter().map(AsRef::as_ref))
    }

    /// Returns the score of a match with a context word.
    pub fn context_score(&self) -> Option<f32> {
        self.context.as_ref().map(|context| context.score)
    }

    /// Returns whether a match without a context word is dropped.
    pub fn needs_context(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.required)
    }

    /// Adds context words.
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

    /// Drops values that the check refuses. Passing it does not change the score.
    pub(super) fn filtered(mut self, check: Check) -> Self {
        self.validator = Some(Validator { name: None, check, score: self.score, must_pass: false });
        self
    }

    pub(super) fn edges(mut self, edges: Edges) -> Self {
        self.edges = edges;
        self
    }

    /// Sets the longest distance of context words, for patterns that match many other things.
    pub(super) fn within(mut self, reach: usize) -> Self {
        if let Some(context) = &mut self.context {
            context.reach = reach;
        }
        self
    }

    /// Drops matches directly after one of these words.
    pub(super) fn never_after(mut self, words: &'static [&'static str]) -> Self {
        self.never_after = words;
        self
    }

    /// Extends matches to the end of their token.
    pub(super) fn growing(mut self, growth: Growth) -> Self {
        self.growth = Some(growth);
        self
    }

    /// Tries no shapes inside a match.
    pub(super) fn swallowing(mut self) -> Self {
        self.swallows = true;
        self
    }
}
