//! Rotary position embeddings.

use candle_core::D;

use crate::{DType, Device, Error, Tensor};

/// Which two numbers of a head form a rotated pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RopeStyle {
    /// Number i with number i + dim/2, as in Hugging Face's Llama.
    Halves,
    /// Number 2i with number 2i + 1, as in the original Llama and its GGUF files.
    Interleaved,
}

/// Rotates queries and keys by an angle that grows with their position.
///
/// ```
/// use inkveil_nn::layers::{Rope, RopeStyle};
/// use inkveil_nn::{Device, Tensor};
///
/// let rope = Rope::new(2, 10_000.0, RopeStyle::Halves, &Device::Cpu)?;
/// let x = Tensor::new(&[[[[1f32, 0.0], [1.0, 0.0]]]], &Device::Cpu)?;
/// let y = rope.apply(&x, &[0, 1])?.flatten_all()?.to_vec1::<f32>()?;
/// assert_eq!(y, [1.0, 0.0, 1f32.cos(), 1f32.sin()]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rope {
    frequencies: Vec<f64>,
    style: RopeStyle,
    device: Device,
}

/// Cosines and sines for some positions, computed once and used in every layer.
#[derive(Debug, Clone)]
pub struct Angles {
    cos: Tensor,
    sin: Tensor,
    style: RopeStyle,
}

impl Rope {
    /// Creates the usual frequencies theta^(−2i/dim) for heads of `dim` numbers.
    pub fn new(dim: usize, theta: f64, style: RopeStyle, device: &Device) -> Result<Self, Error> {
        if dim == 0 || !dim.is_multiple_of(2) || !theta.is_finite() || theta <= 0.0 {
            return Err(Error::argument(format!(
                "heads of {dim} numbers cannot be rotated with base {theta}; use an even number and a base above 0"
            )));
        }
        let frequencies = (0..dim / 2).map(|i| theta.powf(-2.0 * i as f64 / dim as f64)).collect();
        Rope::with_frequencies(frequencies, style, device)
    }

    /// Creates embeddings with other frequencies, one for each pair, as models for long texts use
    /// them.
    pub fn with_frequencies(frequencies: Vec<f64>, style: RopeStyle, device: &Device) -> Result<Self, Error> {
        if frequencies.is_empty() || !frequencies.iter().all(|f| f.is_finite()) {
            return Err(Error::argument(
                "rotary embeddings need one finite frequency for each pair of numbers",
            ));
        }
        Ok(Rope { frequencies, style, device: device.clone() })
    }

    /// Computes the angles of `positions`, for tensors of type `dtype`.
    ///
    /// `positions` holds one number for each position if all rows of a batch have the same
    /// positions, or for each position of each row, row by row.
    pub fn angles(&self, positions: &[u32], dtype: DType) -> Result<Angles, Error> {
        let shape = (positions.len(), self.frequencies.len());
        // In f64, so that distant positions keep their phase.
        let table = |f: fn(f64) -> f64| -> Result<Tensor, Error> {
            let values: Vec<f64> = positions
                .iter()
                .flat_map(|&p| self.frequencies.iter().map(move |frequency| f(f64::from(p) * frequency)))
                .collect();
            Ok(Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)?.to_device(&self.device)?)
        };
        Ok(Angles { cos: table(f64::cos)?, sin: table(f64::sin)?, style: self.style })
    }

    /// Rotates `x`, of shape (batch, heads, length, dim), by the angles of `positions` (see
    /// [`angles`](Rope::angles)).
    pub fn apply(&self, x: &Tensor, positions: &[u32]) -> Result<Tensor, Error> {
        self.angles(positions, x.dtype())?.apply(x)
    }
}

impl Angles {
    /// Rotates `x`, of shape (batch, heads, length, dim).
    pub fn apply(&self, x: &Tensor) -> Result<Tensor, Error> {
        let (batch, heads, length, dim) = x.dims4()?;
        let (positions, pairs) = self.cos.dims2()?;
        if dim != 2 * pairs || (positions != length && positions != batch * length) {
            return Err(Error::argument(format!(
                "{positions} positions with {pairs} angles do not match a tensor of shape {:?}",
                x.dims()
            )));
        }
        let rows = if positions == length { 1 } else { batch };
        let shape = (rows, 1, length, pairs);
        let (cos, sin) = (self.cos.reshape(shape)?, self.sin.reshape(shape)?);
        let (first, second) = match self.style {
            RopeStyle::Halves => (x.narrow(3, 0, pairs)?, x.narrow(3, pairs, pairs)?),
            RopeStyle::Interleaved => {
                let x = x.reshape((batch, heads, length, pairs, 2))?;
                (x.narrow(4, 0, 1)?.squeeze(4)?, x.narrow(4, 1, 1)?.squeeze(4)?)
            }
        };
        let rotated_first = (first.broadcast_mul(&cos)? - second.broadcast_mul(&sin)?)?;
        let rotated_second = (first.broadcast_mul(&sin)? + second.broadcast_mul(&cos)?)?;
        Ok(match self.style {
            RopeStyle::Halves => Tensor::cat(&[rotated_first, rotated_second], D::Minus1)?,
            RopeStyle::Interleaved => {
                Tensor::stack(&[rotated_first, rotated_second], 4)?.reshape((batch, heads, length, dim))?
            }
        })
    }

    /// Like [`apply`](Self::apply) in one operation, without gradients.
    pub(crate) fn apply_fused(&self, x: &Tensor) -> Result<Tensor, Error> {
        let (batch, _, length, _) = x.dims4()?;
        let (positions, pairs) = self.cos.dims2()?;
        let (mut cos, mut sin) = (self.cos.clone(), self.sin.clone());
        if positions != length {
            let shape = (batch, length, pairs);
            (cos, sin) = (cos.reshape(shape)?, sin.reshape(shape)?);
        }
        Ok(match self.style {
            RopeStyle::Halves => candle_nn::rotary_emb::rope(x, &cos, &sin)?,
            RopeStyle::Interleaved => candle_nn::rotary_emb::rope_i(x, &cos, &sin)?,
        })
    }

    /// Returns the angles at these indices of the positions, so that a table of angles can stay on
    /// the device.
    pub(crate) fn select(&self, indices: &Tensor) -> Result<Angles, Error> {
        let (cos, sin) = (self.cos.index_select(indices, 0)?, self.sin.index_select(indices, 0)?);
        Ok(Angles { cos, sin, style: self.style })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotate(style: RopeStyle, x: &[f64], positions: &[u32]) -> Vec<f64> {
        let rope = Rope::new(4, 100.0, style, &Device::Cpu).unwrap();
        let batch = x.len() / 4;
        let x = Tensor::from_slice(x, (batch, 1, 1, 4), &Device::Cpu).unwrap();
        rope.apply(&x, positions).unwrap().flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn pairs_are_rotated_by_their_angles() {
        // Position 3, frequencies 1 and 1/10.
        let (c0, s0, c1, s1) = (3f64.cos(), 3f64.sin(), 0.3f64.cos(), 0.3f64.sin());
        let close = |found: Vec<f64>, expected: [f64; 4]| {
            assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?}");
        };
        close(
            rotate(RopeStyle::Halves, &[1.0, 2.0, 3.0, 4.0], &[3]),
            [c0 - 3.0 * s0, 2.0 * c1 - 4.0 * s1, s0 + 3.0 * c0, 2.0 * s1 + 4.0 * c1],
        );
        close(
            rotate(RopeStyle::Interleaved, &[1.0, 2.0, 3.0, 4.0], &[3]),
            [c0 - 2.0 * s0, s0 + 2.0 * c0, 3.0 * c1 - 4.0 * s1, 3.0 * s1 + 4.0 * c1],
        );
    }

    #[test]
    fn rows_may_have_their_own_positions() {
        for style in [RopeStyle::Halves, RopeStyle::Interleaved] {
            let x = [1.0, 2.0, 3.0, 4.0];
            let both = rotate(style, &[x, x].concat(), &[3, 8]);
            assert_eq!(both[..4], rotate(style, &x, &[3]));
            assert_eq!(both[4..], rotate(style, &x, &[8]));
        }
    }

    #[test]
    fn the_fused_rotation_gives_the_same_numbers() {
        let x: Vec<f32> = (0..2 * 3 * 2 * 4).map(|i| (i as f32 * 0.7).sin()).collect();
        let x = Tensor::from_vec(x, (2, 3, 2, 4), &Device::Cpu).unwrap();
        for style in [RopeStyle::Halves, RopeStyle::Interleaved] {
            let rope = Rope::new(4, 100.0, style, &Device::Cpu).unwrap();
            let table = rope.angles(&[0, 1, 2, 3, 4, 5, 6, 7], DType::F32).unwrap();
            // Positions of all rows, and of each row.
            for positions in [vec![3u32, 7], vec![0, 1, 5, 6]] {
                let angles = table.select(&Tensor::new(positions, &Device::Cpu).unwrap()).unwrap();
                let flat = |y: Tensor| y.flatten_all().unwrap().to_vec1::<f32>().unwrap();
                let (fused, wanted) =
                    (flat(angles.apply_fused(&x).unwrap()), flat(angles.apply(&x).unwrap()));
                assert!(fused.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{style:?}");
            }
        }
    }

    #[test]
    fn mismatched_sizes_are_refused() {
        assert!(Rope::new(3, 100.0, RopeStyle::Halves, &Device::Cpu).is_err());
        assert!(Rope::new(4, 0.0, RopeStyle::Halves, &Device::Cpu).is_err());
        let rope = Rope::new(4, 100.0, RopeStyle::Halves, &Device::Cpu).unwrap();
        let x = Tensor::zeros((1, 1, 2, 4), DType::F32, &Device::Cpu).unwrap();
        assert!(rope.apply(&x, &[0, 1, 2]).is_err());
    }
}
