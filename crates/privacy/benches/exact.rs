//! The cost of exact samplers beside the same draws in floating point, and of deriving a stream
//! from its input.
//!
//! `cargo bench -p inkveil-privacy --bench exact`. All ratios come from one run: the candidates take
//! turns, and each figure is the median over rounds.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use inkveil_privacy::exact::{DiscreteGaussian, DiscreteLaplace};
use inkveil_privacy::{
    Epsilon, Exponential, Grid, LaplaceL2, Metric, NoiseAddress, NoiseKey, NoiseStream, OutputUse,
    RandomizedResponse, VectorMechanism,
};

const DIM: usize = 768;
const WORDS: usize = 30_000;
const ROUNDS: usize = 101;
const DRAWS: usize = 20;

type Work<'w> = (&'static str, Box<dyn FnMut(&mut NoiseStream) + 'w>);

fn main() {
    let key = NoiseKey::insecure_from_seed(1);
    let mut stream = key.stream(NoiseAddress::record(0), &());
    let row: Vec<f64> = (0..DIM).map(|i| (i as f64).sin()).collect();
    let narrow: Vec<f32> = row.iter().map(|x| *x as f32).collect();
    let grid = Grid::for_noise(1.0).unwrap();
    let steps = (1.0 / grid.step()) as u64;
    let (laplace, gaussian) =
        (DiscreteLaplace::new(steps).unwrap(), DiscreteGaussian::new(steps * steps).unwrap());
    let scores: Vec<f64> = (0..WORDS).map(|i| -1.4 * (i as f64 / WORDS as f64).powf(0.1)).collect();
    let other: Vec<f64> = scores.iter().rev().copied().collect();
    let epsilon = Epsilon::new(20.0).unwrap();
    let exponential = Exponential::new(epsilon, Metric::Chordal);
    let responses = RandomizedResponse::new(WORDS, Epsilon::new(10.0).unwrap()).unwrap();
    let round = LaplaceL2::new(DIM, epsilon).unwrap();
    let on_grid = |noise: &[f64]| {
        let mut noisy = row.clone();
        grid.add_row(&mut noisy, noise).unwrap();
        keep(noisy);
    };
    let in_steps = |noise: &mut dyn FnMut() -> i64| {
        let mut noisy = row.clone();
        grid.snap_row(&mut noisy).unwrap();
        noisy.iter_mut().for_each(|x| *x += noise() as f64 * grid.step());
        keep(noisy);
    };
    let mut pairs: Vec<[Work<'_>; 2]> = vec![
        [
            ("Laplace in floating point", Box::new(|s| on_grid(&laplace_row(s)))),
            ("discrete Laplace, exact", Box::new(|s| in_steps(&mut || laplace.draw(s)))),
        ],
        [
            ("Gaussian in floating point", Box::new(|s| on_grid(&normal_row(s)))),
            ("discrete Gaussian, exact", Box::new(|s| in_steps(&mut || gaussian.draw(s)))),
        ],
        [
            ("exponential in floating point", Box::new(|s| keep(by_sums(&scores, 20.0, s)))),
            ("exponential, exact", Box::new(|s| keep(exponential.sample(&scores, s)))),
        ],
        [
            ("response in floating point", Box::new(|s| keep(by_odds(WORDS, 10.0, s)))),
            ("randomised response, exact", Box::new(|s| keep(responses.sample(7, s)))),
        ],
        [
            ("exponential, exact", Box::new(|s| keep(exponential.sample(&scores, s)))),
            (
                "its certified loss for a pair",
                Box::new(|_| keep(exponential.certified_epsilon(&scores, &other))),
            ),
        ],
        [
            (
                "one draw of laplace-l2",
                Box::new(|s| {
                    let mut noisy = row.clone();
                    round.perturb(&mut noisy, OutputUse::Released, s).unwrap();
                    black_box(noisy);
                }),
            ),
            (
                "the stream of a row of f64",
                Box::new(|_| {
                    black_box(key.stream(NoiseAddress::record(7), &(&[7u8; 32][..], &row[..])));
                }),
            ),
        ],
        [
            (
                "the stream of a word",
                Box::new(|_| {
                    black_box(key.stream(NoiseAddress::record(7), &("exponential", &[20.0][..], 7u64)));
                }),
            ),
            (
                "the stream of a row of f32",
                Box::new(|_| {
                    black_box(key.stream(NoiseAddress::record(7), &(&[7u8; 32][..], &narrow[..])));
                }),
            ),
        ],
    ];
    let mut times = vec![[const { Vec::new() }; 2]; pairs.len()];
    for _ in 0..ROUNDS {
        for (pair, times) in pairs.iter_mut().zip(&mut times) {
            for ((_, work), times) in pair.iter_mut().zip(times) {
                let start = Instant::now();
                (0..DRAWS).for_each(|_| work(&mut stream));
                times.push(start.elapsed().as_secs_f64() / DRAWS as f64);
            }
        }
    }
    println!("{DIM} numbers or {WORDS} words, 1 thread, median of {ROUNDS} rounds of {DRAWS}\n");
    for (pair, times) in pairs.iter().zip(times) {
        let [a, b] = times.map(median);
        println!("{:<32}{:>10.2} µs", pair[0].0, a * 1e6);
        println!("{:<32}{:>10.2} µs{:>8.2} ×", pair[1].0, b * 1e6, b / a);
    }
}

/// Keeps a result from being optimised away.
fn keep<T>(result: T) {
    black_box(result);
}

/// Laplace noise of scale 1, with 64 signs from one number.
fn laplace_row(stream: &mut NoiseStream) -> Vec<f64> {
    let mut noise = vec![0.0; DIM];
    for block in noise.chunks_mut(64) {
        let signs = stream.next_u64();
        for (i, z) in block.iter_mut().enumerate() {
            *z = if signs >> i & 1 == 0 { 1.0 } else { -1.0 } * stream.exponential();
        }
    }
    noise
}

fn normal_row(stream: &mut NoiseStream) -> Vec<f64> {
    let mut noise = vec![0.0; DIM];
    stream.fill_normal(&mut noise);
    noise
}

/// The exponential mechanism by sums of weights in doubles.
fn by_sums(scores: &[f64], epsilon: f64, stream: &mut NoiseStream) -> usize {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sums: Vec<f64> = scores
        .iter()
        .scan(0.0, |sum, score| {
            *sum += (epsilon / 2.0 * (score - best)).exp();
            Some(*sum)
        })
        .collect();
    let at = stream.unit() * sums[sums.len() - 1];
    sums.partition_point(|sum| *sum <= at)
}

/// Randomised response by a comparison of doubles.
fn by_odds(size: usize, epsilon: f64, stream: &mut NoiseStream) -> u64 {
    let odds = (size as f64 - 1.0) * (-epsilon).exp();
    if stream.unit() >= odds / (1.0 + odds) { 7 } else { stream.below(size as u64 - 1).unwrap() }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
