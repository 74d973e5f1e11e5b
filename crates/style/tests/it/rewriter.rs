//! Training of the rewriter on a model of two layers.

use std::path::{Path, PathBuf};

use inkveil_detect::{Detector, Settings, Tier};
use inkveil_nn::Device;
use inkveil_nn::generate::{Continuation, Rollout, rollout};
use inkveil_nn::layers::Lora;
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::train::{AdamW, AdamWSettings, Gradients, save_weights};
use inkveil_nn::{EncoderNote, Scope, Weights};
use inkveil_style::train::{
    AuthorModel, BootstrapPlan, GrpoPlan, GrpoTools, Learning, Leash, Policy, SftPlan, advantages, bootstrap,
    grpo, grpo_objective, sft,
};
use inkveil_style::{
    AuthorText, Draft, DraftRequest, DraftSettings, DraftWriter, Error, ErrorKind, Judge, MeaningEncoder,
    Memory, MemorySettings, NgramWeights, StyleEncoder,
};
use tempfile::TempDir;

use super::{pack, texts, tiny};

/// A model that can read a whole prompt. Here a prompt has one token per byte.
fn model() -> TempDir {
    let folder = tiny::write("llama", &tiny::bytes(&tiny::CONTROLS));
    let file = folder.path().join("config.json");
    let mut config: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    config["max_position_embeddings"] = 4096.into();
    std::fs::write(&file, config.to_string()).unwrap();
    // A new model gives all tokens about the same probability, and learns slowly. Larger embeddings
    // let it be certain.
    let fresh = Scope::trainable(None, &Device::Cpu, 1);
    Llama::new(&fresh, &LlamaConfig::open(folder.path()).unwrap()).unwrap();
    for (_, variable) in fresh.variables().iter().filter(|(name, _)| name.contains("embed_tokens")) {
        variable.set(&(variable.as_tensor() * 30.0).unwrap().detach()).unwrap();
    }
    save_weights(&folder.path().join("model.safetensors"), &fresh.variables()).unwrap();
    folder
}

/// Thirty short texts by five people.
fn notes() -> Vec<AuthorText> {
    let opening = ["Well,", "Honestly", "I think that", "They say", "Perhaps"];
    let note = |n: usize| AuthorText {
        author: format!("author {}", n % 5),
        topic: None,
        source: None,
        text: format!(
            "{} the bus came {n} minutes late today, so we walked home and had tea by the fire.",
            opening[n % 5]
        ),
    };
    (0..30).map(note).collect()
}

fn learner(folder: &Path, adapters: Option<&Path>) -> Policy {
    Policy::open(folder, adapters, Learning::Adapters { rank: 2, seed: 3 }, &Device::Cpu).unwrap()
}

/// The models that rewrites are measured with.
struct Tools {
    encoder: StyleEncoder,
    meaning: MeaningEncoder,
    detector: Detector,
    memory: Memory,
    ngrams: NgramWeights,
}

impl Tools {
    fn new() -> Self {
        let encoder = StyleEncoder::open(&pack()).unwrap();
        let note = EncoderNote { name: "test".into(), sha256: None };
        let mut memory = Memory::new(note, encoder.dimension(), MemorySettings::default()).unwrap();
        for text in texts() {
            memory.add(&encoder.encode(&[&text.text]).unwrap()[0], None).unwrap();
        }
        let detector = Detector::open(None, Settings::of(Tier::Rules)).unwrap();
        let meaning = MeaningEncoder::open(&pack()).unwrap();
        Self { encoder, meaning, detector, memory, ngrams: NgramWeights::equal() }
    }
}

macro_rules! judge {
    ($tools:expr, $geometry:ident) => {
        Judge {
            encoder: &$tools.encoder,
            geometry: &$geometry,
            meaning: &$tools.meaning,
            detector: &$tools.detector,
            ngrams: &$tools.ngrams,
            earlier: None,
        }
    };
}

/// A teacher that swaps the halves of a text, among nonsense.
struct Swapping;

impl DraftWriter for Swapping {
    fn write(
        &self,
        requests: &[DraftRequest],
        settings: &DraftSettings,
        _: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<Draft>>, Error> {
        let answer = |request: &DraftRequest| {
            let text = request.messages.last().unwrap().content.split("\n\n").last().unwrap().to_owned();
            let words: Vec<&str> = text.split(' ').collect();
            let swapped = [&words[words.len() / 2..], &words[..words.len() / 2]].concat().join(" ");
            let mut written = vec![Draft { text: "nothing of it".into(), cut: false }; settings.count];
            written[1] = Draft { text: swapped, cut: false };
            written
        };
        Ok(requests.iter().map(answer).collect())
    }
}

fn pairs(folder: &Path) -> PathBuf {
    let tools = Tools::new();
    let geometry = tools.memory.geometry().unwrap();
    let plan = BootstrapPlan { texts: 10, batch: 4, ..BootstrapPlan::default() };
    let out = folder.join("pairs.jsonl");
    let judge = judge!(tools, geometry);
    bootstrap(&judge, &Swapping, &notes(), &plan, &out, &mut |_| true).unwrap();
    out
}

#[test]
fn a_teachers_rewrites_are_chosen_and_a_run_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let tools = Tools::new();
    let geometry = tools.memory.geometry().unwrap();
    let judge = judge!(tools, geometry);
    let plan = BootstrapPlan { texts: 10, batch: 4, ..BootstrapPlan::default() };
    let (whole, parts) = (folder.path().join("whole.jsonl"), folder.path().join("parts.jsonl"));
    let point = bootstrap(&judge, &Swapping, &notes(), &plan, &whole, &mut |_| true).unwrap();
    assert_eq!((point.done, point.all, point.good), (10, 10, 10), "the swapped text, not the nonsense");
    let stopped =
        bootstrap(&judge, &Swapping, &notes(), &plan, &parts, &mut |point| point.done < 8).unwrap_err();
    assert!(matches!(stopped.kind(), ErrorKind::Stopped));
    // A row that was cut off by a crash is written again.
    let mut rows = std::fs::read(&parts).unwrap();
    rows.extend(b"{\"row\": 8, \"auth");
    std::fs::write(&parts, rows).unwrap();
    bootstrap(&judge, &Swapping, &notes(), &plan, &parts, &mut |_| true).unwrap();
    assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&parts).unwrap());
    let other = BootstrapPlan { seed: 2, ..plan };
    let error = bootstrap(&judge, &Swapping, &notes(), &other, &parts, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("other texts or settings"), "{error}");
}

#[test]
fn fine_tuning_on_pairs_learns_and_resumes_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let (model, pairs) = (model(), pairs(folder.path()));
    let plan = SftPlan {
        epochs: 4,
        batch: 4,
        at_once: 3,
        rate: 0.02,
        check_every: 2,
        held_out: 0.2,
        ..SftPlan::default()
    };
    let (whole, parts) = (folder.path().join("whole.safetensors"), folder.path().join("parts.safetensors"));
    let before = std::fs::read(model.path().join("model.safetensors")).unwrap();
    let policy = learner(model.path(), None);
    let curve = sft(&policy, &pairs, &plan, &whole, &mut |_| true).unwrap();
    assert!(curve.last().unwrap().loss < 0.9 * curve[0].loss, "{curve:?}");
    assert!(curve.iter().any(|point| point.held_out.is_some()));
    // All adapters and nothing else are trained.
    let names: Vec<String> = policy.variables().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 2 * 7 * 2);
    assert!(names.iter().all(|name| name.contains("lora")));
    assert_eq!(before, std::fs::read(model.path().join("model.safetensors")).unwrap());

    let stopped = sft(&learner(model.path(), None), &pairs, &plan, &parts, &mut |point| point.step < 3);
    assert!(matches!(stopped.unwrap_err().kind(), ErrorKind::Stopped));
    let resumed = sft(&learner(model.path(), None), &pairs, &plan, &parts, &mut |_| true).unwrap();
    assert_eq!(resumed, curve);
    assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&parts).unwrap());

    // The saved adapters equal the trained ones up to the precision of 8 bits.
    let stored = Policy::open(model.path(), Some(&whole), Learning::Nothing, &Device::Cpu).unwrap();
    let row = [Continuation { prompt: &[72, 105], tokens: &[84, 104, 101] }];
    let [a, b] =
        [&policy, &stored].map(|policy| policy.log_likelihoods(&row).unwrap().to_vec1::<f32>().unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 0.05), "{a:?} {b:?}");
}

#[test]
fn fine_tuning_by_reward_resumes_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let (model, tools) = (model(), Tools::new());
    let geometry = tools.memory.geometry().unwrap();
    let authors = AuthorModel::train(&notes(), 4, 1).unwrap();
    let plan = GrpoPlan {
        steps: 3,
        texts: 2,
        group: 3,
        max_tokens: 12,
        updates: 2,
        at_once: 4,
        rate: 0.01,
        check_every: 1,
        refresh: true,
        ..GrpoPlan::default()
    };
    let run = |out: &Path, stop_at: u64| {
        let policy = learner(model.path(), None);
        let reference = Policy::open(model.path(), None, Learning::Nothing, &Device::Cpu).unwrap();
        let tools = GrpoTools {
            judge: judge!(tools, geometry),
            memory: &tools.memory,
            authors: &authors,
            policy: &policy,
            reference: &reference,
        };
        grpo(&tools, &notes(), &plan, out, &mut |point| point.step < stop_at)
    };
    let (whole, parts) = (folder.path().join("whole.safetensors"), folder.path().join("parts.safetensors"));
    let curve = run(&whole, 9).unwrap();
    assert_eq!(curve.len(), 3);
    assert!(matches!(run(&parts, 2).unwrap_err().kind(), ErrorKind::Stopped));
    assert_eq!(run(&parts, 9).unwrap(), curve);
    assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&parts).unwrap());
}

#[test]
fn a_toy_reward_is_learnt() {
    let folder = model();
    let config = LlamaConfig::open(folder.path()).unwrap();
    let weights = Weights::open(folder.path()).unwrap();
    let mut model = Llama::new(&Scope::frozen(&weights, &Device::Cpu), &config).unwrap();
    let scope = Scope::trainable(None, &Device::Cpu, 5);
    model.add_lora(&scope, &Lora { rank: 4, alpha: 4.0, dropout: 0.0 }, |_| true).unwrap();
    let mut optimiser = AdamW::new(scope.variables(), AdamWSettings::default()).unwrap();
    let mut gradients = Gradients::new(scope.variables());
    let prompt = vec![vec![72, 105]];
    // Small letters are rewarded.
    let earned =
        |ids: &[u32]| ids.iter().filter(|id| (97..=122).contains(*id)).count() as f64 / ids.len() as f64;
    let mut means = Vec::new();
    for step in 0..40 {
        let settings = Rollout { count: 16, max_tokens: 6, seed: step, ..Rollout::default() };
        let drawn = rollout(&model, &prompt, &settings).unwrap();
        let rewards: Vec<f64> = drawn.iter().map(|ids| earned(ids)).collect();
        means.push(rewards.iter().sum::<f64>() / 16.0);
        let rows: Vec<Continuation<'_>> =
            drawn.iter().map(|ids| Continuation { prompt: &prompt[0], tokens: ids }).collect();
        let now = inkveil_nn::generate::log_likelihoods(&model, &rows).unwrap();
        let tokens: Vec<f32> =
            advantages(&rewards).iter().flat_map(|a| std::iter::repeat_n(*a as f32, 6)).collect();
        let shares = vec![1.0 / 96.0; 96];
        let leash = Leash { divergence: 0.0, ..Leash::default() };
        let objective = grpo_objective(&now, &now.detach(), &now.detach(), &tokens, &shares, &leash).unwrap();
        gradients.add(&objective.loss, 1.0).unwrap();
        optimiser.step(&mut gradients, 0.02).unwrap();
    }
    let last = means[35..].iter().sum::<f64>() / 5.0;
    assert!(means[0] < 0.4 && last > 0.9, "{means:?}");
}
