//! Reads XML. There are no entities but the five of XML, so nothing can grow.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::element::{Attribute, Element, Node};
use super::names::Space;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;

const FORMAT: &str = "XML";

fn damaged(what: &'static str) -> Error {
    Error::damaged(FORMAT, what)
}

/// Reads a file.
pub(crate) fn parse(bytes: &[u8], limits: &Limits) -> Result<Element, Error> {
    let text = decode(bytes)?;
    let mut reader = NsReader::from_str(&text);
    let mut open: Vec<Element> = Vec::new();
    let mut root: Option<Element> = None;
    let mut nodes = 0_usize;
    loop {
        let event = reader.read_event().map_err(|_| damaged("it is not well formed"))?;
        nodes += 1;
        if nodes > limits.nodes {
            return Err(Error::too_large("the number of elements", limits.nodes as u64));
        }
        match event {
            Event::Start(start) => {
                if open.len() >= limits.depth {
                    return Err(ErrorKind::TooDeep { limit: limits.depth }.into());
                }
                let element = element(&reader, &start, &mut nodes)?;
                if open.is_empty() && root.is_some() {
                    return Err(damaged("it has two roots"));
                }
                open.push(element);
            }
            Event::Empty(start) => {
                let element = element(&reader, &start, &mut nodes)?;
                close(element, &mut open, &mut root)?;
            }
            Event::End(_) => {
                let element = open.pop().ok_or_else(|| damaged("an element ends that did not begin"))?;
                close(element, &mut open, &mut root)?;
            }
            Event::Text(text) => add_text(&text.xml10_content(), &mut open),
            Event::CData(text) => add_text(&text.xml10_content(), &mut open),
            Event::GeneralRef(reference) => {
                let resolved = reference.resolve_char_ref().map_err(|_| damaged("a reference is wrong"))?;
                match resolved {
                    Some(c) => add_text(c.encode_utf8(&mut [0; 4]), &mut open),
                    None => {
                        let text = match &*reference {
                            "amp" => "&",
                            "lt" => "<",
                            "gt" => ">",
                            "quot" => "\"",
                            "apos" => "'",
                            _ => return Err(damaged("it uses an entity that XML does not have")),
                        };
                        add_text(text, &mut open);
                    }
                }
            }
            // Files of old offices name a document type. What it names elsewhere is never read.
            Event::DocType(kind) if kind.contains('[') => {
                return Err(damaged("it has a document type that defines entities"));
            }
            Event::DocType(_) | Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    match root {
        Some(root) if open.is_empty() => Ok(root),
        _ => Err(damaged("it ends too early")),
    }
}

/// The file as UTF-8. A byte order mark decides; without one it is UTF-8.
fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    let (encoding, skip) = encoding_rs::Encoding::for_bom(bytes).unwrap_or((encoding_rs::UTF_8, 0));
    encoding
        .decode_without_bom_handling_and_without_replacement(&bytes[skip..])
        .ok_or_else(|| damaged("it is not UTF-8 or UTF-16"))
}

fn element(reader: &NsReader<&[u8]>, start: &BytesStart<'_>, nodes: &mut usize) -> Result<Element, Error> {
    let resolver = reader.resolver();
    let known = |resolved: ResolveResult<'_>, unbound| match resolved {
        ResolveResult::Bound(space) => Space::of(space.into_inner()),
        ResolveResult::Unbound => unbound,
        ResolveResult::Unknown(_) => None,
    };
    let (resolved, _) = resolver.resolve_element(start.name());
    let mut element = Element {
        raw: start.name().into_inner().into(),
        space: known(resolved, None),
        attributes: Vec::new(),
        children: Vec::new(),
    };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|_| damaged("an attribute is wrong"))?;
        *nodes += 1;
        let value = attribute
            .normalized_value(XmlVersion::Explicit1_0)
            .map_err(|_| damaged("an attribute uses an entity that XML does not have"))?;
        let raw = attribute.key.into_inner();
        let space = match raw == "xmlns" || raw.starts_with("xmlns:") {
            true => Some(Space::Xmlns),
            false => known(resolver.resolve_attribute(attribute.key).0, Some(Space::None)),
        };
        element.attributes.push(Attribute { raw: raw.into(), space, value: value.into_owned() });
    }
    Ok(element)
}

fn close(element: Element, open: &mut [Element], root: &mut Option<Element>) -> Result<(), Error> {
    match open.last_mut() {
        Some(parent) => parent.children.push(Node::Element(element)),
        None if root.is_none() => *root = Some(element),
        None => return Err(damaged("it has two roots")),
    }
    Ok(())
}

fn add_text(text: &str, open: &mut [Element]) {
    let Some(parent) = open.last_mut() else { return };
    match parent.children.last_mut() {
        Some(Node::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => parent.children.push(Node::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Element, Error> {
        parse(text.as_bytes(), &Limits { depth: 50, nodes: 1000, ..Limits::default() })
    }

    #[test]
    fn bombs_and_damage_are_refused() {
        let deep = format!("{}{}", "<a>".repeat(51), "</a>".repeat(51));
        assert_eq!(
            read(&deep).err().map(|error| error.kind().clone()),
            Some(ErrorKind::TooDeep { limit: 50 })
        );
        let many = format!("<a>{}</a>", "<b/>".repeat(1000));
        assert!(matches!(read(&many).err().unwrap().kind(), ErrorKind::TooLarge { .. }));
        for bad in [
            "<!DOCTYPE a [<!ENTITY b \"x\">]><a>&b;</a>",
            "<!DOCTYPE a SYSTEM 'x'[<!ENTITY b SYSTEM \"file:///x\">]><a/>",
            "<!DOCTYPE a PUBLIC 'x' 'x.dtd'><a>&b;</a>",
            "<a>&b;</a>",
            "<a b='&c;'/>",
            "<a>",
            "",
            "<a></b>",
            "<a/><b/>",
            "<a b='1' b='2'/>",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn texts_are_joined_and_unescaped() {
        let root = read("<a b='x&amp;y'>1 &lt; 2<![CDATA[ & ]]>&#65;<!-- no --></a>").unwrap();
        assert_eq!(root.text(), "1 < 2 & A");
        assert_eq!(root.get(Space::None, "b"), Some("x&y"));
        let old = read("<!DOCTYPE office:document PUBLIC '-//x' 'office.dtd'><a>1</a>").unwrap();
        assert_eq!(old.text(), "1");
        let marked: Vec<u8> = "\u{feff}<a>é</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(parse(&marked, &Limits::default()).unwrap().text(), "é");
    }
}
