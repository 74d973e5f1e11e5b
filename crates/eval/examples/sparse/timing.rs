//! How long a mask and an attacker take to train, on one core.

use std::time::Instant;

use inkveil_eval::Split;
use inkveil_eval::attack::Mlc;
use inkveil_vector::{FitSettings, fit};

use crate::trial::Without;
use crate::vectors::Encoder;
use crate::{Outcome, Study};

/// As many as the paper takes the time of: 25.3 minutes.
const PAIRS: usize = 10_000;

pub(crate) fn print(study: &Study, encoder: &Encoder) -> Outcome<()> {
    let pairs = Without::of(study, encoder)?.pairs(study, |_| true, PAIRS)?;
    let settings = FitSettings::default();
    let start = Instant::now();
    fit(&pairs, &settings, &mut |_| true)?;
    println!(
        "a mask of {} dimensions on {} pairs, {} epochs: {:.1} s",
        study.dim,
        pairs.len(),
        settings.epochs,
        start.elapsed().as_secs_f64()
    );
    let (sensitive, attacker) = (&study.corpus.sensitive, &study.options.attacker);
    let split = Split::new(study.corpus.texts.len(), study.options.test_share, 1)?;
    let rows = split.train_rows(&study.vectors, study.dim);
    let start = Instant::now();
    Mlc::train(study.dim, &rows, &split.train_of(sensitive.tokens()), sensitive.words().len(), attacker)?;
    println!(
        "an attacker on {} sentences and {} words, {} epochs: {:.1} s",
        split.train().len(),
        sensitive.words().len(),
        attacker.epochs,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
