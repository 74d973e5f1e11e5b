//! A language model reads what was released again, and weighs at each place what may have stood there.

use std::collections::BTreeMap;

use inkveil_lexicon::{Casing, Lexicon};

use super::beam::Candidates;
use super::language::OUTSIDE;
use super::{Place, Reconstruction, Tells, TokenAttack};
use crate::Error;

/// Originals that the model weighs at a place, and how much less probable than the best one they may be, in natural logarithms: the model hardly
/// ever says more for a word than that.
const CHOICES: usize = 8;
const BEHIND: f32 = 7.0;

/// Words that the model sees before a place, and words after it that it must make sense of.
const BEFORE: usize = 40;
const AFTER: usize = 4;

/// What the model says weighs half, the other half which words follow each other in texts of this kind: the model has read more, but other texts.
const SHARE: f32 = 0.5;

/// The beginning of a text, and what may follow it.
///
/// ```
/// use inkveil_eval::attack::Continued;
///
/// let asked = Continued { before: "The capital of France is".into(), after: vec![" Paris".into(), " piano".into()] };
/// assert_eq!(asked.after.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continued {
    /// The beginning.
    pub before: String,
    /// What may follow, each on its own.
    pub after: Vec<String>,
}

/// How likely continuations are, as a language model says: for each beginning the natural logarithm of the probability of each continuation.
pub type Scores<'a> = dyn Fn(&[Continued]) -> Result<Vec<Vec<f64>>, Error> + Sync + 'a;

/// Released texts as a language model reads them.
///
/// ```
/// use inkveil_eval::attack::{Continued, Reads};
/// use inkveil_lexicon::Lexicon;
///
/// let words = ["hot", "tea"].map(String::from).to_vec();
/// let lexicon = Lexicon::words_from_table(words, &[0.0, 1.0, 1.0, 0.0], 2)?;
/// // A model that likes what is short.
/// let scores = |asked: &[Continued]| {
///     Ok(asked.iter().map(|one| one.after.iter().map(|text| -(text.len() as f64)).collect()).collect())
/// };
/// let surfaces = [vec!["Hot".to_owned(), "[drink]".to_owned()]];
/// let reads = Reads { scores: &scores, surfaces: &surfaces, lexicon: &lexicon };
/// let asked = Continued { before: "Hot".into(), after: vec![" tea".into()] };
/// assert_eq!((reads.scores)(&[asked])?, [[-4.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Reads<'a> {
    /// The language model.
    pub scores: &'a Scores<'a>,
    /// What stands at each place of each text.
    pub surfaces: &'a [Vec<String>],
    /// The words.
    pub lexicon: &'a Lexicon,
}

/// A text while it is read.
struct Page<'a> {
    places: &'a [Place],
    surfaces: &'a [String],
    reading: Reconstruction,
    /// What the model reads at each place.
    words: Vec<String>,
}

impl TokenAttack<'_> {
    /// The most probable readings of texts, from their left to their right, all texts at once.
    pub(super) fn read_again(
        &self,
        texts: &[Vec<Place>],
        candidates: &BTreeMap<Place, Candidates>,
    ) -> Result<Vec<Reconstruction>, Error> {
        let reads = self.reads.ok_or_else(|| {
            Error::argument("the neural attacker reads with a language model, and there is none; name one")
        })?;
        let alike = |(text, surfaces): (&Vec<Place>, &Vec<String>)| text.len() == surfaces.len();
        if texts.len() != reads.surfaces.len() || !texts.iter().zip(reads.surfaces).all(alike) {
            return Err(Error::argument("each place of a text needs what stands there"));
        }
        let mut pages: Vec<Page<'_>> = texts
            .iter()
            .zip(reads.surfaces)
            .map(|(places, surfaces)| {
                let reading = self.best_together(places, candidates);
                let words = places.iter().zip(&reading).zip(surfaces);
                let words = words.map(|((place, guess), surface)| match (place, guess) {
                    (Place::Drawn(..) | Place::Gap, Some(guess)) => self.spelled(reads, *guess, surface),
                    _ => surface.clone(),
                });
                Page { words: words.collect(), places, surfaces, reading }
            })
            .collect();
        for at in 0..texts.iter().map(Vec::len).max().unwrap_or(0) {
            let mut asked = Vec::new();
            let mut choices = Vec::new();
            for (number, page) in pages.iter().enumerate() {
                let found = self.choices(page, at, candidates);
                if found.len() > 1 {
                    asked.push(page.continued(
                        at,
                        found.iter().map(|(word, _)| self.spelled(reads, *word, &page.surfaces[at])),
                    ));
                    choices.push((number, found));
                }
            }
            if asked.is_empty() {
                continue;
            }
            for ((number, choices), scores) in choices.into_iter().zip((reads.scores)(&asked)?) {
                let value =
                    |&((_, said), score): &((usize, f32), f64)| f64::from(said) + f64::from(SHARE) * score;
                let best = choices.into_iter().zip(scores).max_by(|a, b| value(a).total_cmp(&value(b)));
                if let Some(((word, _), _)) = best {
                    let page = &mut pages[number];
                    page.words[at] = self.spelled(reads, word, &page.surfaces[at]);
                    page.reading[at] = Some(word);
                }
            }
        }
        Ok(pages.into_iter().map(|page| page.reading).collect())
    }

    /// What may have stood at a place, best first, each with what everything but the model says for it; nothing where nobody asks.
    fn choices(
        &self,
        page: &Page<'_>,
        at: usize,
        candidates: &BTreeMap<Place, Candidates>,
    ) -> Vec<(usize, f32)> {
        let words: &[(u32, f32)] = match page.places.get(at) {
            Some(Place::Gap) => self.hidden.in_gaps(),
            // What is told not to be sensitive is read only as the neighbour of what is.
            Some(Place::Drawn(_, channel)) if self.channels[*channel].1 == Tells::Shown => &[],
            Some(place @ Place::Drawn(..)) => {
                candidates.get(place).map_or(&[], |found| found.probable.as_slice())
            }
            _ => &[],
        };
        let near = |offset: usize| match (at + offset).checked_sub(2).map(|at| page.reading.get(at)) {
            Some(Some(Some(word))) => *word as u32,
            _ => OUTSIDE,
        };
        let (two, one, next, last) = (near(0), near(1), near(3), near(4));
        let follows = |a: u32, b: u32, c: u32| match c {
            OUTSIDE => 0.0,
            word => self.language.after(a, b, word),
        };
        let value = |&(word, said): &(u32, f32)| {
            let follow = follows(two, one, word) + follows(one, word, next) + follows(word, next, last);
            (word as usize, said + (1.0 - SHARE) * follow)
        };
        let mut found: Vec<(usize, f32)> = words.iter().map(value).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let best = found.first().map_or(0.0, |best| best.1);
        found.retain(|(_, value)| best - value < BEHIND);
        found.truncate(CHOICES);
        found
    }

    /// A word as it would stand where something else stands. What is hidden in a gap is most often a name.
    fn spelled(&self, reads: Reads<'_>, word: usize, surface: &str) -> String {
        let text = self.space.id(word).and_then(|id| reads.lexicon.vocabulary().text(id)).unwrap_or_default();
        let casing = match surface.chars().any(char::is_alphabetic) && !surface.starts_with('[') {
            true => Casing::of(surface).unwrap_or(Casing::Lower),
            false => Casing::Capital,
        };
        casing.applied(text)
    }
}

impl Page<'_> {
    fn continued(&self, at: usize, choices: impl Iterator<Item = String>) -> Continued {
        let mut before = String::new();
        self.words[at.saturating_sub(BEFORE)..at].iter().for_each(|word| join(&mut before, word));
        let after = |choice: String| {
            let mut text = String::new();
            join(&mut text, &choice);
            self.words[at + 1..].iter().take(AFTER).for_each(|word| join(&mut text, word));
            // The space belongs to the word that follows it.
            if before.is_empty() { text } else { format!(" {text}") }
        };
        Continued { after: choices.map(after).collect(), before: before.clone() }
    }
}

/// Adds a word to a text; marks stand close to the word before.
fn join(text: &mut String, word: &str) {
    let is_word = word.chars().next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '[' | '('));
    if is_word && !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Hidden, TokenAttacker, TokenChannel, TokenSpace, Trigrams, Unigrams};
    use super::*;

    const WORDS: [&str; 6] = ["anna", "bertha", "lives", "in", "paris", "rome"];

    /// What attackers find in "[person] lives in Paris" and in "Rome lives in Rome", where the last word was drawn; `likes` is what the model does.
    fn found(
        likes: impl Fn(&str, &str) -> f64 + Sync,
        surfaces: usize,
    ) -> Result<[Vec<Reconstruction>; 2], Error> {
        let rows: Vec<f32> = (0..WORDS.len())
            .flat_map(|i| {
                let angle = i as f32 / 6.0 * std::f32::consts::TAU;
                [angle.cos(), angle.sin()]
            })
            .collect();
        let lexicon =
            Arc::new(Lexicon::words_from_table(WORDS.map(String::from).to_vec(), &rows, 2).unwrap());
        let space = TokenSpace::new(&lexicon);
        let number = |word: &str| space.number(lexicon.find(word).unwrap()).unwrap();
        let draws: Vec<(usize, usize)> = (0..360).map(|i| (i % 6, (i + i / 6) % 6)).collect();
        let channel = Arc::new(TokenChannel::learn(&space, &draws).unwrap());
        let seen = [
            vec!["anna", "bertha"],
            vec!["anna", "lives", "in", "paris"],
            vec!["bertha", "lives", "in", "rome"],
        ];
        let seen: Vec<Vec<Option<usize>>> =
            seen.iter().map(|text| text.iter().map(|word| Some(number(word))).collect()).collect();
        let language = Trigrams::count(
            Unigrams::count(space.len(), seen.iter().flatten().flatten().copied()),
            seen.iter().map(Vec::as_slice),
        );
        let hidden = Hidden::count([(number("anna"), true), (number("bertha"), true)].into_iter());
        let texts = [
            vec![
                Place::Gap,
                Place::Kept(number("lives")),
                Place::Kept(number("in")),
                Place::Kept(number("paris")),
            ],
            vec![
                Place::Drawn(number("rome"), 1),
                Place::Kept(number("lives")),
                Place::Kept(number("in")),
                Place::Drawn(number("rome"), 0),
            ],
        ];
        let said = [["[person]", "lives", "in", "Paris"], ["Rome", "lives", "in", "Rome"]];
        let said: Vec<Vec<String>> =
            said.iter().take(surfaces).map(|text| text.map(str::to_owned).to_vec()).collect();
        let scores = |asked: &[Continued]| {
            let each = |one: &Continued| one.after.iter().map(|after| likes(&one.before, after)).collect();
            Ok(asked.iter().map(each).collect())
        };
        let attack = TokenAttack {
            space: &space,
            channels: &[(Arc::clone(&channel), Tells::Nothing), (channel, Tells::Shown)],
            language: &language,
            hidden: &hidden,
            reads: Some(Reads { scores: &scores, surfaces: &said, lexicon: &lexicon }),
        };
        let found = attack.run(&[TokenAttacker::Language, TokenAttacker::Neural], &texts)?;
        Ok(found.try_into().unwrap())
    }

    #[test]
    fn what_the_model_finds_likely_is_guessed() {
        // It likes Bertha in the gap, with what follows, and Paris after "lives in".
        let [language, neural] = found(
            |before, after| match (before, after) {
                ("", "Bertha lives in Paris") => 0.0,
                (before, " Paris") if before.ends_with("lives in") => 0.0,
                _ => -30.0,
            },
            2,
        )
        .unwrap();
        let word = |found: &[Reconstruction], text: usize, at: usize| found[text][at].map(|word| WORDS[word]);
        assert_eq!((word(&language, 0, 0), word(&neural, 0, 0)), (Some("anna"), Some("bertha")));
        assert_eq!(word(&neural, 1, 3), Some("paris"));
        // What was kept, and what is told not to be sensitive, is not weighed.
        assert_eq!(neural[0][1..], language[0][1..]);
        assert_eq!(neural[1][..3], language[1][..3]);
    }

    #[test]
    fn a_model_that_knows_nothing_changes_little_and_missing_texts_are_told() {
        let [language, neural] = found(|_, _| -1.0, 2).unwrap();
        assert_eq!(neural[0], language[0]);
        assert!(found(|_, _| 0.0, 1).unwrap_err().to_string().contains("what stands there"));
    }

    #[test]
    fn marks_stand_close() {
        let mut text = String::new();
        ["Oil", "prices", ",", "again", "."].iter().for_each(|word| join(&mut text, word));
        assert_eq!(text, "Oil prices, again.");
    }
}
