//! Draws the noise of a text, writes its replacements, and joins them into the released text.

use std::collections::HashMap;

use inkveil_lexicon::{HiddenCharacters, RenderStyle, Replacement};
use inkveil_privacy::{NoiseAddress, NoiseKey};
use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};

use super::TextVeil;
use crate::linked::FormPair;
use crate::mechanism::Token;
use crate::plan::TextPlan;
use crate::veiled::WrittenUnit;
use crate::zero::Writing;
use crate::{AtZero, Consistency, Error, Replacements, Treatment};

impl TextVeil {
    /// Draws a replacement for each noised unit of all documents in one batch.
    pub(super) fn draw(
        &self,
        plans: &[TextPlan<'_>],
        records: &[u64],
        key: &NoiseKey,
    ) -> Result<Vec<u32>, Error> {
        let tokens = tokens(plans, records);
        let Some(decoder) = &self.decoder else { return self.mechanism.draw(&tokens, key) };
        match self.mechanism.observe(&tokens, key, decoder.likely())? {
            Some(observed) => Ok(decoder.decode_all(plans, &observed)),
            None => self.mechanism.draw(&tokens, key),
        }
    }

    /// Returns the replacement of each unit of a document, and the forms of names that an answer may
    /// use.
    pub(super) fn replacements(
        &self,
        plan: &TextPlan<'_>,
        record: u64,
        key: &NoiseKey,
        known: &mut Replacements,
        drawn: &mut impl Iterator<Item = u32>,
    ) -> Result<(Vec<Replacement>, Vec<FormPair>), Error> {
        let mut replacements: Vec<Replacement> = plan
            .units
            .iter()
            .map(|unit| match unit.treatment {
                // There is one draw for each unit. If one were missing, nothing of the original may
                // pass.
                Treatment::Noise => {
                    drawn.next().map_or_else(|| Replacement::Text(String::new()), Replacement::Entry)
                }
                Treatment::Replaced(_) => Replacement::Text(String::new()),
                Treatment::Joined => Replacement::Joined,
                Treatment::Kept | Treatment::Punctuation | Treatment::Clitic => Replacement::Keep,
            })
            .collect();
        let scope = self.settings.scope();
        let writing = || Writing::new(plan, &self.lexicon, record, key, scope);
        if !self.settings.restorable {
            self.write(&mut writing(), &mut replacements)?;
            drop_endings(plan, &mut replacements);
            return Ok((replacements, Vec::new()));
        }
        let none = Replacements::default();
        let before = if scope == Consistency::Job { &*known } else { &none };
        let rest = self.rest(plan, &replacements)?;
        let mut forms = Vec::new();
        for only_placeholders in [false, true] {
            let mut writing = writing().restorable(before, &rest, only_placeholders);
            self.write(&mut writing, &mut replacements)?;
            // Answers are about few documents, and the forms of many would fill a map.
            forms = if before.len() < MOST_KNOWN { writing.forms() } else { Vec::new() };
            // The text itself already has these.
            forms.retain(|form| !replacements.contains(&Replacement::Text(form.replacement.clone())));
            if self.can_be_restored(plan, &replacements, &forms)? {
                break;
            }
            if !std::mem::take(&mut forms).is_empty() && self.can_be_restored(plan, &replacements, &forms)? {
                break;
            }
        }
        if scope == Consistency::Job {
            for (index, replacement) in replacements.iter().enumerate() {
                if let (Treatment::Replaced(_), Replacement::Text(text)) =
                    (plan.units[index].treatment, replacement)
                {
                    known.remember(text, &plan.text()[plan.replaced(index)], plan.label(index));
                }
            }
            forms.iter().for_each(|form| known.remember(&form.replacement, &form.original, &form.kind));
        }
        Ok((replacements, forms))
    }

    /// Writes the replacements at ε = 0.
    pub(super) fn write(
        &self,
        writing: &mut Writing<'_, '_>,
        replacements: &mut [Replacement],
    ) -> Result<(), Error> {
        self.replacer.link(writing)?;
        for (index, replacement) in replacements.iter_mut().enumerate() {
            if let Replacement::Text(text) = replacement
                && writing.is_replaced(index)
            {
                *text = self.replacer.write(writing, index)?;
            }
        }
        Ok(())
    }

    /// Returns the released text without what is replaced: kept and noised words, and punctuation.
    pub(super) fn rest(&self, plan: &TextPlan<'_>, replacements: &[Replacement]) -> Result<String, Error> {
        /// Stands for a replacement. It is not part of a word.
        const GAP: &str = "\u{fffc}";
        let gap = |replacement: &Replacement| match replacement {
            Replacement::Text(_) => Replacement::Text(GAP.to_owned()),
            other => other.clone(),
        };
        let gaps: Vec<Replacement> = replacements.iter().map(gap).collect();
        Ok(self.render(plan, &gaps)?.0)
    }

    /// Returns whether restoring finds each replacement in its place and nowhere else. Two
    /// neighbouring replacements can read as a third, and noise can draw a word that is a
    /// replacement elsewhere. Placeholders have brackets and can always be found.
    ///
    /// Numbers stand for the originals, so the answer depends on the released text and on which
    /// originals are equal, and on nothing else. For that reason the restorer of answers, which knows the
    /// originals, cannot be used here.
    pub(super) fn can_be_restored(
        &self,
        plan: &TextPlan<'_>,
        replacements: &[Replacement],
        forms: &[FormPair],
    ) -> Result<bool, Error> {
        let (veiled, written) = self.render(plan, replacements)?;
        let mut pairs = ReplacementMap::builder();
        let mut expected = String::with_capacity(plan.text().len());
        let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
        let mut at = 0;
        for (index, written) in written.iter().enumerate() {
            if matches!(plan.units[index].treatment, Treatment::Replaced(_)) {
                let (label, next) = (plan.label(index), numbers.len());
                let number = *numbers.entry((label, &plan.text()[plan.replaced(index)])).or_insert(next);
                let original = format!("⟦{number}⟧");
                if pairs.add(&veiled[written.range.clone()], &original, label).is_err() {
                    return Ok(false);
                }
                expected.push_str(&veiled[at..written.range.start]);
                expected.push_str(&original);
                at = written.range.end;
            }
        }
        expected.push_str(&veiled[at..]);
        for form in forms {
            let next = numbers.len();
            let number = *numbers.entry((&form.kind, &form.original)).or_insert(next);
            if pairs.add(&form.replacement, &format!("⟦{number}⟧"), &form.kind).is_err() {
                return Ok(false);
            }
        }
        if pairs.is_empty() {
            return Ok(veiled == expected);
        }
        let restorer = Restorer::new(&pairs.build(), RestoreOptions::default());
        Ok(restorer.is_ok_and(|restorer| restorer.restore_text(&veiled).0 == expected))
    }

    /// Lets the language model write the replacements from left to right, each from the released
    /// text before it.
    pub(super) fn fill(
        &self,
        plan: &TextPlan<'_>,
        mut replacements: Vec<Replacement>,
    ) -> Result<Vec<Replacement>, Error> {
        let (AtZero::Fill, Some(model)) = (self.replacer.how, &self.replacer.model) else {
            return Ok(replacements);
        };
        for index in 0..replacements.len() {
            if matches!(plan.units[index].treatment, Treatment::Replaced(_)) {
                let (text, written) = self.render(plan, &replacements)?;
                let before = &text[..written[index].range.start];
                let filled = crate::fill::continue_with(model, before, &text)?;
                if !filled.is_empty() {
                    replacements[index] = Replacement::Text(filled);
                }
            }
        }
        Ok(replacements)
    }

    pub(super) fn style(&self) -> RenderStyle {
        let hidden = if self.budgets.keep_all() { HiddenCharacters::Keep } else { HiddenCharacters::Drop };
        RenderStyle { casing: self.settings.casing, hidden }
    }

    pub(super) fn render(
        &self,
        plan: &TextPlan<'_>,
        replacements: &[Replacement],
    ) -> Result<(String, Vec<WrittenUnit>), Error> {
        let (text, ranges) = self.lexicon.render_with_ranges(&plan.alignment, replacements, &self.style())?;
        let written = ranges.into_iter().zip(&plan.units).map(|(range, unit)| {
            let same = text[range.clone()] == plan.text()[unit.range.clone()];
            WrittenUnit { range, same }
        });
        let written = written.collect();
        Ok((text, written))
    }
}

/// Returns the noised units of plans with the address of the noise of each; `records` are those of the plans.
pub(super) fn tokens(plans: &[TextPlan<'_>], records: &[u64]) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (&record, plan) in records.iter().zip(plans) {
        for (position, unit) in (0..).zip(&plan.units) {
            if let (Treatment::Noise, Some(id)) = (unit.treatment, unit.id) {
                let place = NoiseAddress::record(record).position(position);
                tokens.push(Token { id, epsilon: unit.epsilon, place });
            }
        }
    }
    tokens
}

/// The number of originals of earlier documents from which on the forms of names are not stored.
const MOST_KNOWN: usize = 2000;

/// Leaves out the endings of words that are left out: without "Ana", "'s" has no word.
fn drop_endings(plan: &TextPlan<'_>, replacements: &mut [Replacement]) {
    let mut dropped = false;
    for (unit, replacement) in plan.units.iter().zip(replacements) {
        match unit.treatment {
            Treatment::Clitic if dropped => *replacement = Replacement::Joined,
            Treatment::Clitic | Treatment::Joined => {}
            _ => dropped = *replacement == Replacement::Text(String::new()),
        }
    }
}
