//! OpenDocument: texts, spreadsheets and presentations.
//!
//! A released file is built anew from its content and its styles. Names of styles and tables are replaced, and values of
//! cells that a reader does not see are removed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::builder::Builder;
use crate::document::Body;
use crate::error::{Error, ErrorKind};
use crate::format::DocumentFormat;
use crate::odf_hidden;
use crate::ooxml::pixel;
use crate::package::{Package, Part};
use crate::passage::PassageKind;
use crate::xml::values::{Vocabulary, is_font};
use crate::xml::write::{Grammar, Role, XmlWriter};
use crate::xml::{Attribute, Element, Node, Space, parse};

static WORDS: LazyLock<Vocabulary> = LazyLock::new(|| {
    let (names, values) =
        (include_str!("vocabulary/odf-names.txt"), include_str!("vocabulary/odf-values.txt"));
    Vocabulary::new(names, values, &[])
});

/// The name of the blank picture.
const PICTURE: &str = "Pictures/1.png";

/// Reads a file.
pub(crate) fn read(bytes: &[u8], format: DocumentFormat, builder: &mut Builder) -> Result<Body, Error> {
    let mut package = Package::open(bytes, &builder.limits, format.extension())?;
    if !package.has("content.xml") {
        return Err(Error::damaged(format.extension(), "it has no content"));
    }
    if package.has("META-INF/manifest.xml") {
        let manifest = parse(&package.read("META-INF/manifest.xml")?, &builder.limits)?;
        if manifest.any(&|element| element.name() == "encryption-data") {
            return Err(ErrorKind::Encrypted.into());
        }
    }
    let parts = match builder.releases() {
        true => release(&mut package, format, builder),
        false => keep(&mut package, builder),
    }?;
    Ok(Body::Package(parts))
}

/// Reads all parts and keeps everything. Only texts can be changed.
fn keep(package: &mut Package<'_>, builder: &mut Builder) -> Result<Vec<Part>, Error> {
    let mut parts = Vec::new();
    let mut names = package.names();
    // The type comes first in a file.
    names.sort_by_key(|name| name != "mimetype");
    for name in names {
        let bytes = package.read(&name)?;
        let mut part = match name.ends_with("content.xml") || name.ends_with("styles.xml") {
            true => {
                let root = parse(&bytes, &builder.limits)?;
                Part::new(&*name, write(&root, builder, true))
            }
            false => Part::fixed(&*name, bytes),
        };
        part.stored = name == "mimetype";
        parts.push(part);
    }
    Ok(parts)
}

fn release(
    package: &mut Package<'_>,
    format: DocumentFormat,
    builder: &mut Builder,
) -> Result<Vec<Part>, Error> {
    let mut filter = Filter { names: BTreeMap::new(), builder, pictures: 0 };
    let mut root = parse(&package.read("content.xml")?, &filter.builder.limits)?;
    if !root.is(Space::Office, "document-content") {
        return Err(Error::damaged(format.extension(), "its content is no document"));
    }
    odf_hidden::remove(&mut root, &mut filter.builder.removed);
    filter.element(&mut root);
    let mut styles = match package.has("styles.xml") {
        true => Some(parse(&package.read("styles.xml")?, &filter.builder.limits)?),
        false => None,
    };
    styles.iter_mut().for_each(|styles| filter.element(styles));
    let pictures = filter.pictures;
    let mut mime = Part::fixed("mimetype", format.media_type());
    mime.stored = true;
    let mut parts = vec![mime, Part::new("content.xml", write(&root, builder, false))];
    let mut manifest = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<manifest:manifest \
         xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\" manifest:version=\"1.3\">\
         <manifest:file-entry manifest:full-path=\"/\" manifest:version=\"1.3\" manifest:media-type=\"{}\"/>\
         <manifest:file-entry manifest:full-path=\"content.xml\" manifest:media-type=\"text/xml\"/>",
        format.media_type()
    );
    if let Some(styles) = &styles {
        parts.push(Part::new("styles.xml", write(styles, builder, false)));
        manifest.push_str(
            "<manifest:file-entry manifest:full-path=\"styles.xml\" manifest:media-type=\"text/xml\"/>",
        );
    }
    if pictures > 0 {
        parts.push(Part::fixed(PICTURE, pixel()));
        manifest.push_str(&format!(
            "<manifest:file-entry manifest:full-path=\"{PICTURE}\" manifest:media-type=\"image/png\"/>"
        ));
    }
    manifest.push_str("</manifest:manifest>");
    parts.push(Part::fixed("META-INF/manifest.xml", manifest));
    for name in package.names() {
        let begins = |what: &str| name.starts_with(what);
        builder.removed.add(match name.as_str() {
            "mimetype" | "content.xml" | "styles.xml" | "META-INF/manifest.xml" => continue,
            "meta.xml" => "document properties",
            "settings.xml" => "settings",
            _ if begins("Pictures/") => "images",
            _ if begins("Thumbnails/") => "thumbnails",
            _ if begins("Object") => "embedded objects",
            _ if begins("Basic/") || begins("Scripts/") => "macros",
            _ if begins("Configurations2/") => "settings",
            _ if begins("META-INF/") => "signatures",
            _ => "unknown parts",
        });
    }
    Ok(parts)
}

fn write(root: &Element, builder: &mut Builder, verbatim: bool) -> crate::pieces::Pieces {
    XmlWriter { grammar: &OdfGrammar, builder, pieces: Default::default(), verbatim }.file(root)
}

struct OdfGrammar;

impl Grammar for OdfGrammar {
    fn role(&self, element: &Element) -> Role {
        match (element.space, element.name()) {
            (Some(Space::Text), "p" | "h") => Role::Passage(PassageKind::Paragraph),
            (
                Some(Space::Text),
                "span" | "a" | "ruby-base" | "meta" | "meta-field" | "bookmark-ref" | "reference-ref"
                | "date" | "time" | "author-name" | "title" | "subject" | "file-name",
            ) => Role::Mixed,
            (Some(Space::Text), "s") => Role::Shows(" "),
            (Some(Space::Text), "tab") => Role::Shows("\t"),
            (Some(Space::Text), "line-break") => Role::Shows("\n"),
            (Some(Space::Text), "note-body") => Role::Inside(PassageKind::Note),
            (
                Some(Space::Style),
                "header" | "footer" | "header-left" | "footer-left" | "header-first" | "footer-first",
            ) => Role::Inside(PassageKind::Header),
            (Some(Space::Table), "table-row") => Role::Inside(PassageKind::FirstCell),
            (Some(Space::Table), "table-cell" | "covered-table-cell") => Role::Inside(PassageKind::Cell),
            _ => Role::Other,
        }
    }

    fn keeps_text(&self, element: &Element) -> bool {
        matches!(
            (element.space, element.name()),
            (Some(Space::Text), "page-number" | "page-count" | "note-citation")
        ) && crate::xml::values::is_measure(element.text().trim())
    }
}

struct Filter<'b> {
    /// New names of styles and other things.
    names: BTreeMap<String, String>,
    builder: &'b mut Builder,
    pictures: usize,
}

enum Fate {
    Keep,
    Remove(&'static str),
    Unwrap(&'static str),
}

impl Filter<'_> {
    fn element(&mut self, element: &mut Element) {
        let mut attributes = std::mem::take(&mut element.attributes);
        attributes.retain_mut(|attribute| self.keeps(element, attribute));
        element.attributes = attributes;
        for child in std::mem::take(&mut element.children) {
            self.add(child, element);
        }
    }

    fn add(&mut self, child: Node, parent: &mut Element) {
        let mut child = match child {
            Node::Element(child) => child,
            text => return parent.children.push(text),
        };
        match fate(&child) {
            Fate::Keep => {
                if child.is(Space::Draw, "image") {
                    self.pictures += 1;
                }
                self.element(&mut child);
                parent.children.push(Node::Element(child));
            }
            Fate::Remove(what) => {
                if !what.is_empty() {
                    self.builder.removed.add(what);
                }
            }
            Fate::Unwrap(what) => {
                if !what.is_empty() {
                    self.builder.removed.add(what);
                }
                for child in child.children {
                    match child {
                        // Text of a field that is no field any more.
                        Node::Text(text) if parent.space == Some(Space::Text) => {
                            match parent.children.last_mut() {
                                Some(Node::Text(last)) => last.push_str(&text),
                                _ => parent.children.push(Node::Text(text)),
                            }
                        }
                        Node::Text(_) => {}
                        child => self.add(child, parent),
                    }
                }
            }
        }
    }

    fn keeps(&mut self, element: &Element, attribute: &mut Attribute) -> bool {
        let name = attribute.name().to_owned();
        match attribute.space {
            Some(Space::Xmlns) => return true,
            None | Some(Space::Xml) => return false,
            Some(Space::Xlink) => {
                let is_image = element.is(Space::Draw, "image");
                return match name.as_str() {
                    "href" if is_image => {
                        PICTURE.clone_into(&mut attribute.value);
                        true
                    }
                    "href" => {
                        self.builder.removed.add("link targets");
                        false
                    }
                    "type" | "show" | "actuate" => is_image && WORDS.is_structural(&attribute.value),
                    _ => false,
                };
            }
            Some(_) => {}
        }
        if !WORDS.has_name(&name) {
            self.builder.removed.add("unknown attributes");
            return false;
        }
        // A cell shows its value, and the value itself could tell the original.
        if matches!(
            name.as_str(),
            "value"
                | "value-type"
                | "date-value"
                | "time-value"
                | "string-value"
                | "boolean-value"
                | "formula"
                | "currency"
        ) && matches!(attribute.space, Some(Space::Office | Space::Table | Space::Text))
        {
            if name == "formula" {
                self.builder.removed.add("formulas");
            }
            return false;
        }
        if matches!(name.as_str(), "font-family" | "font-name" | "font-name-asian" | "font-name-complex") {
            let known = is_font(&attribute.value);
            if !known {
                self.builder.removed.add("unusual fonts");
            }
            return known;
        }
        if element.is(Space::Style, "font-face") && name == "name" {
            let plain = attribute.value.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
            if !is_font(&plain) && !is_font(&attribute.value) {
                attribute.value = self.renamed(&attribute.value.clone());
            }
            return true;
        }
        if name == "data-style-name" {
            return false;
        }
        if is_name(attribute.space, &name) {
            attribute.value = self.renamed(&attribute.value.clone());
            return true;
        }
        if matches!(name.as_str(), "num-prefix" | "num-suffix" | "bullet-char" | "leader-text") {
            let known =
                attribute.value.chars().count() <= 3 && !attribute.value.chars().any(char::is_alphanumeric);
            if !known {
                self.builder.removed.add("texts in attributes");
            }
            return known;
        }
        match WORDS.is_structural(&attribute.value) && !is_free(&name) {
            true => true,
            false => {
                self.builder.removed.add("texts in attributes");
                false
            }
        }
    }

    /// The new name of something. Names that every office has stay.
    fn renamed(&mut self, old: &str) -> String {
        const KNOWN: &[&str] = &[
            "Standard",
            "Text_20_body",
            "Heading",
            "List",
            "Caption",
            "Index",
            "Header",
            "Footer",
            "Footnote",
            "Endnote",
            "Title",
            "Subtitle",
            "Table_20_Contents",
            "Table_20_Heading",
            "Default",
            "Quotations",
            "Default_20_Style",
            "Internet_20_link",
            "Footnote_20_Symbol",
            "Footnote_20_anchor",
            "Numbering_20_Symbols",
            "Bullet_20_Symbols",
            "Strong_20_Emphasis",
            "Emphasis",
            "Preformatted_20_Text",
            "Frame_20_contents",
            "First_20_Page",
        ];
        let is_heading = old
            .strip_prefix("Heading_20_")
            .is_some_and(|rest| rest.len() <= 2 && rest.bytes().all(|byte| byte.is_ascii_digit()));
        if old.is_empty() || KNOWN.contains(&old) || is_heading {
            return old.to_owned();
        }
        let next = self.names.len() + 1;
        self.names.entry(old.to_owned()).or_insert_with(|| format!("n{next}")).clone()
    }
}

/// Whether an attribute names something that other attributes refer to.
fn is_name(space: Option<Space>, name: &str) -> bool {
    name.ends_with("style-name")
        || matches!(
            name,
            "master-page-name"
                | "page-layout-name"
                | "page-master-name"
                | "presentation-page-layout-name"
                | "fill-gradient-name"
                | "fill-hatch-name"
                | "fill-image-name"
                | "opacity-name"
                | "stroke-dash"
                | "marker-start"
                | "marker-end"
                | "default-outline-level-name"
        )
        || (name == "name" && matches!(space, Some(Space::Style | Space::Table | Space::Draw | Space::Text)))
        || (matches!(name, "list-id" | "id" | "continue-list") && space == Some(Space::Text))
}

/// Attributes with texts.
fn is_free(name: &str) -> bool {
    matches!(
        name,
        "title"
            | "description"
            | "display-name"
            | "condition"
            | "content-validation-name"
            | "target-frame-name"
            | "author-name"
            | "creator"
            | "date"
            | "initials"
            | "prefix"
            | "suffix"
            | "label"
            | "password"
            | "protection-key"
            | "generator"
            | "version"
            | "anchor-name"
    ) && name != "version"
}

/// The treatment of an element.
fn fate(element: &Element) -> Fate {
    let name = element.name();
    if element.space.is_none() || !WORDS.has_name(name) {
        return Fate::Remove("unknown elements");
    }
    match (element.space, name) {
        (Some(Space::Office), "annotation" | "annotation-end") => Fate::Remove("comments"),
        (Some(Space::Office), "scripts" | "event-listeners") => Fate::Remove("macros"),
        (Some(Space::Office), "forms") => Fate::Remove("forms"),
        (Some(Space::Office), "meta" | "settings") => Fate::Remove("document properties"),
        (Some(Space::Text), "tracked-changes") => Fate::Remove("tracked deletions"),
        (Some(Space::Text), "change" | "change-start" | "change-end") => Fate::Remove(""),
        (Some(Space::Table), "tracked-changes") => Fate::Remove("tracked deletions"),
        (Some(Space::Text), "bookmark" | "bookmark-start" | "bookmark-end") => Fate::Remove("bookmarks"),
        (Some(Space::Text), "reference-mark" | "reference-mark-start" | "reference-mark-end") => {
            Fate::Remove("bookmarks")
        }
        (
            Some(Space::Text),
            "toc-mark"
            | "toc-mark-start"
            | "toc-mark-end"
            | "alphabetical-index-mark"
            | "alphabetical-index-mark-start"
            | "alphabetical-index-mark-end"
            | "user-index-mark"
            | "user-index-mark-start"
            | "user-index-mark-end"
            | "bibliography-mark",
        ) => Fate::Remove("index marks"),
        (Some(Space::Text), "hidden-text" | "hidden-paragraph" | "conditional-text") => {
            Fate::Remove("hidden text")
        }
        (Some(Space::Text), "section")
            if element.get(Space::Text, "display").is_some_and(|value| value != "true") =>
        {
            Fate::Remove("hidden text")
        }
        (Some(Space::Table), "table-row" | "table-row-group")
            if element.get(Space::Table, "visibility").is_some_and(|value| value != "visible") =>
        {
            Fate::Remove("hidden rows")
        }
        (
            Some(Space::Text),
            "section" | "table-of-content" | "illustration-index" | "table-index" | "object-index"
            | "user-index" | "alphabetical-index" | "bibliography" | "index-body" | "index-title",
        ) => Fate::Unwrap(""),
        (Some(Space::Text), _) if name.ends_with("-source") => Fate::Remove("index sources"),
        (Some(Space::Text), _) if name.ends_with("-decls") => Fate::Remove("variables"),
        (
            Some(Space::Text),
            "notes-configuration"
            | "linenumbering-configuration"
            | "bibliography-configuration"
            | "alphabetical-index-auto-mark-file",
        ) => Fate::Remove(""),
        (Some(Space::Text), "a") => Fate::Unwrap("link targets"),
        (Some(Space::Draw), "a") => Fate::Unwrap("link targets"),
        (
            Some(Space::Text),
            "page-number"
            | "page-count"
            | "p"
            | "h"
            | "span"
            | "s"
            | "tab"
            | "line-break"
            | "list"
            | "list-item"
            | "list-header"
            | "note"
            | "note-body"
            | "note-citation"
            | "soft-page-break"
            | "numbered-paragraph"
            | "list-style"
            | "list-level-style-number"
            | "list-level-style-bullet"
            | "outline-style"
            | "outline-level-style"
            | "number",
        ) => Fate::Keep,
        (Some(Space::Text), "list-level-style-image") => Fate::Remove("images"),
        (Some(Space::Text), "ruby") => Fate::Unwrap(""),
        (Some(Space::Text), "ruby-base") => Fate::Unwrap(""),
        (Some(Space::Text), "ruby-text") => Fate::Remove("ruby texts"),
        // Every other element of texts is a field: its text stays.
        (Some(Space::Text), _) => Fate::Unwrap("field codes"),
        (Some(Space::Draw), "object" | "object-ole" | "plugin" | "applet" | "floating-frame" | "control") => {
            Fate::Remove("embedded objects")
        }
        (
            Some(Space::Draw),
            "image-map" | "glue-point" | "layer-set" | "param" | "contour-polygon" | "contour-path",
        ) => Fate::Remove(""),
        (Some(Space::Draw), "fill-image") => Fate::Remove("images"),
        (Some(Space::Svg), "title" | "desc") => Fate::Remove("alternative texts"),
        (
            Some(Space::Table),
            "content-validations"
            | "database-ranges"
            | "named-expressions"
            | "data-pilot-tables"
            | "consolidation"
            | "dde-links"
            | "label-ranges"
            | "calculation-settings"
            | "shapes"
            | "scenario"
            | "table-source"
            | "title"
            | "desc"
            | "detective",
        ) => Fate::Remove("settings"),
        (Some(Space::Table), "table") if element.get(Space::Table, "display") == Some("false") => {
            Fate::Remove("hidden sheets")
        }
        (Some(Space::Presentation), "notes") => Fate::Keep,
        (
            Some(Space::Presentation),
            "footer-decl" | "header-decl" | "date-time-decl" | "settings" | "sound" | "event-listener",
        ) => Fate::Remove("settings"),
        (Some(Space::Presentation), _) => Fate::Remove(""),
        (Some(Space::Anim | Space::Smil), _) => Fate::Remove("animations"),
        (Some(Space::Number), _) => Fate::Remove(""),
        (Some(Space::Dc | Space::Meta), _) => Fate::Remove("document properties"),
        (Some(Space::Office | Space::Style | Space::Table | Space::Draw | Space::Svg), _) => Fate::Keep,
        _ => Fate::Remove("unknown elements"),
    }
}
