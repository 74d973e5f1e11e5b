//! A table of vectors.

use crate::{DType, Error, Init, Scope, Tensor};

/// A table from which rows are picked by number.
///
/// ```
/// use inkveil_nn::layers::Embedding;
/// use inkveil_nn::{Device, Scope, Tensor};
///
/// let table = Embedding::new(&Scope::trainable(None, &Device::Cpu, 0), 10, 4)?;
/// let ids = Tensor::new(&[[1u32, 2, 1]], &Device::Cpu)?;
/// assert_eq!(table.forward(&ids)?.dims(), [1, 3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Embedding {
    table: Tensor,
    dim: usize,
}

impl Embedding {
    /// Takes `weight`, of shape (rows, dim).
    pub fn new(scope: &Scope, rows: usize, dim: usize) -> Result<Self, Error> {
        let table = scope.get("weight", &[rows, dim], Init::Normal { std: 0.02 })?;
        Ok(Embedding { table, dim })
    }

    /// The rows with these numbers; the result has one dimension more than `ids`.
    ///
    /// On the CPU a number outside the table is an error. Elsewhere it is not noticed: callers check before.
    pub fn forward(&self, ids: &Tensor) -> Result<Tensor, Error> {
        let mut shape = ids.dims().to_vec();
        shape.push(self.dim);
        let ids = ids.to_dtype(DType::U32)?.flatten_all()?.contiguous()?;
        Ok(self.table.index_select(&ids, 0)?.reshape(shape)?)
    }

    /// The whole table.
    pub fn table(&self) -> &Tensor {
        &self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn a_number_outside_the_table_is_an_error() {
        let table = Embedding::new(&Scope::trainable(None, &Device::Cpu, 0), 3, 2).unwrap();
        assert!(table.forward(&Tensor::new(&[2u32], &Device::Cpu).unwrap()).is_ok());
        assert!(table.forward(&Tensor::new(&[3u32], &Device::Cpu).unwrap()).is_err());
    }
}
