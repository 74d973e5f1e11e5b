//! Texts to learn from, and the file of texts with their rewrites.

use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use inkveil_nn::SplitMix;
use serde::{Deserialize, Serialize};

use crate::rewrite::{CandidateFault, first_passage};
use crate::{AuthorText, Error};

/// A text and the rewrite that a teacher was chosen for.
#[derive(Clone, Serialize, Deserialize)]
pub struct Pair {
    /// Its number among the texts.
    pub row: usize,
    /// Who wrote it.
    pub author: String,
    /// The text.
    pub text: String,
    /// Its rewrite.
    pub rewrite: String,
    /// Whether the text's style stands out: the prompt says so.
    pub outlier: bool,
    /// What the rewrite keeps of the meaning.
    pub meaning: f64,
    /// The fitness by which it was chosen.
    pub fitness: f64,
    /// What is wrong with it, if none was good enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<CandidateFault>,
}

/// Texts are private.
impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pair({}, meaning {:.2})", self.row, self.meaning)
    }
}

/// A passage of each of some texts, drawn so that no author has many more than another: round by round, one of each author who is left.
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
    // Stable, so that within a round the drawn order stays.
    ranked.sort_by_key(|(round, _)| *round);
    let passage = |index: usize| {
        let text = first_passage(&texts[index].text)?.to_owned();
        Some(AuthorText { text, ..texts[index].clone() })
    };
    ranked.into_iter().filter_map(|(_, index)| passage(index)).take(count).collect()
}

/// Reads the rows of a file of pairs. A last line that was not finished is left out.
pub(super) fn read(path: &Path) -> Result<Vec<Pair>, Error> {
    let failed = |error: std::io::Error| Error::io("read it", &error).of(path.display());
    let mut pairs = Vec::new();
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut line = String::new();
    while reader.read_line(&mut line).map_err(failed)? > 0 {
        if !line.ends_with('\n') {
            break;
        }
        // The parser's own message may quote the line, so only the place is kept.
        let pair = serde_json::from_str(&line).map_err(|error| {
            Error::row(path, pairs.len() + 1, format!("no pair of texts (at column {})", error.column()))
        })?;
        pairs.push(pair);
        line.clear();
    }
    Ok(pairs)
}
