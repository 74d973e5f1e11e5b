//! Sentences out of vectors, by a model that knows nothing at first.

use inkveil_eval::attack::{Base, Corrector, InversionSettings, Inverter, Lessons, Training};
use inkveil_eval::{Error, ErrorKind};
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::train::save_weights;
use inkveil_nn::{Device, Scope, SplitMix};
use tempfile::TempDir;

use crate::tiny;

const DIM: usize = 8;

fn base() -> (TempDir, Base) {
    let folder = tiny::write("llama", &tiny::bytes(&tiny::CONTROLS));
    // Its rows for tokens are so short that no token would ever be much likelier than another.
    let config = LlamaConfig::open(folder.path()).unwrap();
    let scope = Scope::trainable(None, &Device::Cpu, 1);
    Llama::new(&scope, &config).unwrap();
    let variables = scope.variables();
    for (_, rows) in variables.iter().filter(|(name, _)| name.contains("embed_tokens")) {
        rows.set(&(rows.as_tensor() * 50.0).unwrap()).unwrap();
    }
    save_weights(&folder.path().join("model.safetensors"), &variables).unwrap();
    let base = Base { path: folder.path().to_owned(), device: Device::Cpu };
    (folder, base)
}

fn settings() -> InversionSettings {
    InversionSettings { epochs: 300, batch: 8, rate: 1e-2, rank: 8, prefix: 2, longest: 12, rounds: 2 }
}

/// Eight sentences and a vector for each.
fn sentences() -> (Vec<String>, Vec<f32>) {
    // Letters that it can write: rows of others lie in the shadow of longer ones.
    let texts = ["cat", "sat", "hot", "shop", "no", "ship", "to", "tin"];
    let mut random = SplitMix::named(3, "vectors", &[]);
    let rows = (0..texts.len() * DIM / 2).flat_map(|_| random.normals()).map(|x| x as f32).collect();
    (texts.map(str::to_owned).to_vec(), rows)
}

fn invert(
    base: &Base,
    settings: &InversionSettings,
    texts: &[String],
    rows: &[f32],
    tell: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Result<Inverter, Error> {
    let lessons = Lessons { dim: DIM, texts, rows: &mut |_| Ok(rows.to_vec()) };
    Inverter::train(Training { base, settings, seed: 1, tell }, lessons)
}

#[test]
fn sentences_are_written_from_vectors_that_were_seen() {
    let (texts, rows) = sentences();
    let (_folder, base) = base();
    let inverter = invert(&base, &settings(), &texts, &rows, &|_, _| true).unwrap();
    let written = inverter.invert(&rows).unwrap();
    let right = written.iter().zip(&texts).filter(|(written, text)| written == text).count();
    assert!(right >= 7, "{right} of 8");
    // From vectors of others it writes the others.
    let (first, rest) = rows.split_at(DIM);
    let turned = inverter.invert(&[rest, first].concat()).unwrap();
    assert_eq!(turned[..7], written[1..]);
}

#[test]
fn a_correction_is_kept_only_if_it_is_nearer() {
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
    let inverter = invert(&base, &little, &texts, &rows, &|_, _| true).unwrap();
    let training = Training { base: &base, settings: &settings, seed: 1, tell: &|_, _| true };
    let lessons = Lessons { dim: DIM, texts: &texts, rows: &mut |_| Ok(rows.clone()) };
    let corrector = Corrector::train(training, lessons, &inverter, &embed).unwrap();
    let first = inverter.invert(&rows).unwrap();
    let corrected = corrector.correct(&rows, first.clone(), &embed).unwrap();
    let right = |written: &[String]| written.iter().zip(&texts).filter(|(a, b)| a == b).count();
    assert!(
        right(&corrected) >= 7 && right(&corrected) > right(&first),
        "{} {}",
        right(&first),
        right(&corrected)
    );
    // What is right already stays.
    assert_eq!(corrector.correct(&rows, texts.clone(), &embed).unwrap(), texts);
}

#[test]
fn rows_and_texts_must_fit() {
    let (texts, rows) = sentences();
    let (_folder, base) = base();
    let train = |texts: &[String], rows: &[f32]| invert(&base, &settings(), texts, rows, &|_, _| true).err();
    assert!(train(&texts[1..], &rows).is_some() && train(&[], &[]).is_some());
}

#[test]
fn learning_stops_when_it_is_told_to() {
    let (texts, rows) = sentences();
    let (_folder, base) = base();
    let stopped = invert(&base, &settings(), &texts, &rows, &|done, all| all == 300 && done < 3).err();
    assert!(matches!(stopped.unwrap().kind(), ErrorKind::Stopped));
}
