//! Word documents.

use inkveil_documents::{Document, DocumentFormat, Edit, Limits, Purpose};

use crate::canary::{Canaries, assert_clean_package, open, shown, unzip, veiled, zip};

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const A: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
const WP: &str = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing";
const PIC: &str = "http://schemas.openxmlformats.org/drawingml/2006/picture";
const WPS: &str = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape";
const MC: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

/// A document with a word in every place that can hold one.
fn full(c: &mut Canaries) -> Vec<u8> {
    let mut n = || c.next();
    let spaces = format!(
        "xmlns:w=\"{W}\" xmlns:r=\"{R}\" xmlns:a=\"{A}\" xmlns:wp=\"{WP}\" xmlns:pic=\"{PIC}\" xmlns:wps=\"{WPS}\" \
         xmlns:mc=\"{MC}\" xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" \
         xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\" \
         xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:o=\"urn:schemas-microsoft-com:office:office\" \
         xmlns:own=\"urn:{}\"",
        n()
    );
    let run = |text: String| format!("<w:r><w:t>{text}</w:t></w:r>");
    let p = |inner: String| format!("<w:p>{inner}</w:p>");
    let mut body = String::new();
    body.push_str(&p(run(n())));
    // A word in three runs, a style, a hint of an editor.
    body.push_str(&format!(
        "<w:p w:rsidR=\"00AB12CD\" w14:paraId=\"{}\" own:note=\"{}\"><w:pPr><w:pStyle w:val=\"{}\"/></w:pPr>\
         <w:r><w:t>Zyx9</w:t></w:r><w:r><w:rPr><w:b/><w:rFonts w:ascii=\"{} Sans\"/></w:rPr><w:t>99can</w:t></w:r>\
         <w:r><w:t xml:space=\"preserve\">ary end</w:t></w:r></w:p>",
        n(),
        n(),
        n(),
        n()
    ));
    // Comments and tracked changes.
    body.push_str(&format!(
        "<w:p><w:commentRangeStart w:id=\"0\"/>{}<w:commentRangeEnd w:id=\"0\"/><w:r><w:commentReference w:id=\"0\"/></w:r>\
         <w:ins w:id=\"1\" w:author=\"{}\" w:date=\"{}\">{}</w:ins>\
         <w:del w:id=\"2\" w:author=\"{}\"><w:r><w:delText>{}</w:delText></w:r></w:del>\
         <w:moveFrom w:id=\"3\" w:author=\"{}\">{}</w:moveFrom><w:moveTo w:id=\"4\" w:author=\"{}\">{}</w:moveTo>\
         <w:r><w:rPr><w:rPrChange w:id=\"5\" w:author=\"{}\"><w:rPr/></w:rPrChange></w:rPr><w:t>x</w:t></w:r></w:p>",
        run(n()),
        n(),
        n(),
        run(n()),
        n(),
        n(),
        n(),
        run(n()),
        n(),
        run(n()),
        n()
    ));
    // Links, bookmarks, fields, hidden text, content controls, smart tags.
    body.push_str(&format!(
        "<w:p><w:hyperlink r:id=\"rLink\" w:tooltip=\"{}\" w:anchor=\"{}\">{}</w:hyperlink>\
         <w:bookmarkStart w:id=\"9\" w:name=\"{}\"/><w:bookmarkEnd w:id=\"9\"/>\
         <w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> MERGEFIELD {} </w:instrText></w:r>\
         <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>\
         <w:fldSimple w:instr=\" AUTHOR {} \">{}</w:fldSimple>\
         <w:r><w:rPr><w:vanish/></w:rPr><w:t>{}</w:t></w:r>\
         <w:sdt><w:sdtPr><w:alias w:val=\"{}\"/><w:tag w:val=\"{}\"/><w:dropDownList><w:listItem w:displayText=\"{}\" \
         w:value=\"{}\"/></w:dropDownList><w:dataBinding w:xpath=\"{}\" w:storeItemID=\"x\"/></w:sdtPr><w:sdtContent>{}\
         </w:sdtContent></w:sdt><w:smartTag w:uri=\"{}\" w:element=\"{}\">{}</w:smartTag></w:p>",
        n(),
        n(),
        run(n()),
        n(),
        n(),
        run(n()),
        n(),
        run(n()),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        run(n()),
        n(),
        n(),
        run(n())
    ));
    // A picture, a text box with a fallback, an old picture, an object, a chart.
    body.push_str(&format!(
        "<w:p><w:r><w:drawing><wp:inline><wp:extent cx=\"9525\" cy=\"9525\"/><wp:docPr id=\"1\" name=\"{}\" descr=\"{}\" \
         title=\"{}\"><a:hlinkClick r:id=\"rLink\" tooltip=\"{}\"/></wp:docPr><a:graphic><a:graphicData uri=\"{PIC}\">\
         <pic:pic><pic:nvPicPr><pic:cNvPr id=\"0\" name=\"{}\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>\
         <a:blip r:embed=\"rImage\" r:link=\"rLink\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>\
         <pic:spPr><a:prstGeom prst=\"rect\"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>\
         <w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wp:inline><wp:extent cx=\"1\" cy=\"1\"/>\
         <wp:docPr id=\"2\" name=\"{}\"/><a:graphic><a:graphicData uri=\"{WPS}\"><wps:wsp><wps:spPr/><wps:txbx>\
         <w:txbxContent>{}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline>\
         </w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape alt=\"{}\"><v:textpath string=\"{}\"/><v:textbox>\
         <w:txbxContent>{}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>\
         <w:r><w:pict><v:shape o:title=\"{}\"/></w:pict></w:r>\
         <w:r><w:object><o:OLEObject ProgID=\"{}\" r:id=\"rObject\"/></w:object></w:r></w:p>",
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        p(run(n())),
        n(),
        n(),
        p(run(n())),
        n(),
        n()
    ));
    // A table with a caption, a deleted row, mathematics, ruby, notes, a list, unknown elements, a comment of XML.
    body.push_str(&format!(
        "<w:tbl><w:tblPr><w:tblCaption w:val=\"{}\"/><w:tblDescription w:val=\"{}\"/></w:tblPr><w:tr><w:tc>{}</w:tc></w:tr>\
         <w:tr><w:trPr><w:del w:id=\"11\" w:author=\"{}\"/></w:trPr><w:tc>{}</w:tc></w:tr></w:tbl>\
         <w:p><m:oMath><m:r><m:t>{}</m:t></m:r></m:oMath><w:r><w:ruby><w:rt><w:r><w:t>{}</w:t></w:r></w:rt><w:rubyBase>\
         <w:r><w:t>{}</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r>\
         <own:secret own:x=\"{}\">{}</own:secret><w:r><w:sym w:font=\"{}\" w:char=\"F0E0\"/></w:r>{}</w:p>\
         <!-- {} --><?note {}?><w:altChunk r:id=\"rChunk\"/>\
         <w:sectPr><w:headerReference w:type=\"default\" r:id=\"rHeader\"/><w:footerReference w:type=\"default\" \
         r:id=\"rFooter\"/><w:pgSz w:w=\"11906\" w:h=\"16838\"/></w:sectPr>",
        n(),
        n(),
        p(run(n())),
        n(),
        p(run(n())),
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
    let document = format!("<w:document {spaces}><w:body>{body}</w:body></w:document>");
    let part = |name: &str, inner: String| format!("<w:{name} {spaces}>{inner}</w:{name}>");
    let header = part("hdr", p(run(n())));
    let footer = part(
        "ftr",
        p(format!(
            "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r>\
             <w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>{}",
            run(n())
        )),
    );
    let footnotes = part("footnotes", format!("<w:footnote w:id=\"2\">{}</w:footnote>", p(run(n()))));
    let endnotes = part("endnotes", format!("<w:endnote w:id=\"2\">{}</w:endnote>", p(run(n()))));
    let comments = part(
        "comments",
        format!(
            "<w:comment w:id=\"0\" w:author=\"{}\" w:initials=\"{}\">{}</w:comment>",
            n(),
            n(),
            p(run(n()))
        ),
    );
    let styles = part(
        "styles",
        format!(
            "<w:style w:type=\"paragraph\" w:styleId=\"{}\"><w:name w:val=\"{}\"/><w:aliases w:val=\"{}\"/>\
             <w:basedOn w:val=\"{}\"/></w:style><w:latentStyles><w:lsdException w:name=\"{}\"/></w:latentStyles>",
            n(),
            n(),
            n(),
            n(),
            n()
        ),
    );
    let numbering = part(
        "numbering",
        format!(
            "<w:abstractNum w:abstractNumId=\"0\"><w:name w:val=\"{}\"/><w:lvl w:ilvl=\"0\"><w:lvlText w:val=\"{} %1.\"/>\
             </w:lvl></w:abstractNum>",
            n(),
            n()
        ),
    );
    let settings = part(
        "settings",
        format!(
            "<w:rsids><w:rsid w:val=\"{}\"/></w:rsids><w:docVars><w:docVar w:name=\"{}\" w:val=\"{}\"/></w:docVars>\
             <w:mailMerge><w:query w:val=\"{}\"/></w:mailMerge>",
            n(),
            n(),
            n(),
            n()
        ),
    );
    let theme = format!(
        "<a:theme xmlns:a=\"{A}\" name=\"{}\"><a:themeElements><a:fontScheme name=\"{}\"><a:majorFont><a:latin typeface=\"{}\"/>\
         </a:majorFont></a:fontScheme></a:themeElements></a:theme>",
        n(),
        n(),
        n()
    );
    let rel = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{R}/{kind}\" Target=\"{target}\"/>")
    };
    let image = format!("media/{}.png", n());
    let relations = format!(
        "<Relationships xmlns=\"{PACKAGE}/relationships\">{}<Relationship Id=\"rLink\" Type=\"{R}/hyperlink\" \
         Target=\"https://example.org/{}\" TargetMode=\"External\"/><Relationship Id=\"rTemplate\" Type=\"{R}/attachedTemplate\" \
         Target=\"file:///{}.dotx\" TargetMode=\"External\"/></Relationships>",
        [
            rel("rHeader", "header", "header1.xml"),
            rel("rFooter", "footer", "footer1.xml"),
            rel("rNotes", "footnotes", "footnotes.xml"),
            rel("rEnd", "endnotes", "endnotes.xml"),
            rel("rComments", "comments", "comments.xml"),
            rel("rStyles", "styles", "styles.xml"),
            rel("rNumbering", "numbering", "numbering.xml"),
            rel("rSettings", "settings", "settings.xml"),
            rel("rTheme", "theme", "theme/theme1.xml"),
            rel("rImage", "image", &image),
            rel("rObject", "oleObject", "embeddings/oleObject1.bin"),
            rel("rChunk", "aFChunk", "chunk.html"),
            rel("rFonts", "fontTable", "fontTable.xml"),
            rel("rWeb", "webSettings", "webSettings.xml"),
            rel("rCustom", "customXml", "../customXml/item1.xml"),
            rel("rGlossary", "glossaryDocument", "glossary/document.xml"),
            rel("rPeople", "people", "people.xml"),
        ]
        .concat(),
        n(),
        n()
    );
    let top = format!(
        "<Relationships xmlns=\"{PACKAGE}/relationships\">{}{}{}</Relationships>",
        rel("r1", "officeDocument", "word/document.xml"),
        rel("r2", "extended-properties", "docProps/app.xml"),
        rel("r3", "thumbnail", "docProps/thumbnail.jpeg"),
    );
    let core = format!(
        "<p><creator>{}</creator><title>{}</title><keywords>{}</keywords><lastModifiedBy>{}</lastModifiedBy></p>",
        n(),
        n(),
        n(),
        n()
    );
    let app = format!("<p><Company>{}</Company><Manager>{}</Manager></p>", n(), n());
    let custom = format!("<p><property name=\"{}\">{}</property></p>", n(), n());
    let free: Vec<String> = (0..12).map(|_| n()).collect();
    let stray = format!("word/{}.xml", n());
    let header_relations = format!(
        "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"r1\" Type=\"{R}/hyperlink\" \
         Target=\"mailto:{}@example.org\" TargetMode=\"External\"/></Relationships>",
        n()
    );
    zip(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &top),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &relations),
        ("word/_rels/header1.xml.rels", &header_relations),
        ("word/header1.xml", &header),
        ("word/footer1.xml", &footer),
        ("word/footnotes.xml", &footnotes),
        ("word/endnotes.xml", &endnotes),
        ("word/comments.xml", &comments),
        ("word/styles.xml", &styles),
        ("word/numbering.xml", &numbering),
        ("word/settings.xml", &settings),
        ("word/theme/theme1.xml", &theme),
        ("docProps/core.xml", &core),
        ("docProps/app.xml", &app),
        ("docProps/custom.xml", &custom),
        ("docProps/thumbnail.jpeg", &free[0]),
        (&format!("word/{image}"), &free[1]),
        ("word/embeddings/oleObject1.bin", &free[2]),
        ("word/chunk.html", &free[3]),
        ("word/fontTable.xml", &free[4]),
        ("word/webSettings.xml", &free[5]),
        ("customXml/item1.xml", &free[6]),
        ("word/glossary/document.xml", &free[7]),
        ("word/people.xml", &free[8]),
        ("word/vbaProject.bin", &free[9]),
        ("word/media/unused.png", &free[10]),
        (&stray, &free[11]),
    ])
}

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut canaries = Canaries::default();
    let bytes = full(&mut canaries);
    assert!(canaries.count() >= 100, "{} places", canaries.count());
    let document = open(&bytes, DocumentFormat::Docx);
    // Inserted text, results of fields, text boxes, tables, notes, headers and footers are text.
    let visible = shown(document.text());
    assert!(visible >= 17, "{visible} in the text: {}", document.text());
    assert!(document.text().contains("Zyx999canary end"), "runs are one text");
    assert_clean_package(&veiled(&document));
    for what in [
        "alternative texts",
        "bookmarks",
        "building blocks",
        "comments",
        "custom XML",
        "embedded objects",
        "field codes",
        "hidden text",
        "images",
        "link targets",
        "revision marks",
        "settings",
        "templates",
        "thumbnails",
        "tracked deletions",
        "tracked formatting",
        "tracked insertions",
        "unknown elements",
        "unknown parts",
    ] {
        assert!(document.removed().count(what) > 0, "{what}: {:?}", document.removed());
    }
    println!("docx: {} places, {visible} of them in the text", canaries.count());
}

#[test]
fn a_written_document_reads_the_same_and_keeps_its_look() {
    let bytes = full(&mut Canaries::default());
    let document = open(&bytes, DocumentFormat::Docx);
    let written = veiled(&document);
    let again = open(&written, DocumentFormat::Docx);
    assert_eq!(again.passages().len(), document.passages().len());
    assert_eq!(again.text().matches("Mira").count(), shown(document.text()));
    let parts = unzip(&written);
    let part = |name: &str| {
        let found = parts.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name}"));
        String::from_utf8(found.1.clone()).unwrap()
    };
    let main = part("word/document.xml");
    for kept in [
        "<w:b/>",
        "<wp:extent cx=\"9525\" cy=\"9525\"/>",
        "w:w=\"11906\"",
        "<a:blip r:embed=",
        "<w:tbl>",
        "<m:oMath>",
    ] {
        assert!(main.contains(kept), "{kept} in {main}");
    }
    assert!(part("word/footer1.xml").contains("PAGE"), "numbers of pages stay fields");
    assert!(part("word/styles.xml").contains("w:styleId=\"s"));
    // Written twice, it is the same: names and times say nothing.
    assert_eq!(veiled(&document), written);
    assert_eq!(open(&veiled(&again), DocumentFormat::Docx).text(), again.text());
}

#[test]
fn a_replacement_goes_where_its_original_begins() {
    let document = format!(
        "<w:document xmlns:w=\"{W}\"><w:body><w:p><w:r><w:t>Ask An</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>a Nov</w:t></w:r>\
         <w:r><w:t>ak now</w:t></w:r></w:p><w:p><w:r><w:t>Ana</w:t></w:r></w:p></w:body></w:document>"
    );
    let relations = format!(
        "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"a\" Type=\"{R}/officeDocument\" \
         Target=\"word/document.xml\"/></Relationships>"
    );
    let bytes = zip(&[("_rels/.rels", &relations), ("word/document.xml", &document)]);
    let mut document = open(&bytes, DocumentFormat::Docx);
    assert_eq!(document.text(), "Ask Ana Novak now\n\nAna");
    document.replace(0, vec![Edit::new(4..13, "Mira Rose")]).unwrap();
    document.replace(1, vec![Edit::new(0..3, "Mira")]).unwrap();
    assert_eq!(document.changed_text().unwrap(), "Ask Mira Rose now\n\nMira");
    let written = document.write().unwrap();
    let main =
        String::from_utf8(unzip(&written).into_iter().find(|part| part.0 == "word/document.xml").unwrap().1)
            .unwrap();
    assert!(main.contains(">Ask Mira Rose</w:t>") && main.contains("> now</w:t>"), "{main}");
    for bad in [vec![Edit::new(4..99, "x")], vec![Edit::new(0..4, "x"), Edit::new(3..5, "y")]] {
        assert!(document.replace(0, bad).is_err());
    }
    assert!(document.replace(7, Vec::new()).is_err());
}

#[test]
fn a_kept_document_changes_only_in_its_text() {
    let bytes = full(&mut Canaries::default());
    let document = Document::open(&bytes, DocumentFormat::Docx, Purpose::Keep, &Limits::default()).unwrap();
    assert!(document.removed().is_empty());
    let written = document.written(&document.text().replacen("Zyx002canary", "Ana", 1)).unwrap();
    let (before, after) = (unzip(&bytes), unzip(&written));
    assert_eq!(before.len(), after.len());
    for (name, content) in &before {
        let new = &after.iter().find(|part| part.0 == *name).unwrap().1;
        match name.as_str() {
            "word/document.xml" => {
                assert!(String::from_utf8_lossy(new).contains("Ana"));
                assert!(String::from_utf8_lossy(new).contains("o:OLEObject"));
            }
            name if name.starts_with("word/") && name.ends_with(".xml") => {}
            name => assert_eq!(new, content, "{name}"),
        }
    }
}
