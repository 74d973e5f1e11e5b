//! Who wrote it? Attackers who know other texts of each author.

use std::fmt;
use std::str::FromStr;

use super::evidence::Reader;
use super::linear::highest;
use super::{Evidence, Learner, LinearModel, LinearSettings, NgramSettings};
use crate::Error;
use crate::metrics::{self, Bootstrap, Estimate, Group};

/// The attackers by name.
///
/// ```
/// use inkveil_eval::attack::Attacker;
///
/// assert_eq!("ngram-svm".parse::<Attacker>()?, Attacker::NgramSvm);
/// assert_eq!(Attacker::StyleLogistic.name(), "style-logistic");
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attacker {
    /// Runs of characters and words, and a support vector machine: what stylometry has used for decades. It needs texts only.
    NgramSvm,
    /// Logistic regression on style vectors: the transfer attacker of STAMP-R (its Appendix A). It needs vectors only.
    StyleLogistic,
    /// Logistic regression on sentence vectors and n-grams together. It stands for the fine-tuned BERT that STAMP-R's authors train on
    /// originals: the vectors come from an encoder that stays as it is, and what that misses the n-grams see. It needs both.
    AuthorClassifier,
}

impl Attacker {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NgramSvm, Self::StyleLogistic, Self::AuthorClassifier];

    /// Its name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::NgramSvm => "ngram-svm",
            Self::StyleLogistic => "style-logistic",
            Self::AuthorClassifier => "author-classifier",
        }
    }
}

impl fmt::Display for Attacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Attacker {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|attacker| attacker.name() == name).ok_or_else(|| {
            Error::argument(
                "an attacker is ngram-svm, style-logistic or author-classifier; choose one of them",
            )
        })
    }
}

/// What an attacker looks at and how it learns.
///
/// ```
/// use inkveil_eval::attack::{Attacker, AuthorSettings};
///
/// let mut settings = AuthorSettings::of(Attacker::AuthorClassifier);
/// settings.ngrams = None; // sentence vectors only
/// assert!(settings.vectors);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AuthorSettings {
    /// What is counted in the texts; none if they are not looked at.
    pub ngrams: Option<NgramSettings>,
    /// Whether the vectors are looked at.
    pub vectors: bool,
    /// How it learns.
    pub learner: Learner,
    /// How closely.
    pub linear: LinearSettings,
}

impl AuthorSettings {
    /// The settings of an attacker.
    pub fn of(attacker: Attacker) -> Self {
        let (ngrams, vectors, learner) = match attacker {
            Attacker::NgramSvm => (true, false, Learner::Svm),
            Attacker::StyleLogistic => (false, true, Learner::Logistic),
            Attacker::AuthorClassifier => (true, true, Learner::Logistic),
        };
        let mut linear = LinearSettings::default();
        if learner == Learner::Logistic {
            // Rows have a length near 1, and with the usual cost of 1 all authors would seem about equally likely.
            linear.cost = 100.0;
        }
        Self { ngrams: ngrams.then(NgramSettings::default), vectors, learner, linear }
    }
}

/// An attacker who has learnt some authors. Authors may be named by anything that has an order: a string, a number; or they may be no
/// authors at all but values of an attribute, say an age, if that is what is to be found out.
///
/// ```
/// use inkveil_eval::attack::{Attacker, AuthorAttack, AuthorSettings, Evidence};
///
/// let texts = ["Well... I dunno; maybe?", "Well... maybe; who knows?", "I AM SURE!!", "WE ARE SURE!!"];
/// let mut settings = AuthorSettings::of(Attacker::NgramSvm);
/// settings.ngrams.as_mut().unwrap().least_texts = 1;
/// let attack = AuthorAttack::train(&settings, &Evidence::texts(&texts), &["ann", "ann", "bob", "bob"])?;
///
/// let guesses = attack.identify(&Evidence::texts(&["Hm... I dunno; well?", "I AM!!"]), &["ann", "bob"])?;
/// assert_eq!(guesses.macro_f1(), Some(1.0));
/// assert_eq!(guesses.all()[0].rank, 1);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct AuthorAttack<L> {
    /// In ascending order.
    authors: Vec<L>,
    reader: Reader,
    model: LinearModel,
}

impl<L: Ord + Clone> AuthorAttack<L> {
    /// Trains on what is known of some texts, and the author of each. The work is done on the calling thread.
    ///
    /// # Errors
    /// If texts and authors are not equally many, there are fewer than two authors, the attacker needs something that is not given, or
    /// a setting makes no sense.
    pub fn train(settings: &AuthorSettings, evidence: &Evidence<'_>, authors: &[L]) -> Result<Self, Error> {
        check_count(evidence, authors.len())?;
        let mut known = authors.to_vec();
        known.sort_unstable();
        known.dedup();
        if known.len() < 2 {
            return Err(Error::argument(format!(
                "there are texts of {} authors; an attack tells two or more apart",
                known.len()
            )));
        }
        let labels: Vec<usize> =
            authors.iter().filter_map(|author| known.binary_search(author).ok()).collect();
        let reader = Reader::learn(evidence, settings.ngrams.as_ref(), settings.vectors)?;
        let rows = reader.rows(evidence)?;
        let model = LinearModel::train(&rows, &labels, known.len(), settings.learner, &settings.linear)?;
        Ok(Self { authors: known, reader, model })
    }

    /// The authors, in ascending order.
    pub fn authors(&self) -> &[L] {
        &self.authors
    }

    /// The score of each author for each text, text by text: probabilities of the logistic learner, margins of the other.
    ///
    /// # Errors
    /// If the evidence is not of the kind that was trained on.
    pub fn scores(&self, evidence: &Evidence<'_>) -> Result<Vec<f32>, Error> {
        self.model.scores(&self.reader.rows(evidence)?)
    }

    /// What the attacker makes of texts whose authors are known to us.
    ///
    /// # Errors
    /// As [`scores`](Self::scores), and if texts and authors are not equally many or an author was not trained on.
    pub fn identify(&self, evidence: &Evidence<'_>, authors: &[L]) -> Result<Guesses, Error> {
        check_count(evidence, authors.len())?;
        let truths: Vec<usize> = authors
            .iter()
            .map(|author| self.authors.binary_search(author))
            .collect::<Result<_, _>>()
            .map_err(|_| Error::argument("a text is of an author who was not trained on; leave it out"))?;
        let scores = self.scores(evidence)?;
        let probable = self.model.learner() == Learner::Logistic;
        let guess = |(scores, author): (&[f32], usize)| Guess {
            author,
            guessed: highest(scores),
            rank: rank(scores, author),
            probability: probable.then(|| scores[author]),
        };
        Ok(Guesses { all: scores.chunks_exact(self.authors.len()).zip(truths).map(guess).collect() })
    }
}

fn check_count(evidence: &Evidence<'_>, authors: usize) -> Result<(), Error> {
    match evidence.len()? {
        0 => Err(Error::argument("there are no texts")),
        texts if texts != authors => Err(Error::argument(format!("{texts} texts have {authors} authors"))),
        _ => Ok(()),
    }
}

/// From 1; of equally high scores the first comes first.
fn rank(scores: &[f32], author: usize) -> usize {
    let own = scores[author];
    let before = |(index, score): (usize, &f32)| score.total_cmp(&own).then(author.cmp(&index)).is_gt();
    1 + scores.iter().enumerate().filter(|&at| before(at)).count()
}

impl<L> fmt::Debug for AuthorAttack<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuthorAttack({} authors, {:?})", self.authors.len(), self.model.learner())
    }
}

/// What an attacker makes of a text. Authors are places in [`AuthorAttack::authors`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    /// Who wrote it.
    pub author: usize,
    /// Who the attacker says wrote it.
    pub guessed: usize,
    /// The place of who wrote it among all authors, from 1: how many names the attacker would have to try.
    pub rank: usize,
    /// How likely the attacker thinks who wrote it; none if the learner gives no probabilities.
    pub probability: Option<f32>,
}

impl Guess {
    /// Whether the attacker is right.
    pub fn is_right(&self) -> bool {
        self.author == self.guessed
    }
}

/// What an attacker makes of texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Guesses {
    all: Vec<Guess>,
}

impl Guesses {
    /// Text by text.
    pub fn all(&self) -> &[Guess] {
        &self.all
    }

    /// Those on the texts in these places, in this order; places without a text are left out.
    #[must_use]
    pub fn chosen(&self, texts: &[usize]) -> Self {
        texts.iter().filter_map(|&text| self.all.get(text).copied()).collect()
    }

    /// How often the attacker is right; the interval is over texts. None if there are no texts.
    pub fn accuracy(&self, bootstrap: &Bootstrap) -> Option<Estimate> {
        let right = |guess: &Guess| Group { sum: f64::from(u8::from(guess.is_right())), count: 1 };
        bootstrap.mean(&self.all.iter().map(right).collect::<Vec<_>>())
    }

    /// The mean F1 of all authors, as STAMP-R reports it. None if there are no texts.
    pub fn macro_f1(&self) -> Option<f64> {
        let pair = |guess: &Guess| (guess.author, guess.guessed);
        metrics::macro_f1(&self.all.iter().map(pair).collect::<Vec<_>>())
    }

    /// The mean F1 of all authors with its interval over texts. None if there are no texts.
    pub fn macro_f1_within(&self, bootstrap: &Bootstrap) -> Option<Estimate> {
        let pairs: Vec<(usize, usize)> = self.all.iter().map(|guess| (guess.author, guess.guessed)).collect();
        bootstrap.statistic(&pairs, metrics::macro_f1)
    }

    /// The mean place of who wrote a text, from 1. None if there are no texts.
    pub fn mean_rank(&self) -> Option<f64> {
        let sum: f64 = self.all.iter().map(|guess| guess.rank as f64).sum();
        (!self.all.is_empty()).then(|| sum / self.all.len() as f64)
    }

    /// The mean probability of who wrote a text. None if there are no texts, or the learner gives no probabilities.
    pub fn mean_probability(&self) -> Option<f64> {
        let all: Option<Vec<f64>> = self.all.iter().map(|guess| guess.probability.map(f64::from)).collect();
        all.filter(|all| !all.is_empty()).map(|all| all.iter().sum::<f64>() / all.len() as f64)
    }
}

impl FromIterator<Guess> for Guesses {
    fn from_iter<I: IntoIterator<Item = Guess>>(guesses: I) -> Self {
        Self { all: guesses.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use inkveil_nn::SplitMix;

    use super::*;

    const AUTHORS: usize = 6;

    /// Texts of authors who choose among the same words, each with habits of punctuation and of little words.
    fn texts(each: usize, seed: u64) -> (Vec<String>, Vec<usize>) {
        let words = ["river", "stone", "walked", "over", "green", "house", "slowly", "with", "light", "old"];
        let habits = [" - ", "; ", "... ", "! ", " and ", ", so "];
        let mut random = SplitMix::named(seed, "texts", &[]);
        let mut draw = |count: usize| (random.next() % count as u64) as usize;
        let authors: Vec<usize> = (0..AUTHORS * each).map(|i| i % AUTHORS).collect();
        let text = |&author: &usize| {
            let piece = |_| {
                let joint = if draw(3) == 0 { habits[author] } else { " " };
                format!("{}{joint}", words[draw(words.len())])
            };
            (0..25).map(piece).collect()
        };
        (authors.iter().map(text).collect(), authors)
    }

    /// A direction for each author, and noise.
    fn vectors(authors: &[usize], seed: u64) -> Vec<f32> {
        let mut random = SplitMix::named(seed, "vectors", &[]);
        let at = |author: usize, i: usize| if i % AUTHORS == author { 2.0 } else { 0.0 };
        let all = authors.iter().flat_map(|&author| (0..12).map(move |i| at(author, i)));
        all.map(|x| x + random.normals()[0] as f32).collect()
    }

    #[test]
    fn planted_authors_are_found() {
        let ((known, authors), (new, truths)) = (texts(20, 1), texts(10, 2));
        let (known, new): (Vec<&str>, Vec<&str>) =
            (known.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let (known_vectors, new_vectors) = (vectors(&authors, 1), vectors(&truths, 2));
        let (train, test) = (
            Evidence::texts(&known).with_vectors(12, &known_vectors),
            Evidence::texts(&new).with_vectors(12, &new_vectors),
        );
        let mut f1 = Vec::new();
        for attacker in Attacker::ALL {
            let attack = AuthorAttack::train(&AuthorSettings::of(attacker), &train, &authors).unwrap();
            let guesses = attack.identify(&test, &truths).unwrap();
            assert!(guesses.macro_f1().unwrap() > 0.75, "{attacker}: {:?}", guesses.macro_f1());
            assert!(guesses.mean_rank().unwrap() < 1.5);
            let accuracy = guesses.accuracy(&Bootstrap::default()).unwrap();
            assert!(accuracy.low <= accuracy.mean && accuracy.mean <= accuracy.high);
            assert_eq!(guesses.mean_probability().is_some(), attacker != Attacker::NgramSvm);
            f1.push(guesses.macro_f1().unwrap());
        }
        assert!(f1[2] >= f1[1], "who sees both finds no less than who sees one: {f1:?}");
    }

    #[test]
    fn nobody_is_found_in_noise() {
        let authors: Vec<usize> = (0..120).map(|i| i % AUTHORS).collect();
        let noise: Vec<f32> = vectors(&vec![AUTHORS; 240], 3);
        let (train, test) = noise.split_at(noise.len() / 2);
        let settings = AuthorSettings::of(Attacker::StyleLogistic);
        let attack = AuthorAttack::train(&settings, &Evidence::vectors(12, train), &authors).unwrap();
        let guesses = attack.identify(&Evidence::vectors(12, test), &authors).unwrap();
        let accuracy = guesses.accuracy(&Bootstrap::default()).unwrap();
        assert!(accuracy.low < 1.0 / 6.0 && accuracy.high < 0.35, "{accuracy}");
        let rank = guesses.mean_rank().unwrap();
        assert!((2.5..4.5).contains(&rank), "{rank}");
    }

    #[test]
    fn some_texts_are_judged_alone() {
        let guess = |author, guessed| Guess { author, guessed, rank: 1, probability: None };
        let guesses: Guesses = [guess(0, 0), guess(1, 0), guess(1, 1), guess(0, 1)].into_iter().collect();
        let right = guesses.chosen(&[0, 2, 9]);
        assert_eq!((right.all().len(), right.macro_f1()), (2, Some(1.0)));
        let estimate = guesses.macro_f1_within(&Bootstrap::default()).unwrap();
        assert_eq!(Some(estimate.mean), guesses.macro_f1());
        assert!(estimate.low < 0.5 && estimate.high > 0.5, "{estimate}");
        assert_eq!(guesses.chosen(&[]).macro_f1_within(&Bootstrap::default()), None);
    }

    #[test]
    fn ranks_agree_with_the_guess() {
        assert_eq!([0, 1, 2].map(|author| rank(&[0.2, 0.5, 0.2], author)), [2, 1, 3]);
        assert_eq!(highest(&[0.5, 0.5]), 0);
        assert_eq!(rank(&[0.5, 0.5], 0), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let settings = AuthorSettings::of(Attacker::StyleLogistic);
        let train = |rows: &[f32], authors: &[&str]| {
            AuthorAttack::train(&settings, &Evidence::vectors(1, rows), authors).map(|a| a.authors().len())
        };
        assert!(train(&[1.0, 2.0], &["a", "a"]).is_err(), "a single author");
        assert!(train(&[], &[]).is_err());
        assert!(train(&[1.0, 2.0], &["a", "b", "a"]).is_err());
        assert_eq!(train(&[1.0, 2.0], &["b", "a"]).unwrap(), 2);
        let attack = AuthorAttack::train(&settings, &Evidence::vectors(1, &[1.0, 2.0]), &["a", "b"]).unwrap();
        let error = attack.identify(&Evidence::vectors(1, &[1.0]), &["secret name"]).unwrap_err();
        assert!(!error.to_string().contains("secret"));
        assert!(attack.identify(&Evidence::vectors(1, &[1.0]), &["a", "b"]).is_err());
        assert!(attack.identify(&Evidence::texts(&["x"]), &["a"]).is_err());
        assert!("bert".parse::<Attacker>().is_err());
    }
}
