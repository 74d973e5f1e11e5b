//! Casing for encoders whose vocabulary has no capitals: it is passed as the token type, which
//! single texts do not use.

use safetensors::tensor::{Dtype, TensorView, serialize};

use crate::models::BertConfig;
use crate::{Error, ErrorKind, Weights};

/// The number of casing patterns that [`casing`] distinguishes.
pub const CASINGS: usize = 4;

/// The name of the token type table in the BERT family.
pub const CASING_TABLE: &str = "embeddings.token_type_embeddings.weight";

/// Returns the casing pattern of a word: 0 lower case or no letters, 1 Capitalised, 2 ALL CAPITALS,
/// 3 any other mix.
///
/// ```
/// assert_eq!(["dog", "Dog", "DOG", "iPod"].map(inkveil_nn::casing), [0, 1, 2, 3]);
/// ```
pub fn casing(word: &str) -> u8 {
    let (mut upper, mut lower, mut first_is_upper) = (0, 0, false);
    for (i, c) in word.chars().enumerate() {
        upper += usize::from(c.is_uppercase());
        lower += usize::from(c.is_lowercase());
        first_is_upper |= i == 0 && c.is_uppercase();
    }
    match (upper, lower, first_is_upper) {
        (0, _, _) => 0,
        (1, _, true) => 1,
        (_, 0, _) => 2,
        _ => 3,
    }
}

/// Replaces the token type table of an encoder's weights by a table of casings. Each row starts as
/// a copy of the first token type, so that casing has no effect at first.
///
/// `config` is the encoder's own; afterwards, use it with `types: CASINGS`.
///
/// ```
/// use std::path::Path;
///
/// use inkveil_nn::models::BertConfig;
/// use inkveil_nn::{CASING_TABLE, CASINGS, Weights, with_casings};
///
/// let folder = Path::new("tests/fixtures/bert");
/// let config = BertConfig::open(folder)?;
/// let weights = with_casings(&Weights::open(folder)?, &config)?;
/// assert_eq!(weights.shape(CASING_TABLE), Some(&[CASINGS, config.width][..]));
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn with_casings(weights: &Weights, config: &BertConfig) -> Result<Weights, Error> {
    let table = weights.values(CASING_TABLE, &[config.types, config.width])?;
    let rows = table.get(..config.width).unwrap_or_default().repeat(CASINGS);
    let failed = |error: safetensors::SafeTensorError| {
        Error::from(ErrorKind::Backend {
            doing: "make a table of casings",
            cause: inkveil_error::Cause::new(error),
        })
    };
    let view = TensorView::new(Dtype::F32, vec![CASINGS, config.width], bytemuck::cast_slice(&rows));
    let bytes = serialize([(CASING_TABLE, view.map_err(failed)?)], None).map_err(failed)?;
    Ok(weights.with(&Weights::from_bytes(bytes)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casing_patterns_are_detected() {
        let found = ["dog", "12", "", "Dog", "D", "DOG", "DoG", "iPod"].map(casing);
        assert_eq!(found, [0, 0, 0, 1, 1, 2, 3, 3]);
    }
}
