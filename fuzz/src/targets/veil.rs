//! Any text through a veil whose replacements can be restored: restored, it is the text again, byte for byte.

use std::sync::LazyLock;

use inkveil_detect::{Settings, Tier};
use inkveil_privacy::NoiseKey;
use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};
use inkveil_text::{Document, Preset, TextSettings, TextVeil};

/// One veil for placeholders, and one for surrogates.
static VEILS: LazyLock<[TextVeil; 2]> = LazyLock::new(|| {
    [Preset::Placeholders, Preset::Prompt].map(|preset| {
        let mut settings = TextSettings::default();
        settings.apply(preset);
        settings.restorable = true;
        settings.detect = Settings::of(Tier::Fast);
        TextVeil::open(&super::pack(), settings).expect("the pack has what a veil needs")
    })
});

pub fn run(bytes: &[u8]) {
    let Some((how, rest)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let veil = &VEILS[usize::from(how % 2)];
    let key = NoiseKey::insecure_from_seed(u64::from(how / 2));
    let veiled = veil.veil_all(&[Document::new(text)], 0, &key).expect("any text can be veiled").remove(0);
    let mut pairs = ReplacementMap::builder();
    for pair in veiled.replacements().chain(veiled.forms()) {
        pairs.add(pair.replacement, pair.original, pair.kind).expect("a pair");
    }
    let map = pairs.build();
    let restorer = Restorer::new(&map, RestoreOptions::default()).expect("a small map");
    assert_eq!(restorer.restore_text(veiled.text()).0, text);
}
