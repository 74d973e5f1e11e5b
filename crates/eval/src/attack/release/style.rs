//! Attacks on the authors of released texts.

use std::collections::BTreeMap;

use inkveil_nn::SentenceEncoder;
use inkveil_style::StyleEncoder;
use serde::{Serialize, Serializer};

use super::texts::ReleasedTexts;
use crate::attack::adaptive::AdaptiveAttack;
use crate::attack::author::{AuthorAttack, AuthorAttacker, AuthorGuesses, AuthorSettings};
use crate::attack::views::Views;
use crate::metrics::{Bootstrap, Estimate};
use crate::{Error, Split, Watch};

/// The least number of texts of an author.
const LEAST_TEXTS: usize = 4;

/// If the best attacker on originals is not this much better than chance, the data cannot show
/// protection.
const LEAST_GAIN: f64 = 0.05;

/// The encoders of attackers on authors.
#[derive(Clone, Copy)]
pub struct StyleAttackModels<'a> {
    /// The encoder of styles.
    pub style: &'a StyleEncoder,
    /// The encoder of sentences.
    pub sentences: &'a SentenceEncoder,
}

/// The result of [`style`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StyleAttackReport {
    /// The number of authors.
    pub authors: usize,
    /// The number of originals that the attackers know.
    pub known_texts: usize,
    /// The number of attacked texts.
    pub attacked_texts: usize,
    /// The macro F1 of each attacker.
    #[serde(rename = "macro_f1")]
    pub attackers: Vec<StyleAttackRow>,
}

/// The macro F1 of one attacker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StyleAttackRow {
    /// The attacker.
    #[serde(serialize_with = "name")]
    pub attacker: AuthorAttacker,
    /// On the originals of the attacked texts.
    #[serde(rename = "before")]
    pub originals: Estimate,
    /// On the released texts.
    pub released: Estimate,
    /// On the released texts, by an attacker who also knows the authors of half of them.
    pub adaptive: Estimate,
}

fn name<S: Serializer>(attacker: &AuthorAttacker, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(attacker.name())
}

impl StyleAttackReport {
    /// The F1 of guessing.
    pub fn chance(&self) -> f64 {
        1.0 / self.authors as f64
    }

    /// The share of the best attacker's gain over chance that is left in the release. None if even
    /// the originals hardly reveal their authors.
    pub fn remaining(&self) -> Option<f64> {
        let best = |of: fn(&StyleAttackRow) -> f64| self.attackers.iter().map(of).fold(0.0, f64::max);
        let before = best(|row| row.originals.mean) - self.chance();
        let after = best(|row| row.released.mean.max(row.adaptive.mean)) - self.chance();
        (before >= LEAST_GAIN).then(|| (after / before).clamp(0.0, 1.0))
    }
}

/// Attacks the authors of released texts. `authors` has the author of each text. Attackers know
/// half of each author's originals, which the seed chooses, and name the authors of the others, of
/// originals and of released texts. Texts without an author, and authors with fewer than four
/// texts, are left out.
///
/// # Errors
/// If the numbers of texts and authors differ, fewer than two authors have enough texts, a model
/// fails, or the attack was cancelled.
pub fn style(
    texts: &ReleasedTexts<'_>,
    authors: &[&str],
    models: &StyleAttackModels<'_>,
    seed: u64,
    watch: &Watch<'_>,
) -> Result<StyleAttackReport, Error> {
    if authors.len() != texts.count() {
        return Err(Error::argument(format!("{} texts have {} authors", texts.count(), authors.len())));
    }
    let chosen = ChosenTexts::new(authors, seed)?;
    watch.step("encoding texts")?;
    let known = models.views(pick(&chosen.known, texts.originals()))?;
    let before = models.views(pick(&chosen.attacked, texts.originals()))?;
    let after = models.views(pick(&chosen.attacked, texts.released()))?;
    let (known_authors, attacked_authors) = (pick(&chosen.known, authors), pick(&chosen.attacked, authors));
    let f1 = |guesses: &AuthorGuesses| {
        let nothing = || Error::argument("there is nothing to attack");
        guesses.macro_f1_within(&Bootstrap::default()).ok_or_else(nothing)
    };
    let mut rows = Vec::new();
    for attacker in AuthorAttacker::ALL {
        watch.step(attacker.name())?;
        let settings = AuthorSettings::of(attacker);
        let attack = AuthorAttack::train(&settings, &known.evidence(attacker), &known_authors)?;
        let identify = |views: &Views<'_>| attack.identify(&views.evidence(attacker), &attacked_authors);
        let adaptive = AdaptiveAttack { seed }.identify(
            attacker,
            (&known, &known_authors),
            (&after, &attacked_authors),
        )?;
        rows.push(StyleAttackRow {
            attacker,
            originals: f1(&identify(&before)?)?,
            released: f1(&identify(&after)?)?,
            adaptive: f1(&adaptive)?,
        });
    }
    Ok(StyleAttackReport {
        authors: chosen.authors,
        known_texts: chosen.known.len(),
        attacked_texts: chosen.attacked.len(),
        attackers: rows,
    })
}

fn pick<'t>(positions: &[usize], all: &[&'t str]) -> Vec<&'t str> {
    positions.iter().map(|&position| all[position]).collect()
}

impl StyleAttackModels<'_> {
    fn views<'t>(&self, texts: Vec<&'t str>) -> Result<Views<'t>, Error> {
        let style = (self.style.dimension(), self.style.encode(&texts)?.concat());
        let sentence = (self.sentences.width(), self.sentences.encode(&texts)?.concat());
        Views::new(texts, style, sentence)
    }
}

/// The known and the attacked texts, of authors with enough texts.
struct ChosenTexts {
    known: Vec<usize>,
    attacked: Vec<usize>,
    authors: usize,
}

impl ChosenTexts {
    fn new(authors: &[&str], seed: u64) -> Result<Self, Error> {
        let mut of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (text, author) in authors.iter().enumerate() {
            of.entry(author).or_default().push(text);
        }
        of.retain(|author, texts| !author.is_empty() && texts.len() >= LEAST_TEXTS);
        if of.len() < 2 {
            return Err(Error::argument(format!(
                "an attack needs two authors or more with {LEAST_TEXTS} texts or more each, but there are {}",
                of.len()
            )));
        }
        let (mut known, mut attacked) = (Vec::new(), Vec::new());
        for texts in of.values() {
            let split = Split::new(texts.len(), 0.5, seed)?;
            known.extend(split.train_of(texts));
            attacked.extend(split.test_of(texts));
        }
        Ok(Self { known, attacked, authors: of.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_with_few_texts_are_left_out() {
        let authors = ["ann", "ann", "ann", "ann", "bob", "bob", "bob", "bob", "cy", ""];
        let chosen = ChosenTexts::new(&authors, 1).unwrap();
        assert_eq!((chosen.authors, chosen.known.len(), chosen.attacked.len()), (2, 4, 4));
        assert!(chosen.known.iter().chain(&chosen.attacked).all(|&text| text < 8));
        assert!(ChosenTexts::new(&authors[..5], 1).is_err());
    }

    #[test]
    fn the_remaining_share_is_relative_to_chance() {
        let estimate = |mean: f64| Estimate { mean, low: mean, high: mean };
        let report = |originals: f64, released: f64| StyleAttackReport {
            authors: 2,
            known_texts: 4,
            attacked_texts: 4,
            attackers: vec![StyleAttackRow {
                attacker: AuthorAttacker::NgramSvm,
                originals: estimate(originals),
                released: estimate(released),
                adaptive: estimate(0.1),
            }],
        };
        assert!(report(0.9, 0.7).remaining().is_some_and(|share| (share - 0.5).abs() < 1e-9));
        assert!(report(0.9, 0.2).remaining().is_some_and(|share| share.abs() < 1e-9));
        assert_eq!(report(0.52, 0.5).remaining(), None);
    }
}
