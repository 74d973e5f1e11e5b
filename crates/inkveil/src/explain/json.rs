//! One JSON object per document, on one line.

use inkveil_privacy::{Epsilon, Receipt};
use inkveil_text::{Group, ReplacementReason, Treatment};
use serde::Serialize;

use super::counts::TreatmentCounts;
use super::document::{ExplainedDocument, ExplainedUnit};
use super::terms::{VeilTerms, rounded};
use crate::error::{Error, ErrorKind};

/// A released document.
#[derive(Serialize)]
struct Released<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    text: &'a str,
    receipt: &'a Receipt,
    /// Whether a language model repaired it, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<Vec<UnitLine<'a>>>,
}

/// A document of a dry run.
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
    /// What all of them would spend.
    total_epsilon: Epsilon,
}

/// A unit and its treatment. **Private.**
#[derive(Serialize)]
struct UnitLine<'a> {
    /// Its bytes in the original.
    range: [usize; 2],
    kind: Option<&'a str>,
    relevance: Option<f64>,
    group: usize,
    /// The budget it is released with.
    epsilon: Epsilon,
    treatment: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<ReplacementReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<&'a str>,
}

/// Returns the JSON line of a document. With `explain` it also lists the units, which are private.
///
/// # Errors
/// If sums overflow.
pub fn json_line(document: &ExplainedDocument, terms: &VeilTerms, explain: bool) -> Result<String, Error> {
    let (line, id) = (document.original.line, document.original.id.as_deref());
    let units = explain.then(|| document.units.iter().map(|unit| unit_line(document, unit)).collect());
    let json = match &document.release {
        Some(release) => {
            let repaired = release.repaired.as_ref().map(|repaired| repaired.changed > 0);
            let (text, receipt) = (release.text(), &release.receipt);
            serde_json::to_string(&Released { line, id, text, receipt, repaired, units })
        }
        None => {
            let groups = group_lines(document, terms)?;
            serde_json::to_string(&Planned { line, id, has_task: document.has_task, groups, units })
        }
    };
    Ok(json.map_err(|_| ErrorKind::Bug("a document cannot be written as JSON"))? + "\n")
}

fn group_lines(document: &ExplainedDocument, terms: &VeilTerms) -> Result<Vec<GroupLine>, Error> {
    let mut counts = TreatmentCounts::default();
    counts.add(document);
    let line = |group: Group| {
        let (treated, epsilon) = (counts.of(group), terms.budgets.of(group));
        Ok(GroupLine {
            group: group.number(),
            about: group.about(),
            epsilon,
            units: treated.all(),
            noised: treated.noised,
            replaced: treated.replaced,
            kept: treated.kept,
            total_epsilon: counts.spent(group, epsilon)?,
        })
    };
    Group::ALL.into_iter().map(line).collect()
}

fn unit_line<'a>(document: &'a ExplainedDocument, unit: &'a ExplainedUnit) -> UnitLine<'a> {
    let (treatment, why) = match unit.treatment {
        Treatment::Noise => ("noise", None),
        Treatment::Replaced(why) => ("replaced", Some(why)),
        Treatment::Joined => ("joined", None),
        Treatment::Kept => ("kept", None),
        Treatment::Punctuation => ("punctuation", None),
        Treatment::Clitic => ("clitic", None),
    };
    UnitLine {
        range: [unit.range.start, unit.range.end],
        kind: unit.kind.as_ref().map(|kind| kind.name()),
        relevance: unit.relevance.map(rounded),
        group: unit.group.number(),
        epsilon: unit.epsilon,
        treatment,
        why,
        replacement: document.replacement_of(unit),
    }
}
