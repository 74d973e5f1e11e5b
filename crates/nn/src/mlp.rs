//! Small dense networks, trained on one core: mask predictors, attackers and classifier heads.
//!
//! A training step of such a network is three products per layer. Written out, it costs little more
//! than these products; through a graph of operations it costs several times as much. Experiments
//! train hundreds of these networks in parallel, one per core.

use crate::params::random::SplitMix;
use crate::product::{f32_product, f32_product_left_transposed, f32_product_untransposed};
use crate::{Error, Weights};

/// Dense layers with ReLU in between. The last layer gives logits.
///
/// ```
/// use inkveil_nn::{Mlp, MlpTraining};
///
/// // Is the first number larger than the second?
/// let rows = [[0.9, 0.1], [0.2, 0.7], [0.6, 0.5], [0.1, 0.3]].concat();
/// let targets = [1.0, 0.0, 1.0, 0.0];
/// let mut training = MlpTraining::new(Mlp::new(&[2, 8, 1], 1)?, 0.05);
/// let losses: Vec<f64> = (0..200).map(|_| training.step(&rows, &targets)).collect::<Result<_, _>>()?;
/// assert!(losses[199] < 0.1 && losses[199] < losses[0]);
/// assert!(training.mlp().probabilities(&[0.8, 0.2])?[0] > 0.9);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Mlp {
    layers: Vec<DenseLayer>,
}

#[derive(Clone, PartialEq)]
struct DenseLayer {
    inputs: usize,
    outputs: usize,
    /// One row for each output.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Mlp {
    /// Creates a network with these widths, the input's first. Weights and biases are uniform
    /// within ±1/√inputs of their layer.
    pub fn new(widths: &[usize], seed: u64) -> Result<Self, Error> {
        if widths.len() < 2 || widths.contains(&0) {
            return Err(Error::argument("a network needs an input and an output, each with a width above 0"));
        }
        let layers = widths.windows(2).enumerate().map(|(index, pair)| {
            let (inputs, outputs) = (pair[0], pair[1]);
            let bound = 1.0 / (inputs as f64).sqrt();
            let mut random = SplitMix::named(seed, "mlp", &[index as u64]);
            let mut draw = |count| (0..count).map(|_| ((2.0 * random.unit() - 1.0) * bound) as f32).collect();
            DenseLayer { inputs, outputs, weights: draw(inputs * outputs), bias: draw(outputs) }
        });
        Ok(Self { layers: layers.collect() })
    }

    /// Reads a network from stored tensors with the names of [`tensors`](Self::tensors).
    pub fn from_weights(weights: &Weights) -> Result<Self, Error> {
        let mut layers = Vec::new();
        while let Some(&[outputs, inputs]) = weights.shape(&format!("layers.{}.weight", layers.len())) {
            let at = |what: &str| format!("layers.{}.{what}", layers.len());
            let matrix = weights.values(&at("weight"), &[outputs, inputs])?.into_owned();
            let bias = weights.values(&at("bias"), &[outputs])?.into_owned();
            if inputs == 0 || outputs == 0 || layers.last().is_some_and(|l: &DenseLayer| l.outputs != inputs)
            {
                return Err(Error::corrupt("a network", "a layer does not match the previous one"));
            }
            if !matrix.iter().chain(&bias).all(|w| w.is_finite()) {
                return Err(Error::corrupt("a network", "a weight is not finite"));
            }
            layers.push(DenseLayer { inputs, outputs, weights: matrix, bias });
        }
        match layers.is_empty() {
            true => Err(Error::corrupt("a network", "it has no layers")),
            false => Ok(Self { layers }),
        }
    }

    /// Returns its tensors: name, shape and values.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>, &[f32])> {
        let of_layer = |(index, layer): (usize, &'_ DenseLayer)| (index, layer.outputs, layer.inputs);
        let shapes = self.layers.iter().enumerate().map(of_layer);
        let named = shapes.zip(&self.layers).flat_map(|((index, outputs, inputs), layer)| {
            [
                (format!("layers.{index}.weight"), vec![outputs, inputs], layer.weights.as_slice()),
                (format!("layers.{index}.bias"), vec![outputs], layer.bias.as_slice()),
            ]
        });
        named.collect()
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.layers[0].inputs
    }

    /// Returns the number of outputs.
    pub fn outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].outputs
    }

    /// Returns the probabilities of all outputs, row by row.
    pub fn probabilities(&self, rows: &[f32]) -> Result<Vec<f32>, Error> {
        let mut pass = ForwardPass::default();
        pass.forward(self, rows)?;
        let mut last = pass.activations.pop().unwrap_or_default();
        last.iter_mut().for_each(|x| *x = sigmoid(*x));
        Ok(last)
    }

    /// Returns the gradient of one output's logit with respect to each row.
    pub fn input_gradients(&self, rows: &[f32], output: usize) -> Result<Vec<f32>, Error> {
        if output >= self.outputs() {
            return Err(Error::argument(format!(
                "there is no output {output}; the network has {}",
                self.outputs()
            )));
        }
        let mut pass = ForwardPass::default();
        pass.forward(self, rows)?;
        let mut gradient = vec![0.0; rows.len() / self.inputs() * self.outputs()];
        gradient.iter_mut().skip(output).step_by(self.outputs()).for_each(|g| *g = 1.0);
        pass.backward(self, rows, gradient, None)
    }
}

impl std::fmt::Debug for Mlp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widths: Vec<String> = self.layers.iter().map(|l| l.outputs.to_string()).collect();
        write!(f, "Mlp({} → {})", self.inputs(), widths.join(" → "))
    }
}

/// The logistic function, without overflow.
fn sigmoid(x: f32) -> f32 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

/// A forward pass through a network, for the backward pass. Its buffers are reused from step to
/// step.
#[derive(Default)]
struct ForwardPass {
    /// The output of each layer, including the last one's logits.
    activations: Vec<Vec<f32>>,
}

impl ForwardPass {
    fn forward(&mut self, mlp: &Mlp, rows: &[f32]) -> Result<(), Error> {
        self.activations.resize_with(mlp.layers.len(), Vec::new);
        for (index, layer) in mlp.layers.iter().enumerate() {
            let (before, rest) = self.activations.split_at_mut(index);
            let input = before.last().map_or(rows, Vec::as_slice);
            let output = &mut rest[0];
            output.resize(input.len() / layer.inputs * layer.outputs, 0.0);
            f32_product(input, &layer.weights, layer.inputs, output)?;
            let hidden = index + 1 < mlp.layers.len();
            for row in output.chunks_exact_mut(layer.outputs) {
                row.iter_mut().zip(&layer.bias).for_each(|(x, b)| *x += b);
                if hidden {
                    row.iter_mut().for_each(|x| *x = x.max(0.0));
                }
            }
        }
        Ok(())
    }

    /// Computes the gradient of the rows from the gradient of the logits. The gradients of the
    /// layers go to `layers` if it is given.
    fn backward(
        &self,
        mlp: &Mlp,
        rows: &[f32],
        mut gradient: Vec<f32>,
        mut layers: Option<&mut [LayerOptimiser]>,
    ) -> Result<Vec<f32>, Error> {
        for (index, layer) in mlp.layers.iter().enumerate().rev() {
            let input = if index == 0 { rows } else { &self.activations[index - 1] };
            let count = input.len() / layer.inputs;
            if let Some(optimisers) = layers.as_deref_mut() {
                let optimiser = &mut optimisers[index];
                f32_product_left_transposed(&gradient, input, count, &mut optimiser.weights.gradient)?;
                optimiser.bias.gradient.fill(0.0);
                for row in gradient.chunks_exact(layer.outputs) {
                    optimiser.bias.gradient.iter_mut().zip(row).for_each(|(sum, g)| *sum += g);
                }
            }
            let mut below = vec![0.0; input.len()];
            f32_product_untransposed(&gradient, &layer.weights, layer.outputs, &mut below)?;
            if index > 0 {
                below.iter_mut().zip(input).for_each(|(g, &x)| *g = if x > 0.0 { *g } else { 0.0 });
            }
            gradient = below;
        }
        Ok(gradient)
    }
}

/// The state of Adam for some numbers (Kingma and Ba, 2015), with its usual constants.
///
/// ```
/// let mut x = [3.0_f32];
/// let mut adam = inkveil_nn::Adam::new(1);
/// for _ in 0..500 {
///     adam.gradient_mut()[0] = 2.0 * x[0]; // the gradient of x²
///     adam.step(&mut x, 0.05);
/// }
/// assert!(x[0].abs() < 0.1);
/// ```
#[derive(Clone)]
pub struct Adam {
    gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    const BETAS: [f32; 2] = [0.9, 0.999];
    const TINY: f32 = 1e-8;

    /// Creates the state for `count` numbers.
    pub fn new(count: usize) -> Self {
        Self { gradient: vec![0.0; count], mean: vec![0.0; count], square: vec![0.0; count], steps: 0 }
    }

    /// Returns the buffer for the gradient of the next step.
    pub fn gradient_mut(&mut self) -> &mut [f32] {
        &mut self.gradient
    }

    /// Moves the numbers against their gradient.
    pub fn step(&mut self, values: &mut [f32], rate: f32) {
        self.steps = self.steps.saturating_add(1);
        let [b1, b2] = Self::BETAS;
        let (first, second) = (1.0 - b1.powi(self.steps), 1.0 - b2.powi(self.steps));
        let (rate, root) = (rate / first, second.sqrt().recip());
        let moments = self.mean.iter_mut().zip(&mut self.square).zip(&self.gradient);
        for (value, ((mean, square), &gradient)) in values.iter_mut().zip(moments) {
            *mean = b1 * *mean + (1.0 - b1) * gradient;
            *square = b2 * *square + (1.0 - b2) * gradient * gradient;
            *value -= rate * *mean / (square.sqrt() * root + Self::TINY);
        }
    }
}

struct LayerOptimiser {
    weights: Adam,
    bias: Adam,
}

/// A network in training, with Adam and the mean binary cross-entropy over rows and outputs.
pub struct MlpTraining {
    mlp: Mlp,
    optimisers: Vec<LayerOptimiser>,
    pass: ForwardPass,
    rate: f32,
}

impl MlpTraining {
    /// Starts training `mlp` at this learning rate.
    pub fn new(mlp: Mlp, rate: f32) -> Self {
        let optimiser = |layer: &DenseLayer| LayerOptimiser {
            weights: Adam::new(layer.weights.len()),
            bias: Adam::new(layer.bias.len()),
        };
        let optimisers = mlp.layers.iter().map(optimiser).collect();
        Self { mlp, optimisers, pass: ForwardPass::default(), rate }
    }

    /// Returns the current network.
    pub fn mlp(&self) -> &Mlp {
        &self.mlp
    }

    /// Returns the trained network.
    pub fn into_mlp(self) -> Mlp {
        self.mlp
    }

    /// Performs one step on a batch and returns the loss before it. `targets` has a number in [0,
    /// 1] for each output of each row.
    pub fn step(&mut self, rows: &[f32], targets: &[f32]) -> Result<f64, Error> {
        self.step_through(rows, targets).map(|(loss, _)| loss)
    }

    /// Like [`step`](Self::step), but also returns the gradient of the loss with respect to the
    /// rows.
    pub fn step_through(&mut self, rows: &[f32], targets: &[f32]) -> Result<(f64, Vec<f32>), Error> {
        let (count, outputs) = (rows.len() / self.mlp.inputs(), self.mlp.outputs());
        if count == 0 || rows.len() != count * self.mlp.inputs() || targets.len() != count * outputs {
            return Err(Error::argument(format!(
                "{} numbers and {} targets do not form a batch for {} inputs and {outputs} outputs",
                rows.len(),
                targets.len(),
                self.mlp.inputs()
            )));
        }
        self.pass.forward(&self.mlp, rows)?;
        let logits = self.pass.activations.last().map_or(&[][..], Vec::as_slice);
        let scale = 1.0 / targets.len() as f32;
        // −t·log σ(x) − (1−t)·log(1−σ(x)) without overflow; its derivative is σ(x) − t.
        let loss = |(&x, &t): (&f32, &f32)| f64::from(x.max(0.0) - x * t + (-x.abs()).exp().ln_1p());
        let total = logits.iter().zip(targets).map(loss).sum::<f64>();
        let gradient = logits.iter().zip(targets).map(|(&x, &t)| (sigmoid(x) - t) * scale).collect();
        let below = self.pass.backward(&self.mlp, rows, gradient, Some(&mut self.optimisers))?;
        for (layer, optimiser) in self.mlp.layers.iter_mut().zip(&mut self.optimisers) {
            optimiser.weights.step(&mut layer.weights, self.rate);
            optimiser.bias.step(&mut layer.bias, self.rate);
        }
        Ok((total * f64::from(scale), below))
    }
}

impl std::fmt::Debug for MlpTraining {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MlpTraining({:?}, rate {})", self.mlp, self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(mlp: &Mlp, rows: &[f32], targets: &[f32]) -> f64 {
        // A clone, so that the step has no effect.
        MlpTraining::new(mlp.clone(), 1e-9).step(rows, targets).unwrap()
    }

    fn example() -> (Mlp, Vec<f32>, Vec<f32>) {
        let mut random = SplitMix::named(5, "example", &[]);
        let rows = (0..15).map(|_| random.unit() as f32 - 0.5).collect();
        let targets = (0..10).map(|_| (random.unit() > 0.5) as u8 as f32).collect();
        (Mlp::new(&[3, 7, 4, 2], 9).unwrap(), rows, targets)
    }

    #[test]
    fn gradients_match_finite_differences() {
        let (mlp, rows, targets) = example();
        let mut training = MlpTraining::new(mlp.clone(), 1e-9);
        let (_, by_rows) = training.step_through(&rows, &targets).unwrap();
        let close = |a: f64, b: f32| assert!((a - f64::from(b)).abs() < 2e-4, "{a} and {b}");
        let step = 1e-2_f32;
        for (index, &gradient) in by_rows.iter().enumerate() {
            let moved = |by: f32| {
                let mut rows = rows.clone();
                rows[index] += by;
                loss(&mlp, &rows, &targets)
            };
            close((moved(step) - moved(-step)) / f64::from(2.0 * step), gradient);
        }
        for layer in 0..mlp.layers.len() {
            for (index, &gradient) in training.optimisers[layer].weights.gradient.iter().enumerate() {
                let moved = |by: f32| {
                    let mut mlp = mlp.clone();
                    mlp.layers[layer].weights[index] += by;
                    loss(&mlp, &rows, &targets)
                };
                close((moved(step) - moved(-step)) / f64::from(2.0 * step), gradient);
            }
            for (index, &gradient) in training.optimisers[layer].bias.gradient.iter().enumerate() {
                let moved = |by: f32| {
                    let mut mlp = mlp.clone();
                    mlp.layers[layer].bias[index] += by;
                    loss(&mlp, &rows, &targets)
                };
                close((moved(step) - moved(-step)) / f64::from(2.0 * step), gradient);
            }
        }
    }

    #[test]
    fn input_gradients_match_finite_differences() {
        let (mlp, rows, _) = example();
        let gradients = mlp.input_gradients(&rows[..3], 1).unwrap();
        for index in 0..3 {
            let moved = |by: f32| {
                let mut row = rows[..3].to_vec();
                row[index] += by;
                let p = f64::from(mlp.probabilities(&row).unwrap()[1]);
                (p / (1.0 - p)).ln()
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((slope - f64::from(gradients[index])).abs() < 1e-3);
        }
        assert!(mlp.input_gradients(&rows, 2).is_err());
    }

    #[test]
    fn the_same_seed_gives_the_same_network() {
        let trained = |seed| {
            let (_, rows, targets) = example();
            let mut training = MlpTraining::new(Mlp::new(&[3, 7, 4, 2], seed).unwrap(), 1e-2);
            for _ in 0..20 {
                training.step(&rows, &targets).unwrap();
            }
            training.into_mlp()
        };
        assert!(trained(1) == trained(1) && trained(1) != trained(2));
    }

    #[test]
    fn mismatched_sizes_are_refused() {
        assert!(Mlp::new(&[3], 1).is_err());
        assert!(Mlp::new(&[3, 0, 1], 1).is_err());
        let mut training = MlpTraining::new(Mlp::new(&[3, 1], 1).unwrap(), 0.1);
        assert!(training.step(&[1.0; 6], &[1.0]).is_err());
        assert!(training.step(&[1.0; 5], &[1.0, 1.0]).is_err());
        assert!(training.step(&[], &[]).is_err());
    }
}
