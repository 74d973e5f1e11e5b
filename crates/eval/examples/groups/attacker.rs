//! The strong attacker of the example `sparse`.

use inkveil_eval::attack::{Findings, Mlc, MlcSettings};
use inkveil_eval::{Sensitive, Split};
use inkveil_privacy::NoiseKey;
use inkveil_vector::VectorVeil;

use crate::Outcome;

/// What an attacker who knows the texts of one side finds in the veiled vectors of the other.
pub(crate) fn attack(
    vectors: &[f32],
    dim: usize,
    sensitive: &Sensitive,
    split: &Split,
    veil: Option<&VectorVeil>,
    seed: u64,
) -> Outcome<Findings> {
    let mut settings = MlcSettings::strong();
    settings.seed = seed;
    let veiled = |mut rows: Vec<f32>, copy: u64| -> Outcome<Vec<f32>> {
        if let Some(veil) = veil {
            veil.apply(&mut rows, 0, &NoiseKey::insecure_from_seed(seed * 1_000 + copy))?;
        }
        Ok(rows)
    };
    // With noise every epoch sees another: see the example `sparse`.
    let copies = if veil.is_some() { std::mem::replace(&mut settings.epochs, 1) } else { 1 };
    let (mut known, mut words) = (Vec::new(), Vec::new());
    for copy in 1..=copies as u64 {
        known.extend(veiled(split.train_rows(vectors, dim), copy)?);
        words.extend(split.train_of(sensitive.tokens()));
    }
    let mlc = Mlc::train(dim, &known, &words, sensitive.words().len(), &settings)?;
    let held_out = veiled(split.test_rows(vectors, dim), 0)?;
    Ok(mlc.attack(&held_out, &split.test_of(sensitive.tokens()))?)
}
