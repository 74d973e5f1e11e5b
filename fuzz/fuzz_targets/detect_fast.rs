//! Any text through the rules and the fast tagger: spans lie on characters, do not overlap, and are the same twice.
#![no_main]

use std::path::Path;
use std::sync::OnceLock;

use inkveil_detect::{Detector, Settings, Tier};
use libfuzzer_sys::fuzz_target;

static DETECTOR: OnceLock<Detector> = OnceLock::new();

fn open() -> Detector {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/en");
    Detector::open(Some(&pack), Settings::of(Tier::Fast)).unwrap()
}

fuzz_target!(|bytes: &[u8]| {
    let detector = DETECTOR.get_or_init(open);
    let text = String::from_utf8_lossy(bytes);
    let spans = detector.detect(&[&text]).unwrap().remove(0);
    assert!(spans.iter().all(|span| span.start < span.end && text.get(span.range()).is_some()));
    assert!(spans.windows(2).all(|two| two[0].end <= two[1].start));
    assert_eq!(spans, detector.detect(&[&text]).unwrap()[0]);
});
