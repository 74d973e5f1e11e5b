//! Web addresses and domain names.

use std::ops::Range;

use super::host::{TopLevel, host_end};
use crate::rules::letters::{char_before, floor, is_word_char};
use crate::rules::rule::{Growth, Verdict};

/// The number of bytes that are read. Longer addresses are extended.
const LONGEST: usize = 2048;
const LONGEST_SCHEME: usize = 20;

pub(super) fn around_scheme(text: &str, colon: usize, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let scheme = bytes[..colon]
        .iter()
        .rev()
        .take(LONGEST_SCHEME)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
        .count();
    let start = colon - scheme;
    if scheme < 2 || !bytes[start].is_ascii_alphabetic() {
        return;
    }
    let end = end_of_address(text, colon + 3);
    if end > colon + 3 {
        found.push(start..end);
    }
}

/// How a longer address is extended. Addresses of less than half the limit were not cut and are not
/// extended.
pub(super) const BEYOND: Growth = Growth { from: LONGEST / 2, inside: |c| !stops(c), loose: is_punctuation };

fn stops(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^')
        || (!c.is_ascii() && !is_word_char(c))
}

/// Returns whether a character at the end of an address belongs to the sentence.
fn is_punctuation(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '(' | '[')
}

/// Returns the end of an address: before a space or quotation mark, without the punctuation of the
/// sentence.
pub(super) fn end_of_address(text: &str, from: usize) -> usize {
    let until = floor(text, from.saturating_add(LONGEST).min(text.len()));
    let rest = &text[from..until];
    // Another scheme starts another address. This also keeps the time linear for a chain of them.
    let rest = rest.find("://").map_or(rest, |next| &rest[..next]);
    let mut address = rest.find(stops).map_or(rest, |end| &rest[..end]);
    while let Some(last) = address.chars().next_back() {
        let unopened = match last {
            ')' => address.matches('(').count() < address.matches(')').count(),
            ']' => address.matches('[').count() < address.matches(']').count(),
            _ => is_punctuation(last),
        };
        if !unopened {
            break;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    from + address.len()
}

/// Finds a domain name without a scheme, with its path.
pub(super) fn domain_at(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    // Hosts of e-mail and web addresses are found with their address, and so are paths.
    if matches!(char_before(text, start), Some('@' | '/' | '\\' | '.' | '-' | '~' | '$')) {
        return;
    }
    let Some((end, labels)) = host_end(text, start) else { return };
    let rest = &text[end..];
    if labels < 2 || rest.starts_with(['@', '(', '_', '=']) {
        return;
    }
    let port = rest.strip_prefix(':').map_or(0, |rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if (2..=5).contains(&digits) { digits + 1 } else { 0 }
    });
    let end = end + port;
    let end = if text[end..].starts_with(['/', '?', '#']) { end_of_address(text, end) } else { end };
    found.push(start..end);
}

/// Programs and libraries with names like domains.
const NOT_DOMAINS: &[&str] =
    &["asp.net", "vb.net", "ado.net", "ml.net", "system.io", "socket.io", "java.io", "java.net"];

pub(super) fn domain_verdict(text: &str) -> Verdict {
    let host = text.split(['/', ':', '?', '#']).next().unwrap_or(text);
    let Some((front, last)) = host.rsplit_once('.') else { return Verdict::Invalid };
    let lower = |text: &str| !text.chars().any(char::is_uppercase);
    let upper = |text: &str| !text.chars().any(char::is_lowercase);
    // `end.It was` lacks a space and is not a host in Italy.
    let shouted = upper(last) && upper(front);
    if !lower(last) && !shouted {
        return Verdict::Invalid;
    }
    if NOT_DOMAINS.contains(&host.to_lowercase().as_str())
        || front.chars().all(|c| c.is_ascii_digit() || c == '.')
    {
        return Verdict::Invalid;
    }
    let name = front.rsplit('.').next().unwrap_or_default().chars().count();
    let web = host.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
    match TopLevel::of(last) {
        TopLevel::Unknown if web && last.len() > 1 => Verdict::Unsure,
        TopLevel::Unknown => Verdict::Invalid,
        _ if web => Verdict::Valid,
        TopLevel::Generic => Verdict::Valid,
        // Not hosts: `e.g`, initials, and paths such as `path/to/file.md`.
        TopLevel::Likely if name >= 2 => Verdict::Unsure,
        TopLevel::Ambiguous if name >= 2 && front.contains('.') && lower(front) => Verdict::Unsure,
        TopLevel::Ambiguous if name >= 3 && text.len() > host.len() && lower(front) => Verdict::Unsure,
        _ => Verdict::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use super::LONGEST;
    use crate::rules::testing::{finds, ignores, score};

    #[test]
    fn url() {
        finds(
            "url",
            &[
                "see [[https://example.org/a?b=c#d]].",
                "([[http://example.org/wiki/Ada_(person)]])",
                "\"[[ftp://files.example.com:21/x]]\"",
                "<a href='[[https://example.com/~ada]]'>",
                "open [[postgres://db.example:5432/main]], then",
                "[[https://пример.рф/путь]] works",
            ],
        );
        ignores("url", &["://", "a://b", "no http: // here", "://example.com", "http://", "1http//x"]);
    }

    #[test]
    fn long_addresses_are_found_completely() {
        for length in [LONGEST - 1, LONGEST, LONGEST + 1, 4 * LONGEST] {
            let path = "a".repeat(length);
            finds("url", &[&format!("see [[https://{path}]]."), &format!("([[https://{path}/x.y]], and")]);
            finds("domain", &[&format!("at [[example.org/{path}]]!")]);
        }
    }

    #[test]
    fn domain() {
        finds(
            "domain",
            &[
                "visit [[www.example.com]] today",
                "on [[example.co.uk/people/ada]].",
                "[[EXAMPLE.ORG]] is taken",
                "at [[shop.example.it]], of course",
                "our site [[example.io:8080/x]]",
                "[[münchen.de]] is a city",
                "[[www.example.rs]]",
            ],
        );
        ignores(
            "domain",
            &[
                "open main.rs and lib.py",
                "e.g. this, i.e. that",
                "The end.Then it began",
                "so it ends.It was late",
                "J.R.R. Tolkien lived in the U.S. then",
                "ASP.NET and Node.js",
                "rate 3.5 or 1.2.3",
                "ada@example.com",
                "foo.bar(x)",
                "it was over.so he left",
            ],
        );
        assert!(score("domain", "see example.com") > score("domain", "see example.de"));
    }
}
