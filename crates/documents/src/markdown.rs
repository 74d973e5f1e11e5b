//! Markdown. Everything stays where it is; text is read, and what is not shown is removed.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::builder::Builder;
use crate::document::Body;
use crate::error::{Error, ErrorKind};
use crate::passage::PassageKind;
use crate::pieces::{Escape, Pieces};
use crate::text_bytes::decode;

/// Reads a text in Markdown.
pub(crate) fn read(bytes: &[u8], builder: &mut Builder) -> Result<Body, Error> {
    let text = decode(bytes, None)?;
    let mut pieces = Pieces::default();
    write(&text, builder, &mut pieces)?;
    Ok(Body::File(pieces.list))
}

/// What happens to bytes of the source.
enum Found {
    /// They are a run with this text, and a changed text is written like this.
    Run(String, Escape),
    /// They show a line break.
    Break,
    /// They begin or end a passage.
    Begin(PassageKind),
    End,
    /// They are removed.
    Gone(&'static str, String),
}

fn write(text: &str, builder: &mut Builder, pieces: &mut Pieces) -> Result<(), Error> {
    let mut found: Vec<(Range<usize>, Found)> = Vec::new();
    let (mut depth, mut events) = (0_usize, 0_usize);
    let releases = builder.releases();
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let parser = Parser::new_ext(text, options);
    // Definitions of links are no events.
    if releases {
        for (_, definition) in parser.reference_definitions().iter() {
            found.push((definition.span.clone(), Found::Gone("link targets", String::new())));
        }
    }
    let mut inside_gone = 0_usize;
    let mut is_code = false;
    let mut links: Vec<Link> = Vec::new();
    let mut footnotes: Vec<String> = Vec::new();
    for (event, range) in parser.into_offset_iter() {
        events += 1;
        if events > builder.limits.nodes {
            return Err(Error::too_large("the number of elements", builder.limits.nodes as u64));
        }
        if !matches!(event, Event::End(TagEnd::Link | TagEnd::Image))
            && let Some(link) = links.last_mut()
        {
            link.hold(&range);
        }
        match event {
            Event::Start(tag) => {
                depth += 1;
                if depth > builder.limits.depth {
                    return Err(ErrorKind::TooDeep { limit: builder.limits.depth }.into());
                }
                match tag {
                    Tag::FootnoteDefinition(label) => {
                        found.push((range.start..range.start, Found::Begin(PassageKind::Note)));
                        if releases {
                            let end = range.start + label.len() + 4;
                            let new = format!("[^{}]:", number(&mut footnotes, &label));
                            found.push((range.start..end.min(range.end), Found::Gone("", new)));
                        }
                    }
                    Tag::Paragraph | Tag::Heading { .. } | Tag::Item => {
                        found.push((range.start..range.start, Found::Begin(PassageKind::Paragraph)));
                    }
                    Tag::TableCell => found.push((range.start..range.start, Found::Begin(PassageKind::Cell))),
                    Tag::CodeBlock(_) => {
                        is_code = true;
                        found.push((range.start..range.start, Found::Begin(PassageKind::Paragraph)));
                    }
                    Tag::MetadataBlock(_) if releases => {
                        inside_gone += 1;
                        found.push((range.clone(), Found::Gone("metadata", String::new())));
                    }
                    Tag::HtmlBlock if releases => {
                        inside_gone += 1;
                        found.push((range.clone(), Found::Gone("HTML blocks", "\n".to_owned())));
                    }
                    Tag::Link { .. } | Tag::Image { .. } if releases => {
                        links.push(Link { first: found.len(), inner: None });
                    }
                    _ => {}
                }
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                is_code &= tag != TagEnd::CodeBlock;
                match tag {
                    TagEnd::Paragraph
                    | TagEnd::Heading(_)
                    | TagEnd::Item
                    | TagEnd::FootnoteDefinition
                    | TagEnd::TableCell
                    | TagEnd::CodeBlock => found.push((range.end..range.end, Found::End)),
                    TagEnd::MetadataBlock(_) | TagEnd::HtmlBlock if releases => {
                        inside_gone = inside_gone.saturating_sub(1);
                    }
                    TagEnd::Link | TagEnd::Image if releases => {
                        if let Some(link) = links.pop() {
                            link.remove(range, text, &mut found);
                        }
                    }
                    _ => {}
                }
            }
            _ if inside_gone > 0 => {}
            // Code has no escapes.
            Event::Text(content) => {
                let escape = if is_code { Escape::None } else { Escape::Markdown };
                found.push((range, Found::Run(content.into_string(), escape)));
            }
            Event::Code(content) => {
                // The text stands between its quotes.
                let source = &text[range.clone()];
                let at = source.find(&*content).map(|at| range.start + at);
                let (range, escape) = match at {
                    Some(at) => (at..at + content.len(), Escape::None),
                    None => (range, Escape::Markdown),
                };
                found.push((range, Found::Run(content.into_string(), escape)));
            }
            Event::SoftBreak | Event::HardBreak => found.push((range, Found::Break)),
            Event::Html(_) | Event::InlineHtml(_) if releases => {
                found.push((range, Found::Gone("HTML", String::new())));
            }
            Event::FootnoteReference(label) if releases => {
                let new = format!("[^{}]", number(&mut footnotes, &label));
                found.push((range, Found::Gone("", new)));
            }
            _ => {}
        }
    }
    emit(text, found, builder, pieces);
    Ok(())
}

/// The number of a footnote by its label, from 1.
fn number(known: &mut Vec<String>, label: &str) -> usize {
    let at = known.iter().position(|known| known == label).unwrap_or_else(|| {
        known.push(label.to_owned());
        known.len() - 1
    });
    at + 1
}

/// A link or an image that is open.
struct Link {
    /// How much was found before it.
    first: usize,
    /// The bytes of its text, with the signs of code and emphasis in it.
    inner: Option<Range<usize>>,
}

impl Link {
    /// Notes that something is in it.
    fn hold(&mut self, range: &Range<usize>) {
        let inner = self.inner.get_or_insert_with(|| range.clone());
        *inner = inner.start.min(range.start)..inner.end.max(range.end);
    }

    /// Removes its target and keeps its text.
    fn remove(self, range: Range<usize>, text: &str, found: &mut Vec<(Range<usize>, Found)>) {
        let source = text.get(range.clone()).unwrap_or_default();
        // An address in angle brackets is its own text.
        if !(source.starts_with('[') || source.starts_with('!')) {
            return;
        }
        let inner = self.inner.unwrap_or(range.start..range.start);
        let (start, end) =
            (inner.start.clamp(range.start, range.end), inner.end.clamp(range.start, range.end));
        // The parser does not count the brackets of `[label][]` as a part of the link.
        let is_collapsed = text.get(range.end..).is_some_and(|rest| rest.starts_with("[]"));
        let behind = if is_collapsed { range.end + 2 } else { range.end };
        found.insert(self.first, (range.start..start, Found::Gone("link targets", String::new())));
        found.push((end..behind, Found::Gone("", String::new())));
    }
}

/// Writes everything in the order of the source.
fn emit(text: &str, mut found: Vec<(Range<usize>, Found)>, builder: &mut Builder, pieces: &mut Pieces) {
    // Events come in order. Only definitions of links stand before the others.
    found.sort_by_key(|(range, found)| (range.start, matches!(found, Found::Run(..) | Found::Gone(..))));
    // Texts right before something that goes. With what follows, they could become a sign: "&#65" and ";".
    let mut before_gap = vec![false; found.len()];
    for index in (0..found.len()).rev() {
        let next = found.get(index + 1).filter(|(next, _)| next.start == found[index].0.end);
        before_gap[index] = match (&found[index].1, next) {
            (Found::Run(..), Some((range, Found::Gone(..)))) => !range.is_empty(),
            (Found::Run(..), Some((_, Found::Run(..)))) => before_gap[index + 1],
            _ => false,
        };
    }
    let (mut at, mut open) = (0, 0_usize);
    for ((range, found), before_gap) in found.into_iter().zip(before_gap) {
        // The backslash before an escaped character belongs to its text.
        let is_escaped = matches!(found, Found::Run(_, Escape::Markdown))
            && text.get(at..range.start).is_some_and(|before| before.ends_with('\\'));
        let start = range.start - usize::from(is_escaped);
        if start > at {
            between(&text[at..start], builder, pieces);
            at = start;
        }
        match found {
            Found::Begin(kind) => {
                builder.begin(kind);
                open += 1;
            }
            Found::End => {
                if open > 0 {
                    builder.end();
                    open -= 1;
                }
            }
            Found::Break => {
                builder.fixed("\n");
                if range.end > at {
                    pieces.fixed(&text[at..range.end]);
                    at = range.end;
                }
            }
            Found::Run(content, escape) => {
                if range.end <= at {
                    continue;
                }
                let source = &text[at..range.end];
                let run = builder.run(&content, PassageKind::Paragraph);
                let is_plain = escape == Escape::Markdown && source.trim_start_matches('\\') == content;
                match before_gap && is_plain {
                    true => pieces.run_with_source(run, escape, without_signs(source).as_bytes()),
                    false => pieces.run_with_source(run, escape, source.as_bytes()),
                }
                at = range.end;
            }
            Found::Gone(what, instead) => {
                if !what.is_empty() {
                    builder.removed.add(what);
                }
                if range.end > at {
                    pieces.fixed(instead);
                    at = range.end;
                }
            }
        }
    }
    while open > 0 {
        builder.end();
        open -= 1;
    }
    between(&text[at..], builder, pieces);
}

/// A plain text whose characters begin no HTML and no entity.
fn without_signs(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    for c in source.chars() {
        if matches!(c, '<' | '&') && !text.ends_with('\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// Writes what stands between texts: signs of Markdown. Words there, such as the name of a programming language, are
/// read as text. The parser reports only the first definition of a link, so others are removed here.
fn between(source: &str, builder: &mut Builder, pieces: &mut Pieces) {
    if !builder.releases() || !source.lines().any(is_definition) {
        return signs(source, builder, pieces);
    }
    for line in source.split_inclusive('\n') {
        if is_definition(line) {
            builder.removed.add("link targets");
            pieces.fixed(&line[line.trim_end_matches(['\r', '\n']).len()..]);
        } else {
            signs(line, builder, pieces);
        }
    }
}

/// Returns whether a line defines the target of links: `[label]: target`.
fn is_definition(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    line.strip_prefix('[').is_some_and(|rest| !rest.starts_with('^') && rest.contains("]:"))
}

fn signs(source: &str, builder: &mut Builder, pieces: &mut Pieces) {
    let is_word = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    match builder.releases() && source.split(|c: char| !c.is_alphanumeric()).any(is_word) {
        true => {
            let run = builder.run(source, PassageKind::Paragraph);
            pieces.run(run, Escape::None);
        }
        false => pieces.fixed(source),
    }
}
