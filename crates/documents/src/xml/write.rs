//! Writes elements as pieces.

use std::collections::BTreeSet;

use super::element::{Element, Node};
use super::names::Space;
use crate::builder::Builder;
use crate::passage::PassageKind;
use crate::pieces::{Escape, Pieces};

/// What an element is in the text of a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It holds a passage.
    Passage(PassageKind),
    /// Its text is a run.
    Text,
    /// It shows text that cannot be changed.
    Shows(&'static str),
    /// Its texts are runs, between other elements (OpenDocument).
    Mixed,
    /// It changes the kind of the passages in it.
    Inside(PassageKind),
    /// Nothing of this.
    Other,
}

/// Says what elements are.
pub(crate) trait Grammar {
    /// Returns what an element is.
    fn role(&self, element: &Element) -> Role;
    /// Whether text may stay in an element without being a run, for example a number.
    fn keeps_text(&self, element: &Element) -> bool;
}

/// How elements are written.
pub(crate) struct XmlWriter<'a> {
    pub(crate) grammar: &'a dyn Grammar,
    pub(crate) builder: &'a mut Builder,
    pub(crate) pieces: Pieces,
    /// Whether names and declarations are written as they were read.
    pub(crate) verbatim: bool,
}

impl XmlWriter<'_> {
    /// Writes a file.
    pub(crate) fn file(mut self, root: &Element) -> Pieces {
        self.pieces.fixed("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
        let mut spaces = BTreeSet::new();
        if !self.verbatim {
            collect(root, &mut spaces);
        }
        self.element(root, &spaces, PassageKind::Paragraph);
        self.pieces
    }

    fn element(&mut self, element: &Element, declared: &BTreeSet<Space>, kind: PassageKind) {
        let name = self.name(&element.raw, element.space);
        self.pieces.fixed("<");
        self.pieces.fixed(&name);
        for space in declared {
            let (prefix, address) = (space.prefix(), space.address());
            self.pieces.fixed(format!(" xmlns:{prefix}=\"{address}\""));
        }
        for attribute in &element.attributes {
            if attribute.space == Some(Space::Xmlns) && !self.verbatim {
                continue;
            }
            let mut value = Vec::new();
            Escape::Attribute.write(&attribute.value, &mut value);
            let name = match attribute.space {
                Some(Space::None | Space::Xmlns) => attribute.raw.to_string(),
                space => self.name(&attribute.raw, space),
            };
            self.pieces.fixed(format!(" {name}=\""));
            self.pieces.fixed(value);
            self.pieces.fixed("\"");
        }
        let role = self.grammar.role(element);
        if let Role::Shows(text) = role {
            self.builder.fixed(text);
        }
        if element.children.is_empty() {
            self.pieces.fixed("/>");
            return;
        }
        self.pieces.fixed(">");
        let (inner, begins) = match role {
            Role::Passage(inside) => (if kind == PassageKind::Paragraph { inside } else { kind }, true),
            Role::Inside(inside) => (inside, false),
            _ => (kind, false),
        };
        if begins {
            self.builder.begin(inner);
        }
        let mixed = role == Role::Mixed || (begins && self.is_mixed(element));
        let none = BTreeSet::new();
        for child in &element.children {
            match child {
                Node::Element(child) => self.element(child, &none, inner),
                Node::Text(text) => self.text(element, text, role, mixed, inner),
            }
        }
        if begins {
            self.builder.end();
        }
        self.pieces.fixed(format!("</{name}>"));
    }

    /// Whether the text of a passage stands beside its elements, and not in elements of its own.
    fn is_mixed(&self, element: &Element) -> bool {
        element.space == Some(Space::Text)
    }

    fn text(&mut self, parent: &Element, text: &str, role: Role, mixed: bool, kind: PassageKind) {
        let is_run = !text.is_empty() && (role == Role::Text || mixed);
        if is_run {
            let run = self.builder.run(text, kind);
            self.pieces.run(run, Escape::Xml);
        } else if self.verbatim || self.grammar.keeps_text(parent) {
            let mut bytes = Vec::new();
            Escape::Xml.write(text, &mut bytes);
            self.pieces.fixed(bytes);
        }
    }

    fn name(&self, raw: &str, space: Option<Space>) -> String {
        match (self.verbatim, space) {
            (false, Some(space)) => {
                let local = raw.split_once(':').map_or(raw, |(_, local)| local);
                format!("{}:{local}", space.prefix())
            }
            _ => raw.to_owned(),
        }
    }
}

/// The namespaces that elements and attributes use.
fn collect(element: &Element, spaces: &mut BTreeSet<Space>) {
    let declared = |space: &Space| !matches!(space, Space::None | Space::Xml | Space::Xmlns);
    spaces.extend(element.space.filter(declared));
    spaces.extend(element.attributes.iter().filter_map(|attribute| attribute.space).filter(declared));
    element.elements().for_each(|child| collect(child, spaces));
}
