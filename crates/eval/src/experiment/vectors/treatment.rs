//! The treatment of the vectors of a cell.

use std::collections::BTreeMap;

use super::defence::Defence;
use super::spec::{MaskTarget, VectorGrid, VectorStudy};
use crate::Error;
use crate::experiment::recorder::coordinates;

/// The treatment of the vectors of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VectorTreatment {
    pub(super) defence: Defence,
    pub(super) epsilon: Option<f64>,
    pub(super) lambda: Option<f64>,
    pub(super) floor: Option<f64>,
    pub(super) shrink: bool,
    /// The words that a mask protects, or that are measured; by default all sensitive words.
    pub(super) target: Option<Target>,
}

impl VectorTreatment {
    /// All treatments of a study with these groups of words, in the order of its grids.
    pub(super) fn all(study: &VectorStudy, groups: &[String]) -> Result<Vec<Self>, Error> {
        let some = |values: &[f64], wanted: bool| match wanted {
            true => values.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let mut all: Vec<Self> = Vec::new();
        for grid in &study.grid {
            let targets = targets(grid, groups);
            for name in &grid.defences {
                let defence = Defence::named(name)?;
                for lambda in some(&grid.lambdas, defence == Defence::Sparse) {
                    for floor in some(&grid.floors, defence.has_shape()) {
                        for epsilon in some(&grid.epsilons, defence.has_noise()) {
                            for target in &targets {
                                let shrink = grid.shrink && defence.has_noise();
                                let target = target.clone();
                                let treatment = Self { defence, epsilon, lambda, floor, shrink, target };
                                if !all.contains(&treatment) {
                                    all.push(treatment);
                                }
                            }
                        }
                    }
                }
            }
        }
        Ok(all)
    }

    /// No treatment.
    pub(super) fn none() -> Self {
        Self { defence: Defence::None, epsilon: None, lambda: None, floor: None, shrink: false, target: None }
    }

    /// The treatment without a target that does not change the vectors. Only a mask depends on its
    /// target.
    pub(super) fn of_vectors(&self) -> Self {
        Self { target: self.target.clone().filter(|_| self.defence == Defence::Sparse), ..self.clone() }
    }

    pub(super) fn name(&self) -> String {
        let part = |name: &str, value: Option<f64>| {
            value.map_or_else(String::new, |value| format!(" {name} {value}"))
        };
        let shrunk = if self.shrink { ", shrunk" } else { "" };
        let target = self.target.as_ref().map_or_else(String::new, |target| format!(", {}", target.name()));
        let (lambda, epsilon) = (part("λ", self.lambda), part("at ε", self.epsilon));
        format!("{}{lambda}{epsilon}{shrunk}{target}", self.defence.name())
    }

    pub(super) fn at(&self, data: &str, study: &VectorStudy) -> BTreeMap<String, String> {
        let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| value.to_string());
        let mut at = coordinates(&[
            ("data", data.to_owned()),
            ("defence", self.defence.name().to_owned()),
            ("epsilon", value(self.epsilon)),
            ("lambda", value(self.lambda)),
            ("floor", value(self.floor)),
            ("shrunk", if self.shrink { "yes" } else { "no" }.to_owned()),
        ]);
        if study.grid.iter().any(|grid| !grid.targets.is_empty()) {
            let target = self.target.as_ref().map_or_else(|| "–".to_owned(), Target::name);
            at.insert("target".to_owned(), target);
        }
        at
    }
}

/// The words that a mask protects, if these are not all sensitive words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// All words of a group.
    Group(String),
    /// The most frequent word of a group.
    Word(String),
}

impl Target {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Group(group) => group.clone(),
            Self::Word(group) => format!("one of {group}"),
        }
    }
}

fn targets(grid: &VectorGrid, groups: &[String]) -> Vec<Option<Target>> {
    if grid.targets.is_empty() {
        return vec![None];
    }
    let of = |target: &MaskTarget| -> Vec<Option<Target>> {
        let each = |target: fn(String) -> Target| groups.iter().cloned().map(target).map(Some).collect();
        match target {
            MaskTarget::Group => each(Target::Group),
            MaskTarget::Word => each(Target::Word),
        }
    };
    grid.targets.iter().flat_map(of).collect()
}
