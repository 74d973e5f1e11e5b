//! Fits that are measured: a corpus in memory, so that an eraser can learn from one part of it and be attacked
//! on another. This crate has no attackers. It divides nothing and measures nothing itself.

use std::sync::atomic::AtomicBool;

use inkveil_detect::Span;
use inkveil_privacy::Epsilon;
use inkveil_vector::{
    Bound, CorpusNote, EncoderNote, Eraser, LabelSums, Mask, MaskNote, Moments, VectorVeil, label_words,
};

use super::texts::FitTexts;
use super::vectors::VectorSource;
use super::{FitEvent, FitEvents, FitTarget, VectorFit, erasing};
use crate::error::{Error, ErrorKind};
use crate::vector_builder::{DEFAULT_AXES, SHORTEST};
use crate::{names_folder, pack_folder};

/// The budgets that are measured. Noise is axes/ε long: from four times the length of a vector to a quarter of
/// it, and none.
const BUDGETS: [f64; 6] = [25.0, 50.0, 100.0, 200.0, 400.0, f64::INFINITY];
/// The number of texts that are encoded at once.
const BATCH: usize = 1024;
/// The most texts of a corpus. Looking for near duplicates compares each with each.
const MOST_TEXTS: usize = 50_000;

/// Texts in memory, with their vectors and the spans of each concept. It has no `Debug`, which would print them.
pub struct FitCorpus {
    texts: Vec<String>,
    dim: usize,
    rows: Vec<f32>,
    /// For each target, the spans of its concept in each text.
    spans: Vec<Vec<Vec<Span>>>,
    sha256: String,
    encoder: EncoderNote,
}

impl FitCorpus {
    /// The texts.
    pub fn as_strs(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
    }

    /// The dimension of the vectors.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The vectors of length 1, row after row.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// The spans of the concept of the target at this position, for each text.
    pub fn spans(&self, target: usize) -> &[Vec<Span>] {
        self.spans.get(target).map_or(&[], Vec::as_slice)
    }
}

impl VectorFit {
    /// Reads a corpus and marks the concepts of these targets in it. Nothing is learnt yet.
    ///
    /// # Errors
    /// If texts cannot be read, there are too many, a target is a label and no concept, a model fails, or the
    /// work is cancelled.
    pub fn corpus(
        &self,
        targets: &[FitTarget],
        texts: &FitTexts<'_>,
        cancel: &AtomicBool,
        events: &mut FitEvents<'_>,
    ) -> Result<FitCorpus, Error> {
        let refused = |what| Err(ErrorKind::Contradiction(what).into());
        if targets.iter().any(|target| target.concept.is_none()) {
            return refused(
                "a label has no words that attackers could find, so its eraser cannot be measured",
            );
        }
        let mut source = VectorSource::open(&self.pack, self.vectors.as_ref())?;
        let names = names_folder(&pack_folder(&self.pack)?)?;
        let finders = targets
            .iter()
            .filter_map(|target| target.concept.as_ref())
            .map(|concept| Ok(concept.finder(Some(&names))?))
            .collect::<Result<Vec<_>, Error>>()?;
        let (sha256, texts) = (texts.sha256()?, texts.read()?.texts);
        if texts.len() > MOST_TEXTS {
            return refused(
                "to measure an eraser, texts are compared each with each; give at most 50,000 texts",
            );
        }
        let mut corpus = FitCorpus {
            dim: source.dim(),
            rows: Vec::with_capacity(texts.len() * source.dim()),
            spans: vec![Vec::with_capacity(texts.len()); finders.len()],
            encoder: source.note().clone(),
            sha256,
            texts,
        };
        for batch in corpus.texts.chunks(BATCH) {
            let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
            let mut rows = source.of_next(&batch, cancel)?;
            erasing::to_length_1(&mut rows, corpus.dim);
            corpus.rows.extend(rows);
            for (finder, spans) in finders.iter().zip(&mut corpus.spans) {
                spans.extend(finder.spans(&batch)?);
            }
            events(FitEvent::Read { texts: (corpus.rows.len() / corpus.dim.max(1)) as u64 });
        }
        source.end()?;
        Ok(corpus)
    }

    /// Fits the eraser of the target at a position to some texts of a corpus. Nothing is written yet.
    ///
    /// # Errors
    /// If a setting is not valid, there are too few texts, or no word of the concept is frequent enough.
    pub fn eraser_in(
        &self,
        corpus: &FitCorpus,
        position: usize,
        target: &FitTarget,
        some: &[usize],
        events: &mut FitEvents<'_>,
    ) -> Result<Mask, Error> {
        let (dim, spans) = (corpus.dim, corpus.spans(position));
        let (mut moments, mut labels) = (Moments::new(dim), LabelSums::new(dim));
        for batch in some.chunks(BATCH) {
            let rows: Vec<f32> = batch
                .iter()
                .filter_map(|&at| corpus.rows.get(at * dim..(at + 1) * dim))
                .flatten()
                .copied()
                .collect();
            let words = |&at: &usize| Some(label_words(corpus.texts.get(at)?, spans.get(at)?));
            moments.add(&rows)?;
            labels.add(&rows, &batch.iter().filter_map(words).collect::<Vec<_>>())?;
        }
        let eraser = Eraser::fit(&moments, &labels, &self.erase)?;
        events(FitEvent::Erased { concept: &target.name, texts: some.len(), note: &eraser.note });
        let pairs = usize::try_from(labels.texts()).unwrap_or(usize::MAX);
        let note = CorpusNote {
            sha256: corpus.sha256.clone(),
            texts: corpus.texts.len(),
            pairs,
            public: self.public,
        };
        let about = (target.name.as_str(), target.summary.as_str(), target.sha256.as_str());
        let note = MaskNote::new(about, corpus.encoder.clone(), note, None);
        Ok(Mask { gates: Vec::new(), mean_squares: Vec::new(), eraser: Some(eraser), note })
    }
}

/// The budgets to measure an eraser at, in ascending order, and for each the veil that a release with this mask
/// uses by default. They keep [`DEFAULT_AXES`].
///
/// # Errors
/// If the mask has no eraser.
pub fn measured_veils(mask: &Mask) -> Result<Vec<(Epsilon, VectorVeil)>, Error> {
    let veil = |epsilon: f64| {
        let epsilon = Epsilon::new(epsilon)?;
        let veil = VectorVeil::erased(epsilon, std::slice::from_ref(mask), Some(DEFAULT_AXES), SHORTEST)?;
        Ok((epsilon, veil.bound(Bound::Unit)?))
    };
    BUDGETS.into_iter().map(veil).collect()
}

#[cfg(test)]
mod tests {
    use inkveil_privacy::NoiseKey;
    use inkveil_vector::{FoundShare, MeasuredBudget, MeasuredErasure};

    use super::*;
    use crate::detect::{Kind, Tier};
    use crate::{AfterNoise, Concept, VectorNoise, Veil};

    /// As if attackers had found 20 % of the words at the first budget, 30 % at the second, and so on.
    fn measurement(budgets: &[(Epsilon, VectorVeil)]) -> MeasuredErasure {
        let words = |at: usize| {
            let found = 0.1 * (at + 1) as f64;
            FoundShare::new(found, found + 0.1, "bayes")
        };
        let budget = |(at, (epsilon, _)): (usize, &(Epsilon, VectorVeil))| {
            MeasuredBudget::new(*epsilon, words(at), 0.1 * at as f64)
        };
        MeasuredErasure {
            seed: 1,
            axes: DEFAULT_AXES,
            attackers: vec!["bayes".to_owned()],
            fitted: 80,
            known: 80,
            attacked: 40,
            with_words: 40,
            words: 6,
            least_texts: 10,
            near_duplicates_from: 0.95,
            guessing: 0.05,
            clear: words(7),
            budgets: budgets.iter().enumerate().map(budget).collect(),
        }
    }

    #[test]
    fn a_budget_is_chosen_by_what_was_measured_for_the_same_treatment() {
        let folder = tempfile::tempdir().unwrap();
        let texts: Vec<String> = (0..200)
            .map(|i| format!("Order {i} is late, write to name{}@example.org about it.", i % 6))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (file, plain) = (folder.path().join("measured.mask"), folder.path().join("plain.mask"));
        let target = |path| {
            let concept = Concept::of(vec![Kind::Email], Vec::new(), Vec::new(), Tier::Rules);
            FitTarget::concept(concept, path, false).unwrap()
        };
        let (fit, cancel) = (VectorFit::default(), AtomicBool::new(false));
        let targets = [target(&file), target(&plain)];
        let corpus = fit.corpus(&targets, &FitTexts::Memory(&texts), &cancel, &mut |_| ()).unwrap();
        assert_eq!((corpus.as_strs(), corpus.rows().len()), (texts.clone(), 200 * corpus.dim()));
        assert!(corpus.spans(1).iter().all(|spans| spans.len() == 1) && corpus.spans(2).is_empty());
        let some: Vec<usize> = (0..120).collect();
        let [measured, other] = targets;
        let mut mask = fit.eraser_in(&corpus, 0, &measured, &some, &mut |_| ()).unwrap();
        assert_eq!((mask.note.corpus.texts, mask.note.corpus.pairs), (200, 120));
        other.write(&mask, &mut |_| ()).unwrap();
        mask.note.measured = Some(measurement(&measured_veils(&mask).unwrap()));
        measured.write(&mask, &mut |_| ()).unwrap();

        let veil = |share: f64| Veil::vectors_for_target(share).mask(&file);
        let chosen = veil(0.35).build(mask.dim()).unwrap();
        assert_eq!(chosen.epsilon().get(), 50.0);
        let receipt = chosen.receipt(3, None, &NoiseKey::insecure_from_seed(1)).unwrap().render();
        for part in [
            "target: share of words that attackers find, as measured = 0.35",
            "that the strongest attacker (bayes) finds: 0.8 before, 0.2 after",
            "95 % intervals: 0.3",
            "the target is not guaranteed",
            "not on this release",
            "near duplicates of these texts",
        ] {
            assert!(receipt.contains(part), "{part}: {receipt}");
        }
        let silent = veil(0.9).build(mask.dim()).unwrap();
        assert!(silent.epsilon().is_infinite() && silent.warnings().len() == 1);

        let refused = |veil: crate::VectorVeilBuilder| veil.build(mask.dim()).unwrap_err().to_string();
        let error = refused(veil(0.15));
        assert!(error.contains("measured.mask: no measured budget reaches the target of 0.15"), "{error}");
        assert!(refused(Veil::vectors_for_target(0.9).mask(&plain)).contains("was not measured"));
        assert!(refused(veil(0.9).mask(&plain)).contains("exactly one mask"));
        assert!(refused(Veil::vectors_for_target(0.9)).contains("exactly one mask"));
        assert!(refused(veil(0.9).noise(VectorNoise::Round)).contains("needs erasure"));
        assert!(refused(veil(0.9).axes(50)).contains("number of axes"));
        assert!(refused(veil(0.9).bound(Bound::Clip(2.0))).contains("of length 1"));
        assert!(refused(veil(0.9).after(AfterNoise::Unit)).contains("as they are"));
        assert!(refused(veil(2.0)).contains("from 0 to 1"));
    }

    #[test]
    fn a_label_cannot_be_measured() {
        let folder = tempfile::tempdir().unwrap();
        let target = FitTarget::label("late".to_owned(), &folder.path().join("late.mask"), false).unwrap();
        let texts = FitTexts::Memory(&["a text"]);
        let corpus = VectorFit::default().corpus(&[target], &texts, &AtomicBool::new(false), &mut |_| ());
        assert!(corpus.err().unwrap().to_string().contains("a label has no words"));
    }
}
