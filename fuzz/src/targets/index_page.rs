//! Arbitrary bytes as the page of a package in a Python index, as HTML and as JSON.

use inkveil_pack::index::parse_page;

pub fn run(page: &[u8]) {
    for kind in ["text/html", "application/vnd.pypi.simple.v1+json"] {
        if let Ok(files) = parse_page(kind, page) {
            // No file comes from nothing.
            assert!(files.len() <= page.len());
        }
    }
}
