//! From flags to a checked plan, before anything is written.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use inkveil::detect::{Detector, Kind, Settings, Tier};
use inkveil::documents::DocumentFormat;
use inkveil::files::is_pipe;
use inkveil::release::{Account, MaskRelease};
use inkveil::rows::{JobFile, Packing};
use inkveil::{FindingLines, FindingPlaces};

use super::inputs::Input;
use super::report::{Csv, Html, Marked, Masked, Report, Silent, Summary, SummaryFormat};
use super::target::Target;
use crate::args::{AccountArgs, DetectArgs, FormatName, replace};
use crate::observer::TerminalObserver;
use crate::{config, corpus};

pub(super) struct Plan<'a> {
    args: &'a DetectArgs,
    /// The settings file in use.
    pub(super) config: Option<PathBuf>,
    pub(super) pack: String,
    settings: Settings,
    pub(super) inputs: Vec<Input>,
    /// The ledger that masked texts are charged to.
    pub(super) account: Account,
}

impl<'a> Plan<'a> {
    pub(super) fn new(args: &'a DetectArgs) -> anyhow::Result<Self> {
        let config = config::find(args.config.as_deref(), args.quiet);
        let file = config.as_deref().map(config::open).transpose()?.unwrap_or_default();
        let settings = with_flags(file.settings.detect, args)?;
        let pack = args.pack.clone().or(file.pack).unwrap_or_else(|| inkveil::DEFAULT_PACK.to_owned());
        let inputs = if args.list { Vec::new() } else { inputs(args)? };
        inputs.iter().try_for_each(Input::check)?;
        let format = args.format.unwrap_or(if args.check { FormatName::Places } else { FormatName::Text });
        ensure!(
            !args.with_text || matches!(format, FormatName::Jsonl | FormatName::Csv),
            "--with-text needs --format jsonl or csv; text and html always show the text, places never does"
        );
        ensure!(
            !args.explain || format == FormatName::Text,
            "--explain needs --format text; the other formats always give reasons"
        );
        ensure!(
            !args.summary || !matches!(args.format, Some(FormatName::Html | FormatName::Places)),
            "--summary has the formats text, jsonl and csv"
        );
        let account = account(args, &inputs)?;
        Ok(Self { args, config, pack, settings, inputs, account })
    }

    pub(super) fn detector(&self) -> anyhow::Result<Detector> {
        let pack = match self.settings.tier {
            Tier::Rules => None,
            _ => Some(inkveil::pack_folder(&self.pack)?),
        };
        Ok(Detector::open(pack.as_deref(), self.settings.clone())?)
    }

    pub(super) fn input_paths(&self) -> Vec<&Path> {
        self.inputs.iter().filter_map(Input::path).collect()
    }

    /// Returns the number of bytes of all inputs, if it is known.
    pub(super) fn total_bytes(&self) -> Option<u64> {
        self.inputs.iter().map(Input::bytes).sum()
    }

    /// The name of the data in a ledger, if the user gives none.
    pub(super) fn dataset(&self) -> String {
        let name = self.input_paths().first().and_then(|path| path.file_name());
        name.map_or_else(|| "texts".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    pub(super) fn report(&self, target: &Target) -> anyhow::Result<Box<dyn Report>> {
        let args = self.args;
        let several = self.inputs.len() > 1;
        Ok(match args.format {
            _ if args.summary => Box::new(Summary::new(match args.format {
                Some(FormatName::Jsonl) => SummaryFormat::Json,
                Some(FormatName::Csv) => SummaryFormat::Csv,
                _ if target.is_terminal() => SummaryFormat::Table,
                _ => SummaryFormat::Tabs,
            })),
            _ if args.mask => {
                let observer = TerminalObserver::without_bar();
                Box::new(Masked(MaskRelease::open(&self.account, &self.dataset(), &observer)?))
            }
            None if args.check && args.quiet => Box::new(Silent),
            None if args.check => Box::new(FindingPlaces::default()),
            None | Some(FormatName::Text) => {
                Box::new(Marked::new(args.explain, several, target.has_colours(), target.is_terminal()))
            }
            Some(FormatName::Places) => Box::new(FindingPlaces::default()),
            Some(FormatName::Jsonl) => Box::new(FindingLines::new(args.with_text)),
            Some(FormatName::Csv) => Box::new(Csv::new(args.with_text)),
            Some(FormatName::Html) => Box::new(Html::default()),
        })
    }
}

/// The ledger to charge. Only masked texts are releases; every other report is for the user.
fn account(args: &DetectArgs, inputs: &[Input]) -> anyhow::Result<Account> {
    let AccountArgs { ledger, dataset, subject, subject_column } = &args.account;
    let named = ledger.is_some() || dataset.is_some() || subject.is_some() || subject_column.is_some();
    ensure!(args.mask || !(named || args.local), "--ledger, --dataset, --subject and --local need --mask");
    ensure!(
        subject_column.is_none() || inputs.iter().all(Input::is_rows),
        "--subject-column needs files of rows"
    );
    if args.local || !args.mask {
        return Ok(Account::none());
    }
    args.account.account()
}

/// Applies the flags to the settings of the file.
fn with_flags(mut settings: Settings, args: &DetectArgs) -> anyhow::Result<Settings> {
    replace(&mut settings.tier, args.tier);
    replace(&mut settings.language, args.language.map(|language| language.0));
    replace(&mut settings.unsupported, args.unsupported);
    if let Some(threshold) = args.threshold {
        settings.threshold = threshold;
        settings.thresholds.clear();
    }
    let kinds = |names: &[String]| -> anyhow::Result<Vec<Kind>> {
        names.iter().map(|name| Ok(settings.kind(name.trim())?)).collect()
    };
    let (only, ignored) = (kinds(&args.kinds)?, kinds(&args.ignore_kinds)?);
    if !only.is_empty() {
        // A kind of --kind is wanted even if the file ignores it.
        settings.disabled.retain(|kind| !only.contains(kind));
        settings.only = Some(only.into_iter().collect());
    }
    settings.disabled.extend(ignored);
    Ok(settings)
}

fn inputs(args: &DetectArgs) -> anyhow::Result<Vec<Input>> {
    let mut inputs = Vec::new();
    // A document can be named without --file, because no text is its name.
    let named = args.files.is_empty() && corpus::are_documents(&args.text);
    let files = if named { args.text.iter().map(PathBuf::from).collect() } else { args.files.clone() };
    for path in &files {
        let is_pattern = path.is_dir() || path.to_string_lossy().contains(['*', '?']);
        match path {
            path if path == Path::new("-") => inputs.push(stdin(args)),
            path if !path.is_file() && is_pattern => {
                let found = corpus::open(std::slice::from_ref(path), &args.tables, false)?;
                inputs.extend(found.files.into_iter().map(|file| file_or_rows(args, file)));
            }
            path => inputs.push(match JobFile::new(path.clone(), args.tables.from) {
                Ok(file) if path.is_file() || is_pipe(path) => file_or_rows(args, file),
                // A file of an unknown format is a text. A missing file is refused later.
                _ => Input::File(path.clone()),
            }),
        }
    }
    match args.text.as_slice() {
        _ if !files.is_empty() => return Ok(inputs),
        [dash] if dash == "-" => {}
        // A search of the name would find nothing, and the file would seem clean.
        [_, ..] if args.text.iter().all(|text| Path::new(text).is_file()) => {
            bail!("this is the name of a file; to search the file, put --file before it")
        }
        [_, ..] => return Ok(vec![Input::Text(args.text.join(" "))]),
        [] if std::io::stdin().is_terminal() => {
            bail!("there is no input: give a text, --file FILE, or a pipe (see `inkveil detect --help`)")
        }
        [] => {}
    }
    Ok(vec![stdin(args)])
}

/// A file is read as rows if a column or a format is given, or if it is not plain text. Otherwise the whole
/// file is searched, because a secret may be anywhere in it.
fn file_or_rows(args: &DetectArgs, file: JobFile) -> Input {
    let tables = &args.tables;
    let named = tables.names_columns() || tables.id_column.is_some() || tables.from.is_some();
    // Markdown is searched as it is written.
    let packed = file.format.document().is_some_and(|format| format != DocumentFormat::Markdown);
    let plain = file.format.is_bytes() && file.packing == Packing::None && !packed;
    match !plain || (named && file.format.is_table()) {
        true => Input::Rows(file),
        false => Input::File(file.input),
    }
}

fn stdin(args: &DetectArgs) -> Input {
    match args.tables.from.filter(|format| format.is_table()) {
        Some(format) => Input::StdinRows(format),
        None => Input::Stdin,
    }
}
