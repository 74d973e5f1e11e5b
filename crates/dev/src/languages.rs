//! The gazetteer of the tagger of the languages, and how well languages are told apart.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use inkveil_detect::{EntryFlags, Gazetteer, Language, passages};
use inkveil_surrogates::is_held_out;

/// The file of a pack.
const FILE: &str = "gazetteer-languages.fst";

/// The file that surrogates of the languages are drawn from.
const SURROGATES: &str = "surrogates-languages.txt";
/// The sections that surrogates are drawn from.
const DRAWN: [&str; 12] = [
    "given-f",
    "given-m",
    "family",
    "city",
    "street",
    "job",
    "disease",
    "title-m",
    "title-f",
    "doctor",
    "company-word",
    "company-suffix",
];
const NOTES: &str = "\
# Names, places and words of six languages from which inkveil draws surrogates. Made from crates/surrogates/lists/languages.
# Names, cities, streets and jobs: the package mimesis 22.2.0 (MIT), GeoNames (CC BY 4.0, creativecommons.org/licenses/by/4.0)
# and the U.S. Census Bureau (public domain). All others: written for inkveil. Apache-2.0 OR MIT.
";

/// The flags of the sections of a language's lists. `train.py` beside the templates has the same table.
const SECTIONS: [(&str, EntryFlags); 22] = [
    ("given-f", EntryFlags::GIVEN),
    ("given-m", EntryFlags::GIVEN),
    ("family", EntryFlags::FAMILY),
    ("city", EntryFlags::CITY),
    ("region", EntryFlags::REGION),
    ("country", EntryFlags::COUNTRY),
    ("origin", EntryFlags::NATIONALITY),
    ("religion", EntryFlags::NATIONALITY),
    ("company-suffix", EntryFlags::ORGANISATION),
    ("company-word", EntryFlags::ORGANISATION),
    ("hospital", EntryFlags::ORGANISATION),
    ("school", EntryFlags::ORGANISATION),
    ("agency", EntryFlags::ORGANISATION),
    ("street", EntryFlags::STREET),
    ("job", EntryFlags::JOB),
    ("disease", EntryFlags::DISEASE),
    ("title-m", EntryFlags::TITLE),
    ("title-f", EntryFlags::TITLE),
    ("doctor", EntryFlags::TITLE),
    ("month", EntryFlags::CALENDAR),
    ("month-short", EntryFlags::CALENDAR),
    ("weekday", EntryFlags::CALENDAR),
];

/// Other lists by the start of their names.
const OTHERS: [(&str, EntryFlags); 7] = [
    ("given-", EntryFlags::GIVEN),
    ("family-", EntryFlags::FAMILY),
    ("cities", EntryFlags::CITY),
    ("countries", EntryFlags::COUNTRY),
    ("nationalities", EntryFlags::NATIONALITY),
    ("drugs", EntryFlags::DRUG),
    ("regions", EntryFlags::REGION),
];

/// Build and measure what the languages need
#[derive(Debug, Subcommand)]
pub(crate) enum LanguagesCommand {
    Gazetteer(GazetteerArgs),
    Identify(IdentifyArgs),
}

/// Build the gazetteer of the tagger of the languages, and the file that their surrogates are drawn from
#[derive(Debug, Args)]
pub(crate) struct GazetteerArgs {
    /// The folder of the lists
    #[arg(default_value = "crates/surrogates/lists")]
    lists: PathBuf,

    /// The folder of the pack
    #[arg(default_value = "models/en")]
    pack: PathBuf,
}

/// Measure how often the language of a line is right
#[derive(Debug, Args)]
pub(crate) struct IdentifyArgs {
    /// Files named after the language of their lines, such as de.txt
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(command: &LanguagesCommand) -> anyhow::Result<()> {
    match command {
        LanguagesCommand::Gazetteer(args) => gazetteer(args),
        LanguagesCommand::Identify(args) => identify(args),
    }
}

fn gazetteer(args: &GazetteerArgs) -> anyhow::Result<()> {
    let mut entries: Vec<(String, EntryFlags)> = Vec::new();
    let names = EntryFlags::GIVEN | EntryFlags::FAMILY | EntryFlags::CITY;
    let mut add = |text: &str, flags: EntryFlags| {
        let held_out = flags.bits() & names.bits() != 0 && is_held_out(text);
        if !text.is_empty() && !held_out {
            entries.push((text.to_owned(), flags));
        }
    };
    for language in Language::TAGGED.into_iter().skip(1) {
        let path = args.lists.join("languages").join(language.code()).with_extension("txt");
        let mut flags = None;
        for line in std::fs::read_to_string(path)?.lines() {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => flags = SECTIONS.iter().find(|(section, _)| *section == name),
                None => flags.into_iter().for_each(|(_, flags)| add(line, *flags)),
            }
        }
    }
    inkveil_files::write_atomically(&args.pack.join(SURROGATES), bundle(&args.lists)?.as_bytes(), true)?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(&args.lists)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "txt")) {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        // The common names of the United States are enough here.
        let most = match name {
            "given-us" => 4000,
            "family-us" => 8000,
            _ => usize::MAX,
        };
        for (_, flags) in OTHERS.iter().filter(|(start, _)| name.starts_with(start)) {
            for line in std::fs::read_to_string(file)?.lines().take(most) {
                add(line.split('\t').next().unwrap_or_default().trim(), *flags);
            }
        }
    }
    let built = Gazetteer::build(entries.iter().map(|(text, flags)| (text.as_str(), *flags)))?;
    inkveil_files::write_atomically(&args.pack.join(FILE), built.as_bytes(), true)?;
    println!("{} entries, {} bytes", built.len(), built.as_bytes().len());
    Ok(())
}

/// Returns the lists of all languages as one text, with sections such as `[de/family]`.
fn bundle(lists: &Path) -> anyhow::Result<String> {
    let mut text = NOTES.to_owned();
    for language in Language::TAGGED.into_iter().skip(1) {
        let path = lists.join("languages").join(language.code()).with_extension("txt");
        let mut wanted = false;
        for line in std::fs::read_to_string(path)?.lines() {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => {
                    wanted = DRAWN.contains(&name);
                    if wanted {
                        text.push_str(&format!("[{}/{name}]\n", language.code()));
                    }
                }
                None if wanted => text.push_str(&format!("{line}\n")),
                None => {}
            }
        }
    }
    Ok(text)
}

fn identify(args: &IdentifyArgs) -> anyhow::Result<()> {
    for file in &args.files {
        let code = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let text = std::fs::read_to_string(file)?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
        let start = std::time::Instant::now();
        for line in &lines {
            let found = passages(line);
            let longest = found.iter().max_by_key(|passage| passage.range.len());
            *counts.entry(longest.map_or("", |passage| passage.language.code())).or_default() += 1;
        }
        let speed = text.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
        let right = counts.get(code).copied().unwrap_or(0) as f64 / lines.len().max(1) as f64;
        let mut others: Vec<(&str, usize)> = counts.into_iter().filter(|(other, _)| *other != code).collect();
        others.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        others.truncate(4);
        println!("{:<24}{right:.3} of {} lines, {speed:.0} MB/s, else {others:?}", shown(file), lines.len());
    }
    Ok(())
}

fn shown(file: &Path) -> String {
    let parts: Vec<_> =
        file.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}
