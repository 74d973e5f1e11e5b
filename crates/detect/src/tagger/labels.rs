//! The labels that a tagger gives to words.

use crate::Kind;
use crate::kind::is_identifier;

/// The kinds that taggers tell apart. The order is part of the weights.
///
/// Identifiers of every other kind share [`Kind::Id`]: a tagger sees from the context that *some* identifier stands
/// there; which one it is, the rules know better.
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

/// How many labels there are: outside, and for each kind the first word and the words after it.
pub(crate) const LABELS: usize = 1 + 2 * TAGGED.len();

/// The label of words that are not sensitive.
pub(crate) const OUTSIDE: usize = 0;

/// Where a kind stands in [`TAGGED`].
pub(crate) fn tag_of(kind: &Kind) -> Option<usize> {
    let tag = if is_identifier(kind) { &Kind::Id } else { kind };
    TAGGED.iter().position(|tagged| tagged == tag)
}

/// The label of a kind's first word.
pub(crate) fn first(tag: usize) -> usize {
    1 + 2 * tag
}

/// The label of a kind's words after the first.
pub(crate) fn inside(tag: usize) -> usize {
    2 + 2 * tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_tag() {
        for kind in Kind::ALL {
            let tag = tag_of(kind).unwrap();
            assert!(inside(tag) < LABELS && first(tag) > OUTSIDE);
        }
        assert_eq!(tag_of(&Kind::named("mine")), None);
    }
}
