//! Canaries: pairs of neighbours that are planted in a file.

use inkveil_text::ShapeLevel;

use super::outputs::{Form, dot, norm, unit};

/// Two vectors.
pub(super) type VectorPair = [Vec<f64>; 2];

/// Two opposite vectors along one axis, of these lengths.
pub(super) fn opposite(dim: usize, axis: usize, lengths: [f64; 2]) -> VectorPair {
    let along = |length: f64| (0..dim).map(|i| if i == axis { length } else { 0.0 }).collect();
    [along(lengths[0]), along(-lengths[1])]
}

/// Two vectors of length about 1, with weight in every coordinate, that are nearly `distance` apart.
pub(super) fn near(dim: usize, distance: f64, form: Form) -> VectorPair {
    let x = unit(&(0..dim).map(|i| 1.0 + 0.3 * (i as f64).sin()).collect::<Vec<f64>>());
    let alternating: Vec<f64> = (0..dim).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let along = dot(&alternating, &x);
    let aside: Vec<f64> = alternating.iter().zip(&x).map(|(a, x)| a - along * x).collect();
    let share = distance / norm(&aside);
    let other = x.iter().zip(&aside).map(|(x, a)| form.stored(x + share * a)).collect();
    [x.iter().map(|x| form.stored(*x)).collect(), other]
}

/// Two originals of one kind that a release may not tell apart.
pub(super) struct Originals {
    /// The name of the kind.
    pub(super) kind: &'static str,
    pub(super) pair: [&'static str; 2],
}

const fn originals(kind: &'static str, x: &'static str, other: &'static str) -> Originals {
    Originals { kind, pair: [x, other] }
}

/// Pairs of the same exact shape.
const EXACT: &[Originals] = &[
    originals("person", "Anna Keller", "John Smith"),
    originals("date", "12 March 1987", "23 April 2001"),
    originals("email", "anna.k@example.org", "bob@example.com"),
    originals("phone", "+351 912 345 678", "+351 934 111 222"),
    originals("credit-card", "4111 1111 1111 1111", "5500 0000 0000 0004"),
    originals("ip-address", "10.1.2.3", "192.168.7.19"),
];

/// Pairs of the same coarse shape and of different exact shapes.
const COARSE: &[Originals] = &[
    originals("person", "Anna Keller", "Anna B. Keller"),
    PHONES,
    originals("credit-card", "4111 1111 1111 1111", "4111111111111111"),
];

/// Two telephone numbers of one coarse shape.
pub(super) const PHONES: Originals = originals("phone", "+351 912 345 678", "+1 415-555-2671");

/// Pairs of the same kind and of different coarse shapes.
const KIND: &[Originals] = &[
    originals("date", "12 March 1987", "1987-03-12"),
    originals("phone", "+351 912 345 678", "(415) 555-2671"),
];

/// The pairs that share a shape of this level. Those that only the level above tells apart come
/// first.
pub(super) fn of_level(level: ShapeLevel) -> Vec<&'static Originals> {
    match level {
        ShapeLevel::Exact => EXACT.iter().collect(),
        ShapeLevel::Coarse => COARSE.iter().chain(EXACT).collect(),
        ShapeLevel::Kind => KIND.iter().chain(COARSE).chain(EXACT).collect(),
    }
}

/// What stands around an original. It is kept.
pub(super) const SENTENCE: [&str; 2] = ["Please write to ", " about the garden."];

/// A sentence with an original in it.
pub(super) fn sentence(original: &str) -> String {
    SENTENCE.join(original)
}

/// Pairs of words in the lexicon, near and far.
pub(super) const WORDS: [[&str; 2]; 2] = [["window", "kitchen"], ["window", "garden"]];

/// Two numbers of one digit. A surrogate is one of ten, so one that never occurs is noticed.
pub(super) const DIGITS: [&str; 2] = ["7", "3"];

/// A name that no list has. It may not occur in any file that a release leaves.
pub(super) const PLANTED: &str = "Zdenka Vyskocilova";
