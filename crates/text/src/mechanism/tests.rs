//! Every mechanism keeps its promise and its channel, on a small lexicon where all outcomes can be counted.

use super::*;

/// Nine words in three dimensions: near ones, far ones, and different lengths in the model.
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

/// How often each entry comes out for each entry.
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

fn all(lexicon: &Arc<Lexicon>) -> Vec<Box<dyn Mechanism>> {
    let mut all: Vec<MechanismSettings> = Name::ALL.iter().map(|name| MechanismSettings::of(*name)).collect();
    all.push(MechanismSettings { decoding: Decoding::Euclidean, ..MechanismSettings::of(Name::LaplaceL1) });
    all.push(MechanismSettings { calibration: Calibration::Pure, ..MechanismSettings::of(Name::Polar) });
    all.push(MechanismSettings { calibration: Calibration::Reference, ..MechanismSettings::of(Name::Polar) });
    all.push(MechanismSettings {
        radial_epsilon: Epsilon::new(2.0).unwrap(),
        ..MechanismSettings::of(Name::PolarRadial)
    });
    all.iter().map(|settings| settings.build(lexicon.clone()).unwrap()).collect()
}

/// No outcome tells two inputs apart better than was promised. With z = 6.5 standard errors over fewer than a thousand comparisons a
/// false alarm has a probability below 10⁻⁷.
#[test]
fn no_mechanism_tells_more_than_it_promises() {
    let lexicon = small();
    for mechanism in all(&lexicon) {
        for epsilon in [0.5, 3.0] {
            let draws = 20_000;
            let counts = counts(&*mechanism, epsilon, draws);
            let promise = mechanism.promise(Epsilon::new(epsilon).unwrap()).unwrap();
            for (a, b) in (0..9).flat_map(|a| (0..9).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                let bound = loss(&lexicon, &promise, a, b);
                for (&at_a, &at_b) in counts[a as usize].iter().zip(&counts[b as usize]) {
                    if at_a.min(at_b) < 30 {
                        continue;
                    }
                    let (at_a, at_b) = (at_a as f64, at_b as f64);
                    let error = (1.0 / at_a + 1.0 / at_b).sqrt();
                    assert!(
                        (at_a / at_b).ln() - 6.5 * error <= bound,
                        "{mechanism:?} at {epsilon}: {at_a} and {at_b} of {draws}, promised {bound}"
                    );
                }
            }
        }
    }
}

/// What is promised for a pair of entries. The elliptical distance of the promise is not known here; its Euclidean equivalent is.
fn loss(lexicon: &Lexicon, promise: &Promise, a: u32, b: u32) -> f64 {
    let row = |id: u32| lexicon.row(id).unwrap().iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
    let guarantees = match promise.guarantees[0].metric() {
        Metric::Mahalanobis => &promise.equivalents,
        _ => &promise.guarantees,
    };
    let of = |guarantee: &Guarantee| {
        let distance = guarantee.metric().between(&row(a), &row(b)).unwrap();
        guarantee.loss(distance).unwrap().get()
    };
    guarantees.iter().map(of).sum::<f64>() + 1e-4
}

/// Where the probabilities are known, draws follow them: χ² with up to 9·8 degrees of freedom stays below 160 but with a probability of
/// 10⁻⁸.
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

/// At a large budget words stay, at a tiny one they do not: no mechanism ignores its budget.
#[test]
fn budgets_count() {
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

/// With the length of one more coordinate, the search by product finds the nearest by distance.
#[test]
fn euclidean_decoding_is_by_distance() {
    let lexicon = small();
    let settings =
        MechanismSettings { decoding: Decoding::Euclidean, ..MechanismSettings::of(Name::LaplaceL1) };
    let mechanism = settings.build(lexicon.clone()).unwrap();
    let epsilon = Epsilon::new(1e9).unwrap();
    // Hardly any noise: every entry finds itself, though several lie in nearly the same direction.
    let tokens: Vec<Token> =
        (0..9).map(|id| Token { id, epsilon, place: NoiseAddress::record(u64::from(id)) }).collect();
    let drawn = mechanism.draw(&tokens, &NoiseKey::insecure_from_seed(1)).unwrap();
    assert_eq!(drawn, (0..9).collect::<Vec<u32>>());
}

/// `reference` divides ε by π: what comes out is what `paper` gives for ε/π, draw for draw.
#[test]
fn calibrations_differ_by_what_they_say() {
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
fn choices_out_of_range_are_refused() {
    for settings in [
        MechanismSettings { ellipse: 1.0, ..MechanismSettings::of(Name::Mahalanobis) },
        MechanismSettings { ellipse: f64::NAN, ..MechanismSettings::of(Name::Mahalanobis) },
        MechanismSettings { failure: 0.0, ..MechanismSettings::of(Name::TruncatedExponential) },
    ] {
        assert!(settings.build(small()).is_err());
    }
    for name in Name::ALL {
        assert_eq!(name.name().parse(), Ok(*name));
    }
    assert!("pola".parse::<Name>().unwrap_err().to_string().contains("polar"));
}
