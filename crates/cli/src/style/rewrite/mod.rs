//! `inkveil style rewrite`.

mod explain;
mod job;
mod receipt;
mod source;

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use inkveil_files::Output;

use self::job::{Job, Settled};
use self::source::{Form, Source};
use crate::args::RewriteArgs;
use crate::outcome::Outcome;
use crate::receipt::beside;

pub(super) fn run(args: &RewriteArgs) -> anyhow::Result<Outcome> {
    let source = Source::read(&args.input, &args.tables)?;
    let places = Places::open(args, &source)?;
    let job = Job::open(args)?;
    let settled = job.run(&source, places.streams())?;
    if args.explain {
        explain::print(&source, &settled, &job)?;
    }
    let refused = settled.iter().filter(|settled| settled.text().is_none()).count();
    places.write(args, &job, &source, &settled)?;
    if refused == 0 {
        return Ok(Outcome::Success);
    }
    explain::refused(&source, &settled, args.meaning);
    Ok(Outcome::Failure)
}

/// Where everything goes, opened before the work begins.
enum Places {
    /// Standard output, as passages are done, and perhaps a receipt.
    Stream(Option<Output>),
    /// A file for all, and its receipt.
    File(Output, Output),
    /// A file for each text, and its receipt, in a folder.
    Folder(Vec<(Output, Output)>),
}

impl Places {
    fn open(args: &RewriteArgs, source: &Source) -> anyhow::Result<Self> {
        let file = |path: &Path| Output::file(path, args.force);
        let Some(output) = &args.output else {
            ensure!(
                source.form != Form::Folder,
                "a folder's rewrites need a folder of their own; name it with --output"
            );
            return Ok(Self::Stream(args.receipt.as_deref().map(file).transpose()?));
        };
        if source.form == Form::Folder {
            ensure!(
                args.receipt.is_none(),
                "each rewrite of a folder has a receipt beside it; leave --receipt out"
            );
            ensure!(
                std::fs::canonicalize(output).ok() != std::fs::canonicalize(&args.input).ok(),
                "--output must be another folder than the one that is read"
            );
            std::fs::create_dir_all(output)
                .with_context(|| format!("cannot make the folder {}", output.display()))?;
            let places = source.names.iter().map(|name| {
                let name = Path::new(name).file_name().context("a file without a name")?;
                let path = output.join(name);
                Ok((file(&path)?, file(&beside(&path))?))
            });
            return Ok(Self::Folder(places.collect::<anyhow::Result<_>>()?));
        }
        ensure!(!output.is_dir(), "{} is a folder; one text goes to a file", output.display());
        inkveil_files::refuse_same_file(&[
            ("the text", Some(&args.input)),
            ("--output", Some(output)),
            ("--receipt", args.receipt.as_deref()),
        ])?;
        let receipt = args.receipt.clone().unwrap_or_else(|| beside(output));
        Ok(Self::File(file(output)?, file(&receipt)?))
    }

    /// Whether passages are shown as they are done.
    fn streams(&self) -> bool {
        matches!(self, Self::Stream(_))
    }

    /// Writes what was settled. A text that was refused is not written; the others are.
    fn write(
        self,
        args: &RewriteArgs,
        job: &Job,
        source: &Source,
        settled: &[Settled],
    ) -> anyhow::Result<()> {
        match self {
            Self::Stream(receipt) => {
                if source.form == Form::Rows {
                    let rows = source.rows(settled)?;
                    std::io::stdout().write_all(&rows).context("cannot write the rows")?;
                }
                match receipt {
                    Some(output) if settled.iter().any(|one| one.text().is_some()) => {
                        put_receipt(output, job, settled, None)
                    }
                    _ => Ok(()),
                }
            }
            Self::File(output, receipt) => {
                let released = match (source.form, settled) {
                    (Form::Rows, _) => source.rows(settled)?,
                    (_, [one]) => match one.text() {
                        Some(text) => text.as_bytes().to_vec(),
                        None => return Ok(()),
                    },
                    _ => bail!("{}: one text was expected", args.input.display()),
                };
                put_receipt(receipt, job, settled, Some(&released))?;
                Ok(output.put(&released)?)
            }
            Self::Folder(places) => {
                for ((output, receipt), one) in places.into_iter().zip(settled) {
                    if let Some(text) = one.text() {
                        put_receipt(receipt, job, std::slice::from_ref(one), Some(text.as_bytes()))?;
                        output.put(text.as_bytes())?;
                    }
                }
                Ok(())
            }
        }
    }
}

fn put_receipt(
    output: Output,
    job: &Job,
    settled: &[Settled],
    released: Option<&[u8]>,
) -> anyhow::Result<()> {
    let receipt = receipt::of(job, settled, released)?;
    Ok(output.put((receipt.to_json() + "\n").as_bytes())?)
}
