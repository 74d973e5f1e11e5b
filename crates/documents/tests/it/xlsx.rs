//! Workbooks.

use inkveil_documents::DocumentFormat;

use crate::canary::{Canaries, assert_clean_package, open, shown, unzip, veiled, zip, zip_with_comment};

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
         <definedNames><definedName name=\"{}\" comment=\"{}\">{}</definedName></definedNames>{}</workbook>",
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        of_workbook(&mut n)
    );
    let shared = format!(
        "<sst xmlns=\"{X}\"><si><t>{}</t></si><si><r><rPr><b/></rPr><t>Zyx9</t></r><r><t>99canary</t></r><rPh sb=\"0\" eb=\"1\"><t>{}</t></rPh></si>\
         <si><t>{}</t></si></sst>",
        n(),
        n(),
        n()
    );
    let sheet = format!(
        "<worksheet xmlns=\"{X}\" xmlns:r=\"{R}\"><sheetPr codeName=\"{}\"/><cols><col min=\"1\" max=\"2\" width=\"20\" customWidth=\"1\"/><col min=\"6\" max=\"7\" width=\"9\" hidden=\"1\"/>\
         <col min=\"8\" max=\"8\" width=\"0\"/></cols><sheetData>\
         <row r=\"1\"><c r=\"A1\" t=\"s\" cm=\"{}\" vm=\"{}\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c><c r=\"C1\" t=\"inlineStr\"><is><t>{}</t></is></c>\
         <c r=\"F1\" t=\"inlineStr\"><is><t>{}</t></is></c><c t=\"inlineStr\"><is><t>{}</t></is></c><c r=\"H1\" t=\"s\"><v>2</v></c></row>\
         <row r=\"4\" ht=\"0\" customHeight=\"1\"><c r=\"A4\" t=\"inlineStr\"><is><t>{}</t></is></c></row>\
         <row r=\"2\"><c r=\"A2\" t=\"str\"><f>\"{}\"</f><v>{}</v></c><c r=\"B2\"><v>4711</v></c><c r=\"C2\" s=\"1\"><v>45322</v></c><c r=\"D2\" t=\"b\"><v>1</v></c></row>\
         <row r=\"3\" hidden=\"1\"><c r=\"A3\" t=\"inlineStr\"><is><t>{}</t></is></c></row></sheetData>\
         <autoFilter ref=\"A1\"><filterColumn colId=\"0\"><filters><filter val=\"{}\"/></filters></filterColumn></autoFilter>\
         <mergeCells><mergeCell ref=\"A5:B6\"/><mergeCell ref=\"{}\"/></mergeCells>\
         <conditionalFormatting sqref=\"A1\"><cfRule type=\"containsText\" text=\"{}\"><formula>{}</formula></cfRule></conditionalFormatting>\
         <dataValidations><dataValidation prompt=\"{}\" promptTitle=\"{}\" error=\"{}\"><formula1>{}</formula1></dataValidation></dataValidations>\
         <hyperlinks><hyperlink ref=\"A1\" r:id=\"rH\" tooltip=\"{}\" display=\"{}\" location=\"{}\"/></hyperlinks>\
         <headerFooter><oddHeader>{}</oddHeader></headerFooter>{}</worksheet>",
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
        n(),
        n(),
        n(),
        n(),
        n(),
        n(),
        of_sheet(&mut n)
    );
    let hidden = format!(
        "<worksheet xmlns=\"{X}\"><sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>{}</t></is></c></row></sheetData></worksheet>",
        n()
    );
    let styles = format!(
        "<styleSheet xmlns=\"{X}\"><numFmts><numFmt numFmtId=\"164\" formatCode=\"0.00 &quot;{}&quot;\"/><numFmt numFmtId=\"165\" formatCode=\"[$Zyx997canary-407]0\"/></numFmts><fonts><font><b/><name val=\"{}\"/></font></fonts>\
         <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs><cellStyles><cellStyle name=\"{}\" xfId=\"0\"/></cellStyles></styleSheet>",
        n(),
        n(),
        n()
    );
    let theme = format!(
        "<a:theme xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" name=\"{}\"><a:themeElements><a:clrScheme name=\"{}\"/>\
         <a:fontScheme name=\"{}\"><a:majorFont><a:latin typeface=\"{}\"/></a:majorFont></a:fontScheme></a:themeElements></a:theme>",
        n(),
        n(),
        n(),
        n()
    );
    let free: Vec<String> = (0..10).map(|_| n()).collect();
    let others: Vec<(&str, String)> =
        OTHER_PARTS.iter().map(|name| (*name, format!("<x>{}</x>", n()))).collect();
    let comment = n();
    let named_part = format!("xl/{}.bin", n());
    let link = format!(
        "<Relationship Id=\"rH\" Type=\"{R}/hyperlink\" Target=\"https://{}/\" TargetMode=\"External\"/>",
        n()
    );
    let top = rels(&[
        rel("a", "officeDocument", "xl/workbook.xml"),
        rel("b", "custom-properties", "docProps/custom.xml"),
        rel("c", "customUI", "userCustomization/customUI.xml"),
    ]);
    let of_workbook = rels(&[
        rel("r1", "worksheet", "worksheets/sheet1.xml"),
        rel("r2", "worksheet", "worksheets/sheet2.xml"),
        rel("r3", "sharedStrings", "sharedStrings.xml"),
        rel("r4", "styles", "styles.xml"),
        rel("r5", "calcChain", "calcChain.xml"),
        rel("r6", "connections", "connections.xml"),
        rel("r7", "theme", "theme/theme1.xml"),
        rel("r8", "externalLink", "externalLinks/externalLink1.xml"),
        rel("r9", "pivotCacheDefinition", "pivotCache/pivotCacheDefinition1.xml"),
        rel("r10", "chartsheet", "chartsheets/sheet1.xml"),
        rel("r11", "sheetMetadata", "metadata.xml"),
        rel("r12", "person", "persons/person.xml"),
        rel("r13", "slicerCache", "slicerCaches/slicerCache1.xml"),
        rel("r14", "xmlMaps", "xmlMaps.xml"),
        rel("r15", "vbaProject", "vbaProject.bin"),
        rel("r16", "customXml", "../customXml/item1.xml"),
        rel("r17", "rdRichValue", "richData/rdrichvalue.xml"),
        rel("r18", "revisionHeaders", "revisions/revisionHeaders.xml"),
        rel("r19", "dialogsheet", "dialogsheets/sheet1.xml"),
    ]);
    let of_sheet = rels(&[
        link,
        rel("d", "drawing", "../drawings/drawing1.xml"),
        rel("c", "comments", "../comments1.xml"),
        rel("t", "table", "../tables/table1.xml"),
        rel("tc", "threadedComment", "../threadedComments/threadedComment1.xml"),
        rel("p", "pivotTable", "../pivotTables/pivotTable1.xml"),
        rel("q", "queryTable", "../queryTables/queryTable1.xml"),
        rel("v", "vmlDrawing", "../drawings/vmlDrawing1.vml"),
        rel("s", "slicer", "../slicers/slicer1.xml"),
        rel("o", "oleObject", "../embeddings/oleObject1.bin"),
        rel("k", "control", "../activeX/activeX1.xml"),
        rel("pr", "printerSettings", "../printerSettings/p.bin"),
        rel("cp", "customProperty", "../customProperty1.bin"),
    ]);
    let mut parts: Vec<(&str, &str)> = Vec::new();
    parts.extend([
        ("_rels/.rels", top.as_str()),
        ("xl/workbook.xml", &workbook),
        ("xl/_rels/workbook.xml.rels", &of_workbook),
        ("xl/sharedStrings.xml", &shared),
        ("xl/worksheets/sheet1.xml", &sheet),
        ("xl/worksheets/_rels/sheet1.xml.rels", &of_sheet),
        ("xl/worksheets/sheet2.xml", &hidden),
        ("xl/styles.xml", &styles),
        ("xl/theme/theme1.xml", &theme),
        (&named_part, "x"),
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
    ]);
    parts.extend(others.iter().map(|(name, content)| (*name, content.as_str())));
    zip_with_comment(&parts, &comment)
}

/// Parts of a workbook that are not its cells. Each holds a word.
const OTHER_PARTS: &[&str] = &[
    "[Content_Types].xml",
    "customXml/item1.xml",
    "docMetadata/LabelInfo.xml",
    "docProps/app.xml",
    "docProps/custom.xml",
    "userCustomization/customUI.xml",
    "xl/activeX/activeX1.xml",
    "xl/charts/chart1.xml",
    "xl/chartsheets/sheet1.xml",
    "xl/ctrlProps/ctrlProp1.xml",
    "xl/customProperty1.bin",
    "xl/diagrams/data1.xml",
    "xl/dialogsheets/sheet1.xml",
    "xl/drawings/vmlDrawing1.vml",
    "xl/embeddings/oleObject1.bin",
    "xl/externalLinks/externalLink1.xml",
    "xl/externalLinks/_rels/externalLink1.xml.rels",
    "xl/metadata.xml",
    "xl/persons/person.xml",
    "xl/pivotCache/pivotCacheDefinition1.xml",
    "xl/pivotTables/pivotTable1.xml",
    "xl/queryTables/queryTable1.xml",
    "xl/revisions/revisionHeaders.xml",
    "xl/richData/rdrichvalue.xml",
    "xl/slicerCaches/slicerCache1.xml",
    "xl/slicers/slicer1.xml",
    "xl/threadedComments/threadedComment1.xml",
    "xl/timelines/timeline1.xml",
    "xl/worksheets/binaryIndex1.bin",
    "xl/xmlMaps.xml",
];

/// What a workbook says of itself.
fn of_workbook(n: &mut impl FnMut() -> String) -> String {
    [
        format!("<externalReferences><externalReference r:id=\"{}\"/></externalReferences>", n()),
        format!("<customWorkbookViews><customWorkbookView name=\"{}\" guid=\"{}\"/></customWorkbookViews>", n(), n()),
        format!("<functionGroups><functionGroup name=\"{}\"/></functionGroups>", n()),
        format!("<webPublishing css=\"1\"/><smartTagTypes><smartTagType name=\"{}\" url=\"{}\"/></smartTagTypes>", n(), n()),
        format!("<fileRecoveryPr/><webPublishObjects><webPublishObject title=\"{}\" destinationFile=\"{}\"/></webPublishObjects>", n(), n()),
        format!("<extLst><ext uri=\"{}\">{}</ext></extLst><!-- {} -->", n(), n(), n()),
    ]
    .concat()
}

/// What a sheet holds beside its cells.
fn of_sheet(n: &mut impl FnMut() -> String) -> String {
    [
        format!("<scenarios><scenario name=\"{}\" user=\"{}\" comment=\"{}\"><inputCells r=\"A1\" val=\"{}\"/></scenario></scenarios>", n(), n(), n(), n()),
        format!("<protectedRanges><protectedRange name=\"{}\" sqref=\"A1\" securityDescriptor=\"{}\"/></protectedRanges>", n(), n()),
        format!("<sheetProtection password=\"{}\" saltValue=\"{}\"/>", n(), n()),
        format!("<customSheetViews><customSheetView guid=\"{}\"><autoFilter ref=\"A1\"><filterColumn colId=\"0\"><customFilters><customFilter val=\"{}\"/></customFilters></filterColumn></autoFilter></customSheetView></customSheetViews>", n(), n()),
        format!("<dataConsolidate><dataRefs><dataRef name=\"{}\" sheet=\"{}\"/></dataRefs></dataConsolidate>", n(), n()),
        format!("<sortState ref=\"A1\"><sortCondition ref=\"A1\" customList=\"{}\"/></sortState>", n()),
        format!("<oleObjects><oleObject progId=\"{}\" link=\"{}\" r:id=\"o\"/></oleObjects>", n(), n()),
        format!("<controls><control name=\"{}\" r:id=\"k\"><controlPr altText=\"{}\" macro=\"{}\"/></control></controls>", n(), n(), n()),
        format!("<webPublishItems><webPublishItem title=\"{}\" divId=\"{}\"/></webPublishItems>", n(), n()),
        format!("<customProperties><customPr name=\"{}\" r:id=\"cp\"/></customProperties>", n()),
        format!("<smartTags><cellSmartTags r=\"A1\"><cellSmartTag type=\"0\"><cellSmartTagPr key=\"{}\" val=\"{}\"/></cellSmartTag></cellSmartTags></smartTags>", n(), n()),
        format!("<extLst><ext uri=\"{{1}}\"><x14:dataValidation xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\" prompt=\"{}\"/></ext></extLst>", n()),
    ]
    .concat()
}

#[test]
fn a_word_in_every_place_does_not_come_out() {
    let mut canaries = Canaries::default();
    let bytes = full(&mut canaries);
    assert!(canaries.count() >= 110, "{}", canaries.count());
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
        "hidden columns",
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

#[test]
fn formats_of_numbers_hold_no_words() {
    let workbook = |code: &str, value: &str| {
        let rels =
            |inner: &str| format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{inner}</Relationships>");
        let rel = |id: &str, kind: &str, target: &str| {
            format!("<Relationship Id=\"{id}\" Type=\"{R}/{kind}\" Target=\"{target}\"/>")
        };
        zip(&[
            ("_rels/.rels", &rels(&rel("a", "officeDocument", "xl/workbook.xml"))),
            (
                "xl/workbook.xml",
                &format!(
                    "<workbook xmlns=\"{X}\" xmlns:r=\"{R}\"><sheets><sheet name=\"a\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
                ),
            ),
            (
                "xl/_rels/workbook.xml.rels",
                &rels(&[rel("r1", "worksheet", "sheet1.xml"), rel("r2", "styles", "styles.xml")].concat()),
            ),
            (
                "xl/styles.xml",
                &format!(
                    "<styleSheet xmlns=\"{X}\"><numFmts><numFmt numFmtId=\"164\" formatCode=\"{code}\"/></numFmts><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>"
                ),
            ),
            (
                "xl/sheet1.xml",
                &format!(
                    "<worksheet xmlns=\"{X}\"><sheetData><row r=\"1\"><c r=\"A1\" s=\"1\"><v>{value}</v></c></row></sheetData></worksheet>"
                ),
            ),
        ])
    };
    let read = |code: &str, value: &str| {
        let document = open(&workbook(code, value), DocumentFormat::Xlsx);
        let written = document.written(document.text()).unwrap();
        let part = |name: &str| {
            let found = unzip(&written).into_iter().find(|part| part.0 == name).unwrap();
            String::from_utf8(found.1).unwrap()
        };
        (document.text().to_owned(), part("xl/styles.xml"), part("xl/worksheets/sheet1.xml"))
    };
    // Colours, blanks and literal texts are no days.
    for code in ["0.00;[Red]-0.00", "0_d", "0\\d", "0 &quot;days&quot;", "General"] {
        assert_eq!(read(code, "5").0, "5", "{code}");
    }
    for code in ["yyyy-mm-dd", "d. mmmm yyyy", "[h]:mm yyyy", "mm/dd/yy h:mm:ss AM/PM"] {
        let (text, styles, _) = read(code, "45322.25");
        assert_eq!(text, "2024-01-31 06:00", "{code}");
        assert!(styles.contains(code), "{code} in {styles}");
    }
    // Names of the letters of days.
    for code in ["0 &quot;Eddy&quot;", "0 &quot;MD&quot;", "\\S\\h\\y", "0 &quot;42&quot;"] {
        let (_, styles, _) = read(code, "5");
        assert!(styles.contains("formatCode=\"General\""), "{code} in {styles}");
    }
    // A day with words stays a day.
    for (code, kept) in
        [("Eddy", "yyyy-mm-dd"), ("d &quot;Ana&quot; yyyy hh:mm", "yyyy-mm-dd hh:mm"), ("dD", "yyyy-mm-dd")]
    {
        let (_, styles, _) = read(code, "45322");
        assert!(styles.contains(&format!("formatCode=\"{kept}\"")), "{code} in {styles}");
    }
    // What a day does not show is not written.
    let (text, _, sheet) = read("yyyy", "45322.000000123456789");
    assert_eq!(text, "2024-01-31");
    assert!(sheet.contains("<v>45322</v>"), "{sheet}");
}
