//! A release of vectors: from a file to a file, with a receipt.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use inkveil_files::{Input, Output};
use inkveil_privacy::NoiseKey;
use inkveil_vector::VectorVeil;
use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader, VectorWriter, transform};
use owo_colors::OwoColorize;

use crate::args::ReleaseArgs;
use crate::outcome::Outcome;
use crate::{interrupt, progress, receipt};

/// Veils the vectors of a file. `others` are files that are read besides, by their flags; `veil` is asked for once the dimension is known.
pub(crate) fn run(
    args: &ReleaseArgs,
    others: &[(&str, Option<&Path>)],
    veil: impl FnOnce(usize) -> anyhow::Result<VectorVeil>,
) -> anyhow::Result<Outcome> {
    let plan = Files::new(args, others)?;
    let reader = VectorReader::open(plan.input(), plan.format, &plan.options)?;
    let mut veil = veil(reader.dim())?;
    let writer = VectorWriter::like(&reader, plan.output()?)?;
    let receipt_output = plan.receipt_output()?;
    if let Some(column) = reader.column() {
        // A name from the file: whatever could break its line is shown as an escape.
        veil = veil.parameter("column", column.escape_debug());
    }
    let key = match args.insecure_seed {
        Some(seed) => {
            anstream::eprintln!(
                "{} noise from a fixed seed protects nothing; use it for tests only",
                "warning:".yellow().bold()
            );
            NoiseKey::insecure_from_seed(seed)
        }
        None => NoiseKey::fresh()?,
    };
    let cancel = interrupt::flag()?;
    let (total, template) = match (reader.rows(), reader.bytes_total()) {
        (Some(rows), _) => (Some(rows), "veil {bar:30} {human_pos}/{human_len} rows  {rate}  {eta} left"),
        (None, Some(bytes)) => (Some(bytes), "veil {bar:30} {bytes}/{total_bytes}  {eta} left"),
        (None, None) => (None, "veil {spinner} {human_pos} rows  {elapsed}"),
    };
    let by_bytes = reader.rows().is_none() && reader.bytes_total().is_some();
    let bar = progress::bar(total, template, args.quiet);
    let file = plan.input_name();
    let finished = transform(
        reader,
        writer,
        &cancel,
        |p| bar.set_position(if by_bytes { p.bytes_read } else { p.rows }),
        |batch| {
            let first = batch.first_row();
            veil.apply(batch.values_mut(), first, &key).with_context(|| file.clone())
        },
    )?;
    bar.finish_and_clear();
    let receipt = veil.receipt(finished.rows(), Some(finished.sha256()), &key)?;
    // The receipt first: an output without one must not exist.
    if let Some(output) = receipt_output {
        output.put(receipt.to_json().as_bytes())?;
    }
    if let Err(error) = finished.commit() {
        if let Some(path) = &plan.receipt {
            // A receipt of nothing would only confuse; if it cannot be removed, the error below still tells.
            let _ = std::fs::remove_file(path);
        }
        return Err(error.into());
    }
    if !args.quiet {
        anstream::eprint!("{}", receipt.render());
        if let Some(path) = &plan.receipt {
            anstream::eprintln!("  receipt       {}", path.display());
        }
    }
    Ok(Outcome::Success)
}

/// Where vectors come from and go to.
struct Files {
    input: Option<PathBuf>,
    output: Option<PathBuf>,
    force: bool,
    format: VectorFormat,
    options: ReadOptions,
    receipt: Option<PathBuf>,
}

impl Files {
    fn new(args: &ReleaseArgs, others: &[(&str, Option<&Path>)]) -> anyhow::Result<Self> {
        let named = |path: &Option<PathBuf>| path.clone().filter(|p| p != Path::new("-"));
        let (input, output) = (named(&args.input), named(&args.output));
        let format = match (args.format, &input) {
            (Some(format), _) => format,
            (None, Some(path)) => VectorFormat::from_path(path).with_context(|| {
                format!("the format of {} cannot be told from its name; say --format", path.display())
            })?,
            (None, None) => VectorFormat::Jsonl,
        };
        if input.is_none() && std::io::stdin().is_terminal() {
            bail!("nothing to read: name a file, or pipe vectors in (see --help)");
        }
        if output.is_none() && format != VectorFormat::Jsonl && std::io::stdout().is_terminal() {
            bail!("{format} is not text; name a file with -o, or pipe the output");
        }
        let receipt = args.receipt.clone().or_else(|| output.as_deref().map(receipt::beside));
        ensure!(
            receipt.as_deref() != Some(Path::new("-")),
            "the receipt needs a file: standard output carries the vectors"
        );
        if let Some(named) = output.as_deref().and_then(VectorFormat::from_path) {
            ensure!(named == format, "the output is {format} like the input, but its name says {named}");
        }
        let own = [
            ("the input", input.as_deref()),
            ("--output", output.as_deref()),
            ("--receipt", receipt.as_deref()),
        ];
        inkveil_files::refuse_same_file(&own.into_iter().chain(others.iter().copied()).collect::<Vec<_>>())?;
        let options = ReadOptions { column: args.column.clone(), ..ReadOptions::default() };
        Ok(Self { input, output, force: args.force, format, options, receipt })
    }

    fn input(&self) -> Input {
        self.input.as_ref().map_or_else(Input::stdin, Input::path)
    }

    fn input_name(&self) -> String {
        self.input.as_ref().map_or_else(|| "standard input".into(), |p| p.display().to_string())
    }

    fn output(&self) -> anyhow::Result<Output> {
        self.output.as_deref().map_or_else(|| Ok(Output::stdout()), |path| self.create(path, "--output"))
    }

    /// The receipt's file, opened before anything is released so that it can be written afterwards.
    fn receipt_output(&self) -> anyhow::Result<Option<Output>> {
        self.receipt.as_deref().map(|path| self.create(path, "--receipt")).transpose()
    }

    fn create(&self, path: &Path, flag: &str) -> anyhow::Result<Output> {
        Output::file(path, self.force).map_err(|error| match error.kind() {
            inkveil_files::ErrorKind::Exists => anyhow::anyhow!(
                "{} exists already; choose another {flag} or replace it with --force",
                path.display()
            ),
            _ => error.into(),
        })
    }
}
