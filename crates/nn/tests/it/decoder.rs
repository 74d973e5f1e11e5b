//! Compares the packed language model with the one that trains, over the same weights.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use inkveil_nn::cpu::PackedLlama;
use inkveil_nn::generate::{Generated, GenerationLimits, Sampling, StopReason, generate, next_logits, score};
use inkveil_nn::layers::Lora;
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::train::save_weights;
use inkveil_nn::{ChatTemplate, Device, ErrorKind, Message, Scope, Tensor, Tokenizer, Weights};

/// The tolerance of logits, as a share of the largest. Both factors of a product have 8 bits, so
/// each number has an error of up to 1/254 of the largest of its 32. Over the layers these errors
/// partly cancel.
const TOLERANCE: f32 = 0.01;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Opens the model in 32 bits, without rounding, and packed.
fn both(name: &str) -> (Llama, PackedLlama) {
    let weights = Weights::open(&fixture(name)).unwrap();
    let config = LlamaConfig::open(&fixture(name)).unwrap();
    let wide = Scope::trainable(Some(&weights), &Device::Cpu, 0).complete();
    (Llama::new(&wide, &config).unwrap(), PackedLlama::open(&fixture(name)).unwrap())
}

/// A short text, which is read in 8 bits, and a long one, which is read in 16 bits if the processor
/// has tiles.
fn texts() -> Vec<Vec<u32>> {
    let text = |seed: u32, length| (0..length).map(|i| (i * 37 + seed * 101) % 300).collect();
    vec![text(1, 5), text(2, 40), text(3, 1)]
}

fn worst(found: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn run(model: &PackedLlama, prompts: &[Vec<u32>], sampling: &Sampling) -> Vec<Generated> {
    let tokenizer = Tokenizer::open(&fixture("gguf-tiny/llama-f16.gguf")).unwrap();
    let limits = GenerationLimits { max_tokens: 10, stop_ids: Vec::new(), stop_texts: Vec::new() };
    generate(model, &tokenizer, prompts, sampling, &limits, |_, _| ControlFlow::Continue(())).unwrap()
}

#[test]
fn packed_logits_match_the_training_model() {
    for name in ["llama-tiny", "qwen2-tiny", "gguf-tiny/llama-f16.gguf", "gguf-tiny/qwen2-q8.gguf"] {
        let (plain, packed) = both(name);
        let wanted = next_logits(&plain, &texts()).unwrap();
        let found = next_logits(&packed, &texts()).unwrap();
        let size = wanted.iter().flatten().fold(0.0, |most: f32, x| most.max(x.abs()));
        for (found, wanted) in found.iter().zip(&wanted) {
            let off = worst(found, wanted);
            assert!(off < TOLERANCE * size, "{name}: off by {off} of {size}");
        }
        let continuations = [vec![5, 9, 200, 17], vec![3], (0..20).collect()];
        let wanted = score(&plain, &texts()[0], &continuations).unwrap();
        for (found, wanted) in score(&packed, &texts()[0], &continuations).unwrap().iter().zip(wanted) {
            // Both a token's logit and the sum over all of them have errors.
            let off = worst(&found.tokens, &wanted.tokens);
            assert!(off < 2.0 * TOLERANCE * size, "{name}: off by {off} of {size}");
        }
    }
}

#[test]
fn texts_are_independent_of_neighbours_and_threads() {
    let (_, model) = both("qwen2-tiny");
    let together = next_logits(&model, &texts()).unwrap();
    for (text, together) in texts().iter().zip(&together) {
        assert_eq!(&next_logits(&model, std::slice::from_ref(text)).unwrap()[0], together);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    assert_eq!(pool.install(|| next_logits(&model, &texts()).unwrap()), together);
    let sampling = Sampling { temperature: 1.0, top_p: Some(0.95), seed: 3, ..Sampling::default() };
    let all = run(&model, &texts(), &sampling);
    assert_eq!(run(&model, &texts()[..1], &sampling)[0], all[0]);
    // Three equal prompts are read once, and have three random streams.
    let same = run(&model, &vec![texts()[0].clone(); 3], &sampling);
    assert!(same[0] == all[0] && same[0] != same[1] && same[1] != same[2]);
}

#[test]
fn a_cache_continues_its_texts() {
    let (_, model) = both("llama-tiny");
    let text = texts()[0].clone();
    let whole = next_logits(&model, std::slice::from_ref(&text)).unwrap();
    let mut cache = model.cache(1);
    model.extend(&[&text[..2]], &mut cache).unwrap();
    cache.select(&[0, 0]).unwrap();
    let found = model.extend(&[&text[2..], &text[2..4]], &mut cache).unwrap();
    assert_eq!(found[0], whole[0]);
    assert_eq!(model.extend(&[&text[4..], &text[4..]], &mut cache).unwrap()[1], whole[0]);
    assert_eq!((cache.length(0), cache.length(1)), (6, 5));
}

#[test]
fn generation_stops_at_the_context_limit() {
    let (_, model) = both("llama-tiny");
    let context = model.config().context;
    let full = run(&model, &[vec![5; context - 4], vec![7; 3]], &Sampling::default());
    // 4 more tokens fit; the prediction after them is the last. The other text fits completely.
    assert_eq!((full[0].ids.len(), full[0].stop_reason), (5, StopReason::Length));
    assert_eq!(full[1].ids.len(), 10);
    let mut cache = model.cache(1);
    assert!(model.extend(&[&vec![5; context + 1]], &mut cache).is_err());
    assert!(model.extend(&[&[]], &mut cache).is_err());
    assert!(model.extend(&[&[304]], &mut cache).is_err());
    assert!(model.extend(&[&[1], &[2]], &mut cache).is_err());
    assert!(model.extend(&[&[303]], &mut cache).is_ok());
}

#[test]
fn no_texts_have_no_scores() {
    for name in ["llama-tiny", "qwen2-tiny"] {
        let (_, model) = both(name);
        assert!(model.extend(&[], &mut model.cache(0)).unwrap().is_empty());
        let mut seen = 0;
        model.extend_scoring(&[], &mut model.cache(0), |_, _, _| seen += 1).unwrap();
        assert_eq!(seen, 0);
    }
}

#[test]
fn adapters_are_added() {
    let path = fixture("gguf-tiny/qwen2-q8.gguf");
    let weights = Weights::open(&path).unwrap();
    let config = LlamaConfig::from_gguf(&weights).unwrap();
    let mut plain = Llama::new(&Scope::frozen(&weights, &Device::Cpu), &config).unwrap();
    let scope = Scope::trainable(None, &Device::Cpu, 1);
    plain.add_lora(&scope, &Lora { rank: 2, alpha: 2.0, dropout: 0.0 }, |_| true).unwrap();
    for (_, variable) in scope.variables() {
        variable.set(&Tensor::randn(0f32, 0.3, variable.shape(), &Device::Cpu).unwrap()).unwrap();
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    save_weights(file.path(), &scope.variables()).unwrap();
    let packed = PackedLlama::open_with_adapters(&path, Some(file.path())).unwrap();
    let found = next_logits(&packed, &texts()).unwrap();
    let without = next_logits(&PackedLlama::open(&path).unwrap(), &texts()).unwrap();
    for ((found, wanted), without) in found.iter().zip(next_logits(&plain, &texts()).unwrap()).zip(without) {
        let off = worst(found, &wanted);
        // Adapters of this size dominate; the remaining difference is rounding.
        assert!(off < 0.1 * worst(&without, &wanted), "off by {off} of {}", worst(&without, &wanted));
    }
    // An adapter for a matrix that does not exist.
    let other = LlamaConfig::open(&fixture("llama-tiny")).unwrap();
    let adapters = Weights::open(file.path()).unwrap();
    let bare = Weights::open(&fixture("bert")).unwrap();
    let error = PackedLlama::with_adapters(&bare, Some(&adapters), &other).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::MissingTensor { .. }), "{error}");
}

/// Compares likelihoods and answers of a real model, packed and not.
fn compare_real(name: &str, template: ChatTemplate) {
    let folder = Path::new(&std::env::var("INKVEIL_REAL_MODELS").unwrap()).join(name);
    let tokenizer = Tokenizer::open(&folder).unwrap();
    let text = "The mill at the bend of the river had stood empty for years when two sisters bought it, cleaned the \
        wheel, and began to grind flour for the bakers of the valley. At first nobody came, because the road was steep \
        and the bread from the town was cheap; but the flour was good, and by the second winter they had to hire help.";
    let ids = tokenizer.encode(text, false).unwrap().ids;
    let packed = PackedLlama::open(&folder).unwrap();
    let found = score(&packed, &ids[..4], &[ids[4..].to_vec()]).unwrap();
    let plain = Llama::open(&folder, &Device::Cpu).unwrap();
    let wanted = score(&plain, &ids[..4], &[ids[4..].to_vec()]).unwrap();
    let mean = |total: f64| total / (ids.len() - 4) as f64;
    eprintln!(
        "{name}: log-probability per token {:.4}, packed {:.4}",
        mean(wanted[0].total),
        mean(found[0].total)
    );
    assert!((mean(found[0].total) - mean(wanted[0].total)).abs() < 0.03);
    let prompt = template.encode(&tokenizer, &[Message::user("What is the capital of France?")]).unwrap();
    let limits = GenerationLimits {
        max_tokens: 40,
        stop_ids: vec![template.stop_id(&tokenizer).unwrap()],
        stop_texts: Vec::new(),
    };
    let go_on = |_: usize, _: &str| ControlFlow::Continue(());
    let answer = generate(&packed, &tokenizer, &[prompt], &Sampling::default(), &limits, go_on).unwrap();
    assert!(answer[0].text.contains("Paris"), "{}", answer[0].text);
}

#[test]
#[ignore = "reads pulled models: see CONTRIBUTING.md, INKVEIL_REAL_MODELS"]
fn real_smollm2_is_the_same_when_packed() {
    compare_real("smollm2", ChatTemplate::SmolLm2);
}

#[test]
#[ignore = "reads pulled models: see CONTRIBUTING.md, INKVEIL_REAL_MODELS"]
fn real_qwen_is_the_same_when_packed() {
    compare_real("qwen-1.5b", ChatTemplate::Qwen2);
}
