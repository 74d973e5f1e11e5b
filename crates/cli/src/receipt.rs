//! `inkveil receipt`: receipts for people and for scripts.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use inkveil::Receipt;
use owo_colors::OwoColorize;

use crate::args::{ReceiptArgs, ReceiptCommand};
use crate::outcome::Outcome;
use crate::printed;

/// No receipt is longer; a wrong file is not read into memory.
const LONGEST: u64 = 16 << 20;

pub(crate) fn run(args: ReceiptArgs) -> anyhow::Result<Outcome> {
    match args.command {
        ReceiptCommand::Show { file } => show(&file),
        ReceiptCommand::Verify { file, release } => verify(&file, release.as_deref()),
    }
}

fn show(file: &Path) -> anyhow::Result<Outcome> {
    let receipt = read(file)?;
    printed::stdout()?.write_all(receipt.render().as_bytes()).context("cannot write the receipt")?;
    for problem in receipt.verify() {
        tell!(yellow, "warning:", "{}: {problem}", file.display());
    }
    Ok(Outcome::Success)
}

fn verify(file: &Path, release: Option<&Path>) -> anyhow::Result<Outcome> {
    let receipt = read(file)?;
    let mut problems = receipt.verify();
    if let Some(release) = release {
        match receipt.release_sha256() {
            Some(hash) if hash == inkveil::files::Sha256Sum::of_file(release)?.to_string() => {}
            Some(_) => problems.push(format!("{} is not the file that was released", release.display())),
            None => problems.push("it has no checksum of the released bytes".into()),
        }
    }
    if !receipt.is_secure() {
        tell!(yellow, "warning:", "the noise came from a fixed seed and protects nothing");
    }
    if problems.is_empty() {
        let said = match release {
            Some(release) => format!("it is consistent and belongs to {}", release.display()),
            None => "it is consistent; name the released file with --release to compare".into(),
        };
        let mut out = printed::coloured()?;
        writeln!(out, "{} {}: {said}", "ok:".green().bold(), file.display()).context("cannot write")?;
        return Ok(Outcome::Success);
    }
    for problem in problems {
        tell!(red, "error:", "{}: {problem}", file.display());
    }
    Ok(Outcome::Failure)
}

/// Reads a receipt; `-` is standard input.
pub(crate) fn read(file: &Path) -> anyhow::Result<Receipt> {
    let name = file.display();
    let open = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let source: Box<dyn Read> =
            if file == Path::new("-") { Box::new(std::io::stdin()) } else { Box::new(File::open(file)?) };
        source.take(LONGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = open().with_context(|| format!("cannot read {name}"))?;
    if bytes.len() as u64 > LONGEST {
        bail!("{name} is too long for a receipt");
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow::anyhow!("{name} is not plain text, so it is not a receipt"))?;
    Receipt::from_json(&text).with_context(|| name.to_string())
}
