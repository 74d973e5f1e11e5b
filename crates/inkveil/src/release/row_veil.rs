//! What the pipeline asks of a veil over texts.

use inkveil_detect::Detector;
use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_restore::ReplacementMap;
use inkveil_rows::Texts;
use inkveil_text::Replacements;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::account::Reserved;
use crate::error::Error;

/// Permits that texts leave for a server while they are veiled. It gets what each text costs, in order.
pub type PermitSending<'a, T> = dyn Fn(&[T]) -> Result<Reserved, Error> + Sync + 'a;

/// A veil that the pipeline can run over rows of texts.
///
/// The functions are called from several threads. What they draw at random must follow from the key
/// and the address alone, because a resumed job asks for the same rows again.
pub trait RowVeil: Sync {
    /// What a receipt is made from, summed over texts.
    type Tally: Serialize + DeserializeOwned + Default + Clone + Send + 'static;

    /// Veils texts. The first has the address `first`, the next one `first + 1`, and so on. `known`
    /// holds earlier replacements, where they must be consistent. `go_on` returns false when the
    /// user has cancelled. A veil that [sends](Self::sends) texts to a server asks `permit` first.
    ///
    /// # Errors
    /// If a model fails, the work was cancelled, or sending was not permitted.
    fn veil(
        &self,
        texts: &Texts,
        known: &mut Replacements,
        first: u64,
        key: &NoiseKey,
        go_on: &(dyn Fn() -> bool + Sync),
        permit: &PermitSending<'_, Self::Tally>,
    ) -> Result<Vec<VeiledRow<Self::Tally>>, Error>;

    /// Whether texts are sent to a server while they are veiled. They are charged before that.
    fn sends(&self) -> bool;

    /// Adds a later tally to an earlier one.
    fn join(&self, sum: &mut Self::Tally, later: &Self::Tally);

    /// The receipt of everything that a tally counts.
    ///
    /// # Errors
    /// If sums overflow.
    fn receipt(&self, tally: &Self::Tally, sha256: Option<String>, key: &NoiseKey) -> Result<Receipt, Error>;

    /// A description of everything that decides what is released. A job resumes only with the same.
    ///
    /// # Errors
    /// If a file cannot be read.
    fn identity(&self) -> Result<String, Error>;

    /// Whether a file is not written at all, for example because its only text was refused.
    fn withholds(&self, tally: &Self::Tally) -> bool {
        let _ = tally;
        false
    }

    /// The detector that finds what is sensitive in a text. It also checks columns that are copied. Without one, rules
    /// alone check them.
    fn detector(&self) -> Option<&Detector> {
        None
    }

    /// How many batches may be worked on at once, if the veil limits it.
    fn workers(&self) -> Option<usize> {
        None
    }
}

/// One text after veiling.
pub struct VeiledRow<T> {
    /// The released text. `None` if the veil refuses to release it.
    pub text: Option<String>,
    /// What its receipt is made from.
    pub tally: T,
    /// What was replaced in it. **Private.**
    pub(crate) pairs: ReplacementMap,
}

impl<T> VeiledRow<T> {
    /// A text without replacements that can be restored.
    pub fn new(text: Option<String>, tally: T) -> Self {
        Self { text, tally, pairs: ReplacementMap::default() }
    }
}

impl<T> std::fmt::Debug for VeiledRow<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VeiledRow(redacted)")
    }
}
