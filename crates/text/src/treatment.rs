//! The treatment of a unit, and the choices about units that noise cannot treat.

use inkveil_detect::Kind;
use serde::Serialize;

use crate::choice::choice;

/// The treatment of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Treatment {
    /// The mechanism draws a word for it.
    Noise,
    /// It is replaced, with the rest of its span, by something that depends on its kind and shape
    /// only.
    Replaced(ReplacementReason),
    /// It belongs to the span that an earlier unit starts.
    Joined,
    /// It is kept, because its budget is infinite.
    Kept,
    /// It is punctuation and is kept.
    Punctuation,
    /// It is an ending such as 's or n't. It is kept and stays with its word.
    Clitic,
}

/// Why a unit is replaced instead of noised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplacementReason {
    /// Its budget is 0.
    Budget,
    /// It is a number or code. Its parts have no meaning, so noise on them would only garble it.
    Identifier,
    /// It is not in the lexicon and has no vector.
    Unknown,
}

impl ReplacementReason {
    /// Returns the reason in words.
    pub fn about(self) -> &'static str {
        match self {
            ReplacementReason::Budget => "the budget is 0",
            ReplacementReason::Identifier => "an identifier is replaced as a whole",
            ReplacementReason::Unknown => "not in the lexicon",
        }
    }
}

choice! {
    /// What replaces a unit whose budget is 0. It depends on nothing but what the receipt names.
    AtZero "way to replace" {
        /// A placeholder with the kind: `[person]`.
        #[default]
        Mask "mask",
        /// Nothing.
        Drop "drop",
        /// A surrogate of the same kind and shape.
        Surrogate "surrogate",
        /// What a local language model writes there, from the released text before it.
        Fill "fill",
    }
}

choice! {
    /// The scope within which the same name, number or code gets the same replacement. Noised words
    /// are not affected.
    ///
    /// Repetitions then remain visible in the release, and the receipt states it.
    Consistency "scope of consistent replacements" {
        /// None: each place is replaced independently.
        #[default]
        None "none",
        /// A document. Placeholders are numbered: `[person 1]`.
        Document "document",
        /// Everything that is released with one key. Placeholders have a code: `[person k7q2m]`.
        Job "job",
    }
}

choice! {
    /// Which replacements belong together. It matters for surrogates that are consistent within a
    /// document or job.
    Links "links between replacements" {
        /// None: each original has a surrogate of its own.
        None "none",
        /// Mentions of one person, organisation or place are forms of one identity.
        #[default]
        Names "names",
        /// Also dates, ages and amounts: they move together and keep their relations. They have no
        /// formal guarantee. Diseases, medications and jobs keep their topic and cities their size,
        /// unless a task does not need them.
        All "all",
        /// As all, and dates move by whole weeks, so that weekdays stay.
        Weekdays "weekdays",
    }
}

impl Links {
    /// Whether dates, ages and amounts move together.
    pub fn moves_values(self) -> bool {
        matches!(self, Self::All | Self::Weekdays)
    }
}

choice! {
    /// The treatment of numbers and codes with a finite budget.
    Identifiers "treatment of identifiers" {
        /// They are replaced as a whole, as at ε = 0.
        #[default]
        Replace "replace",
        /// Their parts are noised like words, as in the paper.
        Noise "noise",
    }
}

choice! {
    /// The treatment of punctuation.
    Punctuation "treatment of punctuation" {
        /// It is kept.
        #[default]
        Keep "keep",
        /// It is noised like words if it is in the lexicon, as in the paper.
        Noise "noise",
    }
}

/// Returns whether the words of such a span have a meaning of their own. All other kinds are
/// numbers or codes.
pub(crate) fn has_words(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Person
            | Kind::Title
            | Kind::Job
            | Kind::Trait
            | Kind::Organisation
            | Kind::Location
            | Kind::Address
            | Kind::Date
            | Kind::Health
            | Kind::Medication
            | Kind::Custom(_)
    ) || kind.is_special()
}

/// Returns whether a text is only punctuation. Emoji and other symbols are not, because they have a
/// meaning.
pub(crate) fn is_punctuation(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_ascii_punctuation()
            || matches!(c, '¡' | '¿' | '«' | '»' | '·' | '§' | '¶' | '´' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
                | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '，' | '！' | '？' | '：' | '；' | '（' | '）' | '．')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_has_no_meaning_of_its_own() {
        for text in [",", "...", "—", "“", "¿", "?!", "、"] {
            assert!(is_punctuation(text), "{text}");
        }
        for text in ["a", "7", "🙂", "♥", "€", "x,"] {
            assert!(!is_punctuation(text), "{text}");
        }
    }

    #[test]
    fn names_can_be_parsed() {
        for choice in AtZero::ALL {
            assert_eq!(choice.name().parse(), Ok(choice));
        }
        assert!("masks".parse::<AtZero>().unwrap_err().to_string().contains("did you mean \"mask\""));
    }
}
