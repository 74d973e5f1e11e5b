//! PDF: the text layer is read, and a flat document is written.

use std::collections::BTreeMap;

use inkveil_files::catch_quietly;
use lopdf::content::Content;
use lopdf::{Document as PdfDocument, Encoding, Object, ObjectId};

use crate::builder::Builder;
use crate::document::Body;
use crate::error::{Error, ErrorKind};
use crate::passage::PassageKind;

const FORMAT: &str = "pdf";
/// The most pages that are read.
const PAGES: usize = 20_000;

/// Reads the text of a file.
pub(crate) fn read(bytes: &[u8], builder: &mut Builder) -> Result<Body, Error> {
    if !builder.releases() {
        return Err(ErrorKind::Unsupported {
            what: "changing a PDF in place",
            advice: "restore the text that was released from it",
        }
        .into());
    }
    if !bytes.windows(5).take(1024).any(|window| window == b"%PDF-") {
        return Err(Error::damaged(FORMAT, "it does not begin as a PDF does"));
    }
    // The parser trusts more than a damaged file keeps.
    let pdf = catch_quietly(|| PdfDocument::load_mem(bytes).ok())
        .flatten()
        .ok_or_else(|| Error::damaged(FORMAT, "it cannot be read"))?;
    if pdf.is_encrypted() {
        return Err(ErrorKind::Encrypted.into());
    }
    let pages = catch_quietly(|| pdf.get_pages()).unwrap_or_default();
    if pages.len() > PAGES {
        return Err(Error::too_large("the number of pages", PAGES as u64));
    }
    let mut letters = 0;
    for page in pages.values() {
        let limit = usize::try_from(builder.limits.part).unwrap_or(usize::MAX);
        let text = catch_quietly(|| page_text(&pdf, *page, limit)).flatten().unwrap_or_default();
        letters += text.chars().filter(|c| c.is_alphabetic()).count();
        for paragraph in paragraphs(&spelled(&text)) {
            builder.begin(PassageKind::Paragraph);
            builder.run(&paragraph, PassageKind::Paragraph);
            builder.end();
        }
        if let Some(Ok(annotations)) = catch_quietly(|| pdf.get_page_annotations(*page)) {
            builder.removed.add_many("annotations", annotations.len() as u64);
        }
    }
    if letters == 0 {
        return Err(ErrorKind::Unsupported {
            what: "a PDF without a text layer",
            advice: "recognise its text first (OCR)",
        }
        .into());
    }
    count(&pdf, builder);
    builder.removed.add("layout of pages");
    Ok(Body::FlatPdf)
}

/// The text of a page, with a line for each line of it. None if it cannot be read.
fn page_text(pdf: &PdfDocument, page: ObjectId, limit: usize) -> Option<String> {
    let fonts = pdf.get_page_fonts(page).ok()?;
    let encodings: BTreeMap<Vec<u8>, Encoding<'_>> = fonts
        .into_iter()
        .filter_map(|(name, font)| Some((name, font.get_font_encoding_with_limit(pdf, limit).ok()?)))
        .collect();
    let content = Content::decode(&pdf.get_page_content_with_limit(page, limit).ok()?).ok()?;
    let (mut text, mut encoding, mut height) = (String::new(), None, 0.0);
    for operation in &content.operations {
        let number = |index: usize| operation.operands.get(index).and_then(|value| value.as_float().ok());
        match operation.operator.as_str() {
            "Tf" => {
                let font = operation.operands.first().and_then(|font| font.as_name().ok());
                encoding = font.and_then(|font| encodings.get(font));
            }
            "Td" | "TD" => match number(1) {
                Some(down) if down != 0.0 => line(&mut text, down.abs() > 20.0),
                _ => space(&mut text),
            },
            "Tm" => {
                let new = number(5).unwrap_or(height);
                match new == height {
                    true => space(&mut text),
                    false => line(&mut text, (new - height).abs() > 20.0),
                }
                height = new;
            }
            "T*" | "ET" => line(&mut text, false),
            "Tj" | "TJ" => show(&operation.operands, encoding, &mut text),
            "'" | "\"" => {
                line(&mut text, false);
                show(
                    operation.operands.get(operation.operands.len().saturating_sub(1)..)?,
                    encoding,
                    &mut text,
                );
            }
            _ => {}
        }
    }
    Some(text)
}

/// Ends a line, and a paragraph if the next line is far away.
fn line(text: &mut String, far: bool) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if far && !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
}

fn space(text: &mut String) {
    if !text.is_empty() && !text.ends_with(char::is_whitespace) {
        text.push(' ');
    }
}

/// Adds strings. A large gap between two is a space.
fn show(operands: &[Object], encoding: Option<&Encoding<'_>>, text: &mut String) {
    const GAP: f32 = -180.0;
    let Some(encoding) = encoding else { return };
    for operand in operands {
        match operand {
            Object::String(bytes, _) => {
                text.push_str(&PdfDocument::decode_text(encoding, bytes).unwrap_or_default());
            }
            // Arrays hold strings and gaps, and no arrays.
            Object::Array(inner) => {
                for operand in inner {
                    match operand {
                        Object::String(bytes, _) => {
                            text.push_str(&PdfDocument::decode_text(encoding, bytes).unwrap_or_default());
                        }
                        gap if gap.as_float().is_ok_and(|gap| gap < GAP) => space(text),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Counts what is not written again.
fn count(pdf: &PdfDocument, builder: &mut Builder) {
    if pdf.trailer.get(b"Info").is_ok() {
        builder.removed.add("document properties");
    }
    for object in pdf.objects.values() {
        let dictionary = match object {
            Object::Dictionary(dictionary) => dictionary,
            Object::Stream(stream) => &stream.dict,
            _ => continue,
        };
        let named = |key: &[u8]| dictionary.get(key).ok().and_then(|value| value.as_name().ok());
        match (named(b"Type"), named(b"Subtype")) {
            (_, Some(b"Image")) => builder.removed.add("images"),
            (Some(b"Metadata"), _) | (_, Some(b"XML")) => builder.removed.add("XMP metadata"),
            (Some(b"EmbeddedFile" | b"Filespec"), _) => builder.removed.add("embedded files"),
            (Some(b"Action"), _) => builder.removed.add("actions and scripts"),
            (Some(b"Outlines"), _) => builder.removed.add("bookmarks"),
            _ => {}
        }
    }
}

/// A text with letters instead of ligatures, which hide a word from a search, and with usual bullets.
fn spelled(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ﬀ' => spelled.push_str("ff"),
            'ﬁ' => spelled.push_str("fi"),
            'ﬂ' => spelled.push_str("fl"),
            'ﬃ' => spelled.push_str("ffi"),
            'ﬄ' => spelled.push_str("ffl"),
            'ﬅ' | 'ﬆ' => spelled.push_str("st"),
            '●' | '▪' | '■' | '◦' | '‣' | '⁃' => spelled.push('•'),
            c => spelled.push(c),
        }
    }
    spelled
}

/// The paragraphs of a page. Lines of one paragraph are joined.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            open = false;
            continue;
        }
        match paragraphs.last_mut() {
            Some(last) if open => {
                // A word may be divided at the end of a line.
                let divided = last.ends_with('-') && line.starts_with(char::is_lowercase);
                if divided {
                    last.pop();
                } else {
                    last.push(' ');
                }
                last.push_str(line);
            }
            _ => paragraphs.push(line.to_owned()),
        }
        open = !line.ends_with(['.', ':', '!', '?']) && line.chars().count() > 40;
    }
    paragraphs
}

const WIDTH: usize = 90;
const LINES: usize = 54;

/// Writes a text as a PDF: one column, one font, no metadata. Characters that Windows-1252 does not have become `?`.
pub(crate) fn write(text: &str, into: &mut Vec<u8>) {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        wrap(line, &mut lines);
    }
    let pages: Vec<&[String]> = if lines.is_empty() { vec![&[]] } else { lines.chunks(LINES).collect() };
    let mut objects: Vec<Vec<u8>> = Vec::new();
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    objects.push(b"<< /Type /Catalog /Pages 2 0 R >>".to_vec());
    objects
        .push(format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" ")).into_bytes());
    objects
        .push(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec());
    for (index, page) in pages.iter().enumerate() {
        let content = content(page);
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
                5 + 2 * index
            )
            .into_bytes(),
        );
        let mut stream = format!("<< /Length {} >>\nstream\n", content.len()).into_bytes();
        stream.extend_from_slice(&content);
        stream.extend_from_slice(b"\nendstream");
        objects.push(stream);
    }
    into.extend_from_slice(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(into.len());
        into.extend_from_slice(format!("{} 0 obj\n", index + 1).as_bytes());
        into.extend_from_slice(object);
        into.extend_from_slice(b"\nendobj\n");
    }
    let table = into.len();
    into.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes());
    for place in places {
        into.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
    }
    into.extend_from_slice(
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1)
            .as_bytes(),
    );
}

/// Adds a line in pieces that fit a page.
fn wrap(line: &str, lines: &mut Vec<String>) {
    let mut current = String::new();
    let mut length = 0;
    for word in line.split(' ') {
        let wide = word.chars().count();
        if length > 0 && length + 1 + wide > WIDTH {
            lines.push(std::mem::take(&mut current));
            length = 0;
        }
        if length > 0 {
            current.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length >= WIDTH {
                lines.push(std::mem::take(&mut current));
                length = 0;
            }
            current.push(if c == '\t' { ' ' } else { c });
            length += 1;
        }
    }
    lines.push(current);
}

fn content(lines: &[String]) -> Vec<u8> {
    let mut bytes = b"BT\n/F1 10 Tf\n14 TL\n56 786 Td\n".to_vec();
    for line in lines {
        bytes.push(b'(');
        for c in line.chars() {
            let mut buffer = [0; 4];
            let (encoded, _, unknown) = encoding_rs::WINDOWS_1252.encode(c.encode_utf8(&mut buffer));
            match (unknown, encoded.as_ref()) {
                (false, [byte @ (b'(' | b')' | b'\\')]) => bytes.extend_from_slice(&[b'\\', *byte]),
                (false, [byte]) if *byte >= b' ' => bytes.push(*byte),
                _ => bytes.push(b'?'),
            }
        }
        bytes.extend_from_slice(b") Tj\nT*\n");
    }
    bytes.extend_from_slice(b"ET");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ligatures_are_letters() {
        assert_eq!(spelled("Mr Griﬃn treﬀen ﬁx ﬂy ● a"), "Mr Griffin treffen fix fly • a");
    }
}
