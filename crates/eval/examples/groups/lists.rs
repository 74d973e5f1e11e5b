//! Groups of words that mean something alike.

use std::path::PathBuf;

use crate::Outcome;

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

/// The groups above and those of files.
pub(crate) fn with(files: &[(String, PathBuf)]) -> Outcome<Vec<(String, Vec<String>)>> {
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect();
    let mut groups: Vec<(String, Vec<String>)> =
        GROUPS.iter().map(|(name, text)| ((*name).to_owned(), words(text))).collect();
    for (name, file) in files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        groups.push((name.clone(), words(&text)));
    }
    Ok(groups)
}
