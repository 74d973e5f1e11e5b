//! Reviews of films by four critics, with one of three ratings (Pang and Lee, 2005).

use std::path::Path;

use inkveil_nn::SplitMix;

use super::passage::passage;
use super::read_text;
use crate::Outcome;
use crate::files::{Row, folders, name};

/// One passage of each review, so that no review is on both sides.
pub(super) fn read(corpus: &Path, seed: u64) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for folder in folders(corpus)? {
        let critic = name(&folder);
        let part = |part: &str| read_text(&folder.join(format!("{part}.{critic}")));
        let (ids, labels, texts) = (part("id")?, part("label.3class")?, part("subj")?);
        let count = texts.lines().count();
        if ids.lines().count() != count || labels.lines().count() != count {
            return Err(format!("{}: ids, labels and reviews are not equally many", folder.display()).into());
        }
        for ((id, label), text) in ids.lines().zip(labels.lines()).zip(texts.lines()) {
            let mut random = SplitMix::named(seed, &format!("{critic} {id}"), &[]);
            rows.extend(passage(text, &mut random).map(|text| Row {
                id: format!("{critic}-{id}"),
                author: critic.replace('+', " "),
                label: Some(label.trim().to_owned()),
                text: text.to_owned(),
            }));
        }
    }
    Ok(rows)
}
