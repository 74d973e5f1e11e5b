//! Real documents of other projects, if `INKVEIL_DOCUMENTS` names a folder of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use inkveil_documents::{Document, DocumentFormat, ErrorKind, Limits, Purpose};

#[derive(Default)]
struct Count {
    files: usize,
    bytes: usize,
    text: usize,
    time: Duration,
    refused: BTreeMap<String, usize>,
    /// Files whose words differ after writing, files where only their order does, and files that are not read again.
    other_words: usize,
    other_order: usize,
    not_again: usize,
    /// Files with words that were not read at first, and how many these are.
    files_with_new_words: usize,
    new_words: usize,
}

/// How often each word is in a text.
fn counted(words: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    words.iter().for_each(|word| *counts.entry(word.as_str()).or_default() += 1);
    counts
}

/// The words that are in one text more often than in another.
fn more<'w>(one: &BTreeMap<&'w str, usize>, other: &BTreeMap<&str, usize>) -> Vec<&'w str> {
    one.iter()
        .filter(|(word, count)| **count > other.get(*word).copied().unwrap_or(0))
        .map(|(w, _)| *w)
        .collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn real_documents_are_read_and_written() {
    let Some(folder) = std::env::var_os("INKVEIL_DOCUMENTS") else {
        println!("skipped: INKVEIL_DOCUMENTS names no folder");
        return;
    };
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    let mut counts: BTreeMap<DocumentFormat, Count> = BTreeMap::new();
    for path in paths {
        let Some(format) = DocumentFormat::of(&path) else { continue };
        let bytes = std::fs::read(&path).unwrap();
        let count = counts.entry(format).or_default();
        count.files += 1;
        let begun = Instant::now();
        let document = match Document::open(&bytes, format, Purpose::Release, &Limits::default()) {
            Ok(document) => document,
            Err(error) => {
                let kind = match error.kind() {
                    ErrorKind::Damaged { what, .. } => (*what).to_owned(),
                    kind => kind.to_string(),
                };
                *count.refused.entry(kind).or_default() += 1;
                continue;
            }
        };
        let written = document.written(document.text()).unwrap();
        count.time += begun.elapsed();
        count.bytes += bytes.len();
        count.text += document.text().len();
        // What was written reads the same, and above all it holds no word that was not read.
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let before = words(document.text());
        let after = match Document::open(&written, format, Purpose::Release, &Limits::default()) {
            Ok(again) => words(again.text()),
            Err(error) => {
                count.not_again += 1;
                println!("{}: not read again: {error}", path.display());
                continue;
            }
        };
        let (was, is) = (counted(&before), counted(&after));
        let (lost, more) = (more(&was, &is), more(&is, &was));
        let new = after.iter().filter(|word| !was.contains_key(word.as_str())).count();
        count.new_words += new;
        count.files_with_new_words += usize::from(new > 0);
        if was != is {
            count.other_words += 1;
            let some = |words: &[&str]| words.iter().take(4).copied().collect::<Vec<_>>().join(" ");
            println!(
                "{}: {new} words that were not read; more often: {}; less often: {}",
                path.display(),
                some(&more),
                some(&lost)
            );
        } else if before != after {
            count.other_order += 1;
            println!("{}: the same words in another order", path.display());
        }
    }
    for (format, count) in counts {
        let read = count.files - count.refused.values().sum::<usize>();
        let seconds = count.time.as_secs_f64().max(1e-9);
        println!(
            "{format}: {} files, {read} read, {} with other words, {} in another order, {} not read again, {} with new words ({} words), \
             {:.1} MB, {:.2} MB of text, {:.0} documents/s, {:.1} MB/s, {:.0} pages/s, refused: {:?}",
            count.files,
            count.other_words,
            count.other_order,
            count.not_again,
            count.files_with_new_words,
            count.new_words,
            count.bytes as f64 / 1e6,
            count.text as f64 / 1e6,
            read as f64 / seconds,
            count.bytes as f64 / 1e6 / seconds,
            count.text as f64 / 3000.0 / seconds,
            count.refused
        );
    }
}
