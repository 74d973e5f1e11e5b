//! Compares language models with the reference implementation, and tests generation.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use inkveil_nn::generate::{Generated, GenerationLimits, Sampling, StopReason, generate, next_logits, score};
use inkveil_nn::layers::Lora;
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::{ChatTemplate, Device, ErrorKind, Message, Scope, Tensor, Tokenizer, Weights};
use serde::Deserialize;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

#[derive(Deserialize)]
struct Expected {
    prompts: Vec<Vec<u32>>,
    padded_last_logits: Vec<Vec<f32>>,
    alone: Vec<Alone>,
}

#[derive(Deserialize)]
struct Alone {
    logits: Option<Vec<f32>>,
    greedy: Vec<u32>,
    log_probabilities: Vec<f32>,
}

fn expected(file: &str) -> Expected {
    serde_json::from_slice(&std::fs::read(fixture(file)).unwrap()).unwrap()
}

fn open(name: &str) -> Llama {
    Llama::open(&fixture(name), &Device::Cpu).unwrap()
}

fn close(found: &[f32], wanted: &[f32], most: f32) {
    assert_eq!(found.len(), wanted.len());
    let worst = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst <= most, "off by {worst}");
}

fn limits(max_tokens: usize) -> GenerationLimits {
    GenerationLimits { max_tokens, stop_ids: Vec::new(), stop_texts: Vec::new() }
}

fn tokenizer() -> Tokenizer {
    Tokenizer::open(&fixture("gguf-tiny/llama-f16.gguf")).unwrap()
}

fn run(
    model: &Llama,
    prompts: &[Vec<u32>],
    sampling: &Sampling,
    limits: &GenerationLimits,
) -> Vec<Generated> {
    generate(model, &tokenizer(), prompts, sampling, limits, |_, _| ControlFlow::Continue(())).unwrap()
}

/// Compares a model with the reference; `most` is the tolerance of logits.
fn check(model: &Llama, expected: &Expected, most: f32) {
    for (prompt, alone) in expected.prompts.iter().zip(&expected.alone) {
        if let Some(wanted) = &alone.logits {
            let ids = Tensor::new(prompt.as_slice(), &Device::Cpu).unwrap().unsqueeze(0).unwrap();
            let logits = model.logits(&model.forward(&ids).unwrap()).unwrap();
            close(&logits.flatten_all().unwrap().to_vec1().unwrap(), wanted, most);
        }
        let scores = score(model, prompt, &[alone.greedy.clone(), alone.greedy[..5].to_vec()]).unwrap();
        close(&scores[0].tokens, &alone.log_probabilities, most);
        close(&scores[1].tokens, &alone.log_probabilities[..5], most);
        assert!((scores[0].total - scores[0].tokens.iter().map(|&x| f64::from(x)).sum::<f64>()).abs() < 1e-9);
    }
    for (found, wanted) in
        next_logits(model, &expected.prompts).unwrap().iter().zip(&expected.padded_last_logits)
    {
        close(found, wanted, most);
    }
}

/// Compares greedy continuations with the reference, one by one and in a batch.
fn check_greedy(model: &Llama, expected: &Expected) {
    let together = run(model, &expected.prompts, &Sampling::default(), &limits(12));
    for ((prompt, alone), together) in expected.prompts.iter().zip(&expected.alone).zip(together) {
        let single = run(model, std::slice::from_ref(prompt), &Sampling::default(), &limits(12)).remove(0);
        assert_eq!(single.ids, alone.greedy);
        assert_eq!(single, together);
        assert_eq!(single.stop_reason, StopReason::Length);
    }
}

#[test]
fn llama_matches_the_reference() {
    let (model, expected) = (open("llama-tiny"), expected("llama-tiny/expected.json"));
    assert!(model.config().tied);
    check(&model, &expected, 1e-4);
    check_greedy(&model, &expected);
}

#[test]
fn qwen2_matches_the_reference() {
    let (model, expected) = (open("qwen2-tiny"), expected("qwen2-tiny/expected.json"));
    assert!(model.config().bias && !model.config().tied);
    check(&model, &expected, 1e-4);
    check_greedy(&model, &expected);
}

#[test]
fn llama_in_gguf_matches_the_reference() {
    let (model, expected) = (open("gguf-tiny/llama-f16.gguf"), expected("llama-tiny/expected.json"));
    check(&model, &expected, 1e-4);
    check_greedy(&model, &expected);
}

#[test]
fn a_quantised_model_is_close_to_its_dequantised_version() {
    let expected = expected("gguf-tiny/qwen2-q8-expected.json");
    // The quantised product also rounds the inputs of each matrix to 8 bits.
    check(&open("gguf-tiny/qwen2-q8.gguf"), &expected, 0.15);
    // Dequantised, the same file gives the reference's numbers.
    let weights = Weights::open(&fixture("gguf-tiny/qwen2-q8.gguf")).unwrap();
    let config = LlamaConfig::from_gguf(&weights).unwrap();
    let wide = Llama::new(&Scope::trainable(Some(&weights), &Device::Cpu, 0).complete(), &config).unwrap();
    check(&wide, &expected, 1e-4);
    check_greedy(&wide, &expected);
}

#[test]
fn sampled_texts_do_not_depend_on_their_neighbours() {
    let (model, expected) = (open("qwen2-tiny"), expected("qwen2-tiny/expected.json"));
    let sampling = Sampling {
        temperature: 1.0,
        top_k: Some(50),
        top_p: Some(0.95),
        repetition_penalty: Some(1.1),
        seed: 3,
        ..Sampling::default()
    };
    let all = run(&model, &expected.prompts, &sampling, &limits(12));
    assert_eq!(all, run(&model, &expected.prompts, &sampling, &limits(12)));
    let first = run(&model, &expected.prompts[..1], &sampling, &limits(12));
    assert_eq!(first[0], all[0]);
    // Three equal prompts have three random streams, so their texts differ.
    let same = run(&model, &vec![expected.prompts[0].clone(); 3], &sampling, &limits(12));
    assert!(same[0] == all[0] && same[0] != same[1] && same[1] != same[2]);
    let other = run(&model, &expected.prompts, &Sampling { seed: 4, ..sampling }, &limits(12));
    assert_ne!(all, other);
}

#[test]
fn texts_stop_at_stop_tokens_and_texts() {
    let (model, expected) = (open("llama-tiny"), expected("llama-tiny/expected.json"));
    let (prompts, greedy) = (&expected.prompts, &expected.alone[0].greedy);
    let whole = run(&model, prompts, &Sampling::default(), &limits(12));

    // Texts of one batch end at different lengths: the first stops early, the others continue.
    let stop = greedy[3];
    let found =
        run(&model, prompts, &Sampling::default(), &GenerationLimits { stop_ids: vec![stop], ..limits(12) });
    let length = greedy.iter().position(|&id| id == stop).unwrap() + 1;
    assert_eq!((found[0].ids.as_slice(), found[0].stop_reason), (&greedy[..length], StopReason::Token));
    for (found, whole) in found[1..].iter().zip(&whole[1..]) {
        let length = whole.ids.iter().position(|&id| id == stop).map_or(12, |at| at + 1);
        assert_eq!(found.ids, whole.ids[..length]);
    }

    // A stop text that spans two tokens.
    let text = whole[0].text.clone();
    let middle = text.char_indices().nth(text.chars().count() / 2).unwrap().0;
    let stop: String = text[middle..].chars().take(3).collect();
    let limits_with = |stop: &str| GenerationLimits { stop_texts: vec![stop.to_owned()], ..limits(12) };
    let mut shown = String::new();
    let found = generate(
        &model,
        &tokenizer(),
        &prompts[..1],
        &Sampling::default(),
        &limits_with(&stop),
        |_, piece| {
            shown.push_str(piece);
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(found[0].stop_reason, StopReason::Text);
    assert_eq!(found[0].text, text[..text.find(&stop).unwrap()]);
    assert_eq!(shown, found[0].text);
}

#[test]
fn streamed_pieces_form_the_texts() {
    let (model, expected) = (open("qwen2-tiny"), expected("qwen2-tiny/expected.json"));
    let mut shown = vec![String::new(); 3];
    let texts = generate(
        &model,
        &tokenizer(),
        &expected.prompts,
        &Sampling::default(),
        &limits(12),
        |number, piece| {
            assert!(!piece.is_empty());
            shown[number].push_str(piece);
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    for (text, shown) in texts.iter().zip(shown) {
        assert_eq!(text.text, shown);
        assert_eq!(text.text, tokenizer().decode(&text.ids).unwrap());
    }
}

#[test]
fn a_text_can_be_cancelled() {
    let (model, expected) = (open("llama-tiny"), expected("llama-tiny/expected.json"));
    let mut pieces = 0;
    let texts =
        generate(&model, &tokenizer(), &expected.prompts, &Sampling::default(), &limits(12), |_, _| {
            pieces += 1;
            if pieces == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(pieces, 4);
    assert!(texts.iter().all(|text| text.stop_reason == StopReason::Cancelled && text.ids.len() < 12));
}

#[test]
fn generation_stops_at_the_context_limit() {
    let model = open("llama-tiny");
    let texts = run(&model, &[vec![5; 60]], &Sampling::default(), &limits(100));
    // 60 tokens are read and 4 more; the prediction after the 64th is the last one.
    assert_eq!((texts[0].ids.len(), texts[0].stop_reason), (5, StopReason::Length));
    let failed = |prompt: Vec<u32>| {
        generate(&model, &tokenizer(), &[prompt], &Sampling::default(), &limits(1), |_, _| {
            ControlFlow::Continue(())
        })
        .is_err()
    };
    assert!(failed(vec![5; 65]) && failed(vec![]) && failed(vec![304]));
    assert!(!failed(vec![303]));
    assert!(run(&model, &[vec![5]], &Sampling::default(), &limits(0))[0].ids.is_empty());
    assert!(run(&model, &[], &Sampling::default(), &limits(3)).is_empty());
    assert!(score(&model, &[1], &[vec![]]).is_err() && score(&model, &[], &[vec![1]]).is_err());
    assert!(score(&model, &[1], &[]).unwrap().is_empty());
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let model = open("llama-tiny");
    let other = Tokenizer::open(&fixture("model2vec-tiny")).unwrap();
    let limits = GenerationLimits { stop_texts: vec![String::new()], ..limits(1) };
    let error =
        generate(&model, &other, &[vec![1]], &Sampling::default(), &limits, |_, _| ControlFlow::Continue(()));
    assert!(error.is_err());
    let tokens = other.vocabulary_size();
    assert!(matches!(other.check_rows(30_000).unwrap_err().kind(), ErrorKind::TokenizerMismatch { .. }));
    assert!(tokens < 304);
}

#[test]
fn adapters_are_trained_over_a_quantised_model() {
    let weights = Weights::open(&fixture("gguf-tiny/qwen2-q8.gguf")).unwrap();
    let config = LlamaConfig::from_gguf(&weights).unwrap();
    let mut model = Llama::new(&Scope::frozen(&weights, &Device::Cpu), &config).unwrap();
    let ids = Tensor::new(&[[5_u32, 9, 200, 17]], &Device::Cpu).unwrap();
    let before = model.logits(&model.forward(&ids).unwrap()).unwrap();
    let scope = Scope::trainable(None, &Device::Cpu, 1);
    let lora = Lora { rank: 2, alpha: 4.0, dropout: 0.0 };
    let added = model
        .add_lora(&scope, &lora, |name| name.ends_with("q_proj") || name.ends_with("down_proj"))
        .unwrap();
    assert_eq!(added, 4);
    let names: Vec<String> = scope.variables().into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"model.layers.1.mlp.down_proj.lora_B.weight".to_owned()), "{names:?}");
    let after = model.logits(&model.forward(&ids).unwrap()).unwrap();
    let flat = |x: &Tensor| x.flatten_all().unwrap().to_vec1::<f32>().unwrap();
    assert_eq!(flat(&before), flat(&after));
    // B starts at 0, so A has no gradient yet; change B.
    for (name, variable) in scope.variables() {
        if name.contains("lora_B") {
            variable.set(&(variable.as_tensor().ones_like().unwrap() * 0.01).unwrap()).unwrap();
        }
    }
    let loss = model.logits(&model.forward(&ids).unwrap()).unwrap().sqr().unwrap().mean_all().unwrap();
    let gradients = loss.backward().unwrap();
    for (name, variable) in scope.variables() {
        let gradient =
            gradients.get(variable.as_tensor()).unwrap_or_else(|| panic!("no gradient for {name}"));
        assert!(flat(gradient).iter().any(|&x| x != 0.0), "{name}");
    }
    let adapted = flat(&model.logits(&model.forward(&ids).unwrap()).unwrap());
    assert_ne!(adapted, flat(&before));
    model.merge_lora().unwrap();
    // Merging dequantises the matrices, whose products then round less.
    close(&flat(&model.logits(&model.forward(&ids).unwrap()).unwrap()), &adapted, 0.15);
}

#[test]
fn every_variable_of_a_model_gets_a_correct_gradient() {
    let weights = Weights::open(&fixture("qwen2-tiny")).unwrap();
    let config = LlamaConfig::open(&fixture("qwen2-tiny")).unwrap();
    let scope =
        Scope::trainable(Some(&weights), &Device::Cpu, 0).complete().with_dtype(inkveil_nn::DType::F64);
    let model = Llama::new(&scope, &config).unwrap();
    let ids = Tensor::new(&[[5_u32, 9, 200], [1, 2, 3]], &Device::Cpu).unwrap();
    let loss = || model.logits(&model.forward(&ids).unwrap()).unwrap().sin().unwrap().sum_all().unwrap();
    let gradients = loss().backward().unwrap();
    assert_eq!(scope.variables().len(), weights.names().count());
    for (name, variable) in scope.variables() {
        let gradient =
            gradients.get(variable.as_tensor()).unwrap_or_else(|| panic!("no gradient for {name}"));
        // The derivative in the direction of the gradient is its squared length.
        let length = gradient.sqr().unwrap().sum_all().unwrap().to_scalar::<f64>().unwrap();
        let start = variable.as_tensor().copy().unwrap();
        let step = 1e-5 / length.sqrt().max(1e-9);
        let at = |sign: f64| {
            variable.set(&(&start + (gradient * (sign * step)).unwrap()).unwrap()).unwrap();
            loss().to_scalar::<f64>().unwrap()
        };
        let slope = (at(1.0) - at(-1.0)) / (2.0 * step);
        variable.set(&start).unwrap();
        assert!((slope - length).abs() <= 1e-4 * length + 1e-9, "{name}: {slope} for {length}");
    }
}

#[test]
fn weights_that_do_not_match_their_settings_are_refused() {
    let weights = Weights::open(&fixture("llama-tiny")).unwrap();
    let mut config = LlamaConfig::open(&fixture("llama-tiny")).unwrap();
    config.inner_width = 96;
    let error = Llama::new(&Scope::frozen(&weights, &Device::Cpu), &config).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
    config.inner_width = 64;
    config.layers = 3;
    let error = Llama::new(&Scope::frozen(&weights, &Device::Cpu), &config).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::MissingTensor { .. }), "{error}");
    assert!(LlamaConfig::from_gguf(&weights).is_err());
    let quantised = Weights::open(&fixture("gguf-tiny/quantised.gguf")).unwrap();
    assert!(LlamaConfig::from_gguf(&quantised).is_err());
}

/// Asks a real model a question, and prints the answer and the speed.
fn ask(name: &str, template: ChatTemplate, question: &str, max_tokens: usize) -> String {
    let folder = Path::new(&std::env::var("INKVEIL_REAL_MODELS").unwrap()).join(name);
    let start = std::time::Instant::now();
    let (model, tokenizer) = (Llama::open(&folder, &Device::Cpu).unwrap(), Tokenizer::open(&folder).unwrap());
    eprintln!("{name}: opened in {:?}", start.elapsed());
    let prompt = template.encode(&tokenizer, &[Message::user(question)]).unwrap();
    let start = std::time::Instant::now();
    next_logits(&model, std::slice::from_ref(&prompt)).unwrap();
    eprintln!("{name}: read {} tokens in {:?}", prompt.len(), start.elapsed());
    let limits =
        GenerationLimits { stop_ids: vec![template.stop_id(&tokenizer).unwrap()], ..limits(max_tokens) };
    let mut first = None;
    let go_on = |_: usize, _: &str| {
        first.get_or_insert_with(std::time::Instant::now);
        ControlFlow::Continue(())
    };
    let texts = generate(&model, &tokenizer, &[prompt], &Sampling::default(), &limits, go_on).unwrap();
    let speed = (texts[0].ids.len() - 1) as f64 / first.unwrap().elapsed().as_secs_f64();
    eprintln!("{name}: {:.1} tokens per second, {:?}: {}", speed, texts[0].stop_reason, texts[0].text);
    texts[0].text.clone()
}

#[test]
#[ignore = "reads pulled models: see CONTRIBUTING.md, INKVEIL_REAL_MODELS"]
fn real_smollm2_answers_a_question() {
    assert!(ask("smollm2", ChatTemplate::SmolLm2, "What is the capital of France?", 40).contains("Paris"));
}

#[test]
#[ignore = "reads pulled models: see CONTRIBUTING.md, INKVEIL_REAL_MODELS"]
fn real_qwen_answers_a_question() {
    assert!(ask("qwen-1.5b", ChatTemplate::Qwen2, "What is the capital of France?", 40).contains("Paris"));
}
