//! Measures one cell with one seed: the attackers' findings, and the utility that is left.

use inkveil_privacy::{NoiseAddress, NoiseKey, Purpose};

use super::defence::Defence;
use super::noise::{Noise, RowNoise};
use super::prepared::{PreparedCorpus, SeedState};
use super::spec::{AttackerName, AttackerStrength, StoreName, Told};
use super::treatment::VectorTreatment;
use super::{inversion, utility};
use crate::attack::{Bayes, BayesKnowledge, Exposure, Mlc, MlcSettings, WordFindings, covariance};
use crate::experiment::recorder::{SeedMeasures, SeedResult};
use crate::metrics::{Bootstrap, Estimate, neighbour_overlap};
use crate::{Error, Watch};

/// The number of nearest neighbours that are compared.
const NEIGHBOURS: usize = 10;
/// The most copies of known sentences with new noise that a network trains on.
const MOST_COPIES: usize = 20;
/// How often an attacker simulates rounded vectors of known sentences, to learn what rounding does.
const SIMULATED: usize = 16;
const ATTACK: Purpose = Purpose::named("sparse attack");

/// What each attacker found.
type Findings = Vec<(AttackerName, WordFindings)>;

pub(super) fn measure(
    prepared: &PreparedCorpus<'_>,
    state: &SeedState,
    cell: &VectorTreatment,
    watch: &Watch<'_>,
) -> Result<SeedResult, Error> {
    let noise = noise(prepared, state, cell)?;
    let clean = || variances(&state.split.train_rows(&prepared.vectors, prepared.dim), prepared.dim);
    let release = RowNoise {
        factors: noise.as_ref().filter(|_| cell.shrink).map(|noise| noise.shrinkage(&clean())),
        noise: noise.as_ref(),
        key: NoiseKey::insecure_from_seed(state.seed),
        store: cell.store,
        dim: prepared.dim,
        flips: cell.epsilon.filter(|_| cell.defence.flips()),
    };
    let split = &state.split;
    let clean = state.clean(prepared, cell.change())?;
    let mut rows = clean.clone();
    release.apply(&mut rows, NoiseAddress::record(0).purpose(ATTACK))?;
    let mut measures = SeedMeasures::default();
    if !prepared.corpus.sensitive.words().is_empty() {
        let findings = findings(prepared, state, cell, &rows, &clean, &release)?;
        exposures(prepared, state, &findings, &mut measures)?;
        if let Some(target) = &cell.target {
            let key = NoiseKey::insecure_from_seed(state.seed);
            let (store, dim) = (StoreName::Float, prepared.dim);
            let no_noise = RowNoise { noise: None, factors: None, key, store, dim, flips: None };
            let (clear, none) = (&prepared.vectors, VectorTreatment::none());
            let none = VectorTreatment { split: cell.split, ..none };
            let before = self::findings(prepared, state, &none, clear, clear, &no_noise)?;
            let (before, after) = (strongest(&before)?, strongest(&findings)?);
            for (name, change) in target.changes(&prepared.corpus, before, after)? {
                measures.value(name, change);
            }
        }
    }
    for (name, share) in inversion::measure(prepared, (split, state.seed), &rows, &clean, &release, watch)? {
        measures.estimate(&name, share);
    }
    let before = split.test_rows(&prepared.vectors, prepared.dim);
    let kept = neighbour_overlap(&before, &split.test_rows(&rows, prepared.dim), prepared.dim, NEIGHBOURS)?;
    measures.value("neighbours", kept);
    for (name, value) in utility::measure(prepared, &clean, &rows, &release, cell.queries)? {
        measures.value(name, value);
    }
    if let Some(epsilon) = release.flips {
        measures.value("formal", epsilon);
    } else if let Some(noise) = &noise {
        measures.value("formal", noise.formal);
        measures.value("euclidean", noise.euclidean);
    }
    Ok(measures.result(split.test().len()))
}

fn no_words() -> Error {
    Error::argument("no held-out sentence has sensitive words; take more sentences")
}

/// The findings of the attacker that claims most words.
fn strongest(findings: &Findings) -> Result<&WordFindings, Error> {
    let mut best: Option<(f64, &WordFindings)> = None;
    for (_, one) in findings {
        let leakage = one.exposure(&Bootstrap::default(), |_| true).ok_or_else(no_words)?.leakage.mean;
        if best.is_none_or(|(most, _)| leakage > most) {
            best = Some((leakage, one));
        }
    }
    best.map(|(_, findings)| findings).ok_or_else(no_words)
}

/// Measures what the attackers infer: each of them and the strongest, of all words, of each kind and
/// of words that an eraser was not told.
fn exposures(
    prepared: &PreparedCorpus<'_>,
    state: &SeedState,
    findings: &Findings,
    measures: &mut SeedMeasures,
) -> Result<(), Error> {
    let of = |chosen: &dyn Fn(usize) -> bool| -> Vec<(AttackerName, Exposure)> {
        let one = |(attacker, found): &(AttackerName, WordFindings)| {
            Some((*attacker, found.exposure(&Bootstrap::default(), chosen)?))
        };
        findings.iter().filter_map(one).collect()
    };
    let all = of(&|_| true);
    if all.is_empty() {
        return Err(no_words());
    }
    let most = |all: &[(AttackerName, Exposure)], measure: fn(&Exposure) -> Estimate| {
        let values = all.iter().map(|(_, exposure)| measure(exposure));
        values.reduce(|best, one| if one.mean > best.mean { one } else { best })
    };
    measures.estimate("leakage", most(&all, |exposure| exposure.leakage));
    measures.estimate("confidence", most(&all, |exposure| exposure.confidence));
    measures.estimate("found", most(&all, |exposure| exposure.found));
    if all.len() > 1 {
        for (attacker, exposure) in &all {
            measures.estimate(&format!("leakage-by-{}", attacker.name()), exposure.leakage);
            measures.estimate(&format!("found-by-{}", attacker.name()), exposure.found);
        }
    }
    let words = prepared.corpus.sensitive.words();
    let mut kinds: Vec<&inkveil_detect::Kind> = words.iter().map(|word| &word.kind).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        let of_kind = of(&|word| words[word].kind == *kind);
        let leakage = most(&of_kind, |exposure| exposure.leakage);
        measures.estimate(&format!("leakage-{}", kind.name()), leakage);
    }
    if prepared.study.grid.iter().any(|grid| grid.told.contains(&Told::Half)) {
        let untold = of(&|word| state.is_untold(word));
        measures.estimate("leakage-untold", most(&untold, |exposure| exposure.leakage));
        measures.estimate("found-untold", most(&untold, |exposure| exposure.found));
    }
    Ok(())
}

/// The attackers' findings. Treatments that differ in what is measured only are attacked once.
fn findings(
    prepared: &PreparedCorpus<'_>,
    state: &SeedState,
    cell: &VectorTreatment,
    rows: &[f32],
    clean: &[f32],
    release: &RowNoise<'_>,
) -> Result<std::sync::Arc<Findings>, Error> {
    let key = format!("{:?}", cell.of_vectors());
    state.findings.get(key, || attack(prepared, state, rows, clean, release))
}

fn noise(
    prepared: &PreparedCorpus<'_>,
    state: &SeedState,
    cell: &VectorTreatment,
) -> Result<Option<Noise>, Error> {
    let Some(nominal) = cell.epsilon else { return Ok(None) };
    let epsilon = prepared.study.scale.formal(nominal, prepared.dim);
    Ok(Some(match cell.defence {
        Defence::LapMech => Noise::isotropic(prepared.dim, epsilon)?,
        Defence::PurMech => Noise::on_sphere(prepared.dim, epsilon)?,
        Defence::Gaussian => Noise::gaussian(prepared.dim, (prepared.dim as f64 + 1.0).sqrt() / epsilon)?,
        Defence::Flip => return Ok(None),
        Defence::EraseFlip => Noise::erased(state.erasure(prepared, cell)?, f64::INFINITY)?,
        Defence::Axes | Defence::Erase => Noise::erased(state.erasure(prepared, cell)?, epsilon)?,
        _ => Noise::elliptical(&state.shape(prepared, cell)?, epsilon)?,
    }))
}

/// Attacks the held-out sentences that have a sensitive word. All attackers know the defence.
fn attack(
    prepared: &PreparedCorpus<'_>,
    state: &SeedState,
    rows: &[f32],
    clean: &[f32],
    release: &RowNoise<'_>,
) -> Result<Findings, Error> {
    let (width, split, sensitive) = (prepared.dim, &state.split, &prepared.corpus.sensitive);
    let has_word = |text: &&usize| !sensitive.tokens()[**text].is_empty();
    let tested: Vec<usize> = split.test().iter().filter(has_word).copied().collect();
    if tested.is_empty() {
        return Err(no_words());
    }
    let truth: Vec<Vec<usize>> = tested.iter().map(|&text| sensitive.tokens()[text].clone()).collect();
    let attacked = tested.iter().flat_map(|&text| &rows[text * width..][..width]).copied().collect();
    let (dim, attacked) = release.seen(attacked, width)?;
    let (_, known) = release.seen(split.train_rows(rows, width), width)?;
    let knowledge = Knowledge {
        prepared,
        state,
        clean,
        release,
        dim,
        known,
        words: split.train_of(sensitive.tokens()),
        attacked,
    };
    let study = prepared.study;
    let mut found: Vec<(AttackerName, Vec<f32>)> = Vec::new();
    for attacker in [AttackerName::Mlc, AttackerName::Big, AttackerName::Bayes] {
        if study.attackers.contains(&attacker) {
            found.push((attacker, knowledge.probabilities(attacker)?));
        }
    }
    if study.attackers.contains(&AttackerName::Mean) && found.len() > 1 {
        let mut mean = vec![0.0; found[0].1.len()];
        for (_, one) in &found {
            mean.iter_mut().zip(one).for_each(|(sum, p)| *sum += p / found.len() as f32);
        }
        found.push((AttackerName::Mean, mean));
    }
    let vocabulary = sensitive.words().len();
    let of = |(attacker, probabilities): (AttackerName, Vec<f32>)| {
        Ok((attacker, WordFindings::of(&probabilities, vocabulary, &truth)?))
    };
    found.into_iter().map(of).collect()
}

/// What attackers know: the defence, and the words and clean vectors of some sentences.
struct Knowledge<'a> {
    prepared: &'a PreparedCorpus<'a>,
    state: &'a SeedState,
    clean: &'a [f32],
    release: &'a RowNoise<'a>,
    /// The dimension of vectors as the attacker sees them.
    dim: usize,
    /// Known sentences with noise.
    known: Vec<f32>,
    words: Vec<Vec<usize>>,
    /// The attacked sentences.
    attacked: Vec<f32>,
}

impl Knowledge<'_> {
    /// The probability of each word in each attacked sentence.
    fn probabilities(&self, attacker: AttackerName) -> Result<Vec<f32>, Error> {
        let (settings, new_noise) = self.prepared.attacker(self.state.seed);
        match attacker {
            AttackerName::Big if self.prepared.study.attacker == AttackerStrength::Strong => {
                self.network(MlcSettings { seed: self.state.seed, ..MlcSettings::big() }, new_noise)
            }
            AttackerName::Mlc | AttackerName::Big => self.network(settings, new_noise),
            AttackerName::Bayes | AttackerName::Mean => self.bayes(),
        }
    }

    /// Trains a network on noisy vectors of known sentences.
    fn network(&self, mut settings: MlcSettings, new_noise: bool) -> Result<Vec<f32>, Error> {
        let (mut known, mut words) = (self.known.clone(), self.words.clone());
        // An attacker who knows the mechanism and the clean vectors of some sentences can add new
        // noise as often as needed. So the network sees new noise in every epoch.
        if new_noise && self.release.is_random() {
            let copies = settings.epochs.min(MOST_COPIES);
            settings.epochs = settings.epochs.div_ceil(copies.max(1));
            for copy in 1..copies {
                let mut again = self.state.split.train_rows(self.clean, self.prepared.dim);
                let address = NoiseAddress::record(0).purpose(ATTACK).position(copy as u64);
                self.release.apply(&mut again, address)?;
                known.extend(self.release.seen(again, self.prepared.dim)?.1);
                words.extend_from_slice(&self.words);
            }
        }
        let vocabulary = self.prepared.corpus.sensitive.words().len();
        let mlc = Mlc::train(self.dim, &known, &words, vocabulary, &settings)?;
        mlc.probabilities(&self.attacked, self.attacked.len() / self.dim)
    }

    fn bayes(&self) -> Result<Vec<f32>, Error> {
        let (centres, noise) = match self.release.store {
            StoreName::Float => {
                let mut centres = self.state.split.train_rows(self.clean, self.prepared.dim);
                self.release.without_noise(&mut centres)?;
                (self.release.seen(centres, self.prepared.dim)?.1, self.release.covariance(self.dim))
            }
            _ => self.simulated()?,
        };
        let known = BayesKnowledge {
            dim: self.dim,
            centres: &centres,
            noisy: &self.known,
            noise: &noise,
            words: &self.words,
            vocabulary: self.prepared.corpus.sensitive.words().len(),
        };
        Bayes::new(&known)?.probabilities(&self.attacked)
    }
}

impl Knowledge<'_> {
    /// The mean released vector of each known sentence, and the covariance around it, from simulated
    /// releases. Rounding moves the mean, so it does not follow from the clean vector alone.
    fn simulated(&self) -> Result<(Vec<f32>, Vec<f64>), Error> {
        if !self.release.is_random() {
            return Ok((self.known.clone(), vec![0.0; self.dim * self.dim]));
        }
        let (mut mean, mut draws) = (vec![0.0_f32; self.known.len()], Vec::new());
        for draw in 0..SIMULATED {
            let mut rows = self.state.split.train_rows(self.clean, self.prepared.dim);
            let address = NoiseAddress::record(0).purpose(ATTACK).position((MOST_COPIES + draw) as u64);
            self.release.apply(&mut rows, address)?;
            let (_, rows) = self.release.seen(rows, self.prepared.dim)?;
            mean.iter_mut().zip(&rows).for_each(|(mean, x)| *mean += x / SIMULATED as f32);
            // A few draws of all sentences are enough for the covariance.
            if draw < 2 {
                draws.push(rows);
            }
        }
        let rest: Vec<f32> =
            draws.iter().flat_map(|rows| rows.iter().zip(&mean).map(|(x, m)| x - m)).collect();
        // The mean contains each draw.
        let factor = SIMULATED as f64 / (SIMULATED as f64 - 1.0);
        let noise = covariance(&rest, self.dim).into_iter().map(|x| x * factor).collect();
        Ok((mean, noise))
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
