//! Compares another device with the CPU, on every model layout, drawn texts and a short training.
//!
//! Run `cargo run --release -p inkveil-nn --example device -- [cpu]` in the repository's root. With
//! the `cuda` feature it compares the GPU (see `scripts/build-cuda`). It exits with 1 if a
//! difference is larger than rounding.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use inkveil_nn::generate::{Rollout, rollout};
use inkveil_nn::layers::Lora;
use inkveil_nn::models::{Llama, TextModel, TokenBatch};
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Schedule};
use inkveil_nn::{DType, Device, Error, Scope, Tensor, Weights};

const FIXTURES: &str = "crates/nn/tests/fixtures";
const ENCODERS: [&str; 5] = ["bert", "roberta", "mpnet", "t5", "t5_gated"];
const LANGUAGE_MODELS: [&str; 3] = ["llama-tiny", "qwen2-tiny", "gguf-tiny/qwen2-q8.gguf"];
/// Devices sum in other orders, and a GPU may use shorter floats inside its products.
const CLOSE: f32 = 5e-3;
/// Products with matrices in blocks round the other side to 8 bits as well, and devices do it in
/// different places.
const CLOSE_IN_BLOCKS: f32 = 3e-2;

fn main() -> ExitCode {
    match compare() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Result<bool, Error> {
    let asked = std::env::args().nth(1);
    let device = match asked.as_deref() {
        Some("cpu") => Device::Cpu,
        _ => inkveil_nn::gpu()?,
    };
    println!("{device:?} against the CPU, largest difference:");
    let mut all_close = true;
    let mut say = |name: &str, difference: f32| {
        println!("  {name:<32}{difference:.2e}");
        all_close &= difference <= if name.ends_with(".gguf") { CLOSE_IN_BLOCKS } else { CLOSE };
    };
    for name in ENCODERS {
        let on = |device: &Device| hidden_states(&Path::new(FIXTURES).join(name), device);
        say(name, largest_difference(&on(&device)?, &on(&Device::Cpu)?)?);
    }
    for name in LANGUAGE_MODELS {
        let on = |device: &Device| logits(&Path::new(FIXTURES).join(name), device);
        say(name, largest_difference(&on(&device)?, &on(&Device::Cpu)?)?);
    }
    for name in &LANGUAGE_MODELS[..2] {
        for (how, settings) in draws() {
            let on = |device: &Device| drawn(&Path::new(FIXTURES).join(name), &settings, device);
            say(&format!("{name}, {how} texts"), share_of_different(&on(&device)?, &on(&Device::Cpu)?));
        }
    }
    let (ours, cpu) = (train(&device, false)?, train(&Device::Cpu, false)?);
    say("adapters, loss before", (ours.0 - cpu.0).abs());
    say("adapters, loss after 30 steps", (ours.1 - cpu.1).abs());
    // Every device draws its own masks, so with dropout the numbers differ, but not the learnt
    // result.
    let dropped = train(&device, true)?;
    println!("  loss {:.4} → {:.4}, with dropout {:.4} → {:.4}", ours.0, ours.1, dropped.0, dropped.1);
    all_close &= ours.1 < 0.8 * ours.0 && dropped.1 < 0.8 * dropped.0;
    speed(&device)?;
    println!("{}", if all_close { "all close" } else { "TOO FAR APART" });
    Ok(all_close)
}

fn tokens() -> Result<TokenBatch, Error> {
    TokenBatch::new(&[vec![2_u32, 5, 9, 14, 3], vec![2, 7, 3]], 1)
}

fn hidden_states(folder: &Path, device: &Device) -> Result<Tensor, Error> {
    // The states of padding are meaningless, so a single text is compared.
    TextModel::open(folder, device)?.hidden_states(&TokenBatch::new(&[vec![2_u32, 5, 9, 14, 3]], 1)?)
}

fn logits(path: &Path, device: &Device) -> Result<Tensor, Error> {
    let model = Llama::open(path, device)?;
    let ids = Tensor::new(&[[1_u32, 4, 9, 16, 25]], device)?;
    model.logits(&model.forward(&ids)?)
}

/// Returns settings that take the best token, draw from all, and draw from the likeliest.
fn draws() -> [(&'static str, Rollout); 3] {
    let all = Rollout { count: 4, max_tokens: 40, ..Rollout::default() };
    [
        ("greedy", Rollout { temperature: 0.0, ..all.clone() }),
        ("drawn", all.clone()),
        ("top-p", Rollout { top_p: Some(0.9), ..all }),
    ]
}

/// Draws texts. Every text has its own random numbers, so devices draw the same ones.
fn drawn(path: &Path, settings: &Rollout, device: &Device) -> Result<Vec<Vec<u32>>, Error> {
    rollout(&Llama::open(path, device)?, &[vec![1, 4, 9, 16, 25], vec![7, 2]], settings)
}

fn share_of_different(a: &[Vec<u32>], b: &[Vec<u32>]) -> f32 {
    a.iter().zip(b).filter(|(a, b)| a != b).count() as f32 / a.len().max(1) as f32
}

/// Trains adapters on a tiny encoder to give states of a chosen direction; the loss before and
/// after.
fn train(device: &Device, dropout: bool) -> Result<(f32, f32), Error> {
    let folder = Path::new(FIXTURES).join("bert");
    let weights = Weights::open(&folder)?;
    let scope = Scope::trainable(Some(&weights), device, 11);
    let mut model = TextModel::load(&folder, &scope.freeze())?;
    model.add_lora(&scope, &Lora { rank: 4, alpha: 8.0, dropout: 0.0 }, |_| true)?;
    let steps = 30;
    let schedule = Schedule { peak: 0.02, warm_up: 3, steps, decay: Decay::Cosine };
    let mut optimiser = AdamW::new(scope.variables(), AdamWSettings::default())?;
    let mut gradients = Gradients::new(scope.variables());
    let batch = tokens()?;
    let (mut first, mut last) = (f32::NAN, f32::NAN);
    for step in 0..steps {
        if dropout {
            scope.train_at(step)?;
        }
        let states = model.hidden_states(&batch)?;
        let wanted = Tensor::ones_like(&states)?;
        let loss = (states - wanted)?.sqr()?.mean_all()?;
        last = loss.to_scalar()?;
        if step == 0 {
            first = last;
        }
        gradients.add(&loss, 1.0)?;
        gradients.clip(1.0)?;
        optimiser.step(&mut gradients, schedule.rate(step))?;
    }
    Ok((first, last))
}

/// Measures the speed of one large product.
fn speed(device: &Device) -> Result<(), Error> {
    let (size, dtype) = if device.is_cuda() { (8192, DType::BF16) } else { (1024, DType::F32) };
    let a = Tensor::ones((size, size), dtype, device)?;
    let product = |times| -> Result<f64, Error> {
        let start = Instant::now();
        for _ in 0..times {
            a.matmul(&a)?;
        }
        device.synchronize()?;
        Ok(start.elapsed().as_secs_f64())
    };
    product(2)?;
    let seconds = product(8)? / 8.0;
    println!(
        "  {size}×{size} {dtype:?} product at {:.1} TFLOP/s",
        2.0 * (size as f64).powi(3) / seconds * 1e-12
    );
    Ok(())
}

fn largest_difference(a: &Tensor, b: &Tensor) -> Result<f32, Error> {
    let cpu = |x: &Tensor| x.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all();
    Ok((cpu(a)? - cpu(b)?)?.abs()?.max(0)?.to_scalar()?)
}
