//! What all language models have in common.

use crate::{Answer, Error, Request};

/// A language model that answers.
///
/// The crate's first page has an example of one.
pub trait Chat: Send + Sync {
    /// What it is called in receipts and reports: the model, and where it is.
    fn name(&self) -> String;

    /// What it answers.
    fn answer(&self, request: &Request) -> Result<Answer, Error>;

    /// What it answers to each, in order; the first failure ends it all. It may be faster than one after another.
    fn answers(&self, requests: &[Request]) -> Result<Vec<Answer>, Error> {
        requests.iter().map(|request| self.answer(request)).collect()
    }
}
