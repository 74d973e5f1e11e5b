//! Word documents.

mod fields;
mod rules;

use std::collections::BTreeMap;

use self::fields::{fields, is_page_field};
use self::rules::{Names, PartRules};
use super::filter::{Ids, filter};
use super::relations::{Relation, Relations, main_part, relations};
use super::writer::{NewPackage, NewRelations, PICTURE};
use crate::builder::Builder;
use crate::error::Error;
use crate::package::{Package, Part};
use crate::passage::PassageKind;
use crate::xml::write::{Role, XmlWriter};
use crate::xml::{Element, Space, parse};

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
