//! What `inkveil noise` and `inkveil vector apply` cost on a Parquet file, beside what they cannot do without: copying the file
//! through the same reader and writer, and drawing the noise.
//!
//! `cargo bench -p inkveil-cli --bench parquet [-- ROWS]` makes a file of ROWS × 768 `f32` (700,000 rows, 2.15 GB, if absent) in
//! the system's temporary folder, takes the three times in turns, and prints their ratio and the command's peak memory.
//! `vector apply` brings vectors to length 1, adds elliptical noise and shrinks, as it does by default.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field};
use inkveil::files::{Input, Output};
use inkveil::privacy::{
    Epsilon, Kappa, LaplaceL2, Mahalanobis, NoiseAddress, NoiseKey, VectorMechanism, Vmf, release_rows,
};
use inkveil::vectors::{CorpusNote, EncoderNote, Mask, MaskNote, sigma};
use inkveil::vectors_io::{Error, ReadOptions, VectorFormat, VectorReader, VectorWriter, transform};
use parquet::arrow::ArrowWriter;

const DIM: usize = 768;
const TURNS: usize = 3;
const EPSILON: f64 = 100.0;

fn main() {
    let rows = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(700_000);
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in.parquet"), folder.path().join("out.parquet"));
    make(&from, rows);
    let bytes = std::fs::metadata(&from).unwrap().len() as f64;
    println!("{rows} × {DIM} f32, {:.2} GB, best of {TURNS} turns\n", bytes / 1e9);
    let epsilon = Epsilon::new(EPSILON).unwrap();
    let mask = mask();
    let mask_file = folder.path().join("half.mask");
    std::fs::write(&mask_file, mask.to_bytes().unwrap()).unwrap();
    let diagonal = sigma(&mask.gates, 0.1).unwrap();
    let noise = |name: &str| ["noise", "-m", name].map(str::to_owned).to_vec();
    let apply = ["vector", "apply", "--floor", "0.1", "--mask", mask_file.to_str().unwrap()];
    let mechanisms: [(Box<dyn VectorMechanism>, Vec<String>); 3] = [
        (Box::new(Vmf::new(DIM, Kappa::new(EPSILON).unwrap()).unwrap()), noise("polar")),
        (Box::new(LaplaceL2::new(DIM, epsilon).unwrap()), noise("laplace-l2")),
        (Box::new(Mahalanobis::diagonal(epsilon, diagonal).unwrap()), apply.map(str::to_owned).to_vec()),
    ];
    for (mechanism, command) in mechanisms {
        let (mut copying, mut drawing, mut noise, mut peak) = (f64::MAX, f64::MAX, f64::MAX, 0);
        for _ in 0..TURNS {
            copying = copying.min(copy(&from, &to));
            drawing = drawing.min(draw(mechanism.as_ref(), rows));
            let (seconds, memory) = run(&command, &from, &to);
            (noise, peak) = (noise.min(seconds), peak.max(memory));
        }
        println!(
            "{:<12} {noise:.1} s ({:.0} rows/s, {:.0} MB/s), peak {} MB; copying {copying:.1} s + draws {drawing:.1} s; ratio {:.2}",
            mechanism.name(),
            rows as f64 / noise,
            bytes / noise / 1e6,
            peak / 1024,
            noise / (copying + drawing),
        );
    }
}

/// Half of the dimensions matter.
fn mask() -> Mask {
    let encoder = EncoderNote { name: "bench".to_owned(), sha256: None };
    let corpus = CorpusNote { sha256: String::new(), texts: 0, pairs: 0, public: true };
    let note = MaskNote::new(("half", "nothing", ""), encoder, corpus, None);
    let gates = (0..DIM).map(|d| (d % 2) as f32).collect();
    Mask { gates, mean_squares: vec![1.0 / DIM as f32; DIM], eraser: None, note }
}

/// Random-looking vectors with an id column, in row groups of 100,000.
fn make(path: &Path, rows: usize) {
    let item = Arc::new(Field::new("element", DataType::Float32, false));
    let mut writer: Option<ArrowWriter<File>> = None;
    let mut state = 1u32;
    for first in (0..rows).step_by(10_000) {
        let count = 10_000.min(rows - first);
        let values: Float32Array = (0..count * DIM)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 8_388_608.0 - 1.0
            })
            .collect();
        let list = FixedSizeListArray::new(Arc::clone(&item), DIM as i32, Arc::new(values), None);
        let ids: Int64Array = (first as i64..(first + count) as i64).collect();
        let columns: [(&str, ArrayRef); 2] = [("id", Arc::new(ids)), ("vector", Arc::new(list))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let writer = writer.get_or_insert_with(|| {
            ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap()
        });
        writer.write(&batch).unwrap();
        if (first + count) % 100_000 == 0 {
            writer.flush().unwrap();
        }
    }
    writer.unwrap().close().unwrap();
}

fn copy(from: &Path, to: &Path) -> f64 {
    let start = Instant::now();
    let reader =
        VectorReader::open(Input::path(from), VectorFormat::Parquet, &ReadOptions::default()).unwrap();
    let writer = VectorWriter::like(&reader, Output::file(to, true).unwrap()).unwrap();
    let finished =
        transform(reader, writer, &AtomicBool::new(false), |_| (), |_| Ok::<(), Error>(())).unwrap();
    finished.commit().unwrap();
    start.elapsed().as_secs_f64()
}

fn draw(mechanism: &dyn VectorMechanism, rows: usize) -> f64 {
    let key = NoiseKey::insecure_from_seed(1);
    let mut batch = vec![0.5f64; 1024 * DIM];
    let start = Instant::now();
    for first in (0..rows).step_by(1024) {
        release_rows(mechanism, &mut batch, NoiseAddress::record(first as u64), &key).unwrap();
    }
    start.elapsed().as_secs_f64()
}

/// Seconds and peak resident kilobytes of the command (0 where /proc does not tell).
fn run(command: &[String], from: &Path, to: &Path) -> (f64, u64) {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_inkveil"))
        .args(command)
        .args(["--quiet", "--force", "-e", &EPSILON.to_string(), "-o"])
        .args([to, from])
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Some(code) = child.try_wait().unwrap() {
            assert!(code.success());
            return (start.elapsed().as_secs_f64(), peak);
        }
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let memory = line.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok());
        peak = memory.unwrap_or(peak).max(peak);
        std::thread::sleep(Duration::from_millis(20));
    }
}
