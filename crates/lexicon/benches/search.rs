//! Compares the speed of the nearest-token search with common libraries, the published method and
//! the machine's limit, and checks that its results match brute force.
//!
//! - `cargo bench -p inkveil-lexicon --bench search -- [PYTHON SCRIPTS]`: 50,257 × 768 rows of
//!   length 1, 512 queries drawn from vMF around rows. PYTHON is an interpreter with faiss and
//!   SciPy, SCRIPTS the folder with `faiss_flat.py` and `published_stamp.py`; without them only
//!   this crate is measured. All figures are from one run with alternating candidates.
//! - `cargo bench -p inkveil-lexicon --bench search -- exact FOLDER`: the table of the model in
//!   FOLDER, 100,000 queries, every backend against `f64` brute force. It takes minutes and exits
//!   with 1 if a result differs.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use inkveil_lexicon::{Backend, Lexicon, Search};
use inkveil_nn::product::Int8Matrix;
use inkveil_privacy::{Kappa, NoiseAddress, NoiseKey, Purpose, Vmf, perturb_rows};
use rayon::prelude::*;

const ROWS: usize = 50_257;
const DIM: usize = 768;
const QUERIES: usize = 512;
const TURNS: usize = 15;
/// The concentration that the published code uses at ε = 400.
const KAPPA: f64 = 400.0 / std::f64::consts::PI;
const BACKENDS: [Backend; 3] = [Backend::Int8, Backend::Bf16, Backend::F32];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match words.as_slice() {
        [] => speed(None),
        [mode, folder] if mode == "exact" => return exact(Path::new(folder)),
        [python, scripts] => speed(Some((python, scripts))),
        _ => {
            println!("usage: search [PYTHON SCRIPTS] | exact FOLDER");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn speed(peers: Option<(&str, &str)>) {
    let table = Arc::new(unit_rows(ROWS, DIM));
    let allowed: Vec<u32> = (0..ROWS as u32).collect();
    let mechanism = Vmf::new(DIM, Kappa::new(KAPPA).unwrap()).unwrap();
    let key = NoiseKey::insecure_from_seed(2);
    let draw = || {
        let mut queries = table[..QUERIES * DIM].to_vec();
        perturb_rows(&mechanism, &mut queries, NoiseAddress::record(0), &key).unwrap();
        queries
    };
    let queries = draw();
    let searches = BACKENDS.map(|backend| {
        let search = Search::with_backend(table.clone(), DIM, &allowed, backend).unwrap();
        assert_eq!(search.backend().unwrap(), backend); // packs the table
        search
    });
    let limit = Limit::new(&table, &queries);

    println!(
        "{ROWS} × {DIM} rows, {QUERIES} queries from vMF with κ = {KAPPA:.0}, best of {TURNS} turns, ms per query\n"
    );
    println!("{:<34}{:>10}{:>10}", "", "1 thread", "2 threads");
    let mut lines: Vec<[f64; 2]> = Vec::new();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut best = [f64::MAX; 5];
        for _ in 0..TURNS {
            for (search, best) in searches.iter().zip(&mut best) {
                *best = best.min(pool.install(|| timed(|| drop(search.nearest(&queries).unwrap()))));
            }
            best[3] = best[3].min(pool.install(|| timed(|| limit.run())));
            best[4] = best[4].min(pool.install(|| timed(|| drop(draw()))));
        }
        lines.resize(best.len(), [0.0; 2]);
        lines.iter_mut().zip(best).for_each(|(line, best)| line[threads - 1] = best);
    }
    let names =
        ["search, int8 shortlist", "search, bf16 shortlist", "search, f32", "int8 product alone", "draw"];
    for (name, [one, two]) in names.iter().zip(&lines) {
        println!("{name:<34}{one:>10.4}{two:>10.4}");
    }
    let [int8, _, f32, product, drawn] = [lines[0], lines[1], lines[2], lines[3], lines[4]];
    println!(
        "\nint8 search ÷ its product alone     {:>10.2}{:>10.2}",
        int8[0] / product[0],
        int8[1] / product[1]
    );

    let Some((python, scripts)) = peers else { return };
    let faiss = [1, 2].map(|threads| {
        let arguments = [ROWS, DIM, QUERIES, threads].map(|n| n.to_string());
        first_number(&run(python, scripts, "faiss_flat.py", &arguments))
    });
    let published =
        last_number(&run(python, scripts, "published_stamp.py", &[ROWS.to_string(), DIM.to_string()]));
    println!("faiss flat                        {:>10.4}{:>10.4}", faiss[0], faiss[1]);
    println!("faiss ÷ int8 search               {:>10.1}{:>10.1}", faiss[0] / int8[0], faiss[1] / int8[1]);
    println!("faiss ÷ f32 search                {:>10.1}{:>10.1}", faiss[0] / f32[0], faiss[1] / f32[1]);
    println!("published method, draw and search {published:>10.1}");
    let ours = [int8[0] + drawn[0], int8[1] + drawn[1]];
    println!("published ÷ ours, draw and search {:>10.0}{:>10.0}", published / ours[0], published / ours[1]);
}

/// The bare packed product, in blocks of the best size.
struct Limit {
    panels: Vec<Int8Matrix>,
    queries: Vec<i8>,
}

impl Limit {
    fn new(table: &[f32], queries: &[f32]) -> Self {
        let integers = |values: &[f32]| values.iter().map(|x| (x * 600.0) as i8).collect::<Vec<_>>();
        let panels =
            integers(table).chunks(512 * DIM).map(|rows| Int8Matrix::pack(rows, DIM).unwrap()).collect();
        Self { panels, queries: integers(queries) }
    }

    fn run(&self) {
        self.queries.par_chunks(128 * DIM).for_each(|queries| {
            let mut out = vec![0; 128 * 512];
            for panel in &self.panels {
                panel.multiply(queries, &mut out[..queries.len() / DIM * panel.rows()]).unwrap();
            }
            std::hint::black_box(&out);
        });
    }
}

fn exact(folder: &Path) -> ExitCode {
    const EACH: usize = 16_667;
    const KAPPAS: [f64; 6] = [20.0, 50.0, 100.0, 150.0, 200.0, 400.0];
    let lexicon = Lexicon::open(folder).unwrap();
    let (table, allowed) = (lexicon.table().clone(), lexicon.allowed());
    let (rows, dim) = (table.rows(), table.dimension());
    println!("{rows} × {dim} rows, {} allowed; {} queries, seed 3", allowed.len(), EACH * KAPPAS.len());
    let key = NoiseKey::insecure_from_seed(3);
    let mut wrong = 0;
    for (part, kappa) in KAPPAS.into_iter().enumerate() {
        let mut stream = key.stream(NoiseAddress::record(part as u64).purpose(Purpose::named("tokens")), &());
        let mut queries = Vec::with_capacity(EACH * dim);
        for _ in 0..EACH {
            let token = allowed[stream.below(allowed.len() as u64).unwrap() as usize];
            queries.extend_from_slice(lexicon.row(token).unwrap());
        }
        let mechanism = Vmf::new(dim, Kappa::new(kappa).unwrap()).unwrap();
        perturb_rows(&mechanism, &mut queries, NoiseAddress::record(part as u64), &key).unwrap();
        let wanted = brute_force(table.values(), dim, allowed, &queries);
        for backend in BACKENDS {
            let search = Search::with_backend(table.clone(), dim, allowed, backend).unwrap();
            let found = search.nearest(&queries).unwrap();
            let differ = found.iter().zip(&wanted).filter(|(found, wanted)| found.id != **wanted).count();
            println!("κ = {kappa:>3}  {backend:<6?} {differ} of {EACH} differ from f64 brute force");
            wrong += differ;
        }
    }
    println!("{}", if wrong == 0 { "all results match" } else { "THE SEARCH IS NOT EXACT" });
    ExitCode::from(u8::from(wrong != 0))
}

/// The definition, with threads as the only optimisation: every allowed row in `f64`, the lowest id
/// among equals.
fn brute_force(table: &[f32], dim: usize, allowed: &[u32], queries: &[f32]) -> Vec<u32> {
    const TOGETHER: usize = 8; // a row is read once for several queries
    let wide: Vec<f64> = table.iter().copied().map(f64::from).collect();
    let of_block = |block: &[f32]| {
        let block: Vec<f64> = block.iter().copied().map(f64::from).collect();
        let mut best = vec![(f64::NEG_INFINITY, 0); block.len() / dim];
        for &id in allowed {
            let row = &wide[id as usize * dim..][..dim];
            for (query, best) in block.chunks(dim).zip(&mut best) {
                let (row, query) = (row.as_chunks::<8>(), query.as_chunks::<8>());
                let mut sums = [0.0; 8];
                for (a, b) in row.0.iter().zip(query.0) {
                    (0..8).for_each(|i| sums[i] += a[i] * b[i]);
                }
                let rest: f64 = row.1.iter().zip(query.1).map(|(a, b)| a * b).sum();
                let score = sums.iter().sum::<f64>() + rest;
                if score > best.0 {
                    *best = (score, id);
                }
            }
        }
        best.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
    };
    queries.par_chunks(TOGETHER * dim).flat_map_iter(of_block).collect()
}

fn unit_rows(rows: usize, dim: usize) -> Vec<f32> {
    let mut stream =
        NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0).purpose(Purpose::named("table")), &());
    let mut values: Vec<f32> = (0..rows * dim).map(|_| stream.normal() as f32).collect();
    for row in values.chunks_mut(dim) {
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.iter_mut().for_each(|x| *x /= length);
    }
    values
}

/// Milliseconds per query.
fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3 / QUERIES as f64
}

fn run(python: &str, scripts: &str, script: &str, arguments: &[String]) -> String {
    let script = Path::new(scripts).join(script);
    let output = Command::new(python).arg(&script).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{} failed: {}",
        script.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn numbers(text: &str) -> impl Iterator<Item = f64> {
    text.split_whitespace().filter_map(|word| word.parse().ok())
}

fn first_number(text: &str) -> f64 {
    numbers(text).next().unwrap()
}

fn last_number(text: &str) -> f64 {
    numbers(text).last().unwrap()
}
