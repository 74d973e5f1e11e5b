//! Every mechanism keeps its guarantee and its channel, on a small lexicon where all outcomes can
//! be counted.

use std::sync::Arc;

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Calibration, Epsilon, Guarantee, Metric, NoiseAddress, NoiseKey};

use super::*;

/// Nine words in three dimensions, near and far, with different lengths in the model.
pub(crate) fn small() -> Arc<Lexicon> {
    let words = ["ant", "bee", "cat", "dog", "elm", "fir", "gnu", "hen", "ivy"].map(String::from).to_vec();
    let rows: Vec<f32> = (0..9)
        .flat_map(|i| {
            let angle = f64::from(i) * 0.65;
            let length = 1.0 + f64::from(i % 3);
            [angle.cos() * length, angle.sin() * length, (f64::from(i) - 4.0) * 0.2 * length]
                .map(|x| x as f32)
        })
        .collect();
    Arc::new(Lexicon::words_from_table(words, &rows, 3).unwrap())
}

/// Counts how often each entry is drawn for each entry.
fn counts(mechanism: &dyn Mechanism, epsilon: f64, draws: usize) -> Vec<Vec<usize>> {
    let epsilon = Epsilon::new(epsilon).unwrap();
    let key = NoiseKey::insecure_from_seed(7);
    (0..9_u32)
        .map(|id| {
            let place = |at: usize| NoiseAddress::record(u64::from(id)).position(at as u64);
            let tokens: Vec<Token> = (0..draws).map(|at| Token { id, epsilon, place: place(at) }).collect();
            let mut counts = vec![0; 9];
            mechanism.draw(&tokens, &key).unwrap().iter().for_each(|&id| counts[id as usize] += 1);
            counts
        })
        .collect()
}

/// One key and one place for two words. With shared noise, randomised response reports the same
/// word for both in most draws.
#[test]
fn two_words_at_one_place_do_not_share_noise() {
    let key = NoiseKey::insecure_from_seed(7);
    let lexicon = small();
    let mechanism = MechanismSettings::of(MechanismName::RandomizedResponse).build(lexicon.clone()).unwrap();
    let epsilon = Epsilon::new(0.01).unwrap();
    let draw = |id: u32| {
        let token = |at: u64| Token { id, epsilon, place: NoiseAddress::record(at) };
        mechanism.draw(&(0..900).map(token).collect::<Vec<_>>(), &key).unwrap()
    };
    let (first, second) = (draw(0), draw(1));
    assert_eq!(first, draw(0), "a retry repeats");
    let equal = first.iter().zip(&second).filter(|(a, b)| a == b).count();
    // One in nine is expected, 100 of 900. The tolerance is five standard deviations.
    assert!((52..=148).contains(&equal), "{equal} of 900");
}

#[test]
fn the_certified_loss_is_the_true_loss_of_the_channel() {
    let lexicon = small();
    for name in
        [MechanismName::Exponential, MechanismName::TruncatedExponential, MechanismName::RandomizedResponse]
    {
        let mechanism = MechanismSettings::of(name).build(lexicon.clone()).unwrap();
        let epsilon = Epsilon::new(6.0).unwrap();
        for id in 0..9 {
            for other in 0..9 {
                let certified = mechanism.certified_epsilon(id, other, epsilon).unwrap().unwrap().get();
                let [a, b] = [id, other].map(|id| mechanism.channel(id, epsilon).unwrap().unwrap());
                let loss = a.iter().zip(&b).map(|(a, b)| (a / b).ln().abs()).fold(0.0, f64::max);
                assert!(
                    (certified - loss).abs() < 1e-9 && certified >= loss - 1e-12,
                    "{name:?} {id} {other}"
                );
            }
        }
    }
}

fn all(lexicon: &Arc<Lexicon>) -> Vec<Box<dyn Mechanism>> {
    let mut all: Vec<MechanismSettings> =
        MechanismName::ALL.iter().map(|name| MechanismSettings::of(*name)).collect();
    all.push(MechanismSettings {
        nearest_by: NearestBy::Euclidean,
        ..MechanismSettings::of(MechanismName::LaplaceL1)
    });
    all.push(MechanismSettings {
        calibration: Calibration::Pure,
        ..MechanismSettings::of(MechanismName::Polar)
    });
    all.push(MechanismSettings {
        calibration: Calibration::Reference,
        ..MechanismSettings::of(MechanismName::Polar)
    });
    all.push(MechanismSettings {
        radial_epsilon: Epsilon::new(2.0).unwrap(),
        ..MechanismSettings::of(MechanismName::PolarRadial)
    });
    all.iter().map(|settings| settings.build(lexicon.clone()).unwrap()).collect()
}

/// No outcome distinguishes two inputs better than the guarantee allows. With z = 6.5 standard
/// errors over fewer than a thousand comparisons, the test fails by chance with probability below
/// 10⁻⁷.
#[test]
fn no_mechanism_breaks_its_guarantee() {
    let lexicon = small();
    for mechanism in all(&lexicon) {
        for epsilon in [0.5, 3.0] {
            let draws = 20_000;
            let counts = counts(&*mechanism, epsilon, draws);
            let guarantee = mechanism.guarantee(Epsilon::new(epsilon).unwrap()).unwrap();
            for (a, b) in (0..9).flat_map(|a| (0..9).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                let bound = loss(&lexicon, &guarantee, a, b);
                for (&at_a, &at_b) in counts[a as usize].iter().zip(&counts[b as usize]) {
                    if at_a.min(at_b) < 30 {
                        continue;
                    }
                    let (at_a, at_b) = (at_a as f64, at_b as f64);
                    let error = (1.0 / at_a + 1.0 / at_b).sqrt();
                    assert!(
                        (at_a / at_b).ln() - 6.5 * error <= bound,
                        "{mechanism:?} at {epsilon}: {at_a} and {at_b} of {draws}, guaranteed {bound}"
                    );
                }
            }
        }
    }
}

/// The bound of the guarantee for a pair of entries. The elliptical distance is not known here, but
/// its Euclidean equivalent is.
fn loss(lexicon: &Lexicon, guarantee: &TokenGuarantee, a: u32, b: u32) -> f64 {
    let row = |id: u32| lexicon.row(id).unwrap().iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
    let guarantees = match guarantee.guarantees[0].metric() {
        Metric::Mahalanobis => &guarantee.equivalents,
        _ => &guarantee.guarantees,
    };
    let of = |guarantee: &Guarantee| {
        let distance = guarantee.metric().between(&row(a), &row(b)).unwrap();
        guarantee.loss(distance).unwrap().get()
    };
    guarantees.iter().map(of).sum::<f64>() + 1e-4
}

/// If the probabilities are known, draws follow them. χ² with up to 9·8 degrees of freedom exceeds
/// 160 with probability 10⁻⁸.
#[test]
fn draws_follow_the_channel() {
    let lexicon = small();
    for mechanism in all(&lexicon) {
        let epsilon = Epsilon::new(2.0).unwrap();
        if mechanism.channel(0, epsilon).unwrap().is_none() {
            continue;
        }
        let draws = 20_000;
        let counts = counts(&*mechanism, 2.0, draws);
        let mut chi_square = 0.0;
        for (id, counts) in (0..).zip(&counts) {
            let channel = mechanism.channel(id, epsilon).unwrap().unwrap();
            assert!((channel.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for (count, probability) in counts.iter().zip(channel) {
                let expected = probability * draws as f64;
                chi_square += (*count as f64 - expected).powi(2) / expected;
            }
        }
        assert!(chi_square < 160.0, "{mechanism:?}: {chi_square}");
    }
}

/// Words are kept at a large budget and not at a tiny one, so no mechanism ignores its budget.
#[test]
fn every_mechanism_depends_on_its_budget() {
    let lexicon = small();
    for mechanism in all(&lexicon) {
        let kept = |epsilon: f64| {
            let counts = counts(&*mechanism, epsilon, 300);
            (0..9).map(|id| counts[id][id]).sum::<usize>() as f64 / 2700.0
        };
        let (little, much) = (kept(0.01), kept(1e5));
        assert!(little < 0.3 && much > 0.99, "{mechanism:?}: {little} {much}");
    }
}

/// With one more coordinate, the search by product finds the nearest entry by distance.
#[test]
fn euclidean_decoding_is_by_distance() {
    let lexicon = small();
    let settings = MechanismSettings {
        nearest_by: NearestBy::Euclidean,
        ..MechanismSettings::of(MechanismName::LaplaceL1)
    };
    let mechanism = settings.build(lexicon.clone()).unwrap();
    let epsilon = Epsilon::new(1e9).unwrap();
    // With hardly any noise every entry finds itself, although several have nearly the same
    // direction.
    let tokens: Vec<Token> =
        (0..9).map(|id| Token { id, epsilon, place: NoiseAddress::record(u64::from(id)) }).collect();
    let drawn = mechanism.draw(&tokens, &NoiseKey::insecure_from_seed(1)).unwrap();
    assert_eq!(drawn, (0..9).collect::<Vec<u32>>());
}

/// `reference` divides ε by π, so its draws equal those of `paper` with ε/π.
#[test]
fn the_reference_calibration_divides_epsilon_by_pi() {
    let lexicon = small();
    let draws = |calibration: Calibration, epsilon: f64| {
        let settings = MechanismSettings { calibration, ..MechanismSettings::default() };
        counts(&*settings.build(lexicon.clone()).unwrap(), epsilon, 50)
    };
    let pi = std::f64::consts::PI;
    assert_eq!(draws(Calibration::Reference, 3.0 * pi), draws(Calibration::Paper, 3.0));
    assert_ne!(draws(Calibration::Reference, 3.0), draws(Calibration::Paper, 3.0));
}

#[test]
fn settings_out_of_range_are_refused() {
    for settings in [
        MechanismSettings { ellipse: 1.0, ..MechanismSettings::of(MechanismName::Mahalanobis) },
        MechanismSettings { ellipse: f64::NAN, ..MechanismSettings::of(MechanismName::Mahalanobis) },
        MechanismSettings { failure: 0.0, ..MechanismSettings::of(MechanismName::TruncatedExponential) },
    ] {
        assert!(settings.build(small()).is_err());
    }
    for name in MechanismName::ALL {
        assert_eq!(name.name().parse(), Ok(*name));
    }
    assert!("pola".parse::<MechanismName>().unwrap_err().to_string().contains("polar"));
}
