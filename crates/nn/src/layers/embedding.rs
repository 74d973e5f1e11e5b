//! Embedding tables.

use crate::{DType, Error, Init, Scope, Tensor};

/// A table whose rows are selected by index.
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

    /// Returns the rows with these indices. The result has one dimension more than `ids`.
    ///
    /// On the CPU an index outside the table is an error. Other devices do not detect it, so
    /// callers check beforehand.
    pub fn forward(&self, ids: &Tensor) -> Result<Tensor, Error> {
        let mut shape = ids.dims().to_vec();
        shape.push(self.dim);
        let ids = ids.to_dtype(DType::U32)?.flatten_all()?.contiguous()?;
        Ok(self.table.index_select(&ids, 0)?.reshape(shape)?)
    }

    /// Returns the whole table.
    pub fn table(&self) -> &Tensor {
        &self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn an_index_outside_the_table_is_an_error() {
        let table = Embedding::new(&Scope::trainable(None, &Device::Cpu, 0), 3, 2).unwrap();
        assert!(table.forward(&Tensor::new(&[2u32], &Device::Cpu).unwrap()).is_ok());
        assert!(table.forward(&Tensor::new(&[3u32], &Device::Cpu).unwrap()).is_err());
    }
}
