//! The cost of one 768-dimensional draw, as a ratio to drawing 768 standard normals from the same
//! stream.
//!
//! `cargo bench -p inkveil-privacy --bench draws [-- PYTHON]`, with PYTHON an interpreter that has
//! SciPy and OpenDP (`python3` by default; missing packages are skipped). All ratios come from one
//! run: the candidates take turns, and each figure is the median over rounds.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use inkveil_privacy::{
    Epsilon, Gaussian, Kappa, LaplaceL1, LaplaceL2, Mahalanobis, NoiseAddress, NoiseKey, OutputUse,
    PolarRadial, Purkayastha, VectorMechanism, Vmf,
};

const DIM: usize = 768;
const ROUNDS: usize = 301;
const DRAWS: usize = 30;
/// The required bound for the four mechanisms of the papers.
const BOUND: f64 = 2.0;

fn main() {
    let epsilon = Epsilon::new(100.0).unwrap();
    let kappa = Kappa::new(100.0).unwrap();
    let sigma: Vec<f64> = (0..DIM).map(|i| 0.1 + (i % 10) as f64 / 5.0).collect();
    let mechanisms: Vec<(Box<dyn VectorMechanism>, bool)> = vec![
        (Box::new(Vmf::new(DIM, kappa).unwrap()), true),
        (Box::new(Purkayastha::new(DIM, epsilon).unwrap()), true),
        (Box::new(LaplaceL2::new(DIM, epsilon).unwrap()), true),
        (Box::new(Mahalanobis::diagonal(epsilon, sigma).unwrap()), true),
        (Box::new(LaplaceL1::new(DIM, epsilon).unwrap()), false),
        (Box::new(Gaussian::new(DIM, Epsilon::new(1.0).unwrap(), 1e-6, 2.0).unwrap()), false),
        (Box::new(PolarRadial::new(DIM, kappa, epsilon).unwrap()), false),
    ];
    let key = NoiseKey::insecure_from_seed(1);
    let mut stream = key.stream(NoiseAddress::record(0), &());
    let start: Vec<f64> = (0..DIM).map(|i| (i as f64).sin()).collect();
    let mut row = start.clone();
    let mut times = vec![Vec::with_capacity(ROUNDS); 1 + 2 * mechanisms.len()];
    for _ in 0..ROUNDS {
        times[0].push(timed(|| stream.fill_normal(black_box(&mut row))));
        for (i, (mechanism, _)) in mechanisms.iter().enumerate() {
            for (j, output) in [OutputUse::Decoded, OutputUse::Released].into_iter().enumerate() {
                let seconds = timed(|| {
                    row.copy_from_slice(&start);
                    mechanism.perturb(black_box(&mut row), output, &mut stream).unwrap();
                });
                times[1 + 2 * i + j].push(seconds);
            }
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    println!("one draw in {DIM} dimensions, 1 thread, median of {ROUNDS} rounds of {DRAWS}\n");
    println!("{:<22}{:>12}{:>10}{:>16}{:>10}", "", "µs", "ratio", "µs on the grid", "ratio");
    println!("{:<22}{:>12.2}{:>10.2}", format!("{DIM} normals"), medians[0] * 1e6, 1.0);
    let mut within = true;
    for (i, (mechanism, bounded)) in mechanisms.iter().enumerate() {
        let (plain, grid) = (medians[1 + 2 * i], medians[2 + 2 * i]);
        let (a, b) = (plain / medians[0], grid / medians[0]);
        println!("{:<22}{:>12.2}{:>10.2}{:>16.2}{:>10.2}", mechanism.name(), plain * 1e6, a, grid * 1e6, b);
        within &= !bounded || a.max(b) <= BOUND;
    }
    let verdict = if within { "met" } else { "NOT MET" };
    println!(
        "\nat most {BOUND:.1} × the normals for polar, purkayastha, laplace-l2 and mahalanobis: {verdict}"
    );
    peers(medians[1], medians[1 + 2 * 2]);
}

/// Returns the mean seconds of one call.
fn timed(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..DRAWS).for_each(|_| work());
    start.elapsed().as_secs_f64() / DRAWS as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints the same draws by other libraries, if they are installed.
fn peers(vmf: f64, laplace: f64) {
    let python = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_else(|| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers.py");
    let output = match Command::new(&python).args([script, &DIM.to_string()]).output() {
        Ok(output) if output.status.success() => output,
        _ => return println!("peers: {python} is missing or failed; nothing to compare with"),
    };
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.split_once('\t').and_then(|(name, s)| Some((name, s.parse::<f64>().ok()?))) {
            Some((name, seconds)) => {
                let ours = if name.contains("vonmises") { vmf } else { laplace };
                println!("{name}: {:.1} µs per draw, {:.0} × ours", seconds * 1e6, seconds / ours);
            }
            None => println!("{line}"),
        }
    }
}
