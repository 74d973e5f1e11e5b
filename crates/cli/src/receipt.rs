//! `inkveil receipt`: receipts for people and for scripts.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use inkveil_privacy::Receipt;
use owo_colors::OwoColorize;
use sha2::{Digest, Sha256};

use crate::args::{ReceiptArgs, ReceiptCommand};
use crate::outcome::Outcome;

/// No receipt is longer; a wrong file is not read into memory.
const LONGEST: u64 = 16 << 20;

pub(crate) fn run(args: ReceiptArgs) -> anyhow::Result<Outcome> {
    match args.command {
        ReceiptCommand::Show { file } => show(&file),
        ReceiptCommand::Verify { file, release } => verify(&file, release.as_deref()),
    }
}

fn show(file: &Path) -> anyhow::Result<Outcome> {
    std::io::stdout().write_all(read(file)?.render().as_bytes()).context("cannot write the receipt")?;
    Ok(Outcome::Success)
}

fn verify(file: &Path, release: Option<&Path>) -> anyhow::Result<Outcome> {
    let receipt = read(file)?;
    let mut problems = receipt.verify();
    if let Some(release) = release {
        match receipt.release_sha256() {
            Some(hash) if hash == sha256(release)? => {}
            Some(_) => problems.push(format!("{} is not the file that was released", release.display())),
            None => problems.push("it does not name the released bytes".into()),
        }
    }
    if !receipt.is_secure() {
        anstream::eprintln!(
            "{} the noise came from a fixed seed and protects nothing",
            "warning:".yellow().bold()
        );
    }
    if problems.is_empty() {
        anstream::println!("{} {}", "ok:".green().bold(), file.display());
        return Ok(Outcome::Success);
    }
    for problem in problems {
        anstream::eprintln!("{} {}: {problem}", "error:".red().bold(), file.display());
    }
    Ok(Outcome::Failure)
}

fn read(file: &Path) -> anyhow::Result<Receipt> {
    let name = file.display();
    let open = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(file)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = open().with_context(|| format!("cannot read {name}"))?;
    if bytes.len() as u64 > LONGEST {
        bail!("{name} is far too long for a receipt");
    }
    let text =
        String::from_utf8(bytes).map_err(|_| anyhow::anyhow!("{name} is not text, so it is no receipt"))?;
    Receipt::from_json(&text).with_context(|| name.to_string())
}

fn sha256(file: &Path) -> anyhow::Result<String> {
    let hash = || -> std::io::Result<String> {
        let (mut file, mut hasher, mut buffer) = (File::open(file)?, Sha256::new(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
                n => hasher.update(&buffer[..n]),
            }
        }
    };
    hash().with_context(|| format!("cannot read {}", file.display()))
}
