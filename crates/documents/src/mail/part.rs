//! The parts of a mail.

use mail_parser::{
    Address, Header, HeaderName, HeaderValue, Message, MessagePart, MimeHeaders as _, PartType,
};

use super::FORMAT;
use super::files_in_text::without_files;
use super::packing::Packing;
use crate::builder::Builder;
use crate::error::{Error, ErrorKind};
use crate::html;
use crate::passage::PassageKind;
use crate::pieces::{Escape, Piece, Pieces};

/// Mails in mails in mails …
const DEPTH: usize = 16;

/// Writes a mail: its headers, then its body.
pub(super) fn message(
    message: &Message<'_>,
    builder: &mut Builder,
    pieces: &mut Pieces,
    depth: usize,
) -> Result<(), Error> {
    if depth > DEPTH {
        return Err(ErrorKind::TooDeep { limit: DEPTH }.into());
    }
    let root = message.parts.first().ok_or_else(|| Error::damaged(FORMAT, "it has no parts"))?;
    for header in &root.headers {
        visible(header, message, builder, pieces);
    }
    pieces.fixed("MIME-Version: 1.0\r\n");
    part(message, 0, builder, pieces, depth, &mut 0)
}

/// Writes a header that a reader sees, and counts the others.
fn visible(header: &Header<'_>, message: &Message<'_>, builder: &mut Builder, pieces: &mut Pieces) {
    let (name, kind) = match &header.name {
        HeaderName::From => ("From", PassageKind::Person),
        HeaderName::To => ("To", PassageKind::Person),
        HeaderName::Cc => ("Cc", PassageKind::Person),
        HeaderName::ReplyTo => ("Reply-To", PassageKind::Person),
        HeaderName::Date => ("Date", PassageKind::Person),
        HeaderName::Subject => ("Subject", PassageKind::Person),
        HeaderName::ContentType
        | HeaderName::ContentTransferEncoding
        | HeaderName::MimeVersion
        | HeaderName::ContentDisposition => return,
        _ if builder.releases() => {
            builder.removed.add("mail headers");
            return;
        }
        other => {
            let raw = message.raw_message.get(header.offset_start as usize..header.offset_end as usize);
            pieces.fixed(other.as_str());
            pieces.fixed(":");
            pieces.fixed(raw.unwrap_or(b"\r\n"));
            return;
        }
    };
    let raw = || {
        let raw = message.raw_message.get(header.offset_start as usize..header.offset_end as usize);
        String::from_utf8_lossy(raw.unwrap_or_default()).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = match &header.value {
        HeaderValue::Address(address) => addresses(address),
        HeaderValue::Text(text) => text.to_string(),
        HeaderValue::TextList(list) => list.join(", "),
        // A date may have a comment, so it is read as it is written.
        _ => raw(),
    };
    if text.is_empty() {
        return;
    }
    pieces.fixed(format!("{name}: "));
    builder.begin(kind);
    builder.fixed(name);
    builder.fixed(": ");
    let run = builder.run(&text, kind);
    builder.end();
    pieces.run(run, Escape::Header);
    pieces.fixed("\r\n");
}

/// Addresses as a reader sees them.
fn addresses(address: &Address<'_>) -> String {
    let one = |name: Option<&str>, address: Option<&str>| match (name, address) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (Some(only), None) | (None, Some(only)) => only.to_owned(),
        (None, None) => String::new(),
    };
    let list: Vec<String> = address.iter().map(|addr| one(addr.name(), addr.address())).collect();
    list.join(", ")
}

/// Writes a part: the headers that say what it is, then its body.
fn part(
    message: &Message<'_>,
    id: u32,
    builder: &mut Builder,
    pieces: &mut Pieces,
    depth: usize,
    count: &mut usize,
) -> Result<(), Error> {
    let Some(current) = message.parts.get(id as usize) else {
        return Err(Error::damaged(FORMAT, "a part is missing"));
    };
    *count += 1;
    if *count > builder.limits.parts {
        return Err(Error::too_large("the number of parts", builder.limits.parts as u64));
    }
    let is_attachment = current.content_disposition().is_some_and(|found| found.is_attachment());
    let kind = if is_attachment { PassageKind::Attachment } else { PassageKind::Paragraph };
    match &current.body {
        PartType::Multipart(children) => {
            let subtype = current.content_type().and_then(|found| found.subtype()).unwrap_or("mixed");
            let subtype = ["alternative", "related"].into_iter().find(|known| *known == subtype);
            // The number of the piece is unique in the file.
            let boundary = format!("inkveil-{depth}-{count}-{}", pieces.list.len());
            let subtype = subtype.unwrap_or("mixed");
            pieces.fixed(format!("Content-Type: multipart/{subtype};\r\n boundary=\"{boundary}\"\r\n\r\n"));
            let mut is_empty = true;
            for child in children {
                let kept = match message.parts.get(*child as usize) {
                    Some(part) => !builder.releases() || is_kept(part, builder),
                    None => false,
                };
                if kept {
                    is_empty = false;
                    pieces.fixed(format!("--{boundary}\r\n"));
                    part(message, *child, builder, pieces, depth, count)?;
                    pieces.fixed("\r\n");
                }
            }
            // Without a part, a reader would take the boundary for text.
            if is_empty {
                pieces.fixed(format!("--{boundary}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\r\n"));
            }
            pieces.fixed(format!("--{boundary}--\r\n"));
        }
        PartType::Html(text) => {
            head(pieces, "text/html", is_attachment.then_some("html"), count);
            let inner = html::pieces(text, builder, kind)?;
            pieces.list.push(Piece::Packed(inner, Packing::QuotedPrintable));
        }
        PartType::Text(text) if !builder.releases() || is_text(current) => {
            let subtype =
                current.content_type().and_then(|found| found.subtype()).filter(|_| !builder.releases());
            let is_word =
                |subtype: &&str| subtype.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            let subtype = subtype.filter(is_word).unwrap_or("plain");
            head(pieces, &format!("text/{subtype}"), is_attachment.then_some("txt"), count);
            let mut inner = Pieces::default();
            let (without, files) =
                if builder.releases() { without_files(text) } else { (text.to_string(), 0) };
            builder.removed.add_many("files in the text", files);
            paragraphs(&without, builder, &mut inner, kind);
            pieces.list.push(Piece::Packed(inner.list, Packing::QuotedPrintable));
        }
        // A mail that is nothing but a mail is not read again by every program, so it gets a part around it.
        PartType::Message(nested) if id == 0 => {
            let boundary = format!("inkveil-{depth}-{count}-{}", pieces.list.len());
            pieces.fixed(format!(
                "Content-Type: multipart/mixed;\r\n boundary=\"{boundary}\"\r\n\r\n--{boundary}\r\n"
            ));
            pieces.fixed("Content-Type: message/rfc822\r\n\r\n");
            self::message(nested, builder, pieces, depth + 1)?;
            pieces.fixed(format!("\r\n--{boundary}--\r\n"));
        }
        PartType::Message(nested) => {
            pieces.fixed("Content-Type: message/rfc822\r\n\r\n");
            self::message(nested, builder, pieces, depth + 1)?;
        }
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) if !builder.releases() => {
            let content = current.content_type();
            let kind = content.map_or("application/octet-stream".to_owned(), |found| {
                format!("{}/{}", found.ctype(), found.subtype().unwrap_or("octet-stream"))
            });
            head_of(pieces, &kind, current.attachment_name());
            let mut inner = Pieces::default();
            inner.fixed(bytes);
            pieces.list.push(Piece::Packed(inner.list, Packing::Base64));
        }
        // The only part of a mail may be a file.
        PartType::Binary(_) | PartType::InlineBinary(_) | PartType::Text(_) => {
            builder.removed.add("attachments");
            pieces.fixed("Content-Type: text/plain; charset=utf-8\r\n\r\n");
        }
    }
    Ok(())
}

/// Whether a part is written. Files that are not text are removed.
fn is_kept(part: &MessagePart<'_>, builder: &mut Builder) -> bool {
    let kept = match &part.body {
        PartType::Text(_) => is_text(part),
        PartType::Html(_) | PartType::Multipart(_) | PartType::Message(_) => true,
        PartType::Binary(_) | PartType::InlineBinary(_) => false,
    };
    let name = part.content_disposition().is_some() || part.attachment_name().is_some();
    match kept {
        true if name => builder.removed.add("names of attachments"),
        true => {}
        false => builder.removed.add("attachments"),
    }
    kept
}

/// Whether a text has no code that could hide something.
fn is_text(part: &MessagePart<'_>) -> bool {
    part.content_type().is_none_or(|found| {
        found.ctype().eq_ignore_ascii_case("text")
            && matches!(
                found.subtype().unwrap_or("plain").to_ascii_lowercase().as_str(),
                "plain" | "csv" | "markdown" | "tab-separated-values"
            )
    })
}

fn head(pieces: &mut Pieces, kind: &str, attached: Option<&str>, count: &usize) {
    pieces.fixed(format!("Content-Type: {kind}; charset=utf-8\r\n"));
    if let Some(extension) = attached {
        pieces.fixed(format!(
            "Content-Disposition: attachment;\r\n filename=\"attachment-{count}.{extension}\"\r\n"
        ));
    }
    pieces.fixed("Content-Transfer-Encoding: quoted-printable\r\n\r\n");
}

fn head_of(pieces: &mut Pieces, kind: &str, name: Option<&str>) {
    pieces.fixed("Content-Type: ");
    let mut bytes = Vec::new();
    super::header::write(kind, &mut bytes);
    pieces.fixed(&bytes);
    if let Some(name) = name {
        let mut bytes = Vec::new();
        super::header::write(&name.replace(['"', '\\'], "_"), &mut bytes);
        pieces.fixed("\r\nContent-Disposition: attachment;\r\n filename=\"");
        pieces.fixed(bytes);
        pieces.fixed("\"");
    }
    pieces.fixed("\r\nContent-Transfer-Encoding: base64\r\n\r\n");
}

/// Adds a plain text, paragraph by paragraph.
pub(crate) fn paragraphs(text: &str, builder: &mut Builder, pieces: &mut Pieces, kind: PassageKind) {
    let mut paragraph = String::new();
    let mut flush = |paragraph: &mut String, pieces: &mut Pieces| {
        let body = paragraph.trim_end_matches(['\n', '\r']);
        if !body.is_empty() {
            builder.begin(kind);
            let run = builder.run(body, kind);
            builder.end();
            pieces.run(run, Escape::None);
        }
        pieces.fixed(&paragraph[body.len()..]);
        paragraph.clear();
    };
    for line in text.split_inclusive('\n') {
        paragraph.push_str(line);
        if line.trim().is_empty() {
            flush(&mut paragraph, pieces);
        }
    }
    flush(&mut paragraph, pieces);
}
