//! Namespaces that are known, and the prefixes they have in written files.

/// A known namespace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Space {
    /// No namespace: attributes without a prefix.
    None,
    /// The namespace of XML itself.
    Xml,
    /// Declarations of namespaces.
    Xmlns,
    W,
    R,
    A,
    Wp,
    Pic,
    Wps,
    Wpg,
    Mc,
    M,
    P,
    X,
    Xdr,
    Office,
    Style,
    Text,
    Table,
    Draw,
    Fo,
    Xlink,
    Dc,
    Meta,
    Number,
    Presentation,
    Svg,
    Smil,
    Anim,
}

/// Known namespaces: the prefix, and the addresses that stand for it. The first address is written.
const KNOWN: &[(Space, &str, &[&str])] = &[
    (Space::Xml, "xml", &["http://www.w3.org/XML/1998/namespace"]),
    (
        Space::W,
        "w",
        &[
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            "http://purl.oclc.org/ooxml/wordprocessingml/main",
        ],
    ),
    (
        Space::R,
        "r",
        &[
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            "http://purl.oclc.org/ooxml/officeDocument/relationships",
        ],
    ),
    (
        Space::A,
        "a",
        &[
            "http://schemas.openxmlformats.org/drawingml/2006/main",
            "http://purl.oclc.org/ooxml/drawingml/main",
        ],
    ),
    (
        Space::Wp,
        "wp",
        &[
            "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
            "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing",
        ],
    ),
    (
        Space::Pic,
        "pic",
        &[
            "http://schemas.openxmlformats.org/drawingml/2006/picture",
            "http://purl.oclc.org/ooxml/drawingml/picture",
        ],
    ),
    (Space::Wps, "wps", &["http://schemas.microsoft.com/office/word/2010/wordprocessingShape"]),
    (Space::Wpg, "wpg", &["http://schemas.microsoft.com/office/word/2010/wordprocessingGroup"]),
    (Space::Mc, "mc", &["http://schemas.openxmlformats.org/markup-compatibility/2006"]),
    (
        Space::M,
        "m",
        &[
            "http://schemas.openxmlformats.org/officeDocument/2006/math",
            "http://purl.oclc.org/ooxml/officeDocument/math",
        ],
    ),
    (
        Space::P,
        "p",
        &[
            "http://schemas.openxmlformats.org/presentationml/2006/main",
            "http://purl.oclc.org/ooxml/presentationml/main",
        ],
    ),
    (
        Space::X,
        "x",
        &[
            "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
            "http://purl.oclc.org/ooxml/spreadsheetml/main",
        ],
    ),
    (Space::Xdr, "xdr", &["http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"]),
    (Space::Office, "office", &["urn:oasis:names:tc:opendocument:xmlns:office:1.0"]),
    (Space::Style, "style", &["urn:oasis:names:tc:opendocument:xmlns:style:1.0"]),
    (Space::Text, "text", &["urn:oasis:names:tc:opendocument:xmlns:text:1.0"]),
    (Space::Table, "table", &["urn:oasis:names:tc:opendocument:xmlns:table:1.0"]),
    (Space::Draw, "draw", &["urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"]),
    (Space::Fo, "fo", &["urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"]),
    (Space::Xlink, "xlink", &["http://www.w3.org/1999/xlink"]),
    (Space::Dc, "dc", &["http://purl.org/dc/elements/1.1/"]),
    (Space::Meta, "meta", &["urn:oasis:names:tc:opendocument:xmlns:meta:1.0"]),
    (Space::Number, "number", &["urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"]),
    (Space::Presentation, "presentation", &["urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"]),
    (Space::Svg, "svg", &["urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"]),
    (Space::Smil, "smil", &["urn:oasis:names:tc:opendocument:xmlns:smil-compatible:1.0"]),
    (Space::Anim, "anim", &["urn:oasis:names:tc:opendocument:xmlns:animation:1.0"]),
];

impl Space {
    /// Returns the namespace of an address, if it is known.
    pub(crate) fn of(address: &str) -> Option<Self> {
        KNOWN.iter().find(|(_, _, addresses)| addresses.contains(&address)).map(|(space, ..)| *space)
    }

    /// Returns the prefix in written files.
    pub(crate) fn prefix(self) -> &'static str {
        KNOWN.iter().find(|(space, ..)| *space == self).map_or("", |(_, prefix, _)| prefix)
    }

    /// Returns the address in written files.
    pub(crate) fn address(self) -> &'static str {
        KNOWN
            .iter()
            .find(|(space, ..)| *space == self)
            .and_then(|(.., addresses)| addresses.first())
            .copied()
            .unwrap_or_default()
    }
}

/// What tables in graphics are named. They have no namespace of their own.
const TABLES: &[&str] =
    &["http://schemas.openxmlformats.org/drawingml/2006/table", "http://purl.oclc.org/ooxml/drawingml/table"];

/// Whether a value is the address of a known namespace. Graphics name theirs in an attribute.
pub(crate) fn is_address(value: &str) -> bool {
    Space::of(value).is_some() || TABLES.contains(&value)
}
