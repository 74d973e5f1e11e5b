//! Groups at a threshold and mean ε per token as the published code of STAMP computes them, for its
//! four variants and two baselines. The input is a file in SQuAD's format. The output has counts,
//! never text.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use inkveil_text::mechanism::MechanismName;
use inkveil_text::{
    AtZero, Budget, Budgets, Document, MechanismSettings, NearestBy, TextSettings, TextVeil, Threshold,
};
use serde_json::Value;

struct Passage {
    context: String,
    questions: Vec<String>,
}

/// Print groups and mean ε as the published code of STAMP computes them
#[derive(Debug, Args)]
pub(crate) struct PublishedArgs {
    /// A file in SQuAD's format
    file: PathBuf,

    /// The folder of the pack
    #[arg(long, default_value = "models/en")]
    pack: PathBuf,

    /// The cosine from which a word counts as needed
    #[arg(long, default_value_t = 0.5)]
    threshold: f64,
}

pub(crate) fn run(args: &PublishedArgs) -> anyhow::Result<()> {
    let passages = read(&serde_json::from_str(&std::fs::read_to_string(&args.file)?)?)?;
    println!(
        "| variant | passage | questions | tokens | G1 | G2 | G3 | G4 | mean ε |\n|---|---|---|---|---|---|---|---|---|"
    );
    for (name, mut settings) in variants()? {
        settings.threshold = Some(Threshold::Cosine(args.threshold));
        let veil = TextVeil::open(&args.pack, settings)?;
        for (at, passage) in passages.iter().enumerate() {
            // Every question is one task. Counts and means are over all questions of the passage.
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

/// The variants of the published code: two mechanisms, with and without noise on other words, and
/// two ways to remove sensitive words.
fn variants() -> anyhow::Result<Vec<(&'static str, TextSettings)>> {
    let finite: Budgets = "150,50,450,350".parse()?;
    let passing: Budgets = "150,50,inf,inf".parse()?;
    let nothing: Budgets = "0,0,inf,inf".parse()?;
    let laplace = MechanismSettings {
        nearest_by: NearestBy::Euclidean,
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

fn read(file: &Value) -> anyhow::Result<Vec<Passage>> {
    let list = |value: &Value, key: &str| {
        value[key].as_array().cloned().with_context(|| format!("there is no list {key:?}"))
    };
    let mut passages = Vec::new();
    for article in list(file, "data")? {
        for paragraph in list(&article, "paragraphs")? {
            let context = paragraph["context"].as_str().context("a paragraph has no context")?.to_owned();
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
