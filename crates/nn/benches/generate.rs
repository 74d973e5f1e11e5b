//! Measures the speed of a packed language model, compared with llama.cpp on the same file.
//!
//! `cargo bench -p inkveil-nn --bench generate -- MODEL [PROMPT TOKENS]` reads a prompt of 250
//! tokens and generates 130 more, for one text and for four at once, with two threads. MODEL is a
//! GGUF file or a folder. If INKVEIL_PEERS names a Python with llama-cpp-python, and MODEL is a
//! GGUF file, `peers/llama_cpp_speed.py` runs alternately, and the ratio of the times is printed.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use inkveil_nn::cpu::PackedLlama;

const THREADS: usize = 2;
const ROWS: [usize; 2] = [1, 4];
const TURNS: usize = 3;

/// Seconds for the prompt, and for all.
type Times = (f64, f64);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(path) = arguments.first() else {
        println!("usage: generate MODEL [PROMPT TOKENS], where MODEL is a GGUF file or a folder");
        return;
    };
    let number = |at: usize, default| arguments.get(at).map_or(default, |number| number.parse().unwrap());
    let (prompt, tokens) = (number(1, 250), number(2, 130));
    let start = Instant::now();
    let model = PackedLlama::open(Path::new(path)).unwrap();
    println!("{model:?}: opened in {:.2} s", start.elapsed().as_secs_f64());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap();
    pool.install(|| write(&model, 1, prompt, tokens));
    for rows in ROWS {
        let turns = (0..TURNS).map(|_| pool.install(|| write(&model, rows, prompt, tokens)));
        let best = turns.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        report("inkveil", rows, prompt, tokens, best);
        if let Some(whole) = peer(path, rows, prompt, tokens) {
            println!("  time is {:.2} of llama.cpp's", best.1 / whole);
        }
    }
}

fn report(name: &str, rows: usize, prompt: usize, tokens: usize, (read, whole): Times) {
    let speed = (rows * (tokens - 1)) as f64 / (whole - read);
    println!(
        "{name}: rows {rows}: read {:.0} tokens/s, wrote {speed:.1} tokens/s, whole {whole:.3} s",
        prompt as f64 / read
    );
}

/// Generates the likeliest tokens after a prompt that is read once.
fn write(model: &PackedLlama, rows: usize, prompt: usize, tokens: usize) -> Times {
    let ids: Vec<u32> = (0..prompt).map(|i| (1000 + (i * 7919) % 19_000) as u32).collect();
    let best = |logits: &Vec<f32>| {
        let best = logits
            .iter()
            .enumerate()
            .fold((0, f32::MIN), |best, (id, &x)| if x > best.1 { (id, x) } else { best });
        best.0 as u32
    };
    let start = Instant::now();
    let mut cache = model.cache(1);
    let mut last = vec![best(&model.extend(&[&ids], &mut cache).unwrap()[0]); rows];
    let read = start.elapsed().as_secs_f64();
    cache.select(&vec![0; rows]).unwrap();
    for _ in 1..tokens {
        let texts: Vec<&[u32]> = last.chunks(1).collect();
        last = model.extend(&texts, &mut cache).unwrap().iter().map(best).collect();
    }
    (read, start.elapsed().as_secs_f64())
}

/// The peer's own figures, which it prints as `rows 4: read 900 tokens/s, wrote 300.0 tokens/s,
/// whole 1.850 s`.
fn peer(path: &str, rows: usize, prompt: usize, tokens: usize) -> Option<f64> {
    let python = std::env::var_os("INKVEIL_PEERS").filter(|_| path.ends_with(".gguf"))?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/llama_cpp_speed.py");
    let numbers = [THREADS, prompt, tokens].map(|number| number.to_string());
    let output = Command::new(python).arg(script).arg(path).args(numbers).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with(&format!("rows {rows}:")))?;
    println!("llama.cpp: {line}");
    line.rsplit("whole ").next()?.split_whitespace().next()?.parse().ok()
}
