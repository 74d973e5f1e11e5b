//! Replacements that depend on the entity and not on its place, so that the same entity gets the
//! same replacement.

use inkveil_detect::Kind;
use inkveil_privacy::{NoiseAddress, NoiseKey, NoiseStream, Purpose};
use sha2::{Digest as _, Sha256};

use crate::treatment::has_words;

/// The random stream of surrogates that depend on the entity.
pub(crate) const SURROGATE: Purpose = Purpose::named("surrogate of an entity");
/// The random stream of the codes in placeholders.
pub(crate) const CODE: Purpose = Purpose::named("code of an entity");

/// An entity (a name, number or code) that gets the same replacement in every place.
///
/// Its random stream belongs to its scope, label and text, under the secret key of the job. The
/// streams of a [`NoiseKey`] are a pseudo-random function of their input. To an attacker without
/// the key, the draw for an entity is therefore independent of its text and of the draws for all
/// other entities. Only the fact that two places hold the same entity is visible.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Entity {
    label: String,
    text: String,
    /// The document within which it is the same entity; none if the scope is the whole job.
    document: Option<u64>,
}

impl Entity {
    /// Returns the entity of a text. Names that differ only in case or white space are the same
    /// entity. Numbers and codes must be equal byte for byte.
    pub(crate) fn new(label: &str, kind: Option<&Kind>, text: &str, document: Option<u64>) -> Self {
        let text = match kind.is_none_or(has_words) {
            true => text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(),
            false => text.trim().to_owned(),
        };
        Self { label: label.to_owned(), text, document }
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Returns the random stream of the entity for the n-th attempt.
    pub(crate) fn stream(&self, key: &NoiseKey, purpose: Purpose, attempt: u32) -> NoiseStream {
        let address = NoiseAddress::record(0).position(attempt.into()).purpose(purpose);
        let entity = (self.label.as_str(), self.text.as_str());
        match self.document {
            Some(document) => key.stream(address, &(document, entity)),
            None => key.stream(address, &((), entity)),
        }
    }
}

/// Returns the SHA-256 of fields, each preceded by its length.
pub(crate) fn digest(fields: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for field in fields {
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(entity: &Entity, seed: u64, attempt: u32) -> u64 {
        entity.stream(&NoiseKey::insecure_from_seed(seed), SURROGATE, attempt).next_u64()
    }

    #[test]
    fn equal_entities_and_only_these_share_a_stream() {
        let person = |text: &str| Entity::new("person", Some(&Kind::Person), text, None);
        let ana = draw(&person("Ana Novak"), 1, 0);
        assert_eq!(ana, draw(&person(" ANA\n novak"), 1, 0));
        for other in [
            draw(&person("Ana Nova"), 1, 0),
            draw(&person("Ana Novak"), 2, 0),
            draw(&person("Ana Novak"), 1, 1),
            draw(&Entity::new("person", Some(&Kind::Person), "Ana Novak", Some(0)), 1, 0),
            draw(&Entity::new("location", Some(&Kind::Location), "Ana Novak", None), 1, 0),
            draw(&Entity::new("personana", Some(&Kind::Person), " novak", None), 1, 0),
        ] {
            assert_ne!(ana, other);
        }
        let code = |text: &str| draw(&Entity::new("password", Some(&Kind::Password), text, None), 1, 0);
        assert_eq!(code("aB c"), code(" aB c"));
        assert_ne!(code("aB c"), code("ab c"));
    }
}
