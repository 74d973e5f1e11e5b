//! Elements, attributes and texts.

use super::names::Space;

/// An element.
pub(crate) struct Element {
    /// The name as written, with its prefix.
    pub(crate) raw: Box<str>,
    /// The prefix that its namespace has in this program; none if the namespace is not known.
    pub(crate) space: Option<Space>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<Node>,
}

/// An attribute.
pub(crate) struct Attribute {
    /// The name as written, with its prefix.
    pub(crate) raw: Box<str>,
    /// As of an element. An attribute without a prefix belongs to [`Space::None`].
    pub(crate) space: Option<Space>,
    pub(crate) value: String,
}

/// What an element holds.
pub(crate) enum Node {
    Element(Element),
    Text(String),
}

/// The part of a name behind its prefix.
fn local(raw: &str) -> &str {
    raw.split_once(':').map_or(raw, |(_, local)| local)
}

impl Element {
    pub(crate) fn name(&self) -> &str {
        local(&self.raw)
    }

    pub(crate) fn is(&self, space: Space, name: &str) -> bool {
        self.space == Some(space) && self.name() == name
    }

    /// Returns the value of an attribute.
    pub(crate) fn get(&self, space: Space, name: &str) -> Option<&str> {
        let is = |attribute: &&Attribute| attribute.space == Some(space) && attribute.name() == name;
        self.attributes.iter().find(is).map(|attribute| attribute.value.as_str())
    }

    /// Sets an attribute.
    pub(crate) fn set(&mut self, space: Space, name: &str, value: &str) {
        self.attributes.retain(|attribute| !(attribute.space == Some(space) && attribute.name() == name));
        self.attributes.push(Attribute { raw: name.into(), space: Some(space), value: value.to_owned() });
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// Returns the first child of this name.
    pub(crate) fn child(&self, space: Space, name: &str) -> Option<&Element> {
        self.elements().find(|element| element.is(space, name))
    }

    /// Returns whether it or something in it fulfils a condition.
    pub(crate) fn any(&self, is: &dyn Fn(&Element) -> bool) -> bool {
        is(self) || self.elements().any(|element| element.any(is))
    }

    /// Returns all text in it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.collect_text(&mut text);
        text
    }

    fn collect_text(&self, into: &mut String) {
        for child in &self.children {
            match child {
                Node::Element(element) => element.collect_text(into),
                Node::Text(text) => into.push_str(text),
            }
        }
    }
}

impl Attribute {
    pub(crate) fn name(&self) -> &str {
        local(&self.raw)
    }
}
