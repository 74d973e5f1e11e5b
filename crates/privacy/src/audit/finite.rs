//! Checks of mechanisms on finite sets.

use super::check::{Check, Draw, Test};
use crate::{
    Epsilon, Error, Exponential, Metric, NoiseStream, RandomizedResponse, TruncatedExponential, Uniform,
};

/// The distance between one isolated candidate and a cluster, and the size of the cluster. Half of
/// the loss comes from the normaliser, so this pair uses nearly the full guarantee of the
/// exponential mechanism.
const DISTANCE: f64 = 1.0;
const CLUSTER: usize = 20;

pub(super) fn checks(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let mut all = Vec::new();
    for name in ["exponential", "tem"] {
        all.push(isolated(name, 5.0, noise_scale)?);
        all.push(line(name, 3.0, noise_scale)?);
    }
    let responses = |epsilon: f64| RandomizedResponse::new(10, Epsilon::new(epsilon)?);
    let answer = |mechanism: RandomizedResponse, category: usize| -> Draw<usize> {
        Box::new(move |stream, _| mechanism.sample(category, stream))
    };
    for epsilon in [1.0, 4.0] {
        let scaled = responses(epsilon / noise_scale)?;
        all.push(Check {
            mechanism: "randomized-response".into(),
            about: format!("k = 10, ε = {epsilon}, two categories"),
            samples: 1_000_000,
            test: Test::Loss {
                claimed: responses(epsilon)?.guarantee().epsilon().get(),
                delta: 0.0,
                under_x: hit(answer(scaled, 3), 3),
                under_other: hit(answer(scaled, 7), 3),
            },
        });
        let keep = responses(epsilon)?.keep_probability();
        let probabilities = (0..10).map(|y| if y == 3 { keep } else { (1.0 - keep) / 9.0 }).collect();
        all.push(Check {
            mechanism: "randomized-response".into(),
            about: format!("k = 10, ε = {epsilon}, all answers"),
            samples: 2_000_000,
            test: Test::Discrete { probabilities, draw: answer(scaled, 3) },
        });
    }
    // A uniform draw has no scale. Its typical error is that it favours its input.
    let uniform = |category: usize| -> Result<Draw<usize>, Error> {
        if noise_scale == 1.0 {
            let mechanism = Uniform::new(10)?;
            return Ok(Box::new(move |stream, _| mechanism.sample(stream)));
        }
        Ok(answer(responses(noise_scale.ln().abs())?, category))
    };
    all.push(Check {
        mechanism: "uniform".into(),
        about: "k = 10, two categories".into(),
        samples: 1_000_000,
        test: Test::Loss {
            claimed: Uniform::new(10)?.guarantee().epsilon().get(),
            delta: 0.0,
            under_x: hit(uniform(3)?, 3),
            under_other: hit(uniform(7)?, 3),
        },
    });
    all.push(Check {
        mechanism: "uniform".into(),
        about: "k = 10, all outcomes".into(),
        samples: 4_000_000,
        test: Test::Discrete { probabilities: vec![0.1; 10], draw: uniform(3)? },
    });
    Ok(all)
}

/// A channel over a finite set of points: it takes distances and returns an index.
fn channel(
    name: &str,
    epsilon: f64,
) -> Result<impl Fn(&[f64], &mut NoiseStream) -> Result<usize, Error>, Error> {
    let epsilon = Epsilon::new(epsilon)?;
    let exponential = Exponential::new(epsilon, Metric::Euclidean);
    let truncated = TruncatedExponential::new(epsilon, DISTANCE, Metric::Euclidean)?;
    let is_tem = name == "tem";
    Ok(move |distances: &[f64], stream: &mut NoiseStream| {
        if is_tem {
            truncated.sample(distances, stream)
        } else {
            let scores: Vec<f64> = distances.iter().map(|d| -d).collect();
            exponential.sample(&scores, stream)
        }
    })
}

/// The worst pair: an isolated candidate (index 0) against one in a cluster at distance
/// [`DISTANCE`].
fn isolated(name: &'static str, epsilon: f64, noise_scale: f64) -> Result<Check, Error> {
    let isolated: Vec<f64> = (0..=CLUSTER).map(|y| if y == 0 { 0.0 } else { DISTANCE }).collect();
    let clustered: Vec<f64> = (0..=CLUSTER).map(|y| if y == 0 { DISTANCE } else { 0.0 }).collect();
    let draw = |distances: Vec<f64>| -> Result<Draw<usize>, Error> {
        let channel = channel(name, epsilon / noise_scale)?;
        Ok(Box::new(move |stream, _| channel(&distances, stream)))
    };
    let guarantee = Exponential::new(Epsilon::new(epsilon)?, Metric::Euclidean).guarantee();
    Ok(Check {
        mechanism: name.into(),
        about: format!("one isolated against {CLUSTER} together, ε·d = {epsilon}"),
        samples: 2_000_000,
        test: Test::Loss {
            claimed: guarantee.loss(DISTANCE)?.get(),
            delta: 0.0,
            under_x: hit(draw(isolated)?, 0),
            under_other: hit(draw(clustered)?, 0),
        },
    })
}

/// Twelve points on a line, some of them beyond the truncation.
fn line(name: &'static str, epsilon: f64, noise_scale: f64) -> Result<Check, Error> {
    let distances: Vec<f64> = (0..12).map(|y| f64::from(y) * 0.15).collect();
    let exact = if name == "tem" {
        TruncatedExponential::new(Epsilon::new(epsilon)?, DISTANCE, Metric::Euclidean)?
            .log_probabilities(&distances)?
    } else {
        let scores: Vec<f64> = distances.iter().map(|d| -d).collect();
        Exponential::new(Epsilon::new(epsilon)?, Metric::Euclidean).log_probabilities(&scores)?
    };
    let channel = channel(name, epsilon / noise_scale)?;
    Ok(Check {
        mechanism: name.into(),
        about: format!("12 points on a line, ε = {epsilon}"),
        samples: 1_000_000,
        test: Test::Discrete {
            probabilities: exact.iter().map(|l| l.exp()).collect(),
            draw: Box::new(move |stream, _| channel(&distances, stream)),
        },
    })
}

/// Returns 1 if the draw is `target` and 0 otherwise: the event of a loss check.
fn hit(draw: Draw<usize>, target: usize) -> Draw<f64> {
    Box::new(move |stream, buffer| Ok(f64::from(u8::from(draw(stream, buffer)? == target))))
}
