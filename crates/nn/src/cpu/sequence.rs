//! The input of packed encoders.

use std::fmt;

/// The tokens of one text.
///
/// ```
/// use inkveil_nn::cpu::Sequence;
///
/// let pair = Sequence { ids: &[101, 2040, 102, 2033, 102], types: &[0, 0, 0, 1, 1] };
/// assert_eq!(pair.ids.len(), pair.types.len());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sequence<'a> {
    /// The token ids.
    pub ids: &'a [u32],
    /// The token types, for models that have them; empty if all are of the first type.
    pub types: &'a [u8],
}

/// The tokens reveal the text, so `Debug` prints only their number.
impl fmt::Debug for Sequence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sequence({} tokens)", self.ids.len())
    }
}
