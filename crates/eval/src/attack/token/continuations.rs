//! Queries to a language model.

use inkveil_lexicon::Lexicon;

use crate::Error;

/// The beginning of a text, and its possible continuations.
///
/// ```
/// use inkveil_eval::attack::ContinuationQuery;
///
/// let query = ContinuationQuery { before: "The capital of France is".into(), after: vec![" Paris".into(), " piano".into()] };
/// assert_eq!(query.after.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContinuationQuery {
    /// The beginning.
    pub before: String,
    /// The possible continuations.
    pub after: Vec<String>,
}

/// Returns the natural logarithm of the probability of each continuation of each beginning.
pub type ContinuationScores<'a> = dyn Fn(&[ContinuationQuery]) -> Result<Vec<Vec<f64>>, Error> + Sync + 'a;

/// A language model, and the released texts that it scores.
///
/// ```
/// use inkveil_eval::attack::{ContinuationQuery, NeuralInput};
/// use inkveil_lexicon::Lexicon;
///
/// let words = ["hot", "tea"].map(String::from).to_vec();
/// let lexicon = Lexicon::words_from_table(words, &[0.0, 1.0, 1.0, 0.0], 2)?;
/// // A model that prefers short continuations.
/// let scores = |queries: &[ContinuationQuery]| {
///     Ok(queries.iter().map(|one| one.after.iter().map(|text| -(text.len() as f64)).collect()).collect())
/// };
/// let surfaces = [vec!["Hot".to_owned(), "[drink]".to_owned()]];
/// let input = NeuralInput { scores: &scores, surfaces: &surfaces, lexicon: &lexicon };
/// let query = ContinuationQuery { before: "Hot".into(), after: vec![" tea".into()] };
/// assert_eq!((input.scores)(&[query])?, [[-4.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct NeuralInput<'a> {
    /// The language model.
    pub scores: &'a ContinuationScores<'a>,
    /// The released form of each word of each text.
    pub surfaces: &'a [Vec<String>],
    /// The lexicon.
    pub lexicon: &'a Lexicon,
}
