//! A set as it was: its texts encoded, the memory of its styles, and attackers who know it.

use std::collections::BTreeSet;

use inkveil_detect::Span;
use inkveil_eval::attack::{
    Attacker, AuthorAttack, AuthorSettings, Guesses, NgramSettings, Ngrams, SparseRows, Views,
};
use inkveil_eval::metrics::{Bootstrap, StyleShift, binned_spearman, quantile_bins};
use inkveil_style::{Memory, MemorySettings, Said};
use rayon::prelude::*;

use super::encoders::Encoders;
use super::input::Input;
use super::report::{Gradient, MethodReport, SetReport};
use crate::Outcome;
use crate::files::Row;

/// The paper's number of bins, and the fewest texts that make one.
const BINS: usize = 15;
const LEAST: usize = 5;

pub(crate) struct Originals<'a> {
    pub(crate) train: Side<'a>,
    pub(crate) test: Side<'a>,
    /// What was found in the test texts, and what they say.
    pub(crate) spans: Vec<Vec<Span>>,
    pub(crate) said: Vec<Said>,
    /// Attackers who learnt from the training texts, in the order of [`Attacker::ALL`].
    pub(crate) attacks: Vec<AuthorAttack<&'a str>>,
    /// The same for labels, where there are some.
    pub(crate) classifier: Option<AuthorAttack<&'a str>>,
    /// Whatever may have been released: the test texts, which were, and the training texts, which were not. With their n-grams.
    pub(crate) candidates: Views<'a>,
    pub(crate) ngrams: Ngrams,
    pub(crate) candidate_rows: SparseRows,
    memory: Memory,
    /// The mean distance of each test text to the prototypes.
    risks: Vec<f64>,
}

/// Texts with what is known of them.
pub(crate) struct Side<'a> {
    pub(crate) views: Views<'a>,
    pub(crate) authors: Vec<&'a str>,
    pub(crate) labels: Option<Vec<&'a str>>,
}

impl<'a> Side<'a> {
    fn new(encoders: &Encoders, rows: &'a [Row]) -> Outcome<Self> {
        Ok(Self {
            views: encoders.views(rows.iter().map(|row| row.text.as_str()).collect())?,
            authors: rows.iter().map(|row| row.author.as_str()).collect(),
            labels: rows.iter().map(|row| row.label.as_deref()).collect(),
        })
    }
}

impl<'a> Originals<'a> {
    pub(crate) fn new(encoders: &Encoders, input: &'a Input, radius: f64) -> Outcome<Self> {
        let (train, test) = (Side::new(encoders, &input.train)?, Side::new(encoders, &input.test)?);
        let settings = MemorySettings { merge_radius: radius, ..MemorySettings::default() };
        let mut memory = Memory::new(encoders.style.note().clone(), encoders.style.dimension(), settings)?;
        memory.add(train.views.style().1, None)?;
        let geometry = memory.geometry()?;
        let risk = |text| geometry.mean_distance(test.views.style_of(text));
        let risks = (0..test.views.len()).map(risk).collect::<Result<_, _>>()?;
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
            train,
            test,
            memory,
            risks,
        })
    }

    /// How each test text's style moved.
    pub(crate) fn shifts(&self, released: &Views<'_>) -> Outcome<Vec<StyleShift>> {
        let geometry = self.memory.geometry()?;
        let shift = |text| StyleShift::of(&geometry, self.test.views.style_of(text), released.style_of(text));
        Ok((0..released.len()).map(shift).collect::<Result<_, _>>()?)
    }

    /// The styles of the test texts that stand out: what a rewrite should not look like.
    pub(crate) fn outliers(&self) -> Outcome<Vec<&[f32]>> {
        let tau = self.memory.geometry()?.tau();
        let outliers = (0..self.risks.len()).filter(|&text| self.risks[text] > tau);
        Ok(outliers.map(|text| self.test.views.style_of(text)).collect())
    }

    /// Whether texts with a higher risk, before they were rewritten, are given to their authors more often.
    pub(crate) fn gradient(&self, guesses: &Guesses, bootstrap: &Bootstrap) -> Gradient {
        let right = guesses.all().iter().map(|guess| f64::from(u8::from(guess.is_right())));
        let pairs: Vec<(f64, f64)> = self.risks.iter().copied().zip(right).collect();
        let quintiles = quantile_bins(&pairs, 5, bootstrap).unwrap_or_default();
        Gradient {
            rho: binned_spearman(&pairs, BINS, LEAST, bootstrap),
            quintiles: quintiles.iter().map(|bin| bin.success.mean).collect(),
        }
    }

    pub(crate) fn report(&self, input: &Input, methods: Vec<MethodReport>) -> Outcome<SetReport> {
        let tau = self.memory.geometry()?.tau();
        let known = Attacker::ALL.iter().zip(&self.attacks);
        let mut before = Gradient::default();
        for (attacker, attack) in known.filter(|(attacker, _)| **attacker == Attacker::AuthorClassifier) {
            let guesses = attack.identify(&self.test.views.evidence(*attacker), &self.test.authors)?;
            before = self.gradient(&guesses, &Bootstrap::default());
        }
        Ok(SetReport {
            name: input.name.clone(),
            train: input.train.len(),
            test: input.test.len(),
            authors: self.train.authors.iter().collect::<BTreeSet<_>>().len(),
            prototypes: self.memory.len(),
            tau,
            outliers: self.risks.iter().filter(|risk| **risk > tau).count(),
            before,
            methods,
        })
    }
}

/// What tells labels apart: the same network as the author classifier.
pub(crate) fn classifier<'a>(
    views: &Views<'_>,
    labels: Option<&[&'a str]>,
) -> Outcome<Option<AuthorAttack<&'a str>>> {
    let Some(labels) = labels else { return Ok(None) };
    let settings = AuthorSettings::of(Attacker::AuthorClassifier);
    Ok(Some(AuthorAttack::train(&settings, &views.evidence(Attacker::AuthorClassifier), labels)?))
}
