//! Collects the parts of a new package, with the relations and types that belong to them.

use crate::package::Part;
use crate::pieces::Pieces;

/// A new package.
pub(super) struct NewPackage {
    parts: Vec<Part>,
    /// The type of each part by its name.
    types: Vec<(String, &'static str)>,
    /// Whether a blank picture is needed.
    picture: bool,
}

/// The relations of one part.
#[derive(Default)]
pub(super) struct NewRelations {
    list: Vec<(String, &'static str)>,
}

const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
pub(super) const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
/// The name of the blank picture that stands for all pictures.
pub(super) const PICTURE: &str = "media/image1.png";

/// A white pixel.
const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0,
    0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63,
    0xf8, 0x0f, 0, 1, 1, 1, 0, 0xb1, 0x38, 0xf6, 0x14, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60,
    0x82,
];

/// The bytes of the blank picture.
pub(crate) fn pixel() -> &'static [u8] {
    PIXEL
}

impl NewRelations {
    /// Adds a relation and returns its id.
    pub(super) fn add(&mut self, target: impl Into<String>, kind: &'static str) -> String {
        let target = target.into();
        let known = self.list.iter().position(|(old, old_kind)| *old == target && *old_kind == kind);
        let index = known.unwrap_or_else(|| {
            self.list.push((target, kind));
            self.list.len() - 1
        });
        format!("rId{}", index + 1)
    }

    fn write(&self) -> String {
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Relationships xmlns=\"{PACKAGE}/relationships\">"
        );
        for (index, (target, kind)) in self.list.iter().enumerate() {
            xml.push_str(&format!(
                "<Relationship Id=\"rId{}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>",
                index + 1
            ));
        }
        xml.push_str("</Relationships>");
        xml
    }
}

impl NewPackage {
    pub(super) fn new() -> Self {
        Self { parts: Vec::new(), types: Vec::new(), picture: false }
    }

    /// Adds a part with its type and its relations.
    pub(super) fn add(
        &mut self,
        name: &str,
        content_type: &'static str,
        pieces: Pieces,
        relations: &NewRelations,
    ) {
        self.types.push((name.to_owned(), content_type));
        self.parts.push(Part::new(name, pieces));
        if !relations.list.is_empty() {
            let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
            let slash = if folder.is_empty() { "" } else { "/" };
            self.parts.push(Part::fixed(format!("{folder}{slash}_rels/{file}.rels"), relations.write()));
        }
    }

    /// Notes that the blank picture is used.
    pub(super) fn needs_picture(&mut self) {
        self.picture = true;
    }

    /// Completes the package. `main` is the part with the text; `folder` holds the picture.
    pub(super) fn finish(mut self, main: &str, folder: &str) -> Vec<Part> {
        let mut types = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Types xmlns=\"{PACKAGE}/content-types\">\
             <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
             <Default Extension=\"png\" ContentType=\"image/png\"/>"
        );
        for (name, content_type) in &self.types {
            types.push_str(&format!("<Override PartName=\"/{name}\" ContentType=\"{content_type}\"/>"));
        }
        types.push_str("</Types>");
        let mut relations = NewRelations::default();
        relations.add(main, "officeDocument");
        if self.picture {
            self.parts.push(Part::fixed(format!("{folder}/{PICTURE}"), PIXEL));
        }
        let mut parts =
            vec![Part::fixed("[Content_Types].xml", types), Part::fixed("_rels/.rels", relations.write())];
        parts.append(&mut self.parts);
        parts
    }
}
