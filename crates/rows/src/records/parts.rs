//! Where a long text is cut into parts.
//!
//! A part is veiled as a text of its own. What detection has to see as one, such as a name, must therefore not lie across
//! a cut.

use crate::error::{Error, ErrorKind};

/// Returns the length of the first part of a text that is longer than `most` bytes: up to the last paragraph, sentence,
/// line, word between words that are no names, or word in it.
///
/// # Errors
/// If there is no blank in it.
pub(crate) fn first_part(text: &[u8], most: usize) -> Result<usize, Error> {
    let part = &text[..most.min(text.len())];
    // An earlier paragraph or sentence would leave small parts.
    let late = |end: &usize| *end > part.len() / 2;
    let last = |is_end: fn(&[u8], usize) -> bool| (0..part.len()).rev().find(|at| is_end(part, *at));
    let paragraph = || part.windows(2).rposition(|two| two == b"\n\n").map(|at| at + 1).filter(late);
    let sentence = || last(ends_sentence).filter(late);
    let line = || part.iter().rposition(|byte| *byte == b'\n');
    let plain = || last(is_between_plain_words).filter(late);
    let word = || part.iter().rposition(u8::is_ascii_whitespace);
    match paragraph().or_else(sentence).or_else(line).or_else(plain).or_else(word) {
        Some(end) => Ok(end + 1),
        None => Err(ErrorKind::TooLong { what: "a word", limit: most as u64 }.into()),
    }
}

/// Cuts a text into parts of at most `most` bytes.
///
/// # Errors
/// If a word is longer.
pub(crate) fn parts_of(text: &str, most: usize) -> Result<Vec<&str>, Error> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while rest.len() > most {
        // A blank is one byte, so the cut lies between two characters.
        let (part, later) = rest.split_at(first_part(rest.as_bytes(), most)?);
        parts.push(part);
        rest = later;
    }
    parts.push(rest);
    Ok(parts)
}

/// Whether a sentence ends with the blank at `at`. The word before must be plain: "Dr. Smith" is no end.
fn ends_sentence(part: &[u8], at: usize) -> bool {
    part[at].is_ascii_whitespace()
        && at > 0
        && matches!(part[at - 1], b'.' | b'!' | b'?')
        && is_plain_word_before(part, at - 1)
}

/// Whether the blank at `at` is between two words in small letters.
fn is_between_plain_words(part: &[u8], at: usize) -> bool {
    part[at].is_ascii_whitespace()
        && is_plain_word_before(part, at)
        && part.get(at + 1).is_some_and(u8::is_ascii_lowercase)
}

/// Whether a word of several small letters ends before `at`.
fn is_plain_word_before(part: &[u8], at: usize) -> bool {
    let mut word = part[..at].iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).peekable();
    let several = part[..at].iter().rev().take(2).all(u8::is_ascii_lowercase) && at > 1;
    several && word.by_ref().all(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_where_no_name_is_torn() {
        let parts = |text| parts_of(text, 32).unwrap();
        assert_eq!(parts("short"), ["short"]);
        assert_eq!(parts(""), [""]);
        assert_eq!(
            parts("she wrote to all of us. Then Ana Maria Novak left"),
            ["she wrote to all of us. ", "Then Ana Maria Novak left"]
        );
        assert_eq!(
            parts("we wrote this on to you Ana Novak and all of them"),
            ["we wrote this on to ", "you Ana Novak and all of them"]
        );
        assert_eq!(
            parts("we went there to see good old Dr. Smith"),
            ["we went there to see good ", "old Dr. Smith"]
        );
        assert_eq!(
            parts("ANA NOVAK AND BORIS PETROV LIVE THERE"),
            ["ANA NOVAK AND BORIS PETROV LIVE ", "THERE"]
        );
        assert_eq!(parts("čččččččččččč čččččččččččč"), ["čččččččččččč ", "čččččččččččč"]);
        assert!(parts_of(&"x".repeat(33), 32).is_err());
    }

    #[test]
    fn parts_make_up_the_text() {
        let text = "A b c. Dd ee\n\nff é gg hh ii\tjj. kk".repeat(50);
        for most in 8..80 {
            let parts = parts_of(&text, most).unwrap();
            assert_eq!(parts.concat(), text);
            assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= most));
        }
    }
}
