//! Groups of words that mean something alike.

use std::path::PathBuf;

use inkveil_detect::Kind;
use inkveil_eval::Sensitive;
use inkveil_nn::SplitMix;

use crate::Outcome;
use crate::options::Options;

const GROUPS: [(&str, &str); 6] = [
    ("weekdays", "monday tuesday wednesday thursday friday saturday sunday"),
    ("months", "january february march april june july august september october november december"),
    (
        "gender",
        "he she his her him man woman men women boy girl father mother son daughter husband wife king queen",
    ),
    (
        "countries",
        "china japan india iraq iran france germany italy spain russia canada australia britain england israel turkey \
         pakistan afghanistan brazil mexico egypt greece korea sudan",
    ),
    (
        "cities",
        "london paris tokyo baghdad beijing moscow washington boston chicago athens jerusalem singapore sydney toronto \
         berlin frankfurt seoul houston atlanta seattle",
    ),
    ("numbers", "two three four five six seven eight nine ten twelve twenty hundred thousand"),
];

/// Lines of a file, and the words of groups in them.
pub(crate) fn read(options: &Options) -> Outcome<(Vec<String>, Sensitive)> {
    let lists = with(&options.words)?;
    let words: Vec<(&str, Kind)> = lists
        .iter()
        .flat_map(|(name, words)| words.iter().map(|word| (word.as_str(), Kind::named(name))))
        .collect();
    let texts = chosen(std::fs::read_to_string(&options.texts)?, &words, options.most)?;
    let views: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sensitive = Sensitive::of_words(&views, &words, options.least)?;
    Ok((texts, sensitive))
}

/// The groups above and those of files.
fn with(files: &[(String, PathBuf)]) -> Outcome<Vec<(String, Vec<String>)>> {
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect();
    let mut groups: Vec<(String, Vec<String>)> =
        GROUPS.iter().map(|(name, text)| ((*name).to_owned(), words(text))).collect();
    for (name, file) in files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        groups.push((name.clone(), words(&text)));
    }
    Ok(groups)
}

/// At most so many texts: those with a word of the groups first, then others, each in a random order.
fn chosen(file: String, words: &[(&str, Kind)], most: usize) -> Outcome<Vec<String>> {
    let mut lines: Vec<&str> = file.lines().filter(|line| !line.trim().is_empty()).collect();
    SplitMix::named(1, "texts", &[]).shuffle(&mut lines);
    let sensitive = Sensitive::of_words(&lines, words, 1)?;
    let (mut with, without): (Vec<usize>, Vec<usize>) =
        (0..lines.len()).partition(|&index| !sensitive.tokens()[index].is_empty());
    with.extend(without);
    with.truncate(most);
    Ok(with.into_iter().map(|index| lines[index].to_owned()).collect())
}
