//! Products with a matrix that is not trained.
//!
//! The tensor library's own product computes a gradient for both factors and keeps it until the
//! end, even if the matrix's gradient is not needed. That costs a third of the work, and as much
//! memory as the model itself. Its quantised product silently gives no gradient. This product
//! passes the gradient only to the input.

use candle_core::backend::BackendStorage;
use candle_core::{
    CpuStorage, CudaStorage, CustomOp1, Layout, Result as CandleResult, Shape, Storage, Tensor, bail,
};

use crate::Error;
use crate::params::WeightMatrix;

impl WeightMatrix {
    /// Computes x·Wᵀ for x of shape (rows, inputs) and W of shape (outputs, inputs).
    pub(crate) fn product(&self, x: &Tensor) -> Result<Tensor, Error> {
        Ok(match self {
            WeightMatrix::Plain(weight) if weight.track_op() => x.matmul(&weight.t()?)?,
            fixed => x.contiguous()?.apply_op1(FixedProduct(fixed.clone()))?,
        })
    }

    /// Returns all values, dequantised if necessary.
    pub(super) fn dense(&self) -> CandleResult<Tensor> {
        match self {
            WeightMatrix::Plain(weight) => Ok(weight.clone()),
            WeightMatrix::Quantised(weight) => weight.dequantize(&weight.device()),
        }
    }
}

struct FixedProduct(WeightMatrix);

impl CustomOp1 for FixedProduct {
    fn name(&self) -> &'static str {
        "fixed-product"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> CandleResult<(CpuStorage, Shape)> {
        match &self.0 {
            WeightMatrix::Quantised(weight) => weight.cpu_fwd(x, layout),
            WeightMatrix::Plain(weight) => multiply(x, layout, weight, |storage| match storage {
                Storage::Cpu(values) => Some(values),
                _ => None,
            }),
        }
    }

    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> CandleResult<(CudaStorage, Shape)> {
        match &self.0 {
            WeightMatrix::Quantised(weight) => weight.cuda_fwd(x, layout),
            WeightMatrix::Plain(weight) => multiply(x, layout, weight, |storage| match storage {
                Storage::Cuda(values) => Some(values),
                _ => None,
            }),
        }
    }

    fn bwd(&self, x: &Tensor, _: &Tensor, gradient: &Tensor) -> CandleResult<Option<Tensor>> {
        let weight = self.0.dense()?.to_dtype(x.dtype())?;
        gradient.matmul(&weight).map(Some)
    }
}

fn multiply<S: BackendStorage>(
    x: &S,
    layout: &Layout,
    weight: &Tensor,
    on_this_device: impl Fn(&Storage) -> Option<&S>,
) -> CandleResult<(S, Shape)> {
    let (rows, inputs) = layout.shape().dims2()?;
    let (outputs, expected) = weight.dims2()?;
    if inputs != expected {
        bail!("an input of {inputs} numbers does not match a matrix for {expected}");
    }
    if weight.dtype() != x.dtype() {
        bail!("an input of type {:?} does not match a matrix of type {:?}", x.dtype(), weight.dtype());
    }
    let (storage, weight_layout) = weight.storage_and_layout();
    let Some(values) = on_this_device(&storage) else { bail!("input and matrix are on different devices") };
    let product = x.matmul(values, (1, rows, outputs, inputs), layout, &weight_layout.transpose(0, 1)?)?;
    Ok((product, (rows, outputs).into()))
}
