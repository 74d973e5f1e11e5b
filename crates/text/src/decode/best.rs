//! The likeliest words of a released text.
//!
//! # Search
//!
//! A path chooses a candidate w for each noised place. Its score is the sum of the logarithms of the
//! channel (how likely the observation is, given w), of the case and of the prior P₂ of each symbol
//! after the one before it. Viterbi's algorithm finds the best path over the candidates exactly. Time
//! and memory grow linearly with the text.
//!
//! # What is left out
//!
//! The candidates are not the whole vocabulary. For every entry that is left out, channel plus log P₁
//! is at most the observation's `rest`. One more state stands for all of them, with bounds for scores:
//! after u it has at most `rest` + [`lift`](WordPrior::lift)(u), and a symbol v after it has at most
//! [`highest`](WordPrior::highest)(v). So the best path over the candidates and this state bounds every
//! path over the whole vocabulary from above. [`Decoded::gap`] is by how much it exceeds the path that
//! was found. At 0, no path over the whole vocabulary has a better score.

use inkveil_lexicon::{PriorSymbol, WordPrior};

use super::released::{Released, Shown};

/// The words of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decoded {
    /// The entry of each noised unit.
    pub(crate) entries: Vec<u32>,
    /// By how much a path over the whole vocabulary may exceed the best one over the candidates.
    pub(crate) gap: f32,
}

/// A candidate at a place.
#[derive(Debug, Clone, Copy)]
struct State {
    symbol: PriorSymbol,
    entry: Option<u32>,
    /// Channel and case.
    own: f32,
}

/// A place of the text.
#[derive(Debug)]
struct Place {
    states: Vec<State>,
    /// The bound for entries that are left out; none at a known symbol.
    rest: Option<f32>,
}

/// Returns the likeliest words.
pub(crate) fn decode(released: &Released<'_>, prior: &WordPrior) -> Decoded {
    let places = places(released, prior);
    let mut search = Viterbi::new(prior);
    places.iter().for_each(|place| search.step(place));
    Decoded { entries: search.path(&places), gap: search.gap() }
}

fn places(released: &Released<'_>, prior: &WordPrior) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(released.shown.len());
    let mut after_break = true;
    for shown in &released.shown {
        let place = match shown {
            Shown::Symbol(symbol) => {
                Place { states: vec![State { symbol: *symbol, entry: None, own: 0.0 }], rest: None }
            }
            Shown::Noised(seen, casing) => {
                let state = |(entry, log): &(u32, f32)| State {
                    symbol: PriorSymbol::word(*entry).unwrap_or(PriorSymbol::UNKNOWN),
                    entry: Some(*entry),
                    own: *log + prior.fits_case(*entry, *casing, after_break),
                };
                Place { states: seen.likely.iter().map(state).collect(), rest: Some(seen.rest) }
            }
        };
        after_break = matches!(shown, Shown::Symbol(PriorSymbol::BREAK));
        places.push(place);
    }
    places
}

/// The search so far. Scores are relative to the best one, so that long texts lose no precision.
struct Viterbi<'p> {
    prior: &'p WordPrior,
    /// The symbols of the last place.
    last: Vec<PriorSymbol>,
    /// The score of the best path to each of its states.
    scores: Vec<f32>,
    /// The same with the state for everything that is left out, and the score of that state.
    bounds: Vec<f32>,
    other: f32,
    /// For each place, where the best path to each state comes from.
    origins: Vec<Vec<u8>>,
}

impl<'p> Viterbi<'p> {
    fn new(prior: &'p WordPrior) -> Self {
        let none = f32::NEG_INFINITY;
        Self {
            prior,
            last: Vec::new(),
            scores: Vec::new(),
            bounds: Vec::new(),
            other: none,
            origins: Vec::new(),
        }
    }

    /// Extends all paths by a place.
    fn step(&mut self, place: &Place) {
        let prior = self.prior;
        let mut scores = Vec::with_capacity(place.states.len());
        let mut bounds = Vec::with_capacity(place.states.len());
        let mut origins = Vec::with_capacity(place.states.len());
        for state in &place.states {
            // The first place has nothing before it.
            let (mut best, mut origin, mut bound) = match self.last.is_empty() {
                true => (0.0, 0, 0.0),
                false => (f32::NEG_INFINITY, 0, self.other + prior.highest(state.symbol)),
            };
            for (at, before) in self.last.iter().enumerate() {
                let step = prior.pair(*before, state.symbol);
                if self.scores[at] + step > best {
                    (best, origin) = (self.scores[at] + step, at as u8);
                }
                bound = bound.max(self.bounds[at] + step);
            }
            scores.push(best + state.own);
            bounds.push(bound + state.own);
            origins.push(origin);
        }
        self.other = match place.rest {
            None => f32::NEG_INFINITY,
            Some(rest) => {
                let after =
                    self.last.iter().zip(&self.bounds).map(|(before, score)| score + prior.lift(*before));
                largest(after).max(self.other + prior.largest_lift()) + rest
            }
        };
        let best = largest(scores.iter().copied());
        if best.is_finite() {
            scores.iter_mut().chain(&mut bounds).for_each(|score| *score -= best);
            self.other -= best;
        }
        self.last.clear();
        self.last.extend(place.states.iter().map(|state| state.symbol));
        (self.scores, self.bounds) = (scores, bounds);
        self.origins.push(origins);
    }

    fn gap(&self) -> f32 {
        let best = largest(self.scores.iter().copied());
        let bound = largest(self.bounds.iter().copied()).max(self.other);
        if best.is_finite() { (bound - best).max(0.0) } else { 0.0 }
    }

    /// Returns the entries of the best path. Of equal paths the first is taken.
    fn path(&self, places: &[Place]) -> Vec<u32> {
        let mut entries = Vec::with_capacity(places.len());
        let best =
            (0..self.scores.len()).max_by(|&a, &b| self.scores[a].total_cmp(&self.scores[b]).then(b.cmp(&a)));
        let mut at = best.unwrap_or(0);
        for (place, origins) in places.iter().zip(&self.origins).rev() {
            entries.extend(place.states.get(at).and_then(|state| state.entry));
            at = origins.get(at).copied().unwrap_or(0).into();
        }
        entries.reverse();
        entries
    }
}

fn largest(numbers: impl Iterator<Item = f32>) -> f32 {
    numbers.fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use inkveil_lexicon::{Lexicon, PriorBuilder};
    use inkveil_privacy::{Epsilon, NoiseAddress, NoiseKey};
    use proptest::prelude::*;

    use super::*;
    use crate::mechanism::tests::small;
    use crate::mechanism::{LikelyOriginals, MechanismName, MechanismSettings, Observation, Token};

    const TEXTS: [&str; 6] = [
        "ant bee cat. ant bee cat dog",
        "ant bee cat, ant bee dog",
        "Elm fir ivy. The elm fir ivy hen",
        "gnu hen ivy ant",
        "bee bee bee bee",
        "a Dog, a Dog: elm, elm gnu",
    ];

    fn prior(lexicon: &Lexicon) -> WordPrior {
        let mut builder = PriorBuilder::new(lexicon).unwrap();
        TEXTS.iter().for_each(|text| builder.add(text).unwrap());
        builder.build(1)
    }

    /// The channel of every entry, up to a constant that all share.
    fn observed(
        lexicon: &Arc<Lexicon>,
        name: MechanismName,
        ids: &[u32],
        epsilon: f64,
        seed: u64,
    ) -> Vec<Observation> {
        let mechanism = MechanismSettings::of(name).build(lexicon.clone()).unwrap();
        let likely = LikelyOriginals::new(lexicon.clone(), Arc::new(prior(lexicon))).unwrap();
        let epsilon = Epsilon::new(epsilon).unwrap();
        let token = |(at, &id): (usize, &u32)| Token { id, epsilon, place: NoiseAddress::record(at as u64) };
        let tokens: Vec<Token> = ids.iter().enumerate().map(token).collect();
        mechanism.observe(&tokens, &NoiseKey::insecure_from_seed(seed), &likely).unwrap().unwrap()
    }

    /// Keeps the first candidates of an observation, and moves the others to the bound.
    fn cut(seen: &Observation, keep: usize, prior: &WordPrior) -> Observation {
        let both = |(id, log): &(u32, f32)| log + prior.single(PriorSymbol::word(*id).unwrap());
        let rest = seen.likely.iter().skip(keep).map(both).fold(seen.rest, f32::max);
        Observation { likely: seen.likely.iter().take(keep).copied().collect(), rest }
    }

    fn shown<'o>(seen: &'o [Observation]) -> Released<'o> {
        let mut shown = vec![Shown::Symbol(PriorSymbol::BREAK)];
        shown.extend(seen.iter().map(|seen| Shown::Noised(seen, None)));
        shown.push(Shown::Symbol(PriorSymbol::BREAK));
        Released { shown }
    }

    /// The score of the best of all paths.
    fn full(places: &[Place], prior: &WordPrior) -> f32 {
        let mut last: Vec<(PriorSymbol, f32)> = vec![(PriorSymbol::BREAK, 0.0)];
        for place in &places[1..] {
            let score = |state: &State| {
                let each = last.iter().map(|(before, score)| score + prior.pair(*before, state.symbol));
                (state.symbol, largest(each) + state.own)
            };
            last = place.states.iter().map(score).collect();
        }
        largest(last.into_iter().map(|(_, score)| score))
    }

    /// The score of chosen entries.
    fn score(places: &[Place], entries: &[u32], prior: &WordPrior) -> f32 {
        let mut entries = entries.iter();
        let mut before = PriorSymbol::BREAK;
        let mut sum = 0.0;
        for place in &places[1..] {
            let wanted = place.rest.and_then(|_| entries.next());
            let state = place.states.iter().find(|state| state.entry.as_ref() == wanted).unwrap();
            sum += prior.pair(before, state.symbol) + state.own;
            before = state.symbol;
        }
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        /// The bound on what the candidates leave out, against a search over the whole vocabulary.
        #[test]
        fn no_path_over_the_whole_vocabulary_exceeds_the_bound(
            ids in proptest::collection::vec(0..9_u32, 1..7), keep in 1..6_usize, epsilon in 0.5..12.0_f64, seed: u64
        ) {
            let lexicon = small();
            let prior = prior(&lexicon);
            for name in [MechanismName::Polar, MechanismName::Exponential, MechanismName::RandomizedResponse] {
                let all = observed(&lexicon, name, &ids, epsilon, seed);
                prop_assume!(all.iter().all(|seen| seen.likely.len() == 9));
                let few: Vec<Observation> = all.iter().map(|seen| cut(seen, keep, &prior)).collect();
                let whole = full(&places(&shown(&all), &prior), &prior);
                let narrowed = places(&shown(&few), &prior);
                let decoded = decode(&shown(&few), &prior);
                let found = score(&narrowed, &decoded.entries, &prior);
                prop_assert!((found - full(&narrowed, &prior)).abs() < 1e-3, "the best path is found");
                let gap = decoded.gap;
                prop_assert!(found <= whole + 1e-3);
                prop_assert!(whole <= found + gap + 1e-3, "{name}: {whole} > {found} + {gap}");
            }
        }

        #[test]
        fn every_noised_word_is_decoded(ids in proptest::collection::vec(0..9_u32, 0..40), seed: u64) {
            let lexicon = small();
            let prior = prior(&lexicon);
            let seen = observed(&lexicon, MechanismName::Polar, &ids, 6.0, seed);
            prop_assert_eq!(decode(&shown(&seen), &prior).entries.len(), ids.len());
        }
    }

    #[test]
    fn with_little_noise_every_word_is_found() {
        let lexicon = small();
        let prior = prior(&lexicon);
        let ids: Vec<u32> = (0..9).chain(0..9).collect();
        for name in [MechanismName::Polar, MechanismName::LaplaceL2, MechanismName::Purkayastha] {
            let decoded = decode(&shown(&observed(&lexicon, name, &ids, 20_000.0, 1)), &prior);
            assert_eq!((decoded.entries, decoded.gap), (ids.clone(), 0.0), "{name}");
        }
    }

    #[test]
    fn neighbours_decide_between_words_that_are_equally_near() {
        let lexicon = small();
        let prior = prior(&lexicon);
        let [ant, bee, cat, gnu] = ["ant", "bee", "cat", "gnu"].map(|word| lexicon.find(word).unwrap());
        let seen = |likely: &[u32]| Observation {
            likely: likely.iter().map(|id| (*id, 0.0)).collect(),
            rest: -50.0,
        };
        let seen = [seen(&[ant]), seen(&[gnu, bee]), seen(&[gnu, cat])];
        assert_eq!(decode(&shown(&seen), &prior).entries, [ant, bee, cat]);
    }

    #[test]
    fn long_texts_without_a_break_are_decoded() {
        let lexicon = small();
        let prior = prior(&lexicon);
        let ids: Vec<u32> = (0..2_000).map(|at| at % 9).collect();
        let seen = observed(&lexicon, MechanismName::Polar, &ids, 200.0, 3);
        let entries = decode(&shown(&seen), &prior).entries;
        assert_eq!(entries.len(), ids.len());
        let same = entries.iter().zip(&ids).filter(|(a, b)| a == b).count();
        assert!(same > 1_800, "{same}");
    }

    #[test]
    fn nothing_is_decoded_from_nothing() {
        let lexicon = small();
        assert_eq!(decode(&shown(&[]), &prior(&lexicon)).entries, Vec::<u32>::new());
    }
}
