//! How long a memory takes to grow: its cost goes with texts × prototypes.

use std::time::Instant;

use inkveil_nn::{EncoderNote, SplitMix};
use inkveil_style::{Memory, MemorySettings};

use crate::Outcome;
use crate::options::Options;

const DIM: usize = 128;

/// Vectors around so many centres, as those of texts are; the farther from them, the more prototypes.
pub(crate) fn run(options: &Options) -> Outcome<()> {
    let count: usize = options.files.first().and_then(|file| file.to_str()?.parse().ok()).unwrap_or(100_000);
    println!(
        "| texts | centres | prototypes | seconds | ns per text and prototype |\n|---:|---:|---:|---:|---:|"
    );
    for (texts, centres) in
        [(count / 4, 1000), (count / 2, 1000), (count, 1000), (count, 2000), (count, 4000)]
    {
        let vectors = vectors(texts, centres, options.seed);
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
