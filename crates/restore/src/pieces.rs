//! Restores a text that arrives in pieces.

use std::fmt;

use crate::window::{CollapsedText, Window};
use crate::{RestoreReport, Restorer};

/// Restores a text that arrives in pieces, for example the answer of a language model.
///
/// It holds back no more than the bytes that may still be the beginning of a replacement. All pieces together give
/// the same as the whole text, wherever it is cut.
///
/// ```
/// use inkveil_restore::{PieceRestorer, ReplacementMap, RestoreOptions, Restorer};
///
/// let mut pairs = ReplacementMap::builder();
/// pairs.add("Made Antonov", "Ana Novak", "person")?;
/// let restorer = Restorer::new(&pairs.build(), RestoreOptions::default())?;
/// let mut pieces = PieceRestorer::new(&restorer);
/// assert_eq!(pieces.push("Dear Ma"), "Dear ");
/// assert_eq!(pieces.push("de Anto"), "");
/// assert_eq!(pieces.push("nov, hello"), "Ana Novak, hello");
/// assert_eq!(pieces.push(" Made"), " ");
/// assert_eq!(pieces.finish(), "Made");
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
pub struct PieceRestorer {
    restorer: Restorer,
    window: Window,
    collapsed: CollapsedText,
    report: RestoreReport,
}

impl PieceRestorer {
    /// Starts a text.
    pub fn new(restorer: &Restorer) -> Self {
        Self {
            restorer: restorer.clone(),
            window: Window::default(),
            collapsed: CollapsedText::default(),
            report: RestoreReport::default(),
        }
    }

    /// Adds a piece, and returns what is complete.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = Vec::new();
        self.add(piece.as_bytes(), false, &mut out);
        text(out)
    }

    /// Ends the text, and returns what was held back.
    pub fn finish(&mut self) -> String {
        self.last("")
    }

    /// Ends the text with a piece, and returns what is left.
    pub(crate) fn last(&mut self, piece: &str) -> String {
        let mut out = Vec::with_capacity(piece.len());
        self.add(piece.as_bytes(), true, &mut out);
        self.window = Window::default();
        text(out)
    }

    /// Adds bytes, which need not be valid UTF-8.
    pub(crate) fn add(&mut self, bytes: &[u8], ended: bool, out: &mut Vec<u8>) {
        self.window.push(bytes);
        self.restorer.pass(&mut self.window, ended, &mut self.collapsed, out, &mut self.report);
    }

    /// The number of bytes that are held back.
    pub fn held_back(&self) -> usize {
        self.window.bytes().len() - self.window.start()
    }

    /// What was restored so far.
    pub fn report(&self) -> &RestoreReport {
        &self.report
    }

    pub(crate) fn into_report(self) -> RestoreReport {
        self.report
    }
}

/// Whole characters are replaced by whole characters, so the output is valid UTF-8.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

impl fmt::Debug for PieceRestorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PieceRestorer({} bytes held back)", self.held_back())
    }
}
