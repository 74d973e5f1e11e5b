//! Writing sentences from vectors, with an untrained model.

use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_eval::attack::{
    BaseModel, Corrector, InversionData, InversionSettings, InversionTraining, Inverter,
};
use inkveil_eval::{Error, ErrorKind};
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::train::save_weights;
use inkveil_nn::{Device, Scope, SplitMix};
use tempfile::TempDir;

use crate::tiny;

const DIM: usize = 8;

fn base() -> (TempDir, BaseModel) {
    let folder = tiny::write("llama", &tiny::bytes(&tiny::CONTROLS));
    // The rows of the tokens are so short that no token would be much more likely than another.
    let config = LlamaConfig::open(folder.path()).unwrap();
    let scope = Scope::trainable(None, &Device::Cpu, 1);
    Llama::new(&scope, &config).unwrap();
    let variables = scope.variables();
    for (_, rows) in variables.iter().filter(|(name, _)| name.contains("embed_tokens")) {
        rows.set(&(rows.as_tensor() * 50.0).unwrap()).unwrap();
    }
    save_weights(&folder.path().join("model.safetensors"), &variables).unwrap();
    let base = BaseModel { path: folder.path().to_owned(), device: Device::Cpu };
    (folder, base)
}

fn settings() -> InversionSettings {
    InversionSettings { epochs: 300, batch: 8, rate: 1e-2, rank: 8, prefix: 2, longest: 12, rounds: 2 }
}

/// Eight sentences and a vector for each.
fn sentences() -> (Vec<String>, Vec<f32>) {
    // Letters that it can write; the rows of other letters are dominated by longer ones.
    let texts = ["cat", "sat", "hot", "shop", "no", "ship", "to", "tin"];
    let mut random = SplitMix::named(3, "vectors", &[]);
    let rows = (0..texts.len() * DIM / 2).flat_map(|_| random.normals()).map(|x| x as f32).collect();
    (texts.map(str::to_owned).to_vec(), rows)
}

fn invert(
    base: &BaseModel,
    settings: &InversionSettings,
    texts: &[String],
    rows: &[f32],
    cancel_after: usize,
) -> Result<Inverter, Error> {
    let data = InversionData { dim: DIM, texts, rows: &mut |_| Ok(rows.to_vec()) };
    let cancel = AtomicBool::new(false);
    let progress = |done: usize, _: usize| cancel.store(done + 1 >= cancel_after, Ordering::Relaxed);
    Inverter::train(InversionTraining { base, settings, seed: 1, progress: &progress, cancel: &cancel }, data)
}

#[test]
fn training_sentences_are_written_from_their_vectors() {
    let (texts, rows) = sentences();
    let (_folder, base) = base();
    let inverter = invert(&base, &settings(), &texts, &rows, usize::MAX).unwrap();
    let written = inverter.invert(&rows).unwrap();
    let right = written.iter().zip(&texts).filter(|(written, text)| written == text).count();
    assert!(right >= 7, "{right} of 8");
    // Other vectors give the other sentences.
    let (first, rest) = rows.split_at(DIM);
    let turned = inverter.invert(&[rest, first].concat()).unwrap();
    assert_eq!(turned[..7], written[1..]);
}

#[test]
fn a_correction_is_kept_only_if_it_is_closer() {
    let (texts, rows) = sentences();
    let (_folder, base) = base();
    let settings = settings();
    let embed = |written: &[String]| -> Result<Vec<f32>, Error> {
        let row = |text: &String| match texts.iter().position(|known| known == text) {
            Some(at) => rows[at * DIM..][..DIM].to_vec(),
            None => vec![-1.0; DIM],
        };
        Ok(written.iter().flat_map(row).collect())
    };
    let little = InversionSettings { epochs: 4, ..settings.clone() };
    let inverter = invert(&base, &little, &texts, &rows, usize::MAX).unwrap();
    let cancel = AtomicBool::new(false);
    let training = InversionTraining {
        base: &base,
        settings: &settings,
        seed: 1,
        progress: &|_, _| {},
        cancel: &cancel,
    };
    let data = InversionData { dim: DIM, texts: &texts, rows: &mut |_| Ok(rows.clone()) };
    let corrector = Corrector::train(training, data, &inverter, &embed).unwrap();
    let first = inverter.invert(&rows).unwrap();
    let corrected = corrector.correct(&rows, first.clone(), &embed).unwrap();
    let right = |written: &[String]| written.iter().zip(&texts).filter(|(a, b)| a == b).count();
    assert!(
        right(&corrected) >= 7 && right(&corrected) > right(&first),
        "{} {}",
        right(&first),
        right(&corrected)
    );
    // Correct sentences stay unchanged.
    assert_eq!(corrector.correct(&rows, texts.clone(), &embed).unwrap(), texts);
}

#[test]
fn rows_and_texts_must_fit() {
    let (texts, rows) = sentences();
    let (_folder, base) = base();
    let train = |texts: &[String], rows: &[f32]| invert(&base, &settings(), texts, rows, usize::MAX).err();
    assert!(train(&texts[1..], &rows).is_some() && train(&[], &[]).is_some());
}

#[test]
fn training_can_be_cancelled() {
    let (texts, rows) = sentences();
    let (_folder, base) = base();
    let cancelled = invert(&base, &settings(), &texts, &rows, 3).err();
    assert!(matches!(cancelled.unwrap().kind(), ErrorKind::Cancelled));
}
