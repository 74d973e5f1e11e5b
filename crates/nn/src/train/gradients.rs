//! Gradients of a loss, summed over one or more batches.

use crate::tensor::summation_type;
use crate::{DType, Error, ErrorKind, Tensor, Var};

/// The gradients of some variables.
///
/// Several batches may be added before a step. If a variable got no gradient from any of them,
/// using the gradients is an error: otherwise a layer that is disconnected from the loss would
/// silently not be trained.
///
/// ```
/// use inkveil_nn::train::Gradients;
/// use inkveil_nn::{Device, Init, Scope};
///
/// let scope = Scope::trainable(None, &Device::Cpu, 7);
/// let x = scope.get("x", &[2], Init::Ones)?;
/// let mut gradients = Gradients::new(scope.variables());
/// for _ in 0..2 {
///     gradients.add(&x.sqr()?.sum_all()?, 0.5)?; // two batches, each with half the weight
/// }
/// assert_eq!(gradients.get("x").unwrap().to_vec1::<f32>()?, [2.0, 2.0]);
/// assert!((gradients.clip(1.0)? - 8f64.sqrt()).abs() < 1e-6); // the norm before clipping
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Gradients {
    variables: Vec<(String, Var)>,
    sums: Vec<Option<Tensor>>,
}

impl Gradients {
    /// Creates an empty set of gradients.
    pub fn new(variables: Vec<(String, Var)>) -> Self {
        let sums = vec![None; variables.len()];
        Gradients { variables, sums }
    }

    /// Adds `weight` times the gradient of `loss`, a single number.
    pub fn add(&mut self, loss: &Tensor, weight: f64) -> Result<(), Error> {
        if loss.elem_count() != 1 {
            let shape = loss.dims();
            return Err(Error::argument(format!("a loss must be one number, but has shape {shape:?}")));
        }
        // Backward starts from 1, so the weight is applied to the loss.
        let mut found = (loss * weight)?.backward().map_err(Error::backend("compute gradients"))?;
        for ((_, variable), sum) in self.variables.iter().zip(&mut self.sums) {
            if let Some(gradient) = found.remove(variable) {
                *sum = Some(match sum.take() {
                    Some(sum) => (sum + gradient)?.detach(),
                    None => gradient.detach(),
                });
            }
        }
        Ok(())
    }

    /// Returns the gradient of a variable, if it has one.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        let at = self.variables.iter().position(|(found, _)| found == name)?;
        self.sums.get(at)?.as_ref()
    }

    /// Returns the Euclidean norm of all gradients together.
    pub fn norm(&self) -> Result<f64, Error> {
        let mut squares = Vec::with_capacity(self.sums.len());
        for (_, _, gradient) in self.complete()? {
            squares.push(
                gradient
                    .to_dtype(summation_type(gradient.dtype()))?
                    .sqr()?
                    .sum_all()?
                    .to_dtype(DType::F64)?,
            );
        }
        if squares.is_empty() {
            return Ok(0.0);
        }
        let norm = Tensor::stack(&squares, 0)?.sum_all()?.to_scalar::<f64>()?.sqrt();
        if norm.is_finite() { Ok(norm) } else { Err(ErrorKind::NotFinite { what: "the gradient" }.into()) }
    }

    /// Scales the gradients down to a norm of `most` if it is larger. Returns the norm before.
    pub fn clip(&mut self, most: f64) -> Result<f64, Error> {
        if !(most.is_finite() && most > 0.0) {
            return Err(Error::argument(format!(
                "gradients cannot be clipped to {most}; use a number above 0"
            )));
        }
        let norm = self.norm()?;
        if norm > most {
            for gradient in self.sums.iter_mut().flatten() {
                *gradient = (&*gradient * (most / norm))?;
            }
        }
        Ok(norm)
    }

    /// Clears the gradients, for the next step.
    pub fn clear(&mut self) {
        self.sums.fill(None);
    }

    /// Returns the name, variable and gradient of each variable, or an error if one has no
    /// gradient.
    pub(super) fn complete(&self) -> Result<Vec<(&str, &Var, &Tensor)>, Error> {
        let both = self.variables.iter().zip(&self.sums);
        both.map(|((name, variable), sum)| match sum {
            Some(gradient) => Ok((name.as_str(), variable, gradient)),
            None => Err(ErrorKind::NoGradient { name: name.clone() }.into()),
        })
        .collect()
    }
}
