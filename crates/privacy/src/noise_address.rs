//! Where noise is used: the address of a stream.

/// What a stream is used for. Streams for different purposes at the same record and position are
/// independent.
///
/// ```
/// use inkveil_privacy::Purpose;
///
/// const SURROGATE: Purpose = Purpose::named("surrogate");
/// assert_ne!(SURROGATE, Purpose::NOISE);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Purpose(&'static str);

impl Purpose {
    /// The noise of a mechanism.
    pub const NOISE: Self = Self::named("noise");
    /// The samples of an audit.
    pub const AUDIT: Self = Self::named("audit");

    /// Creates a purpose from its name.
    pub const fn named(name: &'static str) -> Self {
        Self(name)
    }
}

/// The address of one draw of noise: the record, the position in the record, and the purpose of the
/// noise.
///
/// ```
/// use inkveil_privacy::{NoiseAddress, Purpose};
///
/// // The second vector column of record 7.
/// let address = NoiseAddress::record(7).position(1);
/// assert_eq!(address, NoiseAddress::record(7).position(1).purpose(Purpose::NOISE));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoiseAddress {
    record: u64,
    position: u64,
    purpose: Purpose,
}

impl NoiseAddress {
    /// The first position of a record, such as a row of a file, for the noise of a mechanism.
    pub fn record(record: u64) -> Self {
        Self { record, position: 0, purpose: Purpose::NOISE }
    }

    /// Returns another position in the record, such as the index of a token or a column.
    pub fn position(self, position: u64) -> Self {
        Self { position, ..self }
    }

    /// Returns the same address for another purpose.
    pub fn purpose(self, purpose: Purpose) -> Self {
        Self { purpose, ..self }
    }

    /// The number of the record.
    pub(crate) fn record_number(self) -> u64 {
        self.record
    }

    /// Returns the address `records` records further on, or `None` if there is none.
    pub(crate) fn after(self, records: u64) -> Option<Self> {
        Some(Self { record: self.record.checked_add(records)?, ..self })
    }

    /// Passes an encoding to `to`: the length of the purpose's name, the name, the record and the
    /// position. The length comes first, so different addresses have different encodings, and none
    /// is the beginning of another.
    pub(crate) fn encode(self, to: &mut dyn FnMut(&[u8])) {
        to(&(self.purpose.0.len() as u64).to_le_bytes());
        to(self.purpose.0.as_bytes());
        to(&self.record.to_le_bytes());
        to(&self.position.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Exhaustive over all names of at most 8 bytes from {0, 1} and small numbers: names that look
    /// like the bytes of a number included.
    #[test]
    fn no_encoding_is_the_beginning_of_another() {
        let mut encodings: BTreeMap<Vec<u8>, NoiseAddress> = BTreeMap::new();
        for length in 0..=8 {
            for bits in 0..1u32 << length {
                let name: String =
                    (0..length).map(|i| if bits >> i & 1 == 0 { '\0' } else { '\u{1}' }).collect();
                for record in [0, 1, 256, u64::MAX] {
                    for position in [0, 1, 256] {
                        let purpose = Purpose::named(name.clone().leak());
                        let address = NoiseAddress::record(record).position(position).purpose(purpose);
                        let mut bytes = Vec::new();
                        address.encode(&mut |piece| bytes.extend_from_slice(piece));
                        assert!(encodings.insert(bytes, address).is_none());
                    }
                }
            }
        }
        // In sorted order, a beginning of another is directly before one that it begins.
        let sorted: Vec<&Vec<u8>> = encodings.keys().collect();
        assert!(sorted.windows(2).all(|pair| !pair[1].starts_with(pair[0])));
    }
}
