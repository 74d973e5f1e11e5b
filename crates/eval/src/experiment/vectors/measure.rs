//! Measures one cell with one seed: the attacker's findings, and the utility that is left.

use inkveil_privacy::{NoiseAddress, NoiseKey, Purpose};

use super::defence::Defence;
use super::noise::{Noise, RowNoise};
use super::prepared::{PreparedCorpus, SeedState};
use super::treatment::VectorTreatment;
use super::{inversion, utility};
use crate::attack::{Mlc, WordFindings};
use crate::experiment::recorder::{SeedMeasures, SeedResult};
use crate::metrics::{Bootstrap, neighbour_overlap};
use crate::{Error, Watch};

/// The number of nearest neighbours that are compared.
const NEIGHBOURS: usize = 10;
const ATTACK: Purpose = Purpose::named("sparse attack");

pub(super) fn measure(
    prepared: &PreparedCorpus<'_>,
    state: &mut SeedState,
    cell: &VectorTreatment,
    watch: &Watch<'_>,
) -> Result<SeedResult, Error> {
    let noise = noise(prepared, state, cell)?;
    let clean = || variances(&state.split.train_rows(&prepared.vectors, prepared.dim), prepared.dim);
    let release = RowNoise {
        factors: noise.as_ref().filter(|_| cell.shrink).map(|noise| noise.shrinkage(&clean())),
        noise: noise.as_ref(),
        key: NoiseKey::insecure_from_seed(state.seed),
    };
    let (seed, split) = (state.seed, state.split.clone());
    let clean = state.clean(prepared, cell.defence)?.to_vec();
    let mut rows = clean.clone();
    release.apply(&mut rows, NoiseAddress::record(0).purpose(ATTACK))?;
    let mut measures = SeedMeasures::default();
    if !prepared.corpus.sensitive.words().is_empty() {
        let findings = findings(prepared, state, cell, &rows, &clean, &release)?;
        exposures(prepared, &findings, &mut measures)?;
        if let Some(target) = &cell.target {
            let no_noise = RowNoise { noise: None, factors: None, key: NoiseKey::insecure_from_seed(seed) };
            let clear = &prepared.vectors;
            let before = self::findings(prepared, state, &VectorTreatment::none(), clear, clear, &no_noise)?;
            for (name, change) in target.changes(&prepared.corpus, &before, &findings)? {
                measures.value(name, change);
            }
        }
    }
    for (name, share) in inversion::measure(prepared, (&split, seed), &rows, &clean, &release, watch)? {
        measures.estimate(&name, share);
    }
    let before = split.test_rows(&prepared.vectors, prepared.dim);
    let kept = neighbour_overlap(&before, &split.test_rows(&rows, prepared.dim), prepared.dim, NEIGHBOURS)?;
    measures.value("neighbours", kept);
    for (name, value) in utility::measure(prepared, &clean, &rows, &release)? {
        measures.value(name, value);
    }
    if let Some(noise) = &noise {
        measures.value("formal", noise.formal);
        measures.value("euclidean", noise.euclidean);
    }
    Ok(measures.result(split.test().len()))
}

/// Measures what the attacker infers, of all words and of each kind.
fn exposures(
    prepared: &PreparedCorpus<'_>,
    findings: &WordFindings,
    measures: &mut SeedMeasures,
) -> Result<(), Error> {
    let none = || Error::argument("no held-out sentence has sensitive words; take more sentences");
    let exposure = findings.exposure(&Bootstrap::default(), |_| true).ok_or_else(none)?;
    measures.estimate("leakage", exposure.leakage);
    measures.estimate("confidence", exposure.confidence);
    measures.estimate("found", exposure.found);
    let words = prepared.corpus.sensitive.words();
    let mut kinds: Vec<&inkveil_detect::Kind> = words.iter().map(|word| &word.kind).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        let of_kind = findings.exposure(&Bootstrap::default(), |word| words[word].kind == *kind);
        measures.estimate(&format!("leakage-{}", kind.name()), of_kind.map(|exposure| exposure.leakage));
    }
    Ok(())
}

/// The attacker's findings. Treatments that differ in what is measured only are attacked once.
fn findings(
    prepared: &PreparedCorpus<'_>,
    state: &mut SeedState,
    cell: &VectorTreatment,
    rows: &[f32],
    clean: &[f32],
    release: &RowNoise<'_>,
) -> Result<WordFindings, Error> {
    let treatment = cell.of_vectors();
    if let Some((_, known)) = state.findings.iter().find(|(other, _)| *other == treatment) {
        return Ok(known.clone());
    }
    let found = attack(prepared, &state.split, state.seed, rows, clean, release)?;
    state.findings.push((treatment, found.clone()));
    Ok(found)
}

fn noise(
    prepared: &PreparedCorpus<'_>,
    state: &mut SeedState,
    cell: &VectorTreatment,
) -> Result<Option<Noise>, Error> {
    let Some(nominal) = cell.epsilon else { return Ok(None) };
    let epsilon = prepared.study.scale.formal(nominal, prepared.dim);
    Ok(Some(match cell.defence {
        Defence::LapMech => Noise::isotropic(prepared.dim, epsilon)?,
        Defence::PurMech => Noise::on_sphere(prepared.dim, epsilon)?,
        _ => Noise::elliptical(&state.shape(prepared, cell)?, epsilon)?,
    }))
}

/// Trains the attacker on the noisy vectors of some sentences and attacks the others.
fn attack(
    prepared: &PreparedCorpus<'_>,
    split: &crate::Split,
    seed: u64,
    rows: &[f32],
    clean: &[f32],
    release: &RowNoise<'_>,
) -> Result<WordFindings, Error> {
    let (dim, sensitive) = (prepared.dim, &prepared.corpus.sensitive);
    let (mut settings, new_noise) = prepared.attacker(seed);
    let mut known = split.train_rows(rows, dim);
    let mut words = split.train_of(sensitive.tokens());
    // An attacker who knows the mechanism and the clean vectors of some sentences can add new noise
    // as often as needed. So the network sees new noise in every epoch.
    if new_noise && release.noise.is_some() {
        for copy in 1..std::mem::replace(&mut settings.epochs, 1) {
            let mut again = split.train_rows(clean, dim);
            release.apply(&mut again, NoiseAddress::record(0).purpose(ATTACK).position(copy as u64))?;
            known.extend(again);
            words.extend(split.train_of(sensitive.tokens()));
        }
    }
    let mlc = Mlc::train(dim, &known, &words, sensitive.words().len(), &settings)?;
    mlc.attack(&split.test_rows(rows, dim), &split.test_of(sensitive.tokens()))
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
