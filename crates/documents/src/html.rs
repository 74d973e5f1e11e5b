//! Web pages. Tags stay where they are, with the attributes that say how something looks; text between them is read.

use html5gum::{DefaultEmitter, StringReader, Token, Tokenizer};

use crate::builder::Builder;
use crate::document::Body;
use crate::error::Error;
use crate::passage::PassageKind;
use crate::pieces::{Escape, Piece, Pieces};
use crate::text_bytes::decode;

/// Elements that do not begin a new passage.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u",
    "var", "wbr",
];
/// Elements that are kept.
const KNOWN: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "img",
    "input",
    "legend",
    "li",
    "main",
    "menu",
    "meta",
    "meter",
    "nav",
    "ol",
    "optgroup",
    "option",
    "p",
    "picture",
    "pre",
    "progress",
    "rp",
    "rt",
    "ruby",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
];
/// Elements that are removed with everything in them.
const GONE: &[(&str, &str)] = &[
    ("script", "scripts"),
    ("style", "style sheets"),
    ("template", "templates"),
    ("noscript", "content without scripts"),
    ("iframe", "embedded pages"),
    ("object", "embedded objects"),
    ("embed", "embedded objects"),
    ("applet", "embedded objects"),
    ("svg", "drawings"),
    ("math", "formulas"),
    ("canvas", "drawings"),
    ("audio", "media"),
    ("video", "media"),
    ("noembed", "embedded objects"),
    ("noframes", "frames"),
    ("frameset", "frames"),
    ("datalist", "lists of values"),
    ("map", "image maps"),
    ("xmp", "unknown elements"),
    ("plaintext", "unknown elements"),
];
/// Elements without an end.
const VOID: &[&str] = &["br", "col", "hr", "img", "input", "wbr", "meta", "embed"];

/// Reads a page.
pub(crate) fn read(bytes: &[u8], builder: &mut Builder) -> Result<Body, Error> {
    let text = decode(bytes, charset(bytes))?;
    let mut pieces = Pieces::default();
    page(&text, builder, &mut pieces, PassageKind::Paragraph)?;
    Ok(Body::File(pieces.list))
}

/// The encoding that a page names in its first bytes.
fn charset(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(2048)];
    let at = head.windows(8).position(|window| window.eq_ignore_ascii_case(b"charset="))? + 8;
    let name = &head[at..];
    let name = name.strip_prefix(b"\"").or(name.strip_prefix(b"'")).unwrap_or(name);
    let end = name.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"-_".contains(byte)))?;
    std::str::from_utf8(&name[..end]).ok()
}

/// Reads a page that is a text already.
pub(crate) fn page(
    text: &str,
    builder: &mut Builder,
    pieces: &mut Pieces,
    kind: PassageKind,
) -> Result<(), Error> {
    let mut page = Page { builder, pieces, kind, gone: None, raw: false, open: false, tokens: 0 };
    // The text of scripts and the like is no markup.
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    page.tokenize(Tokenizer::new_with_emitter(text, emitter))?;
    page.end_passage();
    Ok(())
}

struct Page<'a> {
    builder: &'a mut Builder,
    pieces: &'a mut Pieces,
    kind: PassageKind,
    /// The element that is removed, and how many of its name are open in it.
    gone: Option<(String, usize)>,
    /// Whether the text of the open element is no text, as of a script.
    raw: bool,
    open: bool,
    tokens: usize,
}

impl Page<'_> {
    fn tokenize(&mut self, tokenizer: Tokenizer<StringReader<'_>>) -> Result<(), Error> {
        for token in tokenizer {
            let Ok(token) = token;
            self.tokens += 1;
            if self.tokens > self.builder.limits.nodes {
                return Err(Error::too_large("the number of elements", self.builder.limits.nodes as u64));
            }
            match token {
                Token::StartTag(tag) => {
                    let name = lossy(&tag.name);
                    let attributes: Vec<(String, String)> =
                        tag.attributes.iter().map(|(name, value)| (lossy(name), lossy(value))).collect();
                    self.start(&name, &attributes, tag.self_closing);
                }
                Token::EndTag(tag) => self.end(&lossy(&tag.name)),
                Token::String(text) => self.text(&lossy(&text.value)),
                Token::Comment(comment) => {
                    if self.builder.releases() {
                        self.builder.removed.add("comments");
                    } else {
                        self.pieces.fixed("<!--");
                        self.pieces.fixed(&*comment.value);
                        self.pieces.fixed("-->");
                    }
                }
                Token::Doctype(_) => self.pieces.fixed("<!DOCTYPE html>"),
                Token::Error(_) => {}
            }
        }
        Ok(())
    }

    fn start(&mut self, name: &str, attributes: &[(String, String)], self_closing: bool) {
        let releases = self.builder.releases();
        if let Some((gone, open)) = &mut self.gone {
            if gone == name && !self_closing {
                *open += 1;
            }
            return;
        }
        if releases && let Some((_, what)) = GONE.iter().find(|(gone, _)| *gone == name) {
            self.builder.removed.add(what);
            if !self_closing && name != "embed" {
                self.gone = Some((name.to_owned(), 1));
            }
            return;
        }
        let is_inline = INLINE.contains(&name);
        if releases && !is_inline && !KNOWN.contains(&name) {
            self.builder.removed.add(match name {
                "link" | "base" => "links to files",
                _ => "unknown elements",
            });
            return;
        }
        let is_hidden = attributes.iter().any(|(name, value)| match name.as_str() {
            "hidden" => true,
            "style" => {
                let value: String = value.chars().filter(|c| !c.is_whitespace()).collect();
                value.contains("display:none") || value.contains("visibility:hidden")
            }
            "type" => value.eq_ignore_ascii_case("hidden"),
            _ => false,
        });
        if releases && is_hidden && name != "body" && name != "html" {
            self.builder.removed.add("hidden text");
            if !VOID.contains(&name) && !self_closing {
                self.gone = Some((name.to_owned(), 1));
            }
            return;
        }
        if releases && name == "meta" {
            let charset = attributes.iter().any(|(name, _)| name == "charset");
            match charset {
                true => self.pieces.fixed("<meta charset=\"utf-8\">"),
                false => self.builder.removed.add("meta elements"),
            }
            return;
        }
        if !is_inline && name != "br" && name != "img" && name != "input" {
            self.end_passage();
        }
        if name == "br" && self.open {
            self.builder.fixed("\n");
        }
        self.pieces.fixed("<");
        self.pieces.fixed(name);
        for (attribute, value) in attributes {
            self.attribute(name, attribute, value);
        }
        self.pieces.fixed(if self_closing { " />" } else { ">" });
        self.raw = !releases
            && matches!(
                name,
                "script" | "style" | "iframe" | "xmp" | "noembed" | "noframes" | "noscript" | "plaintext"
            );
        if name == "img" && releases {
            self.builder.removed.add("images");
        }
    }

    fn attribute(&mut self, element: &str, name: &str, value: &str) {
        let mut write = |name: &str, value: &str| {
            let mut bytes = Vec::new();
            Escape::Attribute.write(value, &mut bytes);
            self.pieces.fixed(format!(" {name}=\""));
            self.pieces.fixed(bytes);
            self.pieces.fixed("\"");
        };
        if !self.builder.releases() {
            write(name, value);
            return;
        }
        match name {
            // Texts that a reader sees.
            "alt" | "title" | "placeholder" | "aria-label" | "summary" => {
                self.builder.removed.add("alternative texts");
            }
            "href" | "src" | "srcset" | "action" | "formaction" | "cite" | "background" | "poster"
            | "data" | "longdesc" | "ping" | "usemap" => self.builder.removed.add("link targets"),
            "style" => {
                let (kept, lost) = style(value);
                if !kept.is_empty() {
                    write("style", &kept);
                }
                self.builder.removed.add_many("style declarations", lost);
            }
            "id" | "class" | "name" | "for" | "headers" | "form" | "list" => {
                self.builder.removed.add("names of elements");
            }
            "value" => self.builder.removed.add("values of fields"),
            _ if is_structural(element, name, value) => write(name, value),
            _ if name.starts_with("on") => self.builder.removed.add("scripts"),
            _ if name.starts_with("data-") => self.builder.removed.add("data attributes"),
            _ => self.builder.removed.add("unknown attributes"),
        }
    }

    fn end(&mut self, name: &str) {
        if let Some((gone, open)) = &mut self.gone {
            if gone == name {
                *open -= 1;
                if *open == 0 {
                    self.gone = None;
                }
            }
            return;
        }
        let is_inline = INLINE.contains(&name);
        let is_known = is_inline || KNOWN.contains(&name);
        if self.builder.releases() && (!is_known || VOID.contains(&name)) {
            return;
        }
        if !is_inline {
            self.end_passage();
        }
        self.raw = false;
        self.pieces.fixed(format!("</{name}>"));
    }

    fn text(&mut self, text: &str) {
        if self.gone.is_some() || text.is_empty() {
            return;
        }
        if self.raw {
            self.pieces.fixed(text);
            return;
        }
        if !self.open {
            // White space between passages is part of the layout.
            if text.trim().is_empty() {
                self.pieces.fixed(text);
                return;
            }
            self.builder.begin(self.kind);
            self.open = true;
        }
        let run = self.builder.run(text, self.kind);
        self.pieces.run(run, Escape::Xml);
    }

    fn end_passage(&mut self) {
        if self.open {
            self.builder.end();
            self.open = false;
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The declarations of a style that say how something looks.
fn style(value: &str) -> (String, u64) {
    const PROPERTIES: &[&str] = &[
        "color",
        "background-color",
        "font-size",
        "font-weight",
        "font-style",
        "text-align",
        "text-decoration",
        "text-indent",
        "text-transform",
        "vertical-align",
        "margin",
        "margin-left",
        "margin-right",
        "margin-top",
        "margin-bottom",
        "padding",
        "padding-left",
        "padding-right",
        "padding-top",
        "padding-bottom",
        "border",
        "border-collapse",
        "border-top",
        "border-bottom",
        "border-left",
        "border-right",
        "width",
        "height",
        "max-width",
        "min-width",
        "line-height",
        "white-space",
        "list-style-type",
        "display",
        "float",
        "clear",
        "direction",
    ];
    let (mut kept, mut lost) = (Vec::new(), 0);
    for declaration in value.split(';').map(str::trim).filter(|declaration| !declaration.is_empty()) {
        let parts = declaration.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        match parts {
            Some((name, value))
                if PROPERTIES.contains(&name.to_ascii_lowercase().as_str())
                    && value.split_ascii_whitespace().count() <= 6
                    && value.split_ascii_whitespace().all(is_style_value) =>
            {
                kept.push(format!("{name}: {value}"));
            }
            _ => lost += 1,
        }
    }
    (kept.join("; "), lost)
}

const WORDS: &[&str] = &[
    "auto",
    "baseline",
    "black",
    "block",
    "blue",
    "bold",
    "bolder",
    "both",
    "bottom",
    "capitalize",
    "center",
    "circle",
    "collapse",
    "dashed",
    "decimal",
    "disc",
    "dotted",
    "double",
    "gray",
    "green",
    "grey",
    "inherit",
    "initial",
    "inline",
    "inline-block",
    "italic",
    "justify",
    "large",
    "left",
    "lighter",
    "lowercase",
    "ltr",
    "medium",
    "middle",
    "none",
    "normal",
    "nowrap",
    "oblique",
    "orange",
    "pre",
    "pre-line",
    "pre-wrap",
    "purple",
    "red",
    "right",
    "rtl",
    "separate",
    "silver",
    "small",
    "smaller",
    "larger",
    "solid",
    "square",
    "sub",
    "super",
    "table",
    "table-cell",
    "table-row",
    "text-bottom",
    "text-top",
    "thick",
    "thin",
    "top",
    "transparent",
    "underline",
    "line-through",
    "uppercase",
    "white",
    "yellow",
    "x-large",
    "x-small",
    "xx-large",
    "xx-small",
    "lower-alpha",
    "upper-alpha",
    "lower-roman",
    "upper-roman",
];

fn is_style_value(value: &str) -> bool {
    use crate::xml::values::{is_colour, is_measure};
    let value = value.trim_end_matches(',');
    let is_rgb = value.starts_with("rgb(")
        && value.ends_with(')')
        && value[4..value.len() - 1].bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
        && value.len() <= 16;
    is_measure(value) || is_colour(value) || is_rgb || WORDS.contains(&value.to_ascii_lowercase().as_str())
}

/// Whether an attribute says nothing but how something looks.
fn is_structural(_element: &str, name: &str, value: &str) -> bool {
    use crate::xml::values::{is_colour, is_language, is_measure};
    const NUMBERS: &[&str] = &[
        "colspan",
        "rowspan",
        "width",
        "height",
        "border",
        "cellpadding",
        "cellspacing",
        "size",
        "span",
        "start",
        "rows",
        "cols",
        "min",
        "max",
        "maxlength",
        "tabindex",
        "hspace",
        "vspace",
    ];
    const CHOICES: &[&str] =
        &["align", "valign", "dir", "scope", "open", "disabled", "checked", "selected", "type"];
    const TYPES: &[&str] = &[
        "text", "checkbox", "radio", "button", "submit", "reset", "email", "number", "date", "password",
        "tel", "url", "search", "a", "i", "1", "row", "col", "rowgroup", "colgroup", "char", "true", "",
        "disabled", "checked", "selected", "open",
    ];
    match name {
        "lang" | "xml:lang" => {
            is_language(value) || (value.len() == 2 && value.bytes().all(|b| b.is_ascii_lowercase()))
        }
        "bgcolor" | "color" | "text" => is_colour(value) || WORDS.contains(&value),
        _ if NUMBERS.contains(&name) => is_measure(value) && value.len() <= 8,
        _ if CHOICES.contains(&name) => {
            let value = value.to_ascii_lowercase();
            TYPES.contains(&value.as_str()) || WORDS.contains(&value.as_str())
        }
        _ => false,
    }
}

/// The pieces of a page, for a part of a mail.
pub(crate) fn pieces(text: &str, builder: &mut Builder, kind: PassageKind) -> Result<Vec<Piece>, Error> {
    let mut pieces = Pieces::default();
    page(text, builder, &mut pieces, kind)?;
    Ok(pieces.list)
}
