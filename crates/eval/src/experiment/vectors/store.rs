//! Rounding of released vectors, as vector stores do it.

use inkveil_privacy::NoiseStream;

use super::spec::StoreName;

/// The steps of a byte on each side of zero.
const STEPS: f32 = 127.0;

/// Rounds rows of `dim` numbers in place.
pub(super) fn round(store: StoreName, rows: &mut [f32], dim: usize) {
    match store {
        StoreName::Float => {}
        StoreName::Int8 => rows.chunks_exact_mut(dim).for_each(|row| {
            let largest = row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            if largest > 0.0 {
                row.iter_mut().for_each(|x| *x = (*x / largest * STEPS).round() / STEPS * largest);
            }
        }),
        StoreName::Binary => rows.iter_mut().for_each(|x| *x = if *x >= 0.0 { 1.0 } else { -1.0 }),
    }
}

/// Randomised response on each number: its sign changes with probability 1/(1 + e^ε). So ε is the loss for two rows that
/// differ in one sign, and their number times ε in general.
pub(super) fn flip(rows: &mut [f32], epsilon: f64, stream: &mut NoiseStream) {
    let changed = 1.0 / (1.0 + epsilon.exp());
    rows.iter_mut().filter(|_| stream.unit() < changed).for_each(|x| *x = -*x);
}

#[cfg(test)]
mod tests {
    use inkveil_privacy::{NoiseAddress, NoiseKey};

    use super::*;

    #[test]
    fn signs_are_flipped_with_the_probability_of_their_budget() {
        let mut rows = vec![1.0; 100_000];
        let mut stream = NoiseKey::insecure_from_seed(3).stream(NoiseAddress::record(0), "flips");
        flip(&mut rows, 1.5, &mut stream);
        let share = rows.iter().filter(|x| **x < 0.0).count() as f64 / rows.len() as f64;
        let wanted = 1.0 / (1.0 + 1.5_f64.exp());
        // Five standard deviations.
        assert!((share - wanted).abs() < 5.0 * (wanted * (1.0 - wanted) / 1e5).sqrt(), "{share} {wanted}");
    }

    #[test]
    fn rows_are_rounded_to_steps_or_signs() {
        let rows = [0.5, -1.0, 0.0, 0.001, 8.0, -4.0];
        let rounded = |store| {
            let mut rows = rows;
            round(store, &mut rows, 3);
            rows
        };
        assert_eq!(rounded(StoreName::Float), rows);
        assert_eq!(rounded(StoreName::Binary), [1.0, -1.0, 1.0, 1.0, 1.0, -1.0]);
        // Each row has its own scale: half of 127 steps is not a whole number of them.
        let bytes = rounded(StoreName::Int8);
        assert_eq!(bytes, [64.0 / 127.0, -1.0, 0.0, 0.0, 8.0, -64.0 / 127.0 * 8.0]);
        let mut nothing = [0.0; 3];
        round(StoreName::Int8, &mut nothing, 3);
        assert_eq!(nothing, [0.0; 3]);
    }
}
