//! How many tokens a second, whole and by stage, beside the published method's work per token in the same run:
//!
//! ```sh
//! cargo bench -p inkveil-text --bench throughput -- [PACK…] [--published PYTHON published_stamp.py]
//! ```
//!
//! Texts are made of words of our own. Ratios are of times measured one after the other on the same machine.

#![allow(clippy::print_stdout)] // its output is what it is for

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::{Epsilon, NoiseAddress, NoiseKey};
use inkveil_text::mechanism::Token;
use inkveil_text::{Budget, Document, TextSettings, TextVeil};

const SENTENCES: [&str; 6] = [
    "Yesterday Ines Castro told the doctor at the clinic in Porto that her knee had been hurting for three weeks.",
    "The new bridge over the river was closed on Monday because the wind had damaged two of its cables.",
    "Please send the report to the office before noon, or call Tomas Reyes if anything is missing.",
    "Nobody in the village remembered who had planted the old lime tree beside the school.",
    "A small company from Lyon has built a machine that sorts apples by colour and weight.",
    "She said that the price of bread had doubled since the summer, and that the baker was not to blame.",
];

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let (packs, published) = match words.iter().position(|word| word == "--published") {
        Some(at) => (&words[..at], words.get(at + 1..at + 3)),
        None => (&words[..], None),
    };
    let packs: Vec<PathBuf> = match packs {
        [] => vec![concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en").into()],
        packs => packs.iter().map(PathBuf::from).collect(),
    };
    // About 180 tokens each, as the paper's examples.
    let texts: Vec<String> = (0..200)
        .map(|i| (0..8).map(|j| SENTENCES[(i + j * (i % 5 + 1)) % 6]).collect::<Vec<_>>().join(" "))
        .collect();
    println!("{} threads, {} texts", rayon::current_num_threads(), texts.len());
    for pack in packs {
        for kind in [LexiconKind::Subword, LexiconKind::Words] {
            if let Err(error) = measure(&pack, kind, &texts, published) {
                println!("{} {kind}: {error}", pack.display());
            }
        }
    }
    Ok(())
}

fn measure(
    pack: &Path,
    kind: LexiconKind,
    texts: &[String],
    published: Option<&[String]>,
) -> Result<(), Box<dyn Error>> {
    let mut settings = TextSettings::default();
    settings.lexicon = Some(kind);
    settings.tasks = vec!["What is wrong with the knee?".to_owned()];
    settings.budget = Budget::Base(Epsilon::new(30.0)?);
    // Other packs than ours have no taggers; their figures are about noise and search.
    if !pack.join("tagger-fast.safetensors").is_file() {
        settings.detect = inkveil_detect::Settings::of(inkveil_detect::Tier::Rules);
    }
    let tier = settings.detect.tier;
    let start = Instant::now();
    let veil = TextVeil::open(pack, settings)?;
    let opened = start.elapsed();
    let key = NoiseKey::fresh()?;
    let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
    let one = [documents[0].clone()];
    let start = Instant::now();
    veil.veil_all(&one, 0, &key)?;
    let first = start.elapsed();
    // The table is packed by now or with this: it is done once.
    veil.veil_all(&documents[..50.min(documents.len())], 1, &key)?;

    let start = Instant::now();
    let plans = veil.plan(&documents)?;
    let planning = start.elapsed().as_secs_f64();
    let units: usize = plans.iter().map(|plan| plan.units().len()).sum();
    let single: Vec<f64> = documents
        .iter()
        .take(50)
        .map(|document| {
            let start = Instant::now();
            let plan = veil.plan(std::slice::from_ref(document));
            plan.map(|plan| start.elapsed().as_secs_f64() * 180.0 / plan[0].units().len() as f64)
        })
        .collect::<Result<_, _>>()?;
    let grouping = single.iter().sum::<f64>() / single.len() as f64;

    let allowed = veil.lexicon().allowed();
    let token = |at: usize| Token {
        id: allowed[at * 7919 % allowed.len()],
        epsilon: veil.budgets().of(inkveil_text::Group::ALL[at % 4]),
        place: NoiseAddress::record(1_000_000).position(at as u64),
    };
    let tokens: Vec<Token> = (0..units).map(token).collect();
    let start = Instant::now();
    veil.mechanism().draw(&tokens, &key)?;
    let drawing = start.elapsed().as_secs_f64();

    let start = Instant::now();
    veil.veil_all(&documents, 1000, &key)?;
    let whole = start.elapsed().as_secs_f64();
    let table = veil.lexicon().table();
    println!(
        "\n{} {kind}: {} entries of {} dimensions; detection {tier}; opened in {:.0} ms, first text in {:.0} ms",
        pack.display(),
        allowed.len(),
        table.dimension(),
        opened.as_secs_f64() * 1e3,
        first.as_secs_f64() * 1e3
    );
    let per = |seconds: f64| seconds * 1e6 / units as f64;
    println!("  whole      {:>9.0} tokens/s  {:>7.1} µs a token", units as f64 / whole, per(whole));
    println!(
        "  plan       {:>9.0} tokens/s  {:>7.1} µs a token (detection, tokens, relevance, groups)",
        units as f64 / planning,
        per(planning)
    );
    println!(
        "  noise      {:>9.0} tokens/s  {:>7.1} µs a token (draw and nearest word, every token)",
        units as f64 / drawing,
        per(drawing)
    );
    println!("  grouping   {:>9.2} ms for 180 tokens, one text at a time", grouping * 1e3);
    if let Some([python, script]) = published {
        let out = Command::new(python)
            .arg(script)
            .args([table.rows().to_string(), table.dimension().to_string()])
            .output()?;
        let said = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        let total: f64 = said
            .rsplit("total ")
            .next()
            .and_then(|rest| rest.split(' ').next())
            .and_then(|number| number.parse().ok())
            .ok_or("the published method printed no total")?;
        println!("  published  {said}");
        println!(
            "  ratio      {:.0} × (noise and search), {:.0} × (everything, detection included)",
            total * 1e3 / per(drawing),
            total * 1e3 / per(whole)
        );
    }
    Ok(())
}
