//! Words that must not come out.

use std::io::{Cursor, Read as _, Write as _};

use inkveil_documents::{Document, DocumentFormat, Limits, Purpose};

/// Gives every place its own word.
#[derive(Default)]
pub(crate) struct Canaries {
    count: usize,
}

impl Canaries {
    /// The word of the next place.
    pub(crate) fn next(&mut self) -> String {
        self.count += 1;
        format!("Zyx{:03}canary", self.count)
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

/// A packed file of parts.
pub(crate) fn zip(parts: &[(&str, &str)]) -> Vec<u8> {
    zip_with_comment(parts, "")
}

/// A packed file of parts, with a comment of its own.
pub(crate) fn zip_with_comment(parts: &[(&str, &str)], comment: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, content) in parts {
        archive.start_file(*name, options).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.set_comment(comment).unwrap();
    archive.finish().unwrap().into_inner()
}

/// All parts of a packed file.
pub(crate) fn unzip(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let mut content = Vec::new();
            file.read_to_end(&mut content).unwrap();
            (file.name().unwrap().into_owned(), content)
        })
        .collect()
}

pub(crate) fn open(bytes: &[u8], format: DocumentFormat) -> Document {
    Document::open(bytes, format, Purpose::Release, &Limits::default()).unwrap()
}

/// The words of places that are shown, and so are in the text.
pub(crate) fn shown(text: &str) -> usize {
    text.matches("canary").count()
}

/// Replaces every canary in the text, as a perfect veil would, and returns the written file.
pub(crate) fn veiled(document: &Document) -> Vec<u8> {
    let mut text = document.text().to_owned();
    while let Some(at) = text.find("Zyx") {
        text.replace_range(at..at + "Zyx000canary".len(), "Mira");
    }
    document.written(&text).unwrap()
}

/// Fails if a canary is anywhere in the bytes.
pub(crate) fn assert_clean(bytes: &[u8], what: &str) {
    let has =
        |needle: &[u8]| bytes.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle));
    for needle in [&b"canary"[..], b"zyx0", b"zyx1"] {
        if let Some(at) = has(needle) {
            let around = &bytes[at.saturating_sub(80)..(at + 40).min(bytes.len())];
            panic!("{what}: {}", String::from_utf8_lossy(around));
        }
    }
}

/// Fails if a canary is in a packed file, its parts or their names.
pub(crate) fn assert_clean_package(bytes: &[u8]) {
    assert_clean(bytes, "the packed file");
    for (name, content) in unzip(bytes) {
        assert_clean(name.as_bytes(), "the name of a part");
        assert_clean(&content, &name);
    }
}
