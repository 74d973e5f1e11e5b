//! The AdamW optimiser.

use super::Gradients;
use crate::{DType, Error, Tensor, Var};

/// Settings of [`AdamW`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamWSettings {
    /// The decay rate of the mean gradient.
    pub beta1: f64,
    /// The decay rate of the mean squared gradient.
    pub beta2: f64,
    /// A small number that keeps the division finite.
    pub eps: f64,
    /// The share of a weight that is subtracted per step, times the learning rate.
    pub weight_decay: f64,
}

impl Default for AdamWSettings {
    fn default() -> Self {
        AdamWSettings { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.01 }
    }
}

/// Settings for some of the variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterGroup {
    /// A factor of the learning rate.
    pub rate: f64,
    /// Their weight decay.
    pub weight_decay: f64,
}

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019):
///
/// ```text
/// m ← β₁·m + (1−β₁)·g        m̂ = m / (1−β₁ᵗ)
/// v ← β₂·v + (1−β₂)·g²       v̂ = v / (1−β₂ᵗ)
/// θ ← θ − rate·(decay·θ + m̂ / (√v̂ + ε))
/// ```
///
/// ```
/// use inkveil_nn::train::{AdamW, AdamWSettings, ParameterGroup};
/// use inkveil_nn::{Device, Init, Scope};
///
/// let scope = Scope::trainable(None, &Device::Cpu, 7);
/// scope.get("layer.bias", &[2], Init::Zeros)?;
/// // Biases and norms, which have one dimension, do not decay.
/// let optimiser = AdamW::new(scope.variables(), AdamWSettings::default())?
///     .group(|_, variable| variable.rank() < 2, ParameterGroup { rate: 1.0, weight_decay: 0.0 })?;
/// assert_eq!(optimiser.steps(), 0);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct AdamW {
    pub(super) states: Vec<VariableState>,
    settings: AdamWSettings,
    pub(super) steps: u64,
}

/// A variable and its optimiser state.
pub(super) struct VariableState {
    pub(super) name: String,
    pub(super) variable: Var,
    /// Both are updated in place: long-lived tensors that move with every step would fragment a
    /// GPU's memory.
    pub(super) mean: Var,
    pub(super) square: Var,
    group: ParameterGroup,
    grouped: bool,
}

impl AdamW {
    /// Creates an optimiser for these variables, all in one group.
    pub fn new(variables: Vec<(String, Var)>, settings: AdamWSettings) -> Result<Self, Error> {
        let AdamWSettings { beta1, beta2, eps, weight_decay } = settings;
        let betas = (0.0..1.0).contains(&beta1) && (0.0..1.0).contains(&beta2);
        if !(betas && eps.is_finite() && eps > 0.0) {
            return Err(Error::argument(format!(
                "the settings {settings:?} are invalid; beta1 and beta2 must be below 1, eps must be above 0"
            )));
        }
        let group = check(ParameterGroup { rate: 1.0, weight_decay })?;
        let states = variables
            .into_iter()
            .map(|(name, variable)| {
                // The moments of half-precision variables are kept in f32, because their squares
                // underflow.
                let dtype = if variable.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
                let zeros = || Var::zeros(variable.shape(), dtype, variable.device());
                Ok(VariableState { name, mean: zeros()?, square: zeros()?, variable, group, grouped: false })
            })
            .collect::<Result<_, Error>>()?;
        Ok(AdamW { states, settings, steps: 0 })
    }

    /// Moves the variables that pass, and are in no group yet, to a new group.
    pub fn group(
        mut self,
        passes: impl Fn(&str, &Tensor) -> bool,
        group: ParameterGroup,
    ) -> Result<Self, Error> {
        let group = check(group)?;
        for state in &mut self.states {
            if !state.grouped && passes(&state.name, &state.variable) {
                (state.group, state.grouped) = (group, true);
            }
        }
        Ok(self)
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Updates the variables by their gradients, and clears the gradients.
    ///
    /// If a variable has no gradient, it fails and nothing changes.
    pub fn step(&mut self, gradients: &mut Gradients, rate: f64) -> Result<(), Error> {
        if !(rate.is_finite() && rate >= 0.0) {
            return Err(Error::argument(format!("the learning rate {rate} is invalid; use 0 or more")));
        }
        let found = gradients.complete()?;
        let alike = found.len() == self.states.len()
            && self
                .states
                .iter()
                .zip(&found)
                .all(|(state, (_, variable, _))| state.variable.id() == variable.id());
        if !alike {
            return Err(Error::argument("these gradients belong to other variables than the optimiser's"));
        }
        self.steps += 1;
        let AdamWSettings { beta1, beta2, eps, .. } = self.settings;
        let steps = self.steps as f64;
        // √v̂ = √v / √(1−β₂ᵗ), so both corrections are plain numbers.
        let (mean_share, square_share) = (1.0 - beta1.powf(steps), (1.0 - beta2.powf(steps)).sqrt());
        for (state, (_, _, gradient)) in self.states.iter_mut().zip(found) {
            let gradient = gradient.to_dtype(state.mean.dtype())?;
            let (mean, square) = (state.mean.as_detached_tensor(), state.square.as_detached_tensor());
            state.mean.set(&((&mean * beta1)? + (&gradient * (1.0 - beta1))?)?)?;
            state.square.set(&((&square * beta2)? + (gradient.sqr()? * (1.0 - beta2))?)?)?;
            let direction = (&mean / ((square.sqrt()? / square_share)? + eps)?)?;
            let rate = rate * state.group.rate;
            let value = state.variable.as_detached_tensor().to_dtype(state.mean.dtype())?;
            let kept = (value * (1.0 - rate * state.group.weight_decay))?;
            let next = (kept - (direction * (rate / mean_share))?)?;
            state.variable.set(&next.to_dtype(state.variable.dtype())?)?;
        }
        gradients.clear();
        Ok(())
    }
}

fn check(group: ParameterGroup) -> Result<ParameterGroup, Error> {
    let good = |x: f64| x.is_finite() && x >= 0.0;
    if good(group.rate) && good(group.weight_decay) {
        return Ok(group);
    }
    Err(Error::argument(format!("the settings {group:?} are invalid; use finite numbers of 0 or more")))
}
