//! Removes everything from a part that is not known to be harmless.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::builder::Builder;
use crate::xml::values::{Vocabulary, is_font};
use crate::xml::{Attribute, Element, Node, Space};

/// The words of Office Open XML.
pub(super) static WORDS: LazyLock<Vocabulary> = LazyLock::new(|| {
    let names = include_str!("../vocabulary/ooxml-names.txt");
    let values = include_str!("../vocabulary/ooxml-values.txt");
    // Shapes in Word, and alternatives for older programs, are in other standards.
    let more = [
        "wsp",
        "cNvSpPr",
        "cNvCnPr",
        "cNvPr",
        "txbx",
        "bodyPr",
        "wgp",
        "grpSp",
        "grpSpPr",
        "cNvGrpSpPr",
        "cNvFrPr",
        "AlternateContent",
        "Choice",
        "Requires",
        "space",
    ];
    Vocabulary::new(names, values, &more)
});

/// The treatment of an element.
pub(super) enum Fate {
    /// It stays.
    Keep,
    /// It goes, with everything in it.
    Remove(&'static str),
    /// It goes, and what is in it stays.
    Unwrap(&'static str),
}

/// The rules of one kind of part.
pub(super) trait Rules {
    /// The treatment of an element.
    fn fate(&self, element: &Element) -> Fate;
    /// The new value of an attribute that names something, such as a style. None if it does not name anything; an empty
    /// value removes the attribute.
    fn renamed(&mut self, element: &Element, attribute: &Attribute) -> Option<String>;
}

/// The ids of relations, and their new ids.
pub(super) type Ids = BTreeMap<String, String>;

/// Attributes that hold texts.
const FREE: &[&str] = &[
    "descr",
    "title",
    "alias",
    "tag",
    "tooltip",
    "author",
    "initials",
    "date",
    "string",
    "algIdExt",
    "hash",
    "salt",
    "hashValue",
    "saltValue",
    "uri",
    "dataBinding",
    "xpath",
    "storeItemID",
    "fullDate",
    "placeholder",
    "user",
    "userName",
    "cryptProviderTypeExt",
    "caption",
    "prompt",
    "promptTitle",
    "error",
    "errorTitle",
    "display",
    "location",
    "invalidUrl",
    "tgtFrame",
    "action",
    "macro",
    "textlink",
    "codeName",
    "comment",
    "category",
    "description",
    "customMenu",
    "help",
    "statusBar",
    "shortcutKey",
    "functionGroupId",
    "r1",
    "r2",
];
/// Elements that mean nothing without the part they lead to.
const NEEDS: &[&str] = &[
    "sldId",
    "sldMasterId",
    "sldLayoutId",
    "notesMasterId",
    "handoutMasterId",
    "headerReference",
    "footerReference",
    "oleObj",
    "control",
    "tags",
    "snd",
    "contentPart",
    "drawing",
    "legacyDrawing",
    "tablePart",
];
/// Attributes with the name of a font.
const FONTS: &[&str] = &["ascii", "hAnsi", "cs", "eastAsia", "typeface", "font"];

/// Filters an element that stays.
pub(super) fn filter(element: &mut Element, rules: &mut dyn Rules, ids: &Ids, builder: &mut Builder) {
    let mut attributes = std::mem::take(&mut element.attributes);
    attributes.retain_mut(|attribute| keeps(element, attribute, rules, ids, builder));
    element.attributes = attributes;
    // A replacement may begin or end with a space.
    if element.is(Space::W, "t") {
        element.set(Space::Xml, "space", "preserve");
    }
    let children = std::mem::take(&mut element.children);
    for child in children {
        add(child, element, rules, ids, builder);
    }
}

fn add(child: Node, parent: &mut Element, rules: &mut dyn Rules, ids: &Ids, builder: &mut Builder) {
    let mut child = match child {
        Node::Element(child) => child,
        text => return parent.children.push(text),
    };
    let is_lost = |attribute: &Attribute| {
        attribute.space == Some(Space::R) && attribute.name() == "id" && !ids.contains_key(&attribute.value)
    };
    let fate = match child.space {
        None => Fate::Remove("unknown elements"),
        // What the element leads to is removed, and this was counted.
        Some(_) if NEEDS.contains(&child.name()) && child.attributes.iter().any(is_lost) => Fate::Remove(""),
        Some(_) if !WORDS.has_name(child.name()) => Fate::Remove("unknown elements"),
        Some(_) => rules.fate(&child),
    };
    match fate {
        Fate::Keep => {
            filter(&mut child, rules, ids, builder);
            parent.children.push(Node::Element(child));
        }
        Fate::Remove(what) => {
            if !what.is_empty() {
                builder.removed.add(what);
            }
        }
        Fate::Unwrap(what) => {
            if !what.is_empty() {
                builder.removed.add(what);
            }
            for child in child.children {
                if matches!(child, Node::Element(_)) {
                    add(child, parent, rules, ids, builder);
                }
            }
        }
    }
}

fn keeps(
    element: &Element,
    attribute: &mut Attribute,
    rules: &mut dyn Rules,
    ids: &Ids,
    builder: &mut Builder,
) -> bool {
    let name = attribute.name();
    match attribute.space {
        Some(Space::Xmlns) => return true,
        // Attributes of other namespaces are ids and hints of programs.
        None => return false,
        Some(Space::R) => {
            return match ids.get(&attribute.value) {
                Some(id) => {
                    attribute.value.clone_from(id);
                    true
                }
                None => false,
            };
        }
        Some(Space::Xml) => return attribute.value == "preserve",
        Some(_) => {}
    }
    if name.starts_with("rsid") {
        builder.removed.add("revision marks");
        return false;
    }
    if let Some(new) = rules.renamed(element, attribute) {
        attribute.value = new;
        return !attribute.value.is_empty();
    }
    if !WORDS.has_name(name) {
        builder.removed.add("unknown attributes");
        return false;
    }
    if FREE.contains(&name) && !(name == "uri" && crate::xml::names::is_address(&attribute.value)) {
        if !attribute.value.is_empty() {
            builder.removed.add(match name {
                "descr" | "title" => "alternative texts",
                _ => "texts in attributes",
            });
        }
        return false;
    }
    if FONTS.contains(&name) && (is_font(&attribute.value) || WORDS.is_structural(&attribute.value)) {
        return true;
    }
    if FONTS.contains(&name) {
        builder.removed.add("unusual fonts");
        return false;
    }
    // Shapes must have a name.
    if name == "name" && attribute.space == Some(Space::None) {
        if matches!(element.name(), "docPr" | "cNvPr") {
            attribute.value = "shape".to_owned();
            return true;
        }
        if WORDS.is_structural(&attribute.value) {
            return true;
        }
        builder.removed.add("names of elements");
        return false;
    }
    if name == "Requires" {
        return matches!(attribute.value.as_str(), "wps" | "wpg");
    }
    match WORDS.is_structural(&attribute.value) {
        true => true,
        false => {
            builder.removed.add("texts in attributes");
            false
        }
    }
}
