//! Conversations: many texts with one key and one set of replacements.

use std::sync::Mutex;

use inkveil_privacy::NoiseKey;
use inkveil_text::Consistency;

use super::account::Account;
use super::documents::{DocumentRelease, PairStore, State};
use super::text_rows::TextRows;
use crate::error::{Error, ErrorKind};

impl DocumentRelease {
    /// Opens a conversation in memory: the replacements of a text follow from the key and the texts
    /// before it. The same texts in the same order therefore give the same bytes in every process, and
    /// nothing needs to be stored.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use inkveil::release::{Account, DocumentRelease, Silent, TextRows};
    /// use inkveil::restore::{RestoreOptions, Restorer};
    /// use inkveil::{NoiseKey, Veil};
    ///
    /// let veil = Arc::new(Veil::text().conversation().build()?);
    /// let key = NoiseKey::fresh()?; // a server derives one for each session: `NoiseKey::derived`
    /// let open = || DocumentRelease::conversation(TextRows::new(veil.clone()), key.clone(), &Account::none(), "chat");
    /// let (one, other) = (open()?, open()?);
    /// for text in ["Ana Lima lives in Porto.", "Ana likes Porto."] {
    ///     assert_eq!(one.text(text, &Silent)?.text(), other.text(text, &Silent)?.text());
    /// }
    /// let pairs = one.pairs();
    /// let restorer = Restorer::new(&pairs, RestoreOptions::default())?;
    /// # let _ = restorer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the ledger cannot be used, or if the veil's replacements are not consistent within the job
    /// and restorable ([`TextVeilBuilder::conversation`](crate::TextVeilBuilder::conversation)).
    pub fn conversation(
        rows: TextRows,
        key: NoiseKey,
        account: &Account,
        dataset: &str,
    ) -> Result<Self, Error> {
        check_conversation(&rows)?;
        let accounting = account.open(dataset)?;
        Ok(Self::of(rows, key, accounting, PairStore::Memory(Mutex::default()), State::default()))
    }
}

/// In a conversation an original keeps its replacement, and all replacements can be restored.
pub(super) fn check_conversation(rows: &TextRows) -> Result<(), Error> {
    let settings = rows.veil.settings();
    match settings.consistent == Consistency::Job && settings.restorable {
        true => Ok(()),
        false => Err(ErrorKind::SessionSettings.into()),
    }
}
