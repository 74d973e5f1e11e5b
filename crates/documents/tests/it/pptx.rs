//! Presentations.

use inkveil_documents::DocumentFormat;

use crate::canary::{Canaries, assert_clean_package, open, shown, unzip, veiled, zip, zip_with_comment};

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
    let picture_id = n();
    let slide = format!(
        "<p:sld {spaces}>{}<p:timing><p:tnLst><p:par><p:cTn id=\"1\" nodeType=\"{}\"/></p:par></p:tnLst></p:timing></p:sld>",
        tree(
            [
                shape(n(), n(), n()),
                format!("<p:sp><p:nvSpPr><p:cNvPr id=\"3\" name=\"{}\" title=\"{}\"><a:hlinkClick r:id=\"rL\" tooltip=\"{}\"/></p:cNvPr><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:pPr><a:buChar char=\"{}\"/></a:pPr><a:r><a:rPr><a:latin typeface=\"{}\"/></a:rPr><a:t>Zyx9</a:t></a:r><a:r><a:t>99canary</a:t></a:r><a:br/><a:fld id=\"{{{}}}\" type=\"slidenum\"><a:t>{}</a:t></a:fld></a:p></p:txBody></p:sp>", n(), n(), n(), n(), n(), n(), n()),
                format!("<p:pic><p:nvPicPr><p:cNvPr id=\"4\" name=\"{}\" descr=\"{}\"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed=\"{picture_id}\"/></p:blipFill><p:spPr/></p:pic>", n(), n()),
                format!("<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"5\" name=\"{}\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\"><a:tbl><a:tr h=\"1\"><a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>", n(), n()),
                format!("<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"6\" name=\"{}\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri=\"{}\"><p:oleObj name=\"{}\" r:id=\"rO\" progId=\"{}\"/></a:graphicData></a:graphic></p:graphicFrame>", n(), n(), n(), n()),
                slide_shapes(&mut n),
            ]
            .concat()
        ),
        n()
    );
    let hidden_slide =
        format!("<p:sld {spaces} show=\"0\">{}{}</p:sld>", tree(shape(n(), n(), n())), behind_shapes(&mut n));
    let notes = format!("<p:notes {spaces}>{}</p:notes>", tree(shape(n(), n(), n())));
    let layout = format!(
        "<p:sldLayout {spaces} userDrawn=\"1\" matchingName=\"{}\">{}</p:sldLayout>",
        n(),
        tree(shape(n(), n(), n()))
    );
    let master = format!(
        "<p:sldMaster {spaces}>{}<p:sldLayoutIdLst><p:sldLayoutId id=\"1\" r:id=\"rLayout\"/></p:sldLayoutIdLst><p:txStyles><p:titleStyle><a:lvl1pPr><a:buFont typeface=\"{}\"/><a:defRPr><a:latin typeface=\"{}\"/></a:defRPr></a:lvl1pPr></p:titleStyle></p:txStyles></p:sldMaster>",
        tree(shape(n(), n(), n())),
        n(),
        n()
    );
    let presentation = format!(
        "<p:presentation {spaces}><p:sldMasterIdLst><p:sldMasterId id=\"9\" r:id=\"rM\"/></p:sldMasterIdLst><p:sldIdLst>\
         <p:sldId id=\"256\" r:id=\"rS\"/><p:sldId id=\"258\" r:id=\"rHidden\"/><p:sldId id=\"257\" r:id=\"rGone\"/></p:sldIdLst><p:sldSz cx=\"9144000\" cy=\"6858000\"/>\
         <p:custShowLst><p:custShow name=\"{}\" id=\"0\"/></p:custShowLst><p:modifyVerifier hashData=\"{}\" saltData=\"{}\"/>{}</p:presentation>",
        n(),
        n(),
        n(),
        of_presentation(&mut n)
    );
    let theme = theme(&mut n);
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
    let others: Vec<(&str, String)> =
        OTHER_PARTS.iter().map(|name| (*name, format!("<x>{}</x>", n()))).collect();
    let comment = n();
    let mut parts: Vec<(&str, &str)> = Vec::new();
    let link_chart = rels(&[rel("rW", "package", "../embeddings/Workbook1.xlsx")]);
    let named_part = format!("ppt/{}.xml", n());
    let picture = format!("ppt/media/{image}");
    let [top, of_main, of_slide, of_layout, of_master] = [
        rels(&[
            rel("a", "officeDocument", "ppt/presentation.xml"),
            rel("b", "thumbnail", "docProps/t.jpeg"),
            rel("c", "custom-properties", "docProps/custom.xml"),
            rel("d", "customUI", "userCustomization/customUI.xml"),
            rel("e", "classificationlabels", "docMetadata/LabelInfo.xml"),
        ]),
        rels(&[
            rel("rM", "slideMaster", "slideMasters/m.xml"),
            rel("rS", "slide", "slides/s.xml"),
            rel("rHidden", "slide", "slides/hidden.xml"),
            rel("rOrphan", "slide", "slides/orphan.xml"),
            rel("rA", "commentAuthors", "commentAuthors.xml"),
            rel("rAuthors", "authors", "authors.xml"),
            rel("rV", "viewProps", "viewProps.xml"),
            rel("rP", "presProps", "presProps.xml"),
            rel("rTs", "tableStyles", "tableStyles.xml"),
            rel("rH", "handoutMaster", "handoutMasters/h.xml"),
            rel("rF", "font", "fonts/font1.fntdata"),
            rel("rTag", "tags", "tags/tag1.xml"),
            rel("rX", "customXml", "../customXml/item1.xml"),
            rel("rVba", "vbaProject", "vbaProject.bin"),
            rel("rCh", "changesInfo", "changesInfos/changesInfo1.xml"),
        ]),
        rels(&[
            rel(&picture_id, "image", &format!("../media/{image}")),
            link,
            rel("rN", "notesSlide", "../notesSlides/n.xml"),
            rel("rLay", "slideLayout", "../slideLayouts/l.xml"),
            rel("rO", "oleObject", "../embeddings/o.bin"),
            rel("rC", "comments", "../comments/c.xml"),
            rel("rModern", "comments", "../comments/modernComment_1.xml"),
            rel("rChart", "chart", "../charts/chart1.xml"),
            rel("rDm", "diagramData", "../diagrams/data1.xml"),
            rel("rDr", "diagramDrawing", "../diagrams/drawing1.xml"),
            rel("rInk", "customXml", "../ink/ink1.xml"),
            rel("rVideo", "video", "../media/media1.mp4"),
            rel("rSound", "audio", "../media/audio1.wav"),
            rel("rControl", "control", "../activeX/activeX1.xml"),
            rel("rVml", "vmlDrawing", "../drawings/vmlDrawing1.vml"),
            rel("rTags", "tags", "../tags/tag2.xml"),
            rel("rSlide", "slide", "orphan.xml"),
        ]),
        rels(&[rel("rM", "slideMaster", "../slideMasters/m.xml")]),
        rels(&[rel("rLayout", "slideLayout", "../slideLayouts/l.xml"), rel("rT", "theme", "../theme/t.xml")]),
    ];
    parts.extend([
        ("_rels/.rels", top.as_str()),
        ("ppt/presentation.xml", &presentation),
        ("ppt/_rels/presentation.xml.rels", &of_main),
        ("ppt/slides/s.xml", &slide),
        ("ppt/slides/_rels/s.xml.rels", &of_slide),
        ("ppt/slides/hidden.xml", &hidden_slide),
        ("ppt/notesSlides/n.xml", &notes),
        ("ppt/slideLayouts/l.xml", &layout),
        ("ppt/slideLayouts/_rels/l.xml.rels", &of_layout),
        ("ppt/slideMasters/m.xml", &master),
        ("ppt/slideMasters/_rels/m.xml.rels", &of_master),
        ("ppt/theme/t.xml", &theme),
        ("ppt/charts/_rels/chart1.xml.rels", &link_chart),
        ("docProps/core.xml", &free[0]),
        ("docProps/t.jpeg", &free[1]),
        ("ppt/commentAuthors.xml", &free[2]),
        ("ppt/comments/c.xml", &free[3]),
        (&picture, &free[4]),
        ("ppt/embeddings/o.bin", &free[5]),
        ("ppt/viewProps.xml", &free[6]),
        (&named_part, &free[7]),
    ]);
    parts.extend(others.iter().map(|(name, content)| (*name, content.as_str())));
    zip_with_comment(&parts, &comment)
}

/// Parts of a presentation that are not its slides. Each holds a word.
const OTHER_PARTS: &[&str] = &[
    "[Content_Types].xml",
    "_xmlsignatures/sig1.xml",
    "customXml/item1.xml",
    "customXml/itemProps1.xml",
    "docMetadata/LabelInfo.xml",
    "docProps/app.xml",
    "docProps/custom.xml",
    "ppt/activeX/activeX1.bin",
    "ppt/activeX/activeX1.xml",
    "ppt/authors.xml",
    "ppt/changesInfos/changesInfo1.xml",
    "ppt/charts/chart1.xml",
    "ppt/charts/style1.xml",
    "ppt/comments/modernComment_1.xml",
    "ppt/diagrams/data1.xml",
    "ppt/diagrams/drawing1.xml",
    "ppt/drawings/vmlDrawing1.vml",
    "ppt/embeddings/Workbook1.xlsx",
    "ppt/fonts/font1.fntdata",
    "ppt/handoutMasters/h.xml",
    "ppt/ink/ink1.xml",
    "ppt/media/audio1.wav",
    "ppt/media/media1.mp4",
    "ppt/presProps.xml",
    "ppt/revisionInfo.xml",
    "ppt/slides/orphan.xml",
    "ppt/tableStyles.xml",
    "ppt/tags/tag1.xml",
    "ppt/tags/tag2.xml",
    "ppt/vbaProject.bin",
    "userCustomization/customUI.xml",
];

/// Shapes of a slide that are not plain texts.
fn slide_shapes(n: &mut impl FnMut() -> String) -> String {
    let mut frame = |data: String| {
        format!(
            "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"7\" name=\"{}\" descr=\"{}\"/><p:cNvGraphicFramePr/><p:nvPr/>\
             </p:nvGraphicFramePr><p:xfrm/><a:graphic>{data}</a:graphic></p:graphicFrame>",
            n(),
            n()
        )
    };
    let frames = [
        frame("<a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/chart\"><c:chart xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" r:id=\"rChart\"/></a:graphicData>".to_owned()),
        frame("<a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/diagram\"><dgm:relIds xmlns:dgm=\"http://schemas.openxmlformats.org/drawingml/2006/diagram\" r:dm=\"rDm\"/></a:graphicData>".to_owned()),
    ]
    .concat();
    [
        frames,
        // A group and a line between shapes.
        format!("<p:grpSp><p:nvGrpSpPr><p:cNvPr id=\"8\" name=\"{}\" descr=\"{}\" title=\"{}\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id=\"9\" name=\"a\"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>In a group {}</a:t></a:r></a:p></p:txBody></p:sp></p:grpSp>", n(), n(), n(), n()),
        format!("<p:cxnSp><p:nvCxnSpPr><p:cNvPr id=\"10\" name=\"{}\" descr=\"{}\"/><p:cNvCxnSpPr/><p:nvPr/></p:nvCxnSpPr><p:spPr/></p:cxnSp>", n(), n()),
        // A shape with its own outline, signs of programs, links with sounds, bookmarks, comments of XML, and stray text.
        format!("<p:sp><p:nvSpPr><p:cNvPr id=\"11\" name=\"a\"><a:hlinkHover r:id=\"\" action=\"ppaction://macro?name={}\" tooltip=\"{}\"><a:snd r:embed=\"rSound\" name=\"{}\"/></a:hlinkHover><a:extLst><a:ext uri=\"{{1}}\"><a16:creationId xmlns:a16=\"http://schemas.microsoft.com/office/drawing/2014/main\" id=\"{}\"/></a:ext></a:extLst></p:cNvPr><p:cNvSpPr/><p:nvPr><p:custDataLst><p:tags r:id=\"rTags\"/></p:custDataLst></p:nvPr></p:nvSpPr><p:spPr>{}<a:custGeom><a:avLst><a:gd name=\"{}\" fmla=\"val {}\"/></a:avLst></a:custGeom></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:rPr bmk=\"{}\" altLang=\"{}\"><a:sym typeface=\"{}\"/></a:rPr><a:t>x</a:t></a:r><a:fld id=\"{{2}}\" type=\"{}\"><a:t>{}</a:t></a:fld></a:p></p:txBody></p:sp><!-- {} --><?own {}?>", n(), n(), n(), n(), n(), n(), n(), n(), n(), n(), n(), n(), n(), n()),
        // A film with marks, and a drawing by hand with its picture.
        format!("<p:pic><p:nvPicPr><p:cNvPr id=\"12\" name=\"{}\"/><p:cNvPicPr/><p:nvPr><a:videoFile r:link=\"rVideo\" contentType=\"{}\"/><p:extLst><p:ext uri=\"{{3}}\"><p14:media xmlns:p14=\"http://schemas.microsoft.com/office/powerpoint/2010/main\" r:embed=\"rVideo\"><p14:bmkLst><p14:bmk name=\"{}\" time=\"1\"/></p14:bmkLst></p14:media></p:ext></p:extLst></p:nvPr></p:nvPicPr><p:blipFill/><p:spPr/></p:pic>", n(), n(), n()),
        format!("<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\"><mc:Choice xmlns:p14=\"http://schemas.microsoft.com/office/powerpoint/2010/main\" Requires=\"p14\"><p:contentPart r:id=\"rInk\"><p14:nvContentPartPr><p14:cNvPr id=\"13\" name=\"{}\"/></p14:nvContentPartPr></p:contentPart></mc:Choice><mc:Fallback><p:pic><p:nvPicPr><p:cNvPr id=\"14\" name=\"{}\" descr=\"{}\"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr></p:pic></mc:Fallback></mc:AlternateContent>", n(), n(), n()),
        // A table with a style of its own and a cell that is merged away.
        format!("<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"15\" name=\"a\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\"><a:tbl><a:tblPr><a:tableStyleId>{}</a:tableStyleId></a:tblPr><a:tr h=\"1\"><a:tc gridSpan=\"2\"><a:txBody><a:bodyPr/><a:p><a:r><a:t>wide</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge=\"1\"><a:txBody><a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody><a:tcPr><a:headers><a:header>{}</a:header></a:headers></a:tcPr></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>", n(), n(), n()),
    ]
    .concat()
}

/// What a slide holds beside its shapes.
fn behind_shapes(n: &mut impl FnMut() -> String) -> String {
    [
        format!("<p:custDataLst><p:custData r:id=\"{}\"/></p:custDataLst>", n()),
        format!("<p:controls><p:control name=\"{}\" spid=\"{}\" r:id=\"rControl\"/></p:controls>", n(), n()),
        format!("<p:transition><p:sndAc><p:stSnd><p:snd r:embed=\"rSound\" name=\"{}\"/></p:stSnd></p:sndAc></p:transition>", n()),
        format!("<p:timing><p:tnLst><p:set><p:cBhvr><p:attrNameLst><p:attrName>{}</p:attrName></p:attrNameLst></p:cBhvr><p:to><p:strVal val=\"{}\"/></p:to></p:set><p:cmd type=\"call\" cmd=\"{}\"/></p:tnLst></p:timing>", n(), n(), n()),
        format!("<p:extLst><p:ext uri=\"{}\"/></p:extLst>", n()),
    ]
    .concat()
}

/// What a presentation says of itself.
fn of_presentation(n: &mut impl FnMut() -> String) -> String {
    [
        format!("<p:embeddedFontLst><p:embeddedFont><p:font typeface=\"{}\"/><p:regular r:id=\"rF\"/></p:embeddedFont></p:embeddedFontLst>", n()),
        format!("<p:kinsoku lang=\"ja-JP\" invalStChars=\"{}\" invalEndChars=\"{}\"/>", n(), n()),
        "<p:custDataLst><p:tags r:id=\"rTag\"/></p:custDataLst><p:smartTags r:id=\"rX\"/>".to_owned(),
        format!("<p:defaultTextStyle><a:lvl1pPr><a:defRPr><a:latin typeface=\"{}\" panose=\"{}\"/></a:defRPr></a:lvl1pPr></p:defaultTextStyle>", n(), n()),
        format!("<p:extLst><p:ext uri=\"{{1}}\"><p14:sectionLst xmlns:p14=\"http://schemas.microsoft.com/office/powerpoint/2010/main\"><p14:section name=\"{}\" id=\"{}\"/></p14:sectionLst></p:ext></p:extLst>", n(), n()),
    ]
    .concat()
}

/// A theme with names and fonts.
fn theme(n: &mut impl FnMut() -> String) -> String {
    format!(
        "<a:theme xmlns:a=\"{A}\" name=\"{}\"><a:themeElements><a:clrScheme name=\"{}\"><a:dk1><a:srgbClr val=\"000000\"/></a:dk1></a:clrScheme>\
         <a:fontScheme name=\"{}\"><a:majorFont><a:latin typeface=\"{}\"/><a:font script=\"Jpan\" typeface=\"{}\"/></a:majorFont></a:fontScheme>\
         <a:fmtScheme name=\"{}\"/></a:themeElements><a:custClrLst><a:custClr name=\"{}\"><a:srgbClr val=\"00FF00\"/></a:custClr></a:custClrLst>\
         <a:extLst><a:ext uri=\"{{1}}\"><thm15:themeFamily xmlns:thm15=\"http://schemas.microsoft.com/office/thememl/2012/main\" name=\"{}\" id=\"{}\"/></a:ext></a:extLst></a:theme>",
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n()
    )
}

/// A presentation whose slides are listed in another order than their ids.
#[test]
fn slides_come_in_the_order_of_the_presentation() {
    let spaces = format!("xmlns:p=\"{P}\" xmlns:a=\"{A}\" xmlns:r=\"{R}\"");
    let rel = |id: usize, target: &str| {
        format!("<Relationship Id=\"rId{id}\" Type=\"{R}/slide\" Target=\"{target}\"/>")
    };
    let slides: Vec<(String, String)> = (1..=12)
        .map(|number| {
            let text = format!("<p:sld {spaces}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>Slide {number}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>");
            (format!("ppt/slides/s{number}.xml"), text)
        })
        .collect();
    let listed: String =
        (1..=12).rev().map(|id| format!("<p:sldId id=\"{}\" r:id=\"rId{id}\"/>", 255 + id)).collect();
    let relations: String = (1..=12).map(|id| rel(id, &format!("slides/s{id}.xml"))).collect();
    let presentation = format!("<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>");
    let of_main = format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{relations}</Relationships>");
    let top = format!(
        "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"a\" Type=\"{R}/officeDocument\" Target=\"ppt/presentation.xml\"/></Relationships>"
    );
    let mut parts = vec![
        ("_rels/.rels", top.as_str()),
        ("ppt/presentation.xml", &presentation),
        ("ppt/_rels/presentation.xml.rels", &of_main),
    ];
    parts.extend(slides.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let document = open(&zip(&parts), DocumentFormat::Pptx);
    let expected: Vec<String> = (1..=12).rev().map(|number| format!("Slide {number}")).collect();
    assert_eq!(document.text().split("\n\n").collect::<Vec<_>>(), expected);
    let again = open(&document.written(document.text()).unwrap(), DocumentFormat::Pptx);
    assert_eq!(again.text(), document.text());
}

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut canaries = Canaries::default();
    let bytes = full(&mut canaries);
    assert!(canaries.count() >= 120, "{}", canaries.count());
    let document = open(&bytes, DocumentFormat::Pptx);
    let visible = shown(document.text());
    assert!(visible >= 11, "{visible}: {}", document.text());
    assert!(document.text().contains("Zyx999canary\n"));
    let written = veiled(&document);
    assert_clean_package(&written);
    let parts = unzip(&written);
    let slide =
        String::from_utf8(parts.iter().find(|part| part.0 == "ppt/slides/slide1.xml").unwrap().1.clone())
            .unwrap();
    for kept in ["b=\"1\"", "<a:tbl>", "drawingml/2006/table\"", "type=\"slidenum\"", "<a:blip r:embed="] {
        assert!(slide.contains(kept), "{kept} in {slide}");
    }
    let main =
        String::from_utf8(parts.iter().find(|part| part.0 == "ppt/presentation.xml").unwrap().1.clone())
            .unwrap();
    assert_eq!(main.matches("<p:sldId ").count(), 2, "{main}");
    assert!(document.removed().count("charts") + document.removed().count("embedded objects") > 0);
    println!("pptx: {} places, {visible} of them in the text", canaries.count());
}
