//! Builds the prior over neighbouring words of a pack.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use inkveil_files::Sha256Sum;
use inkveil_lexicon::{Lexicon, LexiconKind, PRIOR_FILE, PriorBuilder, Symbols, WordPrior};
use inkveil_pack::{MANIFEST, Manifest, Provenance};

/// Build the prior over neighbouring words from text files, one paragraph per line
#[derive(Debug, Args)]
pub(crate) struct PriorArgs {
    /// Files of public texts, one paragraph per line
    #[arg(required = true)]
    texts: Vec<PathBuf>,

    /// The folder of the pack with the lexicon of words; the prior is written there
    #[arg(long, default_value = "models/en")]
    pack: PathBuf,

    /// The least number of occurrences of a stored pair of words
    #[arg(long, default_value_t = 2)]
    pairs: u32,

    /// A file of other texts, to measure the perplexity
    #[arg(long)]
    measure: Option<PathBuf>,
}

pub(crate) fn run(args: &PriorArgs) -> anyhow::Result<()> {
    let lexicon = Lexicon::open_kind(&args.pack, LexiconKind::Words)?.with_symbols(Symbols::Units);
    let mut builder = PriorBuilder::new(&lexicon)?;
    // A paragraph that several editions of a book share counts once.
    let mut seen = HashSet::new();
    for path in &args.texts {
        for line in lines(path)? {
            let line = line?;
            if seen.insert(Sha256Sum::of(line.as_bytes())) {
                builder.add(&line)?;
            }
        }
    }
    let prior = builder.build(args.pairs.max(1));
    let bytes = prior.to_bytes();
    let path = args.pack.join(PRIOR_FILE);
    std::fs::write(&path, &bytes).with_context(|| format!("write {}", path.display()))?;
    describe(args)?;
    println!(
        "{}: {} symbols counted, {} pairs, {} bytes, sha256 {}",
        path.display(),
        prior.counted(),
        prior.pairs(),
        bytes.len(),
        prior.sha256()
    );
    if let Some(path) = &args.measure {
        measure(&prior, &lexicon, path)?;
    }
    Ok(())
}

/// Enters the file into the manifest of the pack, if it has one.
fn describe(args: &PriorArgs) -> anyhow::Result<()> {
    if !args.pack.join(MANIFEST).exists() {
        return Ok(());
    }
    let made_by = format!("scripts/prior-texts, inkveil-dev prior --pairs {} (see PRIOR.md)", args.pairs);
    let licence = "(Apache-2.0 OR MIT) AND CC-BY-4.0";
    let provenance = Provenance::new(licence, "counts of public texts (see PRIOR.md)", made_by);
    let about = "how likely words are after others, for decoding";
    let manifest = Manifest::read(&args.pack)?.with_file(&args.pack, PRIOR_FILE, about, provenance)?;
    let card = "PRIOR.md";
    let manifest = match args.pack.join(card).exists() {
        true => {
            let own = Provenance::new("Apache-2.0 OR MIT", "this project", "by hand");
            manifest.with_file(&args.pack, card, "the card of the prior: texts, figures, limits", own)?
        }
        false => manifest,
    };
    Ok(manifest.write(&args.pack)?)
}

fn lines(path: &Path) -> anyhow::Result<impl Iterator<Item = std::io::Result<String>>> {
    let file = File::open(path).with_context(|| format!("open {}", path.display()))?;
    Ok(BufReader::new(file).lines())
}

/// Prints the perplexity of the words of other texts.
fn measure(prior: &WordPrior, lexicon: &Lexicon, path: &Path) -> anyhow::Result<()> {
    let (mut sums, mut count) = ([0.0_f64; 2], 0_u32);
    for line in lines(path)? {
        let symbols = prior.symbols_of(&lexicon.align(&line?)?);
        for near in symbols.windows(2) {
            let &[before, symbol] = near else { continue };
            if !symbol.is_word() {
                continue;
            }
            for (sum, log) in sums.iter_mut().zip([prior.single(symbol), prior.pair(before, symbol)]) {
                *sum -= f64::from(log);
            }
            count += 1;
        }
    }
    let [alone, after] = sums.map(|sum| (sum / f64::from(count.max(1))).exp());
    println!("perplexity of {count} words: alone {alone:.0}, after another {after:.0}");
    Ok(())
}
