//! The treatment of the texts of a cell.

use std::fmt;
use std::sync::Arc;

use inkveil_privacy::Epsilon;
use inkveil_text::{
    AtZero, Budget, Budgets, Decoding, Document, Group, MechanismSettings, TextSettings, TextVeil, Threshold,
};
use serde::Serialize;

use super::spec::{Allocation, NEAREST, TextGrid, TextStudy};
use crate::Error;
use crate::experiment::context::RunContext;

/// The treatment of the texts of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in super::super) struct TextTreatment {
    pub(in super::super) mechanism: String,
    pub(super) allocation: Option<Allocation>,
    pub(in super::super) budgets: Option<String>,
    pub(super) threshold: Option<f64>,
    /// The share of words that are not needed, instead of a threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quantile: Option<f64>,
    /// The vector of the task, if it is not the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task_vector: Option<String>,
    /// How noised words are decoded, if not to the nearest word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decoding: Option<String>,
}

impl fmt::Display for TextTreatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mechanism)?;
        if let Some(budgets) = &self.budgets {
            write!(f, " at {budgets}")?;
        }
        match self.allocation {
            Some(Allocation::Stamp) | None => {}
            Some(allocation) => write!(f, " ({})", allocation.name())?,
        }
        for name in [&self.task_vector, &self.decoding].into_iter().flatten() {
            write!(f, ", {name}")?;
        }
        Ok(())
    }
}

impl TextTreatment {
    /// A mechanism without budgets.
    pub(super) fn plain(mechanism: &str) -> Self {
        let mechanism = mechanism.to_owned();
        Self {
            mechanism,
            allocation: None,
            budgets: None,
            threshold: None,
            quantile: None,
            task_vector: None,
            decoding: None,
        }
    }

    /// All treatments of grids, in their order.
    pub(in super::super) fn all(grids: &[TextGrid]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for grid in grids {
            let lines: Vec<(Option<f64>, Option<f64>)> =
                match (grid.thresholds.as_slice(), grid.quantiles.as_slice()) {
                    ([], []) => vec![(None, None)],
                    ([], shares) => shares.iter().map(|share| (None, Some(*share))).collect(),
                    (cosines, _) => cosines.iter().map(|cosine| (Some(*cosine), None)).collect(),
                };
            let vectors = match grid.task_vectors.as_slice() {
                [] => vec![None],
                some => some.iter().cloned().map(Some).collect(),
            };
            for mechanism in &grid.mechanisms {
                let plain = Self::plain(mechanism);
                if grid.budgets.is_empty() {
                    all.push(plain);
                    continue;
                }
                for allocation in &grid.allocations {
                    for budgets in &grid.budgets {
                        for decoding in &grid.decodings {
                            let decoding = Some(decoding.clone()).filter(|name| name != NEAREST);
                            for task_vector in &vectors {
                                all.extend(lines.iter().map(|&(threshold, quantile)| Self {
                                    allocation: Some(*allocation),
                                    budgets: Some(budgets.clone()),
                                    threshold,
                                    quantile,
                                    task_vector: task_vector.clone(),
                                    decoding: decoding.clone(),
                                    ..plain.clone()
                                }));
                            }
                        }
                    }
                }
            }
        }
        // Grids may overlap; each treatment counts once.
        let mut seen: Vec<Self> = Vec::new();
        all.retain(|treatment| {
            let new = !seen.contains(treatment);
            seen.extend(new.then(|| treatment.clone()));
            new
        });
        all
    }

    /// The veil of this treatment; none if texts stay unchanged. A uniform allocation has the mean
    /// budget of `texts`.
    pub(in super::super) fn veil(
        &self,
        study: &TextStudy,
        task: Option<&str>,
        texts: &[Document<'_>],
        context: &RunContext<'_>,
    ) -> Result<Option<TextVeil>, Error> {
        let mut settings =
            if study.published { TextSettings::as_published() } else { TextSettings::default() };
        settings.lexicon = study.lexicon()?.or(settings.lexicon);
        settings.tasks.extend(task.map(str::to_owned));
        let line = self.threshold.map(Threshold::Cosine).or(self.quantile.map(Threshold::Quantile));
        settings.threshold = line.or(settings.threshold);
        if let Some(name) = &self.task_vector {
            settings.task_vector =
                name.parse().map_err(|error| Error::argument("unknown task vector").caused_by(error))?;
        }
        let (mechanism, at_zero) = match self.mechanism.as_str() {
            "keep" => return Ok(None),
            "mask" => (None, AtZero::Mask),
            "drop" => (None, AtZero::Drop),
            "surrogate" => (None, AtZero::Surrogate),
            name => {
                let unknown = |error| Error::argument("unknown mechanism").caused_by(error);
                (Some(name.parse().map_err(unknown)?), AtZero::Mask)
            }
        };
        settings.at_zero = at_zero;
        let Some(mechanism) = mechanism else {
            let all = Epsilon::INFINITE;
            settings.budget = Budget::Each(Budgets::new([Epsilon::ZERO, Epsilon::ZERO, all, all]));
            return Ok(Some(open(settings, context)?));
        };
        settings.mechanism = MechanismSettings {
            calibration: study.calibration.parse()?,
            nearest_by: settings.mechanism.nearest_by,
            ..MechanismSettings::of(mechanism)
        };
        settings.decoding = Some(match &self.decoding {
            Some(name) => {
                name.parse().map_err(|error| Error::argument("unknown decoding").caused_by(error))?
            }
            None => Decoding::Nearest,
        });
        let budgets: Budgets = self.budgets.as_deref().unwrap_or_default().parse()?;
        settings.budget = Budget::Each(match self.allocation.unwrap_or(Allocation::Stamp) {
            Allocation::Stamp => budgets,
            Allocation::PrivateOnly => keeping(budgets, &[Group::Needed, Group::Neither]),
            Allocation::PrivateLow => {
                keeping(budgets, &[Group::SensitiveNeeded, Group::Needed, Group::Neither])
            }
            Allocation::NotNeeded => keeping(budgets, &[Group::Needed]),
            Allocation::Uniform => {
                settings.budget = Budget::Each(budgets);
                let mean = mean_epsilon(&open(settings.clone(), context)?, texts)?;
                Budgets::uniform(mean)
            }
        });
        Ok(Some(open(settings, context)?))
    }
}

/// Opens a veil of the pack. Each kind of lexicon is opened once, because some packs take long for
/// it.
fn open(settings: TextSettings, context: &RunContext<'_>) -> Result<TextVeil, Error> {
    let mut lexicons = context.lexicons.lock();
    let veil = match lexicons.get(&settings.lexicon) {
        Some(open) => TextVeil::open_on(Arc::clone(open), context.pack, context.names, settings, None)?,
        None => {
            let kind = settings.lexicon;
            let veil = TextVeil::open_with(context.pack, context.names, settings, None)?;
            lexicons.insert(kind, Arc::clone(veil.lexicon()));
            veil
        }
    };
    Ok(veil)
}

/// Budgets that keep these groups unchanged.
fn keeping(budgets: Budgets, groups: &[Group]) -> Budgets {
    Budgets::new(Group::ALL.map(|group| match groups.contains(&group) {
        true => Epsilon::INFINITE,
        false => budgets.of(group),
    }))
}

/// The mean budget of all units.
fn mean_epsilon(veil: &TextVeil, texts: &[Document<'_>]) -> Result<Epsilon, Error> {
    let (mut sum, mut count) = (0.0, 0);
    for plan in veil.plan(texts)? {
        sum += plan.units().iter().map(|unit| unit.epsilon.get()).sum::<f64>();
        count += plan.units().len();
    }
    Ok(Epsilon::new(sum / f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX)))?)
}
