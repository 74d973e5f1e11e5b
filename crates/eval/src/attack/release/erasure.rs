//! Measures an eraser: what attackers find behind it at several budgets, in texts that neither learnt from.

use inkveil_detect::Span;
use inkveil_nn::product::f32_product;
use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_vector::{FoundShare, MeasuredBudget, MeasuredErasure, VectorVeil};

use super::vector::{Material, VectorAttack, VectorAttackSettings, VectorAttacker};
use crate::attack::mlc::Exposure;
use crate::metrics::{pearson, unit_rows};
use crate::near_duplicates::near_duplicates;
use crate::{Error, SensitiveWords, Split, Watch};

/// The share of texts that is attacked, as in an attack on a release.
const ATTACKED: f64 = 0.2;
/// The share of texts that the eraser learns from. The attackers know as many.
const FITTED: f64 = 0.4;
/// The least number of texts to divide: with fewer an eraser has too few to learn from.
const FEWEST_TEXTS: usize = 150;
/// Attackers look for words in this many of the known and attacked texts, as in an attack on a release.
const LEAST_TEXTS: usize = 10;
/// The most texts of which all pairs are compared.
const MOST_COMPARED: usize = 1_000;
/// The normal quantile of a two-sided interval of 95 %.
const QUANTILE: f64 = 1.959_964;

/// Three parts of a corpus: an eraser learns from one, attackers know another and attack the third. No group
/// of near duplicates is in two parts.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasureParts {
    fitted: Vec<usize>,
    known: Vec<usize>,
    attacked: Vec<usize>,
    near_duplicates_from: f32,
}

impl MeasureParts {
    /// Divides texts by their vectors of `dim` numbers, row after row.
    ///
    /// # Errors
    /// If there are too few texts, or nearly all of them are near duplicates of each other.
    pub fn new(rows: &[f32], dim: usize, seed: u64) -> Result<Self, Error> {
        let count = rows.len().checked_div(dim).unwrap_or(0);
        if count < FEWEST_TEXTS {
            return Err(Error::argument(format!(
                "there are {count} texts; to measure an eraser they are divided into three parts, which needs at least \
                 {FEWEST_TEXTS}; give more texts"
            )));
        }
        let (groups, near_duplicates_from) = near_duplicates(rows, dim)?;
        let split = Split::by_groups(&groups, ATTACKED, seed)?;
        let (fitted, rest) = split.take(FITTED, Some(&groups), seed)?;
        let (known, attacked) = (rest.train().to_vec(), rest.test().to_vec());
        Ok(Self { fitted, known, attacked, near_duplicates_from })
    }

    /// The texts that the eraser learns from, in ascending order.
    pub fn fitted(&self) -> &[usize] {
        &self.fitted
    }

    /// The texts that attackers know, in ascending order.
    pub fn known(&self) -> &[usize] {
        &self.known
    }

    /// The texts that are attacked, in ascending order.
    pub fn attacked(&self) -> &[usize] {
        &self.attacked
    }
}

/// A corpus of which an eraser has learnt from one part.
#[derive(Clone, Copy)]
pub struct DividedTexts<'a> {
    /// The dimension of the vectors.
    pub dim: usize,
    /// The clear vectors of all texts, row after row.
    pub rows: &'a [f32],
    /// All texts.
    pub texts: &'a [&'a str],
    /// The spans of the concept in each text.
    pub spans: &'a [Vec<Span>],
    /// The parts of the texts.
    pub parts: &'a MeasureParts,
}

/// The settings of [`erasure`].
#[derive(Debug, Clone, PartialEq)]
pub struct MeasureSettings {
    /// The principal axes that the veils keep, for the record; 0 keeps all.
    pub axes: usize,
    /// The attackers.
    pub attackers: Vec<VectorAttacker>,
    /// Determines the noise and the networks. The same seed gives the same measurement.
    pub seed: u64,
}

/// Measures what attackers find behind an eraser at several budgets. `veils` has a veil with the eraser for
/// each budget, in ascending order. Attackers know the texts of one part, with clear and released vectors,
/// and infer the words of the concept in another.
///
/// # Errors
/// If vectors and texts do not fit, no word is frequent enough, no attacked text has a word, a model fails,
/// or the work was cancelled.
pub fn erasure(
    divided: &DividedTexts<'_>,
    veils: &[(Epsilon, VectorVeil)],
    settings: &MeasureSettings,
    watch: &Watch<'_>,
) -> Result<MeasuredErasure, Error> {
    let (dim, held_out) = (divided.dim, HeldOut::of(divided)?);
    let HeldOut { clear, split, .. } = &held_out;
    let texts: Vec<&str> = held_out.texts.iter().map(|&at| divided.texts[at]).collect();
    let spans: Vec<Vec<Span>> = held_out.texts.iter().map(|&at| divided.spans[at].clone()).collect();
    let sensitive = SensitiveWords::in_spans(&texts, &spans, LEAST_TEXTS)?;
    if sensitive.words().is_empty() {
        return Err(Error::argument(format!(
            "no word of the concept is in {LEAST_TEXTS} or more of the {} texts that are held out to measure the eraser; \
             give more texts, or fit without measuring",
            texts.len()
        )));
    }
    let settings_of_attack = VectorAttackSettings {
        min_count: LEAST_TEXTS,
        epochs: None,
        attackers: settings.attackers.clone(),
        seed: settings.seed,
        save_attacker: false,
    };
    let attack = VectorAttack { dim, sensitive: &sensitive, split, settings: &settings_of_attack };
    let tested = attack
        .tested()
        .ok_or_else(|| Error::argument("no attacked text has a word of the concept; give more texts"))?;
    watch.step("attacking clear vectors")?;
    let originals = attack.exposures(&Material::originals(dim, split, clear, &tested))?;
    let found_clear = strongest(&originals, tested.len())?;
    let compared: Vec<usize> = split.test().iter().copied().take(MOST_COMPARED).collect();
    let cosines = cosines_of_pairs(clear, &compared, dim)?;
    // The noise of a measurement is no release, and the same seed gives the same file.
    let key = NoiseKey::insecure_from_seed(settings.seed);
    let mut budgets = Vec::with_capacity(veils.len());
    for (epsilon, veil) in veils {
        watch.step(&format!("attacking at ε = {epsilon}"))?;
        let mut released = clear.clone();
        veil.apply(&mut released, 0, &key)?;
        let material = Material::released(dim, split, clear, &released, &tested)?;
        let words = strongest(&attack.exposures(&material)?, tested.len())?;
        let after = cosines_of_pairs(&released, &compared, dim)?;
        let both: Vec<(f64, f64)> = cosines.iter().copied().zip(after).collect();
        let similarity = pearson(&both)
            .ok_or_else(|| Error::argument("all pairs of attacked texts are equally similar"))?;
        budgets.push(MeasuredBudget::new(*epsilon, words, similarity));
    }
    let mut attackers = settings.attackers.clone();
    attackers.sort_unstable();
    attackers.dedup();
    Ok(MeasuredErasure {
        seed: settings.seed,
        axes: settings.axes,
        attackers: attackers.into_iter().map(|one| one.name().to_owned()).collect(),
        fitted: divided.parts.fitted.len(),
        known: split.train().len(),
        attacked: split.test().len(),
        with_words: tested.len(),
        words: sensitive.words().len(),
        least_texts: LEAST_TEXTS,
        near_duplicates_from: divided.parts.near_duplicates_from,
        guessing: attack.guessing(&tested)?,
        clear: found_clear,
        budgets,
    })
}

/// The texts that the eraser did not learn from.
struct HeldOut {
    /// Their numbers among all texts, in ascending order.
    texts: Vec<usize>,
    /// Their clear vectors.
    clear: Vec<f32>,
    /// Which of them attackers know, and which they attack.
    split: Split,
}

impl HeldOut {
    fn of(divided: &DividedTexts<'_>) -> Result<Self, Error> {
        let DividedTexts { dim, rows, texts, spans, parts } = *divided;
        if rows.len() != texts.len() * dim || spans.len() != texts.len() {
            return Err(Error::argument("there is not one vector and one list of spans for each text"));
        }
        let mut some: Vec<usize> = parts.known.iter().chain(&parts.attacked).copied().collect();
        some.sort_unstable();
        if some.last().is_none_or(|&last| last >= texts.len()) {
            return Err(Error::argument("the parts are those of other texts"));
        }
        let clear = some.iter().flat_map(|&at| &rows[at * dim..][..dim]).copied().collect();
        let split = Split::by(some.len(), |at| parts.attacked.binary_search(&some[at]).is_ok());
        Ok(Self { texts: some, clear, split })
    }
}

/// What the strongest attacker finds in this many texts, and the largest upper end of all. Of each attacker the
/// larger of two upper ends counts: the bootstrap's, which knows that words of one text go together, and Wilson's
/// for as many texts, because a bootstrap of no hits would say that nothing can be found.
fn strongest(found: &[(VectorAttacker, Exposure)], texts: usize) -> Result<FoundShare, Error> {
    let best = found.iter().max_by(|a, b| a.1.found.mean.total_cmp(&b.1.found.mean));
    let (attacker, exposure) =
        best.ok_or_else(|| Error::argument("the mean of attackers needs two others; name them"))?;
    let upper = |one: &Exposure| one.found.high.max(wilson(one.found.mean, texts));
    let upper = found.iter().map(|(_, one)| upper(one)).fold(0.0, f64::max);
    Ok(FoundShare::new(exposure.found.mean, upper, attacker.name()))
}

/// The upper end of Wilson's interval of 95 % for a share of this many (Wilson, 1927).
fn wilson(share: f64, count: usize) -> f64 {
    let (count, square) = (count.max(1) as f64, QUANTILE * QUANTILE);
    let spread = (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
    ((share + square / (2.0 * count) + QUANTILE * spread) / (1.0 + square / count)).min(1.0)
}

/// The cosines of all pairs of some rows.
fn cosines_of_pairs(rows: &[f32], some: &[usize], dim: usize) -> Result<Vec<f64>, Error> {
    let chosen: Vec<f32> = some.iter().flat_map(|&at| &rows[at * dim..][..dim]).copied().collect();
    let unit = unit_rows(&chosen, dim);
    let mut cosines = vec![0.0; some.len() * some.len()];
    f32_product(&unit, &unit, dim, &mut cosines)?;
    let below = |(at, row): (usize, &[f32])| row[..at].iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
    Ok(cosines.chunks_exact(some.len().max(1)).enumerate().flat_map(below).collect())
}

#[cfg(test)]
mod tests {
    use inkveil_nn::SplitMix;
    use inkveil_vector::{
        Bound, Concept, CorpusNote, EncoderNote, EraseSettings, Eraser, LabelSums, Mask, MaskNote, Moments,
    };

    use super::*;

    const DIM: usize = 36;
    const NAMES: [&str; 4] = ["ana", "bo", "carla", "dinesh"];

    /// Texts of which two in three begin with a name. The name is in the first four numbers of the vector, and
    /// the rest of the vector is random, and so long that texts with the same name are no near duplicates.
    struct Planted {
        texts: Vec<String>,
        spans: Vec<Vec<Span>>,
        rows: Vec<f32>,
        names: Vec<Vec<String>>,
    }

    fn planted(count: usize) -> Planted {
        let mut random = SplitMix::named(7, "planted", &[]);
        let spans = spans_of_names();
        let mut all = Planted { texts: Vec::new(), spans: Vec::new(), rows: Vec::new(), names: Vec::new() };
        for number in 0..count {
            let name = Some(number % 6).filter(|name| *name < 4);
            let mut row: Vec<f32> = (0..DIM).map(|_| random.normals()[0] as f32).collect();
            row[..4].fill(0.0);
            if let Some(name) = name {
                row[name] = 3.0;
            }
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            all.rows.extend(row.iter().map(|x| x / length));
            let word = name.map(|name| NAMES[name]);
            all.texts.push(format!("{} came", word.unwrap_or("nobody")));
            all.spans.push(name.map_or_else(Vec::new, |name| spans[name].clone()));
            all.names.push(word.iter().map(|word| (*word).to_owned()).collect());
        }
        all
    }

    /// The span of each name in a text that begins with it.
    fn spans_of_names() -> Vec<Vec<Span>> {
        let mut concept = Concept::named("names");
        concept.words = NAMES.map(str::to_owned).to_vec();
        concept.finder(None).unwrap().spans(&NAMES).unwrap()
    }

    fn mask(planted: &Planted, fitted: &[usize]) -> Mask {
        let (mut moments, mut labels) = (Moments::new(DIM), LabelSums::new(DIM));
        for &at in fitted {
            let row = &planted.rows[at * DIM..][..DIM];
            moments.add(row).unwrap();
            labels.add(row, std::slice::from_ref(&planted.names[at])).unwrap();
        }
        let settings = EraseSettings { gamma: 0.5, ..EraseSettings::default() };
        let eraser = Some(Eraser::fit(&moments, &labels, &settings).unwrap());
        let encoder = EncoderNote { name: "planted".into(), sha256: None };
        let corpus = CorpusNote { sha256: String::new(), texts: 0, pairs: 0, public: true };
        let note = MaskNote::new(("names", "4 words", ""), encoder, corpus, None);
        Mask { gates: Vec::new(), mean_squares: Vec::new(), eraser, note }
    }

    fn measure(planted: &Planted, attackers: &[VectorAttacker]) -> Result<MeasuredErasure, Error> {
        let parts = MeasureParts::new(&planted.rows, DIM, 1)?;
        let mask = mask(planted, parts.fitted());
        let veil = |epsilon| {
            let epsilon = Epsilon::new(epsilon).unwrap();
            let veil = VectorVeil::erased(epsilon, std::slice::from_ref(&mask), None, 0.5).unwrap();
            (epsilon, veil.bound(Bound::Unit).unwrap())
        };
        let texts: Vec<&str> = planted.texts.iter().map(String::as_str).collect();
        let divided = DividedTexts {
            dim: DIM,
            rows: &planted.rows,
            texts: &texts,
            spans: &planted.spans,
            parts: &parts,
        };
        let settings = MeasureSettings { axes: 0, attackers: attackers.to_vec(), seed: 1 };
        erasure(&divided, &[veil(5.0), veil(40.0), veil(f64::INFINITY)], &settings, &Watch::nothing())
    }

    #[test]
    fn an_eraser_is_measured_on_texts_that_neither_it_nor_attackers_learnt_from() {
        let planted = planted(600);
        let parts = MeasureParts::new(&planted.rows, DIM, 1).unwrap();
        let mut all = [parts.fitted(), parts.known(), parts.attacked()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..600).collect::<Vec<_>>(), "every text is in one part");
        let (groups, _) = near_duplicates(&planted.rows, DIM).unwrap();
        let group =
            |part: &[usize]| part.iter().map(|&at| groups[at]).collect::<std::collections::HashSet<_>>();
        assert!(group(parts.fitted()).is_disjoint(&group(parts.attacked())));
        assert!(group(parts.known()).is_disjoint(&group(parts.attacked())));
        assert!(group(parts.fitted()).is_disjoint(&group(parts.known())));

        let measured = measure(&planted, &[VectorAttacker::Bayes]).unwrap();
        assert_eq!(measured.attackers, ["bayes"]);
        assert_eq!((measured.words, measured.fitted), (4, parts.fitted().len()));
        assert!(measured.clear.found > 0.8, "{measured:?}");
        assert!(measured.budgets.iter().all(|one| one.words.found < 0.6), "{measured:?}");
        let similarities: Vec<f64> = measured.budgets.iter().map(|one| one.similarity).collect();
        assert!(similarities.is_sorted() && similarities[2] > 0.5, "{measured:?}");
        // The same seed gives the same measurement.
        assert_eq!(measured, measure(&planted, &[VectorAttacker::Bayes]).unwrap());
        assert!(!format!("{measured:?}").contains("carla"));
    }

    #[test]
    fn no_hit_in_a_few_texts_is_no_proof_that_nothing_is_found() {
        // The closed form of no hits: z²/(n + z²).
        assert!((wilson(0.0, 58) - 3.841_459 / 61.841_459).abs() < 1e-6);
        assert!((wilson(0.5, 100) - 0.596_2).abs() < 1e-4);
        assert!((0.999_999..=1.0).contains(&wilson(1.0, 10)));
        assert!(wilson(0.0, 5_000) < 0.001);
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let few = planted(100);
        let error = MeasureParts::new(&few.rows, DIM, 1).unwrap_err().to_string();
        assert!(error.contains("there are 100 texts") && error.contains("at least 150"), "{error}");
        assert!(MeasureParts::new(&[], 0, 1).is_err());
        let mut nameless = planted(300);
        nameless.spans.iter_mut().for_each(Vec::clear);
        let error = measure(&nameless, &[VectorAttacker::Bayes]).unwrap_err().to_string();
        assert!(error.contains("no word of the concept is in 10 or more"), "{error}");
        let error = measure(&planted(300), &[VectorAttacker::Mean]).unwrap_err().to_string();
        assert!(error.contains("needs two others"), "{error}");
    }
}
