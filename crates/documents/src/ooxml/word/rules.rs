//! Which elements and attributes of Word stay.

use std::collections::BTreeMap;

use super::super::filter::{Fate, Rules};
use super::fields::is_page_field;
use crate::xml::{Attribute, Element, Space};

/// New names of styles.
#[derive(Default)]
pub(super) struct Names {
    styles: BTreeMap<String, String>,
}

impl Names {
    fn style(&mut self, old: &str) -> String {
        let next = self.styles.len() + 1;
        self.styles.entry(old.to_owned()).or_insert_with(|| format!("s{next}")).clone()
    }
}

pub(super) struct PartRules<'n> {
    pub(super) names: &'n mut Names,
}

/// Elements that are removed with everything in them, by what they are.
const GONE: &[(&str, &[&str])] = &[
    ("tracked deletions", &["del", "moveFrom", "delText", "delInstrText", "cellDel"]),
    (
        "tracked formatting",
        &[
            "rPrChange",
            "pPrChange",
            "sectPrChange",
            "tblPrChange",
            "tblPrExChange",
            "tcPrChange",
            "trPrChange",
            "tblGridChange",
            "numberingChange",
            "cellIns",
            "cellMerge",
        ],
    ),
    ("comments", &["commentRangeStart", "commentRangeEnd", "commentReference", "annotationRef"]),
    ("bookmarks", &["bookmarkStart", "bookmarkEnd"]),
    (
        "",
        &[
            "proofErr",
            "permStart",
            "permEnd",
            "lastRenderedPageBreak",
            "moveFromRangeStart",
            "moveFromRangeEnd",
            "moveToRangeStart",
            "moveToRangeEnd",
            "customXmlInsRangeStart",
            "customXmlInsRangeEnd",
            "customXmlDelRangeStart",
            "customXmlDelRangeEnd",
            "customXmlMoveFromRangeStart",
            "customXmlMoveFromRangeEnd",
            "customXmlMoveToRangeStart",
            "customXmlMoveToRangeEnd",
            "nsid",
            "tmpl",
            "latentStyles",
            "docVars",
            "divId",
            "smartTagPr",
            "customXmlPr",
            "sdtPr",
            "sdtEndPr",
        ],
    ),
    ("embedded objects", &["object", "control", "movie", "pict", "numPicBullet"]),
    ("embedded documents", &["altChunk", "subDoc"]),
    ("field data", &["ffData", "fldData"]),
    ("ruby texts", &["rt"]),
    ("names of elements", &["aliases"]),
    ("mail merge", &["mailMerge"]),
];

impl Rules for PartRules<'_> {
    fn fate(&self, element: &Element) -> Fate {
        let name = element.name();
        match element.space {
            Some(Space::W) => {
                if let Some((what, _)) = GONE.iter().find(|(_, names)| names.contains(&name)) {
                    return Fate::Remove(what);
                }
                match name {
                    "ins" | "moveTo" => Fate::Unwrap("tracked insertions"),
                    "hyperlink" => Fate::Unwrap("link targets"),
                    "sdt" => Fate::Unwrap("content controls"),
                    "smartTag" | "customXml" => Fate::Unwrap("smart tags"),
                    "sdtContent" | "ruby" | "rubyBase" | "dir" | "bdo" => Fate::Unwrap(""),
                    "fldSimple" if is_page_field(element.get(Space::W, "instr").unwrap_or_default()) => {
                        Fate::Keep
                    }
                    "fldSimple" => Fate::Unwrap("field codes"),
                    "rubyPr" => Fate::Remove(""),
                    "r" if is_hidden(element) => Fate::Remove("hidden text"),
                    "tr" if is_deleted(element) => Fate::Remove("tracked deletions"),
                    "drawing" if is_foreign(element) => Fate::Remove("charts"),
                    _ => Fate::Keep,
                }
            }
            Some(Space::Mc) => match name {
                "Fallback" => Fate::Remove(""),
                "Choice" if !has_known_shape(element) => Fate::Remove("embedded objects"),
                _ => Fate::Keep,
            },
            Some(Space::A) if matches!(name, "hlinkClick" | "hlinkHover" | "hlinkMouseOver") => {
                Fate::Remove("link targets")
            }
            Some(Space::A | Space::Wp | Space::Wps | Space::Wpg | Space::Pic) if name == "extLst" => {
                Fate::Remove("")
            }
            Some(Space::A) if name == "font" => Fate::Remove(""),
            Some(Space::A | Space::Wp | Space::Pic | Space::Wps | Space::Wpg | Space::M) => Fate::Keep,
            _ => Fate::Remove("unknown elements"),
        }
    }

    fn renamed(&mut self, element: &Element, attribute: &Attribute) -> Option<String> {
        if element.space != Some(Space::W) {
            return None;
        }
        let value = attribute.value.as_str();
        match (element.name(), attribute.name()) {
            (
                "pStyle" | "rStyle" | "tblStyle" | "basedOn" | "next" | "link" | "numStyleLink" | "styleLink",
                "val",
            )
            | ("style", "styleId") => Some(self.names.style(value)),
            ("name", "val") => Some(match is_built_in(value) {
                true => value.to_owned(),
                false => format!("style {}", self.names.style(&format!("\u{1}{value}"))),
            }),
            ("lvlText", "val") => Some(marks(value)),
            ("fldSimple", "instr") => Some(value.to_owned()),
            ("compatSetting" | "docVar" | "attachedSchema", _) => Some(String::new()),
            _ => None,
        }
    }
}

/// The signs of a list without words: "%1." and bullets.
fn marks(value: &str) -> String {
    let mut marks = String::new();
    for c in value.chars().take(16) {
        // A digit stands for the number of a level. Other digits could be a telephone number.
        let is_level = c.is_ascii_digit() && marks.ends_with('%');
        if is_level || !c.is_alphanumeric() {
            marks.push(c);
        }
    }
    marks
}

/// Names of styles that every Word has.
fn is_built_in(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "normal",
        "title",
        "subtitle",
        "caption",
        "header",
        "footer",
        "body text",
        "list paragraph",
        "no spacing",
        "strong",
        "emphasis",
        "quote",
        "intense quote",
        "hyperlink",
        "followedhyperlink",
        "table grid",
        "normal table",
        "no list",
        "default paragraph font",
        "footnote text",
        "footnote reference",
        "endnote text",
        "endnote reference",
        "page number",
        "plain text",
        "list bullet",
        "list number",
        "list",
        "toc heading",
        "normal (web)",
        "balloon text",
        "signature",
        "salutation",
        "closing",
        "date",
        "body text indent",
        "subtle emphasis",
        "intense emphasis",
        "book title",
        "annotation text",
        "annotation reference",
    ];
    let name = name.to_ascii_lowercase();
    let numbered =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']));
    NAMES.contains(&name.as_str())
        || ["heading ", "toc ", "list bullet ", "list number ", "list ", "index "].into_iter().any(numbered)
}

/// Whether a run is hidden.
fn is_hidden(run: &Element) -> bool {
    let hides = |name: &str| {
        run.child(Space::W, "rPr")
            .and_then(|properties| properties.child(Space::W, name))
            .is_some_and(|found| !matches!(found.get(Space::W, "val"), Some("0" | "false" | "off")))
    };
    hides("vanish") || hides("webHidden") || hides("specVanish")
}

/// Whether a row of a table was deleted.
fn is_deleted(row: &Element) -> bool {
    row.child(Space::W, "trPr").is_some_and(|properties| properties.child(Space::W, "del").is_some())
}

/// Whether a drawing holds something that is not a picture or a shape.
fn is_foreign(drawing: &Element) -> bool {
    drawing.any(&|element| {
        element.space.is_none()
            && !matches!(
                element.name(),
                "ext"
                    | "extLst"
                    | "sizeRelH"
                    | "sizeRelV"
                    | "pctWidth"
                    | "pctHeight"
                    | "useLocalDpi"
                    | "svgBlip"
                    | "hiddenLine"
                    | "hiddenFill"
            )
    })
}

/// Whether an alternative is a shape that this program knows.
fn has_known_shape(choice: &Element) -> bool {
    matches!(choice.get(Space::None, "Requires"), Some("wps" | "wpg"))
}
