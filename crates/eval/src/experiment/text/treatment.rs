//! What is done to texts in a cell.

use std::fmt;
use std::sync::Arc;

use inkveil_privacy::Epsilon;
use inkveil_text::{
    AtZero, Budget, Budgets, Document, Group, MechanismSettings, TextSettings, TextVeil, Threshold,
};
use serde::Serialize;

use super::super::{Allocation, Bench, Grid, TextStudy};
use crate::Error;

/// What is done to texts in a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in super::super) struct Treated {
    pub(in super::super) mechanism: String,
    pub(super) allocation: Option<Allocation>,
    pub(in super::super) budgets: Option<String>,
    pub(super) threshold: Option<f64>,
}

impl fmt::Display for Treated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mechanism)?;
        if let Some(budgets) = &self.budgets {
            write!(f, " at {budgets}")?;
        }
        match self.allocation {
            Some(Allocation::Stamp) | None => Ok(()),
            Some(allocation) => write!(f, " ({})", allocation.name()),
        }
    }
}

impl Treated {
    /// All cells of grids, in their order.
    pub(in super::super) fn all(grids: &[Grid]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for grid in grids {
            let thresholds = match grid.thresholds.as_slice() {
                [] => vec![None],
                some => some.iter().copied().map(Some).collect(),
            };
            for mechanism in &grid.mechanisms {
                let plain =
                    Self { mechanism: mechanism.clone(), allocation: None, budgets: None, threshold: None };
                if grid.budgets.is_empty() {
                    all.push(plain);
                    continue;
                }
                for allocation in &grid.allocations {
                    for budgets in &grid.budgets {
                        all.extend(thresholds.iter().map(|&threshold| Self {
                            allocation: Some(*allocation),
                            budgets: Some(budgets.clone()),
                            threshold,
                            ..plain.clone()
                        }));
                    }
                }
            }
        }
        // Grids may overlap; a cell is a cell once.
        let mut seen: Vec<Self> = Vec::new();
        all.retain(|treated| {
            let new = !seen.contains(treated);
            seen.extend(new.then(|| treated.clone()));
            new
        });
        all
    }

    /// The veil that does it; none if texts stay as they are. `texts` are those whose mean budget a uniform one must have.
    pub(in super::super) fn veil(
        &self,
        study: &TextStudy,
        task: Option<&str>,
        texts: &[Document<'_>],
        bench: &Bench<'_>,
    ) -> Result<Option<TextVeil>, Error> {
        let mut settings =
            if study.published { TextSettings::as_published() } else { TextSettings::default() };
        settings.lexicon = study.lexicon()?.or(settings.lexicon);
        settings.tasks.extend(task.map(str::to_owned));
        settings.threshold = self.threshold.map(Threshold::Cosine).or(settings.threshold);
        let nothing = Epsilon::ZERO;
        let (mechanism, at_zero) = match self.mechanism.as_str() {
            "keep" => return Ok(None),
            "mask" => (None, AtZero::Mask),
            "drop" => (None, AtZero::Drop),
            "surrogate" => (None, AtZero::Surrogate),
            name => (Some(name.parse()?), AtZero::Mask),
        };
        settings.at_zero = at_zero;
        let Some(mechanism) = mechanism else {
            let all = Epsilon::INFINITE;
            settings.budget = Budget::Each(Budgets::new([nothing, nothing, all, all]));
            return Ok(Some(open(settings, bench)?));
        };
        settings.mechanism = MechanismSettings {
            calibration: study.calibration.parse()?,
            decoding: settings.mechanism.decoding,
            ..MechanismSettings::of(mechanism)
        };
        let budgets: Budgets = self.budgets.as_deref().unwrap_or_default().parse()?;
        settings.budget = Budget::Each(match self.allocation.unwrap_or(Allocation::Stamp) {
            Allocation::Stamp => budgets,
            Allocation::PrivateOnly => kept(budgets, &[Group::Needed, Group::Neither]),
            Allocation::PrivateLow => kept(budgets, &[Group::SensitiveNeeded, Group::Needed, Group::Neither]),
            Allocation::NotNeeded => kept(budgets, &[Group::Needed]),
            Allocation::Uniform => {
                settings.budget = Budget::Each(budgets);
                let mean = mean_epsilon(&open(settings.clone(), bench)?, texts)?;
                Budgets::uniform(mean)
            }
        });
        Ok(Some(open(settings, bench)?))
    }
}

/// A veil of the pack at hand. Its lexicon is opened once for each kind: a pack that has not noted how far apart its words are takes long for it.
fn open(settings: TextSettings, bench: &Bench<'_>) -> Result<TextVeil, Error> {
    let mut lexicons = bench.lexicons.lock();
    let veil = match lexicons.get(&settings.lexicon) {
        Some(open) => TextVeil::open_on(Arc::clone(open), bench.pack, bench.names, settings, None)?,
        None => {
            let kind = settings.lexicon;
            let veil = TextVeil::open_with(bench.pack, bench.names, settings, None)?;
            lexicons.insert(kind, Arc::clone(veil.lexicon()));
            veil
        }
    };
    Ok(veil)
}

/// These groups stay as they are.
fn kept(budgets: Budgets, groups: &[Group]) -> Budgets {
    Budgets::new(Group::ALL.map(|group| match groups.contains(&group) {
        true => Epsilon::INFINITE,
        false => budgets.of(group),
    }))
}

/// The mean of what units may spend.
fn mean_epsilon(veil: &TextVeil, texts: &[Document<'_>]) -> Result<Epsilon, Error> {
    let (mut sum, mut count) = (0.0, 0);
    for plan in veil.plan(texts)? {
        sum += plan.units().iter().map(|unit| unit.epsilon.get()).sum::<f64>();
        count += plan.units().len();
    }
    Ok(Epsilon::new(sum / f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX)))?)
}
