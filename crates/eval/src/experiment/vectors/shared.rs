//! Values that several measurements share, each computed once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;

/// A value that is computed by the first measurement that needs it, while others wait.
type Once<V> = Arc<Mutex<Option<Arc<V>>>>;

/// Values by key.
pub(super) struct Shared<K, V>(Mutex<BTreeMap<K, Once<V>>>);

impl<K, V> Default for Shared<K, V> {
    fn default() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }
}

impl<K: Ord, V> Shared<K, V> {
    /// Returns the value of a key; `make` computes it if it is not known.
    pub(super) fn get(&self, key: K, make: impl FnOnce() -> Result<V, Error>) -> Result<Arc<V>, Error> {
        let once = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(key).or_default())
        };
        let mut value = once.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = value.as_ref() {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        *value = Some(Arc::clone(&made));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_computed_once_and_an_error_is_not_kept() {
        let shared = Shared::default();
        assert!(shared.get(1, || Err::<u32, _>(Error::argument("not yet"))).is_err());
        assert_eq!(*shared.get(1, || Ok(5)).unwrap(), 5);
        assert_eq!(*shared.get(1, || Ok(6)).unwrap(), 5);
    }
}
