//! Tests the optimiser, and that resumed training gives the same result.

use std::fs;
use std::path::Path;

use inkveil_nn::layers::{Activation, Dropout, Linear};
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, ParameterGroup, Schedule};
use inkveil_nn::{DType, Device, Error, ErrorKind, Init, Scope, Tensor};

/// A small network with dropout, on fixed data.
struct Run {
    scope: Scope,
    first: Linear,
    second: Linear,
    dropout: Dropout,
    optimiser: AdamW,
}

const SCHEDULE: Schedule = Schedule { peak: 0.05, warm_up: 5, steps: 20, decay: Decay::Cosine };

impl Run {
    fn new(seed: u64) -> Self {
        let scope = Scope::trainable(None, &Device::Cpu, seed);
        let first = Linear::new(&scope.enter("first"), 6, 8, true).unwrap();
        let second = Linear::new(&scope.enter("second"), 8, 1, true).unwrap();
        let dropout = Dropout::new(&scope.enter("dropout"), 0.2).unwrap();
        let optimiser = AdamW::new(scope.variables(), AdamWSettings::default())
            .unwrap()
            .group(|_, variable| variable.rank() < 2, ParameterGroup { rate: 1.0, weight_decay: 0.0 })
            .unwrap();
        Run { scope, first, second, dropout, optimiser }
    }

    /// Returns the squared error on one of two batches.
    fn loss(&self, batch: u64) -> Result<Tensor, Error> {
        let scope = Scope::trainable(None, &Device::Cpu, 1 + batch).freeze();
        let x = scope.get("data", &[16, 6], Init::Normal { std: 1.0 })?;
        let y = x.narrow(1, 0, 1)?.sin()?;
        let inner = self.dropout.forward(&Activation::Gelu.forward(&self.first.forward(&x)?)?)?;
        Ok((self.second.forward(&inner)? - y)?.sqr()?.mean_all()?)
    }

    /// Trains up to a step, with two batches per step.
    fn train_to(&mut self, end: u64) {
        let mut gradients = Gradients::new(self.scope.variables());
        for step in self.optimiser.steps()..end {
            self.scope.train_at(step).unwrap();
            for batch in 0..2 {
                gradients.add(&self.loss(batch).unwrap(), 0.5).unwrap();
            }
            gradients.clip(1.0).unwrap();
            self.optimiser.step(&mut gradients, SCHEDULE.rate(step)).unwrap();
        }
        self.scope.infer();
    }

    /// Returns the bits of all values.
    fn bits(&self) -> Vec<u32> {
        let variables = self.scope.variables();
        let values = variables.iter().flat_map(|(_, v)| v.flatten_all().unwrap().to_vec1::<f32>().unwrap());
        values.map(f32::to_bits).collect()
    }

    fn error(&self) -> f32 {
        self.loss(0).unwrap().to_scalar().unwrap()
    }
}

#[test]
fn a_resumed_run_gives_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.safetensors");
    let mut whole = Run::new(7);
    let before = whole.error();
    whole.train_to(20);
    assert!(whole.error() < 0.5 * before, "{} after, {before} before", whole.error());

    let mut half = Run::new(7);
    half.train_to(10);
    half.optimiser.save(&path, &vec!["the caller's", "state"]).unwrap();
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "no temporary file remains");

    let mut other = Run::new(7);
    other.train_to(3); // the previous state is overwritten
    let state: Vec<String> = other.optimiser.restore(&path).unwrap();
    assert_eq!(state, ["the caller's", "state"]);
    assert_eq!(other.optimiser.steps(), 10);
    assert_eq!(other.bits(), half.bits());
    assert_ne!(other.bits(), whole.bits());
    other.train_to(20);
    assert_eq!(other.bits(), whole.bits());

    // The same state gives the same file.
    let again = folder.path().join("again.safetensors");
    half.optimiser.save(&again, &vec!["the caller's", "state"]).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
}

#[test]
fn mismatched_checkpoints_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let mut run = Run::new(7);
    run.train_to(2);
    run.optimiser.save(&path, &()).unwrap();
    let bits = run.bits();
    let kind = |run: &mut Run, path: &Path| run.optimiser.restore::<()>(path).unwrap_err().kind().clone();

    let one = Scope::trainable(None, &Device::Cpu, 0);
    one.get("x", &[2], Init::Ones).unwrap();
    let other = folder.path().join("other.safetensors");
    AdamW::new(one.variables(), AdamWSettings::default()).unwrap().save(&other, &()).unwrap();
    assert!(matches!(kind(&mut run, &other), ErrorKind::Corrupt { .. }));

    let bytes = fs::read(&path).unwrap();
    for end in [0, 7, 100, bytes.len() - 1] {
        fs::write(&other, &bytes[..end]).unwrap();
        assert!(matches!(kind(&mut run, &other), ErrorKind::Corrupt { .. }), "cut at {end}");
    }
    assert!(run.optimiser.restore::<Vec<u8>>(&path).is_err(), "a state of a different type");
    assert!(matches!(kind(&mut run, &folder.path().join("no")), ErrorKind::Io { .. }));
    assert_eq!((run.bits(), run.optimiser.steps()), (bits, 2));
}

#[test]
fn steps_match_the_reference() {
    // Computed by torch.optim.AdamW (torch 2) in float64: lr 0.1, betas (0.9, 0.99), eps 1e-8,
    // weight decay 0.1, loss Σ (x − 3)²·(1, 10), from (1, −2).
    const EXPECTED: [[f64; 2]; 3] = [
        [1.08999999975, -1.88000000001],
        [1.1789639496501603, -1.7612651967463886],
        [1.2668043518860574, -1.643827555280931],
    ];
    let scope = Scope::trainable(None, &Device::Cpu, 0).with_dtype(DType::F64);
    let x = scope.get("x", &[2], Init::Zeros).unwrap();
    scope.variables()[0].1.set(&Tensor::new(&[1f64, -2.0], &Device::Cpu).unwrap()).unwrap();
    let settings = AdamWSettings { beta1: 0.9, beta2: 0.99, eps: 1e-8, weight_decay: 0.1 };
    let mut optimiser = AdamW::new(scope.variables(), settings).unwrap();
    let mut gradients = Gradients::new(scope.variables());
    let weights = Tensor::new(&[1f64, 10.0], &Device::Cpu).unwrap();
    for expected in EXPECTED {
        let loss = (&x - 3.0).unwrap().sqr().unwrap().mul(&weights).unwrap().sum_all().unwrap();
        gradients.add(&loss, 1.0).unwrap();
        optimiser.step(&mut gradients, 0.1).unwrap();
        let found = x.to_vec1::<f64>().unwrap();
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?} for {expected:?}");
    }
}

#[test]
fn groups_have_their_own_rate_and_decay() {
    let scope = Scope::trainable(None, &Device::Cpu, 0).with_dtype(DType::F64);
    let names = ["a.weight", "b.weight", "c.bias"];
    let all = names.map(|name| scope.get(name, &[1], Init::Ones).unwrap());
    let settings = AdamWSettings { weight_decay: 0.5, ..AdamWSettings::default() };
    let mut optimiser = AdamW::new(scope.variables(), settings)
        .unwrap()
        .group(|name, _| name.ends_with(".bias"), ParameterGroup { rate: 1.0, weight_decay: 0.0 })
        .unwrap()
        // A variable belongs to the first group that it passes.
        .group(|name, _| !name.starts_with("a."), ParameterGroup { rate: 0.1, weight_decay: 0.5 })
        .unwrap();
    let mut gradients = Gradients::new(scope.variables());
    let sum = Tensor::stack(&all, 0).unwrap().sum_all().unwrap();
    gradients.add(&sum, 1.0).unwrap();
    optimiser.step(&mut gradients, 0.1).unwrap();
    // The first step of Adam has length 1 in every coordinate.
    let expected = [1.0 - 0.1 * 1.5, 1.0 - 0.01 * 1.5, 1.0 - 0.1];
    for (value, expected) in all.iter().zip(expected) {
        let value = value.to_vec1::<f64>().unwrap()[0];
        assert!((value - expected).abs() < 1e-7, "{value} for {expected}");
    }
}

#[test]
fn batches_accumulate_and_clipping_keeps_the_direction() {
    let scope = Scope::trainable(None, &Device::Cpu, 0).with_dtype(DType::F64);
    let x = scope.get("x", &[3], Init::Normal { std: 1.0 }).unwrap();
    let batch = |scale: f64| ((&x * scale).unwrap().sqr().unwrap().sum_all()).unwrap();
    let mut parts = Gradients::new(scope.variables());
    parts.add(&batch(1.0), 0.25).unwrap();
    parts.add(&batch(3.0), 0.75).unwrap();
    let mut whole = Gradients::new(scope.variables());
    let sum = ((batch(1.0) * 0.25).unwrap() + (batch(3.0) * 0.75).unwrap()).unwrap();
    whole.add(&sum, 1.0).unwrap();
    let values = |gradients: &Gradients| gradients.get("x").unwrap().to_vec1::<f64>().unwrap();
    let close = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12);
    assert!(close(&values(&parts), &values(&whole)));
    let norm = whole.norm().unwrap();
    let before = values(&whole);
    assert!((whole.clip(2.0 * norm).unwrap() - norm).abs() < 1e-12);
    assert_eq!(values(&whole), before, "small gradients are not clipped");
    assert!((whole.clip(0.5 * norm).unwrap() - norm).abs() < 1e-12);
    assert!(close(&values(&whole), &before.iter().map(|g| 0.5 * g).collect::<Vec<_>>()));
}

#[test]
fn invalid_training_steps_are_refused() {
    let scope = Scope::trainable(None, &Device::Cpu, 0);
    let x = scope.get("x", &[2], Init::Zeros).unwrap();
    let mut gradients = Gradients::new(scope.variables());
    assert!(gradients.add(&x, 1.0).is_err(), "a loss of two numbers");
    gradients.add(&x.log().unwrap().sum_all().unwrap(), 1.0).unwrap();
    assert_eq!(gradients.norm().unwrap_err().kind(), &ErrorKind::NotFinite { what: "the gradient" });
    assert!(gradients.clip(0.0).is_err());
    let mut optimiser = AdamW::new(scope.variables(), AdamWSettings::default()).unwrap();
    assert!(optimiser.step(&mut gradients, f64::NAN).is_err());
    for settings in [
        AdamWSettings { beta1: 1.0, ..Default::default() },
        AdamWSettings { eps: 0.0, ..Default::default() },
        AdamWSettings { weight_decay: -1.0, ..Default::default() },
    ] {
        assert!(AdamW::new(scope.variables(), settings).is_err());
    }
    let other = Scope::trainable(None, &Device::Cpu, 0);
    let y = other.get("x", &[2], Init::Ones).unwrap();
    let mut foreign = Gradients::new(other.variables());
    foreign.add(&y.sum_all().unwrap(), 1.0).unwrap();
    assert!(optimiser.step(&mut foreign, 0.1).is_err(), "gradients of other variables");
}
