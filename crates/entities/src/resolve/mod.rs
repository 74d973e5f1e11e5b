//! Mentions of a text resolved into entities.

mod corrected;
mod entities;
mod evidence;
mod extended;
mod handle;
mod organisation;
mod people;
mod place;
mod repeated;
mod repeated_values;
mod scorer;
mod whole;
mod words;

pub use corrected::corrected;
pub(crate) use entities::{Email, Mention};
pub use entities::{Entities, EntityId};
pub(crate) use handle::{Handle, Piece, domain_label};
pub(crate) use organisation::{OrganisationForm, OrganisationName};
pub(crate) use place::{COUNTRIES, Country, KeptPlace, PlaceForm, PlaceName};
pub use repeated::with_repeated_names;
pub use scorer::{FEATURES, Features, Judge, Scorer};

use inkveil_detect::{Kind, Span};

use crate::letters::split_possessive;

/// Resolves the mentions of a text, or of several texts of one conversation, into entities.
///
/// Full names come first. A part of a name, a title and name, initials, an address or a handle then joins
/// the person that it fits. If it fits several, a small learned [`Scorer`] decides; it mostly takes the
/// nearest preceding one. A mention that fits no person well enough is a person of its own, because a wrong
/// merge is worse than a missed one.
///
/// ```
/// use inkveil_detect::{Detector, Settings, Tier};
/// use inkveil_entities::Resolver;
///
/// # fn example(detector: &Detector) -> Result<(), inkveil_detect::Error> {
/// let text = "Ana Novak called. Ms Novak's address is a.novak@barlow.org.";
/// let spans = detector.detect(&[text])?;
/// let entities = Resolver::default().resolve(text, &spans[0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Resolver {
    scorer: Scorer,
}

impl Resolver {
    /// Resolves the spans of a text, which must be sorted and not overlap.
    pub fn resolve(&self, text: &str, spans: &[Span]) -> Entities {
        self.resolve_with(text, spans, &mut self.scorer.clone())
    }

    /// Resolves as [`resolve`](Self::resolve) does, with another judge of doubtful pairs. Training uses
    /// this.
    pub fn resolve_with(&self, text: &str, spans: &[Span], judge: &mut dyn Judge) -> Entities {
        let mut entities = Entities::new(spans.len());
        let spans = &organisation::relabelled(text, spans)[..];
        people::resolve(text, spans, judge, &mut entities);
        organisation::resolve(text, spans, &mut entities);
        place::resolve(text, spans, &mut entities);
        // Addresses and handles refer to people and organisations.
        handle::resolve(text, spans, &mut entities);
        entities.order_by_first_mention(spans);
        entities
    }
}

/// Returns the text of a span without the ending of a possessive.
pub(crate) fn mention_text<'t>(text: &'t str, span: &Span) -> &'t str {
    split_possessive(text.get(span.range()).unwrap_or_default()).0
}

/// Returns whether a mention starts and ends as a name does. A span that reaches into its surroundings, such
/// as ". Will", is not a form of a name and could not be told from one.
fn is_clean(mention: &str) -> bool {
    let end = |c: char| c.is_alphanumeric() || matches!(c, '.' | ')');
    mention.starts_with(char::is_alphanumeric) && mention.ends_with(end) && !mention.contains("\n\n")
}

/// Returns whether a span is of this kind.
fn is(span: &Span, kind: &Kind) -> bool {
    span.kind == *kind
}
