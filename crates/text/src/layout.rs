//! The layout of a text: what its release shows without noise.

use std::collections::HashMap;
use std::fmt;

use inkveil_lexicon::{Casing, CasingPolicy};
use inkveil_surrogates::Shape;
use sha2::{Digest as _, Sha256};

use crate::entity::Entity;
use crate::plan::TextPlan;
use crate::zero::kind_of_surrogate;
use crate::{AtZero, Consistency, TextSettings, Treatment};

/// The layout of a text. A guarantee compares texts with the same layout and no others
/// ([`Neighbours::SameLayout`](inkveil_privacy::Neighbours::SameLayout)).
///
/// This is the one definition: [`Neighbours::LAYOUT`](inkveil_privacy::Neighbours::LAYOUT) states it
/// in words. Equal groups are not enough: of two words in one group, one may be in the lexicon and
/// be noised while the other is replaced, and then no release of one text is a release of the other.
///
/// Only a digest is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout([u8; 32]);

impl Layout {
    pub(crate) fn of(plan: &TextPlan<'_>, settings: &TextSettings) -> Self {
        let mut hash = Sha256::new();
        let mut field = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        let text = plan.text();
        let mut originals = HashMap::new();
        let mut entities = HashMap::new();
        let mut end = 0;
        for (index, unit) in plan.units().iter().enumerate() {
            // What is joined to a replacement leaves no trace.
            if unit.treatment == Treatment::Joined {
                end = unit.range.end;
                continue;
            }
            field(&text[end..unit.range.start]);
            end = unit.range.end;
            field(&format!("{} {:?}", unit.group.number(), unit.treatment));
            match unit.treatment {
                Treatment::Noise if settings.casing == CasingPolicy::AsOriginal => {
                    field(&casing(plan, index));
                }
                // The content of a kept word has ε = ∞. It is not part of the layout.
                Treatment::Noise | Treatment::Kept | Treatment::Joined => {}
                Treatment::Punctuation | Treatment::Clitic => field(&text[unit.range.clone()]),
                Treatment::Replaced(_) => {
                    let original = plan.original(index);
                    field(plan.label(index));
                    // The content of a value that moves with others has ε = ∞.
                    if unit.related {
                        continue;
                    }
                    let linked = plan.entities.as_ref().zip(unit.span);
                    if let Some(facts) = linked.and_then(|(entities, span)| entities.facts(span, original)) {
                        field(&facts);
                        continue;
                    }
                    // Its article is in the text before it, and its number and case decide its form.
                    if let Some(topic) = unit.topic {
                        field(topic.name());
                        field(&topic.form(original));
                    } else if settings.at_zero == AtZero::Surrogate
                        && let Some(kind) = kind_of_surrogate(plan, index)
                    {
                        field(&format!("{:?}", Shape::of(original, &kind, settings.shape)));
                    }
                    // Restorable replacements differ if originals differ in a single byte.
                    if settings.restorable {
                        let next = originals.len();
                        let number = *originals.entry((plan.label(index), original)).or_insert(next);
                        field(&number.to_string());
                    }
                    if settings.scope() != Consistency::None {
                        let entity = Entity::new(plan.label(index), unit.kind.as_ref(), original, None);
                        let next = entities.len();
                        field(&entities.entry(entity).or_insert(next).to_string());
                    }
                }
            }
        }
        field(&text[end..]);
        Self(hash.finalize().into())
    }
}

/// Returns the case of the word that the unit at `index` belongs to, and whether it begins the word.
/// Rendering follows both.
fn casing(plan: &TextPlan<'_>, index: usize) -> String {
    let units = plan.alignment.units();
    let begins = |unit: &inkveil_lexicon::TextUnit| unit.starts_word();
    let first = units[..=index].iter().rposition(begins).unwrap_or(0);
    let after = units[index + 1..].iter().position(begins).map_or(units.len(), |more| index + 1 + more);
    let word: String = units[first..after].iter().map(|unit| &plan.text()[unit.range()]).collect();
    format!("{:?} {}", Casing::of(&word), index == first)
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Layout(redacted)")
    }
}
