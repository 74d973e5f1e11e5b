//! The treatment of the vectors of a cell.

use std::collections::BTreeMap;

use super::defence::Defence;
use super::spec::{
    MaskTarget, OWN, QueryName, SplitName, StoreName, Told, VectorGrid, VectorStudy, text_change,
};
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
    /// The change of the texts before they are embedded, for defences with noise.
    pub(super) text: Option<Defence>,
    /// Another set that an eraser or axes learn from.
    pub(super) learn_from: Option<String>,
    /// How released vectors are stored.
    pub(super) store: StoreName,
    /// What is done to queries.
    pub(super) queries: QueryName,
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
                let erases = defence.erases();
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
                let mut texts =
                    grid.texts.iter().map(|name| text_change(name)).collect::<Result<Vec<_>, _>>()?;
                if texts.is_empty() || !defence.has_noise() {
                    texts = vec![None];
                }
                each(&|one| texts.iter().map(|&text| Self { text, ..one.clone() }).collect());
                let mut sources: Vec<Option<String>> =
                    grid.learn_from.iter().map(|set| Some(set.clone()).filter(|set| set != OWN)).collect();
                if sources.is_empty() || !defence.has_axes() {
                    sources = vec![None];
                }
                each(&|one| {
                    let with =
                        |learn_from: &Option<String>| Self { learn_from: learn_from.clone(), ..one.clone() };
                    sources.iter().map(with).collect()
                });
                let stores = match defence.flips() {
                    true => vec![StoreName::Binary],
                    false => or_one(&grid.stores, StoreName::Float),
                };
                each(&|one| stores.iter().map(|&store| Self { store, ..one.clone() }).collect());
                let usual = if study.noisy_queries { QueryName::Noisy } else { QueryName::Clear };
                let queries = or_one(&grid.queries, usual);
                each(&|one| queries.iter().map(|&queries| Self { queries, ..one.clone() }).collect());
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
            text: None,
            learn_from: None,
            store: StoreName::Float,
            queries: QueryName::Clear,
        }
    }

    /// The change of texts: a defence of its own, or before noise.
    pub(super) fn change(&self) -> Option<Defence> {
        self.text.or(Some(self.defence).filter(|defence| defence.changes_text()))
    }

    /// The treatment without what does not change the vectors: queries, and a target unless it is that
    /// of a mask.
    pub(super) fn of_vectors(&self) -> Self {
        let target = self.target.clone().filter(|_| self.defence == Defence::Sparse);
        Self { target, queries: QueryName::Clear, ..self.clone() }
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
        let text = self.text.map_or_else(String::new, |text| format!("{}, then ", text.name()));
        let from = self.learn_from.as_ref().map_or_else(String::new, |set| format!(", learnt from {set}"));
        let store = match self.store {
            StoreName::Float => String::new(),
            store => format!(", {}", store.name()),
        };
        let queries = match self.queries {
            QueryName::Clear => String::new(),
            queries => format!(", {} queries", queries.name()),
        };
        let own = self.defence.name();
        format!(
            "{text}{own}{lambda}{gamma}{axes}{epsilon}{shrunk}{told}{from}{target}{split}{store}{queries}"
        )
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
        if any(|grid| {
            grid.defences.iter().any(|name| ["erase", "axes", "erase-flip"].contains(&name.as_str()))
        }) {
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
        if any(|grid| !grid.texts.is_empty()) {
            at.insert("text".to_owned(), self.change().map_or("kept", Defence::name).to_owned());
        }
        if any(|grid| !grid.learn_from.is_empty()) {
            let set = match &self.learn_from {
                _ if !self.defence.has_axes() => "–",
                None => OWN,
                Some(set) => set.as_str(),
            };
            at.insert("learnt-from".to_owned(), set.to_owned());
        }
        if any(|grid| !grid.stores.is_empty()) {
            at.insert("store".to_owned(), self.store.name().to_owned());
        }
        if any(|grid| !grid.queries.is_empty()) {
            at.insert("queries".to_owned(), self.queries.name().to_owned());
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

/// The listed values, or one.
fn or_one<T: Copy>(listed: &[T], one: T) -> Vec<T> {
    if listed.is_empty() { vec![one] } else { listed.to_vec() }
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
