//! Any text through the rules: spans lie on characters, do not overlap, and are the same twice.

use std::sync::LazyLock;

use inkveil_detect::{Detector, Settings, Tier};

static DETECTOR: LazyLock<Detector> =
    LazyLock::new(|| Detector::open(None, Settings::of(Tier::Rules)).unwrap());

pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let spans = DETECTOR.detect(&[&text]).unwrap().remove(0);
    assert!(spans.iter().all(|span| span.start < span.end && text.get(span.range()).is_some()));
    assert!(spans.windows(2).all(|two| two[0].end <= two[1].start));
    assert_eq!(spans, DETECTOR.detect(&[&text]).unwrap()[0]);
}
