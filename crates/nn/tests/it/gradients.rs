//! Compares every layer's gradient with central differences in `f64`.

use inkveil_nn::layers::{
    Activation, Dropout, Embedding, LayerNorm, Linear, Lora, RmsNorm, Rope, RopeStyle, attention,
    causal_mask, log_softmax, merge_heads, padding_mask, softmax, split_heads,
};
use inkveil_nn::train::{AdamW, AdamWSettings, Gradients};
use inkveil_nn::{DType, Device, Error, ErrorKind, Init, Scope, Tensor, Var};

/// The tolerance of gradients: the tensor library's activations use constants of six digits.
const TOLERANCE: f64 = 2e-6;
/// The number of coordinates checked per variable; all of them would take too long.
const COORDINATES: usize = 12;

/// Creates a scope with parameters in `f64`, which finite differences need.
pub(crate) fn precise_scope() -> Scope {
    Scope::trainable(None, &Device::Cpu, 11).with_dtype(DType::F64)
}

/// Creates an input that is a variable, so that its gradient is checked as well.
pub(crate) fn input(scope: &Scope, shape: &[usize]) -> Tensor {
    scope.get("input", shape, Init::Normal { std: 1.0 }).unwrap()
}

/// Returns a number that depends on every value of `output` in a different way.
pub(crate) fn mixed(output: &Tensor) -> Result<Tensor, Error> {
    let weights = Scope::trainable(None, output.device(), 5).freeze().with_dtype(output.dtype()).get(
        "mixture",
        output.dims(),
        Init::Uniform { bound: 1.0 },
    )?;
    // The square makes the loss nonlinear even if the layer is linear.
    Ok((output.sqr()? + output)?.mul(&weights)?.sum_all()?)
}

/// Fails unless every variable gets a gradient from `loss` that matches finite differences.
pub(crate) fn check_gradients(scope: &Scope, loss: impl Fn() -> Result<Tensor, Error>) {
    let variables = scope.variables();
    assert!(!variables.is_empty(), "nothing to check");
    let mut gradients = Gradients::new(variables.clone());
    gradients.add(&loss().unwrap(), 1.0).unwrap();
    gradients.norm().expect("every variable has a finite gradient");
    for (name, variable) in &variables {
        let gradient = gradients.get(name).unwrap().flatten_all().unwrap().to_vec1::<f64>().unwrap();
        let stride = gradient.len().div_ceil(COORDINATES);
        for at in (0..gradient.len()).step_by(stride) {
            let expected = difference(variable, at, &loss);
            let error = (gradient[at] - expected).abs() / (1.0 + expected.abs());
            assert!(
                error < TOLERANCE,
                "{name}[{at}]: {} by backward, {expected} by differences",
                gradient[at]
            );
        }
    }
}

/// Returns the central difference of `loss` in one coordinate.
fn difference(variable: &Var, at: usize, loss: &impl Fn() -> Result<Tensor, Error>) -> f64 {
    let before = variable.as_tensor().copy().unwrap();
    let values = before.flatten_all().unwrap().to_vec1::<f64>().unwrap();
    let at_distance = |distance: f64| {
        let mut moved = values.clone();
        moved[at] += distance;
        variable.set(&Tensor::from_vec(moved, before.shape(), &Device::Cpu).unwrap()).unwrap();
        loss().unwrap().to_scalar::<f64>().unwrap()
    };
    let h = 1e-5;
    let slope = (at_distance(h) - at_distance(-h)) / (2.0 * h);
    variable.set(&before).unwrap();
    slope
}

#[test]
fn linear_gradients_are_correct() {
    let scope = precise_scope();
    let layer = Linear::new(&scope.enter("layer"), 4, 3, true).unwrap();
    let x = input(&scope, &[2, 3, 4]);
    check_gradients(&scope, || mixed(&layer.forward(&x)?));
}

#[test]
fn gradients_pass_through_a_frozen_matrix() {
    let scope = precise_scope();
    let layer = Linear::new(&scope.freeze().enter("layer"), 4, 3, true).unwrap();
    let x = input(&scope, &[2, 3, 4]);
    assert_eq!(scope.variables().len(), 1);
    check_gradients(&scope, || mixed(&layer.forward(&x)?));
}

#[test]
fn low_rank_adapter_gradients_are_correct() {
    let scope = precise_scope();
    let mut layer = Linear::new(&scope.freeze().enter("layer"), 5, 4, true).unwrap();
    layer.add_lora(&scope.enter("layer"), &Lora { rank: 2, alpha: 3.0, dropout: 0.0 }).unwrap();
    let names: Vec<String> = scope.variables().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["layer.lora_A.weight", "layer.lora_B.weight"]);
    // Initially B is 0 and A has no gradient; elsewhere both have one.
    let up = Tensor::arange(0f64, 8.0, &Device::Cpu).unwrap().reshape((4, 2)).unwrap();
    scope.variables()[1].1.set(&(up / 8.0).unwrap()).unwrap();
    let x = input(&scope, &[3, 5]);
    check_gradients(&scope, || mixed(&layer.forward(&x)?));
}

#[test]
fn embedding_gradients_are_correct() {
    let scope = precise_scope();
    let table = Embedding::new(&scope.enter("table"), 4, 3).unwrap();
    let ids = Tensor::new(&[[0u32, 3, 0], [2, 1, 3]], &Device::Cpu).unwrap();
    check_gradients(&scope, || mixed(&table.forward(&ids)?));
}

#[test]
fn norm_gradients_are_correct() {
    let scope = precise_scope();
    let norm = LayerNorm::new(&scope.enter("layer_norm"), 5, 1e-5).unwrap();
    let rms = RmsNorm::new(&scope.enter("rms_norm"), 5, 1e-6).unwrap();
    let x = input(&scope, &[2, 3, 5]);
    check_gradients(&scope, || mixed(&rms.forward(&(norm.forward(&x)? + &x)?)?));
}

#[test]
fn activation_gradients_are_correct() {
    use Activation::{Gelu, GeluTanh, Identity, Relu, Silu, Tanh};
    for activation in [Gelu, GeluTanh, Silu, Relu, Tanh, Identity] {
        let scope = precise_scope();
        let x = input(&scope, &[3, 4]);
        check_gradients(&scope, || mixed(&activation.forward(&x)?));
    }
}

#[test]
fn softmax_gradients_are_correct() {
    let scope = precise_scope();
    let x = input(&scope, &[3, 4]);
    check_gradients(&scope, || mixed(&softmax(&x)?));
    check_gradients(&scope, || mixed(&log_softmax(&x)?));
}

#[test]
fn attention_gradients_are_correct() {
    let scope = precise_scope();
    let shape = [2, 3, 8];
    let [q, k, v] = ["q", "k", "v"].map(|name| scope.get(name, &shape, Init::Normal { std: 1.0 }).unwrap());
    let keep = Tensor::new(&[[1u8, 1, 1], [1, 1, 0]], &Device::Cpu).unwrap();
    let padding = padding_mask(&keep, DType::F64).unwrap();
    let mask = padding.broadcast_add(&causal_mask(3, 0, DType::F64, &Device::Cpu).unwrap()).unwrap();
    check_gradients(&scope, || {
        let [q, k, v] = [split_heads(&q, 2)?, split_heads(&k, 2)?, split_heads(&v, 2)?];
        mixed(&merge_heads(&attention(&q, &k, &v, Some(&mask), 0.5)?)?)
    });
}

#[test]
fn rotary_embedding_gradients_are_correct() {
    for style in [RopeStyle::Halves, RopeStyle::Interleaved] {
        let scope = precise_scope();
        let rope = Rope::new(4, 10_000.0, style, &Device::Cpu).unwrap();
        let x = input(&scope, &[2, 2, 3, 4]);
        check_gradients(&scope, || mixed(&rope.apply(&x, &[5, 6, 7])?));
    }
}

#[test]
fn dropout_gradients_are_correct() {
    let scope = precise_scope();
    let dropout = Dropout::new(&scope.enter("dropout"), 0.4).unwrap();
    let x = input(&scope, &[4, 6]);
    let loss = || {
        scope.train_at(3)?; // the same dropout mask for every evaluation
        mixed(&dropout.forward(&x)?)
    };
    let mut gradients = Gradients::new(scope.variables());
    gradients.add(&loss().unwrap(), 1.0).unwrap();
    let gradient = gradients.get("input").unwrap().flatten_all().unwrap().to_vec1::<f64>().unwrap();
    assert!(gradient.contains(&0.0), "dropped numbers have no gradient");
    check_gradients(&scope, loss);
}

#[test]
fn a_detached_layer_is_detected() {
    let scope = precise_scope();
    let first = Linear::new(&scope.enter("first"), 3, 3, true).unwrap();
    let second = Linear::new(&scope.enter("second"), 3, 3, true).unwrap();
    let x = Tensor::ones((2, 3), DType::F64, &Device::Cpu).unwrap();
    let mut gradients = Gradients::new(scope.variables());
    let cut = first.forward(&x).unwrap().detach();
    gradients.add(&mixed(&second.forward(&cut).unwrap()).unwrap(), 1.0).unwrap();
    let expected = ErrorKind::NoGradient { name: "first.bias".into() };
    assert_eq!(gradients.norm().unwrap_err().kind(), &expected);
    assert_eq!(gradients.clip(1.0).unwrap_err().kind(), &expected);
    let mut optimiser = AdamW::new(scope.variables(), AdamWSettings::default()).unwrap();
    assert_eq!(optimiser.step(&mut gradients, 0.1).unwrap_err().kind(), &expected);
    assert_eq!(optimiser.steps(), 0);
    // After a batch that reaches the layer, all gradients are present.
    let whole = second.forward(&first.forward(&x).unwrap()).unwrap();
    gradients.add(&mixed(&whole).unwrap(), 1.0).unwrap();
    optimiser.step(&mut gradients, 0.1).unwrap();
}

#[test]
#[should_panic(expected = "by differences")]
fn a_wrong_gradient_is_detected() {
    let scope = precise_scope();
    let x = input(&scope, &[3]);
    // The gradient of x·x with one x detached is half of the correct one.
    check_gradients(&scope, || Ok(x.mul(&x.detach())?.sum_all()?));
}
