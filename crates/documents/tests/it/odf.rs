//! OpenDocument files.

use inkveil_documents::{Document, DocumentFormat, Limits, Purpose};

use crate::canary::{Canaries, assert_clean_package, open, shown, unzip, veiled, zip};

const SPACES: &str = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
    xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
    xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" xmlns:draw=\"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0\" \
    xmlns:fo=\"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
    xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:meta=\"urn:oasis:names:tc:opendocument:xmlns:meta:1.0\" \
    xmlns:svg=\"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0\" \
    xmlns:number=\"urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0\" \
    xmlns:form=\"urn:oasis:names:tc:opendocument:xmlns:form:1.0\" xmlns:own=\"urn:own\" \
    xmlns:script=\"urn:oasis:names:tc:opendocument:xmlns:script:1.0\"";

fn full(c: &mut Canaries) -> Vec<u8> {
    let mut n = || c.next();
    let content = [
        format!("<office:document-content {SPACES} office:version=\"1.3\"><office:scripts><office:script>{}</office:script></office:scripts>", n()),
        format!("<office:font-face-decls><style:font-face style:name=\"{}\" svg:font-family=\"{}\"/></office:font-face-decls>", n(), n()),
        format!("<office:automatic-styles><style:style style:name=\"{}\" style:display-name=\"{}\" style:family=\"paragraph\" style:parent-style-name=\"{}\"><style:text-properties fo:font-weight=\"bold\" style:font-name=\"{}\"/></style:style>", n(), n(), n(), n()),
        format!("<number:number-style style:name=\"{}\"><number:text>{}</number:text></number:number-style></office:automatic-styles>", n(), n()),
        format!("<office:body><office:text><office:forms><form:form form:name=\"{}\"/></office:forms>", n()),
        format!("<text:tracked-changes><text:changed-region text:id=\"{}\"><text:deletion><office:change-info><dc:creator>{}</dc:creator><dc:date>{}</dc:date></office:change-info><text:p>{}</text:p></text:deletion></text:changed-region></text:tracked-changes>", n(), n(), n(), n()),
        format!("<text:user-field-decls><text:user-field-decl text:name=\"{}\" office:string-value=\"{}\"/></text:user-field-decls>", n(), n()),
        format!("<text:h text:style-name=\"Heading_20_1\" text:outline-level=\"1\" xml:id=\"{}\">{}</text:h>", n(), n()),
        format!("<text:p text:style-name=\"{}\">Zyx9<text:span text:style-name=\"{}\">99can</text:span>ary<text:tab/>{}<text:s/>{}<text:line-break/>x</text:p>", n(), n(), n(), n()),
        format!("<text:p><office:annotation office:name=\"{}\"><dc:creator>{}</dc:creator><text:p>{}</text:p></office:annotation>", n(), n(), n()),
        format!("<text:a xlink:href=\"https://{}/\" office:title=\"{}\" office:name=\"{}\">{}</text:a><text:bookmark text:name=\"{}\"/>", n(), n(), n(), n(), n()),
        format!("<text:author-name>{}</text:author-name><text:user-field-get text:name=\"{}\">{}</text:user-field-get><text:hidden-text text:condition=\"{}\" text:string-value=\"{}\">{}</text:hidden-text>", n(), n(), n(), n(), n(), n()),
        format!("<text:note text:id=\"{}\" text:note-class=\"footnote\"><text:note-citation text:label=\"{}\">1</text:note-citation><text:note-body><text:p>{}</text:p></text:note-body></text:note></text:p>", n(), n(), n()),
        format!("<text:p><draw:frame draw:name=\"{}\" svg:width=\"5cm\"><draw:image xlink:href=\"Pictures/{}.png\" xlink:type=\"simple\"/><svg:title>{}</svg:title><svg:desc>{}</svg:desc></draw:frame>", n(), n(), n(), n()),
        format!("<draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame><draw:frame><draw:object xlink:href=\"./Object 1\"/></draw:frame></text:p>", n()),
        format!("<text:section text:name=\"{}\" text:display=\"none\"><text:p>{}</text:p></text:section><text:section text:name=\"{}\"><text:p>{}</text:p></text:section>", n(), n(), n(), n()),
        format!("<text:table-of-content text:name=\"{}\"><text:table-of-content-source><text:index-title-template>{}</text:index-title-template></text:table-of-content-source><text:index-body><text:p>{}</text:p></text:index-body></text:table-of-content>", n(), n(), n()),
        format!("<table:table table:name=\"{}\" table:protection-key=\"{}\"><table:table-row><table:table-cell office:value-type=\"string\" office:string-value=\"{}\" table:formula=\"{}\"><text:p>{}</text:p></table:table-cell></table:table-row></table:table>", n(), n(), n(), n(), n()),
        format!("<own:thing own:x=\"{}\">{}</own:thing><text:p own:note=\"{}\">{}</text:p><!-- {} -->", n(), n(), n(), n(), n()),
        "</office:text></office:body></office:document-content>".to_owned(),
    ]
    .concat();
    let styles = [
        format!("<office:document-styles {SPACES}><office:styles><style:style style:name=\"{}\" style:family=\"text\"/></office:styles>", n()),
        format!("<office:master-styles><style:master-page style:name=\"{}\"><style:header><text:p>{}</text:p></style:header><style:footer><text:p><text:page-number>1</text:page-number>{}</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>", n(), n(), n()),
    ]
    .concat();
    let free: Vec<String> = (0..8).map(|_| n()).collect();
    let picture = format!("Pictures/{}.png", n());
    zip(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &content),
        ("styles.xml", &styles),
        ("meta.xml", &free[0]),
        ("settings.xml", &free[1]),
        (&picture, &free[2]),
        ("Thumbnails/thumbnail.png", &free[3]),
        ("Object 1/content.xml", &free[4]),
        ("Basic/Standard/Module1.xml", &free[5]),
        ("Configurations2/accelerator.xml", &free[6]),
        ("other.bin", &free[7]),
    ])
}

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut canaries = Canaries::default();
    let bytes = full(&mut canaries);
    assert!(canaries.count() >= 70, "{}", canaries.count());
    let document = open(&bytes, DocumentFormat::Odt);
    let visible = shown(document.text());
    assert!(visible >= 13, "{visible}: {}", document.text());
    assert!(document.text().contains("Zyx999canary\t"), "{}", document.text());
    let written = veiled(&document);
    assert_clean_package(&written);
    let content =
        String::from_utf8(unzip(&written).into_iter().find(|part| part.0 == "content.xml").unwrap().1)
            .unwrap();
    for kept in ["fo:font-weight=\"bold\"", "Heading_20_1", "svg:width=\"5cm\"", "<text:tab/>", "<text:note "]
    {
        assert!(content.contains(kept), "{kept} in {content}");
    }
    assert_eq!(unzip(&written)[0].0, "mimetype");
    println!("odt: {} places, {visible} of them in the text", canaries.count());
}

#[test]
fn a_spreadsheet_shows_no_other_value_than_its_text() {
    let content = format!(
        "<office:document-content {SPACES}><office:body><office:spreadsheet><table:table table:name=\"Ana\"><table:table-row>\
         <table:table-cell office:value-type=\"float\" office:value=\"4711\" table:formula=\"of:=1\"><text:p>4711</text:p></table:table-cell>\
         <table:table-cell><text:p>Ana</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"
    );
    let bytes =
        zip(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)]);
    let document = open(&bytes, DocumentFormat::Ods);
    assert_eq!(document.text(), "4711\tAna");
    let written = document.written("1234\tMira").unwrap();
    let all: Vec<u8> = unzip(&written).into_iter().flat_map(|part| part.1).collect();
    let all = String::from_utf8_lossy(&all);
    assert!(
        !all.contains("4711") && !all.contains("Ana") && all.contains("1234") && all.contains("Mira"),
        "{all}"
    );
}

#[test]
fn a_kept_file_changes_only_in_its_text() {
    let bytes = full(&mut Canaries::default());
    let document = Document::open(&bytes, DocumentFormat::Odt, Purpose::Keep, &Limits::default());
    // Its second content is no XML.
    assert!(document.is_err());
}

#[test]
fn hidden_sheets_and_columns_are_removed() {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let content = format!(
        "<office:document-content {SPACES}><office:automatic-styles><style:style style:name=\"ta2\" style:family=\"table\">\
         <style:table-properties table:display=\"false\"/></style:style></office:automatic-styles><office:body><office:spreadsheet>\
         <table:table table:name=\"a\"><table:table-column/><table:table-columns><table:table-column table:visibility=\"collapse\" table:number-columns-repeated=\"2\"/>\
         </table:table-columns><table:table-column/><table:table-row>{}{}{}{}</table:table-row><table:table-row>\
         <table:table-cell table:number-columns-repeated=\"2\"><text:p>both</text:p></table:table-cell></table:table-row></table:table>\
         <table:table table:name=\"b\" table:style-name=\"ta2\"><table:table-row>{}</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>",
        cell("one"),
        cell("Zyx001canary"),
        cell("Zyx002canary"),
        cell("four"),
        cell("Zyx003canary"),
    );
    let bytes =
        zip(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)]);
    let document = open(&bytes, DocumentFormat::Ods);
    assert_eq!(document.text(), "one\tfour\tboth");
    assert_eq!(document.removed().count("hidden sheets"), 1);
    assert_eq!(document.removed().count("hidden columns"), 1);
    assert_clean_package(&document.written(document.text()).unwrap());
}
