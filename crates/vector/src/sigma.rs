//! From a mask to the shape of the noise.

use crate::Error;

/// Keeps Σ positive where a mask is 0.
const DELTA: f64 = 1e-6;

/// Returns the diagonal of Σ for a mask: mᵢ + δ, scaled to trace n like the identity, with no entry
/// below `floor`.
///
/// A small entry of Σ means little noise: in Euclidean distance the guarantee is ε/√(smallest
/// entry). A floor bounds this. With a floor f every entry is f + (1−f)·d, which keeps the trace.
///
/// ```
/// let diagonal = inkveil_vector::sigma(&[1.0, 0.0, 0.0, 0.0], 0.1)?;
/// assert!((diagonal.iter().sum::<f64>() - 4.0).abs() < 1e-9);
/// assert!(diagonal[0] > 3.6 && diagonal[1] >= 0.1);
/// # Ok::<(), inkveil_vector::Error>(())
/// ```
///
/// # Errors
/// If the mask is empty or has values outside [0, 1], or the floor is not in [0, 1].
pub fn sigma(mask: &[f32], floor: f64) -> Result<Vec<f64>, Error> {
    if mask.is_empty() || !mask.iter().all(|m| (0.0..=1.0).contains(m)) {
        return Err(Error::shape("a mask needs values from 0 to 1, one for each dimension"));
    }
    if !(0.0..=1.0).contains(&floor) {
        return Err(Error::setting("the floor must be from 0 (none) to 1 (round noise)"));
    }
    let raised: Vec<f64> = mask.iter().map(|&m| f64::from(m) + DELTA).collect();
    let scale = mask.len() as f64 / raised.iter().sum::<f64>();
    Ok(raised.into_iter().map(|m| floor + (1.0 - floor) * m * scale).collect())
}

/// Returns one mask for several concepts. Each dimension gets the largest of their gates.
///
/// ```
/// assert_eq!(inkveil_vector::union(&[&[1.0, 0.0], &[0.25, 0.5]])?, [1.0, 0.5]);
/// # Ok::<(), inkveil_vector::Error>(())
/// ```
///
/// # Errors
/// If there is no mask, or they have different dimensions.
pub fn union(masks: &[&[f32]]) -> Result<Vec<f32>, Error> {
    let (first, rest) = masks.split_first().ok_or_else(|| Error::setting("there is no mask"))?;
    let mut most = first.to_vec();
    for mask in rest {
        if mask.len() != most.len() {
            return Err(Error::shape(format!(
                "masks of {} and {} dimensions belong to different encoders",
                most.len(),
                mask.len()
            )));
        }
        most.iter_mut().zip(*mask).for_each(|(most, &m)| *most = most.max(m));
    }
    Ok(most)
}

/// Returns the variance of elliptical noise in each dimension, for Σ with this diagonal:
/// (n+1)·Σᵢᵢ/ε².
///
/// *Why.* The noise is y·√Σ·x with y of a Gamma(n, 1/ε) law and x uniform on the sphere: E y² = n(n+1)/ε², E xᵢ² = 1/n.
pub fn noise_variances(epsilon: f64, diagonal: &[f64]) -> Vec<f64> {
    let factor = (diagonal.len() as f64 + 1.0) / (epsilon * epsilon);
    diagonal.iter().map(|s| s * factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_privacy::{Epsilon, Mahalanobis, NoiseAddress, NoiseKey, release_rows};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_trace_is_n_and_the_floor_holds(mask in proptest::collection::vec(0.0..=1.0_f32, 1..50), floor in 0.0..=1.0_f64) {
            let diagonal = sigma(&mask, floor).unwrap();
            prop_assert!((diagonal.iter().sum::<f64>() - mask.len() as f64).abs() < 1e-6);
            prop_assert!(diagonal.iter().all(|&d| d > 0.0 && d >= floor));
        }
    }

    #[test]
    fn invalid_masks_and_floors_are_refused() {
        assert!(sigma(&[], 0.0).is_err());
        assert!(sigma(&[1.5], 0.0).is_err());
        assert!(sigma(&[f32::NAN], 0.0).is_err());
        assert!(sigma(&[0.5], 1.1).is_err());
        assert!(sigma(&[0.5], f64::NAN).is_err());
        assert!(union(&[]).is_err());
        assert!(union(&[&[1.0], &[1.0, 0.0]]).is_err());
    }

    #[test]
    fn noise_has_the_stated_variance() {
        let diagonal = sigma(&[1.0, 0.5, 0.0], 0.2).unwrap();
        let mechanism = Mahalanobis::diagonal(Epsilon::new(3.0).unwrap(), diagonal.clone()).unwrap();
        let draws = 200_000;
        let mut rows = vec![0.0_f64; 3 * draws];
        let key = NoiseKey::insecure_from_seed(11);
        release_rows(&mechanism, &mut rows, NoiseAddress::record(0), &key).unwrap();
        for (index, expected) in noise_variances(3.0, &diagonal).into_iter().enumerate() {
            let squares: Vec<f64> = rows.iter().skip(index).step_by(3).map(|z| z * z).collect();
            let mean = squares.iter().sum::<f64>() / draws as f64;
            let spread = (squares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / draws as f64).sqrt();
            // Five standard errors: the test fails by chance once in two million runs.
            assert!(
                (mean - expected).abs() < 5.0 * spread / (draws as f64).sqrt(),
                "{mean} against {expected}"
            );
        }
    }
}
