//! The originals of a set: encoded texts, the memory of their styles, and trained attackers.

use inkveil_detect::Span;
use inkveil_style::{Memory, MemorySettings, TextMeaning};
use rayon::prelude::*;

use super::encoders::Encoders;
use crate::Error;
use crate::attack::{
    AuthorAttack, AuthorAttacker, AuthorGuesses, AuthorSettings, NgramSettings, Ngrams, SparseRows, Views,
};
use crate::data::{AuthoredSet, AuthoredText};
use crate::metrics::{Bootstrap, Estimate, StyleShift, binned_spearman, quantile_bins, spearman};

/// The number of bins in the paper, and the least number of texts in a bin.
const BINS: usize = 15;
const LEAST: usize = 5;

pub(super) struct Originals<'a> {
    /// The task of the texts.
    pub(super) task: Option<&'a str>,
    pub(super) train: Side<'a>,
    pub(super) test: Side<'a>,
    /// The detected spans of the test texts, and their meaning.
    pub(super) spans: Vec<Vec<Span>>,
    pub(super) said: Vec<TextMeaning>,
    /// Attackers trained on the training texts, in the order of [`AuthorAttacker::ALL`].
    pub(super) attacks: Vec<AuthorAttack<&'a str>>,
    /// A classifier of labels, if there are labels.
    pub(super) classifier: Option<AuthorAttack<&'a str>>,
    /// Candidates for linkage: the test texts, which are released, then the training texts, which
    /// are not; and their n-grams.
    pub(super) candidates: Views<'a>,
    pub(super) ngrams: Ngrams,
    pub(super) candidate_rows: SparseRows,
    memory: Memory,
    /// The mean distance of each test text to the prototypes.
    risks: Vec<f64>,
}

/// Texts with their authors and labels.
pub(super) struct Side<'a> {
    pub(super) views: Views<'a>,
    pub(super) authors: Vec<&'a str>,
    pub(super) labels: Option<Vec<&'a str>>,
}

impl<'a> Side<'a> {
    fn new(encoders: &Encoders, rows: &'a [AuthoredText]) -> Result<Self, Error> {
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
        let learn = |attacker: &AuthorAttacker| {
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
            attacks: AuthorAttacker::ALL.par_iter().map(learn).collect::<Result<_, _>>()?,
            classifier: classifier(&train.views, train.labels.as_deref())?,
            task: set.task.as_deref(),
            train,
            test,
            memory,
            risks,
        })
    }

    /// How the style of each test text moved.
    pub(super) fn shifts(&self, released: &Views<'_>) -> Result<Vec<StyleShift>, Error> {
        let geometry = self.memory.geometry()?;
        let shift = |text| StyleShift::of(&geometry, self.test.views.style_of(text), released.style_of(text));
        (0..released.len()).map(shift).collect()
    }

    /// The mean risk of released texts in the memory of the training texts.
    pub(super) fn mean_risk(&self, released: &Views<'_>) -> Result<f64, Error> {
        let geometry = self.memory.geometry()?;
        let risk = |text| Ok(geometry.risk_of(geometry.mean_distance(released.style_of(text))?));
        let risks = (0..released.len()).map(risk).collect::<Result<Vec<f64>, Error>>()?;
        Ok(risks.iter().sum::<f64>() / risks.len().max(1) as f64)
    }

    /// The styles of test texts that are outliers.
    pub(super) fn outliers(&self) -> Result<Vec<&[f32]>, Error> {
        let tau = self.memory.geometry()?.tau();
        let outliers = (0..self.risks.len()).filter(|&text| self.risks[text] > tau);
        Ok(outliers.map(|text| self.test.views.style_of(text)).collect())
    }

    /// Whether texts with a higher risk before rewriting are assigned to their authors more often:
    /// Spearman's ρ over bins.
    pub(super) fn gradient(&self, guesses: &AuthorGuesses, bootstrap: &Bootstrap) -> Option<Estimate> {
        binned_spearman(&self.risk_and_success(guesses), BINS, LEAST, bootstrap)
    }

    /// The same over single texts.
    pub(super) fn gradient_over_texts(
        &self,
        guesses: &AuthorGuesses,
        bootstrap: &Bootstrap,
    ) -> Option<Estimate> {
        bootstrap.statistic(&self.risk_and_success(guesses), spearman)
    }

    /// The share of texts assigned to their authors in each fifth, those with the least risk first.
    pub(super) fn quintiles(&self, guesses: &AuthorGuesses, bootstrap: &Bootstrap) -> Vec<Estimate> {
        let bins = quantile_bins(&self.risk_and_success(guesses), 5, bootstrap).unwrap_or_default();
        bins.into_iter().map(|bin| bin.success).collect()
    }

    fn risk_and_success(&self, guesses: &AuthorGuesses) -> Vec<(f64, f64)> {
        let right = guesses.all().iter().map(|guess| f64::from(u8::from(guess.is_right())));
        self.risks.iter().copied().zip(right).collect()
    }
}

/// A classifier of labels with the settings of the author classifier.
pub(super) fn classifier<'a>(
    views: &Views<'_>,
    labels: Option<&[&'a str]>,
) -> Result<Option<AuthorAttack<&'a str>>, Error> {
    let Some(labels) = labels else { return Ok(None) };
    let settings = AuthorSettings::of(AuthorAttacker::AuthorClassifier);
    Ok(Some(AuthorAttack::train(&settings, &views.evidence(AuthorAttacker::AuthorClassifier), labels)?))
}
