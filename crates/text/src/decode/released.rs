//! What a release shows of a text, as a decoder sees it.

use inkveil_lexicon::{Casing, CasingPolicy, PriorSymbol};

use super::{Shows, is_noised};
use crate::curves_in_context::WordInContext;
use crate::mechanism::Observation;
use crate::plan::{NUMBER, TextPlan};
use crate::treatment::has_words;
use crate::{AtZero, Treatment};

/// What a release shows of a text, from break to break. It has no other part of the text: a noised
/// unit is its observation and its case, a replaced one is its class, and kept text is released as it
/// is.
#[derive(Debug, PartialEq)]
pub(crate) struct Released<'o> {
    pub(super) shown: Vec<Shown<'o>>,
}

/// What a release shows at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shown<'o> {
    /// Kept text, punctuation or the class of a replacement.
    Symbol(PriorSymbol),
    /// A noised unit, and its case if the release shows it.
    Noised(&'o Observation, Option<Casing>),
}

impl<'o> Released<'o> {
    /// Reads a plan. There is one observation for each noised unit.
    ///
    /// The units of a plan hold originals. This reads only what the [layout](crate::Layout) states, and
    /// text with ε = ∞.
    pub(crate) fn of(plan: &TextPlan<'_>, shows: Shows, observed: &'o [Observation]) -> Self {
        let mut released = Self { shown: vec![Shown::Symbol(PriorSymbol::BREAK)] };
        let mut observed = observed.iter();
        let text = plan.text();
        let mut end = 0;
        for (index, unit) in plan.units.iter().enumerate() {
            // The text before a joined unit is covered by the replacement.
            let gap = text.get(end..unit.range.start).unwrap_or_default();
            end = unit.range.end;
            if unit.treatment == Treatment::Joined {
                continue;
            }
            released.push(PriorSymbol::breaks(gap).then_some(PriorSymbol::BREAK));
            match unit.treatment {
                _ if is_noised(unit.treatment, unit.id) => {
                    let casing = match shows.casing {
                        CasingPolicy::AsOriginal => casing(plan, index),
                        CasingPolicy::AsVocabulary => None,
                    };
                    released.shown.extend(observed.next().map(|seen| Shown::Noised(seen, casing)));
                }
                Treatment::Kept | Treatment::Punctuation | Treatment::Clitic => {
                    let word = unit.id.and_then(PriorSymbol::word);
                    let written = || PriorSymbol::of_text(text.get(unit.range.clone()).unwrap_or_default());
                    released.push(word.or_else(written));
                }
                Treatment::Replaced(_) if shows.at_zero == AtZero::Drop => {}
                Treatment::Replaced(_) | Treatment::Noise | Treatment::Joined => {
                    let is_number = plan.label(index) == NUMBER
                        || unit.kind.as_ref().is_some_and(|kind| !has_words(kind));
                    released.push(Some(match (is_number, unit.kind.is_some()) {
                        (true, _) => PriorSymbol::NUMBER,
                        (false, true) => PriorSymbol::NAME,
                        (false, false) => PriorSymbol::UNKNOWN,
                    }));
                }
            }
        }
        released.push(Some(PriorSymbol::BREAK));
        released
    }

    /// Reads a word among neighbours, all noised. There is one observation for each word.
    pub(crate) fn in_context(
        context: &WordInContext,
        own: PriorSymbol,
        observed: &mut impl Iterator<Item = &'o Observation>,
    ) -> Self {
        let before = context.before.iter().map(|symbol| (*symbol, None));
        let after = context.after.iter().map(|symbol| (*symbol, None));
        let mut released = Self { shown: vec![Shown::Symbol(PriorSymbol::BREAK)] };
        for (symbol, casing) in before.chain([(own, Some(context.casing))]).chain(after) {
            match symbol.is_word() {
                true => released.shown.extend(observed.next().map(|seen| Shown::Noised(seen, casing))),
                false => released.push(Some(symbol)),
            }
        }
        released.push(Some(PriorSymbol::BREAK));
        released
    }

    /// Appends a symbol. Several breaks in a row are one.
    fn push(&mut self, symbol: Option<PriorSymbol>) {
        let repeated = matches!(self.shown.last(), Some(Shown::Symbol(PriorSymbol::BREAK)))
            && symbol == Some(PriorSymbol::BREAK);
        self.shown.extend(symbol.filter(|_| !repeated).map(Shown::Symbol));
    }
}

/// Returns the case of the word that a unit belongs to, as rendering writes it.
fn casing(plan: &TextPlan<'_>, index: usize) -> Option<Casing> {
    let units = plan.alignment.units();
    let begins = |unit: &inkveil_lexicon::TextUnit| unit.starts_word();
    let first = units.get(..=index)?.iter().rposition(begins).unwrap_or(0);
    let after = units.get(index + 1..)?.iter().position(begins).map_or(units.len(), |more| index + 1 + more);
    let word: String = units.get(first..after)?.iter().map(|unit| &plan.text()[unit.range()]).collect();
    Casing::of(&word)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::OnceLock;

    use inkveil_privacy::{NoiseAddress, NoiseKey};
    use proptest::prelude::*;

    use super::*;
    use crate::decode::JointDecoder;
    use crate::mechanism::Token;
    use crate::{Budget, Decoding, Document, TextSettings, TextVeil};

    fn pack() -> PathBuf {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"))
    }

    /// A veil that noises, replaces and keeps words.
    fn veil() -> &'static TextVeil {
        static VEIL: OnceLock<TextVeil> = OnceLock::new();
        VEIL.get_or_init(|| {
            let settings = TextSettings {
                lexicon: Some(inkveil_lexicon::LexiconKind::Words),
                tasks: vec!["knee".to_owned()],
                decoding: Some(Decoding::Joint),
                budget: Budget::Each("0,0,inf,70".parse().unwrap()),
                ..TextSettings::default()
            };
            TextVeil::open(&pack(), settings).unwrap()
        })
    }

    fn decoder() -> &'static JointDecoder {
        static DECODER: OnceLock<JointDecoder> = OnceLock::new();
        DECODER.get_or_init(|| {
            let settings = veil().settings();
            JointDecoder::open(&pack(), veil().lexicon(), settings).unwrap().unwrap()
        })
    }

    fn observe(plan: &TextPlan<'_>, seed: u64) -> Vec<Observation> {
        let noised = plan.units.iter().zip(0..).filter(|(unit, _)| is_noised(unit.treatment, unit.id));
        let token = |(unit, at): (&crate::PlannedUnit, u64)| Token {
            id: unit.id.unwrap(),
            epsilon: unit.epsilon,
            place: NoiseAddress::record(0).position(at),
        };
        let tokens: Vec<Token> = noised.map(token).collect();
        let key = NoiseKey::insecure_from_seed(seed);
        veil().mechanism().observe(&tokens, &key, decoder().likely()).unwrap().unwrap()
    }

    /// Ordinary words of one case. Words of other groups would give other layouts.
    fn word() -> impl Strategy<Value = &'static str> {
        const WORDS: [&str; 20] = [
            "table", "window", "slowly", "garden", "yellow", "bridge", "often", "paper", "wrote", "carried",
            "song", "heavy", "train", "under", "letter", "green", "opened", "market", "quiet", "stone",
        ];
        proptest::sample::select(&WORDS[..])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, max_global_rejects: 400, ..ProptestConfig::default() })]

        /// Decoding depends on noised values and on what is released, and on nothing else: two texts
        /// with one layout, the same kept words and the same noisy vectors give the same bytes.
        #[test]
        fn texts_with_the_same_noise_and_layout_give_the_same_bytes(
            pairs in proptest::collection::vec((word(), word()), 3..9), comma: bool, seed: u64
        ) {
            let write = |words: Vec<&str>| {
                let gap = if comma { ", knee " } else { " knee. " };
                format!("Then {}{gap}{}", words[..2].join(" "), words[2..].join(" "))
            };
            let one = write(pairs.iter().map(|pair| pair.0).collect());
            let other = write(pairs.iter().map(|pair| pair.1).collect());
            let plans = veil().plan(&[Document::new(&one), Document::new(&other)]).unwrap();
            // A kept word is released as it is, so it may differ only if the release does.
            let kept = |plan: &TextPlan<'_>| -> Vec<Option<u32>> {
                let units = plan.units.iter().filter(|unit| unit.treatment == Treatment::Kept);
                units.map(|unit| unit.id).collect()
            };
            prop_assume!(kept(&plans[0]) == kept(&plans[1]));
            prop_assume!(veil().layout(&plans[0]) == veil().layout(&plans[1]));
            let seen = observe(&plans[0], seed);
            let shows = Shows::of(veil().settings());
            let released = plans.iter().map(|plan| Released::of(plan, shows, &seen));
            let released: Vec<Released<'_>> = released.collect();
            prop_assert_eq!(&released[0], &released[1]);
            let texts: Vec<String> = plans
                .iter()
                .map(|plan| {
                    let mut decoded = decoder().decode(plan, &seen).into_iter();
                    let replacements: Vec<inkveil_lexicon::Replacement> = plan
                        .units
                        .iter()
                        .map(|unit| match unit.treatment {
                            Treatment::Noise => inkveil_lexicon::Replacement::Entry(decoded.next().unwrap()),
                            Treatment::Replaced(_) => inkveil_lexicon::Replacement::Text("[x]".to_owned()),
                            Treatment::Joined => inkveil_lexicon::Replacement::Joined,
                            _ => inkveil_lexicon::Replacement::Keep,
                        })
                        .collect();
                    let style = inkveil_lexicon::RenderStyle::default();
                    veil().lexicon().render(&plan.alignment, &replacements, &style).unwrap()
                })
                .collect();
            prop_assert_eq!(&texts[0], &texts[1]);
        }
    }

    #[test]
    fn replaced_units_show_their_class_only() {
        let text = "Call Ana Novak at +351 912 345 678 about the knee.";
        let plans = veil().plan(&[Document::new(text)]).unwrap();
        let seen = observe(&plans[0], 1);
        let released = Released::of(&plans[0], Shows::of(veil().settings()), &seen);
        let symbols = released.shown.iter().filter_map(|shown| match shown {
            Shown::Symbol(symbol) => Some(*symbol),
            Shown::Noised(..) => None,
        });
        let knee = PriorSymbol::word(veil().lexicon().find("knee").unwrap()).unwrap();
        let symbols: Vec<PriorSymbol> = symbols.collect();
        assert_eq!(
            symbols,
            [PriorSymbol::BREAK, PriorSymbol::NAME, PriorSymbol::NUMBER, knee, PriorSymbol::BREAK]
        );
    }

    #[test]
    fn the_case_counts_only_if_it_is_released() {
        let plans = veil().plan(&[Document::new("they opened the Garden")]).unwrap();
        let seen = observe(&plans[0], 1);
        let casings = |casing| {
            let shows = Shows { casing, at_zero: AtZero::Mask };
            let released = Released::of(&plans[0], shows, &seen);
            let all: Vec<Option<Casing>> = released
                .shown
                .iter()
                .filter_map(|shown| match shown {
                    Shown::Noised(_, casing) => Some(*casing),
                    Shown::Symbol(_) => None,
                })
                .collect();
            all
        };
        assert!(casings(CasingPolicy::AsOriginal).contains(&Some(Casing::Capital)));
        assert!(casings(CasingPolicy::AsVocabulary).iter().all(Option::is_none));
    }
}
