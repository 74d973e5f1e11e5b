//! DP-Prompt (Utpala et al., Findings of EMNLP 2023), a baseline for experiments: a language model
//! paraphrases each text at a high temperature.

use std::io::{BufRead as _, Write as _};

use anyhow::Context as _;
use clap::Args;
use inkveil::chat::{AnswerSettings, Request};
use serde::{Deserialize, Serialize};

/// Paraphrase texts at a temperature, as DP-Prompt does: a command for `inkveil eval run`
///
/// Reads one JSON object per line with `text` and `seed`, and writes one with `text`. The scores of tokens
/// are not clipped, so the result has no ε.
#[derive(Debug, Args)]
pub(crate) struct ParaphraseArgs {
    /// The temperature. The higher, the less of the text is left
    temperature: f64,
    /// The language model, as `style rewrite --model` takes it
    #[arg(long, default_value = "smollm2")]
    model: String,
}

#[derive(Deserialize)]
struct Line {
    text: String,
    seed: u64,
}

#[derive(Serialize)]
struct Paraphrase {
    text: String,
}

pub(crate) fn run(args: &ParaphraseArgs) -> anyhow::Result<()> {
    let mut requests = Vec::new();
    for (row, line) in std::io::stdin().lock().lines().enumerate() {
        let line: Line = serde_json::from_str(&line?)
            .map_err(|error| anyhow::anyhow!("line {}: column {}", row + 1, error.column()))
            .context("each line is a JSON object with text and seed")?;
        requests.push(request(&line, args.temperature));
    }
    let model = inkveil::open_model(&args.model)?;
    let mut out = std::io::stdout().lock();
    for answer in model.answer_each(&requests)? {
        serde_json::to_writer(&mut out, &Paraphrase { text: answer.text })?;
        writeln!(out)?;
    }
    Ok(())
}

/// The prompt of the paper. 100 tokens are enough for news of two sentences.
fn request(line: &Line, temperature: f64) -> Request {
    let settings =
        AnswerSettings { max_tokens: 100, temperature, seed: Some(line.seed), ..AnswerSettings::default() };
    Request::new().user(format!("Document: {}\nParaphrase of the document:", line.text)).with(settings)
}
