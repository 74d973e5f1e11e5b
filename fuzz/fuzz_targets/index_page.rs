//! Arbitrary bytes as the page of a package in a Python index, as HTML and as JSON.
#![no_main]

use inkveil_pack::index::parse_page;

libfuzzer_sys::fuzz_target!(|page: &[u8]| {
    for kind in ["text/html", "application/vnd.pypi.simple.v1+json"] {
        if let Ok(files) = parse_page(kind, page) {
            // No file comes from nothing.
            assert!(files.len() <= page.len());
        }
    }
});
