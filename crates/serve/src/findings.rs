//! Findings of earlier texts, so that only new text is searched.
//!
//! A text is known by a keyed hash. What is kept are places and kinds, no text.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use inkveil::detect::Span;

use crate::secret::GatewaySecret;

type Hash = [u8; 32];

/// The spans of texts that were searched before.
pub(crate) struct Findings {
    /// Two generations: when the younger one is full, the older one is dropped.
    generations: Mutex<[HashMap<Hash, Arc<Vec<Span>>>; 2]>,
    most: usize,
}

impl Findings {
    /// Keeps the findings of at most this many texts.
    pub(crate) fn new(most: usize) -> Self {
        Self { generations: Mutex::default(), most: most.div_ceil(2) }
    }

    /// Returns the spans of each text. `search` gets the texts that are not known.
    ///
    /// # Errors
    /// If the search fails.
    pub(crate) fn find<E>(
        &self,
        secret: &GatewaySecret,
        detector: &str,
        texts: &[&str],
        search: impl FnOnce(&[&str]) -> Result<Vec<Vec<Span>>, E>,
    ) -> Result<Vec<Arc<Vec<Span>>>, E> {
        let hashes: Vec<Hash> = texts
            .iter()
            .map(|text| secret.hash("findings", &[detector.as_bytes(), text.as_bytes()]))
            .collect();
        let mut found: HashMap<Hash, Arc<Vec<Span>>> =
            hashes.iter().filter_map(|hash| Some((*hash, self.get(hash)?))).collect();
        // A text that a request repeats is searched once.
        let mut new: Vec<(Hash, &str)> = Vec::new();
        let mut seen = HashSet::new();
        for (hash, text) in hashes.iter().zip(texts) {
            if !found.contains_key(hash) && seen.insert(*hash) {
                new.push((*hash, text));
            }
        }
        let unknown: Vec<&str> = new.iter().map(|(_, text)| *text).collect();
        if !unknown.is_empty() {
            for ((hash, _), spans) in new.iter().zip(search(&unknown)?) {
                let spans = Arc::new(spans);
                self.put(*hash, spans.clone());
                found.insert(*hash, spans);
            }
        }
        // If a search forgot a text, the result is shorter than the request, and the caller refuses it.
        Ok(hashes.iter().filter_map(|hash| found.get(hash).cloned()).collect())
    }

    fn get(&self, hash: &Hash) -> Option<Arc<Vec<Span>>> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let [young, old] = &mut *generations;
        if let Some(spans) = young.get(hash) {
            return Some(spans.clone());
        }
        let spans = old.remove(hash)?;
        young.insert(*hash, spans.clone());
        Some(spans)
    }

    fn put(&self, hash: Hash, spans: Arc<Vec<Span>>) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if generations[0].len() >= self.most {
            generations.swap(0, 1);
            generations[0].clear();
        }
        generations[0].insert(hash, spans);
    }
}

impl std::fmt::Debug for Findings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Findings(at most {} texts)", 2 * self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_searched_once_and_memory_is_bounded() {
        let secret = GatewaySecret::fresh().unwrap();
        let findings = Findings::new(4);
        let searched = |texts: &[&str]| {
            let mut count = 0;
            let found = findings.find(&secret, "a", texts, |new| {
                count = new.len();
                Ok::<_, ()>(vec![Vec::new(); new.len()])
            });
            assert_eq!(found.unwrap().len(), texts.len());
            count
        };
        assert_eq!(searched(&["one", "two", "one"]), 2);
        assert_eq!(searched(&["one", "three"]), 1);
        for text in 0..100 {
            searched(&[&text.to_string()]);
        }
        let forgotten = findings.find(&secret, "a", &["four"], |_| Ok::<_, ()>(Vec::new())).unwrap();
        assert!(forgotten.is_empty(), "a text that was not searched has no findings, not empty ones");
        let kept: usize = findings.generations.lock().unwrap().iter().map(HashMap::len).sum();
        assert!(kept <= 4, "{kept}");
        assert_eq!(searched(&["one"]), 1);
    }
}
