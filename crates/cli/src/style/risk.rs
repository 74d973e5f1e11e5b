//! `inkveil style risk`.

use std::io::Write as _;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, ensure};
use comfy_table::Table;
use inkveil::files::Output;
use inkveil::pages::style_page;
use inkveil::style::{ErrorKind, StyleAssessment, StyleAssessor};

use super::inputs::{self, Input};
use crate::args::RiskArgs;
use crate::outcome::Outcome;
use crate::{interrupt, printed, progress, table};

pub(super) fn run(args: &RiskArgs) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    let inputs = inputs::read(&args.files, &args.tables)?;
    ensure!(args.html.is_none() || inputs.len() == 1, "--html draws one text; {} were given", inputs.len());
    if let Some(page) = &args.html {
        let names: Vec<(&str, Option<&std::path::Path>)> = args
            .files
            .iter()
            .map(|file| ("the text", Some(file.as_path())))
            .chain([("--html", Some(page.as_path()))])
            .collect();
        inkveil::files::refuse_same_file(&names)?;
    }
    // The page quotes the text.
    let page_file = args.html.as_ref().map(|file| Output::private_file(file, args.force)).transpose()?;
    let (encoder, memory) = args.tools.models().open()?;
    let geometry = memory.geometry()?;
    let bar = progress::bar(
        Some(inputs.len() as u64),
        "reading {bar:30} {human_pos}/{human_len} texts  {eta} left",
        args.quiet || inputs.len() < 2,
    );
    let mut continues = |done: usize| {
        bar.set_position(done as u64);
        !cancel.load(Ordering::Relaxed)
    };
    let earlier = inputs::read(&args.compare, &args.tables)?;
    let earlier = encoder.encode_with(&texts(&earlier), &mut continues).map_err(stopped)?;
    let assessor =
        StyleAssessor { encoder: &encoder, geometry: &geometry, earlier: &earlier, habits: args.habits };
    let answers = assessor.assess(&texts(&inputs), &mut continues).map_err(stopped)?;
    bar.finish_and_clear();
    print(args, &inputs, &answers)?;
    if let (Some(output), [input], [answer]) = (page_file, inputs.as_slice(), answers.as_slice()) {
        output.put(style_page(&input.text, answer, &memory, &geometry).as_bytes())?;
    }
    Ok(Outcome::Success)
}

fn texts(inputs: &[Input]) -> Vec<&str> {
    inputs.iter().map(|input| input.text.as_str()).collect()
}

/// An interruption by the user is not an error of the style crate.
pub(super) fn stopped(error: inkveil::style::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Stopped => crate::outcome::interrupted(),
        _ => error.into(),
    }
}

fn print(args: &RiskArgs, inputs: &[Input], answers: &[StyleAssessment]) -> anyhow::Result<()> {
    let mut out = printed::stdout()?;
    let written = match (args.json, inputs, answers) {
        (true, _, _) => inputs
            .iter()
            .zip(answers)
            .try_for_each(|(input, answer)| writeln!(out, "{}", with_name(input, answer))),
        (false, [input], [answer]) => write!(out, "{}", answer.in_words(&input.text)),
        _ => writeln!(out, "{}", table(inputs, answers)),
    };
    written.context("cannot write to standard output")
}

/// The assessment as JSON, with the name of the text.
fn with_name(input: &Input, answer: &StyleAssessment) -> serde_json::Value {
    let mut value = answer.to_json(&input.text);
    value["file"] = input.name.clone().into();
    value
}

const HEADER: [&str; 6] = ["text", "words", "risk", "unusual", "alike", ""];

fn table(inputs: &[Input], answers: &[StyleAssessment]) -> Table {
    let row = |(input, answer): (&Input, &StyleAssessment)| {
        let unknown = |words: String, why: &str| {
            let dash = || "–".to_owned();
            [input.name.clone(), words, dash(), dash(), dash(), why.to_owned()]
        };
        match answer {
            StyleAssessment::Measured(measured) => [
                input.name.clone(),
                measured.words.to_string(),
                format!("{:.2}", measured.risk.score),
                format!("{:.0} %", measured.risk.percentile),
                measured.risk.one_in().to_string(),
                measured.verdict().to_owned(),
            ],
            StyleAssessment::TooShort(words) => unknown(words.to_string(), "too short"),
            StyleAssessment::NotEnglish(_) => unknown("–".to_owned(), "not English"),
        }
    };
    table::drawn(&HEADER, inputs.iter().zip(answers).map(row), 1..4)
}
