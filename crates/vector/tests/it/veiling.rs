//! Veils add the noise that their receipt states.

use inkveil_privacy::{Epsilon, Metric, NoiseKey, Unit};
use inkveil_vector::{
    Bound, CorpusNote, EncoderNote, EraseNote, EraseSettings, Eraser, Mask, MaskNote, VectorVeil, sigma,
};
use proptest::prelude::*;

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

#[test]
fn noise_is_large_where_the_mask_is_high() {
    let veil = VectorVeil::elliptical(epsilon(10.0), sigma(&[1.0, 1.0, 0.0, 0.0], 0.0).unwrap()).unwrap();
    let mut rows = vec![0.5_f64; 4 * 2_000];
    veil.apply(&mut rows, 0, &NoiseKey::insecure_from_seed(1)).unwrap();
    let spread = |d: usize| rows.iter().skip(d).step_by(4).map(|x| (x - 0.5).powi(2)).sum::<f64>().sqrt();
    assert!(spread(0) > 100.0 * spread(2) && spread(1) > 100.0 * spread(3));
}

#[test]
fn the_receipt_states_the_effect_of_a_floor() {
    let euclidean = |floor| {
        let veil = VectorVeil::elliptical(epsilon(10.0), sigma(&[1.0, 0.0], floor).unwrap()).unwrap();
        let receipt =
            veil.bound(Bound::Unit).unwrap().receipt(3, None, &NoiseKey::insecure_from_seed(1)).unwrap();
        let text = receipt.render();
        assert!(text.contains("mahalanobis") && text.contains("euclidean"), "{text}");
        let json: serde_json::Value = serde_json::from_str(&receipt.to_json()).unwrap();
        json.to_string()
    };
    assert_ne!(euclidean(0.0), euclidean(0.25));
}

fn mask(encoder: &str, gates: [f32; 2]) -> Mask {
    let encoder = EncoderNote { name: encoder.to_owned(), sha256: None };
    let corpus = CorpusNote { sha256: "cd".repeat(32), texts: 0, pairs: 0, public: true };
    let note = MaskNote::new(("people", "person", ""), encoder, corpus, None);
    Mask { gates: gates.to_vec(), mean_squares: vec![0.5, 0.5], eraser: None, note }
}

#[test]
fn only_masks_of_the_same_encoder_can_be_combined() {
    let masks = [mask("en", [1.0, 0.0]), mask("en", [0.0, 1.0])];
    let veil = VectorVeil::masked(epsilon(5.0), &masks, 0.0).unwrap();
    let text = veil.receipt(1, None, &NoiseKey::insecure_from_seed(1)).unwrap().render();
    assert!(text.contains("concepts = people, people") && text.contains("share of signal"), "{text}");
    let mixed = [mask("en", [1.0, 0.0]), mask("mpnet", [0.0, 1.0])];
    let error = VectorVeil::masked(epsilon(5.0), &mixed, 0.0).unwrap_err().to_string();
    assert!(error.contains("cannot be combined"), "{error}");
    assert!(VectorVeil::masked(epsilon(5.0), &[], 0.0).is_err());
}

/// A mask that erases the first of four directions.
fn eraser(encoder: &str, direction: usize) -> Mask {
    let note = EraseNote {
        settings: EraseSettings::default(),
        labels: 1,
        labelled_texts: 60,
        concept_removed: 1.0,
        spread_removed: 0.25,
        directions: vec![(1.0, 0.25)],
    };
    let unit = |at: usize| (0..4).map(move |i| if i == at { 1.0_f32 } else { 0.0 });
    let eraser = Eraser {
        mean: vec![0.0; 4],
        covariance: (0..4).flat_map(|i| unit(i).map(move |x| x * (0.4 - 0.05 * i as f32))).collect(),
        span: unit(direction).collect(),
        note,
    };
    let note = mask(encoder, [0.0, 0.0]).note;
    Mask { gates: Vec::new(), mean_squares: Vec::new(), eraser: Some(eraser), note }
}

#[test]
fn erased_directions_have_no_influence_and_no_noise() {
    let masks = [eraser("en", 0), eraser("en", 2)];
    let veil = VectorVeil::erased(epsilon(50.0), &masks, None, 0.5).unwrap().bound(Bound::Unit).unwrap();
    let mut rows = vec![0.5_f64; 4 * 500];
    let released = veil.apply(&mut rows, 0, &NoiseKey::insecure_from_seed(3)).unwrap();
    let spread = |d: usize| released.values().iter().skip(d).step_by(4).map(|x| x.abs()).fold(0.0, f64::max);
    // Both spans are erased, so nothing is released along them.
    assert!(spread(0) < 1e-6 && spread(2) < 1e-6 && spread(1) > 0.1 && spread(3) > 0.1);
    let receipt = veil.receipt(500, None, &NoiseKey::insecure_from_seed(3)).unwrap();
    let text = receipt.render();
    for part in [
        "erased distance",
        "euclidean",
        "erased directions = 2",
        "axes = 2",
        "released alike",
        "not fitted on",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Two vectors are at most 2 apart after erasure.
    let worst = receipt.groups()[0].worst_case_epsilon().unwrap().get();
    assert!((100.0..100.1).contains(&worst), "{worst}");
    assert!(receipt.verify().is_empty());
    assert!(VectorVeil::erased(epsilon(5.0), &[mask("en", [1.0, 0.0])], None, 0.5).is_err());
    assert!(VectorVeil::erased(epsilon(5.0), &[eraser("en", 0), eraser("mpnet", 1)], None, 0.5).is_err());
    assert!(VectorVeil::masked(epsilon(5.0), &[eraser("en", 0)], 0.1).is_err());
}

#[test]
fn thin_noise_and_wide_masks_are_warnings() {
    let warnings = |gates: [f32; 2], floor| {
        let veil = VectorVeil::masked(epsilon(300.0), &[mask("en", gates)], floor).unwrap();
        veil.warnings().join("; ")
    };
    assert!(warnings([1.0, 0.0], 0.0).contains("in Euclidean distance"));
    assert_eq!(warnings([1.0, 0.0], 0.1), "");
    assert!(warnings([1.0, 0.9], 0.1).contains("100 % of the dimensions"));
}

#[test]
fn every_veil_has_a_guarantee_for_each_vector() {
    let veils = [
        (VectorVeil::round(4, epsilon(5.0)).unwrap(), Metric::Euclidean),
        (VectorVeil::directional(4, epsilon(5.0)).unwrap(), Metric::Angular),
        (VectorVeil::elliptical(epsilon(5.0), vec![1.0; 4]).unwrap(), Metric::Mahalanobis),
    ];
    for (veil, metric) in veils {
        let guarantee = veil.noise().guarantees()[0];
        assert_eq!(
            (guarantee.metric(), guarantee.unit(), guarantee.epsilon()),
            (metric, Unit::Vector, epsilon(5.0))
        );
    }
}

#[test]
fn noisy_vectors_can_have_length_one() {
    let veil = VectorVeil::round(3, epsilon(5.0)).unwrap().unit_after();
    let mut rows = [0.1_f32, 0.2, 0.3, 1.0, 0.0, 0.0];
    veil.apply(&mut rows, 0, &NoiseKey::fresh().unwrap()).unwrap();
    for row in rows.chunks(3) {
        assert!((row.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn shrinking_needs_a_known_variance_and_valid_constants() {
    assert!(VectorVeil::directional(3, epsilon(5.0)).unwrap().shrink_after(&[0.1; 3], "test").is_err());
    let round = || VectorVeil::round(3, epsilon(5.0)).unwrap();
    assert!(round().shrink_after(&[0.1; 2], "test").is_err());
    assert!(round().shrink_after(&[0.1, -0.1, 0.1], "test").is_err());
    let veil = round().shrink_after(&[0.1; 3], "test").unwrap();
    let mut shrunk = [0.5_f64; 3];
    let mut plain = [0.5_f64; 3];
    let key = NoiseKey::insecure_from_seed(4);
    veil.apply(&mut shrunk, 0, &key).unwrap();
    round().apply(&mut plain, 0, &key).unwrap();
    // Variance 4/25 in each dimension: 0.1/(0.1 + 0.16).
    let rounding = veil.grid().unwrap().step() / 2.0 + 1e-12;
    shrunk.iter().zip(plain).for_each(|(s, p)| assert!((s - p * 0.1 / 0.26).abs() <= rounding));
}

#[test]
fn the_receipt_counts_the_slack_of_rounding_errors() {
    let veil = VectorVeil::round(768, epsilon(10.0)).unwrap().bound(Bound::Unit).unwrap();
    let receipt = veil.receipt(2, None, &NoiseKey::insecure_from_seed(1)).unwrap();
    let slack = veil.noise().slack().epsilon().get();
    assert!(slack > 0.0 && slack < 2e-4, "{slack}");
    let worst = receipt.worst_case_epsilon().unwrap().get();
    // Two vectors, ε = 10, at most 2 apart.
    assert!(worst >= 2.0 * (20.0 + slack), "{worst}");
    assert!(receipt.render().contains("for rounding errors"), "{}", receipt.render());
    let turned = VectorVeil::directional(768, epsilon(10.0)).unwrap();
    let receipt = turned.receipt(2, None, &NoiseKey::insecure_from_seed(1)).unwrap();
    assert_eq!(receipt.total_delta(), Some(2.0 * turned.noise().slack().delta()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every branch: all noises, no noise, all bounds, and all treatments after the noise.
    #[test]
    fn every_released_number_is_a_multiple_of_the_step(
        row in proptest::collection::vec(-2.0..2.0_f64, 4),
        budget in prop_oneof![0.01..100.0_f64, Just(f64::INFINITY)],
        seed: u64,
    ) {
        prop_assume!(row.iter().any(|x| x.abs() > 1e-3));
        let squares = [0.3, 1e-3, 0.0, 2.0];
        let additive = || [
            VectorVeil::round(4, epsilon(budget)).unwrap(),
            VectorVeil::elliptical(epsilon(budget), vec![0.5, 1.0, 1.5, 0.01]).unwrap(),
        ];
        let mut veils: Vec<VectorVeil> = additive().into();
        veils.push(VectorVeil::directional(4, epsilon(budget)).unwrap());
        veils.extend(additive().map(VectorVeil::unit_after));
        veils.push(VectorVeil::directional(4, epsilon(budget)).unwrap().unit_after());
        veils.extend(additive().map(|veil| veil.shrink_after(&squares, "a test").unwrap()));
        veils.extend(additive().map(|veil| veil.bound(Bound::Clip(0.7)).unwrap()));
        veils.extend(additive().map(|veil| veil.bound(Bound::Unit).unwrap()));
        let key = NoiseKey::insecure_from_seed(seed);
        for veil in veils {
            let grid = veil.grid().unwrap();
            let (mut double, mut single) = (row.clone(), row.iter().map(|x| *x as f32).collect::<Vec<_>>());
            let released = veil.apply(&mut double, 0, &key).unwrap();
            prop_assert!(released.grid() == grid && released.values().iter().all(|x| grid.contains(*x)));
            veil.apply(&mut single, 0, &key).unwrap();
            prop_assert!(single.iter().all(|x| grid.contains(f64::from(*x))), "{:?}", veil);
        }
    }

    #[test]
    fn batches_do_not_matter(rows in proptest::collection::vec(-1.0..1.0_f64, 12), cut in 0..4_usize) {
        let veil = VectorVeil::elliptical(epsilon(7.0), vec![0.5, 1.0, 1.5]).unwrap().bound(Bound::Clip(0.8)).unwrap();
        let key = NoiseKey::insecure_from_seed(9);
        let mut whole = rows.clone();
        veil.apply(&mut whole, 0, &key).unwrap();
        let mut parts = rows;
        let (first, second) = parts.split_at_mut(3 * cut);
        veil.apply(first, 0, &key).unwrap();
        veil.apply(second, cut as u64, &key).unwrap();
        prop_assert_eq!(whole, parts);
    }

    #[test]
    fn what_cannot_be_noised_comes_back_as_zeros(position in 0..6_usize) {
        let veil = VectorVeil::round(3, epsilon(7.0)).unwrap();
        let mut rows = [0.5_f64; 6];
        rows[position] = f64::NAN;
        prop_assert!(veil.apply(&mut rows, 0, &NoiseKey::insecure_from_seed(9)).is_err());
        prop_assert_eq!(rows, [0.0; 6]);
    }
}
