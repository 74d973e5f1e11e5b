//! Compares the packed encoder with the one that trains, on the tiny models of tests/fixtures.

use std::path::{Path, PathBuf};

use inkveil_nn::cpu::{PackedEncoder, Precision};
use inkveil_nn::models::{TextModel, TokenBatch};
use inkveil_nn::{Device, Weights, quantise};

const LAYOUTS: [&str; 3] = ["bert", "roberta", "mpnet"];
/// The number of rows of the fixtures' word tables.
const WORDS: usize = 100;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Sequences of many lengths, below and above the size of registers and query groups. No id is
/// one of padding.
fn sequences() -> Vec<Vec<u32>> {
    let lengths = [7, 1, 33, 16, 150, 2, 64, 5, 31, 3, 17, 100];
    let id =
        |seed: usize, place: usize| (3 + (seed * 31 + place * 17 + place * place * 5) % (WORDS - 3)) as u32;
    lengths
        .iter()
        .enumerate()
        .map(|(seed, &length)| (0..length).map(|place| id(seed, place)).collect())
        .collect()
}

fn states(encoder: &PackedEncoder, sequences: &[Vec<u32>]) -> Vec<Vec<f32>> {
    let sequences: Vec<&[u32]> = sequences.iter().map(Vec::as_slice).collect();
    encoder.hidden_states(&sequences).unwrap()
}

/// Encodes one by one, so that the reference has no padding either.
fn reference(folder: &Path, sequences: &[Vec<u32>]) -> Vec<Vec<f32>> {
    let model = TextModel::open(folder, &Device::Cpu).unwrap();
    let run = |ids: &Vec<u32>| {
        let states = model.hidden_states(&TokenBatch::new(&[ids], 0).unwrap()).unwrap();
        states.flatten_all().unwrap().to_vec1::<f32>().unwrap()
    };
    sequences.iter().map(run).collect()
}

fn largest_difference(found: &[Vec<f32>], expected: &[Vec<f32>]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected).flat_map(|(found, expected)| {
        assert_eq!(found.len(), expected.len());
        found.iter().zip(expected)
    });
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

/// Writes the same model in 8-bit integers to a folder.
fn quantised(layout: &str) -> tempfile::TempDir {
    let small = tempfile::tempdir().unwrap();
    let weights = Weights::open(&folder(layout)).unwrap();
    quantise(&weights, &small.path().join("model.safetensors"), &mut |_, _| ()).unwrap();
    std::fs::copy(folder(layout).join("config.json"), small.path().join("config.json")).unwrap();
    small
}

#[test]
fn states_match_the_reference() {
    let sequences = sequences();
    for layout in LAYOUTS {
        let wanted = reference(&folder(layout), &sequences);
        let exact = PackedEncoder::open(&folder(layout), Precision::F32).unwrap();
        let difference = largest_difference(&states(&exact, &sequences), &wanted);
        assert!(difference < 2e-5, "{layout}: {difference}");
        for (precision, close) in [(Precision::Bf16, 0.06), (Precision::Int8, 0.2)] {
            let rounded = PackedEncoder::open(&folder(layout), precision).unwrap();
            let difference = largest_difference(&states(&rounded, &sequences), &wanted);
            assert!(difference > 0.0 && difference < close, "{layout}, {precision:?}: {difference}");
        }
    }
}

#[test]
fn quantised_weights_match_their_dequantised_values() {
    let sequences = sequences();
    for layout in LAYOUTS {
        let small = quantised(layout);
        let wanted = reference(small.path(), &sequences);
        let exact = PackedEncoder::open(small.path(), Precision::F32).unwrap();
        let difference = largest_difference(&states(&exact, &sequences), &wanted);
        assert!(difference < 2e-5, "{layout}: {difference}");
        for (precision, close) in [(Precision::Bf16, 0.06), (Precision::Int8, 0.2)] {
            let rounded = PackedEncoder::open(small.path(), precision).unwrap();
            let difference = largest_difference(&states(&rounded, &sequences), &wanted);
            assert!(difference > 0.0 && difference < close, "{layout}, {precision:?}: {difference}");
        }
    }
}

#[test]
fn other_sequences_do_not_change_the_result() {
    let sequences = sequences();
    for precision in [Precision::Bf16, Precision::Int8, Precision::F32] {
        let encoder = PackedEncoder::open(&folder("mpnet"), precision).unwrap();
        let together = states(&encoder, &sequences);
        for (ids, together) in sequences.iter().zip(&together) {
            let alone = states(&encoder, std::slice::from_ref(ids));
            match precision {
                Precision::Bf16 | Precision::Int8 => assert!(&alone[0] == together, "{} tokens", ids.len()),
                // The library may sum in a different order for a different number of rows.
                Precision::F32 => assert!(largest_difference(&alone, std::slice::from_ref(together)) < 1e-5),
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let sequences: Vec<Vec<u32>> = std::iter::repeat_with(sequences).take(8).flatten().collect();
    for precision in [Precision::Bf16, Precision::Int8, Precision::F32] {
        let encoder = PackedEncoder::open(&folder("bert"), precision).unwrap();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| states(&encoder, &sequences))
        };
        let one = run(1);
        assert!(one == run(2) && one == run(5), "{precision:?}");
    }
}

#[test]
fn ids_and_lengths_outside_the_tables_are_errors() {
    let encoder = PackedEncoder::open(&folder("roberta"), Precision::F32).unwrap();
    assert!(encoder.hidden_states(&[&[WORDS as u32]]).is_err());
    assert!(encoder.hidden_states(&[&vec![3; encoder.max_tokens() + 1]]).is_err());
    assert_eq!(
        encoder.hidden_states(&[&vec![3; encoder.max_tokens()]]).unwrap()[0].len(),
        encoder.max_tokens() * 32
    );
    assert_eq!(
        encoder.hidden_states(&[&[], &[5]]).unwrap().iter().map(Vec::len).collect::<Vec<_>>(),
        [0, 32]
    );
    assert!(encoder.hidden_states(&[]).unwrap().is_empty());
    let distances = PackedEncoder::open(&folder("mpnet"), Precision::Bf16).unwrap();
    assert!(distances.hidden_states(&[&[]]).unwrap()[0].is_empty());
    assert!(PackedEncoder::open(&folder("t5"), Precision::F32).is_err());
    assert!(PackedEncoder::open(Path::new("nowhere"), Precision::F32).is_err());
}
