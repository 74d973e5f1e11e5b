//! Groups at a threshold and mean ε per token as the published code computes them, for its four variants and two baselines, on a file in
//! SQuAD's format:
//!
//! ```sh
//! cargo run --release -p inkveil-text --example published -- FILE.json [--pack models/en] [--threshold 0.5]
//! ```
//!
//! Prints counts, never text.

#![allow(clippy::print_stdout)] // its output is what it is for

use std::error::Error;
use std::path::PathBuf;

use inkveil_text::mechanism::MechanismName;
use inkveil_text::{
    AtZero, Budget, Budgets, Decoding, Document, MechanismSettings, TextSettings, TextVeil, Threshold,
};
use serde_json::Value;

struct Passage {
    context: String,
    questions: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut file = None;
    let mut pack = PathBuf::from("models/en");
    let mut threshold = 0.5;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--pack" => pack = words.next().ok_or("--pack needs a folder")?.into(),
            "--threshold" => threshold = words.next().ok_or("--threshold needs a cosine")?.parse()?,
            _ => file = Some(word),
        }
    }
    let file = file.ok_or("name a file in SQuAD's format")?;
    let passages = read(&serde_json::from_str(&std::fs::read_to_string(file)?)?)?;
    println!(
        "| variant | passage | questions | tokens | G1 | G2 | G3 | G4 | mean ε |\n|---|---|---|---|---|---|---|---|---|"
    );
    for (name, mut settings) in variants()? {
        settings.threshold = Some(Threshold::Cosine(threshold));
        let veil = TextVeil::open(&pack, settings)?;
        for (at, passage) in passages.iter().enumerate() {
            // Every question is a task of its own; counts and means are over all of them, as each question is asked with the passage.
            let documents: Vec<Document<'_>> = passage
                .questions
                .iter()
                .map(|question| Document::new(&passage.context).task(question))
                .collect();
            let plans = veil.plan(&documents)?;
            let mut counts = [0; 4];
            let mut epsilon = 0.0;
            for plan in &plans {
                plan.reference_counts().iter().zip(&mut counts).for_each(|(count, sum)| *sum += count);
                epsilon += plan.mean_epsilon().map_or(0.0, |mean| mean.get()) / plans.len() as f64;
            }
            let asked = plans.len().max(1);
            let [a, b, c, d] = counts.map(|count| count as f64 / asked as f64);
            let tokens = plans.first().map_or(0, |plan| plan.units().len());
            println!(
                "| {name} | {} | {asked} | {tokens} | {a:.1} | {b:.1} | {c:.1} | {d:.1} | {epsilon:.1} |",
                at + 1
            );
        }
    }
    Ok(())
}

/// The variants of the published code: two mechanisms, with and without passing what is not sensitive, and two ways of releasing nothing of
/// what is.
fn variants() -> Result<Vec<(&'static str, TextSettings)>, Box<dyn Error>> {
    let finite: Budgets = "150,50,450,350".parse()?;
    let passing: Budgets = "150,50,inf,inf".parse()?;
    let nothing: Budgets = "0,0,inf,inf".parse()?;
    let laplace = MechanismSettings {
        decoding: Decoding::Euclidean,
        ..MechanismSettings::of(MechanismName::LaplaceL1)
    };
    let polar = TextSettings::as_published().mechanism;
    let with = |mechanism: MechanismSettings, budgets: Budgets, how: AtZero| {
        let mut settings = TextSettings::as_published();
        (settings.mechanism, settings.budget, settings.at_zero) = (mechanism, Budget::Each(budgets), how);
        settings
    };
    Ok(vec![
        ("polar", with(polar, finite, AtZero::Mask)),
        ("polar, inf passes", with(polar, passing, AtZero::Mask)),
        ("laplace", with(laplace, finite, AtZero::Mask)),
        ("laplace, inf passes", with(laplace, passing, AtZero::Mask)),
        ("mask", with(polar, nothing, AtZero::Mask)),
        ("drop", with(polar, nothing, AtZero::Drop)),
    ])
}

fn read(file: &Value) -> Result<Vec<Passage>, Box<dyn Error>> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().ok_or(format!("no list {key:?}"));
    let mut passages = Vec::new();
    for article in list(file, "data")? {
        for paragraph in list(&article, "paragraphs")? {
            let context = paragraph["context"].as_str().ok_or("a paragraph without context")?.to_owned();
            let questions = list(&paragraph, "qas")?;
            let questions = questions
                .iter()
                .filter_map(|question| question["question"].as_str())
                .map(str::to_owned)
                .collect();
            passages.push(Passage { context, questions });
        }
    }
    Ok(passages)
}
