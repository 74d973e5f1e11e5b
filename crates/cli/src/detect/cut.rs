//! Where a long text is cut into pieces.

/// No piece is longer, in bytes: what is looked at together fits in memory many times over.
pub(super) const LONGEST: usize = 128 << 10;

/// How much is seen before a piece: more than rules and taggers look back for words that speak for what follows.
pub(super) const BEHIND: usize = 512;

/// How much is seen after it: more than most things are long, little beside a piece, because it is looked at twice.
pub(super) const AHEAD: usize = 4 << 10;

/// Where to cut the first piece off a text that is longer than one: after a blank line if the second half of the piece has one,
/// else after a line, else after a space, else between two characters.
///
/// The halves keep pieces from becoming tiny where blank lines are rare.
pub(super) fn first_piece(text: &str) -> usize {
    let end = text.floor_char_boundary(LONGEST);
    let middle = text.floor_char_boundary(LONGEST / 2);
    let half = &text[middle..end];
    let cut = after_blank_line(half)
        .or_else(|| half.rfind('\n').map(|at| at + 1))
        .or_else(|| half.char_indices().rfind(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8()));
    cut.map_or(end, |cut| middle + cut)
}

/// The end of the last line that holds nothing but blanks.
fn after_blank_line(text: &str) -> Option<usize> {
    let mut end = text.rfind('\n')?;
    loop {
        let start = text[..end].rfind('\n')?;
        if text[start..end].trim().is_empty() {
            return Some(end + 1);
        }
        end = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of `len` bytes with `mark` at `at`.
    fn with(mark: &str, at: usize, len: usize) -> String {
        let mut text = "x".repeat(len);
        text.replace_range(at..at + mark.len(), mark);
        text
    }

    #[test]
    fn the_best_place_in_the_second_half() {
        let late = LONGEST - 100;
        assert_eq!(first_piece(&with("\n\n", late, 2 * LONGEST)), late + 2);
        assert_eq!(first_piece(&with("\r\n \t\r\n", late, 2 * LONGEST)), late + 6);
        assert_eq!(first_piece(&with("\n", late, 2 * LONGEST)), late + 1);
        assert_eq!(first_piece(&with(" ", late, 2 * LONGEST)), late + 1);
        assert_eq!(first_piece(&with("\u{3000}", late, 2 * LONGEST)), late + 3);
        // A blank line beats a later line, which beats a later space.
        let mut text = with("\n\n", late - 50, 2 * LONGEST);
        text.replace_range(late..late + 1, "\n");
        assert_eq!(first_piece(&text), late - 48);
        text.replace_range(late - 50..late - 48, "xx");
        text.replace_range(late + 20..late + 21, " ");
        assert_eq!(first_piece(&text), late + 1);
    }

    #[test]
    fn places_in_the_first_half_and_beyond_the_end_do_not_count() {
        assert_eq!(first_piece(&with("\n\n", 10, 2 * LONGEST)), LONGEST);
        assert_eq!(first_piece(&with("\n\n", LONGEST + 10, 2 * LONGEST)), LONGEST);
    }

    #[test]
    fn characters_stay_whole() {
        let text = format!("x{}", "𝄞".repeat(LONGEST / 2));
        let cut = first_piece(&text);
        assert!(text.is_char_boundary(cut) && cut <= LONGEST && cut > LONGEST - 4);
    }
}
