//! The parameters of layers: where they come from, and which of them are trained.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::quantized::QTensor;

use crate::memory::check_memory;
use crate::{DType, Device, Error, ErrorKind, Tensor, Var, Weights};
use clock::StepClock;
pub(crate) use clock::StepVisit;
pub use random::SplitMix;

mod clock;
pub(crate) mod random;

/// Initialising a larger parameter requires a memory check, because its size may come from a file.
const WORTH_A_CHECK: usize = 1 << 24;

/// The initial value of a parameter that the weights do not contain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Init {
    /// All 0.
    Zeros,
    /// All 1.
    Ones,
    /// Normal with mean 0.
    Normal {
        /// The standard deviation.
        std: f64,
    },
    /// Uniform between −`bound` and `bound`.
    Uniform {
        /// The largest magnitude.
        bound: f64,
    },
}

/// The source of a layer's parameters: a name prefix over a file of weights, over newly initialised
/// values, or both.
///
/// The same model code runs for inference and for training. A [`frozen`](Scope::frozen) scope gives
/// tensors; a [`trainable`](Scope::trainable) scope gives variables and keeps them under their full
/// names. The initial value of a new parameter depends only on the seed and its name, never on the
/// order of construction.
///
/// ```
/// use inkveil_nn::layers::Linear;
/// use inkveil_nn::{Device, Scope};
///
/// let scope = Scope::trainable(None, &Device::Cpu, 7);
/// let head = Linear::new(&scope.enter("head"), 4, 2, true)?;
/// let names: Vec<String> = scope.variables().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["head.bias", "head.weight"]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[derive(Clone)]
pub struct Scope {
    prefix: String,
    source: Arc<ParameterSource>,
    dtype: DType,
    trains: TrainedSet,
    complete: bool,
}

struct ParameterSource {
    weights: Option<Weights>,
    device: Device,
    seed: u64,
    variables: Mutex<BTreeMap<String, Var>>,
    clock: StepClock,
}

/// The set of parameters that become variables.
#[derive(Clone)]
enum TrainedSet {
    Nothing,
    Everything,
    Matching(Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

/// A weight matrix of a layer. GGUF matrices that are not trained stay quantised.
#[derive(Clone)]
pub(crate) enum WeightMatrix {
    Plain(Tensor),
    Quantised(Arc<QTensor>),
}

impl Scope {
    /// Creates a scope over `weights` without gradients. A missing parameter is an error.
    pub fn frozen(weights: &Weights, device: &Device) -> Scope {
        Scope::over(Some(weights.clone()), device, 0, TrainedSet::Nothing, true)
    }

    /// Creates a scope of variables, taken from the weights if they contain the name and
    /// initialised otherwise.
    ///
    /// ```
    /// use inkveil_nn::{Device, Init, Scope};
    ///
    /// let scope = Scope::trainable(None, &Device::Cpu, 7);
    /// let noise = scope.get("noise", &[3], Init::Normal { std: 0.02 })?;
    /// assert!(noise.is_variable());
    /// # Ok::<(), inkveil_nn::Error>(())
    /// ```
    pub fn trainable(weights: Option<&Weights>, device: &Device, seed: u64) -> Scope {
        Scope::over(weights.cloned(), device, seed, TrainedSet::Everything, false)
    }

    fn over(
        weights: Option<Weights>,
        device: &Device,
        seed: u64,
        trains: TrainedSet,
        complete: bool,
    ) -> Scope {
        let source = ParameterSource {
            weights,
            device: device.clone(),
            seed,
            variables: Mutex::default(),
            clock: StepClock::default(),
        };
        Scope { prefix: String::new(), source: Arc::new(source), dtype: DType::F32, trains, complete }
    }

    /// Returns the scope whose names have `name` appended to this one's prefix: `"a"` becomes
    /// `"a.name"`.
    pub fn enter(&self, name: impl Display) -> Scope {
        Scope { prefix: self.full_name(&name.to_string()), ..self.clone() }
    }

    /// Returns the same scope, but only parameters whose full name passes are trained; the others
    /// are plain tensors.
    ///
    /// ```
    /// use inkveil_nn::layers::Linear;
    /// use inkveil_nn::{Device, Scope};
    ///
    /// let scope = Scope::trainable(None, &Device::Cpu, 7);
    /// let biases = scope.only(|name| name.ends_with(".bias"));
    /// Linear::new(&biases.enter("head"), 4, 2, true)?;
    /// assert_eq!(scope.variables().len(), 1);
    /// # Ok::<(), inkveil_nn::Error>(())
    /// ```
    pub fn only(&self, trained: impl Fn(&str) -> bool + Send + Sync + 'static) -> Scope {
        let trains = match self.trains.clone() {
            TrainedSet::Nothing => TrainedSet::Nothing,
            TrainedSet::Everything => TrainedSet::Matching(Arc::new(trained)),
            TrainedSet::Matching(outer) => {
                TrainedSet::Matching(Arc::new(move |name| outer(name) && trained(name)))
            }
        };
        Scope { trains, ..self.clone() }
    }

    /// Returns the same scope without training: for the base model under adapters.
    pub fn freeze(&self) -> Scope {
        Scope { trains: TrainedSet::Nothing, ..self.clone() }
    }

    /// Returns the same scope, but if it has weights, a parameter that they lack is an error
    /// instead of being initialised. A pretrained model needs this, so that a misnamed tensor is
    /// not replaced by random numbers.
    pub fn complete(&self) -> Scope {
        Scope { complete: true, ..self.clone() }
    }

    /// Returns the same scope with parameters of another float type. The default is `F32`.
    pub fn with_dtype(&self, dtype: DType) -> Scope {
        Scope { dtype, ..self.clone() }
    }

    /// Returns the parameter with this name.
    pub fn get(&self, name: &str, shape: &[usize], init: Init) -> Result<Tensor, Error> {
        let name = self.full_name(name);
        let trained = self.trains(&name);
        if trained && let Some(variable) = self.variables_by_name().get(&name) {
            // Two layers that share a parameter get the same variable.
            return same_shape(&name, shape, variable.as_tensor().clone());
        }
        let value = match &self.source.weights {
            Some(weights) if self.complete || weights.shape(&name).is_some() => {
                weights.tensor(&name, shape, &self.source.device)?.to_dtype(self.dtype)?
            }
            _ => self.initial(&name, shape, init)?,
        };
        if !trained {
            return Ok(value);
        }
        let variable = Var::from_tensor(&value)?;
        let tensor = variable.as_tensor().clone();
        self.variables_by_name().insert(name, variable);
        Ok(tensor)
    }

    /// Returns the parameter with this name, or `None` if the weights do not contain it.
    pub fn maybe(&self, name: &str, shape: &[usize]) -> Result<Option<Tensor>, Error> {
        if self.has(name) { self.get(name, shape, Init::Zeros).map(Some) } else { Ok(None) }
    }

    /// Returns whether the weights contain a parameter of this name.
    pub fn has(&self, name: &str) -> bool {
        let name = self.full_name(name);
        self.weights().is_some_and(|weights| weights.shape(&name).is_some())
    }

    /// Returns a weight matrix, quantised if the file stores it so and it is not trained. The
    /// quantised product needs `f32` inputs in main memory, so otherwise the matrix is dequantised.
    pub(crate) fn matrix(&self, name: &str, shape: &[usize], init: Init) -> Result<WeightMatrix, Error> {
        let full_name = self.full_name(name);
        if !self.trains(&full_name)
            && (self.source.device.is_cpu() && self.dtype == DType::F32)
            && let Some(weights) = self.weights()
            && let Some(matrix) = weights.quantised(&full_name)?
        {
            let found = matrix.shape().dims();
            if found != shape {
                let (expected, found) = (shape.to_vec(), found.to_vec());
                return Err(ErrorKind::Shape { name: full_name, expected, found }.into());
            }
            return Ok(WeightMatrix::Quantised(matrix));
        }
        self.get(name, shape, init).map(WeightMatrix::Plain)
    }

    /// Returns all variables of this scope and the scopes connected with it, sorted by name.
    pub fn variables(&self) -> Vec<(String, Var)> {
        self.variables_by_name().iter().map(|(name, variable)| (name.clone(), variable.clone())).collect()
    }

    /// Turns dropout on for the training step `step`.
    ///
    /// Masks depend on the seed, the layer's name, the step and the number of the call within the
    /// step. So a run that resumes at a step gives the same result as an uninterrupted one.
    pub fn train_at(&self, step: u64) -> Result<(), Error> {
        if !self.source.device.is_cpu() {
            // Masks are drawn on the device; there they depend on the order of the calls.
            self.source.device.set_seed(SplitMix::named(self.source.seed, "device", &[step]).next())?;
        }
        self.source.clock.set(Some(step));
        Ok(())
    }

    /// Turns dropout off, which is the default.
    pub fn infer(&self) {
        self.source.clock.set(None);
    }

    /// Returns the training step and its visit number, or `None` outside of training.
    pub(crate) fn now(&self) -> Option<StepVisit> {
        self.source.clock.now()
    }

    /// Returns a random stream for this scope, a name and numbers.
    pub(crate) fn random(&self, name: &str, numbers: &[u64]) -> SplitMix {
        SplitMix::named(self.source.seed, &self.full_name(name), numbers)
    }

    pub(crate) fn weights(&self) -> Option<&Weights> {
        self.source.weights.as_ref()
    }

    /// Returns the device of the parameters.
    pub fn device(&self) -> &Device {
        &self.source.device
    }

    /// Returns the float type of the parameters.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    fn full_name(&self, name: &str) -> String {
        match (self.prefix.as_str(), name) {
            ("", name) => name.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, name) => format!("{prefix}.{name}"),
        }
    }

    /// Returns whether the parameter with this full name is trained.
    pub(crate) fn trains(&self, name: &str) -> bool {
        match &self.trains {
            TrainedSet::Nothing => false,
            TrainedSet::Everything => true,
            TrainedSet::Matching(trained) => trained(name),
        }
    }

    fn variables_by_name(&self) -> MutexGuard<'_, BTreeMap<String, Var>> {
        // Every call leaves the map in a valid state, so it can be used after a panic elsewhere.
        self.source.variables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn initial(&self, name: &str, shape: &[usize], init: Init) -> Result<Tensor, Error> {
        let device = &self.source.device;
        let count = shape
            .iter()
            .try_fold(1usize, |count, &size| count.checked_mul(size))
            .filter(|&count| count <= isize::MAX as usize / size_of::<f64>())
            .ok_or_else(|| Error::argument(format!("a tensor of shape {shape:?} is too large")))?;
        if count > WORTH_A_CHECK {
            check_memory("a new parameter", (size_of::<f64>() * count) as u64, &Device::Cpu)?;
        }
        let mut random = SplitMix::named(self.source.seed, name, &[]);
        let values: Vec<f64> = match init {
            Init::Zeros => return Ok(Tensor::zeros(shape, self.dtype, device)?),
            Init::Ones => return Ok(Tensor::ones(shape, self.dtype, device)?),
            Init::Uniform { bound } => (0..count).map(|_| bound * (2.0 * random.unit() - 1.0)).collect(),
            Init::Normal { std } => {
                std::iter::repeat_with(|| random.normals()).flatten().take(count).map(|z| std * z).collect()
            }
        };
        Ok(Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(self.dtype)?.to_device(device)?)
    }
}

fn same_shape(name: &str, expected: &[usize], found: Tensor) -> Result<Tensor, Error> {
    if found.dims() == expected {
        return Ok(found);
    }
    let (name, expected, found) = (name.to_owned(), expected.to_vec(), found.dims().to_vec());
    Err(ErrorKind::Shape { name, expected, found }.into())
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("prefix", &self.prefix)
            .field("dtype", &self.dtype)
            .field("variables", &self.variables_by_name().len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        Scope::trainable(None, &Device::Cpu, 7)
    }

    fn values(tensor: &Tensor) -> Vec<f32> {
        tensor.flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn initial_values_depend_only_on_seed_and_name() {
        let init = Init::Normal { std: 1.0 };
        let first = scope();
        let a = first.get("a", &[5], init).unwrap();
        let b = first.get("b", &[5], init).unwrap();
        let second = scope();
        assert_eq!(values(&second.get("b", &[5], init).unwrap()), values(&b));
        assert_eq!(values(&second.get("a", &[5], init).unwrap()), values(&a));
        assert_ne!(values(&a), values(&b));
        let other = Scope::trainable(None, &Device::Cpu, 8);
        assert_ne!(values(&other.get("a", &[5], init).unwrap()), values(&a));
    }

    #[test]
    fn initial_values_have_the_requested_distribution() {
        let n = 100_000;
        let normal = values(&scope().get("n", &[n], Init::Normal { std: 2.0 }).unwrap());
        let mean = normal.iter().sum::<f32>() / n as f32;
        let variance = normal.iter().map(|x| x * x).sum::<f32>() / n as f32;
        // Standard errors 2/√n and 4·√(2/n); chance exceeds 5 of them with probability below 1e-6.
        assert!(mean.abs() < 5.0 * 2.0 / (n as f32).sqrt(), "{mean}");
        assert!((variance - 4.0).abs() < 5.0 * 4.0 * (2.0 / n as f32).sqrt(), "{variance}");
        let uniform = values(&scope().get("u", &[n], Init::Uniform { bound: 0.5 }).unwrap());
        assert!(uniform.iter().all(|x| x.abs() <= 0.5));
        let mean = uniform.iter().sum::<f32>() / n as f32;
        assert!(mean.abs() < 5.0 * 0.289 / (n as f32).sqrt(), "{mean}");
        assert!(uniform.iter().any(|&x| x > 0.49) && uniform.iter().any(|&x| x < -0.49));
    }

    #[test]
    fn one_name_is_one_variable() {
        let scope = scope();
        let first = scope.enter("layer").get("weight", &[2, 3], Init::Ones).unwrap();
        let again = scope.get("layer.weight", &[2, 3], Init::Zeros).unwrap();
        assert_eq!(first.id(), again.id());
        assert_eq!(scope.variables().len(), 1);
        let error = scope.get("layer.weight", &[3, 2], Init::Ones).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
    }

    #[test]
    fn only_and_freeze_narrow_what_is_trained() {
        let scope = scope();
        let some = scope.only(|name| name.contains("lora_"));
        assert!(some.get("x.lora_A", &[1], Init::Ones).unwrap().is_variable());
        assert!(!some.get("x.weight", &[1], Init::Ones).unwrap().is_variable());
        assert!(!some.freeze().get("y.lora_A", &[1], Init::Ones).unwrap().is_variable());
        let less = some.only(|name| name.starts_with("z"));
        assert!(!less.get("x.lora_B", &[1], Init::Ones).unwrap().is_variable());
        assert!(less.get("z.lora_B", &[1], Init::Ones).unwrap().is_variable());
        let names: Vec<String> = scope.variables().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["x.lora_A", "z.lora_B"]);
    }

    #[test]
    fn quantised_matrices_are_dequantised_only_if_trained_or_wide() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/gguf-tiny/qwen2-q8.gguf");
        let weights = Weights::open(path.as_ref()).unwrap();
        let name = weights.names().find(|name| weights.quantised(name).unwrap().is_some()).unwrap();
        let shape = weights.shape(name).unwrap();
        let matrix = |scope: &Scope, shape: &[usize]| scope.matrix(name, shape, Init::Zeros);
        let frozen = Scope::frozen(&weights, &Device::Cpu);
        assert!(matches!(matrix(&frozen, shape).unwrap(), WeightMatrix::Quantised(_)));
        let wide = frozen.with_dtype(DType::F64);
        assert!(
            matches!(matrix(&wide, shape).unwrap(), WeightMatrix::Plain(values) if values.dtype() == DType::F64)
        );
        let trainable = Scope::trainable(Some(&weights), &Device::Cpu, 0);
        assert!(
            matches!(matrix(&trainable, shape).unwrap(), WeightMatrix::Plain(values) if values.is_variable())
        );
        assert!(matches!(matrix(&trainable.freeze(), shape).unwrap(), WeightMatrix::Quantised(_)));
        let error = matrix(&frozen, &[3, 32]).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
    }

    #[test]
    fn oversized_shapes_are_refused() {
        let error = scope().get("a", &[usize::MAX, 2], Init::Normal { std: 1.0 }).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Argument { .. }), "{error}");
        #[cfg(target_os = "linux")]
        {
            let error = scope().get("a", &[1 << 40, 1 << 10], Init::Zeros).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::TooLarge { .. }), "{error}");
        }
    }
}
