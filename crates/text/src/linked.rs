//! Replacements that belong together: forms of one identity, and values that move together.

use inkveil_detect::Span;
use inkveil_entities::{Identities, Scope, Source, Values, is_quantity};
use inkveil_privacy::NoiseKey;
use inkveil_surrogates::Lists;

use crate::plan::TextPlan;
use crate::{Consistency, Links};

/// The linked replacements of a document.
pub(crate) struct Linked {
    identities: Identities,
    /// None if values do not move together.
    values: Option<Values>,
}

/// A form of a name that the text need not have, with the same form of the original. **Private**.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FormPair {
    pub(crate) replacement: String,
    pub(crate) original: String,
    pub(crate) kind: String,
}

impl Linked {
    /// Draws the identities and shifts of a document; none if its replacements are not linked.
    pub(crate) fn draw(
        plan: &TextPlan<'_>,
        links: Links,
        lists: &Lists,
        key: &NoiseKey,
        (scope, record): (Consistency, u64),
        is_free: &dyn Fn(&str, &str) -> bool,
        known: &dyn Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let entities = plan.entities.as_ref()?;
        let scope = match scope {
            Consistency::None => return None,
            Consistency::Document => Scope::Document(record),
            Consistency::Job => Scope::Job,
        };
        let (text, spans) = (plan.text(), plan.spans());
        let identities =
            Identities::draw(&Source { lists, key, scope, is_free, known }, text, spans, entities);
        let values = links
            .moves_values()
            .then(|| Values::draw(key, scope, links == Links::Weekdays).for_text(text, spans));
        Some(Self { identities, values })
    }

    /// Returns the replacement of the span that starts at the unit `index`; none if it is not linked.
    pub(crate) fn replacement(&self, plan: &TextPlan<'_>, index: usize) -> Option<String> {
        let unit = plan.units.get(index)?;
        let at = unit.span?;
        let span = plan.spans.get(at)?;
        // A part of a span has no place in a name.
        if plan.replaced(index) != Span::range(span) {
            return None;
        }
        let value = || match unit.related {
            // A changed dose would be a false fact.
            true if is_quantity(plan.text(), Span::range(span)) => Some(plan.original(index).to_owned()),
            true => self.values.as_ref()?.replacement_at(&span.kind, plan.original(index), span.start),
            false => None,
        };
        self.identities.replacement(at).or_else(value)
    }

    /// Returns the forms of names that an answer may use.
    pub(crate) fn forms(&self) -> Vec<FormPair> {
        let mut pairs = Vec::new();
        for forms in self.identities.forms() {
            pairs.extend(forms.pairs().map(|(replacement, original)| FormPair {
                replacement: replacement.to_owned(),
                original: original.to_owned(),
                kind: forms.kind().name().to_owned(),
            }));
        }
        pairs
    }
}
