//! Lexicons that are open.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inkveil_lexicon::{Lexicon, LexiconKind};

/// The lexicons of a pack that were opened, by what was asked for.
///
/// ```
/// let lexicons = inkveil_eval::experiment::Lexicons::default();
/// assert_eq!(format!("{lexicons:?}"), "Lexicons(0)");
/// ```
#[derive(Default)]
pub struct Lexicons(Mutex<HashMap<Option<LexiconKind>, Arc<Lexicon>>>);

impl Lexicons {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<Option<LexiconKind>, Arc<Lexicon>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Lexicons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lexicons({})", self.lock().len())
    }
}
