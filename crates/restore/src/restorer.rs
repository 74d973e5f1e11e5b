//! Finds replacements in a text and puts the originals back.

use std::cmp::Reverse;
use std::fmt;
use std::io::{ErrorKind as Io, Read, Write};
use std::ops::Range;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::json::{InJson, escape_into};
use crate::longer_name::{given_name_before, is_in_longer_name};
use crate::search::Search;
use crate::table::{Meaning, Table};
use crate::window::{CollapsedText, Window, end_is_known, is_whole_word, starts_word};
use crate::{Error, PieceRestorer, ReplacementMap, RestoreReport};

/// The number of bytes read at once.
const READ: usize = 64 << 10;

/// Options for restoring texts.
///
/// ```
/// use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};
///
/// let mut pairs = ReplacementMap::builder();
/// pairs.add("Made Antonov", "Ana Novak", "person")?;
/// let map = pairs.build();
/// let restorer = Restorer::new(&map, RestoreOptions::default().parts(true))?;
/// assert_eq!(restorer.restore_text("Dear Ms Antonov,").0, "Dear Ms Novak,");
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RestoreOptions {
    parts: bool,
    json: bool,
}

impl RestoreOptions {
    /// Sets whether single words of a person's name are restored, if their original is unambiguous.
    /// Off by default.
    #[must_use]
    pub fn parts(mut self, parts: bool) -> Self {
        self.parts = parts;
        self
    }

    /// Sets whether the text is JSON. Replacements in strings are then also found with escapes, and
    /// originals are written with the escapes that a string needs. Outside of strings a number, `true`,
    /// `false` or `null` is replaced by such a value only. A replacement whose original would break the
    /// JSON stays unchanged, and the [`RestoreReport`] counts it. Off by default.
    ///
    /// ```
    /// use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};
    ///
    /// let mut pairs = ReplacementMap::builder();
    /// pairs.add("Made", "Ana \"Novak\"", "person")?;
    /// let map = pairs.build();
    /// let restorer = Restorer::new(&map, RestoreOptions::default().json(true))?;
    /// assert_eq!(restorer.restore_text(r#"{"to":"Dear\nMade"}"#).0, r#"{"to":"Dear\nAna \"Novak\""}"#);
    /// # Ok::<(), inkveil_restore::Error>(())
    /// ```
    #[must_use]
    pub fn json(mut self, json: bool) -> Self {
        self.json = json;
        self
    }
}

/// Finds replacements in a text and puts the originals back.
///
/// - If several replacements start at the same position, the longest is used. A word or number must
///   stand alone: "Ana" is not in "Banana".
/// - A replacement that appears byte for byte gives its original byte for byte. In UPPER, lower or
///   Title case it gives the original in that case. A line break or other white space within it
///   makes no difference.
/// - A date or an amount of money is also found in another notation, and its original is then written
///   in that notation: "27/05/2025" for "27 May 2025", "£60317" for "£60,317".
/// - A word of the name of someone else stays unchanged, and the [`RestoreReport`] counts it: "Washington" in "George
///   Washington".
/// - A replacement that stands for several originals stays unchanged, and the [`RestoreReport`]
///   counts it. It also counts words of replaced names that appear alone and are not restored.
/// - Restored text is not searched again.
///
/// Whole texts, streams and [pieces](PieceRestorer) are restored by the same steps. A clone shares the table and the search.
///
/// ```
/// use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};
///
/// let mut pairs = ReplacementMap::builder();
/// pairs.add("[person 1]", "Ana Novak", "person")?;
/// let map = pairs.build();
/// let restorer = Restorer::new(&map, RestoreOptions::default())?;
/// let mut out = Vec::new();
/// let report = restorer.restore(&b"Dear [person 1],\n"[..], &mut out)?;
/// assert_eq!(out, b"Dear Ana Novak,\n");
/// assert_eq!(report.by_kind().collect::<Vec<_>>(), [("person", 1)]);
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Clone)]
pub struct Restorer {
    known: Arc<Known>,
    json: bool,
}

/// What a restorer looks for, and what it means.
struct Known {
    search: Search,
    table: Table,
    /// The length of the longest pattern.
    longest: usize,
}

impl Restorer {
    /// Creates a restorer for the replacements of a map.
    ///
    /// # Errors
    /// If there are more replacements than one search can hold.
    pub fn new(map: &ReplacementMap, options: RestoreOptions) -> Result<Self, Error> {
        let (table, patterns) = Table::new(map.clone(), options.parts, options.json);
        let longest = patterns.iter().map(String::len).max().unwrap_or_default();
        let search = Search::new(patterns)?;
        Ok(Self { known: Arc::new(Known { search, table, longest }), json: options.json })
    }

    /// Returns this restorer for texts that are not JSON.
    #[must_use]
    pub fn plain(&self) -> Self {
        Self { known: self.known.clone(), json: false }
    }

    /// Restores a stream, which need not be valid UTF-8. Memory use does not grow with its length,
    /// and the result does not depend on how the input is split.
    ///
    /// # Errors
    /// If reading or writing fails.
    pub fn restore(&self, mut reader: impl Read, mut writer: impl Write) -> Result<RestoreReport, Error> {
        let mut pieces = PieceRestorer::new(self);
        let mut read = Zeroizing::new(vec![0_u8; READ]);
        let mut out = Zeroizing::new(Vec::new());
        loop {
            let count = match reader.read(&mut read) {
                Ok(count) => count,
                Err(error) if error.kind() == Io::Interrupted => continue,
                Err(error) => return Err(Error::io("read the text", &error)),
            };
            out.clear();
            pieces.add(read.get(..count).unwrap_or_default(), count == 0, &mut out);
            // Flush each piece, so that the reader of a pipe gets it at once.
            writer
                .write_all(&out)
                .and_then(|()| writer.flush())
                .map_err(|e| Error::io("write the text", &e))?;
            if count == 0 {
                return Ok(pieces.into_report());
            }
        }
    }

    /// Restores a text in memory.
    pub fn restore_text(&self, text: &str) -> (String, RestoreReport) {
        let mut pieces = PieceRestorer::new(self);
        let text = pieces.last(text);
        (text, pieces.into_report())
    }

    /// Processes all bytes of a text that has ended, and otherwise all that cannot be a part of a replacement any more,
    /// whatever follows.
    pub(crate) fn pass(
        &self,
        window: &mut Window,
        ended: bool,
        collapsed: &mut CollapsedText,
        out: &mut Vec<u8>,
        report: &mut RestoreReport,
    ) {
        window.collapse_spaces(collapsed);
        let mut found = self.known.search.find(&collapsed.bytes);
        found.iter_mut().for_each(|found| *found = collapsed.window_range(found.clone()));
        let limits = match ended {
            true => vec![window.bytes().len()],
            false => self.limits(window, collapsed, &found),
        };
        self.pass_until(window, &limits, found, out, report);
    }

    /// Processes all bytes before the first limit that is not within a replacement. The limits are
    /// sorted, and the last one is the end of what may be processed.
    fn pass_until(
        &self,
        window: &mut Window,
        limits: &[usize],
        found: Vec<Range<usize>>,
        out: &mut Vec<u8>,
        report: &mut RestoreReport,
    ) {
        let bytes = window.bytes();
        let mut at = window.start();
        let last = limits.last().copied().unwrap_or_default();
        let limit_after = |at: usize| limits.iter().copied().find(|limit| *limit >= at).unwrap_or(last);
        // Where in JSON the bytes up to `seen` end.
        let (mut place, mut seen) = (window.place(), at);
        // A word of a name that is left unchanged, unless a replacement within it is restored.
        let mut word: Option<(Range<usize>, &str, &str)> = None;
        for range in self.candidates(bytes, found, at..last) {
            if range.start < at {
                continue;
            }
            if range.start >= limit_after(at) {
                break;
            }
            let Some(quoted) = bytes.get(range.clone()).and_then(|quoted| std::str::from_utf8(quoted).ok())
            else {
                continue;
            };
            if self.json {
                place.pass(bytes.get(seen..range.start).unwrap_or_default());
                seen = range.start;
            }
            match self.known.table.meaning(quoted, self.json) {
                Some(Meaning::One(_, pair)) if self.is_in_longer_name(bytes, &range) => {
                    out.extend_from_slice(&bytes[at..range.end]);
                    report.count_in_longer_name(quoted, pair.kind());
                }
                Some(Meaning::One(text, pair)) => {
                    let how = if self.json { place.written(bytes, &range, &text) } else { InJson::Plain };
                    if how == InJson::Kept {
                        report.count_not_json(quoted, pair.kind());
                        continue;
                    }
                    out.extend_from_slice(&bytes[at..range.start]);
                    match how {
                        InJson::Escaped => escape_into(out, &text),
                        InJson::Plain | InJson::Kept => out.extend_from_slice(text.as_bytes()),
                    }
                    report.count_restored(pair.kind());
                }
                Some(Meaning::Several(pair)) => {
                    out.extend_from_slice(&bytes[at..range.end]);
                    report.count_ambiguous(pair.replacement(), pair.kind());
                }
                Some(Meaning::Word(pair)) => {
                    if let Some((_, text, kind)) = word.take_if(|(last, ..)| last.end <= range.start) {
                        report.count_word(text, kind);
                    }
                    word.get_or_insert((range, quoted, pair.kind()));
                    continue;
                }
                None => continue,
            }
            if let Some((last, text, kind)) = word.take()
                && last.end <= range.start
            {
                report.count_word(text, kind);
            }
            at = range.end;
        }
        if let Some((_, text, kind)) = word {
            report.count_word(text, kind);
        }
        let end = limit_after(at).max(at);
        out.extend_from_slice(&bytes[at..end]);
        if self.json {
            place.pass(bytes.get(seen..end).unwrap_or_default());
        }
        window.advance_to(end, place);
    }

    /// Whether a replacement is a word of the name of someone else. A given name that is a replacement itself is not one of
    /// someone else.
    fn is_in_longer_name(&self, bytes: &[u8], range: &Range<usize>) -> bool {
        is_in_longer_name(bytes, range)
            && bytes
                .get(..range.start)
                .and_then(given_name_before)
                .is_some_and(|given| self.known.table.meaning(given, self.json).is_none())
    }

    /// Returns the positions where a replacement may have begun that is not complete, and the end.
    fn limits(&self, window: &Window, collapsed: &CollapsedText, found: &[Range<usize>]) -> Vec<usize> {
        let (bytes, start) = (window.bytes(), window.start());
        let Known { search, longest, .. } = &*self.known;
        let patterns = search.patterns();
        let first = collapsed.bytes.len().saturating_sub(*longest);
        let end = collapsed.bytes.get(first..).unwrap_or_default().to_ascii_lowercase();
        let is_beginning = |tail: &[u8]| {
            let next = patterns.partition_point(|pattern| pattern.as_bytes() < tail);
            patterns.get(next).is_some_and(|pattern| pattern.as_bytes().starts_with(tail))
        };
        let open = (0..end.len())
            .filter(|&index| is_beginning(&end[index..]))
            .map(|index| collapsed.position(first + index));
        // A word at the end may still go on, and then it is another word.
        let unsure = found.iter().filter(|range| !end_is_known(bytes, range)).map(|range| range.start);
        let mut limits: Vec<usize> = open
            .chain(unsure)
            .filter(|&position| position >= start && starts_word(bytes, position, self.json))
            .chain([bytes.len()])
            .collect();
        limits.sort_unstable();
        limits.dedup();
        limits
    }

    /// Returns the possible replacements that start within a range, in order, longer ones first.
    fn candidates(
        &self,
        bytes: &[u8],
        mut found: Vec<Range<usize>>,
        starts: Range<usize>,
    ) -> Vec<Range<usize>> {
        found.retain(|range| starts.contains(&range.start) && is_whole_word(bytes, range, self.json));
        found.sort_unstable_by_key(|range| (range.start, Reverse(range.end)));
        found
    }
}

impl fmt::Debug for Restorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Restorer({} patterns)", self.known.search.patterns().len())
    }
}
