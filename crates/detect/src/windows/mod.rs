//! Detection in long texts with bounded memory.
//!
//! ```text
//! reader → WindowReader (cuts) → Window → WindowDetector (detects, joins at the seams) → TextPiece
//! ```
//!
//! A long text is cut into pieces, after a blank line if possible. The detector sees every piece in a
//! [`Window`] that also shows some text before and after it, so that it sees a span that crosses the end
//! of a piece. Each span is reported once, in the piece in which it starts.
//!
//! [`Detector::stream`](crate::Detector::stream) runs all of this with cancellation and progress.

mod counts;
mod cut;
mod detect;
mod piece;
mod reader;
mod seam;
mod stream;
mod window;

pub use counts::{SpanCount, SpanCounts};
pub use detect::WindowDetector;
pub use piece::{FoundSpan, SpanRecord, TextPart, TextPiece};
pub use reader::WindowReader;
pub use stream::{NextWindows, WindowSource};
pub use window::Window;
