//! `inkveil models make` and `add`: a small pack from a large sentence encoder, with all that a lexicon needs, and what is
//! trained on top of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use inkveil_lexicon::{Kind, Lexicon, build_lexicon, build_words, whole_words};
use inkveil_nn::{SentenceEncoder, Weights, quantise};
use inkveil_pack::{MANIFEST, Manifest, Pack, Provenance, find_pack};
use owo_colors::OwoColorize;

use crate::args::{AddArgs, MakeArgs};
use crate::models::size;
use crate::outcome::Outcome;
use crate::{interrupt, progress};

const WEIGHTS: &str = "model.safetensors";
const LICENCE: &str = "LICENSE";

pub(crate) fn run(args: &MakeArgs) -> anyhow::Result<Outcome> {
    if args.to.exists() && !args.force {
        bail!("{} exists already; choose another folder or use --force", args.to.display());
    }
    let source = find_pack(&args.from)?;
    let Some(manifest) = source.manifest() else {
        bail!(
            "{} has no manifest, so its licence is not known; copy it into the cache with `inkveil pull path:FOLDER --name NAME` first",
            source.folder().display()
        );
    };
    let cancel = interrupt::flag()?;
    // Beside the final folder, so that the last step is one rename.
    let parent = args.to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    let work = tempfile::Builder::new()
        .prefix(".inkveil-make-")
        .tempdir_in(parent)
        .with_context(|| format!("cannot create a folder in {}", parent.display()))?;
    let steps: [&dyn Fn() -> anyhow::Result<()>; 4] = [
        &|| copy_companions(&source, manifest, args.licence_text.as_deref(), work.path()),
        &|| quantise_weights(&source, work.path()),
        &|| make_words(work.path()),
        &|| make_lexicons(work.path(), args.components),
    ];
    for step in steps {
        step()?;
        if cancel.load(Ordering::Relaxed) {
            anstream::eprintln!("{} nothing was written", "interrupted:".yellow().bold());
            return Ok(Outcome::Interrupted);
        }
    }
    let bytes = describe(args, manifest, work.path())?;
    replace(work.keep(), &args.to)?;
    anstream::eprintln!(
        "{} {} is in {}, {}",
        "ok:".green().bold(),
        args.name,
        args.to.display(),
        size(bytes)
    );
    Ok(Outcome::Success)
}

/// Records a file of a pack's folder in its manifest.
pub(crate) fn add(args: &AddArgs) -> anyhow::Result<Outcome> {
    let mut manifest = Manifest::read(&args.folder)?;
    let provenance = Provenance::new(&args.licence, &args.origin, &args.made_by);
    manifest = manifest.with_file(&args.folder, &args.file, &args.about, provenance)?;
    manifest.write(&args.folder)?;
    anstream::eprintln!("{} {} is recorded in {}", "ok:".green().bold(), args.file, args.folder.display());
    Ok(Outcome::Success)
}

/// Files that were added to the folder that is being replaced.
fn keep_added(old: &Path, to: &Path, mut manifest: Manifest) -> anyhow::Result<Manifest> {
    if !old.join(MANIFEST).exists() {
        return Ok(manifest);
    }
    for file in Manifest::read(old)?.files() {
        if let (Some(licence), Some(origin), Some(made_by)) = (&file.licence, &file.origin, &file.made_by) {
            copy(&old.join(&file.path), &to.join(&file.path))?;
            let provenance = Provenance::new(licence, origin, made_by);
            manifest = manifest.with_file(to, &file.path, &file.about, provenance)?;
        }
    }
    Ok(manifest)
}

/// Everything beside the weights.
fn copy_companions(
    source: &Pack,
    manifest: &Manifest,
    licence: Option<&Path>,
    to: &Path,
) -> anyhow::Result<()> {
    let weights = |path: &str| path.ends_with(".safetensors") || path.ends_with(".gguf");
    for file in manifest.files().iter().filter(|file| !weights(&file.path)) {
        copy(&source.file(&file.path)?, &to.join(&file.path))?;
    }
    match licence {
        Some(licence) => copy(licence, &to.join(LICENCE)),
        None if to.join(LICENCE).exists() => Ok(()),
        None => bail!("the pack brings no text of its licence; give one with --licence-text FILE"),
    }
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::copy(from, to))
        .with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

fn quantise_weights(source: &Pack, to: &Path) -> anyhow::Result<()> {
    let weights = Weights::open(source.folder())?;
    let bar = progress::bar(None, "weights to 8 bits {bar:30} {pos}/{len}", false);
    quantise(&weights, &to.join(WEIGHTS), &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// Every whole word of the vocabulary, with the vector that the encoder gives it alone.
fn make_words(folder: &Path) -> anyhow::Result<()> {
    let words = whole_words(Lexicon::open_kind(folder, Kind::Subword)?.vocabulary());
    let encoder = SentenceEncoder::open(folder)?;
    let bar = progress::bar(Some(words.len() as u64), "words {bar:30} {pos}/{len}  {eta} left", false);
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let vectors = encoder.encode_with(&texts, &mut |done, _| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    build_words(folder, &words, &vectors.concat(), encoder.width())?;
    Ok(())
}

fn make_lexicons(folder: &Path, components: usize) -> anyhow::Result<()> {
    for kind in [Kind::Subword, Kind::Words] {
        let bar = progress::bar(None, "{msg} {spinner}", false);
        bar.set_message(format!("distances of the {kind} lexicon"));
        build_lexicon(folder, kind, Some(components))?;
        bar.finish_and_clear();
    }
    Ok(())
}

/// Writes the manifest; the size of the pack.
fn describe(args: &MakeArgs, source: &Manifest, folder: &Path) -> anyhow::Result<u64> {
    let Provenance { licence, origin, .. } = source.provenance().clone();
    let made_by =
        format!("inkveil models make {} --from {} --components {}", args.name, args.from, args.components);
    let manifest = Manifest::describe(folder, args.name.clone(), Provenance::new(licence, origin, made_by))?
        .with_about(WEIGHTS, "weights, 8 bits per number and a scale per row")?
        .with_about(
            "words.safetensors",
            "vectors of whole words, as the encoder gives them, 8 bits per number",
        )?
        .with_about("words.txt", "the whole words of the vocabulary")?
        .with_about("lexicon.json", "what is known of the lexicons: centring, distances")?
        .with_about("lexicon.safetensors", "the numbers of the centring")?
        .with_about(LICENCE, "the licence")?;
    let manifest = keep_added(&args.to, folder, manifest)?;
    manifest.write(folder)?;
    Ok(manifest.bytes())
}

/// Puts the new folder in the place of an old one.
fn replace(new: PathBuf, to: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot put the pack at {}; it is complete in {}", to.display(), new.display());
    let old = new.with_extension("old");
    if to.exists() {
        fs::rename(to, &old).with_context(failed)?;
    }
    fs::rename(&new, to).with_context(failed)?;
    if old.exists() {
        fs::remove_dir_all(&old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    Ok(())
}
