//! Office Open XML: Word, PowerPoint and Excel.
//!
//! A released file is built anew: from the parts that are known, under names of this program, with the elements and
//! attributes that the standard defines, and with values that say nothing but how something looks.

mod filter;
mod relations;
mod sheets;
mod slides;
mod word;
mod writer;

pub(crate) use writer::pixel;

use crate::builder::Builder;
use crate::document::Body;
use crate::error::Error;
use crate::format::DocumentFormat;
use crate::package::{Package, Part};
use crate::xml::write::XmlWriter;
use crate::xml::{Space, parse};

/// Reads a file.
pub(crate) fn read(bytes: &[u8], format: DocumentFormat, builder: &mut Builder) -> Result<Body, Error> {
    let mut package = Package::open(bytes, &builder.limits, format.extension())?;
    let parts = match (builder.releases(), format) {
        (false, _) => keep(&mut package, builder),
        (true, DocumentFormat::Pptx) => slides::read(&mut package, builder),
        (true, DocumentFormat::Xlsx) => sheets::read(&mut package, builder),
        (true, _) => word::read(&mut package, builder),
    }?;
    Ok(Body::Package(parts))
}

/// Reads all parts and keeps everything. Only texts can be changed.
fn keep(package: &mut Package<'_>, builder: &mut Builder) -> Result<Vec<Part>, Error> {
    let mut parts = Vec::new();
    for name in package.names() {
        let bytes = package.read(&name)?;
        let is_text =
            name.ends_with(".xml") && !name.starts_with("docProps/") && name != "[Content_Types].xml";
        // What is no XML is kept as it is.
        let root = is_text.then(|| parse(&bytes, &builder.limits).ok()).flatten();
        let known = |root: &crate::xml::Element| {
            matches!(root.space, Some(Space::W | Space::P | Space::X)) && !is_sheet(root)
        };
        match root.filter(known) {
            Some(root) => {
                let writer = XmlWriter {
                    grammar: &word::Grammar,
                    builder: &mut *builder,
                    pieces: Default::default(),
                    verbatim: true,
                };
                parts.push(Part::new(name, writer.file(&root)));
            }
            None => parts.push(Part::fixed(name, bytes)),
        }
    }
    Ok(parts)
}

/// The cells of a sheet hold numbers and references to shared texts.
fn is_sheet(root: &crate::xml::Element) -> bool {
    root.is(Space::X, "worksheet") && !root.any(&|element| element.is(Space::X, "is"))
}
