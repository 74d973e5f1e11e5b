//! Mails.

use base64::Engine as _;
use inkveil_documents::{Document, DocumentFormat, Limits, Purpose};

use crate::canary::{Canaries, assert_clean, open, shown, veiled};

/// A mail with a word in every place.
fn full(c: &mut Canaries) -> String {
    let mut n = || c.next();
    let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    [
        format!("Return-Path: <{}@example.org>\r\nReceived: from {} by {}\r\n", n(), n(), n()),
        format!("From: \"{} Novak\" <{}@example.org>\r\nTo: {} <{}@b.org>, {}@c.org\r\n", n(), n(), n(), n(), n()),
        format!("Cc: =?utf-8?B?{}?= <x@y.org>\r\nBcc: {}@z.org\r\n", base64(&n()), n()),
        format!("Subject: =?utf-8?Q?{}?= again\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000 ({})\r\n", n(), n()),
        format!("Message-ID: <{}@d.org>\r\nReferences: <{}@e.org>\r\nX-Mailer: {}\r\nX-{}: 1\r\n", n(), n(), n(), n()),
        format!("Organization: {}\r\nComments: {}\r\nKeywords: {}\r\nDKIM-Signature: s={}\r\n", n(), n(), n(), n()),
        format!("MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"{}\"\r\n\r\n", "b1"),
        format!("{}\r\n--b1\r\nContent-Type: multipart/alternative; boundary=\"b2\"\r\n\r\n", n()),
        format!("--b2\r\nContent-Type: text/plain; charset=utf-8; name=\"{}\"\r\nContent-ID: <{}>\r\n\r\n", n(), n()),
        format!("Hello {},\r\n\r\n> quoted {}\r\n-- \r\n{}\r\n", n(), n(), n()),
        format!("--b2\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n--b2--\r\n", {
            base64(&format!("<p title=\"{}\">Dear {}</p><!-- {} -->", n(), n(), n()))
        }),
        format!("--b1\r\nContent-Type: application/pdf; name=\"{}.pdf\"\r\nContent-Disposition: attachment; filename=\"{}.pdf\"\r\n", n(), n()),
        format!("Content-Description: {}\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n", n(), base64(&n())),
        format!("--b1\r\nContent-Type: text/csv; name=\"{}.csv\"\r\nContent-Disposition: attachment; filename=\"{}.csv\"\r\n\r\na,{}\r\n", n(), n(), n()),
        format!("--b1\r\nContent-Type: text/calendar\r\n\r\nORGANIZER:{}\r\n", n()),
        format!("--b1\r\nContent-Type: image/png; name=\"{}\"\r\nContent-ID: <{}>\r\n\r\n{}\r\n", n(), n(), n()),
        format!("--b1\r\nContent-Type: message/rfc822\r\n\r\nFrom: {}@f.org\r\nSubject: {}\r\nX-A: {}\r\n\r\nForwarded {}\r\n", n(), n(), n(), n()),
        format!("--b1--\r\n{}\r\n", n()),
    ]
    .concat()
}

/// A mail with its encodings undone.
fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut all = bytes.to_vec();
    let text = String::from_utf8_lossy(bytes).replace("=\r\n", "");
    all.extend_from_slice(text.as_bytes());
    let message = mail_parser::MessageParser::default().parse(bytes).unwrap();
    all.extend_from_slice(format!("{message:?}").as_bytes());
    all
}

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut canaries = Canaries::default();
    let mail = full(&mut canaries);
    assert!(canaries.count() >= 40, "{}", canaries.count());
    let document = open(mail.as_bytes(), DocumentFormat::Eml);
    let visible = shown(document.text());
    assert!(visible >= 16, "{visible}: {}", document.text());
    let written = veiled(&document);
    assert_clean(&decoded(&written), "the mail");
    let message = mail_parser::MessageParser::default().parse(&written).unwrap();
    assert_eq!(message.subject(), Some("Mira again"));
    assert_eq!(message.from().unwrap().first().unwrap().address(), Some("Mira@example.org"));
    assert!(message.body_text(0).unwrap().contains("Hello Mira,"));
    assert!(message.body_html(0).unwrap().contains("<p>Dear Mira</p>"));
    assert_eq!(document.removed().count("attachments"), 3);
    assert!(document.removed().count("mail headers") >= 10);
    println!("eml: {} places, {visible} of them in the text", canaries.count());
}

#[test]
fn a_mailbox_is_its_mails() {
    let mut canaries = Canaries::default();
    let mails: Vec<String> = (0..3)
        .map(|_| format!("From {} Mon Jan  1 2024\r\n{}\r\n", canaries.next(), full(&mut canaries)))
        .collect();
    let mailbox = mails.concat();
    let document = open(mailbox.as_bytes(), DocumentFormat::Mbox);
    let written = veiled(&document);
    let found = inkveil_documents::mails(&written);
    assert_eq!(found.len(), 3);
    for mail in found {
        assert_clean(&decoded(mail), "a mail of the mailbox");
    }
    assert_clean(&written, "the mailbox");
}

#[test]
fn a_kept_mail_keeps_its_headers_and_attachments() {
    let mail = full(&mut Canaries::default());
    let document =
        Document::open(mail.as_bytes(), DocumentFormat::Eml, Purpose::Keep, &Limits::default()).unwrap();
    let written = document.written(&document.text().replace("Hello", "Hi")).unwrap();
    let message = mail_parser::MessageParser::default().parse(&written).unwrap();
    assert!(message.attachments().count() >= 4, "{}", String::from_utf8_lossy(&written));
    assert!(message.header("X-Mailer").is_some() && message.body_text(0).unwrap().contains("Hi "));
}
