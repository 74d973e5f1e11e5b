//! Measures how fast a language model draws the rewrites of a training step, and learns from them.
//!
//! Speed does not depend on the values of the weights, so random weights of a known architecture
//! suffice. Nothing has to be downloaded or sent to the machine with the GPU.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use inkveil_nn::generate::{Continuation, Rollout, log_likelihoods, rollout};
use inkveil_nn::layers::Lora;
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::train::Gradients;
use inkveil_nn::{DType, Device, Scope, SplitMix, Weights};

/// The seed of weights, prompts and draws.
const SEED: u64 = 1;

/// Measure how fast rewrites are drawn for training
#[derive(Debug, Args)]
pub(crate) struct RolloutArgs {
    /// Use random weights of this architecture
    #[arg(long, value_enum, required_unless_present = "model")]
    random_weights: Option<Architecture>,

    /// Use the model in this folder or GGUF file
    #[arg(long, conflicts_with = "random_weights")]
    model: Option<PathBuf>,

    /// Compute on the first NVIDIA GPU
    #[arg(long)]
    cuda: bool,

    /// The number of prompts
    #[arg(long, default_value_t = 16)]
    prompts: usize,

    /// The length of the longest prompt in tokens; the shortest has three fifths of it
    #[arg(long, default_value_t = 250)]
    prompt_tokens: usize,

    /// The number of continuations of each prompt
    #[arg(long, default_value_t = 16)]
    count: usize,

    /// The number of tokens of each continuation
    #[arg(long, default_value_t = 120)]
    tokens: usize,

    /// Draw only from the likeliest tokens with this total probability
    #[arg(long)]
    top_p: Option<f64>,

    /// The rank of the adapters that learn
    #[arg(long, default_value_t = 16)]
    rank: usize,

    /// Repeat the measurement; the first one also loads the GPU's code
    #[arg(long, default_value_t = 3)]
    repeat: usize,

    /// Also measure gradients of all continuations, this many at once
    #[arg(long)]
    learn: Option<usize>,

    /// The memory bandwidth of the device in TB/s, for the shortest possible time
    #[arg(long, default_value_t = 4.3)]
    bandwidth: f64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Architecture {
    Smollm2,
    #[value(name = "qwen-0.5b")]
    Qwen05b,
    #[value(name = "qwen-1.5b")]
    Qwen15b,
}

pub(crate) fn run(args: &RolloutArgs) -> anyhow::Result<()> {
    let device = if args.cuda { inkveil_nn::gpu()? } else { Device::Cpu };
    let start = Instant::now();
    let (mut model, dtype) = open(args, &device)?;
    let adapters = Scope::trainable(None, &device, SEED);
    model.add_lora(&adapters, &Lora { rank: args.rank, alpha: args.rank as f64, dropout: 0.0 }, |_| true)?;
    println!("model ready after {:.1} s", start.elapsed().as_secs_f64());

    let prompts = prompts(args, model.config().vocabulary);
    let settings = Rollout {
        count: args.count,
        top_p: args.top_p,
        max_tokens: args.tokens,
        seed: SEED,
        ..Rollout::default()
    };
    let floor = shortest(args, model.config(), dtype);
    println!("| run | rollouts | tokens | seconds | tokens/s | shortest possible | times the shortest |");
    println!("|---|---|---|---|---|---|---|");
    let mut drawn = Vec::new();
    for number in 1..=args.repeat.max(1) {
        let start = Instant::now();
        drawn = rollout(&model, &prompts, &settings)?;
        let seconds = start.elapsed().as_secs_f64();
        let tokens: usize = drawn.iter().map(Vec::len).sum();
        println!(
            "| {number} | {} | {tokens} | {seconds:.3} | {:.0} | {floor:.3} | {:.1} |",
            drawn.len(),
            tokens as f64 / seconds,
            seconds / floor
        );
    }
    if let Some(at_once) = args.learn {
        learn(&model, &adapters, &prompts, &drawn, at_once.max(1), &device)?;
    }
    Ok(())
}

fn open(args: &RolloutArgs, device: &Device) -> anyhow::Result<(Llama, DType)> {
    let dtype = if device.is_cpu() { DType::F32 } else { DType::BF16 };
    if let Some(path) = &args.model {
        let config = LlamaConfig::open(path)?;
        let weights = Weights::open(path)?;
        return Ok((Llama::new(&Scope::frozen(&weights, device).with_dtype(dtype), &config)?, dtype));
    }
    let architecture = args.random_weights.context("name an architecture or a model")?;
    let config = LlamaConfig::from_json(architecture.config().as_bytes())?;
    let scope = Scope::trainable(None, device, SEED).freeze().with_dtype(dtype);
    Ok((Llama::new(&scope, &config)?, dtype))
}

/// Returns prompts of random tokens. Their lengths differ, as those of texts do.
fn prompts(args: &RolloutArgs, vocabulary: usize) -> Vec<Vec<u32>> {
    let mut random = SplitMix::named(SEED, "prompts", &[]);
    let mut prompt = |number: usize| -> Vec<u32> {
        let share = number as f64 / (args.prompts.max(2) - 1) as f64;
        let length = (args.prompt_tokens as f64 * (0.6 + 0.4 * share)).round().max(1.0) as usize;
        (0..length).map(|_| (random.next() % vocabulary as u64) as u32).collect()
    };
    (0..args.prompts).map(&mut prompt).collect()
}

/// Returns the seconds that reading all weights once for each token takes. Everything else could
/// overlap with it.
fn shortest(args: &RolloutArgs, config: &LlamaConfig, dtype: DType) -> f64 {
    let heads = (2 * config.heads + 2 * config.key_heads) * config.head_width;
    let layer = config.width * (heads + 3 * config.inner_width);
    let tables = if config.tied { 1 } else { 2 };
    let parameters = config.layers * layer + tables * config.vocabulary * config.width;
    (parameters * dtype.size_in_bytes() * args.tokens) as f64 / (args.bandwidth * 1e12)
}

/// Measures what follows the drawing in a training step: the likelihoods of all continuations and
/// their gradients.
fn learn(
    model: &Llama,
    adapters: &Scope,
    prompts: &[Vec<u32>],
    drawn: &[Vec<u32>],
    at_once: usize,
    device: &Device,
) -> anyhow::Result<()> {
    let group = drawn.len() / prompts.len().max(1);
    let rows: Vec<Continuation<'_>> = drawn
        .iter()
        .enumerate()
        .map(|(row, tokens)| Continuation { prompt: &prompts[row / group.max(1)], tokens })
        .collect();
    let mut gradients = Gradients::new(adapters.variables());
    println!("| likelihoods of {} rollouts, {at_once} at once | seconds |", rows.len());
    println!("|---|---|");
    for (name, trains) in [("without gradients", false), ("with gradients", true)] {
        let start = Instant::now();
        for part in rows.chunks(at_once) {
            let found = log_likelihoods(model, part)?;
            if trains {
                gradients.add(&found.mean_all()?, 1.0)?;
            }
        }
        device.synchronize()?;
        println!("| {name} | {:.3} |", start.elapsed().as_secs_f64());
    }
    Ok(())
}

impl Architecture {
    fn config(self) -> &'static str {
        match self {
            Architecture::Smollm2 => {
                r#"{"model_type": "llama", "vocab_size": 49152, "hidden_size": 576,
                    "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9,
                    "num_key_value_heads": 3, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5,
                    "rope_theta": 100000.0, "tie_word_embeddings": true}"#
            }
            Architecture::Qwen05b => {
                r#"{"model_type": "qwen2", "vocab_size": 151936, "hidden_size": 896,
                    "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14,
                    "num_key_value_heads": 2, "max_position_embeddings": 32768, "rms_norm_eps": 1e-6,
                    "rope_theta": 1000000.0, "tie_word_embeddings": true}"#
            }
            Architecture::Qwen15b => {
                r#"{"model_type": "qwen2", "vocab_size": 151936, "hidden_size": 1536,
                    "intermediate_size": 8960, "num_hidden_layers": 28, "num_attention_heads": 12,
                    "num_key_value_heads": 2, "max_position_embeddings": 32768, "rms_norm_eps": 1e-6,
                    "rope_theta": 1000000.0, "tie_word_embeddings": true}"#
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_architectures_have_the_known_numbers_of_parameters() {
        let args = RolloutArgs {
            random_weights: None,
            model: None,
            cuda: false,
            prompts: 3,
            prompt_tokens: 10,
            count: 1,
            tokens: 1,
            top_p: None,
            rank: 1,
            repeat: 1,
            learn: None,
            bandwidth: 1e-12,
        };
        for (architecture, parameters) in [
            (Architecture::Smollm2, 134.5e6),
            (Architecture::Qwen05b, 494e6),
            (Architecture::Qwen15b, 1543.6e6),
        ] {
            let config = LlamaConfig::from_json(architecture.config().as_bytes()).unwrap();
            // In f32, at a bandwidth of one byte per second.
            let counted = shortest(&args, &config, DType::F32) / 4.0;
            assert!((counted / parameters - 1.0).abs() < 1e-3, "{architecture:?}: {counted}");
        }
        let lengths: Vec<usize> = prompts(&args, 5).iter().map(Vec::len).collect();
        assert_eq!(lengths, [6, 8, 10]);
    }
}
