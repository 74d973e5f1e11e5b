//! Paragraphs of speeches, novels, essays and blogs (AuthorMix, Fisher et al. 2024). The label is the domain.

use std::collections::BTreeMap;
use std::path::Path;

use inkveil_nn::SplitMix;

use super::passage::fitting;
use super::{Found, Writing, read_text};
use crate::Error;

pub(super) fn read(corpus: &Path, seed: u64) -> Result<Found, Error> {
    let file = corpus.join("AuthorMix.json");
    // What the parser says may quote a text.
    let domains: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_str(&read_text(&file)?)
            .map_err(|_| Error::format("it is not texts by domain and author").in_file(&file))?;
    let mut all = Vec::new();
    for (domain, authors) in domains {
        for (author, texts) in authors {
            for (number, text) in texts.iter().enumerate() {
                let mut random = SplitMix::named(seed, &author, &[number as u64]);
                all.extend(fitting(text, &mut random).map(|text| Writing {
                    author: author.clone(),
                    label: Some(domain.clone()),
                    text: text.to_owned(),
                }));
            }
        }
    }
    Ok((all, vec![file]))
}
