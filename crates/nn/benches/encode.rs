//! Measures the speed of the packed encoder, compared with onnxruntime and an int8 model of the
//! same size.
//!
//! `cargo bench -p inkveil-nn --bench encode [-- MODEL]` prints the time to open a model (models/en
//! by default) and encode one sentence, then tokens per second for 32 sequences of 32 and of 128
//! tokens, on one and on two threads. If INKVEIL_PEERS names a Python and INKVEIL_PEER_SCRIPTS the
//! folder of `onnx_minilm.py`, that script runs alternately, and the ratio is printed.
//!
//! `… -- --parity FP32_MODEL INT8_MODEL` compares the vectors of 1,000 sentences with those of the
//! first model in 32 bits; `… -- --quantise FROM TO` makes the second model, including the other
//! files of the folder.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use inkveil_nn::cpu::{PackedEncoder, Precision};
use inkveil_nn::{SentenceEncoder, Weights, quantise};

const SENTENCES: usize = 32;
const LENGTHS: [usize; 2] = [32, 128];
const THREADS: [usize; 2] = [1, 2];
const TURNS: usize = 3;
/// Passes per measurement, the same as the peer's.
const PASSES: usize = 8;

/// Tokens per second by threads and length.
type Speeds = BTreeMap<(usize, usize), f64>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--parity", reference, other] => parity(Path::new(reference), Path::new(other)),
        ["--quantise", from, to] => quantise_folder(Path::new(from), Path::new(to)),
        [model] => speed(Path::new(model)),
        _ => speed(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/en")),
    }
}

fn speed(model: &Path) {
    let start = Instant::now();
    let sentences = SentenceEncoder::open(model).unwrap();
    let opened = start.elapsed();
    sentences.encode(&["The second parcel was more fragile than the first one."]).unwrap();
    let (opened, all) = (opened.as_secs_f64() * 1e3, start.elapsed().as_secs_f64() * 1e3);
    println!(
        "opened in {opened:.0} ms, with one sentence encoded {all:.0} ms ({:?})\n",
        Precision::fastest_for_vectors()
    );

    let (mut ours, mut theirs) = (Speeds::new(), Speeds::new());
    for _ in 0..TURNS {
        for threads in THREADS {
            for length in LENGTHS {
                keep_best(&mut ours, (threads, length), measure(sentences.encoder(), threads, length));
            }
            peer(threads).into_iter().for_each(|(key, speed)| keep_best(&mut theirs, key, speed));
        }
    }
    println!("tokens/s, best of {TURNS} turns:");
    for ((threads, length), speed) in ours {
        let peer = theirs.get(&(threads, length));
        let peer = peer.map(|peer| format!("; onnxruntime int8 {peer:>6.0}, ratio {:.2}", speed / peer));
        println!("{threads} threads, {SENTENCES}×{length:<3}: {speed:>6.0}{}", peer.unwrap_or_default());
    }
}

fn keep_best(speeds: &mut Speeds, key: (usize, usize), speed: f64) {
    let best = speeds.entry(key).or_insert(0.0);
    *best = best.max(speed);
}

fn measure(encoder: &PackedEncoder, threads: usize, length: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let id = |i: usize| (1000 + (i * 7919) % 19_000) as u32;
    let sequences: Vec<Vec<u32>> =
        (0..SENTENCES).map(|row| (0..length).map(|i| id(row * length + i)).collect()).collect();
    let sequences: Vec<&[u32]> = sequences.iter().map(Vec::as_slice).collect();
    pool.install(|| {
        encoder.hidden_states(&sequences).unwrap();
        let start = Instant::now();
        for _ in 0..PASSES {
            encoder.hidden_states(&sequences).unwrap();
        }
        (SENTENCES * length * PASSES) as f64 / start.elapsed().as_secs_f64()
    })
}

/// Reads the peer's figures, which it prints as `threads 2 batch 32x128: 7500 tokens/s`.
fn peer(threads: usize) -> Speeds {
    let (Some(python), Some(scripts)) =
        (std::env::var_os("INKVEIL_PEERS"), std::env::var_os("INKVEIL_PEER_SCRIPTS"))
    else {
        return Speeds::new();
    };
    let script = PathBuf::from(scripts).join("onnx_minilm.py");
    let output = Command::new(python).arg(script).arg(threads.to_string()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let speed = |line: &str| {
        let (before, speed) = line.split_once(": ")?;
        let length = before.rsplit('x').next()?.parse().ok()?;
        Some(((threads, length), speed.split_whitespace().next()?.parse().ok()?))
    };
    text.lines().filter_map(speed).collect()
}

fn parity(reference: &Path, other: &Path) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sentences/parity.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let sentences: Vec<&str> = text.lines().collect();
    let vectors = |folder, precision| {
        SentenceEncoder::open_with(folder, precision).unwrap().encode(&sentences).unwrap()
    };
    let exact = vectors(reference, Precision::F32);
    println!("cosine to 32 bits, {} sentences:", sentences.len());
    let cases = [
        ("32-bit weights, bf16 products", reference, Precision::Bf16),
        ("other weights, f32 products", other, Precision::F32),
        ("other weights, bf16 products", other, Precision::Bf16),
        ("32-bit weights, int8 products", reference, Precision::Int8),
        ("other weights, int8 products", other, Precision::Int8),
    ];
    for (name, folder, precision) in cases {
        let found = vectors(folder, precision);
        let cosines: Vec<f64> = found.iter().zip(&exact).map(|(a, b)| cosine(a, b)).collect();
        let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
        let least = cosines.iter().copied().fold(1.0, f64::min);
        println!("{name:<30}: mean {mean:.6}, least {least:.6}");
    }
}

fn quantise_folder(from: &Path, to: &Path) {
    let start = Instant::now();
    std::fs::create_dir_all(to.join("1_Pooling")).unwrap();
    let written =
        quantise(&Weights::open(from).unwrap(), &to.join("model.safetensors"), &mut |_, _| ()).unwrap();
    let beside = [
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "modules.json",
        "sentence_bert_config.json",
    ];
    for file in
        beside.iter().copied().chain(["1_Pooling/config.json"]).filter(|file| from.join(file).exists())
    {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
    println!("{written:?} in {:.1} s", start.elapsed().as_secs_f64());
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
