//! Restoring: which replacements are found, and that splitting the input makes no difference.

use std::io::{self, Read};

use inkveil_restore::{ReplacementMap, RestoreOptions, RestoreReport, Restorer};
use proptest::prelude::*;

/// A reader that returns pieces of these lengths, in a cycle.
struct SplitReader<'a>(&'a [u8], Vec<usize>, usize);

impl Read for SplitReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.1[self.2 % self.1.len()];
        self.2 += 1;
        let count = length.min(self.0.len()).min(into.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn map(pairs: &[(&str, &str)]) -> ReplacementMap {
    let mut builder = ReplacementMap::builder();
    for (replacement, original) in pairs {
        builder.add(replacement, original, "person").unwrap();
    }
    builder.build()
}

fn restored(pairs: &[(&str, &str)], text: &str) -> String {
    Restorer::new(&map(pairs), RestoreOptions::default()).unwrap().restore_text(text).0
}

#[test]
fn replacements_are_found_in_all_forms() {
    let pairs = [
        ("Ana", "Eva"),
        ("Ana Lima", "Jo"),
        ("[person 1]", "Ivo \"X\" Ó"),
        ("42", "7"),
        ("a.lima@example.org", "ivo@firm.example"),
        ("Ana Lim", "never"),
        ("Élan", "Étoile"),
    ];
    for (text, expected) in [
        ("Banana, Anas, ANA, ana, Ana.", "Banana, Anas, EVA, eva, Eva."),
        ("Ana Lima's and Ana\n  Lima and Ana Lin", "Jo's and Jo and Eva Lin"),
        ("Ana Limas", "Eva Limas"),
        ("([person 1]) [Person 1] [PERSON 1]x", "(Ivo \"X\" Ó) Ivo \"X\" Ó IVO \"X\" Óx"),
        ("42, 3.42, 142, 42%", "7, 3.42, 142, 7%"),
        ("Write to a.lima@example.org, Ana", "Write to ivo@firm.example, Eva"),
        ("ÉLAN élan Élan", "ÉTOILE étoile Étoile"),
        ("", ""),
        ("nothing", "nothing"),
    ] {
        assert_eq!(restored(&pairs, text), expected);
    }
}

#[test]
fn restored_text_is_not_searched_again() {
    assert_eq!(restored(&[("A", "B"), ("B", "A")], "A B A"), "B A B");
}

#[test]
fn an_empty_map_changes_nothing() {
    assert_eq!(restored(&[], "Ask Ana."), "Ask Ana.");
}

#[test]
fn invalid_utf8_is_kept() {
    let map = map(&[("Ana", "Eva")]);
    let restorer = Restorer::new(&map, RestoreOptions::default()).unwrap();
    let mut out = Vec::new();
    restorer.restore(&b"\xff\xfeAna\xc3 Ana \x00\xf0"[..], &mut out).unwrap();
    assert_eq!(out, b"\xff\xfeEva\xc3 Eva \x00\xf0");
}

#[test]
fn a_long_stream_is_restored_everywhere() {
    let map = map(&[("Made Antonov", "Ana Novak")]);
    let restorer = Restorer::new(&map, RestoreOptions::default()).unwrap();
    let text = "Made Antonov wrote to made\nantonov about the Made Antonova affair. ".repeat(20_000);
    let mut out = Vec::new();
    let report = restorer.restore(text.as_bytes(), &mut out).unwrap();
    let expected = "Ana Novak wrote to ana novak about the Made Antonova affair. ".repeat(20_000);
    assert!(out == expected.as_bytes());
    assert_eq!(report.restored(), 40_000);
}

fn streamed(restorer: &Restorer<'_>, text: &[u8], cuts: Vec<usize>) -> (Vec<u8>, RestoreReport) {
    let mut out = Vec::new();
    let report = restorer.restore(SplitReader(text, cuts, 0), &mut out).unwrap();
    (out, report)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn splitting_the_input_makes_no_difference(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("Ana"), Just("Ana Lima"), Just("ANA LIMA"), Just("[p 1]"), Just("[p 12]"), Just("4"), Just("42"), Just("é"),
                Just(" "), Just("\n"), Just("."), Just("x"), Just("ana"), Just("Éva"), Just("ÉVA"), Just("aa"), Just("a"),
                Just("                                                                  "),
            ],
            0..60,
        ),
        cuts in proptest::collection::vec(1_usize..400, 1..6),
        parts: bool,
    ) {
        let map = map(&[
            ("Ana Lima", "Eva Horak"), ("Ana", "Lea"), ("[p 1]", "Bo"), ("[p 12]", "Al"), ("42", "7"), ("Éva", "Ana Lima"),
            ("aa", "bb"), ("aa a", "c"), ("x", "y"), ("x", "z"),
        ]);
        let text = pieces.concat().repeat(3);
        let restorer = Restorer::new(&map, RestoreOptions::default().parts(parts)).unwrap();
        let (whole, report) = restorer.restore_text(&text);
        let (cut, cut_report) = streamed(&restorer, text.as_bytes(), cuts);
        prop_assert_eq!(whole.as_bytes(), cut);
        prop_assert_eq!(report, cut_report);
    }

    #[test]
    fn arbitrary_texts_and_maps_are_restored_consistently(
        pairs in proptest::collection::vec(("[^ \t\r\n]{1,3}|[a-c ]{0,2}[a-c]", ".{0,4}"), 0..8),
        text in "[a-cA-C \n]{0,40}|.{0,40}",
        cuts in proptest::collection::vec(1_usize..9, 1..4),
    ) {
        let mut builder = ReplacementMap::builder();
        for (replacement, original) in &pairs {
            let _ = builder.add(replacement, original, "person");
        }
        let map = builder.build();
        let restorer = Restorer::new(&map, RestoreOptions::default().parts(true)).unwrap();
        let (whole, _) = restorer.restore_text(&text);
        prop_assert_eq!(whole.as_bytes(), streamed(&restorer, text.as_bytes(), cuts).0);
    }
}

/// A first name alone is reported, but a replacement within it is restored.
#[test]
fn words_that_are_left_are_reported() {
    let map = map(&[("Made Antonov's", "Ana Novak's"), ("Antonov", "Novak")]);
    let restorer = Restorer::new(&map, RestoreOptions::default()).unwrap();
    let (text, report) = restorer.restore_text("Made and Antonov's, MADE, made, Made Antonov's");
    assert_eq!(text, "Made and Novak's, MADE, made, Ana Novak's");
    let left: Vec<_> = report.words().map(|word| (word.replacement, word.kind, word.count)).collect();
    assert_eq!(left, [("MADE", "person", 1), ("Made", "person", 1)]);
}
