//! Codes of fields, which may hold addresses and names of files.

use crate::builder::Builder;
use crate::xml::{Element, Node, Space};

/// Whether a field shows a number of a page and nothing else.
pub(super) fn is_page_field(code: &str) -> bool {
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
pub(super) fn fields(root: &mut Element, builder: &mut Builder) {
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
