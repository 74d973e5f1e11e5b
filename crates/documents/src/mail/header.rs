//! Lines of a mail header.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The longest encoded word has 75 characters.
const CHUNK: usize = 42;

/// Writes a text as the value of a header. Line breaks become spaces, so a text cannot add a header.
pub(crate) fn write(text: &str, into: &mut Vec<u8>) {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut length = 10;
    let mut before_encoded = false;
    for (index, word) in text.split(' ').enumerate() {
        let is_plain = word.is_ascii() && !word.starts_with("=?");
        let space = if index > 0 { " " } else { "" };
        match is_plain {
            true => put(&[space, word].concat(), space, &mut length, into),
            false => {
                // The space between two encoded words is not read, so it is encoded too.
                let whole = if before_encoded { format!("{space}{word}") } else { word.to_owned() };
                let mut rest = whole.as_str();
                let mut first = true;
                while !rest.is_empty() {
                    let mut end = rest.len().min(CHUNK);
                    while !rest.is_char_boundary(end) {
                        end -= 1;
                    }
                    let (chunk, later) = rest.split_at(end);
                    let encoded = format!("=?utf-8?B?{}?=", STANDARD.encode(chunk));
                    let space = if first && index == 0 { "" } else { " " };
                    put(&[space, &encoded].concat(), space, &mut length, into);
                    (rest, first) = (later, false);
                }
            }
        }
        before_encoded = !is_plain;
    }
}

/// Writes a word, on a new line if the line would be too long.
fn put(word: &str, space: &str, length: &mut usize, into: &mut Vec<u8>) {
    if *length + word.len() > 76 && !space.is_empty() && word.len() > 1 {
        into.extend_from_slice(b"\r\n");
        *length = 0;
    }
    into.extend_from_slice(word.as_bytes());
    *length += word.len();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_their_text_and_add_no_line() {
        for text in ["Re: hello", "Ána Növak <a@b.org>", "a\r\nBcc: c@d.org", &"lång ".repeat(40)] {
            let mut bytes = b"Subject: ".to_vec();
            write(text, &mut bytes);
            bytes.extend_from_slice(b"\r\n\r\nbody");
            assert!(bytes.is_ascii());
            let message = mail_parser::MessageParser::default().parse(&bytes).unwrap();
            assert_eq!(message.parts[0].headers.len(), 1, "{text}");
            let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(squeezed(message.subject().unwrap()), squeezed(&clean));
        }
    }
}
