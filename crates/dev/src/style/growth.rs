//! Measures how long a memory takes to grow. The cost is proportional to texts × prototypes.

use std::time::Instant;

use clap::Args;
use inkveil_nn::{EncoderNote, SplitMix};
use inkveil_style::{Memory, MemorySettings};

const DIM: usize = 128;

/// Measure how long a memory takes to grow, from random vectors
#[derive(Debug, Args)]
pub(crate) struct GrowthArgs {
    /// The number of vectors
    #[arg(default_value_t = 100_000)]
    count: usize,

    /// The seed of the vectors
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(args: &GrowthArgs) -> anyhow::Result<()> {
    let count = args.count;
    println!(
        "| texts | centres | prototypes | seconds | ns per text and prototype |\n|---:|---:|---:|---:|---:|"
    );
    for (texts, centres) in
        [(count / 4, 1000), (count / 2, 1000), (count, 1000), (count, 2000), (count, 4000)]
    {
        let vectors = vectors(texts, centres, args.seed);
        let encoder = EncoderNote { name: "random".into(), sha256: None };
        let mut memory = Memory::new(encoder, DIM, MemorySettings::default())?;
        let start = Instant::now();
        memory.add(&vectors, None)?;
        memory.observe(&vectors)?;
        let seconds = start.elapsed().as_secs_f64();
        let each = seconds * 1e9 / (texts as f64 * memory.len() as f64);
        println!("| {texts} | {centres} | {} | {seconds:.2} | {each:.2} |", memory.len());
    }
    Ok(())
}

/// Vectors around centres, like the vectors of texts.
fn vectors(texts: usize, centres: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix::named(seed, "centres", &[]);
    let centres: Vec<f32> = (0..centres * DIM).map(|_| random.normals()[0] as f32).collect();
    let mut rows = Vec::with_capacity(texts * DIM);
    for _ in 0..texts {
        let centre = (random.next() as usize % (centres.len() / DIM)) * DIM;
        rows.extend((0..DIM).map(|at| centres[centre + at] + 0.3 * random.normals()[0] as f32));
    }
    rows
}
