//! Open lexicons.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inkveil_lexicon::{Lexicon, LexiconKind};

/// The open lexicons of a pack, by kind.
///
/// ```
/// let lexicons = inkveil_eval::experiment::OpenLexicons::default();
/// assert_eq!(format!("{lexicons:?}"), "OpenLexicons(0)");
/// ```
#[derive(Default)]
pub struct OpenLexicons(Mutex<HashMap<Option<LexiconKind>, Arc<Lexicon>>>);

impl OpenLexicons {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<Option<LexiconKind>, Arc<Lexicon>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for OpenLexicons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenLexicons({})", self.lock().len())
    }
}
