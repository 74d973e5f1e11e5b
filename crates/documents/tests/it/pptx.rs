//! Presentations.

use inkveil_documents::DocumentFormat;

use crate::canary::{Canaries, assert_clean_package, open, shown, unzip, veiled, zip};

const P: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";
const A: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

fn full(c: &mut Canaries) -> Vec<u8> {
    let mut n = || c.next();
    let spaces = format!("xmlns:p=\"{P}\" xmlns:a=\"{A}\" xmlns:r=\"{R}\"");
    let shape = |name: String, descr: String, text: String| {
        format!(
            "<p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"{name}\" descr=\"{descr}\"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>\
             <p:txBody><a:bodyPr/><a:p><a:r><a:rPr lang=\"en-US\" b=\"1\"/><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        )
    };
    let tree = |inner: String| format!("<p:cSld name=\"Ana\"><p:spTree>{inner}</p:spTree></p:cSld>");
    let slide = format!(
        "<p:sld {spaces}>{}<p:timing><p:tnLst><p:par><p:cTn id=\"1\" nodeType=\"{}\"/></p:par></p:tnLst></p:timing></p:sld>",
        tree(
            [
                shape(n(), n(), n()),
                format!("<p:sp><p:nvSpPr><p:cNvPr id=\"3\" name=\"{}\" title=\"{}\"><a:hlinkClick r:id=\"rL\" tooltip=\"{}\"/></p:cNvPr><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:pPr><a:buChar char=\"{}\"/></a:pPr><a:r><a:rPr><a:latin typeface=\"{}\"/></a:rPr><a:t>Zyx9</a:t></a:r><a:r><a:t>99canary</a:t></a:r><a:br/><a:fld id=\"{{{}}}\" type=\"slidenum\"><a:t>{}</a:t></a:fld></a:p></p:txBody></p:sp>", n(), n(), n(), n(), n(), n(), n()),
                format!("<p:pic><p:nvPicPr><p:cNvPr id=\"4\" name=\"{}\" descr=\"{}\"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed=\"rI\"/></p:blipFill><p:spPr/></p:pic>", n(), n()),
                format!("<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"5\" name=\"{}\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\"><a:tbl><a:tr h=\"1\"><a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>", n(), n()),
                format!("<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"6\" name=\"{}\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri=\"{}\"><p:oleObj name=\"{}\" r:id=\"rO\" progId=\"{}\"/></a:graphicData></a:graphic></p:graphicFrame>", n(), n(), n(), n()),
            ]
            .concat()
        ),
        n()
    );
    let notes = format!("<p:notes {spaces}>{}</p:notes>", tree(shape(n(), n(), n())));
    let layout =
        format!("<p:sldLayout {spaces} userDrawn=\"1\">{}</p:sldLayout>", tree(shape(n(), n(), n())));
    let master = format!(
        "<p:sldMaster {spaces}>{}<p:sldLayoutIdLst><p:sldLayoutId id=\"1\" r:id=\"rLayout\"/></p:sldLayoutIdLst></p:sldMaster>",
        tree(shape(n(), n(), n()))
    );
    let presentation = format!(
        "<p:presentation {spaces}><p:sldMasterIdLst><p:sldMasterId id=\"9\" r:id=\"rM\"/></p:sldMasterIdLst><p:sldIdLst>\
         <p:sldId id=\"256\" r:id=\"rS\"/><p:sldId id=\"257\" r:id=\"rGone\"/></p:sldIdLst><p:sldSz cx=\"9144000\" cy=\"6858000\"/>\
         <p:custShowLst><p:custShow name=\"{}\" id=\"0\"/></p:custShowLst><p:modifyVerifier hashData=\"{}\" saltData=\"{}\"/></p:presentation>",
        n(),
        n(),
        n()
    );
    let theme = format!("<a:theme xmlns:a=\"{A}\" name=\"{}\"/>", n());
    let rel = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{R}/{kind}\" Target=\"{target}\"/>")
    };
    let rels = |inner: &[String]| {
        format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{}</Relationships>", inner.concat())
    };
    let image = format!("{}.png", n());
    let link = format!(
        "<Relationship Id=\"rL\" Type=\"{R}/hyperlink\" Target=\"https://{}/\" TargetMode=\"External\"/>",
        n()
    );
    let free: Vec<String> = (0..8).map(|_| n()).collect();
    zip(&[
        (
            "_rels/.rels",
            &rels(&[
                rel("a", "officeDocument", "ppt/presentation.xml"),
                rel("b", "thumbnail", "docProps/t.jpeg"),
            ]),
        ),
        ("ppt/presentation.xml", &presentation),
        (
            "ppt/_rels/presentation.xml.rels",
            &rels(&[
                rel("rM", "slideMaster", "slideMasters/m.xml"),
                rel("rS", "slide", "slides/s.xml"),
                rel("rA", "commentAuthors", "commentAuthors.xml"),
                rel("rV", "viewProps", "viewProps.xml"),
            ]),
        ),
        ("ppt/slides/s.xml", &slide),
        (
            "ppt/slides/_rels/s.xml.rels",
            &rels(&[
                rel("rI", "image", &format!("../media/{image}")),
                link,
                rel("rN", "notesSlide", "../notesSlides/n.xml"),
                rel("rLay", "slideLayout", "../slideLayouts/l.xml"),
                rel("rO", "oleObject", "../embeddings/o.bin"),
                rel("rC", "comments", "../comments/c.xml"),
            ]),
        ),
        ("ppt/notesSlides/n.xml", &notes),
        ("ppt/slideLayouts/l.xml", &layout),
        ("ppt/slideLayouts/_rels/l.xml.rels", &rels(&[rel("rM", "slideMaster", "../slideMasters/m.xml")])),
        ("ppt/slideMasters/m.xml", &master),
        (
            "ppt/slideMasters/_rels/m.xml.rels",
            &rels(&[
                rel("rLayout", "slideLayout", "../slideLayouts/l.xml"),
                rel("rT", "theme", "../theme/t.xml"),
            ]),
        ),
        ("ppt/theme/t.xml", &theme),
        ("docProps/core.xml", &free[0]),
        ("docProps/t.jpeg", &free[1]),
        ("ppt/commentAuthors.xml", &free[2]),
        ("ppt/comments/c.xml", &free[3]),
        (&format!("ppt/media/{image}"), &free[4]),
        ("ppt/embeddings/o.bin", &free[5]),
        ("ppt/viewProps.xml", &free[6]),
        ("ppt/tags/tag1.xml", &free[7]),
    ])
}

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut canaries = Canaries::default();
    let bytes = full(&mut canaries);
    assert!(canaries.count() >= 40, "{}", canaries.count());
    let document = open(&bytes, DocumentFormat::Pptx);
    let visible = shown(document.text());
    assert!(visible >= 7, "{visible}: {}", document.text());
    assert!(document.text().contains("Zyx999canary\n"));
    let written = veiled(&document);
    assert_clean_package(&written);
    let parts = unzip(&written);
    let slide =
        String::from_utf8(parts.iter().find(|part| part.0 == "ppt/slides/slide1.xml").unwrap().1.clone())
            .unwrap();
    for kept in ["b=\"1\"", "<a:tbl>", "type=\"slidenum\"", "<a:blip r:embed="] {
        assert!(slide.contains(kept), "{kept} in {slide}");
    }
    let main =
        String::from_utf8(parts.iter().find(|part| part.0 == "ppt/presentation.xml").unwrap().1.clone())
            .unwrap();
    assert_eq!(main.matches("<p:sldId ").count(), 1, "{main}");
    assert!(document.removed().count("charts") + document.removed().count("embedded objects") > 0);
    println!("pptx: {} places, {visible} of them in the text", canaries.count());
}
