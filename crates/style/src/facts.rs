//! What a text states and a rewrite must not change: numbers, days and months, negations, names, and whether
//! the writer speaks of himself.
//!
//! These are rules over words. They find a changed number or a lost "not". They do not understand statements.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use inkveil_detect::{Kind, Span};
use inkveil_notation::NUMBER_WORDS;
use unicode_segmentation::UnicodeSegmentation as _;

/// Words that negate, besides those that end in "n't".
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nobody",
    "nothing",
    "nowhere",
    "neither",
    "nor",
    "without",
    "cannot",
    "hardly",
    "barely",
    "scarcely",
    "impossible",
    "unable",
    "unlikely",
    "lack",
    "lacks",
    "lacked",
    "fail",
    "fails",
    "failed",
    "refuse",
    "refuses",
    "refused",
    "deny",
    "denies",
    "denied",
];
/// "Not only … but also" negates nothing.
const NOT_NEGATED: &[&str] = &["only", "just", "merely", "simply"];
const DAYS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
const WRITER: &[&str] = &["i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll"];
/// Words that state two of something. A rewrite may say "two" for them, and the other way round.
const TWO: &[&str] = &["both", "couple", "pair", "twice", "either", "double"];

/// What kind of fact was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactKind {
    /// A number, in digits or words.
    Number,
    /// A weekday or a month.
    Day,
    /// The name of a person, a place or an organisation.
    Name,
    /// How many words negate something.
    Negation,
    /// Whether the writer speaks of himself.
    Writer,
}

impl FactKind {
    /// Returns the kind in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Day => "day",
            Self::Name => "name",
            Self::Negation => "negation",
            Self::Writer => "the writer",
        }
    }
}

/// A fact that one text has and the other lacks. **Private**: it quotes a text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// Its kind.
    pub kind: FactKind,
    /// Its value.
    pub value: String,
}

/// Shows no text.
impl fmt::Debug for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fact({})", self.kind.describe())
    }
}

/// How the facts of a rewrite differ from those of its source. **Private**: it quotes the texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactChanges {
    /// Facts of the source that the rewrite lacks.
    pub lost: Vec<Fact>,
    /// Facts of the rewrite that the source does not have.
    pub invented: Vec<Fact>,
}

/// The facts of a text. **Private**: it holds words of the text.
///
/// ```
/// use inkveil_style::{FactKind, Facts};
///
/// let (source, rewrite) = ("Six tests depend on it.", "Six tests don't depend on it.");
/// let changes = Facts::of(source, []).changes(&Facts::of(rewrite, []));
/// assert_eq!(changes.invented[0].kind, FactKind::Negation);
/// ```
#[derive(Clone, Default)]
pub struct Facts {
    found: BTreeSet<Fact>,
    /// All words, in lower case. A name is invented only if the source has none of its words.
    words: BTreeSet<String>,
    negations: usize,
}

impl Facts {
    /// Finds the facts of a text. Names are found by detection.
    pub fn of<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        let words: Vec<String> =
            text.unicode_words().map(|word| word.to_lowercase().replace('\u{2019}', "'")).collect();
        let mut facts = Self::default();
        facts.numbers(&words);
        for (number, word) in words.iter().enumerate() {
            if DAYS.contains(&word.as_str()) {
                facts.add(FactKind::Day, word.clone());
            }
            if WRITER.contains(&word.as_str()) {
                facts.add(FactKind::Writer, "I".to_owned());
            }
            let next = words.get(number + 1).map(String::as_str);
            let negates = NEGATIONS.contains(&word.as_str()) || word.ends_with("n't");
            if negates && !next.is_some_and(|next| word == "not" && NOT_NEGATED.contains(&next)) {
                facts.negations += 1;
            }
        }
        for name in names {
            facts.add(FactKind::Name, name.to_lowercase());
        }
        facts.words = words.into_iter().collect();
        facts
    }

    /// Returns the facts of several parts together.
    pub(crate) fn of_all<'f>(parts: impl IntoIterator<Item = &'f Self>) -> Self {
        let mut all = Self::default();
        for Self { found, words, negations } in parts {
            all.found.extend(found.iter().cloned());
            all.words.extend(words.iter().cloned());
            all.negations += negations;
        }
        all
    }

    /// Returns how the facts of a rewrite differ from these.
    pub fn changes(&self, rewrite: &Self) -> FactChanges {
        let mut changes = FactChanges {
            lost: self.found.iter().filter(|fact| !rewrite.states(fact)).cloned().collect(),
            invented: rewrite.found.iter().filter(|fact| !self.states(fact)).cloned().collect(),
        };
        let (before, after) = (self.negations, rewrite.negations);
        // To leave out a "not" reverses a statement, so it is as bad as a new one.
        if before != after {
            changes.invented.push(Fact { kind: FactKind::Negation, value: format!("{before} → {after}") });
        }
        changes
    }

    /// Whether this text has a fact, perhaps in other words.
    pub(crate) fn states(&self, fact: &Fact) -> bool {
        let has = |word: &str| self.words.contains(word);
        self.found.contains(fact)
            || match fact.kind {
                FactKind::Number if fact.value == "2" => TWO.iter().any(|word| has(word)),
                FactKind::Name => {
                    let mut parts = fact.value.unicode_words().filter(|part| part.len() > 2).peekable();
                    parts.peek().is_some() && parts.any(has)
                }
                _ => false,
            }
    }

    fn add(&mut self, kind: FactKind, value: String) {
        self.found.insert(Fact { kind, value });
    }

    /// Adds numbers in digits and words: "1,200", "19th", "twenty-five", "2 million".
    fn numbers(&mut self, words: &[String]) {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let Some(mut value) = number(word) else { continue };
            // "twenty five": unicode_words cuts at the hyphen.
            let is_tens = word.chars().all(char::is_alphabetic) && (20.0..100.0).contains(&value);
            if let Some(ones) = words.get(at).and_then(|next| number_word(next)).filter(|ones| *ones < 10.0)
                && is_tens
            {
                value += ones;
                at += 1;
            }
            while let Some(times) = words.get(at).and_then(|next| multiplier(next)) {
                value *= times;
                at += 1;
            }
            // "One" is often a pronoun.
            if word != "one" || value > 1.0 {
                self.add(FactKind::Number, format!("{value}"));
            }
        }
    }
}

/// Shows no text.
impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts: BTreeMap<FactKind, usize> = BTreeMap::new();
        self.found.iter().for_each(|fact| *counts.entry(fact.kind).or_default() += 1);
        write!(f, "Facts({counts:?}, {} negations)", self.negations)
    }
}

/// Whether a word in lower case states a fact that a rewrite must not change: a number, a day, a negation or the writer.
pub(crate) fn is_fact(word: &str) -> bool {
    let word = &word.replace('\u{2019}', "'");
    number(word).is_some()
        || multiplier(word).is_some()
        || word.ends_with("n't")
        || [DAYS, NEGATIONS, WRITER].iter().any(|list| list.contains(&word.as_str()))
}

/// The names of people, places and organisations among spans.
pub fn names<'t>(text: &'t str, spans: &'t [Span]) -> impl Iterator<Item = &'t str> {
    let named = |span: &&Span| matches!(span.kind, Kind::Person | Kind::Organisation | Kind::Location);
    spans.iter().filter(named).filter_map(|span| text.get(span.range()))
}

fn number(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    match digits.starts_with(|c: char| c.is_ascii_digit()) {
        true => digits.replace(',', "").parse().ok(),
        false => number_word(word),
    }
}

fn number_word(word: &str) -> Option<f64> {
    let place = NUMBER_WORDS.iter().position(|known| *known == word)? + 1;
    Some(if place < 20 { place as f64 } else { 10.0 * (place - 18) as f64 })
}

fn multiplier(word: &str) -> Option<f64> {
    match word {
        "dozen" => Some(12.0),
        "hundred" => Some(1e2),
        "thousand" => Some(1e3),
        "million" => Some(1e6),
        "billion" => Some(1e9),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds of facts that a rewrite loses and invents. Names are marked as `*Name*`.
    fn changes(source: &str, rewrite: &str) -> (Vec<FactKind>, Vec<FactKind>) {
        let facts = |text: &str| {
            let names: Vec<&str> = text.split('*').skip(1).step_by(2).collect();
            Facts::of(&text.replace('*', ""), names)
        };
        let changes = facts(source).changes(&facts(rewrite));
        let kinds = |facts: &[Fact]| facts.iter().map(|fact| fact.kind).collect();
        (kinds(&changes.lost), kinds(&changes.invented))
    }

    #[test]
    fn changed_numbers_and_days_are_found() {
        use FactKind::{Day, Number};
        let (lost, invented) =
            changes("Six tests were deleted on 19 February.", "The eight were deleted on February 6.");
        assert_eq!(
            (lost, invented),
            (vec![Number], vec![Number]),
            "6 stands on both sides, for other things"
        );
        assert_eq!(changes("on Monday", "on Tuesday"), (vec![Day], vec![Day]));
        assert_eq!(changes("£1,200 for 25 people", "25 people paid 1200 pounds"), (vec![], vec![]));
        assert_eq!(changes("twenty-five and 2 million", "25 and two million"), (vec![], vec![]));
        assert_eq!(changes("two of them", "both of them"), (vec![], vec![]));
        assert_eq!(changes("one might ask", "you might ask"), (vec![], vec![]));
        assert_eq!(changes("the 3rd of May", "three"), (vec![], vec![]));
    }

    #[test]
    fn a_reversed_statement_is_found() {
        use FactKind::Negation;
        assert_eq!(changes("They depend on it.", "They don\u{2019}t depend on it.").1, [Negation]);
        assert_eq!(changes("It is not done.", "It is done.").1, [Negation]);
        assert_eq!(changes("It is probably still possible.", "It is considered impossible.").1, [Negation]);
        assert_eq!(changes("It was not only late.", "It was late.").1, []);
        assert_eq!(changes("He isn't here.", "He is not here.").1, []);
    }

    #[test]
    fn new_names_and_a_new_writer_are_inventions_and_other_forms_of_a_name_are_not() {
        use FactKind::{Name, Writer};
        assert_eq!(changes("Discarded the rest.", "I discarded the rest.").1, [Writer]);
        assert_eq!(changes("*Ana Novak* left.", "*Ms Novak* went away.").1, []);
        assert_eq!(changes("She left.", "*Eva Horak* left.").1, [Name]);
        assert_eq!(changes("*Ana Novak* left.", "She left."), (vec![Name], vec![]));
    }

    #[test]
    fn debug_output_shows_no_text() {
        let facts = Facts::of("Ana Novak paid 1234 on Monday", ["Ana Novak"]);
        let shown = format!("{facts:?} {:?}", facts.changes(&Facts::default()));
        assert!(!shown.contains("nov") && !shown.contains("1234") && !shown.contains("monday"), "{shown}");
    }
}
