//! Each fault of the past, put back on purpose: the tests of its promise must then fail.
//!
//! `cargo test --workspace --features inkveil-privacy/faults --test faults`. A fault holds for the
//! whole process, so everything is one test.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use inkveil_privacy::faults::{self, Fault};
use inkveil_privacy::{
    Epsilon, ErasedLaplace, Erasure, Kappa, LaplaceL1, LaplaceL2, NoiseAddress, NoiseKey, PolarRadial,
    Purkayastha, Slack, VectorMechanism, Vmf, release_rows,
};

fn eps(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn release(mechanism: &dyn VectorMechanism, row: &[f64], record: u64) -> Vec<f64> {
    let mut row = row.to_vec();
    let key = NoiseKey::insecure_from_seed(1);
    release_rows(mechanism, &mut row, NoiseAddress::record(record), &key).unwrap();
    row
}

/// Whether two outputs at one address reveal the difference of their inputs.
fn noise_is_shared() -> bool {
    let mechanism = LaplaceL2::new(2, eps(1.0)).unwrap();
    let (a, b) = (release(&mechanism, &[0.0, 0.0], 0), release(&mechanism, &[5.0, 0.0], 0));
    (b[0] - a[0] - 5.0).abs() < 1e-5 && (b[1] - a[1]).abs() < 1e-5
}

/// Whether the last bits of a direction without noise tell lengths apart.
fn directions_reveal_lengths() -> bool {
    let mechanism = PolarRadial::new(8, Kappa::INFINITE, eps(2.0)).unwrap();
    let direction = Vmf::new(8, Kappa::INFINITE).unwrap();
    let row: Vec<f64> = (0..8).map(|i| (f64::from(i) * 0.7).sin() + 0.2).collect();
    let mut seen = BTreeSet::new();
    let mut off = 0;
    for trial in 0..200 {
        let length = 1.0 + f64::from(trial) / 199.0;
        let scaled: Vec<f64> = row.iter().map(|x| x * length).collect();
        seen.insert(release(&direction, &scaled, 0).iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        let released = release(&mechanism, &scaled, 0);
        off += u32::from(released.iter().any(|x| !mechanism.grid().contains(*x)));
    }
    seen.len() > 1 && off > 0
}

/// Whether a sampler in floating point claims to be exact.
fn slack_is_missing() -> bool {
    LaplaceL2::new(768, eps(10.0)).unwrap().slack() == Slack::NONE
}

/// Whether the mean of releases shows a difference inside the erased span.
fn erased_direction_shows() -> bool {
    let axes = vec![0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let erasure = Erasure::new(3, axes.clone(), vec![0.0; 2], axes, 0.5, &[1.0, 0.0, 0.0]).unwrap();
    let mechanism = ErasedLaplace::new(eps(20.0), erasure).unwrap();
    let mean = |first: f64| {
        let total: f64 = (0..2000).map(|record| release(&mechanism, &[first, 0.2, 0.2], record)[1]).sum();
        total / 2000.0
    };
    (mean(0.5) - mean(-0.5)).abs() > 0.2
}

/// Returns the mean size of the noise of each mechanism.
fn sizes() -> Vec<f64> {
    let mechanisms: [Box<dyn VectorMechanism>; 4] = [
        Box::new(LaplaceL1::new(3, eps(2.0)).unwrap()),
        Box::new(LaplaceL2::new(3, eps(2.0)).unwrap()),
        Box::new(Vmf::new(3, Kappa::new(200.0).unwrap()).unwrap()),
        Box::new(Purkayastha::new(3, eps(50.0)).unwrap()),
    ];
    let size = |mechanism: &dyn VectorMechanism| -> f64 {
        let row = [1.0, 0.0, 0.0];
        let draws = 4000;
        let lengths = (0..draws).map(|record| {
            let noisy = release(mechanism, &row, record);
            noisy.iter().zip(&row).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        });
        lengths.sum::<f64>() / draws as f64
    };
    mechanisms.iter().map(|mechanism| size(mechanism.as_ref())).collect()
}

#[test]
fn every_fault_breaks_its_promise_and_only_while_it_is_set() {
    let promises =
        || [noise_is_shared(), directions_reveal_lengths(), slack_is_missing(), erased_direction_shows()];
    assert_eq!(promises(), [false; 4]);
    let full = sizes();
    let all = [Fault::NoiseReuse, Fault::OffGrid, Fault::HiddenSlack, Fault::SpanOffByOne];
    for (index, fault) in all.into_iter().enumerate() {
        faults::set(Some(fault));
        let broken = promises();
        faults::set(None);
        for (promise, is_broken) in broken.into_iter().enumerate() {
            assert_eq!(is_broken, promise == index, "{fault:?}, promise {promise}");
        }
        assert_eq!(promises(), [false; 4]);
    }
    faults::set(Some(Fault::UnderNoise(0.5)));
    let less = sizes();
    faults::set(None);
    for (full, less) in full.iter().zip(&less) {
        assert!(*less < 0.8 * full, "{less} of {full}");
    }
}
