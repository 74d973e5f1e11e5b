//! A language model scores the candidates at each position again.

use std::collections::BTreeMap;

use inkveil_lexicon::Casing;

use super::beam::{Candidates, TokenAttack};
use super::continuations::{ContinuationQuery, NeuralInput};
use super::language::OUTSIDE;
use super::observed::{GuessedWords, ObservedWord};
use super::sensitive::ChannelUse;
use crate::Error;

/// The most candidates at a position, and how much less probable than the best one they may be, in
/// natural logarithms. The model hardly ever changes the score of a word by more.
const CHOICES: usize = 8;
const BEHIND: f32 = 7.0;

/// The number of words before a position, and of words after it that are scored with a candidate.
const BEFORE: usize = 40;
const AFTER: usize = 4;

/// The weight of the model. The other half is the n-gram model of texts of the same kind: the
/// neural model was trained on more texts, but on other ones.
const SHARE: f32 = 0.5;

/// A text while it is scored.
struct ScoredText<'a> {
    observed: &'a [ObservedWord],
    surfaces: &'a [String],
    guesses: GuessedWords,
    /// The words that the model gets.
    words: Vec<String>,
}

impl TokenAttack<'_> {
    /// Returns the most probable words of texts, from left to right, all texts at once.
    pub(super) fn rescore(
        &self,
        texts: &[Vec<ObservedWord>],
        candidates: &BTreeMap<ObservedWord, Candidates>,
    ) -> Result<Vec<GuessedWords>, Error> {
        let input =
            self.neural.ok_or_else(|| Error::argument("the neural attacker needs a language model"))?;
        let same_length = |(text, surfaces): (&Vec<ObservedWord>, &Vec<String>)| text.len() == surfaces.len();
        if texts.len() != input.surfaces.len() || !texts.iter().zip(input.surfaces).all(same_length) {
            return Err(Error::argument("each word of a text needs its released form"));
        }
        let mut scored: Vec<ScoredText<'_>> = texts
            .iter()
            .zip(input.surfaces)
            .map(|(observed, surfaces)| {
                let guesses = self.best_together(observed, candidates);
                let words = observed.iter().zip(&guesses).zip(surfaces);
                let words = words.map(|((word, guess), surface)| match (word, guess) {
                    (ObservedWord::Drawn(..) | ObservedWord::Gap, Some(guess)) => {
                        self.spelled(input, *guess, surface)
                    }
                    _ => surface.clone(),
                });
                ScoredText { words: words.collect(), observed, surfaces, guesses }
            })
            .collect();
        for at in 0..texts.iter().map(Vec::len).max().unwrap_or(0) {
            let mut queries = Vec::new();
            let mut choices = Vec::new();
            for (number, text) in scored.iter().enumerate() {
                let found = self.choices(text, at, candidates);
                if found.len() > 1 {
                    queries.push(text.query(
                        at,
                        found.iter().map(|(word, _)| self.spelled(input, *word, &text.surfaces[at])),
                    ));
                    choices.push((number, found));
                }
            }
            if queries.is_empty() {
                continue;
            }
            for ((number, choices), scores) in choices.into_iter().zip((input.scores)(&queries)?) {
                let value =
                    |&((_, other), score): &((usize, f32), f64)| f64::from(other) + f64::from(SHARE) * score;
                let best = choices.into_iter().zip(scores).max_by(|a, b| value(a).total_cmp(&value(b)));
                if let Some(((word, _), _)) = best {
                    let text = &mut scored[number];
                    text.words[at] = self.spelled(input, word, &text.surfaces[at]);
                    text.guesses[at] = Some(word);
                }
            }
        }
        Ok(scored.into_iter().map(|text| text.guesses).collect())
    }

    /// The candidates at a position, best first, each with its score without the model. Empty where
    /// there is nothing to guess.
    fn choices(
        &self,
        text: &ScoredText<'_>,
        at: usize,
        candidates: &BTreeMap<ObservedWord, Candidates>,
    ) -> Vec<(usize, f32)> {
        let words: &[(u32, f32)] = match text.observed.get(at) {
            Some(ObservedWord::Gap) => self.sensitive.in_gaps(),
            // Words that are known not to be sensitive serve as context only.
            Some(ObservedWord::Drawn(_, channel)) if self.channels[*channel].1 == ChannelUse::OtherWords => {
                &[]
            }
            Some(place @ ObservedWord::Drawn(..)) => {
                candidates.get(place).map_or(&[], |found| found.probable.as_slice())
            }
            _ => &[],
        };
        let near = |offset: usize| match (at + offset).checked_sub(2).map(|at| text.guesses.get(at)) {
            Some(Some(Some(word))) => *word as u32,
            _ => OUTSIDE,
        };
        let (two, one, next, last) = (near(0), near(1), near(3), near(4));
        let follows = |a: u32, b: u32, c: u32| match c {
            OUTSIDE => 0.0,
            word => self.language.after(a, b, word),
        };
        let value = |&(word, score): &(u32, f32)| {
            let follow = follows(two, one, word) + follows(one, word, next) + follows(word, next, last);
            (word as usize, score + (1.0 - SHARE) * follow)
        };
        let mut found: Vec<(usize, f32)> = words.iter().map(value).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let best = found.first().map_or(0.0, |best| best.1);
        found.retain(|(_, value)| best - value < BEHIND);
        found.truncate(CHOICES);
        found
    }

    /// A word with the casing of the released word. Hidden words are mostly names, so they are
    /// capitalised.
    fn spelled(&self, input: NeuralInput<'_>, word: usize, surface: &str) -> String {
        let text = self.space.id(word).and_then(|id| input.lexicon.vocabulary().text(id)).unwrap_or_default();
        let casing = match surface.chars().any(char::is_alphabetic) && !surface.starts_with('[') {
            true => Casing::of(surface).unwrap_or(Casing::Lower),
            false => Casing::Capital,
        };
        casing.applied(text)
    }
}

impl ScoredText<'_> {
    fn query(&self, at: usize, choices: impl Iterator<Item = String>) -> ContinuationQuery {
        let mut before = String::new();
        self.words[at.saturating_sub(BEFORE)..at].iter().for_each(|word| join(&mut before, word));
        let after = |choice: String| {
            let mut text = String::new();
            join(&mut text, &choice);
            self.words[at + 1..].iter().take(AFTER).for_each(|word| join(&mut text, word));
            // The space is part of the following word.
            if before.is_empty() { text } else { format!(" {text}") }
        };
        ContinuationQuery { after: choices.map(after).collect(), before: before.clone() }
    }
}

/// Adds a word to a text. There is no space before punctuation.
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

    use inkveil_lexicon::Lexicon;

    use super::super::{SensitiveWordCounts, TokenAttacker, TokenChannel, TokenSpace, Trigrams, Unigrams};
    use super::*;

    const WORDS: [&str; 6] = ["anna", "bertha", "lives", "in", "paris", "rome"];

    /// The guesses for "[person] lives in Paris" and for "Rome lives in Rome", where the last word
    /// was drawn. `score` is the language model.
    fn found(
        score: impl Fn(&str, &str) -> f64 + Sync,
        surfaces: usize,
    ) -> Result<[Vec<GuessedWords>; 2], Error> {
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
        let sensitive =
            SensitiveWordCounts::count([(number("anna"), true), (number("bertha"), true)].into_iter());
        let texts = [
            vec![
                ObservedWord::Gap,
                ObservedWord::Kept(number("lives")),
                ObservedWord::Kept(number("in")),
                ObservedWord::Kept(number("paris")),
            ],
            vec![
                ObservedWord::Drawn(number("rome"), 1),
                ObservedWord::Kept(number("lives")),
                ObservedWord::Kept(number("in")),
                ObservedWord::Drawn(number("rome"), 0),
            ],
        ];
        let released = [["[person]", "lives", "in", "Paris"], ["Rome", "lives", "in", "Rome"]];
        let released: Vec<Vec<String>> =
            released.iter().take(surfaces).map(|text| text.map(str::to_owned).to_vec()).collect();
        let scores = |queries: &[ContinuationQuery]| {
            let each =
                |one: &ContinuationQuery| one.after.iter().map(|after| score(&one.before, after)).collect();
            Ok(queries.iter().map(each).collect())
        };
        let attack = TokenAttack {
            space: &space,
            channels: &[(Arc::clone(&channel), ChannelUse::AllWords), (channel, ChannelUse::OtherWords)],
            language: &language,
            sensitive: &sensitive,
            neural: Some(NeuralInput { scores: &scores, surfaces: &released, lexicon: &lexicon }),
        };
        let found = attack.run(&[TokenAttacker::Language, TokenAttacker::Neural], &texts)?;
        Ok(found.try_into().unwrap())
    }

    #[test]
    fn the_model_changes_guesses() {
        // The model prefers Bertha in the gap, and Paris after "lives in".
        let [language, neural] = found(
            |before, after| match (before, after) {
                ("", "Bertha lives in Paris") => 0.0,
                (before, " Paris") if before.ends_with("lives in") => 0.0,
                _ => -30.0,
            },
            2,
        )
        .unwrap();
        let word = |found: &[GuessedWords], text: usize, at: usize| found[text][at].map(|word| WORDS[word]);
        assert_eq!((word(&language, 0, 0), word(&neural, 0, 0)), (Some("anna"), Some("bertha")));
        assert_eq!(word(&neural, 1, 3), Some("paris"));
        // Kept words, and words that are known not to be sensitive, are not scored.
        assert_eq!(neural[0][1..], language[0][1..]);
        assert_eq!(neural[1][..3], language[1][..3]);
    }

    #[test]
    fn a_constant_model_changes_nothing_and_missing_texts_are_refused() {
        let [language, neural] = found(|_, _| -1.0, 2).unwrap();
        assert_eq!(neural[0], language[0]);
        assert!(found(|_, _| 0.0, 1).unwrap_err().to_string().contains("released form"));
    }

    #[test]
    fn there_is_no_space_before_punctuation() {
        let mut text = String::new();
        ["Oil", "prices", ",", "again", "."].iter().for_each(|word| join(&mut text, word));
        assert_eq!(text, "Oil prices, again.");
    }
}
