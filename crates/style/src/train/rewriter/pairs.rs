//! Texts for training, and the file of texts with their rewrites.

use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use inkveil_nn::SplitMix;
use serde::{Deserialize, Serialize};

use crate::rewrite::{CandidateFault, first_passage};
use crate::{AuthorText, Error};

/// A text and the teacher's best rewrite of it.
#[derive(Clone, Serialize, Deserialize)]
pub struct RewritePair {
    /// The index of the text.
    pub row: usize,
    /// The author.
    pub author: String,
    /// The text.
    pub text: String,
    /// Its rewrite.
    pub rewrite: String,
    /// Whether the style of the text is an outlier. The prompt depends on it.
    pub outlier: bool,
    /// The share of the meaning that the rewrite keeps.
    pub meaning: f64,
    /// The fitness of the rewrite.
    pub fitness: f64,
    /// The fault of the rewrite, if no candidate was good enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<CandidateFault>,
}

/// Shows no text.
impl fmt::Debug for RewritePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RewritePair({}, meaning {:.2})", self.row, self.meaning)
    }
}

/// Returns a passage of each of some texts. They are drawn in rounds with one text of each
/// remaining author, so that authors have similar numbers of texts.
pub(super) fn sample(texts: &[AuthorText], count: usize, seed: u64) -> Vec<AuthorText> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    SplitMix::named(seed, "texts", &[]).shuffle(&mut order);
    let mut rounds: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    let mut ranked: Vec<(usize, usize)> = order
        .iter()
        .map(|&index| {
            let round = rounds.entry(&texts[index].author).or_default();
            *round += 1;
            (*round, index)
        })
        .collect();
    // A stable sort keeps the drawn order within a round.
    ranked.sort_by_key(|(round, _)| *round);
    let passage = |index: usize| {
        let text = first_passage(&texts[index].text)?.to_owned();
        Some(AuthorText { text, ..texts[index].clone() })
    };
    ranked.into_iter().filter_map(|(_, index)| passage(index)).take(count).collect()
}

/// Reads the rows of a file of pairs. An incomplete last line is ignored.
pub(super) fn read(path: &Path) -> Result<Vec<RewritePair>, Error> {
    let failed = |error: std::io::Error| Error::io("read it", &error).of(path.display());
    let mut pairs = Vec::new();
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut line = String::new();
    while reader.read_line(&mut line).map_err(failed)? > 0 {
        if !line.ends_with('\n') {
            break;
        }
        // The parser's own message may quote the line, so only the column is kept.
        let pair = serde_json::from_str(&line).map_err(|error| {
            Error::row(path, pairs.len() + 1, format!("not a pair of texts (at column {})", error.column()))
        })?;
        pairs.push(pair);
        line.clear();
    }
    Ok(pairs)
}
