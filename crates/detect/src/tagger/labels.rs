//! Labels of words.

use crate::kind::Kind;

/// The kinds that taggers distinguish. Trained weights depend on their order.
///
/// Other identifiers are labelled as [`Kind::Id`]: a tagger recognises an identifier by its context, and
/// the rules recognise its kind.
pub(crate) const TAGGED: [Kind; 20] = [
    Kind::Person,
    Kind::Title,
    Kind::Username,
    Kind::Job,
    Kind::Trait,
    Kind::Age,
    Kind::Organisation,
    Kind::Location,
    Kind::Address,
    Kind::PostalCode,
    Kind::Date,
    Kind::Time,
    Kind::Phone,
    Kind::CardCode,
    Kind::BankAccount,
    Kind::Money,
    Kind::Id,
    Kind::Password,
    Kind::Health,
    Kind::Medication,
];

/// The number of labels: outside, and for each kind its first word and its other words.
pub(crate) const LABELS: usize = 1 + 2 * TAGGED.len();

/// The label of words that are not sensitive.
pub(crate) const OUTSIDE: usize = 0;

/// Returns the index of a kind in [`TAGGED`].
pub(crate) fn tag_of(kind: &Kind) -> Option<usize> {
    let tag = match kind {
        kind if kind.is_identifier() => &Kind::Id,
        kind if kind.is_special() => &Kind::Trait,
        kind => kind,
    };
    TAGGED.iter().position(|tagged| tagged == tag)
}

/// Returns the label of the first word of a kind.
pub(crate) fn first(tag: usize) -> usize {
    1 + 2 * tag
}

/// Returns the label of the other words of a kind.
pub(crate) fn inside(tag: usize) -> usize {
    2 + 2 * tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_kind_has_a_label() {
        for kind in Kind::ALL {
            let tag = tag_of(kind).unwrap();
            assert!(inside(tag) < LABELS && first(tag) > OUTSIDE);
        }
        assert_eq!(tag_of(&Kind::named("mine")), None);
    }
}
