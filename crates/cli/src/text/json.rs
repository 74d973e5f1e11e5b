//! A JSON object for each document, on one line.

use inkveil::{Epsilon, Group, Receipt, ReplacementReason, Treatment};
use serde::Serialize;

use super::counts::Counts;
use super::explained::{Explained, Unit};
use super::terms::{Terms, round};

/// A document that is released.
#[derive(Serialize)]
struct Released<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    text: &'a str,
    receipt: &'a Receipt,
    /// Whether a language model rewrote it, where one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<Vec<UnitLine<'a>>>,
}

/// A document whose cost was only counted.
#[derive(Serialize)]
struct Planned<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    has_task: bool,
    groups: Vec<GroupLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<Vec<UnitLine<'a>>>,
}

#[derive(Serialize)]
struct GroupLine {
    group: usize,
    about: &'static str,
    /// The budget of each unit.
    epsilon: Epsilon,
    units: u64,
    noised: u64,
    replaced: u64,
    kept: u64,
    /// What they would spend together.
    total_epsilon: Epsilon,
}

/// A unit, and what became of it. Private.
#[derive(Serialize)]
struct UnitLine<'a> {
    /// Its bytes in the original.
    range: [usize; 2],
    kind: Option<&'a str>,
    relevance: Option<f64>,
    group: usize,
    /// The budget that it is released with.
    epsilon: Epsilon,
    treatment: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<ReplacementReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<&'a str>,
}

/// The line of a document; its units too if `explain`.
pub(super) fn line(document: &Explained, terms: &Terms, explain: bool) -> anyhow::Result<String> {
    let (line, id) = (document.original.line, document.original.id.as_deref());
    let units = explain.then(|| document.units.iter().map(|unit| unit_line(document, unit)).collect());
    let json = match &document.release {
        Some(release) => {
            let repaired = release.repaired.as_ref().map(|repaired| repaired.refused.is_none());
            let (text, receipt) = (release.text(), &release.receipt);
            serde_json::to_string(&Released { line, id, text, receipt, repaired, units })
        }
        None => {
            let groups = group_lines(document, terms)?;
            serde_json::to_string(&Planned { line, id, has_task: document.has_task, groups, units })
        }
    };
    Ok(json? + "\n")
}

fn group_lines(document: &Explained, terms: &Terms) -> anyhow::Result<Vec<GroupLine>> {
    let mut counts = Counts::default();
    counts.add(document);
    let line = |group: Group| {
        let (ways, epsilon) = (counts.of(group), terms.budgets.of(group));
        Ok(GroupLine {
            group: group.number(),
            about: group.about(),
            epsilon,
            units: ways.all(),
            noised: ways.noised,
            replaced: ways.replaced,
            kept: ways.kept,
            total_epsilon: counts.spent(group, epsilon)?,
        })
    };
    Group::ALL.into_iter().map(line).collect()
}

fn unit_line<'a>(document: &'a Explained, unit: &'a Unit) -> UnitLine<'a> {
    let (treatment, why) = match unit.treatment {
        Treatment::Noise => ("noise", None),
        Treatment::Replaced(why) => ("replaced", Some(why)),
        Treatment::Joined => ("joined", None),
        Treatment::Kept => ("kept", None),
        Treatment::Punctuation => ("punctuation", None),
    };
    UnitLine {
        range: [unit.range.start, unit.range.end],
        kind: unit.kind.as_ref().map(|kind| kind.name()),
        relevance: unit.relevance.map(round),
        group: unit.group.number(),
        epsilon: unit.epsilon,
        treatment,
        why,
        replacement: document.replacement_of(unit),
    }
}
