//! From flags to one value that can be carried out: everything is checked before anything is written.

use std::io::IsTerminal as _;
use std::path::Path;

use anyhow::{bail, ensure};
use inkveil_detect::{Detector, Kind, Settings, Tier};
use inkveil_rows::{JobFile, Packing, RecordFormat};

use super::report::{Csv, Html, Jsonl, Marked, Masked, Places, Report, Silent, Summary, SummaryFormat};
use super::source::{self, Input};
use super::target::Target;
use crate::args::{DetectArgs, FormatName};
use crate::words;

pub(super) struct Plan<'a> {
    args: &'a DetectArgs,
    settings: Settings,
    pub(super) inputs: Vec<Input>,
    pub(super) lines: bool,
}

impl<'a> Plan<'a> {
    pub(super) fn new(args: &'a DetectArgs) -> anyhow::Result<Self> {
        let settings = settings(args)?;
        let inputs = if args.list { Vec::new() } else { inputs(args)? };
        source::check(&inputs)?;
        let format = args.format.unwrap_or(if args.check { FormatName::Places } else { FormatName::Text });
        ensure!(
            !args.with_text || matches!(format, FormatName::Jsonl | FormatName::Csv),
            "--with-text is for --format jsonl and csv; text and html show the text anyway, places never"
        );
        ensure!(
            !args.explain || format == FormatName::Text,
            "--explain is for --format text; the other formats give reasons anyway"
        );
        ensure!(
            !args.summary || !matches!(args.format, Some(FormatName::Html | FormatName::Places)),
            "--summary has the formats text, jsonl and csv"
        );
        Ok(Self { args, settings, inputs, lines: args.lines })
    }

    pub(super) fn detector(&self) -> anyhow::Result<Detector> {
        let pack = match self.settings.tier {
            Tier::Rules => None,
            _ => Some(words::folder_of(&self.args.model)?),
        };
        Ok(Detector::open(pack.as_deref(), self.settings.clone())?)
    }

    /// The files of rows, if all inputs are such files.
    pub(super) fn rows(&self) -> Option<Vec<&JobFile>> {
        let rows = self.inputs.iter().map(|input| match input {
            Input::Rows(file) => Some(file),
            _ => None,
        });
        rows.collect()
    }

    pub(super) fn input_paths(&self) -> Vec<&Path> {
        self.inputs.iter().filter_map(Input::path).collect()
    }

    /// How much there is to read, if that is known.
    pub(super) fn total_bytes(&self) -> Option<u64> {
        source::total_bytes(&self.inputs)
    }

    pub(super) fn report(&self, target: &Target) -> Box<dyn Report> {
        let args = self.args;
        let several = self.inputs.len() > 1;
        match args.format {
            _ if args.summary => Box::new(Summary::new(match args.format {
                Some(FormatName::Jsonl) => SummaryFormat::Json,
                Some(FormatName::Csv) => SummaryFormat::Csv,
                _ if target.is_terminal() => SummaryFormat::Table,
                _ => SummaryFormat::Tabs,
            })),
            _ if args.mask => Box::new(Masked),
            None if args.check && args.quiet => Box::new(Silent),
            None if args.check => Box::new(Places::default()),
            None | Some(FormatName::Text) => {
                Box::new(Marked::new(args.explain, several, target.has_colours(), target.is_terminal()))
            }
            Some(FormatName::Places) => Box::new(Places::default()),
            Some(FormatName::Jsonl) => Box::new(Jsonl::new(args.with_text)),
            Some(FormatName::Csv) => Box::new(Csv::new(args.with_text)),
            Some(FormatName::Html) => Box::new(Html::default()),
        }
    }
}

/// The settings file, and flags over it.
fn settings(args: &DetectArgs) -> anyhow::Result<Settings> {
    let mut settings = match &args.settings {
        Some(path) => Settings::open(path)?,
        None => Settings::default(),
    };
    if let Some(tier) = args.tier {
        settings.tier = tier.into();
    }
    if let Some(threshold) = args.threshold {
        settings.threshold = threshold;
        settings.thresholds.clear();
    }
    let kinds = |names: &[String]| -> anyhow::Result<Vec<Kind>> {
        names.iter().map(|name| Ok(settings.kind(name.trim())?)).collect()
    };
    let (only, ignored) = (kinds(&args.kinds)?, kinds(&args.ignore_kinds)?);
    if !only.is_empty() {
        // Whoever names a kind wants it, whatever the file says.
        only.iter().for_each(|kind| {
            settings.disabled.remove(kind);
        });
        settings.only = Some(only.into_iter().collect());
    }
    settings.disabled.extend(ignored);
    Ok(settings)
}

/// Files of rows are read as such where a column or a format is named, and where they are no text by themselves. Otherwise they are looked through as they
/// are: a secret may stand anywhere in them.
fn as_rows(args: &DetectArgs, file: &JobFile) -> bool {
    let named =
        !args.tables.columns.is_empty() || args.tables.id_column.is_some() || args.tables.from.is_some();
    let plain = file.format.is_bytes() && file.packing == Packing::None;
    !plain || (named && file.format.is_table())
}

fn inputs(args: &DetectArgs) -> anyhow::Result<Vec<Input>> {
    if !args.files.is_empty() {
        let mut inputs = Vec::new();
        for path in &args.files {
            let from = args.tables.from;
            match JobFile::new(path.clone(), from) {
                _ if path == Path::new("-") => inputs.push(stdin(args)),
                // What is no known kind of file is a text, too.
                _ if path.is_file() && RecordFormat::of(path).is_none() && from.is_none() => {
                    inputs.push(Input::File(path.clone()));
                }
                Ok(file) if path.is_file() => inputs.push(match as_rows(args, &file) {
                    true => Input::Rows(file),
                    false => Input::File(path.clone()),
                }),
                _ if path.is_dir() || path.to_string_lossy().contains(['*', '?']) => {
                    for file in inkveil_rows::expand(std::slice::from_ref(path), from)? {
                        inputs.push(match as_rows(args, &file) {
                            true => Input::Rows(file),
                            false => Input::File(file.input),
                        });
                    }
                }
                _ => inputs.push(Input::File(path.clone())),
            }
        }
        return Ok(inputs);
    }
    match args.text.as_slice() {
        [dash] if dash == "-" => {}
        // To look into the name would find nothing, and be taken for a clean file.
        [_, ..] if args.text.iter().all(|text| Path::new(text).is_file()) => {
            bail!("this is the name of a file; to look into it, say --file before it")
        }
        [_, ..] => return Ok(vec![Input::Text(args.text.join(" "))]),
        [] if std::io::stdin().is_terminal() => {
            bail!(
                "nothing to read: give a text, --file FILE, or pipe a text in (see `inkveil detect --help`)"
            )
        }
        [] => {}
    }
    Ok(vec![stdin(args)])
}

fn stdin(args: &DetectArgs) -> Input {
    match args.tables.from.filter(|format| format.is_table()) {
        Some(format) => Input::StdinRows(format),
        None => Input::Stdin,
    }
}
