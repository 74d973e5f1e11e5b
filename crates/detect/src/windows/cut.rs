//! Where a long text is cut into pieces.

/// The longest piece in bytes. A batch of many pieces must fit in memory.
pub(super) const LONGEST: usize = 128 << 10;

/// The number of bytes that a window shows before its piece: more than rules and taggers look back for
/// context.
pub(super) const BEHIND: usize = 512;

/// The number of bytes that a window shows after its piece: more than most spans have. This text is
/// searched twice, so it is much shorter than a piece.
pub(super) const AHEAD: usize = 4 << 10;

/// Returns the end of the first piece of a text that is longer than one piece: after a blank line in the
/// second half of the piece, otherwise after a line, a space or a character.
///
/// The first half is not used, because very short pieces would be slow.
pub(super) fn first_piece(text: &str) -> usize {
    let end = text.floor_char_boundary(LONGEST);
    let middle = text.floor_char_boundary(LONGEST / 2);
    let half = &text[middle..end];
    let cut = after_blank_line(half)
        .or_else(|| half.rfind('\n').map(|at| at + 1))
        .or_else(|| half.char_indices().rfind(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8()));
    cut.map_or(end, |cut| middle + cut)
}

/// Returns the end of the last blank line.
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

    /// Returns a text of `len` bytes with `mark` at `at`.
    fn with(mark: &str, at: usize, len: usize) -> String {
        let mut text = "x".repeat(len);
        text.replace_range(at..at + mark.len(), mark);
        text
    }

    #[test]
    fn blank_lines_come_before_lines_and_lines_before_spaces() {
        let late = LONGEST - 100;
        assert_eq!(first_piece(&with("\n\n", late, 2 * LONGEST)), late + 2);
        assert_eq!(first_piece(&with("\r\n \t\r\n", late, 2 * LONGEST)), late + 6);
        assert_eq!(first_piece(&with("\n", late, 2 * LONGEST)), late + 1);
        assert_eq!(first_piece(&with(" ", late, 2 * LONGEST)), late + 1);
        assert_eq!(first_piece(&with("\u{3000}", late, 2 * LONGEST)), late + 3);
        let mut text = with("\n\n", late - 50, 2 * LONGEST);
        text.replace_range(late..late + 1, "\n");
        assert_eq!(first_piece(&text), late - 48);
        text.replace_range(late - 50..late - 48, "xx");
        text.replace_range(late + 20..late + 21, " ");
        assert_eq!(first_piece(&text), late + 1);
    }

    #[test]
    fn only_the_second_half_is_searched() {
        assert_eq!(first_piece(&with("\n\n", 10, 2 * LONGEST)), LONGEST);
        assert_eq!(first_piece(&with("\n\n", LONGEST + 10, 2 * LONGEST)), LONGEST);
    }

    #[test]
    fn characters_are_not_split() {
        let text = format!("x{}", "𝄞".repeat(LONGEST / 2));
        let cut = first_piece(&text);
        assert!(text.is_char_boundary(cut) && cut <= LONGEST && cut > LONGEST - 4);
    }
}
