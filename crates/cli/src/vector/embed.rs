//! `inkveil vector embed`: texts in, vectors out.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use inkveil::Encoder;
use inkveil::files::{is_pipe, open_file, refuse_same_file};
use inkveil::privacy::Secret;
use inkveil::release::{Account, EmbedRelease};
use inkveil::rows::{JobFile, RecordFormat};
use inkveil::vectors_io::VectorFormat;

use super::apply;
use crate::args::{EmbedArgs, key_choice};
use crate::interrupt;
use crate::observer::TerminalObserver;
use crate::outcome::Outcome;

pub(super) fn run(args: &EmbedArgs) -> anyhow::Result<Outcome> {
    check(args)?;
    let account = if args.local { Account::none() } else { args.account.account()? };
    let content = piped_content(args)?;
    let input = match &content {
        Some(_) if is_pipe(&args.texts.file) => {
            let known = RecordFormat::of(&args.texts.file).map(|(format, _)| format);
            let format = args.texts.tables.from.or(known).unwrap_or(RecordFormat::Lines);
            JobFile::new(args.texts.file.clone(), Some(format))?
        }
        Some(_) => JobFile::new("standard input".into(), Some(stdin_format(args)))?,
        None => one_file(args)?,
    };
    let encoder = Encoder::open(&args.pack)?;
    let veil = match apply::start(args.epsilon, args.target) {
        Some(start) => {
            let builder = apply::builder(start, &args.noise, Some(encoder.note.clone()))?;
            let veil = builder.build(encoder.model.width())?;
            crate::vector_release::warn(&veil);
            Some(veil)
        }
        None => None,
    };
    let cancel = interrupt::flag()?;
    let mut options = args.texts.tables.options();
    options.columns.subject.clone_from(&args.account.subject_column);
    let bytes = input.input.metadata().ok().map(|found| found.len());
    let release = EmbedRelease {
        input,
        content,
        options,
        encoder: &encoder,
        veil: veil.as_ref(),
        output: args.output.clone(),
        key: key_choice(args.insecure_seed),
        account,
        overwrite: args.force,
        resume: args.resume,
    };
    let observer = TerminalObserver::new("embed", bytes, args.quiet);
    let released = release.run(&observer, &cancel);
    observer.end();
    let released = released?;
    if !args.quiet {
        say!(
            "{}: {} vectors of {} dimensions, by {}",
            args.output.display(),
            released.rows,
            encoder.model.width(),
            encoder.note.name
        );
        if let (Some(veil), Some(_)) = (&veil, args.target) {
            say!("ε = {} was chosen by what was measured for the mask; see the receipt", veil.epsilon());
        }
        if veil.is_none() && !args.local {
            say!(
                "note: these vectors have no noise, so they reveal most of the texts; add noise with -e, or \
                 protect them with `inkveil vector apply` before they leave"
            );
        }
    }
    Ok(Outcome::Success)
}

fn check(args: &EmbedArgs) -> anyhow::Result<()> {
    refuse_same_file(&[("the texts", Some(&args.texts.file)), ("--output", Some(&args.output))])?;
    let format = VectorFormat::from_path(&args.output)
        .with_context(|| format!("{}: name a .jsonl, .parquet or .npy file", args.output.display()))?;
    ensure!(
        args.texts.tables.id_column.is_none() || format == VectorFormat::Parquet,
        "--id-column is for .parquet outputs"
    );
    ensure!(
        args.epsilon.is_some() || args.target.is_some() || args.noise.masks.is_empty(),
        "--mask does nothing without a budget; set one with --epsilon, or a --target"
    );
    let piped = args.texts.file == Path::new("-") || is_pipe(&args.texts.file);
    ensure!(!args.resume || !piped, "what is read from a pipe cannot be resumed");
    Ok(())
}

fn one_file(args: &EmbedArgs) -> anyhow::Result<JobFile> {
    let file = &args.texts.file;
    let corpus = crate::corpus::open(std::slice::from_ref(file), &args.texts.tables, true)?;
    match corpus.files.as_slice() {
        [one] => Ok(one.clone()),
        _ => bail!("{}: name one file of texts", file.display()),
    }
}

fn stdin_format(args: &EmbedArgs) -> RecordFormat {
    args.texts.tables.from.unwrap_or(RecordFormat::Lines)
}

/// Standard input or another pipe in memory: rows are read twice, once to encode and once to write.
fn piped_content(args: &EmbedArgs) -> anyhow::Result<Option<Secret<Vec<u8>>>> {
    let file = &args.texts.file;
    let mut content = Secret::new(Vec::new());
    if file == Path::new("-") {
        std::io::stdin().read_to_end(content.expose_mut()).context("cannot read standard input")?;
    } else if is_pipe(file) {
        let (mut pipe, _) = open_file(file)?;
        pipe.read_to_end(content.expose_mut()).with_context(|| format!("cannot read {}", file.display()))?;
    } else {
        return Ok(None);
    }
    Ok(Some(content))
}
