//! The release pipeline. Every interface releases through it.
//!
//! ```text
//! input → veil → map → ledger: reserve → receipt → output → ledger: commit
//! ```
//!
//! | what is released | entry point |
//! |---|---|
//! | rows of texts in files | [`RowRelease::files`] |
//! | rows of texts in a pipe | [`RowRelease::pipe`] |
//! | single texts, with an explanation of every word | [`DocumentRelease`] |
//! | the turns of a conversation, with a map on disk | [`KeepPairs::Session`] |
//! | vectors in a file or a pipe | [`VectorRelease`] |
//! | texts that become vectors | [`EmbedRelease`] |
//! | texts with placeholders | [`MaskRelease`], [`mask_files`], [`mask_pipe`] |
//! | a whole conversation at once, with nothing on disk | [`Turns`] |
//! | lists of texts in memory, parts of a job on several machines | [`MemoryRelease`] |
//! | texts in Arrow tables | [`BatchRelease`](crate::BatchRelease) |
//! | documents in memory | [`documents::veil`](crate::documents::veil) |
//! | vectors in memory | [`MemoryVectors`] |
//!
//! A veil itself computes and charges nothing. What it returns may leave this machine only through one
//! of these entry points: each asks its [`Account`] for a [`Reserved`] first, and each uses the ledger
//! that the environment names by default.
//!
//! The order is fixed. The map is saved and the ledger holds the charge before an output gets its
//! name, so nothing leaves that cannot be restored or was not charged. A release into a file keeps a
//! job folder beside the output until it is complete. The folder holds the noise key, the name of the
//! release in the ledger, a checksum of the settings, and finished work. A resumed release uses the
//! same key and the same name, so it writes the same bytes and is charged once.

mod account;
mod columns;
pub(crate) mod document_bytes;
mod documents;
mod drawn;
mod embed;
mod files;
mod job;
mod map;
mod mask;
mod memory;
mod memory_vectors;
mod observer;
mod output_job;
mod prediction;
mod rewrite_rows;
mod row_veil;
mod rows;
mod sessions;
mod text_rows;
mod ticket;
mod turns;
mod vectors;

pub use account::{Account, Reserved};
pub use columns::removed_in_words;
pub use documents::{DocumentRelease, each_document, plan_documents};
pub use embed::EmbedRelease;
pub use files::{Corpus, Destination, read_texts, receipt_beside};
pub use job::KeyChoice;
pub use map::{KeepPairs, MapKeyChoice, MapSettings};
pub use mask::{MaskRelease, mask_files, mask_pipe};
pub use memory::{MemoryRelease, MemoryText, ReleasedMemoryText, ReleasedTexts};
pub use memory_vectors::MemoryVectors;
pub use observer::{Notice, Observer, Progress, Silent};
pub use prediction::{DryRun, Prediction};
pub use rewrite_rows::{DeclinePassages, RewriteRelease, RewriteRows, RewriteTally};
pub use row_veil::{PermitSending, RowVeil, VeiledRow};
pub(crate) use rows::content_of;
pub use rows::{PipeReceipt, ReceiptPlacement, RowRelease, Summary, split_address};
pub use sessions::{Session, Sessions};
pub(crate) use text_rows::document;
pub use text_rows::{RepairRefusals, Repairer, TextRows};
pub use ticket::Ticket;
pub use turns::{ReleasedTurns, TurnPreview, TurnText, Turns, VeiledTurn};
pub use vectors::{ReleasedVectors, VectorRelease};
