//! Real documents of other projects, if `INKVEIL_DOCUMENTS` names a folder of them.

use std::collections::{BTreeMap, BTreeSet};
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
    other_text: usize,
    new_words: usize,
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
            Err(_) => Vec::new(),
        };
        if before != after {
            count.other_text += 1;
            let known: BTreeSet<&String> = before.iter().collect();
            let new = after.iter().filter(|word| !known.contains(word)).count();
            if new > 0 {
                count.new_words += 1;
                let example = after.iter().find(|word| !known.contains(word)).map_or("", String::as_str);
                println!("{}: {new} words that were not read, such as {example}", path.display());
            }
        }
    }
    for (format, count) in counts {
        let read = count.files - count.refused.values().sum::<usize>();
        let seconds = count.time.as_secs_f64().max(1e-9);
        println!(
            "{format}: {} files, {read} read, {} read differently, {} of them with new words, {:.1} MB, {:.2} MB of text, {:.0} documents/s, {:.1} MB/s, \
             {:.0} pages/s, refused: {:?}",
            count.files,
            count.other_text,
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
