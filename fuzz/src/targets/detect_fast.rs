//! Any text through the rules and the fast tagger: spans lie on characters, do not overlap, and are the same twice.

use std::sync::OnceLock;

use inkveil_detect::{Detector, Settings, Tier};

static DETECTOR: OnceLock<Detector> = OnceLock::new();

fn open() -> Detector {
    Detector::open(Some(&super::pack()), Settings::of(Tier::Fast)).unwrap()
}

pub fn run(bytes: &[u8]) {
    let detector = DETECTOR.get_or_init(open);
    let text = String::from_utf8_lossy(bytes);
    let spans = detector.detect(&[&text]).unwrap().remove(0);
    assert!(spans.iter().all(|span| span.start < span.end && text.get(span.range()).is_some()));
    assert!(spans.windows(2).all(|two| two[0].end <= two[1].start));
    assert_eq!(spans, detector.detect(&[&text]).unwrap()[0]);
}
