//! `inkveil words`: inspects a lexicon.

use anyhow::{Context, anyhow};
use inkveil::lexicon::{ErrorKind, Flags, Lexicon, Neighbour};
use inkveil::pack_folder;
use serde_json::json;

use crate::args::{LexiconArgs, WordsArgs, WordsCommand};
use crate::outcome::Outcome;
use crate::{printed, table};

pub(crate) fn run(args: WordsArgs) -> anyhow::Result<Outcome> {
    match args.command {
        WordsCommand::Near { words, count, lexicon } => near(&words, count, &lexicon),
        WordsCommand::Info { lexicon } => info(&lexicon),
    }
}

fn near(words: &[String], count: usize, args: &LexiconArgs) -> anyhow::Result<Outcome> {
    let lexicon = open(args)?;
    let mut found = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        found.push(lexicon.neighbours(word, count).map_err(|error| match error.kind() {
            // The message may be logged, so it does not contain the word.
            ErrorKind::UnknownWord => anyhow!(
                "word {} is not in the {} lexicon of {}; try its base form, or another kind with --lexicon",
                index + 1,
                lexicon.kind(),
                args.pack
            ),
            _ => error.into(),
        })?);
    }
    let pairs = || words.iter().zip(&found);
    if args.json {
        let neighbour = |near: &Neighbour| json!({ "text": near.text, "cosine": near.cosine });
        let each = pairs().map(|(word, near)| {
            json!({ "word": word, "neighbours": near.iter().map(neighbour).collect::<Vec<_>>() })
        });
        return print_json(&each.collect());
    }
    let row = |word: &String, near: &Neighbour| {
        vec![word.clone(), near.text.clone(), format!("{:.4}", near.cosine)]
    };
    let rows = pairs().flat_map(|(word, near)| near.iter().map(move |near| row(word, near)));
    print_rows(&["word", "near", "cosine"], rows.collect())
}

fn info(args: &LexiconArgs) -> anyhow::Result<Outcome> {
    let lexicon = open(args)?;
    let vocabulary = lexicon.vocabulary();
    let geometry = lexicon.geometry()?;
    let [first, median, third] = geometry.nearest_quartiles();
    let components = lexicon.centring().map(|centring| centring.count());
    let flags: Vec<(&str, usize)> = Flags::ALL
        .iter()
        .map(|(flag, name)| (*name, vocabulary.count(*flag)))
        .filter(|(_, n)| *n > 0)
        .collect();
    if args.json {
        return print_json(&json!({
            "kind": lexicon.kind().name(),
            "entries": vocabulary.len(),
            "dimension": lexicon.table().dimension(),
            "allowed": vocabulary.allowed().len(),
            "flags": flags.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect::<serde_json::Map<_, _>>(),
            "centred": components.is_some(),
            "components_left_out": components.unwrap_or(0),
            "diameter": geometry.diameter(),
            "mean_cosine": geometry.mean_cosine(),
            "nearest_quartiles": [first, median, third],
        }));
    }
    let centring = match components {
        None => "no".to_owned(),
        Some(0) => "mean subtracted".to_owned(),
        Some(count) => format!("mean subtracted, {count} components removed"),
    };
    let mut rows = vec![
        ("kind", lexicon.kind().to_string()),
        ("entries", vocabulary.len().to_string()),
        ("dimension", lexicon.table().dimension().to_string()),
        ("may be released", vocabulary.allowed().len().to_string()),
        ("centred", centring),
        ("largest distance", format!("{:.6}", geometry.diameter())),
        ("mean cosine", format!("{:.6}", geometry.mean_cosine())),
        ("nearest neighbour at", format!("{median:.4} (quartiles {first:.4} and {third:.4})")),
    ];
    rows.extend(flags.into_iter().map(|(name, count)| (name, count.to_string())));
    print_rows(&["", ""], rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect())
}

fn open(args: &LexiconArgs) -> anyhow::Result<Lexicon> {
    let folder = pack_folder(&args.pack)?;
    Ok(match args.lexicon {
        None => Lexicon::open(&folder)?,
        Some(kind) => Lexicon::open_kind(&folder, kind)?,
    })
}

/// Prints a table on a terminal, and tab-separated fields otherwise. The third column holds numbers.
fn print_rows(header: &[&str], rows: Vec<Vec<String>>) -> anyhow::Result<Outcome> {
    let out = &mut printed::stdout()?;
    table::write(out, printed::is_terminal(), header, rows, [2]).context("cannot write the table")?;
    Ok(Outcome::Success)
}

fn print_json(value: &serde_json::Value) -> anyhow::Result<Outcome> {
    printed::json(value, "cannot write the JSON")?;
    Ok(Outcome::Success)
}
