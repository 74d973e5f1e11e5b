//! Properties that all vector mechanisms share.

use inkveil_privacy::{
    Calibration, Epsilon, ErasedLaplace, Erasure, ErrorKind, Gaussian, Grid, GridRows, Kappa, LaplaceL1,
    LaplaceL2, Mahalanobis, Metric, NoiseAddress, NoiseKey, OutputUse, PolarRadial, Purkayastha, Slack,
    VectorMechanism, Vmf, perturb_rows_by, release_rows,
};
use proptest::prelude::*;

fn eps(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

/// One mechanism of each kind, in dimension `n` ≥ 2.
fn every(n: usize, epsilon: f64) -> Vec<Box<dyn VectorMechanism>> {
    let kappa = Kappa::new(epsilon.min(1e8)).unwrap();
    let mut sigma = vec![0.0; n * n];
    for i in 0..n {
        sigma[i * n + i] = 1.0 + 0.1 * i as f64;
        if i > 0 {
            sigma[i * n + i - 1] = 0.2;
            sigma[(i - 1) * n + i] = 0.2;
        }
    }
    vec![
        Box::new(Vmf::new(n, kappa).unwrap()),
        Box::new(Vmf::calibrated(n, eps(epsilon), Calibration::Reference, 2.0).unwrap()),
        Box::new(Purkayastha::new(n, eps(epsilon)).unwrap()),
        Box::new(LaplaceL1::new(n, eps(epsilon)).unwrap()),
        Box::new(LaplaceL1::with_sensitivity(n, eps(epsilon), 3.0).unwrap()),
        Box::new(LaplaceL2::new(n, eps(epsilon)).unwrap()),
        Box::new(Mahalanobis::diagonal(eps(epsilon), (0..n).map(|i| 0.01 + i as f64).collect()).unwrap()),
        Box::new(Mahalanobis::full(eps(epsilon), n, &sigma).unwrap()),
        Box::new(ErasedLaplace::new(eps(epsilon), eraser(n)).unwrap()),
        Box::new(Gaussian::new(n, eps(epsilon), 1e-6, 2.0).unwrap()),
        Box::new(PolarRadial::new(n, kappa, eps(epsilon)).unwrap()),
    ]
}

/// An eraser of the first coordinate.
fn eraser(n: usize) -> Erasure {
    let unit = |at: usize| (0..n).map(move |i| if i == at { 1.0 } else { 0.0 });
    let rows: Vec<f64> = (1..n).flat_map(unit).collect();
    let span: Vec<f64> = unit(0).collect();
    Erasure::new(n, rows.clone(), vec![0.0; n - 1], rows, 1.0, &span).unwrap()
}

fn on_sphere(mechanism: &dyn VectorMechanism) -> bool {
    matches!(mechanism.name(), "polar" | "purkayastha")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn outputs_are_finite_and_on_the_grid(
        row in prop::collection::vec(-10.0..10.0f64, 2..40),
        epsilon in prop_oneof![1e-3..1.0f64, 1.0..1e4f64, 1e4..1e6f64, Just(f64::INFINITY)],
        seed: u64,
    ) {
        prop_assume!(row.iter().any(|x| x.abs() > 1e-3));
        let infinite = Kappa::INFINITE;
        let parts: [Box<dyn VectorMechanism>; 3] = [
            Box::new(Vmf::new(row.len(), infinite).unwrap()),
            Box::new(PolarRadial::new(row.len(), infinite, eps(epsilon)).unwrap()),
            Box::new(PolarRadial::new(row.len(), Kappa::new(epsilon.min(1e8)).unwrap(), Epsilon::INFINITE).unwrap()),
        ];
        for mechanism in every(row.len(), epsilon).into_iter().chain(parts) {
            let (mut out, mut single) = (row.clone(), row.iter().map(|x| *x as f32).collect::<Vec<_>>());
            let key = NoiseKey::insecure_from_seed(seed);
            let released = release_rows(mechanism.as_ref(), &mut out, NoiseAddress::record(0), &key).unwrap();
            let grid = released.grid();
            prop_assert_eq!(grid, mechanism.grid());
            prop_assert!(released.values().iter().all(|x| grid.contains(*x)), "{}", mechanism.name());
            let released = release_rows(mechanism.as_ref(), &mut single, NoiseAddress::record(0), &key).unwrap();
            prop_assert!(released.values().iter().all(|x| grid.contains(f64::from(*x))), "{}", mechanism.name());
            prop_assert!(epsilon.is_infinite() || out != row);
            if on_sphere(mechanism.as_ref()) {
                let length = out.iter().map(|x| x * x).sum::<f64>().sqrt();
                // Each coordinate is rounded to 2⁻⁶ of the noise, which is at most 1/√d.
                prop_assert!((length - 1.0).abs() < 1e-2, "{} {length}", mechanism.name());
            }
        }
    }

    #[test]
    fn batches_do_not_depend_on_how_they_are_split(rows in 1..40usize, dim in 2..9usize, seed: u64) {
        let key = NoiseKey::insecure_from_seed(seed);
        let input: Vec<f64> = (0..rows * dim).map(|i| (i as f64 * 0.7).sin() + 0.01).collect();
        for mechanism in every(dim, 5.0) {
            let mut together = input.clone();
            release_rows(mechanism.as_ref(), &mut together, NoiseAddress::record(3), &key).unwrap();
            let mut split = input.clone();
            let cut = rows / 2;
            let (a, b) = split.split_at_mut(cut * dim);
            release_rows(mechanism.as_ref(), b, NoiseAddress::record(3 + cut as u64), &key).unwrap();
            release_rows(mechanism.as_ref(), a, NoiseAddress::record(3), &key).unwrap();
            prop_assert_eq!(&together, &split);
            let mut single = input[..dim].to_vec();
            release_rows(mechanism.as_ref(), &mut single, NoiseAddress::record(3), &key).unwrap();
            prop_assert_eq!(&together[..dim], &single[..]);
        }
    }
}

#[test]
fn an_infinite_budget_adds_no_noise() {
    let row = vec![0.6, 0.0, 0.8];
    for mechanism in every(3, f64::INFINITY) {
        // Kappa::new(∞.min(1e8)) is finite in `every`. These two are built separately below. An eraser
        // changes vectors without noise too.
        if matches!(mechanism.name(), "polar" | "polar-radial" | "erased-laplace") {
            continue;
        }
        assert_eq!(mechanism.grid(), Grid::WITHOUT_NOISE, "{}", mechanism.name());
        assert_eq!(mechanism.slack(), Slack::NONE, "{}", mechanism.name());
        let mut out = row.clone();
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        mechanism.perturb(&mut out, OutputUse::Decoded, &mut stream).unwrap();
        assert_eq!(out, row, "{}", mechanism.name());
        assert!(mechanism.guarantees()[0].epsilon().is_infinite());
    }
    let without_noise: [Box<dyn VectorMechanism>; 2] = [
        Box::new(Vmf::new(3, Kappa::INFINITE).unwrap()),
        Box::new(PolarRadial::new(3, Kappa::INFINITE, Epsilon::INFINITE).unwrap()),
    ];
    for mechanism in without_noise {
        let mut out = row.clone();
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        mechanism.perturb(&mut out, OutputUse::Released, &mut stream).unwrap();
        let rounding = mechanism.grid().step();
        assert!(out.iter().zip(&row).all(|(a, b)| (a - b).abs() <= rounding), "{}", mechanism.name());
    }
}

#[test]
fn an_eraser_without_noise_erases_and_nothing_else() {
    let mechanism = ErasedLaplace::new(Epsilon::INFINITE, eraser(3)).unwrap();
    let mut out = [0.9, 0.6, 0.8];
    let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
    mechanism.perturb(&mut out, OutputUse::Decoded, &mut stream).unwrap();
    assert!(out[0] == 0.0 && (out[1] - 0.6).abs() < 1e-12 && (out[2] - 0.8).abs() < 1e-12, "{out:?}");
    assert!(mechanism.guarantee().unwrap().inside_span.is_infinite());
}

#[test]
fn zero_budget_is_uniform_on_the_sphere_and_refused_elsewhere() {
    let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
    for mechanism in [
        Box::new(Vmf::new(3, Kappa::ZERO).unwrap()) as Box<dyn VectorMechanism>,
        Box::new(Purkayastha::new(3, Epsilon::ZERO).unwrap()),
    ] {
        let mean: f64 = (0..10_000)
            .map(|_| {
                let mut row = [1.0, 0.0, 0.0];
                mechanism.perturb(&mut row, OutputUse::Decoded, &mut stream).unwrap();
                row[0]
            })
            .sum::<f64>()
            / 10_000.0;
        // Five standard deviations of the mean of a coordinate, 1/√3/100.
        assert!(mean.abs() < 0.03, "{} {mean}", mechanism.name());
    }
    assert!(LaplaceL1::new(3, Epsilon::ZERO).is_err());
    assert!(LaplaceL2::new(3, Epsilon::ZERO).is_err());
    assert!(Mahalanobis::diagonal(Epsilon::ZERO, vec![1.0; 3]).is_err());
    assert!(PolarRadial::new(3, Kappa::ZERO, Epsilon::ZERO).is_err());
}

#[test]
fn invalid_rows_are_refused_with_their_number() {
    let key = NoiseKey::insecure_from_seed(1);
    for mechanism in every(3, 10.0) {
        let run = |rows: &mut [f64]| {
            release_rows(mechanism.as_ref(), rows, NoiseAddress::record(100), &key).map(drop)
        };
        let error = run(&mut [1.0, 2.0, 3.0, 1.0, f64::NAN, 987.654, f64::INFINITY, 0.0, 0.0]).unwrap_err();
        assert_eq!(error.row(), Some(102), "the first invalid row, counted from 1: {error}");
        assert!(error.to_string().contains("value 1 is not a finite number"), "{error}");
        assert!(!format!("{error:?}").contains("987"));
        assert!(matches!(run(&mut [1.0; 4]).unwrap_err().kind(), ErrorKind::Dimension { .. }));
        let zero = run(&mut [0.0; 3]);
        let needs_direction = on_sphere(mechanism.as_ref()) || mechanism.name() == "polar-radial";
        assert_eq!(zero.is_err(), needs_direction, "{}", mechanism.name());
        let mut wrong = [1.0, 2.0];
        let error = mechanism
            .perturb(&mut wrong, OutputUse::Decoded, &mut key.stream(NoiseAddress::record(0), &()))
            .unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Dimension { expected: 3, found: 2 });
    }
}

#[test]
fn values_beyond_the_grid_are_refused_not_rounded() {
    let mechanism = LaplaceL2::new(2, eps(1.0)).unwrap();
    let mut row = [1e300, 0.0];
    let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
    let error = mechanism.perturb(&mut row, OutputUse::Released, &mut stream).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::GridRange { .. }));
}

#[test]
fn rows_of_one_batch_may_have_different_budgets_and_addresses() {
    let key = NoiseKey::insecure_from_seed(9);
    let small_noise = LaplaceL2::new(2, eps(1e9)).unwrap();
    let large_noise = LaplaceL2::new(2, eps(1e-3)).unwrap();
    let mut rows = [1.0f64; 20];
    perturb_rows_by(2, &mut rows, &key, |i| {
        let mechanism: &dyn VectorMechanism = if i % 2 == 0 { &small_noise } else { &large_noise };
        (mechanism, NoiseAddress::record(7).position(i as u64))
    })
    .unwrap();
    for (i, row) in rows.chunks(2).enumerate() {
        assert_eq!((row[0] - 1.0).abs() < 1e-3, i % 2 == 0);
    }
    let mut alone = [1.0, 1.0];
    release_rows(&large_noise, &mut alone, NoiseAddress::record(7).position(3), &key).unwrap();
    assert_eq!(alone, rows[6..8]);
}

#[test]
fn all_dimensions_and_concentrations_can_be_sampled() {
    let key = NoiseKey::insecure_from_seed(5);
    for dim in [2, 3, 4, 768, 1536, 4096] {
        for value in [0.0, 1e-3, 1.0, 1e3, 1e6, 1e8] {
            let mechanisms: [Box<dyn VectorMechanism>; 2] = [
                Box::new(Vmf::new(dim, Kappa::new(value).unwrap()).unwrap()),
                Box::new(Purkayastha::new(dim, eps(value)).unwrap()),
            ];
            for mechanism in mechanisms {
                for record in 0..20 {
                    let mut row = vec![1.0; dim];
                    let mut stream = key.stream(NoiseAddress::record(record), &());
                    mechanism.perturb(&mut row, OutputUse::Decoded, &mut stream).unwrap();
                    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                    assert!((length - 1.0).abs() < 1e-9, "{} d {dim} at {value}: {length}", mechanism.name());
                }
            }
        }
    }
}

#[test]
fn mahalanobis_states_its_euclidean_guarantee() {
    let mechanism = Mahalanobis::diagonal(eps(10.0), vec![1e-6, 1.0, 2.0]).unwrap();
    let euclidean = mechanism.euclidean().unwrap().epsilon().get();
    assert!((9_999.0..10_001.0).contains(&euclidean));
    assert!(Mahalanobis::diagonal(eps(1.0), vec![1.0, 0.0]).is_err());
    assert!(Mahalanobis::full(eps(1.0), 2, &[1.0, 0.0, 0.0]).is_err());
}

/// Noise that would underflow or has no grid must not be built: the row would be released
/// unchanged.
#[test]
fn noise_that_would_underflow_is_refused() {
    for sensitivity in [1e-320, 1e-200, 0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(LaplaceL1::with_sensitivity(2, eps(1.0), sensitivity).is_err());
        assert!(Gaussian::new(2, eps(1.0), 1e-6, sensitivity).is_err());
    }
    assert!(LaplaceL2::new(2, eps(1e101)).is_err());
    // One grid cannot serve noise that is 2¹⁶ times as wide in one direction as in another.
    let stretched = Mahalanobis::diagonal(eps(1.0), vec![1e-20, 1.0]).unwrap_err();
    assert_eq!(stretched.kind(), &ErrorKind::TooStretched);
    assert!(Mahalanobis::diagonal(eps(1.0), vec![1e-9, 1.0]).is_ok());
    // Every mechanism with a finite budget has a grid and changes its input.
    let smallest = LaplaceL1::with_sensitivity(2, eps(1e100), 1e-100).unwrap();
    let mut row = [0.0, 0.0];
    let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
    smallest.perturb(&mut row, OutputUse::Released, &mut stream).unwrap();
    assert!(row.iter().all(|x| *x != 0.0));
}

/// One key and one address for two inputs: the outputs do not reveal the difference of the inputs.
/// A retry gives the same bytes.
#[test]
fn noise_is_never_shared_by_two_inputs() {
    let key = NoiseKey::insecure_from_seed(9);
    for mechanism in every(4, 3.0) {
        let release = |row: [f64; 4]| {
            let mut row = row;
            release_rows(mechanism.as_ref(), &mut row, NoiseAddress::record(0), &key).unwrap();
            row
        };
        let x = [0.25, -0.5, 0.75, 0.5];
        let moved = [0.25, -0.5, 0.75, 0.5 + 2f64.powi(-8)];
        let (first, again, other) = (release(x), release(x), release(moved));
        assert_eq!(first, again, "{}: a retry repeats", mechanism.name());
        // With shared noise, the difference of additive outputs is that of the inputs, and that of
        // directions is of the same size. With fresh noise it is about as large as the noise.
        let difference: f64 = first.iter().zip(&other).map(|(a, b)| (a - b).abs()).sum();
        assert!(difference > 0.01, "{}: {difference}", mechanism.name());
    }
}

/// The same input and address under two budgets or two shapes of noise: x + z and x + z/2 would
/// reveal x.
#[test]
fn noise_is_never_shared_by_two_mechanisms() {
    let key = NoiseKey::insecure_from_seed(9);
    let draw = |mechanism: &dyn VectorMechanism| {
        let mut row = [0.0f64; 2];
        release_rows(mechanism, &mut row, NoiseAddress::record(0), &key).unwrap();
        row
    };
    let (a, b) = (draw(&LaplaceL2::new(2, eps(1.0)).unwrap()), draw(&LaplaceL2::new(2, eps(2.0)).unwrap()));
    assert!((a[0] - 2.0 * b[0]).abs() > 1e-3 && (a[1] - 2.0 * b[1]).abs() > 1e-3);
    let shape = |s: f64| Mahalanobis::diagonal(eps(1.0), vec![s, 1.0]).unwrap();
    let (a, b) = (draw(&shape(1.0)), draw(&shape(4.0)));
    assert!((2.0 * a[0] - b[0]).abs() > 1e-3 && (a[1] - b[1]).abs() > 1e-3);
    let checksums: std::collections::BTreeSet<[u8; 32]> =
        every(4, 3.0).iter().chain(&every(5, 3.0)).chain(&every(4, 2.0)).map(|m| *m.checksum()).collect();
    // The two calibrations of `polar` differ in κ alone.
    assert_eq!(checksums.len(), 33);
}

#[test]
fn two_rows_of_a_batch_have_different_addresses() {
    let key = NoiseKey::insecure_from_seed(9);
    let mechanism = LaplaceL2::new(2, eps(1.0)).unwrap();
    let mut rows = [3.0; 4];
    let error = perturb_rows_by(2, &mut rows, &key, |_| (&mechanism, NoiseAddress::record(4))).unwrap_err();
    assert_eq!((error.kind(), rows), (&ErrorKind::AddressReused, [0.0; 4]));
    let last = NoiseAddress::record(u64::MAX);
    rows = [3.0; 4];
    assert!(release_rows(&mechanism, &mut rows, last, &key).is_err());
    assert_eq!(rows, [0.0; 4]);
}

/// A direction without noise must not carry the length in its last bits. Two vectors of the same
/// direction and of different lengths give the same released direction.
#[test]
fn a_direction_without_noise_does_not_reveal_the_length() {
    let key = NoiseKey::insecure_from_seed(3);
    let mechanism = PolarRadial::new(8, Kappa::INFINITE, eps(2.0)).unwrap();
    let direction: Vec<f64> = (0..8).map(|i| (f64::from(i) * 0.7).sin() + 0.2).collect();
    let mut told = 0;
    for trial in 0..2000u64 {
        let length = 1.0 + trial as f64 / 1999.0;
        let mut row: Vec<f64> = direction.iter().map(|x| x * length).collect();
        release_rows(&mechanism, &mut row, NoiseAddress::record(trial), &key).unwrap();
        // The attacker divides by the released length and looks at what remains of the direction.
        let released = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(row.iter().all(|x| mechanism.grid().contains(*x)));
        let mut clear: Vec<f64> = direction.iter().map(|x| x * length).collect();
        let norm = clear.iter().map(|x| x * x).sum::<f64>().sqrt();
        clear.iter_mut().for_each(|x| *x = *x / norm * released);
        told += u32::from(clear == row);
    }
    assert_eq!(told, 0, "the unrounded direction was released");
}

/// With single bits of a direction the length could be recovered; on its grid the direction of all
/// multiples of a vector is the same.
#[test]
fn multiples_of_a_vector_have_one_released_direction() {
    let key = NoiseKey::insecure_from_seed(3);
    let mechanism = Vmf::new(8, Kappa::INFINITE).unwrap();
    let direction: Vec<f64> = (0..8).map(|i| (f64::from(i) * 0.7).sin() + 0.2).collect();
    let mut seen = std::collections::BTreeSet::new();
    for trial in 0..2000u64 {
        let length = 1.0 + trial as f64 / 1999.0;
        let mut row: Vec<f64> = direction.iter().map(|x| x * length).collect();
        release_rows(&mechanism, &mut row, NoiseAddress::record(trial), &key).unwrap();
        seen.insert(row.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    }
    assert_eq!(seen.len(), 1);
}

/// The slack is stated by every mechanism with floating-point noise, and it is far smaller than the
/// budgets in use.
#[test]
fn every_sampler_states_its_slack() {
    for mechanism in every(768, 10.0) {
        let slack = mechanism.slack();
        if mechanism.name() == "laplace-l1" {
            assert_eq!(slack, Slack::NONE);
            continue;
        }
        let spherical = on_sphere(mechanism.as_ref()) || mechanism.name() == "polar-radial";
        assert_eq!(slack.delta() > 0.0, spherical, "{}", mechanism.name());
        assert!(slack.delta() < 1e-7 && !slack.epsilon().is_zero(), "{}: {slack:?}", mechanism.name());
        let most = if spherical { 0.13 } else { 0.1 };
        assert!(slack.epsilon() < eps(most), "{}: {slack:?}", mechanism.name());
    }
    let wide = GridRows::<f64>::without_noise(&mut [0.1, 0.2], 2).unwrap().grid();
    assert_eq!(wide, Grid::WITHOUT_NOISE);
}

/// Rows of one batch are independent: the correlation of neighbours is within five standard
/// deviations of zero.
#[test]
fn neighbouring_rows_are_independent() {
    let mechanism = LaplaceL1::new(1, eps(1.0)).unwrap();
    let mut rows = vec![0.0f64; 400_000];
    release_rows(&mechanism, &mut rows, NoiseAddress::record(0), &NoiseKey::insecure_from_seed(2)).unwrap();
    let products: f64 = rows.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let squares: f64 = rows.iter().map(|x| x * x).sum();
    assert!((products / squares).abs() < 5.0 / (rows.len() as f64).sqrt());
}

#[test]
fn rows_are_cleared_after_an_error() {
    let mechanism = LaplaceL2::new(2, eps(1.0)).unwrap();
    let mut rows = [1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0];
    let key = NoiseKey::insecure_from_seed(2);
    assert!(release_rows(&mechanism, &mut rows, NoiseAddress::record(0), &key).is_err());
    assert_eq!(rows, [0.0; 6]);
    let mut narrow = [1.0f32, 2.0];
    let too_large = LaplaceL2::new(2, eps(1e-60)).unwrap();
    let error = release_rows(&too_large, &mut narrow, NoiseAddress::record(0), &key).unwrap_err();
    assert!(error.to_string().contains("too large for the type"), "{error}");
}

/// Snapping is counted in the metric of the guarantee, on the grid in use.
#[test]
fn the_distance_added_by_snapping_is_known_in_each_metric() {
    let polar = PolarRadial::new(3, Kappa::new(1e6).unwrap(), eps(1e-3)).unwrap();
    let length = polar.length_grid().step();
    assert_eq!(polar.added_distance(Metric::Radial), Some(length));
    assert!(polar.added_distance(Metric::Chordal).unwrap() < length);
    let thin = Mahalanobis::diagonal(eps(1.0), vec![0.25, 1.0]).unwrap();
    let step = thin.grid().step();
    assert!(
        (thin.added_distance(Metric::Mahalanobis).unwrap() - 2.0 * 2f64.sqrt() * step).abs() < 1e-12 * step
    );
}
