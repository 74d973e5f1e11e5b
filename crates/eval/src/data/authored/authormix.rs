//! Paragraphs of speeches, novels, essays and blogs (AuthorMix, Fisher et al. 2024). The label is
//! the domain.

use std::collections::BTreeMap;
use std::path::Path;

use inkveil_nn::SplitMix;

use super::passage::fitting;
use super::text::{AuthoredText, FoundTexts, read_text};
use crate::Error;

pub(super) fn read(corpus: &Path, seed: u64) -> Result<FoundTexts, Error> {
    let file = corpus.join("AuthorMix.json");
    // The message of the parser may quote a text, so it is dropped.
    let domains: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_str(&read_text(&file)?)
            .map_err(|_| Error::format("not a JSON object of texts by domain and author").in_file(&file))?;
    let mut all = Vec::new();
    for (domain, authors) in domains {
        for (author, texts) in authors {
            for (number, text) in texts.iter().enumerate() {
                let mut random = SplitMix::named(seed, &author, &[number as u64]);
                all.extend(fitting(text, &mut random).map(|text| AuthoredText {
                    author: author.clone(),
                    label: Some(domain.clone()),
                    text: text.to_owned(),
                }));
            }
        }
    }
    Ok((all, vec![file]))
}
