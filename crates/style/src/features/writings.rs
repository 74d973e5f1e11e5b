//! Pieces that are neither a word nor a sign: addresses, mentions, emoticons, emoji.
//!
//! Each function looks at the start of a text and returns the end of its piece, in bytes.

/// A longer one comes before its prefix.
#[rustfmt::skip]
const EMOTICONS: &[&str] = &[
    ">:(", ":'(", ":'-(", ":-)", ":-(", ":-D", ":-P", ":-p", ":-/", ":-|", ":-o", ":-O", ":-*", ";-)", "^_^", "-_-",
    "</3", "<3", ":)", ":(", ":D", ":P", ":p", ":/", ":|", ":o", ":O", ":*", ":3", ":]", ":[", ";)", ";D", ";P", ";p",
    "=)", "=(", "=D", "=P", "=/", "^^", "o_o", "O_O",
];

/// Finds an emoticon. Inside or right before a word it is something else, such as a ratio or a
/// path.
pub(super) fn emoticon_end(text: &str, after_word: bool) -> Option<usize> {
    if !text.starts_with([':', ';', '=', '<', '>', '^', '-']) {
        return None;
    }
    let found = EMOTICONS.iter().find(|emoticon| text.starts_with(**emoticon))?;
    let ends_with_letter = found.ends_with(|c: char| c.is_alphanumeric());
    let next = text[found.len()..].chars().next();
    let goes_on = next.is_some_and(|c| c.is_alphanumeric() || c == '/' && found.ends_with('/'));
    // "word:D" is one; "note:p" and "a=D" may be something else.
    let is_part = goes_on || after_word && ends_with_letter;
    (!is_part).then_some(found.len())
}

/// Returns whether an emoticon has a nose.
pub(super) fn has_nose(emoticon: &str) -> bool {
    emoticon.get(1..2) == Some("-") && emoticon.len() > 2
}

/// Finds "@name" or "#topic".
pub(super) fn handle_end(text: &str) -> Option<usize> {
    let name = text.strip_prefix(['@', '#'])?;
    let starts = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' && text.starts_with('@'));
    let length = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    starts.then_some(1 + length)
}

/// Finds a web or mail address.
pub(super) fn link_end(text: &str) -> Option<usize> {
    let starts =
        |prefix: &str| text.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix));
    let is_page = matches!(text.as_bytes().first(), Some(b'h' | b'H' | b'w' | b'W'))
        && ["https://", "http://", "www."].into_iter().any(starts);
    if !is_page && !is_mailbox(text) {
        return None;
    }
    let stops = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '”' | '“');
    let whole = &text[..text.find(stops).unwrap_or(text.len())];
    // The mark at the end of the sentence is not part of the address.
    Some(whole.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'', '’', '*', '_']).len())
}

/// Finds letters, an at sign, and a name with a dot. The search is bounded by the length of a
/// mailbox, so that a long text without spaces is not slower.
fn is_mailbox(text: &str) -> bool {
    let bytes = text.as_bytes();
    let local = bytes
        .iter()
        .take(64)
        .position(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'.' | b'_' | b'+' | b'-'));
    let Some(at) = local.filter(|&at| at > 0 && bytes[at] == b'@') else { return false };
    let domain = bytes[at + 1..]
        .iter()
        .take(253)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    let mut labels = domain.copied().collect::<Vec<u8>>();
    while labels.last().is_some_and(|last| *last == b'.') {
        labels.pop();
    }
    labels.contains(&b'.') && labels.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Finds one emoji with its variation, skin tone and joined parts, or a flag.
pub(super) fn emoji_end(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    let (_, first) = characters.next().filter(|&(_, c)| is_emoji(c))?;
    let mut joined = false;
    let mut flag = is_flag_letter(first);
    for (at, c) in characters {
        let belongs = match c {
            '\u{200d}' => true,
            '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{20e3}' => true,
            _ if flag && is_flag_letter(c) => {
                flag = false;
                true
            }
            _ => joined && is_emoji(c),
        };
        if !belongs {
            return Some(at);
        }
        joined = c == '\u{200d}';
    }
    Some(text.len())
}

fn is_flag_letter(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        | '\u{231a}'..='\u{231b}' | '\u{23e9}'..='\u{23fa}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoticons_are_separate_from_words() {
        assert_eq!(emoticon_end(":-) yes", false), Some(3));
        assert_eq!(emoticon_end(":)", true), Some(2));
        assert_eq!(emoticon_end(":D", true), None);
        assert_eq!(emoticon_end("://x", false), None);
        assert_eq!(emoticon_end(":(a)", false), None);
        assert!(has_nose(":-)") && !has_nose(":)") && !has_nose("-_-"));
    }

    #[test]
    fn addresses_end_before_the_sentence_does() {
        assert_eq!(link_end("www.a.example). Then"), Some("www.a.example".len()));
        assert_eq!(link_end("HTTPS://a.example/x y"), Some("https://a.example/x".len()));
        assert_eq!(link_end("a.b@mail.example, and"), Some("a.b@mail.example".len()));
        assert_eq!(link_end("me@home"), None);
        assert_eq!(link_end("what"), None);
    }

    #[test]
    fn an_emoji_with_modifiers_is_one_token() {
        assert_eq!(emoji_end("🇫🇷🇩🇪"), Some("🇫🇷".len()));
        assert_eq!(emoji_end("👍🏽👍"), Some("👍🏽".len()));
        assert_eq!(emoji_end("❤️ x"), Some("❤️".len()));
        assert_eq!(emoji_end("é"), None);
    }
}
