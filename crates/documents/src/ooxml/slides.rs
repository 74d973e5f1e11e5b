//! PowerPoint presentations.

use std::collections::BTreeMap;

use super::filter::{Fate, Ids, Rules, filter};
use super::relations::{Relation, Relations, main_part, relations};
use super::word::{self, count_unknown, lost};
use super::writer::{NewPackage, NewRelations, PICTURE};
use crate::builder::Builder;
use crate::error::Error;
use crate::package::{Package, Part};
use crate::xml::write::XmlWriter;
use crate::xml::{Attribute, Element, Space, parse};

/// Parts that a presentation is made of: the kind of the relation, the name, and the type.
const KNOWN: &[(&str, &str, &str)] = &[
    ("slide", "slides/slide", "application/vnd.openxmlformats-officedocument.presentationml.slide+xml"),
    (
        "slideLayout",
        "slideLayouts/slideLayout",
        "application/vnd.openxmlformats-officedocument.presentationml.slideLayout+xml",
    ),
    (
        "slideMaster",
        "slideMasters/slideMaster",
        "application/vnd.openxmlformats-officedocument.presentationml.slideMaster+xml",
    ),
    (
        "notesSlide",
        "notesSlides/notesSlide",
        "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml",
    ),
    (
        "notesMaster",
        "notesMasters/notesMaster",
        "application/vnd.openxmlformats-officedocument.presentationml.notesMaster+xml",
    ),
    ("theme", "theme/theme", "application/vnd.openxmlformats-officedocument.theme+xml"),
];
const MAIN: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml";

/// A part that is kept.
struct Kept {
    old: String,
    new: String,
    content_type: &'static str,
    relations: Relations,
}

/// Reads a presentation for release.
pub(super) fn read(package: &mut Package<'_>, builder: &mut Builder) -> Result<Vec<Part>, Error> {
    let main = main_part(package, &builder.limits, "pptx")?;
    for relation in relations(package, "", &builder.limits)?.values() {
        if relation.kind != "officeDocument" && !relation.target.starts_with("docProps/") {
            builder.removed.add(lost(relation));
        }
    }
    let presentation = parse(&package.read(&main)?, &builder.limits)?;
    let first = Kept {
        relations: relations(package, &main, &builder.limits)?,
        old: main,
        new: "ppt/presentation.xml".to_owned(),
        content_type: MAIN,
    };
    let mut kept = vec![first];
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut at = 0;
    while at < kept.len() {
        let mut found: Vec<Relation> = kept[at].relations.values().cloned().collect();
        // Slides come in the order of the presentation. What it does not list is never shown.
        found.retain(|relation| relation.kind != "slide");
        if at == 0 {
            found.splice(0..0, slides(&presentation, &kept[0].relations));
        }
        for relation in found {
            let known = KNOWN.iter().find(|(kind, ..)| *kind == relation.kind && !relation.external);
            let Some((kind, file, content_type)) = known else { continue };
            if kept.iter().any(|part| part.old == relation.target) || !package.has(&relation.target) {
                continue;
            }
            let count = counts.entry(kind).or_default();
            *count += 1;
            let new = format!("ppt/{file}{count}.xml");
            let relations = relations(package, &relation.target, &builder.limits)?;
            kept.push(Kept { old: relation.target, new, content_type, relations });
        }
        at += 1;
    }
    // Slides are read first, then their notes, then what all slides share.
    kept[1..].sort_by_key(|part| {
        let number: usize =
            part.new.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
        (!part.new.contains("slides/slide"), !part.new.contains("notesSlides/"), number)
    });
    let mut new = NewPackage::new();
    for part in &kept {
        let (mut own, mut ids) = (NewRelations::default(), Ids::new());
        for (id, relation) in part.relations.iter() {
            match kept.iter().find(|part| part.old == relation.target && !relation.external) {
                Some(target) => {
                    let kind = KNOWN
                        .iter()
                        .find(|(kind, ..)| *kind == relation.kind)
                        .map_or("slide", |(kind, ..)| kind);
                    ids.insert(id.clone(), own.add(format!("/{}", target.new), kind));
                }
                None if relation.kind == "image" => {
                    new.needs_picture();
                    builder.removed.add("images");
                    ids.insert(id.clone(), own.add(format!("/ppt/{PICTURE}"), "image"));
                }
                None => builder.removed.add(lost(relation)),
            }
        }
        let mut root = parse(&package.read(&part.old)?, &builder.limits)?;
        filter(&mut root, &mut SlideRules, &ids, builder);
        let writer = XmlWriter {
            grammar: &word::Grammar,
            builder: &mut *builder,
            pieces: Default::default(),
            verbatim: false,
        };
        new.add(&part.new, part.content_type, writer.file(&root), &own);
    }
    let known: Vec<String> = kept
        .iter()
        .flat_map(|part| part.relations.values().map(|relation| relation.target.clone()))
        .chain(kept.iter().map(|part| part.old.clone()))
        .collect();
    count_unknown(package, &known, builder);
    Ok(new.finish("ppt/presentation.xml", "ppt"))
}

/// The slides that a presentation shows, in its order.
fn slides<'r>(presentation: &'r Element, relations: &'r Relations) -> impl Iterator<Item = Relation> + 'r {
    let listed = presentation.child(Space::P, "sldIdLst").into_iter().flat_map(Element::elements);
    let targets = listed.filter_map(|slide| relations.get(slide.get(Space::R, "id")?));
    targets.filter(|relation| relation.kind == "slide").cloned()
}

struct SlideRules;

impl Rules for SlideRules {
    fn fate(&self, element: &Element) -> Fate {
        let name = element.name();
        match (element.space, name) {
            (_, "extLst") => Fate::Remove(""),
            (Some(Space::A), "hlinkClick" | "hlinkHover" | "hlinkMouseOver") => Fate::Remove("link targets"),
            (Some(Space::A), "font") => Fate::Remove(""),
            (Some(Space::A), "videoFile" | "audioFile" | "audioCd" | "wavAudioFile" | "quickTimeFile") => {
                Fate::Remove("media")
            }
            (Some(Space::P), "timing") => Fate::Remove("animations"),
            (Some(Space::P), "transition") => Fate::Remove("transitions"),
            (Some(Space::P), "custDataLst" | "controls" | "oleObj" | "contentPart") => {
                Fate::Remove("embedded objects")
            }
            (
                Some(Space::P),
                "modifyVerifier" | "custShowLst" | "photoAlbum" | "smartTags" | "embeddedFontLst" | "kinsoku"
                | "handoutMasterIdLst",
            ) => Fate::Remove("settings"),
            (Some(Space::P), "graphicFrame") if is_foreign(element) => Fate::Remove("charts"),
            (Some(Space::Mc), "AlternateContent") => Fate::Remove("embedded objects"),
            (Some(Space::P | Space::A), _) => Fate::Keep,
            _ => Fate::Remove("unknown elements"),
        }
    }

    fn renamed(&mut self, element: &Element, attribute: &Attribute) -> Option<String> {
        let value = attribute.value.as_str();
        match (element.name(), attribute.name()) {
            // A field must have an id.
            ("fld", "id") => Some("{00000000-0000-0000-0000-000000000001}".to_owned()),
            ("fld", "type") => {
                Some(match value == "slidenum" || value.starts_with("datetime") && value.len() <= 10 {
                    true => value.to_owned(),
                    false => "slidenum".to_owned(),
                })
            }
            ("tableStyleId", _) => Some(String::new()),
            ("buChar", "char") => {
                let one = value.chars().count() == 1 && !value.chars().any(char::is_alphanumeric);
                Some(if one { value.to_owned() } else { "•".to_owned() })
            }
            _ => None,
        }
    }
}

/// Whether a frame holds something that is not a table.
fn is_foreign(frame: &Element) -> bool {
    frame.any(&|element| element.is(Space::A, "graphicData") && element.child(Space::A, "tbl").is_none())
}
