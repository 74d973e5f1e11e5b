//! Pools the states of a text's tokens into one vector.

/// A pooling method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The state of the first token.
    First,
    /// The mean of all states.
    Mean,
    /// The sum of all states, divided by the square root of their number.
    MeanByRoot,
    /// The maximum of each coordinate.
    Max,
}

impl Pooling {
    /// Returns the vector of a text, given one row of `width` numbers per token. A text without
    /// tokens gives zeros.
    pub(super) fn apply(self, states: &[f32], width: usize) -> Vec<f32> {
        let mut rows = states.chunks_exact(width);
        let count = rows.len();
        let mut pooled = rows.next().map_or_else(|| vec![0.0; width], <[f32]>::to_vec);
        let factor = match self {
            Pooling::First => return pooled,
            Pooling::Max => {
                for row in rows {
                    pooled.iter_mut().zip(row).for_each(|(most, &x)| *most = most.max(x));
                }
                return pooled;
            }
            Pooling::Mean => 1.0 / count.max(1) as f32,
            Pooling::MeanByRoot => 1.0 / (count.max(1) as f32).sqrt(),
        };
        for row in rows {
            pooled.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        pooled.iter_mut().for_each(|sum| *sum *= factor);
        pooled
    }
}

/// Normalises a vector to length 1. A vector of zeros stays unchanged.
pub(super) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt().max(1e-12);
    vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pooling_method_matches_its_definition() {
        let states = [1.0, 5.0, 3.0, -1.0, 2.0, 2.0, 6.0, 2.0];
        assert_eq!(Pooling::First.apply(&states, 2), [1.0, 5.0]);
        assert_eq!(Pooling::Mean.apply(&states, 2), [3.0, 2.0]);
        assert_eq!(Pooling::MeanByRoot.apply(&states, 2), [6.0, 4.0]);
        assert_eq!(Pooling::Max.apply(&states, 2), [6.0, 5.0]);
        assert_eq!(Pooling::Mean.apply(&[], 2), [0.0, 0.0]);
    }

    #[test]
    fn only_zero_vectors_are_not_normalised() {
        let (mut vector, mut zeros) = ([3.0, -4.0], [0.0; 2]);
        normalise(&mut vector);
        normalise(&mut zeros);
        assert_eq!((vector, zeros), ([0.6, -0.8], [0.0; 2]));
    }
}
