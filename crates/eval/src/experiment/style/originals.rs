//! A set as it was: its texts encoded, the memory of its styles, and attackers who know it.

use inkveil_detect::Span;
use inkveil_style::{Memory, MemorySettings, TextMeaning};
use rayon::prelude::*;

use super::encoders::Encoders;
use crate::Error;
use crate::attack::{
    Attacker, AuthorAttack, AuthorSettings, Guesses, NgramSettings, Ngrams, SparseRows, Views,
};
use crate::data::{AuthoredSet, Writing};
use crate::metrics::{Bootstrap, Estimate, StyleShift, binned_spearman, quantile_bins, spearman};

/// The paper's number of bins, and the fewest texts that make one.
const BINS: usize = 15;
const LEAST: usize = 5;

pub(super) struct Originals<'a> {
    /// What the texts are for.
    pub(super) task: Option<&'a str>,
    pub(super) train: Side<'a>,
    pub(super) test: Side<'a>,
    /// What was found in the test texts, and what they say.
    pub(super) spans: Vec<Vec<Span>>,
    pub(super) said: Vec<TextMeaning>,
    /// Attackers who learnt from the training texts, in the order of [`Attacker::ALL`].
    pub(super) attacks: Vec<AuthorAttack<&'a str>>,
    /// The same for labels, where there are some.
    pub(super) classifier: Option<AuthorAttack<&'a str>>,
    /// Whatever may have been released: the test texts, which were, and the training texts, which were not. With their n-grams.
    pub(super) candidates: Views<'a>,
    pub(super) ngrams: Ngrams,
    pub(super) candidate_rows: SparseRows,
    memory: Memory,
    /// The mean distance of each test text to the prototypes.
    risks: Vec<f64>,
}

/// Texts with what is known of them.
pub(super) struct Side<'a> {
    pub(super) views: Views<'a>,
    pub(super) authors: Vec<&'a str>,
    pub(super) labels: Option<Vec<&'a str>>,
}

impl<'a> Side<'a> {
    fn new(encoders: &Encoders, rows: &'a [Writing]) -> Result<Self, Error> {
        Ok(Self {
            views: encoders.views(rows.iter().map(|row| row.text.as_str()).collect())?,
            authors: rows.iter().map(|row| row.author.as_str()).collect(),
            labels: rows.iter().map(|row| row.label.as_deref()).collect(),
        })
    }
}

impl<'a> Originals<'a> {
    pub(super) fn new(encoders: &Encoders, set: &'a AuthoredSet, radius: f64) -> Result<Self, Error> {
        let (train, test) = (Side::new(encoders, &set.train)?, Side::new(encoders, &set.test)?);
        let settings = MemorySettings { merge_radius: radius, ..MemorySettings::default() };
        let mut memory = Memory::new(encoders.style.note().clone(), encoders.style.dimension(), settings)?;
        memory.add(train.views.style().1, None)?;
        let geometry = memory.geometry()?;
        let risk = |text| geometry.mean_distance(test.views.style_of(text));
        let risks = (0..test.views.len()).map(risk).collect::<Result<Vec<f64>, _>>()?;
        let learn = |attacker: &Attacker| {
            let evidence = train.views.evidence(*attacker);
            AuthorAttack::train(&AuthorSettings::of(*attacker), &evidence, &train.authors)
        };
        let candidates = test.views.followed_by(&train.views)?;
        let ngrams = Ngrams::learn(candidates.texts(), &NgramSettings::default())?;
        Ok(Self {
            candidate_rows: ngrams.rows(candidates.texts()),
            ngrams,
            candidates,
            spans: encoders.spans(test.views.texts())?,
            said: encoders.said(test.views.texts())?,
            attacks: Attacker::ALL.par_iter().map(learn).collect::<Result<_, _>>()?,
            classifier: classifier(&train.views, train.labels.as_deref())?,
            task: set.task.as_deref(),
            train,
            test,
            memory,
            risks,
        })
    }

    /// How each test text's style moved.
    pub(super) fn shifts(&self, released: &Views<'_>) -> Result<Vec<StyleShift>, Error> {
        let geometry = self.memory.geometry()?;
        let shift = |text| StyleShift::of(&geometry, self.test.views.style_of(text), released.style_of(text));
        (0..released.len()).map(shift).collect()
    }

    /// The styles of the test texts that stand out: what a rewrite should not look like.
    pub(super) fn outliers(&self) -> Result<Vec<&[f32]>, Error> {
        let tau = self.memory.geometry()?.tau();
        let outliers = (0..self.risks.len()).filter(|&text| self.risks[text] > tau);
        Ok(outliers.map(|text| self.test.views.style_of(text)).collect())
    }

    /// Whether texts with a higher risk, before they were rewritten, are given to their authors more often: Spearman's ρ over bins.
    pub(super) fn gradient(&self, guesses: &Guesses, bootstrap: &Bootstrap) -> Option<Estimate> {
        binned_spearman(&self.risk_and_success(guesses), BINS, LEAST, bootstrap)
    }

    /// The same over single texts.
    pub(super) fn gradient_over_texts(&self, guesses: &Guesses, bootstrap: &Bootstrap) -> Option<Estimate> {
        bootstrap.statistic(&self.risk_and_success(guesses), spearman)
    }

    /// How many texts are given to their authors in each fifth of them, those with the least risk first.
    pub(super) fn quintiles(&self, guesses: &Guesses, bootstrap: &Bootstrap) -> Vec<Estimate> {
        let bins = quantile_bins(&self.risk_and_success(guesses), 5, bootstrap).unwrap_or_default();
        bins.into_iter().map(|bin| bin.success).collect()
    }

    fn risk_and_success(&self, guesses: &Guesses) -> Vec<(f64, f64)> {
        let right = guesses.all().iter().map(|guess| f64::from(u8::from(guess.is_right())));
        self.risks.iter().copied().zip(right).collect()
    }
}

/// What tells labels apart: the same network as the author classifier.
pub(super) fn classifier<'a>(
    views: &Views<'_>,
    labels: Option<&[&'a str]>,
) -> Result<Option<AuthorAttack<&'a str>>, Error> {
    let Some(labels) = labels else { return Ok(None) };
    let settings = AuthorSettings::of(Attacker::AuthorClassifier);
    Ok(Some(AuthorAttack::train(&settings, &views.evidence(Attacker::AuthorClassifier), labels)?))
}
