//! Products for processors without special instructions.

use half::bf16;

use super::f32_product;
use super::lengths::{check_out, row_count};
use crate::Error;

/// A matrix of 8-bit integers, as it is.
pub(super) struct PlainMatrix {
    values: Vec<i8>,
    rows: usize,
    columns: usize,
}

impl PlainMatrix {
    pub(super) fn pack(values: &[i8], columns: usize) -> Result<Self, Error> {
        let rows = row_count(values.len(), columns)?;
        Ok(Self { values: values.to_vec(), rows, columns })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Computes `left`·selfᵀ into `out`.
    pub(super) fn multiply(&self, left: &[i8], out: &mut [i32]) -> Result<(), Error> {
        let height = row_count(left.len(), self.columns)?;
        check_out(out.len(), height, self.rows)?;
        let products = left
            .chunks_exact(self.columns)
            .flat_map(|left| self.values.chunks_exact(self.columns).map(move |row| dot(left, row)));
        out.iter_mut().zip(products).for_each(|(out, product)| *out = product);
        Ok(())
    }
}

/// The compiler turns this loop into vector instructions.
fn dot(left: &[i8], right: &[i8]) -> i32 {
    left.iter().zip(right).map(|(&a, &b)| i32::from(i16::from(a) * i16::from(b))).sum()
}

/// A matrix of 16-bit floats, stored in 32 bits.
pub(super) struct WideMatrix {
    values: Vec<f32>,
    rows: usize,
    columns: usize,
}

impl WideMatrix {
    pub(super) fn pack(values: &[bf16], columns: usize) -> Result<Self, Error> {
        let rows = row_count(values.len(), columns)?;
        Ok(Self { values: widen(values), rows, columns })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Computes `left`·selfᵀ into `out`.
    pub(super) fn multiply(&self, left: &[bf16], out: &mut [f32]) -> Result<(), Error> {
        f32_product(&widen(left), &self.values, self.columns, out)
    }
}

fn widen(values: &[bf16]) -> Vec<f32> {
    values.iter().map(|value| value.to_f32()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn plain_products_are_those_of_whole_numbers(
            (k, left, right) in (1..9_usize, 1..9_usize, 1..200_usize).prop_flat_map(|(m, n, k)| {
                let entries = |count| proptest::collection::vec(any::<i8>(), count);
                (Just(k), entries(m * k), entries(n * k))
            })
        ) {
            let dot = |a: &[i8], b: &[i8]| -> i64 { a.iter().zip(b).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum() };
            let wanted: Vec<i64> = left.chunks(k).flat_map(|a| right.chunks(k).map(move |b| dot(a, b))).collect();
            let mut found = vec![0; wanted.len()];
            PlainMatrix::pack(&right, k).unwrap().multiply(&left, &mut found).unwrap();
            prop_assert!(found.iter().zip(&wanted).all(|(&a, &b)| i64::from(a) == b));

            let wide = |v: &[i8]| v.iter().map(|&x| bf16::from_f32(x.into())).collect::<Vec<_>>();
            let mut found = vec![0.0; wanted.len()];
            WideMatrix::pack(&wide(&right), k).unwrap().multiply(&wide(&left), &mut found).unwrap();
            prop_assert!(found.iter().zip(&wanted).all(|(&a, &b)| a == b as f32));
        }
    }
}
