//! Restores a text that arrives in pieces.

use std::fmt;
use std::sync::Arc;

use crate::window::{CollapsedText, Window};
use crate::{RestoreReport, Restorer};

/// Restores a text that arrives in pieces, for example the answer of a language model.
///
/// It holds back no more than the bytes that may still be the beginning of a replacement. All pieces together give
/// the same as the whole text, wherever it is cut.
///
/// ```
/// use std::sync::Arc;
/// use inkveil_restore::{PieceRestorer, ReplacementMap, RestoreOptions, Restorer};
///
/// let mut pairs = ReplacementMap::builder();
/// pairs.add("Made Antonov", "Ana Novak", "person")?;
/// let restorer = Arc::new(Restorer::owning(pairs.build(), RestoreOptions::default())?);
/// let mut pieces = PieceRestorer::new(restorer);
/// assert_eq!(pieces.push("Dear Ma"), "Dear ");
/// assert_eq!(pieces.push("de Anto"), "");
/// assert_eq!(pieces.push("nov, hello"), "Ana Novak, hello");
/// assert_eq!(pieces.push(" Made"), " ");
/// assert_eq!(pieces.finish(), "Made");
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
pub struct PieceRestorer {
    restorer: Arc<Restorer<'static>>,
    window: Window,
    collapsed: CollapsedText,
    report: RestoreReport,
}

impl PieceRestorer {
    /// Starts a text.
    pub fn new(restorer: Arc<Restorer<'static>>) -> Self {
        Self {
            restorer,
            window: Window::of(&[]),
            collapsed: CollapsedText::default(),
            report: RestoreReport::default(),
        }
    }

    /// Adds a piece, and returns what is complete.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = Vec::new();
        self.window.push(piece.as_bytes());
        self.restorer.pass_ready(&mut self.window, &mut self.collapsed, &mut out, &mut self.report);
        text(out)
    }

    /// Ends the text, and returns what was held back.
    pub fn finish(&mut self) -> String {
        let mut out = Vec::new();
        self.restorer.pass_last(&mut self.window, &mut self.collapsed, &mut out, &mut self.report);
        self.window = Window::of(&[]);
        text(out)
    }

    /// The number of bytes that are held back.
    pub fn held_back(&self) -> usize {
        self.window.bytes().len() - self.window.start()
    }

    /// What was restored so far.
    pub fn report(&self) -> &RestoreReport {
        &self.report
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
