//! Arbitrary bytes as documents. What is read is written again, with and without changes, and what was written is read.

use inkveil_documents::{Document, DocumentFormat, Limits, Purpose};

const LIMITS: Limits =
    Limits { bytes: 1 << 20, unpacked: 4 << 20, part: 2 << 20, parts: 100, depth: 64, nodes: 100_000 };

/// Every format has a target of its own, so that a fuzzer learns each alone.
pub fn run(bytes: &[u8], format: DocumentFormat) {
    for purpose in [Purpose::Release, Purpose::Keep] {
        let Ok(document) = Document::open(bytes, format, purpose, &LIMITS) else { continue };
        let _ = document.write();
        let changed = document.text().replace('a', "Mira").replace(' ', "");
        let Ok(written) = document.written(&changed) else { continue };
        // What a release writes can be read, unless it became too large or has no text any more.
        if purpose == Purpose::Release && !changed.trim().is_empty() && written.len() < 1 << 20 {
            let _ = Document::open(&written, format, purpose, &LIMITS);
        }
    }
}

pub fn docx(bytes: &[u8]) {
    run(bytes, DocumentFormat::Docx);
}

pub fn pptx(bytes: &[u8]) {
    run(bytes, DocumentFormat::Pptx);
}

pub fn xlsx(bytes: &[u8]) {
    run(bytes, DocumentFormat::Xlsx);
}

pub fn odf(bytes: &[u8]) {
    for format in [DocumentFormat::Odt, DocumentFormat::Ods, DocumentFormat::Odp] {
        run(bytes, format);
    }
}

pub fn html(bytes: &[u8]) {
    run(bytes, DocumentFormat::Html);
}

pub fn markdown(bytes: &[u8]) {
    run(bytes, DocumentFormat::Markdown);
}

pub fn mail(bytes: &[u8]) {
    for format in [DocumentFormat::Eml, DocumentFormat::Mbox] {
        run(bytes, format);
    }
}

pub fn pdf(bytes: &[u8]) {
    run(bytes, DocumentFormat::Pdf);
}

pub fn chat(bytes: &[u8]) {
    for format in [DocumentFormat::Chat, DocumentFormat::WhatsApp] {
        run(bytes, format);
    }
}
