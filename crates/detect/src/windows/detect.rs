//! Detection over a sequence of windows.

use super::piece::TextPiece;
use super::seam::Seam;
use super::window::Window;
use crate::detector::Detector;
use crate::error::Error;
use crate::offsets::Offsets;

/// Detects windows that follow one another, and joins spans across their seams.
///
/// For texts that are read in one go, use [`Detector::stream`]. This type is for callers with a read
/// loop of their own, for example a server.
///
/// ```
/// use inkveil_detect::windows::{Window, WindowDetector};
/// use inkveil_detect::{Detector, Settings, Tier};
///
/// let detector = Detector::open(None, Settings::of(Tier::Rules))?;
/// let mut windows = WindowDetector::new(&detector);
/// let rows = ["Write to ana@example.org", "nothing here"];
/// let rows = rows.iter().zip(1..).map(|(text, row)| Window::whole((), Some(row), (*text).to_owned()));
/// let pieces = windows.detect(rows.collect())?;
/// assert_eq!(pieces.iter().map(|piece| piece.spans.len()).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), inkveil_detect::Error>(())
/// ```
pub struct WindowDetector<'d> {
    detector: &'d Detector,
    seam: Seam,
    /// Where the next piece starts in its text.
    start: Offsets,
}

impl<'d> WindowDetector<'d> {
    /// Starts before the first window.
    pub fn new(detector: &'d Detector) -> Self {
        Self { detector, seam: Seam::default(), start: Offsets::START }
    }

    /// Detects the next windows, on all cores, and returns their pieces. The windows of one text must be
    /// given in order and without gaps.
    ///
    /// # Errors
    /// Fails if a model fails.
    pub fn detect<T>(&mut self, windows: Vec<Window<T>>) -> Result<Vec<TextPiece<T>>, Error> {
        let texts: Vec<&str> = windows.iter().map(|window| window.text.as_str()).collect();
        let all = self.detector.detect(&texts)?;
        let detect_one =
            |text: &str| self.detector.detect(&[text]).map(|found| found.into_iter().flatten().collect());
        let mut pieces = Vec::with_capacity(windows.len());
        for (window, spans) in windows.into_iter().zip(all) {
            let mut piece = self.seam.settle(window, spans, detect_one)?;
            piece.start = if piece.first { Offsets::START } else { self.start };
            self.start = piece.start.after(&piece.text);
            pieces.push(piece);
        }
        Ok(pieces)
    }
}
