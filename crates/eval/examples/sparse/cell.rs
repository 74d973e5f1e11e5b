//! One defence at one ε with one seed: what the attacker finds, and what is left of the task.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use inkveil_eval::attack::{Exposure, Findings, Mlc};
use inkveil_eval::metrics::{Bootstrap, neighbour_overlap, pearson};
use inkveil_privacy::{NoiseKey, Place, Purpose};
use serde::{Deserialize, Serialize};

use crate::defence::Defence;
use crate::noise::{Noise, Promise};
use crate::options::Options;
use crate::trial::Trial;
use crate::{Outcome, Study};

/// Neighbours that should stay.
const NEIGHBOURS: usize = 10;
const ATTACK: Purpose = Purpose::named("sparse attack");
const TASK: Purpose = Purpose::named("sparse task");

#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) defence: Defence,
    /// The nominal ε, where there is noise.
    pub(crate) epsilon: Option<f64>,
    pub(crate) seed: u64,
    /// Everything that tells this cell from others of the run.
    pub(crate) name: String,
}

/// What a cell found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) run: String,
    pub(crate) cell: String,
    pub(crate) promise: Option<Promise>,
    pub(crate) exposure: Exposure,
    /// The same for the words of each kind.
    pub(crate) kinds: BTreeMap<String, Exposure>,
    /// The correlation of cosines with scores.
    pub(crate) utility: f64,
    /// The share of the nearest held-out sentences that stay the nearest.
    pub(crate) neighbours: f64,
    pub(crate) seconds: f64,
}

impl Cell {
    pub(crate) fn all(options: &Options) -> Vec<Self> {
        let mut cells = Vec::new();
        // Seed by seed, so that a run that is cut off has whole tables.
        for seed in 1..=options.seeds {
            for &defence in &options.defences {
                let epsilons = options.epsilons.iter().map(|&epsilon| Some(epsilon));
                let epsilons: Vec<_> = if defence.has_noise() { epsilons.collect() } else { vec![None] };
                cells.extend(
                    epsilons.into_iter().map(|epsilon| Self::new(defence, epsilon, seed, options.floor)),
                );
            }
        }
        cells
    }

    fn new(defence: Defence, epsilon: Option<f64>, seed: u64, floor: f64) -> Self {
        let mut name = defence.to_string();
        if matches!(defence, Defence::Sparse { .. } | Defence::SparseWb) {
            name.push_str(&format!(" floor {floor}"));
        }
        if let Some(epsilon) = epsilon {
            name.push_str(&format!(" ε {epsilon}"));
        }
        Self { defence, epsilon, seed, name: format!("{name} seed {seed}") }
    }

    pub(crate) fn run(&self, study: &Study, trials: &BTreeMap<u64, Trial>) -> Outcome<Record> {
        let start = Instant::now();
        let trial = trials.get(&self.seed).ok_or("a seed was not prepared")?;
        let noise = self.noise(study, trial)?;
        let clean = trial.changed.get(&self.defence.to_string()).unwrap_or(&study.vectors);
        let veil = Veil::new(study, trial, noise.as_ref(), self.seed);
        let mut rows = clean.clone();
        veil.apply(&mut rows, Place::record(0).purpose(ATTACK))?;
        let findings = self.attack(study, trial, &rows, clean, &veil)?;
        let bootstrap = Bootstrap::default();
        let words = study.corpus.sensitive.words();
        let kinds = study.corpus.kinds().into_keys().filter_map(|kind| {
            let exposure = findings.exposure(&bootstrap, |word| words[word].kind == kind)?;
            Some((kind.name().to_owned(), exposure))
        });
        let before = trial.split.test_rows(&study.vectors, study.dim);
        let after = trial.split.test_rows(&rows, study.dim);
        Ok(Record {
            run: String::new(),
            cell: self.name.clone(),
            promise: noise.as_ref().map(|noise| noise.promise.clone()),
            exposure: findings
                .exposure(&bootstrap, |_| true)
                .ok_or("no held-out sentence has sensitive words")?,
            kinds: kinds.collect(),
            utility: utility(study, clean, &veil)?,
            neighbours: neighbour_overlap(&before, &after, study.dim, NEIGHBOURS)?,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    fn noise(&self, study: &Study, trial: &Trial) -> Outcome<Option<Noise>> {
        let Some(nominal) = self.epsilon else { return Ok(None) };
        let epsilon = study.options.scale.formal(nominal, study.dim);
        Ok(Some(match self.defence {
            Defence::LapMech => Noise::round(study.dim, epsilon)?,
            Defence::PurMech => Noise::on_sphere(study.dim, epsilon)?,
            defence => {
                let shape = trial.shapes.get(&defence.to_string()).ok_or("a shape was not prepared")?;
                Noise::elliptical(shape, epsilon)?
            }
        }))
    }

    /// Trains the attacker on the noisy vectors of some sentences and turns it on the rest.
    fn attack(
        &self,
        study: &Study,
        trial: &Trial,
        rows: &[f32],
        clean: &[f32],
        veil: &Veil<'_>,
    ) -> Outcome<Findings> {
        let (split, sensitive) = (&trial.split, &study.corpus.sensitive);
        let mut settings = study.options.attacker.clone();
        settings.seed = self.seed;
        let mut known = split.train_rows(rows, study.dim);
        let mut words = split.train_of(sensitive.tokens());
        // Who knows the veil and the clean vectors of some sentences can veil them as often as he likes: instead of seeing the same noise in
        // every epoch, the network sees every noise once.
        if study.options.fresh_noise && self.defence.has_noise() {
            for copy in 1..std::mem::replace(&mut settings.epochs, 1) {
                let mut again = split.train_rows(clean, study.dim);
                veil.apply(&mut again, Place::record(0).purpose(ATTACK).position(copy as u64))?;
                known.extend(again);
                words.extend(split.train_of(sensitive.tokens()));
            }
        }
        let mlc = Mlc::train(study.dim, &known, &words, sensitive.words().len(), &settings)?;
        Ok(mlc.attack(&split.test_rows(rows, study.dim), &split.test_of(sensitive.tokens()))?)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Noise, and shrinking after it.
struct Veil<'a> {
    noise: Option<&'a Noise>,
    factors: Option<Vec<f32>>,
    key: NoiseKey,
}

impl<'a> Veil<'a> {
    fn new(study: &Study, trial: &Trial, noise: Option<&'a Noise>, seed: u64) -> Self {
        let clean = || variances(&trial.split.train_rows(&study.vectors, study.dim), study.dim);
        let factors = noise.filter(|_| study.options.shrink).map(|noise| noise.shrinkage(&clean()));
        Self { noise, factors, key: NoiseKey::insecure_from_seed(seed) }
    }

    fn apply(&self, rows: &mut [f32], first: Place) -> Outcome<()> {
        if let Some(noise) = self.noise {
            noise.apply(rows, first, &self.key)?;
        }
        if let Some(factors) = &self.factors {
            rows.iter_mut().zip(factors.iter().cycle()).for_each(|(x, factor)| *x *= factor);
        }
        Ok(())
    }
}

/// The variance of each coordinate.
fn variances(rows: &[f32], dim: usize) -> Vec<f64> {
    let count = (rows.len() / dim).max(1) as f64;
    let of = |coordinate: usize| {
        let values = || rows.iter().skip(coordinate).step_by(dim).map(|&x| f64::from(x));
        let mean = values().sum::<f64>() / count;
        values().map(|x| (x - mean).powi(2)).sum::<f64>() / count
    };
    (0..dim).map(of).collect()
}

/// The correlation of the cosine of each pair with its score.
fn utility(study: &Study, clean: &[f32], veil: &Veil<'_>) -> Outcome<f64> {
    let (dim, pairs) = (study.dim, &study.corpus.pairs);
    let sentences = pairs.iter().flat_map(|&(first, second, _)| [first, second]);
    let mut rows: Vec<f32> =
        sentences.flat_map(|sentence| clean[sentence * dim..][..dim].iter().copied()).collect();
    veil.apply(&mut rows, Place::record(0).purpose(TASK))?;
    let cosines = rows.chunks_exact(2 * dim).map(|pair| cosine(&pair[..dim], &pair[dim..]));
    let both: Vec<(f64, f64)> = cosines.zip(pairs.iter().map(|pair| pair.2)).collect();
    pearson(&both).ok_or_else(|| "all pairs are equally alike".into())
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
}
