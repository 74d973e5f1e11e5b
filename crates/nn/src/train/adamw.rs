//! The optimiser.

use super::Gradients;
use crate::{DType, Error, Tensor, Var};

/// Settings of [`AdamW`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamWSettings {
    /// How slowly the mean of the gradient follows it.
    pub beta1: f64,
    /// How slowly the mean of its square follows it.
    pub beta2: f64,
    /// Keeps the division finite.
    pub eps: f64,
    /// Which share of a weight is lost per step, times the learning rate.
    pub weight_decay: f64,
}

impl Default for AdamWSettings {
    fn default() -> Self {
        AdamWSettings { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.01 }
    }
}

/// What is different for some of the variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    /// The learning rate is multiplied by this.
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
/// use inkveil_nn::train::{AdamW, AdamWSettings, Group};
/// use inkveil_nn::{Device, Init, Scope};
///
/// let scope = Scope::trainable(None, &Device::Cpu, 7);
/// scope.get("layer.bias", &[2], Init::Zeros)?;
/// // Biases and norms, which have one dimension, do not decay.
/// let optimiser = AdamW::new(scope.variables(), AdamWSettings::default())?
///     .group(|_, variable| variable.rank() < 2, Group { rate: 1.0, weight_decay: 0.0 })?;
/// assert_eq!(optimiser.steps(), 0);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct AdamW {
    pub(super) slots: Vec<Slot>,
    settings: AdamWSettings,
    pub(super) steps: u64,
}

/// A variable and what the optimiser remembers of its gradients.
pub(super) struct Slot {
    pub(super) name: String,
    pub(super) variable: Var,
    /// Both stay where they are in memory: what lives long and moves with every step would lie scattered among what lives briefly, and a GPU's memory
    /// would fill with gaps.
    pub(super) mean: Var,
    pub(super) square: Var,
    group: Group,
    grouped: bool,
}

impl AdamW {
    /// An optimiser for these variables, all in one group.
    pub fn new(variables: Vec<(String, Var)>, settings: AdamWSettings) -> Result<Self, Error> {
        let AdamWSettings { beta1, beta2, eps, weight_decay } = settings;
        let betas = (0.0..1.0).contains(&beta1) && (0.0..1.0).contains(&beta2);
        if !(betas && eps.is_finite() && eps > 0.0) {
            return Err(Error::argument(format!(
                "the settings {settings:?} make no sense; beta1 and beta2 are below 1, eps is above 0"
            )));
        }
        let group = check(Group { rate: 1.0, weight_decay })?;
        let slots = variables
            .into_iter()
            .map(|(name, variable)| {
                // Moments of half-precision variables are kept in f32: their squares underflow.
                let dtype = if variable.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
                let zeros = || Var::zeros(variable.shape(), dtype, variable.device());
                Ok(Slot { name, mean: zeros()?, square: zeros()?, variable, group, grouped: false })
            })
            .collect::<Result<_, Error>>()?;
        Ok(AdamW { slots, settings, steps: 0 })
    }

    /// Puts the variables that pass, and are in no other group yet, into a group of their own.
    pub fn group(mut self, passes: impl Fn(&str, &Tensor) -> bool, group: Group) -> Result<Self, Error> {
        let group = check(group)?;
        for slot in &mut self.slots {
            if !slot.grouped && passes(&slot.name, &slot.variable) {
                (slot.group, slot.grouped) = (group, true);
            }
        }
        Ok(self)
    }

    /// How many steps were taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the variables by their gradients and clears these.
    ///
    /// An error, and nothing changes, if a variable has no gradient.
    pub fn step(&mut self, gradients: &mut Gradients, rate: f64) -> Result<(), Error> {
        if !(rate.is_finite() && rate >= 0.0) {
            return Err(Error::argument(format!("a learning rate of {rate} makes no sense; use 0 or more")));
        }
        let found = gradients.complete()?;
        let alike = found.len() == self.slots.len()
            && self
                .slots
                .iter()
                .zip(&found)
                .all(|(slot, (_, variable, _))| slot.variable.id() == variable.id());
        if !alike {
            return Err(Error::argument("these are gradients of other variables than the optimiser's"));
        }
        self.steps += 1;
        let AdamWSettings { beta1, beta2, eps, .. } = self.settings;
        let steps = self.steps as f64;
        // √v̂ = √v / √(1−β₂ᵗ), so both corrections become plain numbers.
        let (mean_share, square_share) = (1.0 - beta1.powf(steps), (1.0 - beta2.powf(steps)).sqrt());
        for (slot, (_, _, gradient)) in self.slots.iter_mut().zip(found) {
            let gradient = gradient.to_dtype(slot.mean.dtype())?;
            let (mean, square) = (slot.mean.as_detached_tensor(), slot.square.as_detached_tensor());
            slot.mean.set(&((&mean * beta1)? + (&gradient * (1.0 - beta1))?)?)?;
            slot.square.set(&((&square * beta2)? + (gradient.sqr()? * (1.0 - beta2))?)?)?;
            let direction = (&mean / ((square.sqrt()? / square_share)? + eps)?)?;
            let rate = rate * slot.group.rate;
            let value = slot.variable.as_detached_tensor().to_dtype(slot.mean.dtype())?;
            let kept = (value * (1.0 - rate * slot.group.weight_decay))?;
            let next = (kept - (direction * (rate / mean_share))?)?;
            slot.variable.set(&next.to_dtype(slot.variable.dtype())?)?;
        }
        gradients.clear();
        Ok(())
    }
}

fn check(group: Group) -> Result<Group, Error> {
    let good = |x: f64| x.is_finite() && x >= 0.0;
    if good(group.rate) && good(group.weight_decay) {
        return Ok(group);
    }
    Err(Error::argument(format!("the settings {group:?} make no sense; use finite numbers of 0 or more")))
}
