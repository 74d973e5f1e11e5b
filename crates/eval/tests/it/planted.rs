//! Vectors with planted words, each as one direction: what an attacker must find, and what no
//! attacker can find.

use inkveil_eval::Split;
use inkveil_eval::attack::{AttributeInference, Exposure, Mlc, MlcSettings};
use inkveil_eval::metrics::Bootstrap;
use inkveil_nn::SplitMix;

const DIM: usize = 24;
const WORDS: usize = 8;
const SENTENCES: usize = 600;

fn normals(count: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix::named(seed, "planted", &[]);
    (0..count).map(|_| random.normals()[0] as f32).collect()
}

/// One or two words of each sentence.
fn words() -> Vec<Vec<usize>> {
    (0..SENTENCES)
        .map(|i| if i % 3 == 0 { vec![i % WORDS] } else { vec![i % WORDS, (i / WORDS) % WORDS] })
        .collect()
}

/// The sum of the words' directions, and a little of everything else.
fn vectors(words: &[Vec<usize>]) -> Vec<f32> {
    let directions = normals(WORDS * DIM, 1);
    let mut rows: Vec<f32> = normals(SENTENCES * DIM, 2).iter().map(|x| 0.1 * x).collect();
    for (row, words) in rows.chunks_exact_mut(DIM).zip(words) {
        for word in words {
            row.iter_mut().zip(&directions[word * DIM..]).for_each(|(x, d)| *x += d);
        }
    }
    rows
}

fn settings(seed: u64) -> MlcSettings {
    let mut settings = MlcSettings::default();
    (settings.hidden, settings.epochs, settings.rate, settings.seed) = (vec![48, 24], 30, 3e-3, seed);
    settings
}

fn attack(rows: &[f32], settings: &MlcSettings) -> Exposure {
    let (words, split) = (words(), Split::new(SENTENCES, 0.2, 4).unwrap());
    let mlc =
        Mlc::train(DIM, &split.train_rows(rows, DIM), &split.train_of(&words), WORDS, settings).unwrap();
    let findings = mlc.attack(&split.test_rows(rows, DIM), &split.test_of(&words)).unwrap();
    findings.exposure(&Bootstrap::default(), |_| true).unwrap()
}

#[test]
fn planted_words_are_recovered() {
    let exposure = attack(&vectors(&words()), &settings(1));
    assert!(exposure.leakage.mean > 0.9 && exposure.found.mean > 0.9, "{exposure:?}");
    assert!(exposure.leakage.low > 0.8 && exposure.leakage.high <= 1.0, "{exposure:?}");
}

#[test]
fn nothing_is_recovered_from_noise() {
    let exposure = attack(&normals(SENTENCES * DIM, 9), &settings(1));
    assert!(exposure.leakage.mean < 0.1, "{exposure:?}");
    // Two words of eight at random.
    assert!(exposure.found.mean < 0.4, "{exposure:?}");
}

#[test]
fn standardisation_makes_the_scale_irrelevant() {
    let tiny: Vec<f32> = vectors(&words()).iter().map(|x| x * 1e-3).collect();
    let mut settings = settings(1);
    settings.epochs = 8;
    let plain = attack(&tiny, &settings);
    settings.standardise = true;
    let standardised = attack(&tiny, &settings);
    assert!(
        standardised.found.mean > 0.9 && standardised.found.mean > plain.found.mean,
        "{standardised:?} {plain:?}"
    );
}

#[test]
fn results_depend_on_the_seed_only() {
    let rows = vectors(&words());
    let mut short = settings(1);
    short.epochs = 3;
    assert_eq!(attack(&rows, &short), attack(&rows, &short));
    let mut other = short.clone();
    other.seed = 2;
    assert_ne!(attack(&rows, &short), attack(&rows, &other));
}

#[test]
fn attributes_are_inferred() {
    let (words, split) = (words(), Split::new(SENTENCES, 0.2, 4).unwrap());
    let values: Vec<usize> = words.iter().map(|words| words[0]).collect();
    let single: Vec<Vec<usize>> = values.iter().map(|&value| vec![value]).collect();
    let accuracy = |rows: &[f32]| {
        let (train, test) = (split.train_rows(rows, DIM), split.test_rows(rows, DIM));
        let inference =
            AttributeInference::train(DIM, &train, &split.train_of(&values), WORDS, &settings(3)).unwrap();
        inference.accuracy(&test, &split.test_of(&values), &Bootstrap::default()).unwrap().mean
    };
    assert!(accuracy(&vectors(&single)) > 0.95);
    assert!(accuracy(&normals(SENTENCES * DIM, 9)) < 0.3);
}
