//! The random stream of each identity and value.

use inkveil_privacy::{NoiseAddress, NoiseKey, NoiseStream, Purpose};

/// The random stream of identities and shared values.
const IDENTITY: Purpose = Purpose::named("identity of an entity");

/// Where the same entity has the same identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One document or conversation, given by its number. An entity is addressed by its place in the
    /// order of first mentions.
    Document(u64),
    /// Everything that is drawn with one key. An entity is addressed by its fullest name.
    Job,
}

/// Returns the random stream of fields in a scope, under the secret key. Without the key, streams of
/// different fields are independent of each other and of the fields.
pub(crate) fn stream(key: &NoiseKey, scope: Scope, fields: &[&str], attempt: u32) -> NoiseStream {
    let address = NoiseAddress::record(0).position(attempt.into()).purpose(IDENTITY);
    // Lengths come before contents, so different fields have different encodings.
    let mut joined = Vec::new();
    for field in fields {
        joined.extend_from_slice(&(field.len() as u64).to_le_bytes());
        joined.extend_from_slice(field.as_bytes());
    }
    match scope {
        Scope::Document(number) => key.stream(address, &(number, &joined[..])),
        Scope::Job => key.stream(address, &((), &joined[..])),
    }
}

/// Choices from a stream.
pub(crate) struct Draw(NoiseStream);

impl Draw {
    pub(crate) fn at(key: &NoiseKey, scope: Scope, fields: &[&str], attempt: u32) -> Self {
        Self(stream(key, scope, fields, attempt))
    }

    /// Returns a number below `end`, all equally likely, or 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end as u64).map_or(0, |number| number as usize)
    }

    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        values.get(self.below(values.len()))
    }

    /// Returns one of the values, more often one near the front.
    pub(crate) fn pick_common<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        let reach = self.below(values.len()) + 1;
        values.get(self.below(reach))
    }

    /// Returns a uniform number in (0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_scope_field_attempt_and_key() {
        let draw = |seed, scope, fields: &[&str], attempt| {
            stream(&NoiseKey::insecure_from_seed(seed), scope, fields, attempt).next_u64()
        };
        let one = draw(1, Scope::Document(0), &["person", "1"], 0);
        assert_eq!(one, draw(1, Scope::Document(0), &["person", "1"], 0));
        for other in [
            draw(2, Scope::Document(0), &["person", "1"], 0),
            draw(1, Scope::Document(1), &["person", "1"], 0),
            draw(1, Scope::Job, &["person", "1"], 0),
            draw(1, Scope::Document(0), &["person1", ""], 0),
            draw(1, Scope::Document(0), &["person", "1"], 1),
        ] {
            assert_ne!(one, other);
        }
    }
}
