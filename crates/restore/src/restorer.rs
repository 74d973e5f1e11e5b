//! The way back: finds replacements in a text and puts the originals in their places.

use std::cmp::Reverse;
use std::fmt;
use std::io::{Read, Write};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use zeroize::Zeroizing;

use crate::table::{Meaning, Table};
use crate::window::{LONGEST_RUN, Spaced, Window, stands_alone};
use crate::{Error, ErrorKind, Map, Report};

/// How texts are restored.
///
/// ```
/// use inkveil_restore::{Map, Options, Restorer};
///
/// let mut pairs = Map::builder();
/// pairs.add("Made Antonov", "Ana Novak", "person")?;
/// let map = pairs.build();
/// let restorer = Restorer::new(&map, Options::default().parts(true))?;
/// assert_eq!(restorer.restore_text("Dear Ms Antonov,").0, "Dear Ms Novak,");
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    parts: bool,
}

impl Options {
    /// Whether single words of persons' names are restored too, where it is clear which they stand for. Off by default.
    #[must_use]
    pub fn parts(mut self, parts: bool) -> Self {
        self.parts = parts;
        self
    }
}

/// Finds replacements in a text and puts the originals in their places.
///
/// - Of several that begin at one place the longest counts, and a word or number must stand alone: "Ana" is not in "Banana".
/// - A replacement that is quoted byte for byte gives its original byte for byte. Quoted in UPPER, lower or Title case, it gives the original
///   in that case; a line break or other white space within it changes nothing.
/// - A replacement that stands for several originals stays, and the [`Report`] counts it.
/// - What is put back is not looked at again.
///
/// ```
/// use inkveil_restore::{Map, Options, Restorer};
///
/// let mut pairs = Map::builder();
/// pairs.add("[person 1]", "Ana Novak", "person")?;
/// let map = pairs.build();
/// let restorer = Restorer::new(&map, Options::default())?;
/// let mut out = Vec::new();
/// let report = restorer.restore(&b"Dear [person 1],\n"[..], &mut out)?;
/// assert_eq!(out, b"Dear Ana Novak,\n");
/// assert_eq!(report.by_kind().collect::<Vec<_>>(), [("person", 1)]);
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
pub struct Restorer<'m> {
    search: AhoCorasick,
    table: Table<'m>,
    /// As many undecided bytes at the end of what was read must wait for what follows.
    holds_back: usize,
}

impl<'m> Restorer<'m> {
    /// A restorer for the replacements of a map.
    ///
    /// # Errors
    /// If there are more replacements than one search can hold.
    pub fn new(map: &'m Map, options: Options) -> Result<Self, Error> {
        let (table, patterns) = Table::new(map, options.parts);
        // Spaces may be runs in a text; then what follows must be seen to know that a word ends and how long a run is.
        let length = |pattern: &String| pattern.len() + pattern.matches(' ').count() * LONGEST_RUN;
        let holds_back = patterns.iter().map(length).max().unwrap_or_default() + LONGEST_RUN + 8;
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(&patterns)
            .map_err(|_| ErrorKind::TooMany { what: "replacements" })?;
        Ok(Self { search, table, holds_back })
    }

    /// Restores a stream, which need not be valid UTF-8. Memory does not grow with its length, and the result does not depend on how it
    /// is cut into pieces.
    ///
    /// # Errors
    /// If reading or writing fails.
    pub fn restore(&self, mut reader: impl Read, mut writer: impl Write) -> Result<Report, Error> {
        let mut report = Report::default();
        let mut window = Window::new();
        let mut spaced = Spaced::default();
        let mut out = Zeroizing::new(Vec::new());
        loop {
            // Twice as much as must wait, so that nothing is looked at more than twice on average.
            let ended =
                window.fill(&mut reader, 2 * self.holds_back).map_err(|e| Error::io("read the text", &e))?;
            out.clear();
            self.pass(&mut window, ended, &mut spaced, &mut out, &mut report);
            // Whoever reads a pipe wants each piece as it is ready.
            writer
                .write_all(&out)
                .and_then(|()| writer.flush())
                .map_err(|e| Error::io("write the text", &e))?;
            if ended {
                return Ok(report);
            }
        }
    }

    /// Restores a text that is in memory.
    pub fn restore_text(&self, text: &str) -> (String, Report) {
        let mut report = Report::default();
        let mut out = Vec::with_capacity(text.len());
        let mut window = Window::of(text.as_bytes());
        self.pass(&mut window, true, &mut Spaced::default(), &mut out, &mut report);
        // Whole characters are replaced by whole characters, so nothing is lost here.
        let text =
            String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
        (text, report)
    }

    /// Decides all that can be decided, from left to right.
    fn pass(
        &self,
        window: &mut Window,
        ended: bool,
        spaced: &mut Spaced,
        out: &mut Vec<u8>,
        report: &mut Report,
    ) {
        let bytes = window.bytes();
        let limit = if ended { bytes.len() } else { bytes.len().saturating_sub(self.holds_back) };
        window.space(spaced);
        let mut at = window.start();
        for range in self.candidates(bytes, spaced, at..limit) {
            if range.start < at {
                continue;
            }
            let Some(quoted) = bytes.get(range.clone()).and_then(|quoted| std::str::from_utf8(quoted).ok())
            else {
                continue;
            };
            match self.table.meaning(quoted) {
                Some(Meaning::One(text, pair)) => {
                    out.extend_from_slice(&bytes[at..range.start]);
                    out.extend_from_slice(text.as_bytes());
                    report.count_restored(pair.kind());
                }
                Some(Meaning::Several(pair)) => {
                    out.extend_from_slice(&bytes[at..range.end]);
                    report.count_ambiguous(pair.replacement(), pair.kind());
                }
                None => continue,
            }
            at = range.end;
        }
        let end = limit.max(at);
        out.extend_from_slice(&bytes[at..end]);
        window.decide(end);
    }

    /// What looks like a replacement and begins within a range, in order, longer ones first.
    fn candidates(&self, bytes: &[u8], spaced: &Spaced, begins: Range<usize>) -> Vec<Range<usize>> {
        let found = self.search.find_overlapping_iter(&spaced.bytes).map(|found| spaced.place(found.range()));
        let mut candidates: Vec<Range<usize>> =
            found.filter(|range| begins.contains(&range.start) && stands_alone(bytes, range)).collect();
        candidates.sort_unstable_by_key(|range| (range.start, Reverse(range.end)));
        candidates
    }
}

impl fmt::Debug for Restorer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Restorer({} patterns)", self.search.patterns_len())
    }
}
