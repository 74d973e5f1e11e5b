//! Multi-head attention.

use super::softmax;
use crate::{DType, Device, Error, Tensor};

/// softmax(scale·q·kᵀ + mask)·v.
///
/// `q`, `k` and `v` have shape (batch, heads, length, dimension). The additive mask has any shape
/// that broadcasts to (batch, heads, queries, keys); see [`padding_mask`] and [`causal_mask`].
///
/// ```
/// use inkveil_nn::layers::{attention, causal_mask};
/// use inkveil_nn::{DType, Device, Tensor};
///
/// let x = Tensor::new(&[[[[1f32], [2.0]]]], &Device::Cpu)?; // one head, two positions
/// let mask = causal_mask(2, 0, DType::F32, &Device::Cpu)?;
/// let y = attention(&x, &x, &x, Some(&mask), 1.0)?;
/// assert_eq!(y.flatten_all()?.to_vec1::<f32>()?[0], 1.0); // the first position sees only itself
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn attention(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
    scale: f64,
) -> Result<Tensor, Error> {
    Ok(attention_weights(q, k, mask, scale)?.matmul(&v.contiguous()?)?)
}

/// Returns the attention weights softmax(scale·q·kᵀ + mask).
pub(crate) fn attention_weights(
    q: &Tensor,
    k: &Tensor,
    mask: Option<&Tensor>,
    scale: f64,
) -> Result<Tensor, Error> {
    // Scaling the queries is less work than scaling the scores.
    let q = if scale == 1.0 { q.contiguous()? } else { (q.contiguous()? * scale)? };
    let mut scores = q.matmul(&k.contiguous()?.t()?)?;
    if let Some(mask) = mask {
        scores = scores.broadcast_add(mask)?;
    }
    softmax(&scores)
}

/// Like [`attention`] in four operations, without gradients. Keys and values may be the beginning
/// of a longer memory; they are not copied.
pub(crate) fn fused_attention(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
    scale: f64,
) -> Result<Tensor, Error> {
    let mut scores = (q * scale)?.matmul(&k.t()?)?;
    if let Some(mask) = mask {
        scores = scores.broadcast_add(mask)?;
    }
    Ok(candle_nn::ops::softmax_last_dim(&scores)?.matmul(v)?)
}

/// (batch, length, heads·dimension) → (batch, heads, length, dimension).
pub fn split_heads(x: &Tensor, heads: usize) -> Result<Tensor, Error> {
    let (batch, length, width) = x.dims3()?;
    if heads == 0 || !width.is_multiple_of(heads) {
        return Err(Error::argument(format!("a width of {width} cannot be split into {heads} heads")));
    }
    Ok(x.reshape((batch, length, heads, width / heads))?.transpose(1, 2)?.contiguous()?)
}

/// (batch, heads, length, dimension) → (batch, length, heads·dimension).
pub fn merge_heads(x: &Tensor) -> Result<Tensor, Error> {
    let (batch, heads, length, dim) = x.dims4()?;
    Ok(x.transpose(1, 2)?.contiguous()?.reshape((batch, length, heads * dim))?)
}

/// Returns the additive mask that hides padding. `keep` has shape (batch, length), with 1 for
/// tokens and 0 for padding; the result has shape (batch, 1, 1, length).
pub fn padding_mask(keep: &Tensor, dtype: DType) -> Result<Tensor, Error> {
    let (batch, length) = keep.dims2()?;
    // Multiplying after the addition keeps the 0 of visible positions exact.
    let hidden = ((keep.to_dtype(dtype)? - 1.0)? * -hidden_score(dtype))?;
    Ok(hidden.reshape((batch, 1, 1, length))?)
}

/// Returns the additive mask with which position i of `length` new ones sees all `past` positions
/// and the new ones up to itself. It has shape (1, 1, length, past + length).
pub fn causal_mask(length: usize, past: usize, dtype: DType, device: &Device) -> Result<Tensor, Error> {
    let (hidden, keys) = (hidden_score(dtype), past + length);
    let mask: Vec<f64> = (0..length)
        .flat_map(|query| (0..keys).map(move |key| if key > past + query { hidden } else { 0.0 }))
        .collect();
    Ok(Tensor::from_vec(mask, (1, 1, length, keys), &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?)
}

/// Returns a score that softmax turns into exactly 0 but that is finite: a row with nothing visible
/// becomes an average, not NaN.
pub(crate) fn hidden_score(dtype: DType) -> f64 {
    if dtype == DType::F16 { -6e4 } else { -1e30 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(x: &Tensor) -> Vec<f32> {
        x.flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn heads_are_split_and_merged_back() {
        let x = Tensor::arange(0f32, 24.0, &Device::Cpu).unwrap().reshape((2, 3, 4)).unwrap();
        let split = split_heads(&x, 2).unwrap();
        assert_eq!(split.dims(), [2, 2, 3, 2]);
        assert_eq!(flat(&split)[..6], [0.0, 1.0, 4.0, 5.0, 8.0, 9.0]);
        assert_eq!(flat(&merge_heads(&split).unwrap()), flat(&x));
        assert!(split_heads(&x, 3).is_err() && split_heads(&x, 0).is_err());
    }

    #[test]
    fn hidden_keys_have_no_weight() {
        let q = Tensor::new(&[[[[0.5f32, -1.0], [2.0, 0.1]]]], &Device::Cpu).unwrap();
        let keep = Tensor::new(&[[1u8, 0]], &Device::Cpu).unwrap();
        let mask = padding_mask(&keep, DType::F32).unwrap();
        let weights = attention_weights(&q, &q, Some(&mask), 0.7).unwrap();
        assert_eq!(flat(&weights), [1.0, 0.0, 1.0, 0.0]);
        let causal = causal_mask(2, 1, DType::F32, &Device::Cpu).unwrap();
        assert_eq!(causal.dims(), [1, 1, 2, 3]);
        assert_eq!(flat(&causal), [0.0, 0.0, -1e30, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_row_without_visible_keys_is_finite() {
        for dtype in [DType::F32, DType::F64, DType::BF16, DType::F16] {
            let q = Tensor::ones((1, 1, 2, 2), dtype, &Device::Cpu).unwrap();
            let keep = Tensor::zeros((1, 2), DType::U8, &Device::Cpu).unwrap();
            let y = attention(&q, &q, &q, Some(&padding_mask(&keep, dtype).unwrap()), 1.0).unwrap();
            let y = flat(&y.to_dtype(DType::F32).unwrap());
            assert!(y.iter().all(|x| (x - 1.0).abs() < 1e-2), "{dtype:?}: {y:?}");
        }
    }
}
