//! Paragraphs of speeches, novels, essays and blogs (AuthorMix, Fisher et al. 2024). The label is the domain.

use std::collections::BTreeMap;
use std::path::Path;

use inkveil_nn::SplitMix;

use super::passage::fitting;
use super::read_text;
use crate::Outcome;
use crate::files::Row;

pub(super) fn read(corpus: &Path, seed: u64) -> Outcome<Vec<Row>> {
    let file = corpus.join("AuthorMix.json");
    let domains: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_str(&read_text(&file)?)
            .map_err(|_| format!("{}: it is not texts by domain and author", file.display()))?;
    let mut rows = Vec::new();
    for (domain, authors) in domains {
        for (author, texts) in authors {
            for (number, text) in texts.iter().enumerate() {
                let mut random = SplitMix::named(seed, &author, &[number as u64]);
                rows.extend(fitting(text, &mut random).map(|text| Row {
                    id: format!("{author}-{number}"),
                    author: author.clone(),
                    label: Some(domain.clone()),
                    text: text.to_owned(),
                }));
            }
        }
    }
    Ok(rows)
}
