//! Workbooks.

use inkveil_documents::DocumentFormat;

use crate::canary::{Canaries, assert_clean_package, open, shown, unzip, veiled, zip};

const X: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

fn full(c: &mut Canaries) -> Vec<u8> {
    let mut n = || c.next();
    let rel = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{R}/{kind}\" Target=\"{target}\"/>")
    };
    let rels = |inner: &[String]| {
        format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{}</Relationships>", inner.concat())
    };
    let workbook = format!(
        "<workbook xmlns=\"{X}\" xmlns:r=\"{R}\"><fileSharing userName=\"{}\"/><workbookPr codeName=\"{}\"/><sheets>\
         <sheet name=\"{}\" sheetId=\"1\" r:id=\"r1\"/><sheet name=\"{}\" sheetId=\"2\" state=\"hidden\" r:id=\"r2\"/></sheets>\
         <definedNames><definedName name=\"{}\" comment=\"{}\">{}</definedName></definedNames></workbook>",
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n()
    );
    let shared = format!(
        "<sst xmlns=\"{X}\"><si><t>{}</t></si><si><r><rPr><b/></rPr><t>Zyx9</t></r><r><t>99canary</t></r><rPh sb=\"0\" eb=\"1\"><t>{}</t></rPh></si>\
         <si><t>{}</t></si></sst>",
        n(),
        n(),
        n()
    );
    let sheet = format!(
        "<worksheet xmlns=\"{X}\" xmlns:r=\"{R}\"><sheetPr codeName=\"{}\"/><cols><col min=\"1\" max=\"2\" width=\"20\" customWidth=\"1\"/></cols><sheetData>\
         <row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c><c r=\"C1\" t=\"inlineStr\"><is><t>{}</t></is></c></row>\
         <row r=\"2\"><c r=\"A2\" t=\"str\"><f>\"{}\"</f><v>{}</v></c><c r=\"B2\"><v>4711</v></c><c r=\"C2\" s=\"1\"><v>45322</v></c><c r=\"D2\" t=\"b\"><v>1</v></c></row>\
         <row r=\"3\" hidden=\"1\"><c r=\"A3\" t=\"inlineStr\"><is><t>{}</t></is></c></row></sheetData>\
         <autoFilter ref=\"A1\"><filterColumn colId=\"0\"><filters><filter val=\"{}\"/></filters></filterColumn></autoFilter>\
         <mergeCells><mergeCell ref=\"A5:B6\"/><mergeCell ref=\"{}\"/></mergeCells>\
         <conditionalFormatting sqref=\"A1\"><cfRule type=\"containsText\" text=\"{}\"><formula>{}</formula></cfRule></conditionalFormatting>\
         <dataValidations><dataValidation prompt=\"{}\" promptTitle=\"{}\" error=\"{}\"><formula1>{}</formula1></dataValidation></dataValidations>\
         <hyperlinks><hyperlink ref=\"A1\" r:id=\"rH\" tooltip=\"{}\" display=\"{}\" location=\"{}\"/></hyperlinks>\
         <headerFooter><oddHeader>{}</oddHeader></headerFooter></worksheet>",
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n()
    );
    let hidden = format!(
        "<worksheet xmlns=\"{X}\"><sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>{}</t></is></c></row></sheetData></worksheet>",
        n()
    );
    let styles = format!(
        "<styleSheet xmlns=\"{X}\"><numFmts><numFmt numFmtId=\"164\" formatCode=\"0.00 &quot;{}&quot;\"/></numFmts><fonts><font><b/><name val=\"{}\"/></font></fonts>\
         <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs><cellStyles><cellStyle name=\"{}\" xfId=\"0\"/></cellStyles></styleSheet>",
        n(),
        n(),
        n()
    );
    let free: Vec<String> = (0..10).map(|_| n()).collect();
    let link = format!(
        "<Relationship Id=\"rH\" Type=\"{R}/hyperlink\" Target=\"https://{}/\" TargetMode=\"External\"/>",
        n()
    );
    zip(&[
        ("_rels/.rels", &rels(&[rel("a", "officeDocument", "xl/workbook.xml")])),
        ("xl/workbook.xml", &workbook),
        (
            "xl/_rels/workbook.xml.rels",
            &rels(&[
                rel("r1", "worksheet", "worksheets/sheet1.xml"),
                rel("r2", "worksheet", "worksheets/sheet2.xml"),
                rel("r3", "sharedStrings", "sharedStrings.xml"),
                rel("r4", "styles", "styles.xml"),
                rel("r5", "calcChain", "calcChain.xml"),
                rel("r6", "connections", "connections.xml"),
            ]),
        ),
        ("xl/sharedStrings.xml", &shared),
        ("xl/worksheets/sheet1.xml", &sheet),
        (
            "xl/worksheets/_rels/sheet1.xml.rels",
            &rels(&[
                link,
                rel("d", "drawing", "../drawings/drawing1.xml"),
                rel("c", "comments", "../comments1.xml"),
                rel("t", "table", "../tables/table1.xml"),
            ]),
        ),
        ("xl/worksheets/sheet2.xml", &hidden),
        ("xl/styles.xml", &styles),
        ("docProps/core.xml", &free[0]),
        ("xl/comments1.xml", &free[1]),
        ("xl/drawings/drawing1.xml", &free[2]),
        ("xl/tables/table1.xml", &free[3]),
        ("xl/calcChain.xml", &free[4]),
        ("xl/connections.xml", &free[5]),
        ("xl/vbaProject.bin", &free[6]),
        ("xl/media/image1.png", &free[7]),
        ("xl/printerSettings/p.bin", &free[8]),
        ("xl/pivotCache/pivotCacheRecords1.xml", &free[9]),
    ])
}

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut canaries = Canaries::default();
    let bytes = full(&mut canaries);
    assert!(canaries.count() >= 40, "{}", canaries.count());
    let document = open(&bytes, DocumentFormat::Xlsx);
    let visible = shown(document.text());
    assert_eq!(document.text().lines().count(), 2, "{}", document.text());
    assert_eq!(visible, 4, "{}", document.text());
    assert!(
        document.text().contains("\tZyx999canary\t") && document.text().ends_with("\t4711\t2024-01-31"),
        "{}",
        document.text()
    );
    assert_clean_package(&veiled(&document));
    for what in [
        "formulas",
        "hidden rows",
        "hidden sheets",
        "names of sheets",
        "names of ranges",
        "comments",
        "drawings",
        "link targets",
    ] {
        assert!(document.removed().count(what) > 0, "{what}: {:?}", document.removed());
    }
    println!("xlsx: {} places, {visible} of them in the text", canaries.count());
}

#[test]
fn numbers_stay_numbers_unless_they_are_replaced() {
    let document = open(&full(&mut Canaries::default()), DocumentFormat::Xlsx);
    let sheet = |written: &[u8]| {
        let parts = unzip(written);
        String::from_utf8(parts.iter().find(|part| part.0 == "xl/worksheets/sheet1.xml").unwrap().1.clone())
            .unwrap()
    };
    let same = sheet(&document.written(document.text()).unwrap());
    assert!(same.contains("<c r=\"B2\"><v>4711</v></c><c r=\"C2\" s=\"1\"><v>45322</v></c>"), "{same}");
    let changed = sheet(&document.written(&document.text().replace("2024-01-31", "2023-05-06")).unwrap());
    assert!(
        changed.contains("<v>4711</v>") && changed.contains(">2023-05-06</t>") && !changed.contains("45322"),
        "{changed}"
    );
}
