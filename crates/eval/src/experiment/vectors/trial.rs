//! One cell with one seed: what the attacker finds, and what is left of the task.

use inkveil_privacy::{NoiseAddress, NoiseKey, Purpose};

use super::super::cells::{Found, Tell, Trial};
use super::defence::Defence;
use super::noise::Noise;
use super::seeded::{Seeded, Subject};
use super::{Guarded, inversion, purpose};
use crate::Error;
use crate::attack::{Findings, Mlc};
use crate::metrics::{Bootstrap, neighbour_overlap};

/// Neighbours that should stay.
const NEIGHBOURS: usize = 10;
const ATTACK: Purpose = Purpose::named("sparse attack");

pub(super) fn measure(
    subject: &Subject<'_>,
    seeded: &mut Seeded,
    cell: &Guarded,
    tell: &Tell<'_>,
) -> Result<Trial, Error> {
    let noise = noise(subject, seeded, cell)?;
    let clean = || variances(&seeded.split.train_rows(&subject.vectors, subject.dim), subject.dim);
    let veil = Veil {
        factors: noise.as_ref().filter(|_| cell.shrink).map(|noise| noise.shrinkage(&clean())),
        noise: noise.as_ref(),
        key: NoiseKey::insecure_from_seed(seeded.seed),
    };
    let (seed, split) = (seeded.seed, seeded.split.clone());
    let clean = seeded.clean(subject, cell.defence)?.to_vec();
    let mut rows = clean.clone();
    veil.apply(&mut rows, NoiseAddress::record(0).purpose(ATTACK))?;
    let mut found = Found::default();
    if !subject.corpus.sensitive.words().is_empty() {
        let findings = findings(subject, seeded, cell, &rows, &clean, &veil)?;
        exposures(subject, &findings, &mut found)?;
        if let Some(target) = &cell.target {
            let unveiled = Veil { noise: None, factors: None, key: NoiseKey::insecure_from_seed(seed) };
            let clear = &subject.vectors;
            let before = self::findings(subject, seeded, &Guarded::clear(), clear, clear, &unveiled)?;
            for (name, change) in target.changes(&subject.corpus, &before, &findings)? {
                found.plain(name, change);
            }
        }
    }
    for (name, share) in inversion::measure(subject, (&split, seed), &rows, &clean, &veil, tell)? {
        found.within(&name, share);
    }
    let before = split.test_rows(&subject.vectors, subject.dim);
    let kept = neighbour_overlap(&before, &split.test_rows(&rows, subject.dim), subject.dim, NEIGHBOURS)?;
    found.plain("neighbours", kept);
    for (name, value) in purpose::measure(subject, &clean, &rows, &veil)? {
        found.plain(name, value);
    }
    if let Some(noise) = &noise {
        found.plain("formal", noise.formal);
        found.plain("euclidean", noise.euclidean);
    }
    Ok(found.on(split.test().len()))
}

/// How much the attacker reads, of all words and of each kind.
fn exposures(subject: &Subject<'_>, findings: &Findings, found: &mut Found) -> Result<(), Error> {
    let none = || Error::argument("no sentence that is attacked has sensitive words; give more");
    let exposure = findings.exposure(&Bootstrap::default(), |_| true).ok_or_else(none)?;
    found.within("leakage", exposure.leakage);
    found.within("confidence", exposure.confidence);
    found.within("found", exposure.found);
    let words = subject.corpus.sensitive.words();
    let mut kinds: Vec<&inkveil_detect::Kind> = words.iter().map(|word| &word.kind).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        let of_kind = findings.exposure(&Bootstrap::default(), |word| words[word].kind == *kind);
        found.within(&format!("leakage-{}", kind.name()), of_kind.map(|exposure| exposure.leakage));
    }
    Ok(())
}

/// What the attacker finds. What is done to vectors may be looked at for several words; it is attacked once.
fn findings(
    subject: &Subject<'_>,
    seeded: &mut Seeded,
    cell: &Guarded,
    rows: &[f32],
    clean: &[f32],
    veil: &Veil<'_>,
) -> Result<Findings, Error> {
    let done = cell.done();
    if let Some((_, known)) = seeded.findings.iter().find(|(other, _)| *other == done) {
        return Ok(known.clone());
    }
    let found = attack(subject, &seeded.split, seeded.seed, rows, clean, veil)?;
    seeded.findings.push((done, found.clone()));
    Ok(found)
}

fn noise(subject: &Subject<'_>, seeded: &mut Seeded, cell: &Guarded) -> Result<Option<Noise>, Error> {
    let Some(nominal) = cell.epsilon else { return Ok(None) };
    let epsilon = subject.study.scale.formal(nominal, subject.dim);
    Ok(Some(match cell.defence {
        Defence::LapMech => Noise::round(subject.dim, epsilon)?,
        Defence::PurMech => Noise::on_sphere(subject.dim, epsilon)?,
        _ => Noise::elliptical(&seeded.shape(subject, cell)?, epsilon)?,
    }))
}

/// Trains the attacker on the noisy vectors of some sentences and turns it on the rest.
fn attack(
    subject: &Subject<'_>,
    split: &crate::Split,
    seed: u64,
    rows: &[f32],
    clean: &[f32],
    veil: &Veil<'_>,
) -> Result<Findings, Error> {
    let (dim, sensitive) = (subject.dim, &subject.corpus.sensitive);
    let (mut settings, fresh) = subject.attacker(seed);
    let mut known = split.train_rows(rows, dim);
    let mut words = split.train_of(sensitive.tokens());
    // Who knows the veil and the clean vectors of some sentences can veil them as often as he likes: instead of seeing the same noise in
    // every epoch, the network sees every noise once.
    if fresh && veil.noise.is_some() {
        for copy in 1..std::mem::replace(&mut settings.epochs, 1) {
            let mut again = split.train_rows(clean, dim);
            veil.apply(&mut again, NoiseAddress::record(0).purpose(ATTACK).position(copy as u64))?;
            known.extend(again);
            words.extend(split.train_of(sensitive.tokens()));
        }
    }
    let mlc = Mlc::train(dim, &known, &words, sensitive.words().len(), &settings)?;
    mlc.attack(&split.test_rows(rows, dim), &split.test_of(sensitive.tokens()))
}

/// Noise, and shrinking after it.
pub(super) struct Veil<'a> {
    noise: Option<&'a Noise>,
    factors: Option<Vec<f32>>,
    key: NoiseKey,
}

impl Veil<'_> {
    pub(super) fn apply(&self, rows: &mut [f32], first: NoiseAddress) -> Result<(), Error> {
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
