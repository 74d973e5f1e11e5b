//! E-mail addresses, found from the `@` in both directions.

use std::ops::Range;

use super::host::host_end;
use crate::rules::letters::{char_at, char_before, is_word_char};

/// The longest name in bytes. RFC 5321 allows 64, but longer ones occur, for example after a lost line
/// break.
const LONGEST_LOCAL: usize = 64;

pub(super) fn around_at(text: &str, at: usize, found: &mut Vec<Range<usize>>) {
    // Names have no `@`, so no text is read twice.
    let start = local_start(text, at, usize::MAX);
    if start == at {
        return;
    }
    let Some((end, labels)) = host_end(text, at + 1) else { return };
    let last = text[at + 1..end].rsplit('.').next().unwrap_or_default();
    if labels >= 2 && last.chars().count() >= 2 && !last.bytes().all(|b| b.is_ascii_digit()) {
        found.push(start..end);
    }
}

/// Returns the start of the part before an `@`, at most `longest` bytes before it, or `at` if there is
/// none.
fn local_start(text: &str, at: usize, longest: usize) -> usize {
    let mut start = at;
    while at - start < longest {
        let Some(c) = char_before(text, start) else { break };
        let next = start - c.len_utf8();
        let belongs = c.is_alphanumeric()
            || matches!(c, '.' | '_' | '%' | '+' | '-')
            // Accepted inside a name, but not as a quotation mark around the address.
            || (matches!(c, '\'' | '&')
                && char_before(text, next).is_some_and(char::is_alphanumeric)
                && char_at(text, start).is_some_and(char::is_alphanumeric));
        if !belongs {
            break;
        }
        start = next;
    }
    // The rest of a longer name, and leading dots and dashes, do not belong to it.
    while let Some(c) =
        char_at(text, start).filter(|c| start < at && matches!(c, '.' | '-' | '%' | '+' | '\'' | '&'))
    {
        start += c.len_utf8();
    }
    start
}

/// Finds `name [at] host [dot] com`, `name (at) host.com` and `name at host dot com`. `word` is the start
/// of the `at`.
pub(super) fn around_spelled_at(text: &str, word: usize, found: &mut Vec<Range<usize>>) {
    let (before, after) = (&text[..word], &text[word + 2..]);
    let bracketed = before.ends_with(['[', '(', '{', '<']) && after.starts_with([']', ')', '}', '>']);
    let before = before.trim_end_matches(['[', '(', '{', '<', '_']);
    let name_end = before.trim_end_matches(' ').len();
    if name_end == word || word - name_end > 4 {
        return;
    }
    let start = spelled_local_start(text, local_start(text, name_end, LONGEST_LOCAL));
    let host_start =
        word + 2 + (after.len() - after.trim_start_matches([']', ')', '}', '>', '_', ' ']).len());
    if start == name_end || host_start - word > 6 {
        return;
    }
    let Some((end, dots)) = spelled_host_end(text, host_start) else { return };
    // Without brackets the dot must be spelled out, because otherwise any sentence with `at` would match.
    if dots.spelled || (bracketed && dots.plain) {
        found.push(start..end);
    }
}

/// Returns the start of a name with dots in words before its last part: `ana dot novak`.
fn spelled_local_start(text: &str, mut start: usize) -> usize {
    const MOST_PARTS: usize = 4;
    for _ in 0..MOST_PARTS {
        let before = text[..start].trim_end_matches(' ').trim_end_matches([']', ')', '}', '>']);
        let Some(dot) = before
            .len()
            .checked_sub(3)
            .filter(|dot| text.get(*dot..before.len()).is_some_and(|word| word.eq_ignore_ascii_case("dot")))
        else {
            break;
        };
        let name = text[..dot].trim_end_matches(['[', '(', '{', '<', ' ']);
        let part = local_start(text, name.len(), LONGEST_LOCAL);
        if name.len() == dot || dot - name.len() > 3 || part == name.len() || before.len() == start {
            break;
        }
        start = part;
    }
    start
}

#[derive(Default)]
struct Dots {
    plain: bool,
    spelled: bool,
}

/// Returns the end of a host with dots in any spelling.
fn spelled_host_end(text: &str, start: usize) -> Option<(usize, Dots)> {
    let label_end = |from: usize| {
        let inside = |c: &char| is_word_char(*c) || *c == '-';
        // One byte more than a label may have, because identifiers in code may be very long.
        let length: usize = text[from..].chars().take(64).take_while(inside).map(char::len_utf8).sum();
        (1..=63).contains(&length).then_some(from + length)
    };
    let mut dots = Dots::default();
    let mut end = label_end(start)?;
    for _ in 0..5 {
        let rest = &text[end..];
        let spelled = ["[dot]", "(dot)", "{dot}", " [dot] ", " (dot) ", " dot ", " [.] ", "[.]", "(.)"]
            .iter()
            .find(|dot| rest.get(..dot.len()).is_some_and(|given| given.eq_ignore_ascii_case(dot)));
        let next = match spelled {
            Some(dot) => label_end(end + dot.len()),
            None if rest.starts_with('.') => label_end(end + 1),
            None => None,
        };
        let Some(next) = next else { break };
        dots.spelled |= spelled.is_some();
        dots.plain |= spelled.is_none();
        end = next;
    }
    Some((end, dots))
}

#[cfg(test)]
mod tests {
    use super::LONGEST_LOCAL;
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn email() {
        finds(
            "email",
            &[
                "write to [[ada.lovelace+maths@mail.example.co.uk]].",
                "([[müller@exämple.de]])",
                "<[[o'brien@example.org]]>",
                "email='[[x_1@example.com]]'",
                "mailto:[[info@example.travel]]?subject=hi",
                "[[ИВАН@пример.рф]]",
                "a,[[b@example.com]],c",
                "\"[[first-last%dept@sub-domain.example.io]]\"",
            ],
        );
        ignores(
            "email",
            &["@example.com", "a@b", "a@", "a @ b.com", "me@1.2", "user@.com", "price@5.00", "@@", "a@-b"],
        );
    }

    #[test]
    fn long_names_are_found_completely() {
        for length in [LONGEST_LOCAL, LONGEST_LOCAL + 1, 5 * LONGEST_LOCAL] {
            let name = "a".repeat(length);
            finds("email", &[&format!("to [[{name}@example.org]].")]);
        }
    }

    #[test]
    fn email_spelled_out() {
        finds(
            "email-spelled-out",
            &[
                "write to [[ada [at] example [dot] org]] now",
                "[[ada(at)example.org]]",
                "[[ada.l at example dot com]]",
                "[[ada AT example DOT co DOT uk]]!",
                "[[ada [at] example.com]]",
            ],
        );
        ignores(
            "email-spelled-out",
            &[
                "We met at home.",
                "look at example.com",
                "he stood at the dot",
                "[at] example [dot] com",
                "(at) the end.Then",
                "at dot com",
            ],
        );
    }
}
