//! The likeliest words of a released text.
//!
//! # Search
//!
//! A path chooses a candidate w for each noised place. Its score is the sum of the logarithms of the
//! channel (how likely the observation is, given w), of the case and of the prior P₂ of each symbol
//! after the one before it. Viterbi's algorithm finds the best path over the candidates exactly. Then
//! the best few candidates of each place, by the score of the best path through them, are compared
//! again with the prior P₃ over three symbols.
//!
//! # What is left out
//!
//! The candidates are not the whole vocabulary. For every entry that is left out, channel plus log P₁
//! is at most the observation's `rest`. One more state stands for all of them, with bounds for scores:
//! after u it has at most `rest` + [`lift`](WordPrior::lift)(u), and a symbol v after it has at most
//! [`highest`](WordPrior::highest)(v). So the best path over the candidates and this state bounds every
//! path over the whole vocabulary from above. [`Decoded::gap`] is by how much it exceeds the path that
//! was found. At 0, no path over the whole vocabulary has a better score.

use inkveil_lexicon::{Casing, PriorSymbol, WordPrior};

use super::released::{Released, Shown};

/// The number of candidates that are compared with the prior over three symbols.
const COMPARED: usize = 6;

/// A candidate this much worse than the best of its place is not compared again.
const FAR: f32 = 12.0;

/// The most places between two known symbols that are searched together. Longer runs of noised words
/// are cut, so that memory stays bounded.
const LONGEST_RUN: usize = 512;

/// The words of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decoded {
    /// The entry of each noised unit.
    pub(crate) entries: Vec<u32>,
    /// By how much a path over the whole vocabulary may exceed the best one over the candidates, by
    /// channel, case and P₂. Measured in tests; a run that was cut counts each part.
    #[cfg_attr(not(test), expect(dead_code, reason = "the bound is tested against the full search"))]
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

impl Place {
    fn known(symbol: PriorSymbol) -> Self {
        Self { states: vec![State { symbol, entry: None, own: 0.0 }], rest: None }
    }
}

/// Returns the likeliest words.
pub(crate) fn decode(released: &Released<'_>, prior: &WordPrior) -> Decoded {
    let mut places = places(released, prior);
    let mut gap = 0.0;
    let known = |place: &Place| place.rest.is_none();
    // Between two known symbols, places depend on each other and on nothing else.
    let mut start = 0;
    while start + 1 < places.len() {
        let run = places[start + 1..].iter().take_while(|place| !known(place)).count();
        let cut = run.min(LONGEST_RUN);
        let end = start + 1 + cut;
        if cut > 0 {
            let last = (end + 1).min(places.len());
            gap += narrow(&mut places[start..last], prior);
        }
        if run > cut {
            // The last place of the part is decided, and the next part starts with it.
            if let Some(best) = places[end - 1].states.first().copied() {
                places[end - 1].states = vec![best];
            }
            start = end - 1;
        } else {
            start = end;
        }
    }
    Decoded { entries: compare(&places, prior), gap }
}

fn places(released: &Released<'_>, prior: &WordPrior) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(released.shown.len());
    for shown in &released.shown {
        let place = match shown {
            Shown::Symbol(symbol) => Place::known(*symbol),
            Shown::Noised(seen, casing) => {
                let after_break = matches!(places.last(), Some(Place { states, rest: None })
                    if states.first().is_some_and(|state| state.symbol == PriorSymbol::BREAK));
                let state = |(entry, log): &(u32, f32)| State {
                    symbol: PriorSymbol::word(*entry).unwrap_or(PriorSymbol::UNKNOWN),
                    entry: Some(*entry),
                    own: *log + fits(prior, *entry, *casing, after_break),
                };
                Place { states: seen.likely.iter().map(state).collect(), rest: Some(seen.rest) }
            }
        };
        places.push(place);
    }
    places
}

fn fits(prior: &WordPrior, entry: u32, casing: Option<Casing>, after_break: bool) -> f32 {
    prior.fits_case(entry, casing, after_break)
}

/// Finds the best path over the candidates between the first and the last place, and keeps the best
/// candidates of the places between them, best first. Returns the bound on what is left out.
fn narrow(places: &mut [Place], prior: &WordPrior) -> f32 {
    let steps: Vec<Vec<f32>> = places.windows(2).map(|near| transitions(&near[0], &near[1], prior)).collect();
    let (forward, gap) = forward(places, &steps, prior);
    let backward = backward(places, &steps);
    let inner = places.len().saturating_sub(1);
    for (at, place) in places.iter_mut().enumerate().take(inner).skip(1) {
        let through: Vec<f32> = forward[at].iter().zip(&backward[at]).map(|(a, b)| a + b).collect();
        let mut order: Vec<usize> = (0..place.states.len()).collect();
        order.sort_by(|&a, &b| through[b].total_cmp(&through[a]).then(a.cmp(&b)));
        let best = order.first().map_or(0.0, |&best| through[best]);
        order.retain(|&at| through[at] > best - FAR);
        place.states = order.into_iter().take(COMPARED).map(|at| place.states[at]).collect();
    }
    gap
}

/// Returns log P₂ of each state of a place after each state of the place before it, state by state.
fn transitions(from: &Place, to: &Place, prior: &WordPrior) -> Vec<f32> {
    let after = |state: &State| {
        let symbol = state.symbol;
        from.states.iter().map(move |before| prior.pair(before.symbol, symbol))
    };
    to.states.iter().flat_map(after).collect()
}

fn largest(numbers: impl Iterator<Item = f32>) -> f32 {
    numbers.fold(f32::NEG_INFINITY, f32::max)
}

/// Returns the score of the best path to each state, and the bound on what is left out.
fn forward(places: &[Place], steps: &[Vec<f32>], prior: &WordPrior) -> (Vec<Vec<f32>>, f32) {
    let first = vec![0.0; places.first().map_or(0, |place| place.states.len())];
    let mut all = vec![first.clone()];
    // The same with the state for everything that is left out.
    let (mut bounds, mut other) = (first, f32::NEG_INFINITY);
    for (near, steps) in places.windows(2).zip(steps) {
        let [from, to] = near else { continue };
        let last = all.last().map(Vec::as_slice).unwrap_or_default();
        let width = from.states.len().max(1);
        let best = |scores: &[f32], step: &[f32]| largest(scores.iter().zip(step).map(|(a, b)| a + b));
        let each = || to.states.iter().zip(steps.chunks(width));
        let scores: Vec<f32> = each().map(|(state, step)| best(last, step) + state.own).collect();
        let next: Vec<f32> = each()
            .map(|(state, step)| best(&bounds, step).max(other + prior.highest(state.symbol)) + state.own)
            .collect();
        other = match to.rest {
            None => f32::NEG_INFINITY,
            Some(rest) => {
                let after = from.states.iter().zip(&bounds).map(|(u, score)| score + prior.lift(u.symbol));
                largest(after).max(other + prior.largest_lift()) + rest
            }
        };
        bounds = next;
        all.push(scores);
    }
    let best = largest(all.last().into_iter().flatten().copied());
    let bound = largest(bounds.into_iter()).max(other);
    (all, (bound - best).max(0.0))
}

/// Returns the score of the best path after each state.
fn backward(places: &[Place], steps: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let mut all = vec![vec![0.0; places.last().map_or(0, |place| place.states.len())]];
    for (near, steps) in places.windows(2).zip(steps).rev() {
        let [from, to] = near else { continue };
        let after = all.last().map(Vec::as_slice).unwrap_or_default();
        let width = from.states.len().max(1);
        let score = |at: usize| {
            let each = to.states.iter().zip(after).zip(steps.chunks(width));
            largest(each.map(|((state, after), step)| step[at] + state.own + after))
        };
        let scores = (0..from.states.len()).map(score).collect();
        all.push(scores);
    }
    all.reverse();
    all
}

/// Returns the entries of the best path by channel, case and P₃, over the candidates that are left.
fn compare(places: &[Place], prior: &WordPrior) -> Vec<u32> {
    let Some(first) = places.first() else { return Vec::new() };
    // The best score of each pair of states at two places, and where it came from.
    let mut scores: Vec<f32> = vec![0.0; first.states.len()];
    let mut width = 1;
    let mut origins: Vec<Vec<u8>> = Vec::with_capacity(places.len());
    let none = Place { states: Vec::new(), rest: None };
    for (at, to) in places.iter().enumerate().skip(1) {
        let from = &places[at - 1];
        let earlier = at.checked_sub(2).map_or(&none, |at| &places[at]);
        let (count, next) = (from.states.len(), to.states.len());
        let mut best = vec![f32::NEG_INFINITY; count * next];
        let mut origin = vec![0_u8; count * next];
        for (b, second) in from.states.iter().enumerate() {
            let pairs: Vec<f32> = to.states.iter().map(|c| prior.pair(second.symbol, c.symbol)).collect();
            for a in 0..width {
                let score = scores[b * width + a];
                let context = earlier.states.get(a).map(|first| prior.context(first.symbol, second.symbol));
                for (c, (third, pair)) in to.states.iter().zip(&pairs).enumerate() {
                    let step = context.map_or(*pair, |context| prior.triple(context, third.symbol, *pair));
                    let score = score + step + third.own;
                    let place = c * count + b;
                    if score > best[place] {
                        (best[place], origin[place]) = (score, a as u8);
                    }
                }
            }
        }
        (scores, width) = (best, count);
        origins.push(origin);
    }
    // Back along the best path.
    let mut entries = Vec::with_capacity(places.len());
    let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)));
    let (mut second, mut first) = best.map_or((0, 0), |best| (best / width.max(1), best % width.max(1)));
    for (at, place) in places.iter().enumerate().rev() {
        entries.extend(place.states.get(second).and_then(|state| state.entry));
        if let Some(origin) = at.checked_sub(1).and_then(|at| origins.get(at)) {
            let count = places[at - 1].states.len();
            let before = origin.get(second * count + first).copied().unwrap_or(0);
            (second, first) = (first, before.into());
        }
    }
    entries.reverse();
    entries
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
        builder.build(1, 1)
    }

    /// The channel of every entry, up to a constant that all share.
    fn observed(lexicon: &Arc<Lexicon>, name: MechanismName, ids: &[u32], epsilon: f64, seed: u64) -> Vec<Observation> {
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

    /// The score of the best of all paths, one by one.
    fn full(places: &[Place], prior: &WordPrior) -> f32 {
        let mut scores: Vec<f32> = vec![0.0];
        for near in places.windows(2) {
            let steps = transitions(&near[0], &near[1], prior);
            let width = near[0].states.len();
            scores = near[1]
                .states
                .iter()
                .zip(steps.chunks(width))
                .map(|(state, step)| largest(scores.iter().zip(step).map(|(a, b)| a + b)) + state.own)
                .collect();
        }
        largest(scores.into_iter())
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
                let mut narrowed = places(&shown(&few), &prior);
                let found = full(&narrowed, &prior);
                let gap = narrow(&mut narrowed, &prior);
                prop_assert!(found <= whole + 1e-3);
                prop_assert!(whole <= found + gap + 1e-3, "{name}: {whole} > {found} + {gap}");
            }
        }

        /// Cutting a long run changes where words are decided, not how many there are.
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
    fn a_thousand_words_without_a_break_are_decoded_in_parts() {
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
