//! Restoring: which replacements are found, and that splitting the input makes no difference.

use std::io::{self, Read};

use std::sync::Arc;

use inkveil_restore::{PieceRestorer, ReplacementMap, RestoreOptions, RestoreReport, Restorer};
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
fn the_name_of_someone_else_is_not_torn() {
    let mut pairs = ReplacementMap::builder();
    pairs.add("Washington", "Lyon", "location").unwrap();
    pairs.add("Mary", "Ana", "person").unwrap();
    pairs.add("Made Antonov", "Eva Horak", "person").unwrap();
    let map = pairs.build();
    let restorer = Restorer::new(&map, RestoreOptions::default().parts(true)).unwrap();
    let text = "George Washington was never in Washington. In Washington, Mary Washington met John Antonov.";
    let (whole, report) = restorer.restore_text(text);
    assert_eq!(whole, "George Washington was never in Lyon. In Lyon, Ana Lyon met John Antonov.");
    let left: Vec<_> = report.in_longer_names().map(|left| (left.replacement, left.count)).collect();
    assert_eq!(left, [("Antonov", 1), ("Washington", 1)]);
    for cut in 1..text.len() {
        let mut out = Vec::new();
        restorer.restore(SplitReader(text.as_bytes(), vec![cut, 1], 0), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), whole);
    }
}

/// A reader that fails the test if it is asked again before everything that is complete was written.
struct Chat {
    pieces: Vec<&'static str>,
    written: Arc<std::sync::Mutex<Vec<u8>>>,
    expected: Vec<&'static str>,
}

impl Read for Chat {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.expected.is_empty() {
            let expected = self.expected.remove(0);
            assert_eq!(String::from_utf8(self.written.lock().unwrap().clone()).unwrap(), expected);
        }
        if self.pieces.is_empty() {
            return Ok(0);
        }
        let piece = self.pieces.remove(0).as_bytes();
        into[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

struct Written(Arc<std::sync::Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn output_flows_while_the_input_goes_on() {
    let map = map(&[("Made Antonov", "Ana Novak")]);
    let restorer = Restorer::new(&map, RestoreOptions::default()).unwrap();
    let written: Arc<std::sync::Mutex<Vec<u8>>> = Arc::default();
    let chat = Chat {
        pieces: vec!["Dear Ma", "de Anto", "nov, hello", ". Yours"],
        written: Arc::clone(&written),
        expected: vec!["", "Dear ", "Dear ", "Dear Ana Novak, hello", "Dear Ana Novak, hello. Yours"],
    };
    restorer.restore(chat, Written(Arc::clone(&written))).unwrap();
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

fn streamed(restorer: &Restorer, text: &[u8], cuts: Vec<usize>) -> (Vec<u8>, RestoreReport) {
    let mut out = Vec::new();
    let report = restorer.restore(SplitReader(text, cuts, 0), &mut out).unwrap();
    (out, report)
}

/// Restores a text that is cut into pieces of these numbers of characters, in a cycle. Returns the text and the most
/// bytes that were held back.
fn in_pieces(restorer: &Restorer, text: &str, cuts: &[usize]) -> (String, usize) {
    let mut pieces = PieceRestorer::new(restorer);
    let (mut out, mut most, mut rest, mut turn) = (String::new(), 0, text, 0);
    while !rest.is_empty() {
        let end = rest.char_indices().nth(cuts[turn % cuts.len()]).map_or(rest.len(), |(at, _)| at);
        out += &pieces.push(&rest[..end]);
        most = most.max(pieces.held_back());
        rest = &rest[end..];
        turn += 1;
    }
    (out + &pieces.finish(), most)
}

#[test]
fn pieces_hold_back_only_what_may_be_a_replacement() {
    let map = map(&[("Made Antonov", "Ana \"Novak\""), ("42", "7"), ("[person 12]", "Éva")]);
    let text = "Banana, Made Antonov and 42, then 42.5 and [person 12] with Madeline [person 1] and Made";
    let json = text.replace(", ", "\\n");
    for (json, text) in [(false, text), (true, json.as_str())] {
        let options = RestoreOptions::default().json(json);
        let restorer = Restorer::new(&map, options).unwrap();
        let whole = restorer.restore_text(text).0;
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let mut pieces = PieceRestorer::new(&restorer);
                let parts = [&text[..first], &text[first..second], &text[second..]];
                let mut out: String = parts.iter().map(|part| pieces.push(part)).collect();
                out += &pieces.finish();
                assert_eq!(out, whole, "{first}, {second}");
            }
        }
        let (out, most) = in_pieces(&restorer, text, &[1]);
        assert_eq!(out, whole);
        assert!(most <= "Made Antonov".len() + 1, "{most}");
    }
    let mut pieces = PieceRestorer::new(&Restorer::new(&map, RestoreOptions::default()).unwrap());
    assert_eq!(pieces.push("plain words "), "plain words ", "nothing is held back");
}

/// Inside a string originals are escaped. Outside of one only a value of JSON takes the place of a value.
#[test]
fn json_stays_json() {
    let map = map(&[
        ("42", "7"),
        ("43", "12 Main Street"),
        ("44", "007"),
        ("45", "-3.5"),
        ("46", "\"x\": 1"),
        ("true", "null"),
        ("Made", "Ana \"N\""),
        ("nMade", "Eva"),
        ("1,2", "9"),
        ("\\ude00", "Lea"),
    ]);
    let restorer = Restorer::new(&map, RestoreOptions::default().json(true)).unwrap();
    for (text, expected, left) in [
        (r#"{"a":42,"b":[43, 44, 45],"c":"42"}"#, r#"{"a":7,"b":[43, 44, -3.5],"c":"7"}"#, &["43", "44"][..]),
        (r#"[46,"46"]"#, r#"[46,"\"x\": 1"]"#, &["46"]),
        (r#"[-42, true, "true"]"#, r#"[-42, null, "null"]"#, &["42"]),
        (r#"{"true":"Made"}"#, r#"{"null":"Ana \"N\""}"#, &[]),
        (r#"{"a":"Dear\nMade"}"#, r#"{"a":"Dear\nAna \"N\""}"#, &["nMade"]),
        (r#"[1,2]"#, r#"[1,2]"#, &["1,2"]),
        (r#"["\ud83d\ude00"]"#, r#"["\ud83d\ude00"]"#, &["\\ude00"]),
        ("42", "7", &[]),
        ("43", "43", &["43"]),
        // This is not JSON: names are restored as in any text.
        ("to Made, 42 of", "to Ana \\\"N\\\", 7 of", &[]),
    ] {
        let (whole, report) = restorer.restore_text(text);
        assert_eq!(whole, expected, "{text}");
        assert_eq!(report.not_json().map(|left| left.replacement).collect::<Vec<_>>(), left, "{text}");
        for size in 1..6 {
            assert_eq!(in_pieces(&restorer, text, &[size]).0, expected, "{text} in pieces of {size}");
        }
    }
}

/// One search serves texts that are JSON and texts that are not.
#[test]
fn escapes_have_a_meaning_in_json_only() {
    let map = map(&[("José", "Ana \"A\"")]);
    let json = Restorer::new(&map, RestoreOptions::default().json(true)).unwrap();
    let text = r#"["Jos\u00e9","José"]"#;
    assert_eq!(json.restore_text(text).0, r#"["Ana \"A\"","Ana \"A\""]"#);
    assert_eq!(json.plain().restore_text(text).0, r#"["Jos\u00e9","Ana "A""]"#);
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
        small in proptest::collection::vec(1_usize..9, 1..6),
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
        prop_assert_eq!(whole, in_pieces(&restorer, &text, &small).0);
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
        prop_assert_eq!(whole.as_bytes(), streamed(&restorer, text.as_bytes(), cuts.clone()).0);
        for json in [false, true] {
            let options = RestoreOptions::default().parts(true).json(json);
            let restorer = Restorer::new(&map, options).unwrap();
            let whole = restorer.restore_text(&text).0;
            prop_assert_eq!(&whole, &in_pieces(&restorer, &text, &cuts).0);
            let plain = Restorer::new(&map, options.json(false)).unwrap();
            prop_assert_eq!(plain.restore_text(&text), restorer.plain().restore_text(&text));
        }
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
