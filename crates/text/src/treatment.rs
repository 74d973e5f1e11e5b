//! What becomes of a unit, and the choices about what noise cannot treat.

use std::str::FromStr;

use inkveil_detect::Kind;
use inkveil_settings::UnknownName;
use serde::Serialize;

/// What becomes of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Treatment {
    /// The mechanism draws a word.
    Noise,
    /// It is replaced without looking at it, with the rest of its span.
    Replaced(Why),
    /// It is part of the span that the unit before it begins.
    Joined,
    /// It stays as it is: its budget is infinite.
    Kept,
    /// It is punctuation, and stays.
    Punctuation,
}

/// Why a unit is replaced instead of noised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Its budget is 0.
    Budget,
    /// It is a number or code whose parts mean nothing, so noise on them would only garble it.
    Identifier,
    /// The lexicon does not know it, so it has no vector.
    Unknown,
}

impl Why {
    /// In words.
    pub fn about(self) -> &'static str {
        match self {
            Why::Budget => "the budget is 0",
            Why::Identifier => "an identifier is replaced whole",
            Why::Unknown => "not in the lexicon",
        }
    }
}

macro_rules! choice {
    ($(#[$doc:meta])* $type:ident $what:literal { $($(#[$about:meta])* $variant:ident $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $type {
            $($(#[$about])* $variant,)*
        }

        impl $type {
            /// All of them.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];

            /// Its name in settings.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                let found = Self::ALL.iter().find(|choice| choice.name() == name);
                found.copied().ok_or_else(|| UnknownName::new($what, name, Self::ALL.iter().map(|c| c.name())))
            }
        }
    };
}

choice! {
    /// What is written where the budget is 0. None of them depends on what stood there beyond what the receipt names.
    AtZero "way to replace" {
        /// A placeholder with the kind: `[person]`.
        #[default]
        Mask "mask",
        /// Nothing.
        Drop "drop",
        /// A fresh value of the same kind and format.
        Surrogate "surrogate",
        /// What a local language model writes there, from the text that is released around it.
        Fill "fill",
    }
}

choice! {
    /// Where the same name, number or code is replaced by the same. Only what is replaced is concerned; noised words never are.
    ///
    /// Whoever sees the release then sees which places speak of the same: the receipt says so.
    Consistency "scope of consistent replacements" {
        /// Nowhere: each place is replaced by itself.
        #[default]
        None "none",
        /// Within a document: placeholders are numbered, `[person 1]`.
        Document "document",
        /// Within everything that is released with one key: placeholders carry a code, `[person k7q2m]`.
        Job "job",
    }
}

choice! {
    /// What becomes of numbers and codes with a finite budget.
    Identifiers "treatment of identifiers" {
        /// They are replaced whole, as at ε = 0.
        #[default]
        Replace "replace",
        /// Their parts are noised like words: the paper's way.
        Noise "noise",
    }
}

choice! {
    /// What becomes of punctuation.
    Punctuation "treatment of punctuation" {
        /// It stays.
        #[default]
        Keep "keep",
        /// It is noised like words where the lexicon knows it: the paper's way.
        Noise "noise",
    }
}

/// Whether the words of such a span mean something one by one. Everything else is a number or code.
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
    )
}

/// Whether a text is nothing but punctuation. Pictures and other symbols are not: they say something.
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
    fn punctuation_is_what_says_nothing_by_itself() {
        for text in [",", "...", "—", "“", "¿", "?!", "、"] {
            assert!(is_punctuation(text), "{text}");
        }
        for text in ["a", "7", "🙂", "♥", "€", "x,"] {
            assert!(!is_punctuation(text), "{text}");
        }
    }

    #[test]
    fn names_lead_back() {
        for choice in AtZero::ALL {
            assert_eq!(choice.name().parse(), Ok(*choice));
        }
        assert!("masks".parse::<AtZero>().unwrap_err().to_string().contains("did you mean \"mask\""));
    }
}
