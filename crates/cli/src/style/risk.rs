//! `inkveil style risk`.

use std::io::Write as _;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, ensure};
use comfy_table::{CellAlignment, Table, presets};
use inkveil_files::Output;
use inkveil_style::{ErrorKind, StyleEncoder, StyleMap};

use super::answer::{Answer, Scale, refusal};
use super::inputs::{self, Input};
use super::{page, tools};
use crate::args::RiskArgs;
use crate::outcome::Outcome;
use crate::{interrupt, progress};

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
        inkveil_files::refuse_same_file(&names)?;
    }
    let page_file = args.html.as_ref().map(|file| Output::file(file, args.force)).transpose()?;
    let (encoder, memory) = tools::open(&args.tools)?;
    let geometry = memory.geometry()?;
    let bar = progress::bar(
        Some(inputs.len() as u64),
        "reading {bar:30} {human_pos}/{human_len} texts  {eta} left",
        args.quiet || inputs.len() < 2,
    );
    let encode = |inputs: &[&Input]| -> anyhow::Result<Vec<Vec<f32>>> {
        let texts: Vec<&str> = inputs.iter().map(|input| input.text.as_str()).collect();
        let mut goes_on = |done: usize| {
            bar.set_position(done as u64);
            !cancel.load(Ordering::Relaxed)
        };
        encode(&encoder, &texts, &mut goes_on)
    };
    let old = inputs::read(&args.compare, &args.tables)?;
    let earlier = encode(&old.iter().collect::<Vec<_>>())?;
    let same = encoder.card().map(|card| &card.same_author);
    let scale = Scale { geometry: &geometry, same, earlier: &earlier, habits: args.habits };
    let refused: Vec<Option<Answer>> = inputs.iter().map(refusal).collect();
    let measured: Vec<&Input> = inputs
        .iter()
        .zip(&refused)
        .filter(|(_, refused)| refused.is_none())
        .map(|(input, _)| input)
        .collect();
    let mut vectors = encode(&measured)?.into_iter();
    bar.finish_and_clear();
    let mut answers = Vec::with_capacity(inputs.len());
    for (input, refused) in inputs.iter().zip(refused) {
        answers.push(match refused {
            Some(answer) => answer,
            None => scale.measure(input, vectors.next().context("a text was lost")?)?,
        });
    }
    print(args, &inputs, &answers)?;
    if let (Some(output), [input], [answer]) = (page_file, inputs.as_slice(), answers.as_slice()) {
        output.put(page::html(input, answer, &memory, &StyleMap::of(&memory)).as_bytes())?;
    }
    Ok(Outcome::Success)
}

pub(super) fn encode(
    encoder: &StyleEncoder,
    texts: &[&str],
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> anyhow::Result<Vec<Vec<f32>>> {
    encoder.encode_with(texts, goes_on).map_err(|error| match error.kind() {
        ErrorKind::Stopped => crate::outcome::interrupted(),
        _ => error.into(),
    })
}

fn print(args: &RiskArgs, inputs: &[Input], answers: &[Answer]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let written = match (args.json, inputs, answers) {
        (true, _, _) => inputs
            .iter()
            .zip(answers)
            .try_for_each(|(input, answer)| writeln!(out, "{}", answer.to_json(input))),
        (false, [input], [answer]) => write!(out, "{}", answer.in_words(&input.text)),
        _ => writeln!(out, "{}", table(inputs, answers)),
    };
    written.context("cannot write to standard output")
}

const HEADER: [&str; 6] = ["text", "words", "risk", "unusual", "alike", ""];

fn table(inputs: &[Input], answers: &[Answer]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(HEADER);
    for column in 1..4 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for (input, answer) in inputs.iter().zip(answers) {
        let row = match answer {
            Answer::Measured(measured) => [
                input.name.clone(),
                measured.words.to_string(),
                format!("{:.2}", measured.risk.score),
                format!("{:.0} %", measured.risk.percentile),
                measured.risk.one_in().to_string(),
                measured.verdict().to_owned(),
            ],
            Answer::TooShort(words) => [
                input.name.clone(),
                words.to_string(),
                "–".into(),
                "–".into(),
                "–".into(),
                "too short".into(),
            ],
            Answer::NotEnglish(_) => {
                [input.name.clone(), "–".into(), "–".into(), "–".into(), "–".into(), "not English".into()]
            }
        };
        table.add_row(row);
    }
    table
}
