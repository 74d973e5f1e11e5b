//! Documents: letters, pages and mails through `text`, `detect`, `restore` and `style`.

use std::io::{Cursor, Read as _, Write as _};

use crate::folder::Folder;

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// A letter. The name lies across three runs, and a comment hides another.
fn letter() -> Vec<u8> {
    let body = "<w:p><w:r><w:t xml:space=\"preserve\">Dear Dr Mirela </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Kova</w:t></w:r>\
        <w:r><w:t>lenko,</w:t></w:r></w:p><w:p><w:r><w:t>the blue folder lies on the desk. Call me at +44 20 7946 0958.</w:t></w:r></w:p>\
        <w:p><w:r><w:t>Mirela Kovalenko knows me.</w:t></w:r><w:del w:id=\"1\" w:author=\"Petra\"><w:r><w:delText>Petra</w:delText></w:r></w:del></w:p>";
    let parts = [
        ("_rels/.rels", "<Relationships><Relationship Id=\"a\" Type=\"x/officeDocument\" Target=\"word/document.xml\"/></Relationships>".to_owned()),
        ("word/document.xml", format!("<w:document xmlns:w=\"{W}\"><w:body>{body}</w:body></w:document>")),
        ("docProps/core.xml", "<p>Petra</p>".to_owned()),
    ];
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The main part of a document, or what stands instead of it.
fn main_part(bytes: &[u8]) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    archive.by_name("word/document.xml").unwrap().read_to_string(&mut text).unwrap();
    text
}

/// The words of a main part.
fn words(xml: &str) -> String {
    let mut text = String::new();
    for piece in xml.split('<') {
        if let Some((tag, content)) = piece.split_once('>') {
            if tag == "/w:p" {
                text.push('\n');
            }
            text.push_str(content);
        }
    }
    text
}

#[test]
fn a_letter_is_veiled_and_restored() {
    let folder = Folder::new();
    folder.write("letter.docx", letter());
    let run = folder.run("text letter.docx -o veiled.docx --map m --map-key k --insecure-seed 3");
    assert!(run.contains("exit 0"), "{run}");
    assert!(run.contains("removed") && run.contains("tracked deletions (1)"), "{run}");
    let veiled = main_part(&folder.read("veiled.docx"));
    for gone in ["Mirela", "Kova", "7946 0958", "Petra"] {
        assert!(!veiled.contains(gone), "{gone} in {veiled}");
    }
    assert!(veiled.contains("<w:b/>") && veiled.contains("the blue folder lies on the desk"), "{veiled}");
    // One identity in all paragraphs.
    let text = words(&veiled);
    let name: Vec<&str> = text.trim().lines().nth(2).unwrap().split(' ').take(2).collect();
    assert!(text.contains(&format!("{} {},", name[0], name[1])), "{text}");
    let receipt = String::from_utf8(folder.read("veiled.docx.receipt.json")).unwrap();
    assert!(receipt.contains("removed from the document"), "{receipt}");
    let verified = folder.run("receipt verify veiled.docx.receipt.json --release veiled.docx");
    assert!(verified.contains("exit 0"), "{verified}");
    let restored = folder.run("restore veiled.docx --map m --map-key k -o restored.docx");
    assert!(restored.contains("exit 0"), "{restored}");
    let text = words(&main_part(&folder.read("restored.docx")));
    assert!(text.contains("Dear Dr Mirela Kovalenko,") && text.contains("+44 20 7946 0958"), "{text}");
}

#[test]
fn a_letter_is_printed_as_text_and_searched() {
    let folder = Folder::new();
    folder.write("letter.docx", letter());
    let run = folder.run("text letter.docx --preset placeholders");
    assert!(
        run.contains("exit 0")
            && run.contains("the blue folder lies on the desk")
            && !run.contains("Kovalenko"),
        "{run}"
    );
    assert!(folder.run("text letter.docx -o veiled.txt --preset placeholders").contains("exit 0"));
    let text = String::from_utf8(folder.read("veiled.txt")).unwrap();
    assert!(
        text.contains("the blue folder lies") && !text.contains("Kovalenko") && text.ends_with('\n'),
        "{text}"
    );
    let found = folder.run("detect letter.docx --format jsonl --with-text");
    assert!(found.contains("exit 0") && found.contains("Mirela Kovalenko"), "{found}");
    let refused = folder.run("text letter.docx -o veiled.odt");
    assert!(refused.contains("exit 1") && refused.contains("another format"), "{refused}");
    folder.write("bad.docx", "no document");
    let refused = folder.run("text bad.docx -o x.docx");
    assert!(refused.contains("exit 1") && refused.contains("not a valid docx document"), "{refused}");
    assert!(!folder.names().contains(&"x.docx".to_owned()));
}

#[test]
fn a_folder_of_mails_is_a_job() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("mails")).unwrap();
    for number in 0..5 {
        folder.write(
            &format!("mails/{number}.eml"),
            format!("From: Mirela Kovalenko <mirela{number}@example.org>\r\nReceived: from host{number}\r\nSubject: Folder {number}\r\n\r\nCall me at +44 20 7946 0958.\r\n"),
        );
    }
    folder.write("mails/page.html", "<p>Ask <b>Mirela</b> Kovalenko.</p><script>x</script>");
    let run = folder.run("text --file mails -o veiled --preset placeholders");
    assert!(
        run.contains("exit 0") && run.contains("mail headers (5)") && run.contains("scripts (1)"),
        "{run}"
    );
    for number in 0..5 {
        let mail = String::from_utf8(folder.read(&format!("veiled/{number}.eml"))).unwrap();
        assert!(!mail.contains("Kovalenko") && !mail.contains("7946") && !mail.contains("host"), "{mail}");
        assert!(mail.contains(&format!("Subject: Folder {number}")), "{mail}");
    }
    let page = String::from_utf8(folder.read("veiled/page.html")).unwrap();
    assert!(page.starts_with("<p>Ask <b>[person") && !page.contains("script"), "{page}");
    let style = folder.run("style risk mails/page.html");
    assert!(style.contains("exit 0"), "{style}");
}
