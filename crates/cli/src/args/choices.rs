//! Choices among values of the library, each with its name and a line of help; and numbers in a range.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use inkveil::detect::{Tier, Unsupported};
use inkveil::lexicon::LexiconKind;

/// Accepts one of these names. Each has its help and the value that it stands for.
pub(super) fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    choices: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let values = choices.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).try_map(move |chosen| {
        let value = choices.iter().find(|(name, ..)| *name == chosen).map(|(.., value)| *value);
        value.ok_or("there is no such choice")
    })
}

/// The effort per text.
pub(super) fn tiers() -> impl TypedValueParser<Value = Tier> {
    named([
        ("rules", "Rules and lists: fast, works in any language, misses most names", Tier::Rules),
        ("fast", "Rules, lists and a small tagger", Tier::Fast),
        ("accurate", "Rules, lists and a large tagger: slower, finds more", Tier::Accurate),
    ])
}

/// The treatment of languages without a tagger.
pub(super) fn unsupported() -> impl TypedValueParser<Value = Unsupported> {
    named([
        ("refuse", "Stop with an error", Unsupported::Refuse),
        ("rules", "Use rules and lists alone", Unsupported::Rules),
        ("warn", "Use a tagger of other languages too, and print a warning", Unsupported::Warn),
    ])
}

/// The kinds of lexicons.
pub(super) fn lexicons() -> impl TypedValueParser<Value = LexiconKind> {
    named([
        ("subword", "The tokens of the model's tokenizer", LexiconKind::Subword),
        ("words", "Whole words", LexiconKind::Words),
    ])
}

fn number<T: FromStr>(text: &str, fits: impl Fn(&T) -> bool, advice: &str) -> Result<T, String> {
    text.parse().ok().filter(fits).ok_or_else(|| advice.to_owned())
}

/// A share, 0 and 1 included.
pub(super) fn share<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    number(text, |number| (T::from(0)..=T::from(1)).contains(number), "write a number from 0 to 1")
}

/// A share that is neither 0 nor 1.
pub(super) fn open_share(text: &str) -> Result<f64, String> {
    number(text, |number| *number > 0.0 && *number < 1.0, "write a number between 0 and 1, such as 0.05")
}

/// A cosine.
pub(super) fn cosine(text: &str) -> Result<f64, String> {
    number(text, |number| (-1.0..=1.0).contains(number), "write a number from -1 to 1")
}
