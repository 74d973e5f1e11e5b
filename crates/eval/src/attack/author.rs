//! Attackers on authorship, who know other texts of each author.

use std::fmt;
use std::str::FromStr;

use super::evidence::{Evidence, FeatureExtractor};
use super::linear::{Learner, LinearModel, LinearSettings, highest};
use super::ngrams::NgramSettings;
use crate::Error;
use crate::metrics::{self, Bootstrap, Estimate, ValueSum};

/// The attackers on authorship.
///
/// ```
/// use inkveil_eval::attack::AuthorAttacker;
///
/// assert_eq!("ngram-svm".parse::<AuthorAttacker>()?, AuthorAttacker::NgramSvm);
/// assert_eq!(AuthorAttacker::StyleLogistic.name(), "style-logistic");
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorAttacker {
    /// A support vector machine on n-grams of characters and words, the classic of stylometry. It
    /// needs texts only.
    NgramSvm,
    /// Logistic regression on style vectors: the transfer attacker of STAMP-R (Appendix A). It
    /// needs vectors only.
    StyleLogistic,
    /// Logistic regression on sentence vectors and n-grams. It replaces the fine-tuned BERT of
    /// STAMP-R: the encoder is not fine-tuned, and the n-grams add what it misses. It needs texts
    /// and vectors.
    AuthorClassifier,
}

impl AuthorAttacker {
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

impl fmt::Display for AuthorAttacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AuthorAttacker {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|attacker| attacker.name() == name)
            .ok_or_else(|| Error::argument("an attacker is ngram-svm, style-logistic or author-classifier"))
    }
}

/// The features and training settings of an attacker.
///
/// ```
/// use inkveil_eval::attack::{AuthorAttacker, AuthorSettings};
///
/// let mut settings = AuthorSettings::of(AuthorAttacker::AuthorClassifier);
/// settings.ngrams = None; // sentence vectors only
/// assert!(settings.vectors);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AuthorSettings {
    /// The n-grams of texts, if they are used.
    pub ngrams: Option<NgramSettings>,
    /// Whether vectors are used.
    pub vectors: bool,
    /// How the classifier is fitted.
    pub learner: Learner,
    /// The settings of the classifier.
    pub linear: LinearSettings,
}

impl AuthorSettings {
    /// Returns the settings of an attacker.
    pub fn of(attacker: AuthorAttacker) -> Self {
        let (ngrams, vectors, learner) = match attacker {
            AuthorAttacker::NgramSvm => (true, false, Learner::Svm),
            AuthorAttacker::StyleLogistic => (false, true, Learner::Logistic),
            AuthorAttacker::AuthorClassifier => (true, true, Learner::Logistic),
        };
        let mut linear = LinearSettings::default();
        if learner == Learner::Logistic {
            // Rows have a length near 1. With a cost of 1, all authors would seem about equally
            // likely.
            linear.cost = 100.0;
        }
        Self { ngrams: ngrams.then(NgramSettings::default), vectors, learner, linear }
    }
}

/// An attacker trained on some authors. An author can be any ordered value, for example a string or
/// a number, or the value of an attribute such as an age.
///
/// ```
/// use inkveil_eval::attack::{AuthorAttacker, AuthorAttack, AuthorSettings, Evidence};
///
/// let texts = ["Well... I dunno; maybe?", "Well... maybe; who knows?", "I AM SURE!!", "WE ARE SURE!!"];
/// let mut settings = AuthorSettings::of(AuthorAttacker::NgramSvm);
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
    features: FeatureExtractor,
    model: LinearModel,
}

impl<L: Ord + Clone> AuthorAttack<L> {
    /// Trains on evidence of some texts and the author of each. Uses the calling thread only.
    ///
    /// # Errors
    /// If the numbers of texts and authors differ, there are fewer than two authors, evidence is
    /// missing, or a setting is invalid.
    pub fn train(settings: &AuthorSettings, evidence: &Evidence<'_>, authors: &[L]) -> Result<Self, Error> {
        check_count(evidence, authors.len())?;
        let mut known = authors.to_vec();
        known.sort_unstable();
        known.dedup();
        if known.len() < 2 {
            return Err(Error::argument(format!(
                "there are texts of {} authors; an attack needs two or more",
                known.len()
            )));
        }
        let labels: Vec<usize> =
            authors.iter().filter_map(|author| known.binary_search(author).ok()).collect();
        let features = FeatureExtractor::learn(evidence, settings.ngrams.as_ref(), settings.vectors)?;
        let rows = features.rows(evidence)?;
        let model = LinearModel::train(&rows, &labels, known.len(), settings.learner, &settings.linear)?;
        Ok(Self { authors: known, features, model })
    }

    /// The authors, in ascending order.
    pub fn authors(&self) -> &[L] {
        &self.authors
    }

    /// Returns the score of each author for each text, text by text: probabilities or margins,
    /// depending on the learner.
    ///
    /// # Errors
    /// If the evidence is not of the kind that the attack was trained on.
    pub fn scores(&self, evidence: &Evidence<'_>) -> Result<Vec<f32>, Error> {
        self.model.scores(&self.features.rows(evidence)?)
    }

    /// Returns the guesses for texts whose authors are known to the caller.
    ///
    /// # Errors
    /// As [`scores`](Self::scores), and if the numbers of texts and authors differ or an author was
    /// not trained on.
    pub fn identify(&self, evidence: &Evidence<'_>, authors: &[L]) -> Result<AuthorGuesses, Error> {
        check_count(evidence, authors.len())?;
        let truths: Vec<usize> = authors
            .iter()
            .map(|author| self.authors.binary_search(author))
            .collect::<Result<_, _>>()
            .map_err(|_| Error::argument("an author of a text was not trained on; leave the text out"))?;
        let scores = self.scores(evidence)?;
        let probable = self.model.learner() == Learner::Logistic;
        let guess = |(scores, author): (&[f32], usize)| AuthorGuess {
            author,
            guessed: highest(scores),
            rank: rank(scores, author),
            probability: probable.then(|| scores[author]),
        };
        Ok(AuthorGuesses { all: scores.chunks_exact(self.authors.len()).zip(truths).map(guess).collect() })
    }
}

fn check_count(evidence: &Evidence<'_>, authors: usize) -> Result<(), Error> {
    match evidence.len()? {
        0 => Err(Error::argument("there are no texts")),
        texts if texts != authors => Err(Error::argument(format!("{texts} texts have {authors} authors"))),
        _ => Ok(()),
    }
}

/// The rank of an author from 1; the first of equal scores comes first.
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

/// The guess for one text. Authors are positions in [`AuthorAttack::authors`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AuthorGuess {
    /// The author.
    pub author: usize,
    /// The guessed author.
    pub guessed: usize,
    /// The rank of the author among all authors, from 1: how many names the attacker would have to
    /// try.
    pub rank: usize,
    /// The probability of the author; none if the learner gives no probabilities.
    pub probability: Option<f32>,
}

impl AuthorGuess {
    /// Whether the attacker is right.
    pub fn is_right(&self) -> bool {
        self.author == self.guessed
    }
}

/// The guesses for several texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuthorGuesses {
    all: Vec<AuthorGuess>,
}

impl AuthorGuesses {
    /// Text by text.
    pub fn all(&self) -> &[AuthorGuess] {
        &self.all
    }

    /// The guesses for the texts at these positions, in this order. Positions without a text are
    /// left out.
    #[must_use]
    pub fn chosen(&self, texts: &[usize]) -> Self {
        texts.iter().filter_map(|&text| self.all.get(text).copied()).collect()
    }

    /// The accuracy; the interval is over texts. None if there are no texts.
    pub fn accuracy(&self, bootstrap: &Bootstrap) -> Option<Estimate> {
        let hits: Vec<ValueSum> = self.all.iter().map(|guess| ValueSum::of_hit(guess.is_right())).collect();
        bootstrap.mean(&hits)
    }

    /// The mean F1 of all authors, as STAMP-R reports it. None if there are no texts.
    pub fn macro_f1(&self) -> Option<f64> {
        let pair = |guess: &AuthorGuess| (guess.author, guess.guessed);
        metrics::macro_f1(&self.all.iter().map(pair).collect::<Vec<_>>())
    }

    /// The mean F1 of all authors with its interval over texts. None if there are no texts.
    pub fn macro_f1_within(&self, bootstrap: &Bootstrap) -> Option<Estimate> {
        let pairs: Vec<(usize, usize)> = self.all.iter().map(|guess| (guess.author, guess.guessed)).collect();
        bootstrap.statistic(&pairs, metrics::macro_f1)
    }

    /// The mean rank of the authors, from 1. None if there are no texts.
    pub fn mean_rank(&self) -> Option<f64> {
        let sum: f64 = self.all.iter().map(|guess| guess.rank as f64).sum();
        (!self.all.is_empty()).then(|| sum / self.all.len() as f64)
    }

    /// The mean probability of the authors. None if there are no texts, or the learner gives no
    /// probabilities.
    pub fn mean_probability(&self) -> Option<f64> {
        let all: Option<Vec<f64>> = self.all.iter().map(|guess| guess.probability.map(f64::from)).collect();
        all.filter(|all| !all.is_empty()).map(|all| all.iter().sum::<f64>() / all.len() as f64)
    }
}

impl FromIterator<AuthorGuess> for AuthorGuesses {
    fn from_iter<I: IntoIterator<Item = AuthorGuess>>(guesses: I) -> Self {
        Self { all: guesses.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use inkveil_nn::SplitMix;

    use super::*;

    const AUTHORS: usize = 6;

    /// Texts of authors who use the same words, each with habits of punctuation.
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
        for attacker in AuthorAttacker::ALL {
            let attack = AuthorAttack::train(&AuthorSettings::of(attacker), &train, &authors).unwrap();
            let guesses = attack.identify(&test, &truths).unwrap();
            assert!(guesses.macro_f1().unwrap() > 0.75, "{attacker}: {:?}", guesses.macro_f1());
            assert!(guesses.mean_rank().unwrap() < 1.5);
            let accuracy = guesses.accuracy(&Bootstrap::default()).unwrap();
            assert!(accuracy.low <= accuracy.mean && accuracy.mean <= accuracy.high);
            assert_eq!(guesses.mean_probability().is_some(), attacker != AuthorAttacker::NgramSvm);
            f1.push(guesses.macro_f1().unwrap());
        }
        assert!(f1[2] >= f1[1], "both kinds of evidence are at least as good as one: {f1:?}");
    }

    #[test]
    fn noise_identifies_no_author() {
        let authors: Vec<usize> = (0..120).map(|i| i % AUTHORS).collect();
        let noise: Vec<f32> = vectors(&vec![AUTHORS; 240], 3);
        let (train, test) = noise.split_at(noise.len() / 2);
        let settings = AuthorSettings::of(AuthorAttacker::StyleLogistic);
        let attack = AuthorAttack::train(&settings, &Evidence::vectors(12, train), &authors).unwrap();
        let guesses = attack.identify(&Evidence::vectors(12, test), &authors).unwrap();
        let accuracy = guesses.accuracy(&Bootstrap::default()).unwrap();
        assert!(accuracy.low < 1.0 / 6.0 && accuracy.high < 0.35, "{accuracy}");
        let rank = guesses.mean_rank().unwrap();
        assert!((2.5..4.5).contains(&rank), "{rank}");
    }

    #[test]
    fn guesses_can_be_chosen_by_text() {
        let guess = |author, guessed| AuthorGuess { author, guessed, rank: 1, probability: None };
        let guesses: AuthorGuesses =
            [guess(0, 0), guess(1, 0), guess(1, 1), guess(0, 1)].into_iter().collect();
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
    fn invalid_arguments_are_refused() {
        let settings = AuthorSettings::of(AuthorAttacker::StyleLogistic);
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
        assert!("bert".parse::<AuthorAttacker>().is_err());
    }
}
