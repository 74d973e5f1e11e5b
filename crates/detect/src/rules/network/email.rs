//! E-mail addresses, found from their `@` outwards.

use std::ops::Range;

use super::host::host_end;
use crate::rules::letters::{char_at, char_before, is_word_char};

/// RFC 5321 allows 64 bytes before the `@`. Where an `@` shows that there is an address, a longer name is one all the same:
/// a system took it, or a line break was lost.
const LONGEST_LOCAL: usize = 64;

pub(super) fn around_at(text: &str, at: usize, found: &mut Vec<Range<usize>>) {
    // Names hold no `@`, so that no text is read twice.
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

/// Where the part before an `@` begins, as far as `longest` bytes from it; `at` itself if there is none.
fn local_start(text: &str, at: usize, longest: usize) -> usize {
    let mut start = at;
    while at - start < longest {
        let Some(c) = char_before(text, start) else { break };
        let next = start - c.len_utf8();
        let belongs = c.is_alphanumeric()
            || matches!(c, '.' | '_' | '%' | '+' | '-')
            // An apostrophe inside a name, not a quotation mark around the address.
            || (matches!(c, '\'' | '&')
                && char_before(text, next).is_some_and(char::is_alphanumeric)
                && char_at(text, start).is_some_and(char::is_alphanumeric));
        if !belongs {
            break;
        }
        start = next;
    }
    // What is left of a longer name, and dots and dashes before the name, are no part of it.
    while let Some(c) =
        char_at(text, start).filter(|c| start < at && matches!(c, '.' | '-' | '%' | '+' | '\'' | '&'))
    {
        start += c.len_utf8();
    }
    start
}

/// `name [at] host [dot] com`, `name (at) host.com`, `name at host dot com`; `word` is where the `at` begins.
pub(super) fn around_spelled_at(text: &str, word: usize, found: &mut Vec<Range<usize>>) {
    let (before, after) = (&text[..word], &text[word + 2..]);
    let bracketed = before.ends_with(['[', '(', '{', '<']) && after.starts_with([']', ')', '}', '>']);
    let before = before.trim_end_matches(['[', '(', '{', '<', '_']);
    let name_end = before.trim_end_matches(' ').len();
    if name_end == word || word - name_end > 4 {
        return;
    }
    let start = local_start(text, name_end, LONGEST_LOCAL);
    let host_start =
        word + 2 + (after.len() - after.trim_start_matches([']', ')', '}', '>', '_', ' ']).len());
    if start == name_end || host_start - word > 6 {
        return;
    }
    let Some((end, dots)) = spelled_host_end(text, host_start) else { return };
    // Without brackets the sentence needs a spelled-out dot to be no sentence.
    if dots.spelled || (bracketed && dots.plain) {
        found.push(start..end);
    }
}

#[derive(Default)]
struct Dots {
    plain: bool,
    spelled: bool,
}

/// Where a host written with dots of any sort ends.
fn spelled_host_end(text: &str, start: usize) -> Option<(usize, Dots)> {
    let label_end = |from: usize| {
        let inside = |c: &char| is_word_char(*c) || *c == '-';
        // One more than a label may have: a name in code may go on for long.
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
    fn long_names_are_found_whole() {
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
