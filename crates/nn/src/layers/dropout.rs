//! Dropout.

use std::sync::{Mutex, PoisonError};

use crate::params::StepVisit;
use crate::{DType, Device, Error, Scope, Tensor};

/// In training, sets each number to 0 with probability `rate` and scales the others so that the
/// mean stays the same. In inference it does nothing.
///
/// The scope decides whether this is training; see [`Scope::train_at`].
///
/// ```
/// use inkveil_nn::layers::Dropout;
/// use inkveil_nn::{DType, Device, Scope, Tensor};
///
/// let scope = Scope::trainable(None, &Device::Cpu, 7);
/// let dropout = Dropout::new(&scope.enter("dropout"), 0.5)?;
/// let x = Tensor::ones(8, DType::F32, &Device::Cpu)?;
/// assert_eq!(dropout.forward(&x)?.to_vec1::<f32>()?, [1.0; 8]);
/// scope.train_at(0)?;
/// assert!(dropout.forward(&x)?.to_vec1::<f32>()?.iter().all(|&y| y == 0.0 || y == 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Dropout {
    scope: Scope,
    rate: f64,
    calls: Mutex<Calls>,
}

/// The number of calls of the layer in a step: two calls in one step get two masks.
#[derive(Default)]
struct Calls {
    visit: Option<StepVisit>,
    count: u64,
}

impl Dropout {
    /// Creates the layer. The name of `scope` determines the masks, so every layer needs its own.
    pub fn new(scope: &Scope, rate: f64) -> Result<Self, Error> {
        if !(0.0..1.0).contains(&rate) {
            return Err(Error::argument(format!(
                "the dropout rate {rate} is invalid; use 0 or more and below 1"
            )));
        }
        Ok(Dropout { scope: scope.clone(), rate, calls: Mutex::default() })
    }

    /// Drops numbers of `x` in training.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, Error> {
        let Some(visit) = self.scope.now().filter(|_| self.rate > 0.0) else { return Ok(x.clone()) };
        let mask = if x.device().is_cpu() {
            self.drawn(visit, x)?
        } else {
            // The device was seeded for this step.
            let uniform = Tensor::rand(0f32, 1f32, x.shape(), x.device())?;
            (uniform.ge(self.rate)?.to_dtype(DType::F32)? * self.gain())?
        };
        Ok((x * mask.to_dtype(x.dtype())?)?)
    }

    fn gain(&self) -> f64 {
        1.0 / (1.0 - self.rate)
    }

    fn drawn(&self, visit: StepVisit, x: &Tensor) -> Result<Tensor, Error> {
        let mut random = self.scope.random("", &[visit.step, self.count(visit)]);
        let gain = self.gain() as f32;
        let mask: Vec<f32> =
            (0..x.elem_count()).map(|_| if random.unit() < self.rate { 0.0 } else { gain }).collect();
        Ok(Tensor::from_vec(mask, x.shape(), &Device::Cpu)?)
    }

    fn count(&self, visit: StepVisit) -> u64 {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.visit != Some(visit) {
            *calls = Calls { visit: Some(visit), count: 0 };
        }
        calls.count += 1;
        calls.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        Scope::trainable(None, &Device::Cpu, 3)
    }

    fn drop(dropout: &Dropout, n: usize) -> Vec<f32> {
        dropout.forward(&Tensor::ones(n, DType::F32, &Device::Cpu).unwrap()).unwrap().to_vec1().unwrap()
    }

    #[test]
    fn dropout_keeps_the_rate_and_the_mean() {
        let scope = scope();
        let dropout = Dropout::new(&scope, 0.3).unwrap();
        scope.train_at(1).unwrap();
        let n = 100_000;
        let kept = drop(&dropout, n).iter().filter(|&&y| y > 0.0).count() as f64;
        // Chance exceeds 5 standard deviations with probability below 1e-6.
        assert!((kept - 0.7 * n as f64).abs() < 5.0 * (0.21 * n as f64).sqrt(), "{kept}");
        assert!(drop(&dropout, 50).iter().all(|&y| y == 0.0 || (y - 1.0 / 0.7).abs() < 1e-6));
        scope.infer();
        assert_eq!(drop(&dropout, 50), [1.0; 50]);
    }

    #[test]
    fn masks_depend_on_layer_step_and_call() {
        let scope = scope();
        let a = Dropout::new(&scope.enter("a"), 0.5).unwrap();
        let b = Dropout::new(&scope.enter("b"), 0.5).unwrap();
        scope.train_at(5).unwrap();
        let (first, second, other) = (drop(&a, 64), drop(&a, 64), drop(&b, 64));
        assert!(first != second && first != other);
        scope.train_at(6).unwrap();
        assert_ne!(drop(&a, 64), first);
        scope.train_at(5).unwrap();
        assert_eq!(drop(&a, 64), first);
        assert_eq!(drop(&a, 64), second);
    }

    #[test]
    fn invalid_rates_are_refused() {
        for rate in [-0.1, 1.0, f64::NAN] {
            assert!(Dropout::new(&scope(), rate).is_err());
        }
    }
}
