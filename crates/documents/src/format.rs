//! Formats of documents.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// The format of a document.
///
/// ```
/// use std::path::Path;
/// use inkveil_documents::DocumentFormat;
///
/// assert_eq!(DocumentFormat::of(Path::new("contract.DOCX")), Some(DocumentFormat::Docx));
/// assert_eq!(DocumentFormat::of(Path::new("notes.txt")), None);
/// assert_eq!("eml".parse(), Ok(DocumentFormat::Eml));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocumentFormat {
    /// Word documents.
    Docx,
    /// PowerPoint presentations.
    Pptx,
    /// Excel workbooks.
    Xlsx,
    /// OpenDocument texts.
    Odt,
    /// OpenDocument spreadsheets.
    Ods,
    /// OpenDocument presentations.
    Odp,
    /// Web pages.
    Html,
    /// Markdown.
    Markdown,
    /// One mail.
    Eml,
    /// A mailbox: mails one after the other.
    Mbox,
    /// PDF. Its text is read, and a flat document is written.
    Pdf,
    /// Chats in JSON: exports of OpenAI and of Slack.
    Chat,
    /// A chat of WhatsApp as text.
    WhatsApp,
}

impl DocumentFormat {
    /// All formats.
    pub const ALL: [Self; 13] = [
        Self::Docx,
        Self::Pptx,
        Self::Xlsx,
        Self::Odt,
        Self::Ods,
        Self::Odp,
        Self::Html,
        Self::Markdown,
        Self::Eml,
        Self::Mbox,
        Self::Pdf,
        Self::Chat,
        Self::WhatsApp,
    ];

    /// Returns the format that a file's name stands for. A chat of WhatsApp is a `.txt` file, so no name stands for it.
    pub fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "docx" | "docm" | "dotx" => Self::Docx,
            "pptx" | "pptm" | "ppsx" => Self::Pptx,
            "xlsx" | "xlsm" | "xltx" => Self::Xlsx,
            "odt" | "ott" => Self::Odt,
            "ods" | "ots" => Self::Ods,
            "odp" | "otp" => Self::Odp,
            "html" | "htm" | "xhtml" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            "eml" => Self::Eml,
            "mbox" => Self::Mbox,
            "pdf" => Self::Pdf,
            "json" => Self::Chat,
            _ => return None,
        })
    }

    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Chat => "chat",
            Self::WhatsApp => "whatsapp",
            other => other.extension(),
        }
    }

    /// Returns the usual extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
            Self::Odt => "odt",
            Self::Ods => "ods",
            Self::Odp => "odp",
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Eml => "eml",
            Self::Mbox => "mbox",
            Self::Pdf => "pdf",
            Self::Chat => "json",
            Self::WhatsApp => "txt",
        }
    }

    /// Returns the media type of its files.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Odt => "application/vnd.oasis.opendocument.text",
            Self::Ods => "application/vnd.oasis.opendocument.spreadsheet",
            Self::Odp => "application/vnd.oasis.opendocument.presentation",
            Self::Html => "text/html",
            Self::Markdown => "text/markdown",
            Self::Eml => "message/rfc822",
            Self::Mbox => "application/mbox",
            Self::Pdf => "application/pdf",
            Self::Chat => "application/json",
            Self::WhatsApp => "text/plain",
        }
    }

    /// Returns whether its files are text, which a terminal can show.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Html | Self::Markdown | Self::Eml | Self::Mbox | Self::Chat | Self::WhatsApp)
    }
}

impl FromStr for DocumentFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| ErrorKind::UnknownFormat { given: name.to_owned() }.into())
    }
}

impl fmt::Display for DocumentFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
