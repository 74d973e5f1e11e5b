//! The receipts of the last releases, in memory.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use inkveil::files::Sha256Sum;

use crate::secret::CallerId;

/// The number of receipts that are kept and can be asked for by their id.
const MOST: usize = 1000;

/// The receipts of the last releases. They hold no text.
#[derive(Default)]
pub struct Receipts(Mutex<VecDeque<Kept>>);

struct Kept {
    owner: CallerId,
    id: String,
    receipt: String,
}

impl Receipts {
    /// Keeps a receipt, and returns its id.
    pub(crate) fn keep(&self, owner: CallerId, receipt: String) -> String {
        let id = Sha256Sum::of(receipt.as_bytes()).to_string()[..24].to_owned();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.iter().any(|known| known.owner == owner && known.id == id) {
            if kept.len() >= MOST {
                kept.pop_front();
            }
            kept.push_back(Kept { owner, id: id.clone(), receipt });
        }
        id
    }

    /// The receipt with an id.
    pub(crate) fn get(&self, id: &str) -> Option<String> {
        self.first(|kept| kept.id == id)
    }

    /// The receipt of a caller with an id.
    pub(crate) fn get_of(&self, owner: CallerId, id: &str) -> Option<String> {
        self.first(|kept| kept.owner == owner && kept.id == id)
    }

    /// The ids of the receipts of a caller, the last one first.
    pub(crate) fn ids_of(&self, owner: CallerId) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().filter(|kept| kept.owner == owner).map(|kept| kept.id.clone()).collect()
    }

    fn first(&self, fits: impl Fn(&Kept) -> bool) -> Option<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|kept| fits(kept)).map(|kept| kept.receipt.clone())
    }
}

impl std::fmt::Debug for Receipts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Receipts")
    }
}
