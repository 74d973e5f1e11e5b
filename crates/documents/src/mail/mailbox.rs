//! Mailboxes: mails one after the other, each behind a line that begins with "From ".

use std::borrow::Cow;

/// The line before a mail in a written mailbox.
pub(super) const FROM_LINE: &str = "From - Thu Jan  1 00:00:00 1970\r\n";

/// Returns the mails of a mailbox, without the lines between them. What stands before the first is left out.
///
/// ```
/// let mailbox = b"From a@b.org\nSubject: one\n\nHello\n\nFrom c@d.org\nSubject: two\n\nBye\n";
/// let mails = inkveil_documents::mails(mailbox);
/// assert_eq!(mails, [&b"Subject: one\n\nHello\n\n"[..], b"Subject: two\n\nBye\n"]);
/// ```
pub fn mails(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut mails, mut from) = (Vec::new(), None);
    let (mut at, mut after_blank) = (0, true);
    while at < bytes.len() {
        let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
        let line = &bytes[at..end];
        if after_blank
            && line.starts_with(b"From ")
            && let Some(from) = from.replace(end)
        {
            mails.push(&bytes[from..at]);
        }
        after_blank = matches!(line, b"\n" | b"\r\n");
        at = end;
    }
    if let Some(from) = from {
        mails.push(&bytes[from..]);
    }
    mails
}

/// A mail without the signs before lines that begin with "From ".
pub(super) fn unquoted(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.windows(6).any(|window| window == b">From ") {
        return Cow::Borrowed(bytes);
    }
    let mut plain = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let quoted = line.iter().take_while(|byte| **byte == b'>').count();
        let is_from = quoted > 0 && line[quoted..].starts_with(b"From ");
        plain.extend_from_slice(&line[usize::from(is_from)..]);
    }
    Cow::Owned(plain)
}
