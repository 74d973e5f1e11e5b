//! The treatment of the vectors of a cell.

use std::collections::BTreeMap;

use super::defence::Defence;
use super::spec::{MaskTarget, SplitName, Told, VectorGrid, VectorStudy};
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
    /// The price of similarity of an eraser.
    pub(super) gamma: Option<f64>,
    /// The axes that are kept; 0 is all.
    pub(super) axes: Option<usize>,
    /// The words that an eraser learns from.
    pub(super) told: Told,
    /// The sentences that the attacker knows.
    pub(super) split: SplitName,
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
                let erases = defence == Defence::Erase;
                let told = if erases { grid.told.clone() } else { vec![Told::All] };
                let axes: Vec<Option<usize>> = match defence.has_axes() {
                    true => grid.axes.iter().copied().map(Some).collect(),
                    false => vec![None],
                };
                // Every combination, the last list fastest.
                let mut some_of = vec![Self { defence, ..Self::none() }];
                let mut each = |change: &dyn Fn(&Self) -> Vec<Self>| {
                    some_of = some_of.iter().flat_map(change).collect();
                };
                each(&|one| study.splits.iter().map(|&split| Self { split, ..one.clone() }).collect());
                let lambdas = some(&grid.lambdas, defence == Defence::Sparse);
                each(&|one| lambdas.iter().map(|&lambda| Self { lambda, ..one.clone() }).collect());
                let floors = some(&grid.floors, defence.has_shape());
                each(&|one| floors.iter().map(|&floor| Self { floor, ..one.clone() }).collect());
                let gammas = some(&grid.gammas, erases);
                each(&|one| gammas.iter().map(|&gamma| Self { gamma, ..one.clone() }).collect());
                each(&|one| axes.iter().map(|&axes| Self { axes, ..one.clone() }).collect());
                each(&|one| told.iter().map(|&told| Self { told, ..one.clone() }).collect());
                let epsilons = some(&grid.epsilons, defence.has_noise());
                each(&|one| epsilons.iter().map(|&epsilon| Self { epsilon, ..one.clone() }).collect());
                let shrink = grid.shrink && defence.has_noise() && !defence.has_axes();
                each(&|one| {
                    let with =
                        |target: &Option<Target>| Self { shrink, target: target.clone(), ..one.clone() };
                    targets.iter().map(with).collect()
                });
                for treatment in some_of {
                    if !all.contains(&treatment) {
                        all.push(treatment);
                    }
                }
            }
        }
        Ok(all)
    }

    /// No treatment.
    pub(super) fn none() -> Self {
        Self {
            defence: Defence::None,
            epsilon: None,
            lambda: None,
            floor: None,
            shrink: false,
            gamma: None,
            axes: None,
            told: Told::All,
            split: SplitName::Random,
            target: None,
        }
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
        let (gamma, axes) = (part("γ", self.gamma), part("axes", self.axes.map(|axes| axes as f64)));
        let told = if self.told == Told::Half { ", half of the words" } else { "" };
        let split = if self.split == SplitName::Groups { ", by groups" } else { "" };
        format!("{}{lambda}{gamma}{axes}{epsilon}{shrunk}{told}{target}{split}", self.defence.name())
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
        let any = |has: fn(&VectorGrid) -> bool| study.grid.iter().any(has);
        if any(|grid| grid.defences.iter().any(|name| ["erase", "axes"].contains(&name.as_str()))) {
            let axes = match self.axes {
                None => "–".to_owned(),
                Some(0) => "all".to_owned(),
                Some(axes) => axes.to_string(),
            };
            at.insert("axes".to_owned(), axes);
            at.insert("gamma".to_owned(), value(self.gamma));
            let told = if self.told == Told::Half { "half" } else { "all" };
            at.insert("told".to_owned(), told.to_owned());
        }
        if study.splits.len() > 1 || study.splits[0] != SplitName::Random {
            at.insert("split".to_owned(), self.split.name().to_owned());
        }
        if any(|grid| !grid.targets.is_empty()) {
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
