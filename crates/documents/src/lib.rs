//! Documents as passages of text, made of runs that know their places.
//!
//! A [`Document`] reads a file of any [format](DocumentFormat). Its [passages](Document::passages) are continuous text, so
//! that a sentence is whole although a word in it is bold. Changes of a passage go back into its runs, and
//! [`write`](Document::write) writes the file again.
//!
//! A document that is opened for [release](Purpose::Release) holds only what is known to be harmless. Parts, elements,
//! attributes and values that are not on a list are removed: comments, tracked changes, properties, hidden text, macros,
//! embedded files, names of styles. [`Removed`] lists them. Pictures become blank.
//!
//! Nothing in this crate opens a file or a connection. Errors and debug output never hold a text of a document.
//!
//! # Files
//!
//! - `document.rs`: a document and its changes. `passage.rs`: passages and runs. `builder.rs` collects them while a file is
//!   read, `pieces.rs` is what a file is written from, `align.rs` finds what changed between two texts.
//! - `ooxml/`: Word (`word/`), PowerPoint (`slides.rs`) and Excel (`sheets.rs`); `filter.rs` removes what is not known.
//! - `odf.rs`: OpenDocument, `odf_hidden.rs`: its hidden sheets and columns. `html.rs`, `markdown.rs`,
//!   `pdf.rs`, `mail/`, `chat/`: the other formats.
//! - `xml/`: XML with limits. `package.rs`: ZIP archives with limits. `vocabulary/`: the names and values that the standards
//!   of Office Open XML and OpenDocument define.
//! - `limits.rs`: how large a document may be. `removed.rs`: what was removed. `purpose.rs`: what a document is opened for.
#![forbid(unsafe_code)]

mod align;
mod builder;
mod chat;
mod dates;
mod document;
mod error;
mod format;
mod html;
mod limits;
mod mail;
mod markdown;
mod odf;
mod odf_hidden;
mod ooxml;
mod package;
mod passage;
mod pdf;
mod pieces;
mod purpose;
mod removed;
mod text_bytes;
mod xml;

pub use chat::looks_like_chat;
pub use document::{Document, Edit};
pub use error::{Error, ErrorKind};
pub use format::DocumentFormat;
pub use limits::Limits;
pub use mail::mails;
pub use passage::{Passage, PassageKind};
pub use purpose::Purpose;
pub use removed::Removed;
