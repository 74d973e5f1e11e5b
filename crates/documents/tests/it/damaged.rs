//! Damaged and hostile documents: an error or a document, never a panic.

use std::io::Write as _;

use inkveil_documents::{Document, DocumentFormat, ErrorKind, Limits, Purpose};

use crate::canary::zip;

/// How many documents of each format are damaged. `INKVEIL_DAMAGED=10000` takes minutes.
fn count() -> usize {
    std::env::var("INKVEIL_DAMAGED").ok().and_then(|count| count.parse().ok()).unwrap_or(150)
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

const LIMITS: Limits =
    Limits { bytes: 4 << 20, unpacked: 8 << 20, part: 4 << 20, parts: 200, depth: 64, nodes: 200_000 };

fn samples(format: DocumentFormat) -> Vec<Vec<u8>> {
    let text = |text: &str| vec![text.as_bytes().to_vec()];
    match format {
        DocumentFormat::Html => text(
            "<html><body><p title='x'>Ask <b>Ana</b> &amp; Bo</p><table><tr><td>1</td></tr></table><script>x</script></body></html>",
        ),
        DocumentFormat::Markdown => text(
            "---\na: b\n---\n# Title\n\nAsk **Ana** [link](http://x.org) `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nx\n```\n\n[^1]: note\n<b>x</b>\n",
        ),
        DocumentFormat::Eml | DocumentFormat::Mbox => text(
            "From a Mon\nFrom: Ana <a@b.org>\nSubject: =?utf-8?B?QW5h?=\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHello Ana\n--x\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+QW5hPC9wPg==\n--x\nContent-Type: message/rfc822\n\nSubject: in\n\nBody\n--x--\n",
        ),
        DocumentFormat::Chat => text(
            r#"[{"title": "Ana", "mapping": {"a1b2": {"message": {"author": {"role": "user"}, "content": {"parts": ["Hello"]}}}}, "ts": "1", "text": "x"}]"#,
        ),
        DocumentFormat::WhatsApp => text("31/12/2023, 22:05 - Ana: Hello\n\nBye\n"),
        DocumentFormat::Pdf => {
            let mut bytes = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [4 0 R] >>\nendobj\n3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n4 0 obj\n<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>\nendobj\n5 0 obj\n<< /Length 35 >>\nstream\nBT /F1 12 Tf (Ask Ana now) Tj T* ET\nendstream\nendobj\n".to_vec();
            let table = bytes.len();
            let text = String::from_utf8(bytes.clone()).unwrap();
            let places: String = (1..6)
                .map(|number| format!("{:010} 00000 n \n", text.find(&format!("{number} 0 obj")).unwrap()))
                .collect();
            bytes.extend_from_slice(format!("xref\n0 6\n0000000000 65535 f \n{places}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").as_bytes());
            vec![bytes]
        }
        DocumentFormat::Odt | DocumentFormat::Ods | DocumentFormat::Odp => vec![zip(&[
            ("mimetype", format.media_type()),
            (
                "content.xml",
                "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"><office:body><office:text><text:p>Ask <text:span>Ana</text:span><text:s/>now</text:p></office:text></office:body></office:document-content>",
            ),
            (
                "styles.xml",
                "<office:document-styles xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\"/>",
            ),
        ])],
        _ => {
            let (kind, main) = match format {
                DocumentFormat::Docx => (
                    "word/document.xml",
                    "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body><w:p><w:r><w:t>Ask Ana</w:t></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/><w:instrText>PAGE</w:instrText></w:r></w:p></w:body></w:document>",
                ),
                DocumentFormat::Pptx => (
                    "ppt/presentation.xml",
                    "<p:presentation xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:p><a:r><a:t>Ask Ana</a:t></a:r></a:p></p:presentation>",
                ),
                _ => (
                    "xl/workbook.xml",
                    "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"a\" r:id=\"r1\"/></sheets></workbook>",
                ),
            };
            let rels = format!(
                "<Relationships><Relationship Id=\"a\" Type=\"x/officeDocument\" Target=\"{kind}\"/></Relationships>"
            );
            vec![zip(&[
                ("_rels/.rels", &rels),
                (kind, main),
                (
                    "xl/_rels/workbook.xml.rels",
                    "<Relationships><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"s.xml\"/></Relationships>",
                ),
                (
                    "xl/s.xml",
                    "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>Ask Ana</t></is></c><c r=\"B1\"><v>12</v></c></row></sheetData></worksheet>",
                ),
            ])]
        }
    }
}

/// Changes, removes, repeats or inserts some bytes.
fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
    const PIECES: &[&[u8]] = &[
        b"<",
        b">",
        b"</",
        b"&",
        b"&#x0;",
        b"\"",
        b"\0",
        b"\xff\xfe",
        b"<w:p>",
        b"<!--",
        b"]]>",
        b"--x",
        b"{",
        b"}",
        b"[[",
        b"\\u",
        b"%PDF-",
        b"obj",
        b"endstream",
        b"=?utf-8?B?",
        b"PK\x03\x04",
        b"<![CDATA[",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
        b"\r\n\r\n",
    ];
    for _ in 0..1 + dice.next(6) {
        let at = dice.next(bytes.len() + 1).min(bytes.len());
        match dice.next(6) {
            0 if at < bytes.len() => bytes[at] = dice.next(256) as u8,
            1 => bytes.truncate(at),
            2 => {
                let end = (at + dice.next(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let end = (at + dice.next(60)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let piece = PIECES[dice.next(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
}

/// Damages the parts of a packed file, and packs them again.
fn repacked(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut parts = crate::canary::unzip(bytes);
    let which = dice.next(parts.len());
    damage(&mut parts[which].1, dice);
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn damaged_documents_are_refused_or_read() {
    for format in DocumentFormat::ALL {
        let (mut read, mut refused) = (0, 0);
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let samples = samples(format);
        for sample in &samples {
            assert!(Document::open(sample, format, Purpose::Release, &LIMITS).is_ok(), "{format}");
        }
        for round in 0..count() {
            let sample = &samples[dice.next(samples.len())];
            let is_packed = sample.starts_with(b"PK");
            let mut bytes = match is_packed && dice.next(3) > 0 {
                true => repacked(sample, &mut dice),
                false => sample.clone(),
            };
            if !is_packed || dice.next(3) == 0 {
                damage(&mut bytes, &mut dice);
            }
            let purpose = if round % 4 == 0 { Purpose::Keep } else { Purpose::Release };
            match Document::open(&bytes, format, purpose, &LIMITS) {
                Ok(document) => {
                    read += 1;
                    let changed = document.text().replace("Ana", "Mira Rose").replace("Hello", "");
                    // A document may have no place for a text. It must not write another one.
                    if let Ok(written) = document.written(&changed) {
                        assert!(written.len() < 64 << 20);
                    }
                    document.write().unwrap();
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().contains("Ana"), "{error}");
                }
            }
        }
        println!("{format}: {} damaged documents, {read} read, {refused} refused", read + refused);
    }
}

fn kind(bytes: &[u8], format: DocumentFormat) -> ErrorKind {
    Document::open(bytes, format, Purpose::Release, &Limits::default()).unwrap_err().kind().clone()
}

#[test]
fn bombs_are_refused() {
    // 200 MB of zeros in 200 kB.
    let zeros = String::from_utf8(vec![b' '; 200 << 20]).unwrap();
    let rels = "<Relationships><Relationship Id=\"a\" Type=\"x/officeDocument\" Target=\"word/document.xml\"/></Relationships>";
    let bomb = zip(&[("_rels/.rels", rels), ("word/document.xml", &zeros)]);
    assert!(bomb.len() < 1 << 20);
    assert!(matches!(kind(&bomb, DocumentFormat::Docx), ErrorKind::TooLarge { .. }));
    // Entities that grow.
    let laughs = "<!DOCTYPE a [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]><w:document>&b;</w:document>";
    let bomb = zip(&[("_rels/.rels", rels), ("word/document.xml", laughs)]);
    assert!(matches!(kind(&bomb, DocumentFormat::Docx), ErrorKind::Damaged { .. }));
    // A million nested elements.
    let deep = format!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">{}",
        "<w:p>".repeat(1_000_000)
    );
    let bomb = zip(&[("_rels/.rels", rels), ("word/document.xml", &deep)]);
    assert!(matches!(kind(&bomb, DocumentFormat::Docx), ErrorKind::TooDeep { .. }));
    let bomb = zip(&[("content.xml", &deep)]);
    assert!(matches!(kind(&bomb, DocumentFormat::Odt), ErrorKind::TooDeep { .. }));
    // Pages are not nested in memory.
    let deep = format!("{}Ana", "<div><b>".repeat(1_000_000));
    let page =
        Document::open(deep.as_bytes(), DocumentFormat::Html, Purpose::Release, &Limits::default()).unwrap();
    assert_eq!(page.text(), "Ana");
    let deep = format!("{}Ana", "> ".repeat(100_000));
    assert!(matches!(kind(deep.as_bytes(), DocumentFormat::Markdown), ErrorKind::TooDeep { .. }));
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert!(matches!(kind(deep.as_bytes(), DocumentFormat::Chat), ErrorKind::TooDeep { .. }));
    // Encrypted office files.
    assert_eq!(kind(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1], DocumentFormat::Docx), ErrorKind::Encrypted);
    assert!(matches!(kind(b"", DocumentFormat::Pdf), ErrorKind::Damaged { .. }));
    let many: Vec<(String, &str)> = (0..10_001).map(|number| (format!("p{number}"), "")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    assert!(matches!(kind(&zip(&many), DocumentFormat::Xlsx), ErrorKind::TooLarge { .. }));
}
