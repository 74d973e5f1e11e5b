//! Word documents.

use std::collections::BTreeMap;

use super::filter::{Fate, Ids, Rules, filter};
use super::relations::{Relation, Relations, main_part, relations};
use super::writer::{NewPackage, NewRelations, PICTURE};
use crate::builder::Builder;
use crate::error::Error;
use crate::package::{Package, Part};
use crate::passage::PassageKind;
use crate::xml::write::{Role, XmlWriter};
use crate::xml::{Attribute, Element, Node, Space, parse};

/// Parts that a document is made of: the kind of the relation, the name, and the type.
const KNOWN: &[(&str, &str, &str)] = &[
    ("styles", "styles", "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"),
    (
        "numbering",
        "numbering",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml",
    ),
    ("theme", "theme/theme", "application/vnd.openxmlformats-officedocument.theme+xml"),
    ("header", "header", "application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"),
    ("footer", "footer", "application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"),
    (
        "footnotes",
        "footnotes",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml",
    ),
    ("endnotes", "endnotes", "application/vnd.openxmlformats-officedocument.wordprocessingml.endnotes+xml"),
];
const MAIN: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const SETTINGS: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml";

/// What a relation leads to that is not kept.
pub(super) fn lost(relation: &Relation) -> &'static str {
    match relation.kind.as_str() {
        "comments" | "commentsExtended" | "commentsIds" | "commentsExtensible" | "people"
        | "commentAuthors" | "threadedComment" | "person" => "comments",
        "customXml" | "customXmlProps" => "custom XML",
        "hyperlink" => "link targets",
        "oleObject" | "package" | "control" | "activeXControlBinary" => "embedded objects",
        "chart" | "chartUserShapes" | "chartEx" => "charts",
        "diagramData" | "diagramLayout" | "diagramQuickStyle" | "diagramColors" | "diagramDrawing" => {
            "diagrams"
        }
        "glossaryDocument" => "building blocks",
        "attachedTemplate" => "templates",
        "vbaProject" | "wordVbaData" => "macros",
        "font" | "fontTable" => "font tables",
        "settings" | "webSettings" | "printerSettings" => "settings",
        "aFChunk" | "subDocument" => "embedded documents",
        "core-properties" | "extended-properties" | "custom-properties" => "document properties",
        "thumbnail" => "thumbnails",
        "digital-signature/origin" | "origin" => "signatures",
        "slide" => "slides that are not shown",
        "tags" => "tags",
        _ => "unknown parts",
    }
}

/// Reads a document for release.
pub(super) fn read(package: &mut Package<'_>, builder: &mut Builder) -> Result<Vec<Part>, Error> {
    let main = main_part(package, &builder.limits, "docx")?;
    for relation in relations(package, "", &builder.limits)?.values() {
        if relation.kind != "officeDocument" && !relation.target.starts_with("docProps/") {
            builder.removed.add(lost(relation));
        }
    }
    let found = relations(package, &main, &builder.limits)?;
    let mut known: Vec<String> = vec![main.clone()];
    let mut new = NewPackage::new();
    let mut names = Names::default();
    let mut relation_list = NewRelations::default();
    let mut ids = Ids::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut todo: Vec<(String, String, &'static str, &'static str)> = Vec::new();
    for (id, relation) in found.iter() {
        let kind = KNOWN.iter().find(|(kind, ..)| *kind == relation.kind && !relation.external);
        match kind {
            Some((kind, file, content_type)) if package.has(&relation.target) => {
                let count = counts.entry(kind).or_default();
                *count += 1;
                let single = matches!(*kind, "styles" | "numbering" | "footnotes" | "endnotes");
                if single && *count > 1 {
                    builder.removed.add("unknown parts");
                    continue;
                }
                let number = if single { String::new() } else { count.to_string() };
                let name = format!("{file}{number}.xml");
                ids.insert(id.clone(), relation_list.add(name.as_str(), kind));
                todo.push((relation.target.clone(), format!("word/{name}"), kind, content_type));
                known.push(relation.target.clone());
            }
            _ if relation.kind == "image" => {
                // Every picture becomes the blank one.
                new.needs_picture();
                builder.removed.add("images");
                ids.insert(id.clone(), relation_list.add(PICTURE, "image"));
                known.push(relation.target.clone());
            }
            _ => {
                builder.removed.add(lost(relation));
                known.push(relation.target.clone());
            }
        }
    }
    relation_list.add("settings.xml", "settings");
    // Styles come first, because they decide the new names.
    todo.sort_by_key(|(_, _, kind, _)| *kind != "styles");
    let styles = todo.iter().position(|(_, _, kind, _)| *kind == "styles");
    if let Some(at) = styles {
        let (target, name, kind, content_type) = todo.remove(at);
        let mut root = parse(&package.read(&target)?, &builder.limits)?;
        filter(&mut root, &mut PartRules { names: &mut names }, &Ids::new(), builder);
        let pieces = write(&root, builder, kind);
        new.add(&name, content_type, pieces, &NewRelations::default());
    }
    let mut root = parse(&package.read(&main)?, &builder.limits)?;
    if !root.is(Space::W, "document") {
        return Err(Error::damaged("docx", "its main part is no document"));
    }
    fields(&mut root, builder);
    filter(&mut root, &mut PartRules { names: &mut names }, &ids, builder);
    let pieces = write(&root, builder, "document");
    new.add("word/document.xml", MAIN, pieces, &relation_list);
    for (target, name, kind, content_type) in todo {
        let mut own = NewRelations::default();
        let mut own_ids = Ids::new();
        for (id, relation) in relations(package, &target, &builder.limits)?.iter() {
            known.push(relation.target.clone());
            if relation.kind == "image" {
                new.needs_picture();
                builder.removed.add("images");
                let up = if name.starts_with("word/theme/") { "../" } else { "" };
                own_ids.insert(id.clone(), own.add(format!("{up}{PICTURE}"), "image"));
            } else {
                builder.removed.add(lost(relation));
            }
        }
        let mut root = parse(&package.read(&target)?, &builder.limits)?;
        fields(&mut root, builder);
        filter(&mut root, &mut PartRules { names: &mut names }, &own_ids, builder);
        let pieces = write(&root, builder, kind);
        new.add(&name, content_type, pieces, &own);
    }
    let mut settings = crate::pieces::Pieces::default();
    settings.fixed(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:settings xmlns:w=\"{}\">{}<w:compat>\
         <w:compatSetting w:name=\"compatibilityMode\" w:uri=\"http://schemas.microsoft.com/office/word\" w:val=\"15\"/>\
         </w:compat></w:settings>",
        Space::W.address(),
        even_and_odd(package, &found, builder)?,
    ));
    new.add("word/settings.xml", SETTINGS, settings, &NewRelations::default());
    count_unknown(package, &known, builder);
    Ok(new.finish("word/document.xml", "word"))
}

/// Pages may have other headers on even sides. Nothing else of the settings is kept.
fn even_and_odd(
    package: &mut Package<'_>,
    found: &Relations,
    builder: &Builder,
) -> Result<&'static str, Error> {
    let Some(settings) = found.values().find(|relation| relation.kind == "settings") else { return Ok("") };
    if !package.has(&settings.target) {
        return Ok("");
    }
    let root = parse(&package.read(&settings.target)?, &builder.limits)?;
    Ok(match root.child(Space::W, "evenAndOddHeaders") {
        Some(_) => "<w:evenAndOddHeaders/>",
        None => "",
    })
}

/// Counts parts that no relation leads to.
pub(super) fn count_unknown(package: &Package<'_>, known: &[String], builder: &mut Builder) {
    for name in package.names() {
        let named = |what: &str| name.contains(what);
        let is_structure = name == "[Content_Types].xml" || named("_rels/") || known.contains(&name);
        if !is_structure {
            builder.removed.add(match () {
                () if named("thumbnail") => "thumbnails",
                () if named("docProps/") => "document properties",
                () if named("customXml") => "custom XML",
                () if named("embeddings") => "embedded objects",
                () if named("media/") => "images",
                () if named("comments") => "comments",
                () => "unknown parts",
            });
        }
    }
}

fn write(root: &Element, builder: &mut Builder, kind: &str) -> crate::pieces::Pieces {
    let grammar: &dyn crate::xml::write::Grammar = match kind {
        "header" | "footer" => &HeaderGrammar,
        "footnotes" | "endnotes" => &NoteGrammar,
        _ => &Grammar,
    };
    XmlWriter { grammar, builder, pieces: Default::default(), verbatim: false }.file(root)
}

/// What elements of Word, PowerPoint and Excel are in a text.
pub(super) struct Grammar;

impl crate::xml::write::Grammar for Grammar {
    fn role(&self, element: &Element) -> Role {
        match (element.space, element.name()) {
            (Some(Space::W), "p") | (Some(Space::A), "p") | (Some(Space::X), "si" | "is") => {
                Role::Passage(PassageKind::Paragraph)
            }
            (Some(Space::W | Space::A | Space::M | Space::X), "t") => Role::Text,
            (Some(Space::W), "br" | "cr") | (Some(Space::A), "br") => Role::Shows("\n"),
            (Some(Space::W), "tab") => Role::Shows("\t"),
            (Some(Space::W), "noBreakHyphen") => Role::Shows("\u{2011}"),
            _ => Role::Other,
        }
    }

    fn keeps_text(&self, element: &Element) -> bool {
        let text = element.text();
        match (element.space, element.name()) {
            (Some(Space::Wp), "align" | "posOffset") => super::filter::WORDS.is_structural(text.trim()),
            (Some(Space::W), "instrText") => is_page_field(&text),
            _ => false,
        }
    }
}

struct HeaderGrammar;

impl crate::xml::write::Grammar for HeaderGrammar {
    fn role(&self, element: &Element) -> Role {
        match element.space {
            Some(Space::W) if matches!(element.name(), "hdr" | "ftr") => Role::Inside(PassageKind::Header),
            _ => Grammar.role(element),
        }
    }

    fn keeps_text(&self, element: &Element) -> bool {
        Grammar.keeps_text(element)
    }
}

struct NoteGrammar;

impl crate::xml::write::Grammar for NoteGrammar {
    fn role(&self, element: &Element) -> Role {
        match element.space {
            Some(Space::W) if matches!(element.name(), "footnote" | "endnote") => {
                Role::Inside(PassageKind::Note)
            }
            _ => Grammar.role(element),
        }
    }

    fn keeps_text(&self, element: &Element) -> bool {
        Grammar.keeps_text(element)
    }
}

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

struct PartRules<'n> {
    names: &'n mut Names,
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

/// Whether a field shows a number of a page and nothing else.
fn is_page_field(code: &str) -> bool {
    let mut words = code.split_whitespace();
    let is_page = words.next().is_some_and(|word| {
        matches!(word.to_ascii_uppercase().as_str(), "PAGE" | "NUMPAGES" | "SECTIONPAGES")
    });
    is_page
        && words.all(|word| {
            matches!(
                word.to_ascii_lowercase().as_str(),
                "\\*" | "mergeformat" | "arabic" | "roman" | "alphabetic"
            )
        })
}

/// Removes the codes of fields and keeps what they show. Numbers of pages stay fields.
fn fields(root: &mut Element, builder: &mut Builder) {
    // Fields may be nested, and lie across paragraphs: all their signs are found in order first.
    let mut signs = Vec::new();
    collect_signs(root, &mut signs);
    let mut open: Vec<usize> = Vec::new();
    let mut codes: Vec<(String, Vec<usize>)> = Vec::new();
    for (number, sign) in signs.iter().enumerate() {
        match sign {
            Sign::Begin => {
                open.push(codes.len());
                codes.push((String::new(), vec![number]));
            }
            Sign::Code(text) => {
                if let Some(field) = open.last().and_then(|field| codes.get_mut(*field)) {
                    field.0.push_str(text);
                    field.1.push(number);
                }
            }
            Sign::Separate => {
                if let Some(field) = open.last().and_then(|field| codes.get_mut(*field)) {
                    field.1.push(number);
                }
            }
            Sign::End => {
                if let Some(field) = open.pop().and_then(|field| codes.get_mut(field)) {
                    field.1.push(number);
                }
            }
        }
    }
    let mut kept = vec![false; signs.len()];
    for (code, numbers) in &codes {
        match is_page_field(code) {
            true => numbers.iter().for_each(|number| kept[*number] = true),
            false => builder.removed.add("field codes"),
        }
    }
    remove_signs(root, &mut kept.into_iter());
}

enum Sign {
    Begin,
    Code(String),
    Separate,
    End,
}

fn is_sign(element: &Element) -> bool {
    element.is(Space::W, "fldChar") || element.is(Space::W, "instrText")
}

fn collect_signs(element: &Element, signs: &mut Vec<Sign>) {
    for child in element.elements() {
        if child.is(Space::W, "instrText") {
            signs.push(Sign::Code(child.text()));
        } else if child.is(Space::W, "fldChar") {
            signs.push(match child.get(Space::W, "fldCharType") {
                Some("begin") => Sign::Begin,
                Some("end") => Sign::End,
                _ => Sign::Separate,
            });
        } else {
            collect_signs(child, signs);
        }
    }
}

fn remove_signs(element: &mut Element, kept: &mut impl Iterator<Item = bool>) {
    element.children.retain_mut(|child| match child {
        Node::Element(child) if is_sign(child) => kept.next().unwrap_or(false),
        Node::Element(child) => {
            remove_signs(child, kept);
            true
        }
        Node::Text(_) => true,
    });
}
