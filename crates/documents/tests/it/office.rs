//! LibreOffice opens what is written. Skipped where it is not installed.

use std::path::Path;
use std::process::Command;

use inkveil_documents::DocumentFormat;

use crate::canary::{assert_clean, assert_clean_package, open, veiled};

/// Makes a document with LibreOffice, veils it, and lets LibreOffice read it again.
fn round_trip(from: &str, to: DocumentFormat, back: &str) -> Option<(String, String)> {
    let office = ["soffice", "libreoffice"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(office) = office else {
        println!("skipped: LibreOffice is not installed");
        return None;
    };
    let folder = std::env::temp_dir().join(format!("inkveil-office-{}-{to}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let convert = |input: &Path, to: &str| {
        let home = format!("-env:UserInstallation=file://{}/home", folder.display());
        // Pages are opened as texts, not as web pages.
        let is_page = input.extension().is_some_and(|extension| extension == "html");
        let filter = is_page.then_some("--infilter=HTML (StarWriter)");
        let run = Command::new(office)
            .args(["--headless", &home])
            .args(filter)
            .args(["--convert-to", to, "--outdir"])
            .arg(&folder)
            .arg(input)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    };
    let (name, content) = from.split_once('|').unwrap();
    std::fs::write(folder.join(name), content).unwrap();
    // A page is its own document.
    let made = folder.join(Path::new(name).with_extension(to.extension()));
    if made != folder.join(name) {
        convert(&folder.join(name), to.extension());
    }
    let document = open(&std::fs::read(&made).unwrap(), to);
    let written = folder.join(format!("veiled.{}", to.extension()));
    let bytes = veiled(&document);
    match bytes.starts_with(b"PK") {
        true => assert_clean_package(&bytes),
        false => assert_clean(&bytes, "the page"),
    }
    std::fs::write(&written, bytes).unwrap();
    convert(&written, back);
    let extension = back.split(':').next().unwrap();
    let text = std::fs::read_to_string(written.with_extension(extension)).unwrap();
    let before = document.text().to_owned();
    std::fs::remove_dir_all(&folder).unwrap();
    Some((before, text))
}

const PAGE: &str = "page.html|<html><body><h1>Contract of Zyx001canary</h1><p>Ask <b>Zyx002canary</b> from Lyon.</p>\
    <ul><li>first</li><li>Zyx003canary</li></ul><table border=\"1\"><tr><td>Name</td><td>Zyx004canary</td></tr></table></body></html>";

#[test]
fn libreoffice_opens_veiled_texts() {
    for format in [DocumentFormat::Docx, DocumentFormat::Odt] {
        let Some((before, after)) = round_trip(PAGE, format, "txt:Text (encoded):UTF8") else { return };
        assert!(before.contains("Contract of Zyx001canary"), "{before}");
        for kept in ["Contract of Mira", "Ask Mira from Lyon.", "first", "Name"] {
            assert!(after.contains(kept), "{format}: {kept} in {after}");
        }
        assert!(!after.contains("canary"), "{after}");
        println!("{format}: LibreOffice reads the veiled document");
    }
}

#[test]
fn libreoffice_opens_veiled_tables() {
    let table = "table.csv|name,number,day\nZyx001canary,4711,2024-01-31\nBo,12,2024-02-01\n";
    for format in [DocumentFormat::Xlsx, DocumentFormat::Ods] {
        let Some((before, after)) = round_trip(table, format, "csv") else { return };
        assert!(before.contains("Zyx001canary\t4711\t"), "{before}");
        assert!(
            after.contains("Mira,4711,") && after.contains("Bo,12,") && !after.contains("canary"),
            "{format}: {after}"
        );
        println!("{format}: LibreOffice reads the veiled document");
    }
}

/// A flat presentation of LibreOffice with a table, notes and a hidden name of a page.
const SLIDES: &str = r#"slides.fodp|<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation">
<office:meta><meta:initial-creator>Zyx010canary</meta:initial-creator><dc:title>Zyx011canary</dc:title></office:meta>
<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/>
</style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="M" style:page-layout-name="L"/></office:master-styles>
<office:body><office:presentation>
<draw:page draw:name="Zyx005canary" draw:master-page-name="M">
<draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"><svg:title>Zyx006canary</svg:title><draw:text-box>
<text:p>Plan of Zyx001canary</text:p></draw:text-box></draw:frame>
<draw:frame svg:x="2cm" svg:y="6cm" svg:width="20cm" svg:height="4cm"><table:table><table:table-column/><table:table-column/>
<table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>Zyx003canary</text:p></table:table-cell>
</table:table-row></table:table></draw:frame>
<presentation:notes><draw:frame presentation:class="notes" svg:x="2cm" svg:y="12cm" svg:width="15cm" svg:height="8cm"><draw:text-box>
<text:p>Tell Zyx004canary</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>
<draw:page draw:name="b" draw:master-page-name="M"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"><draw:text-box>
<text:p>Ask <text:span>Zyx002canary</text:span> from Lyon.</text:p></draw:text-box></draw:frame></draw:page>
</office:presentation></office:body></office:document>"#;

#[test]
fn libreoffice_opens_veiled_slides() {
    for format in [DocumentFormat::Pptx, DocumentFormat::Odp] {
        let Some((before, after)) = round_trip(SLIDES, format, "fodp") else { return };
        for read in
            ["Plan of Zyx001canary", "Ask Zyx002canary from Lyon.", "Zyx003canary", "Tell Zyx004canary"]
        {
            assert!(before.contains(read), "{format}: {read} in {before}");
        }
        let body = &after[after.find("<office:presentation").unwrap()..];
        let shown: String =
            body.split('<').map(|part| part.split_once('>').map_or("", |(_, text)| text)).collect();
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        for kept in ["Plan of Mira", "Name", "Tell Mira", "Ask Mira from Lyon."] {
            assert!(shown.contains(kept), "{format}: {kept} in {shown}");
        }
        assert_eq!(body.matches("<draw:page ").count(), 2, "{format}: {body}");
        assert!(body.contains("<table:table-cell") && !after.contains("canary"), "{format}: {after}");
        println!("{format}: LibreOffice reads the veiled slides");
    }
}

#[test]
fn libreoffice_opens_veiled_pages() {
    let Some((before, after)) = round_trip(PAGE, DocumentFormat::Html, "txt:Text (encoded):UTF8") else {
        return;
    };
    assert!(before.contains("Contract of Zyx001canary"), "{before}");
    for kept in ["Contract of Mira", "Ask Mira from Lyon.", "first", "Name"] {
        assert!(after.contains(kept), "{kept} in {after}");
    }
    assert!(!after.contains("canary"), "{after}");
    println!("html: LibreOffice reads the veiled page");
}

/// A flat document of LibreOffice with a table, a footnote, a tracked deletion and a comment.
const LETTER: &str = r#"letter.fodt|<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:meta><meta:initial-creator>Zyx010canary</meta:initial-creator><dc:title>Zyx011canary</dc:title></office:meta>
<office:body><office:text>
<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><office:change-info><dc:creator>Zyx005canary</dc:creator>
<dc:date>2024-01-31T10:00:00</dc:date></office:change-info><text:p>Zyx006canary</text:p></text:deletion></text:changed-region>
</text:tracked-changes>
<text:h text:outline-level="1">Agreement</text:h>
<text:p>Signed by Zyx001canary in Lyon<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>
<text:note-body><text:p>See Zyx002canary.</text:p></text:note-body></text:note>.</text:p>
<text:p>Kept <text:change text:change-id="c1"/>words<office:annotation><dc:creator>Zyx007canary</dc:creator>
<dc:date>2024-01-31T10:00:00</dc:date><text:p>Ask Zyx008canary</text:p></office:annotation>.</text:p>
<table:table table:name="T"><table:table-column table:number-columns-repeated="2"/><table:table-row>
<table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>Zyx003canary</text:p></table:table-cell>
</table:table-row></table:table>
<text:p>The end.</text:p>
</office:text></office:body></office:document>"#;

#[test]
fn libreoffice_opens_a_veiled_letter_with_notes_changes_and_comments() {
    for format in [DocumentFormat::Docx, DocumentFormat::Odt] {
        // Exports as plain text leave footnotes out.
        let Some((before, after)) = round_trip(LETTER, format, "fodt") else { return };
        assert!(before.contains("Signed by Zyx001canary") && before.contains("Zyx002canary"), "{before}");
        let body = &after[after.find("<office:text").unwrap()..];
        let shown: String =
            body.split('<').map(|part| part.split_once('>').map_or("", |(_, text)| text)).collect();
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        for kept in ["Agreement", "Signed by Mira in Lyon", "See Mira.", "Kept words.", "Name", "The end."] {
            assert!(shown.contains(kept), "{format}: {kept} in {shown}");
        }
        assert!(body.contains("<table:table-cell") && body.contains("<text:note "), "{format}: {body}");
        assert!(!after.contains("canary") && !after.contains("tracked-changes"), "{format}: {after}");
        println!("{format}: LibreOffice reads the veiled letter");
    }
}
