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
        more_headers(&mut n),
        format!("MIME-Version: 1.0 ({})\r\nContent-Type: multipart/mixed; boundary=\"{}\"; x-own=\"{}\"\r\n\r\n", n(), "b1", n()),
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
        more_parts(&mut n),
        format!("--b1--\r\n{}\r\n", n()),
    ]
    .concat()
}

/// Headers that a reader does not see, or sees in part.
fn more_headers(n: &mut impl FnMut() -> String) -> String {
    const NAMES: &[&str] = &[
        "Sender",
        "Resent-From",
        "Resent-To",
        "Delivered-To",
        "X-Original-To",
        "In-Reply-To",
        "List-Id",
        "List-Unsubscribe",
        "Authentication-Results",
        "Received-SPF",
        "ARC-Seal",
        "ARC-Message-Signature",
        "Autocrypt",
        "X-Face",
        "Thread-Topic",
        "Thread-Index",
        "X-Originating-IP",
        "Disposition-Notification-To",
        "User-Agent",
        "X-MS-Exchange-CrossTenant-Id",
        "Content-Language",
        "Content-Location",
        "Content-Description",
    ];
    let hidden: String = NAMES.iter().map(|name| format!("{name}: a\r\n\t{}\r\n", n())).collect();
    // A group of recipients: its addresses are read.
    format!("{hidden}Reply-To: {}: {}@g.org;\r\n", n(), n())
}

/// Parts that are not plain texts or pages, and parts with names in other encodings.
fn more_parts(n: &mut impl FnMut() -> String) -> String {
    const TYPES: &[&str] = &[
        "application/ms-tnef",
        "application/pgp-keys",
        "application/pgp-signature",
        "application/pkcs7-mime",
        "application/pkcs7-signature",
        "message/delivery-status",
        "message/disposition-notification",
        "message/external-body",
        "message/partial",
        "text/enriched",
        "text/rfc822-headers",
        "text/rtf",
        "text/vcard",
        "text/x-amp-html",
    ];
    let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let mut parts: String = TYPES
        .iter()
        .map(|kind| format!("--b1\r\nContent-Type: {kind}; x-own=\"{}\"\r\n\r\nX-Own: {}\r\n", n(), n()))
        .collect();
    // Names of files in the encodings of RFC 2231 and RFC 2047, and other headers of a part.
    parts.push_str(&format!(
        "--b1\r\nContent-Type: text/plain; name*0=\"{}\"; name*1=\"{}.txt\"; format=flowed\r\nContent-Disposition: attachment;\r\n filename*=utf-8''{}.txt\r\n\
         Content-ID: <{}>\r\nContent-Location: {}\r\nContent-Base: {}\r\nContent-MD5: {}\r\nX-Attachment-Id: {}\r\n\r\nAttached {}\r\n",
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n()
    ));
    parts.push_str(&format!(
        "--b1\r\nContent-Type: application/octet-stream; name=\"=?utf-8?B?{}?=\"\r\nContent-Disposition: attachment; filename=\"=?utf-8?Q?{}?=\"\r\n\
         Content-Transfer-Encoding: base64 ({})\r\n\r\n{}\r\n",
        base64(&n()),
        n(),
        n(),
        base64(&n())
    ));
    // Parts in a signed part, with a boundary of its own and texts around its parts.
    let boundary = n();
    parts.push_str(&format!(
        "--b1\r\nContent-Type: multipart/signed; micalg=\"{}\"; boundary=\"{boundary}\"\r\n\r\n{}\r\n--{boundary}\r\nContent-Type: text/plain\r\n\
         Content-Transfer-Encoding: quoted-printable\r\n\r\nSigned Zyx9=\r\n99canary\r\n--{boundary}\r\nContent-Type: application/pgp-signature\r\n\r\n{}\r\n--{boundary}--\r\n{}\r\n",
        n(),
        n(),
        n(),
        n()
    ));
    // A mail in a mail in a mail.
    parts.push_str(&format!(
        "--b1\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename=\"{}.eml\"\r\n\r\nX-One: {}\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000 ({})\r\n\
         Content-Type: multipart/mixed; boundary=\"b3\"\r\n\r\n--b3\r\nContent-Type: message/rfc822\r\n\r\nX-Two: {}\r\nTo: {}@h.org\r\n\r\nInner {}\r\n--b3--\r\n",
        n(),
        n(),
        n(),
        n(),
        n(),
        n()
    ));
    // Files in a text: the first holds the letters of a word, the second is a key with a name.
    parts.push_str(&format!(
        "--b1\r\nContent-Type: text/plain\r\n\r\nBefore {}\r\nbegin 644 {}.txt\r\n#0V%T\r\n`\r\nend\r\n-----BEGIN PGP PUBLIC KEY BLOCK-----\r\n\
         Comment: {}\r\n\r\n{}\r\n-----END PGP PUBLIC KEY BLOCK-----\r\nafter {}\r\n",
        n(),
        n(),
        n(),
        base64(&n()),
        n()
    ));
    parts
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
    assert!(canaries.count() >= 120, "{}", canaries.count());
    let document = open(mail.as_bytes(), DocumentFormat::Eml);
    let visible = shown(document.text());
    assert!(visible >= 24, "{visible}: {}", document.text());
    for text in ["Attached Zyx", "Signed Zyx999canary", "Inner Zyx", "Before Zyx", "after Zyx"] {
        assert!(document.text().contains(text), "{text}: {}", document.text());
    }
    let written = veiled(&document);
    assert_clean(&decoded(&written), "the mail");
    let message = mail_parser::MessageParser::default().parse(&written).unwrap();
    assert_eq!(message.subject(), Some("Mira again"));
    assert_eq!(message.from().unwrap().first().unwrap().address(), Some("Mira@example.org"));
    assert!(message.body_text(0).unwrap().contains("Hello Mira,"));
    assert!(message.body_html(0).unwrap().contains("<p>Dear Mira</p>"));
    let text = String::from_utf8_lossy(&decoded(&written)).into_owned();
    assert!(!text.contains("#0V%T") && !text.contains("PGP PUBLIC KEY"), "{text}");
    assert!(document.removed().count("attachments") >= 19, "{:?}", document.removed());
    assert_eq!(document.removed().count("files in the text"), 2);
    assert!(document.removed().count("mail headers") >= 33, "{:?}", document.removed());
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

#[test]
fn a_part_without_parts_leaves_no_boundary_in_the_text() {
    let mail = "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: image/png\r\n\r\nx\r\n--b--\r\n\
                --a\r\n\r\nHello\r\n--a--\r\n";
    let document = open(mail.as_bytes(), DocumentFormat::Eml);
    assert_eq!(document.text(), "Hello");
    let again = open(&document.written(document.text()).unwrap(), DocumentFormat::Eml);
    assert_eq!(again.text(), "Hello");
}

#[test]
fn a_mail_that_is_only_a_mail_is_read_again() {
    let mail = "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: message/rfc822\r\n\r\nSubject: one\r\nContent-Type: message/rfc822\r\n\r\n\
                Subject: two\r\n\r\nInner\r\n";
    let document = open(mail.as_bytes(), DocumentFormat::Eml);
    assert!(document.text().contains("Subject: one"), "{}", document.text());
    let again = open(&document.written(document.text()).unwrap(), DocumentFormat::Eml);
    assert_eq!(again.text(), document.text());
}
