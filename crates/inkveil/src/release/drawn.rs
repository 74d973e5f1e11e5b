//! Replacements of texts, with decisions of their owner about single words.

use std::ops::Range;

use inkveil_detect::Span;
use inkveil_privacy::NoiseKey;
use inkveil_text::{Document, Replacements, TextVeil, Treatment, UserDecisions, Veiled};

use crate::error::{Error, ErrorKind};
use crate::overrides::Overrides;

/// Veiled texts, before they are charged.
pub(super) struct Drawn<'t> {
    pub(super) veiled: Vec<Veiled<'t>>,
    pub(super) decisions: UserDecisions,
    /// The places of each text that the user kept.
    pub(super) kept: Vec<Vec<Range<usize>>>,
}

/// Draws the replacements of texts in which `spans` were found. Decisions about places hold for the first text.
///
/// A replacement that the user does not want is refused, and all are drawn again. What is drawn at ε = 0 does not
/// depend on the original, so a refusal reveals only what the user's choice reveals.
///
/// # Errors
/// If a place is not in the text, or a model fails. `known` is unchanged then.
pub(super) fn draw<'t>(
    veil: &TextVeil,
    texts: Vec<Document<'t>>,
    spans: Vec<Vec<Span>>,
    overrides: &Overrides,
    known: &mut Replacements,
    (first, key): (u64, &NoiseKey),
) -> Result<Drawn<'t>, Error> {
    if texts.len() != spans.len() {
        return Err(ErrorKind::Bug("a text was not searched").into());
    }
    let (mut found, mut documents) = (Vec::new(), Vec::new());
    let (mut again, mut all_kept) = (Vec::new(), Vec::new());
    let mut decisions = UserDecisions::default();
    for (document, spans) in texts.into_iter().zip(spans) {
        let decided = overrides.decide(document.text(), spans, documents.is_empty())?;
        decisions.kept += decided.decisions.kept;
        decisions.replaced += decided.decisions.replaced;
        documents.push(document.keep(decided.kept.iter().cloned()));
        found.push(decided.spans);
        again.push(decided.again);
        all_kept.push(decided.kept);
    }
    let mut refused: Vec<String> = Vec::new();
    let rounds = again.iter().flatten().map(|(_, times)| *times).max().unwrap_or(0);
    for round in 0..=rounds {
        let mut tried = known.clone();
        refused.iter().for_each(|replacement| tried.refuse(replacement));
        let veiled = veil.veil_found_with(&mut tried, &documents, found.clone(), first, key)?;
        if round == rounds {
            *known = tried;
            return Ok(Drawn { veiled, decisions, kept: all_kept });
        }
        for (veiled, again) in veiled.iter().zip(&again) {
            for (place, _) in again.iter().filter(|(_, times)| *times > round) {
                let replaced = replaced_in(veiled, place);
                decisions.drawn_again += u64::from(!replaced.is_empty());
                refused.extend(replaced);
            }
        }
    }
    Err(ErrorKind::Bug("no replacement was drawn").into())
}

/// The replacements at ε = 0 of what touches a place of the original.
fn replaced_in(veiled: &Veiled<'_>, place: &Range<usize>) -> Vec<String> {
    let units = veiled.plan().units().iter().enumerate();
    let touched = units.filter(|(_, unit)| {
        matches!(unit.treatment, Treatment::Replaced(_))
            && unit.range.start < place.end
            && place.start < unit.range.end
    });
    let written = touched.map(|(index, _)| veiled.replacement(index).to_owned());
    written.filter(|replacement| !replacement.is_empty()).collect()
}
