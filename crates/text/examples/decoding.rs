//! Prints how many noised words survive with each way to decode, by class of word, and the speed:
//!
//! ```sh
//! cargo run --release -p inkveil-text --example decoding -- TEXTS 200 polar:70 laplace-l2:70
//! ```
//!
//! TEXTS has one text per line; every 37th is taken, up to the given number. Every word has the same ε.
//! The noise is that of the insecure seed 1. Sensitive spans are found before the time is taken.

#![allow(clippy::print_stdout)] // the output is the purpose

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::NoiseKey;
use inkveil_text::{
    Budget, Decoding, Document, MechanismSettings, Replacements, TextSettings, TextVeil, Treatment,
};

/// The most frequent function words of news.
const FUNCTION_WORDS: [&str; 32] = [
    "the", "of", "and", "in", "to", "a", "for", "on", "with", "that", "it", "by", "at", "from", "was", "is",
    "as", "its", "has", "have", "be", "an", "will", "are", "but", "he", "his", "were", "who", "which", "not",
    "said",
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, count, choices @ ..] = arguments.as_slice() else {
        return Err("give a file of texts, a number of texts, and mechanisms such as polar:70".into());
    };
    let file = std::fs::read_to_string(file)?;
    let texts: Vec<&str> = file.lines().step_by(37).take(count.parse()?).collect();
    println!("| mechanism and ε | decoding | ordinary | function | capitalised | all | words/s |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    for choice in choices {
        for decoding in Decoding::ALL {
            println!("| {choice} | {} | {} |", decoding.name(), measure(&texts, choice, decoding)?);
        }
    }
    Ok(())
}

fn measure(texts: &[&str], choice: &str, decoding: Decoding) -> Result<String, Box<dyn Error>> {
    let (mechanism, epsilon) = choice.split_once(':').ok_or("write mechanism:ε")?;
    let mut settings = TextSettings::default();
    settings.lexicon = Some(LexiconKind::Words);
    settings.mechanism = MechanismSettings::of(mechanism.parse()?);
    settings.budget = Budget::Each([epsilon; 4].join(",").parse()?);
    settings.decoding = Some(decoding);
    let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
    let veil = TextVeil::open(pack, settings)?;
    let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
    let (spans, key) = (veil.find(texts)?, NoiseKey::insecure_from_seed(1));
    let start = Instant::now();
    let veiled = veil.veil_found_with(&mut Replacements::default(), &documents, spans, 0, &key)?;
    let seconds = start.elapsed().as_secs_f64();
    // Survivors and words of each class.
    let mut counts = [[0_u32; 2]; 3];
    for veiled in &veiled {
        for (index, unit) in veiled.plan().units().iter().enumerate() {
            if unit.treatment != Treatment::Noise {
                continue;
            }
            let word = &veiled.plan().text()[unit.range.clone()];
            let class = match word.starts_with(char::is_uppercase) {
                _ if FUNCTION_WORDS.contains(&word.to_lowercase().as_str()) => 1,
                true => 2,
                false => 0,
            };
            counts[class][0] += u32::from(veiled.survived(index));
            counts[class][1] += 1;
        }
    }
    let all = counts.iter().fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
    let shares: Vec<String> = counts
        .iter()
        .chain([&all])
        .map(|[survived, words]| format!("{:.3}", f64::from(*survived) / f64::from((*words).max(1))))
        .collect();
    Ok(format!("{} | {:.0}", shares.join(" | "), f64::from(all[1]) / seconds))
}
