//! Splitting text into units and rendering it, with real tokenizers.

use inkveil_lexicon::{Alignment, HiddenCharacters, Lexicon, RenderStyle, Replacement, Symbols, TextPiece};
use proptest::prelude::*;

use crate::folder::{byte_level, id, wordpiece};

fn lexicons() -> Vec<Lexicon> {
    let words = ["tea", "the", "Boston", "naïve"].map(String::from).to_vec();
    let table = [1.0, 0.0, 0.0, 1.0, -1.0, 0.5, 0.3, 0.3];
    let words = || Lexicon::words_from_table(words.clone(), &table, 2).unwrap();
    vec![
        Lexicon::open(wordpiece().path()).unwrap(),
        Lexicon::open(byte_level().path()).unwrap(),
        words(),
        words().with_symbols(Symbols::Units),
    ]
}

fn texts(alignment: &Alignment<'_>) -> Vec<(String, Option<u32>)> {
    let piece = |piece: TextPiece| {
        let text = alignment.text_of(&piece).to_owned();
        match piece {
            TextPiece::Unit(unit) => (text, unit.id()),
            TextPiece::Gap(_) => (text, None),
        }
    };
    alignment.pieces().map(piece).collect()
}

/// Replaces every known unit by its own entry.
fn unchanged(alignment: &Alignment<'_>) -> Vec<Replacement> {
    let same = |unit: &inkveil_lexicon::TextUnit| match unit.id() {
        Some(id) if !unit.is_unknown() => Replacement::Entry(id),
        _ => Replacement::Keep,
    };
    alignment.units().iter().map(same).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_byte_belongs_to_one_piece(
        text in "(\\PC|the|tea|Doctors|[ \\t\\n\\r\\x00\\x07\u{301}\u{200b}\u{200d}\u{202e}\u{e0041}\u{fffd}\u{f8ff}]\
                 |[\u{5d0}-\u{5ea}]|[\u{627}-\u{64a}]|👩\u{200d}⚕\u{fe0f}|🇩🇪|[\u{1f600}-\u{1f64f}]|中|ﬁ|İ|ß|[\u{900}-\u{94f}]){0,30}",
        long in 0..3_usize,
    ) {
        let text = text + &"x".repeat(long * 80);
        for lexicon in lexicons() {
            let alignment = lexicon.align(&text).unwrap();
            let pieces = texts(&alignment);
            prop_assert_eq!(pieces.iter().map(|(text, _)| text.as_str()).collect::<String>(), &*text);
            prop_assert!(pieces.iter().all(|(text, _)| !text.is_empty()));
            for unit in alignment.units() {
                prop_assert!(unit.is_unknown() || unit.id().is_some_and(|id| lexicon.row(id).is_some()));
            }
            // No gap contains letters or digits.
            for piece in alignment.pieces() {
                if matches!(piece, TextPiece::Gap(_)) {
                    prop_assert!(!alignment.text_of(&piece).contains(char::is_alphanumeric));
                }
            }
            // Rendering never fails. If every unit is kept, it returns the original text.
            let keep = RenderStyle { hidden: HiddenCharacters::Keep, ..RenderStyle::default() };
            let kept = vec![Replacement::Keep; alignment.units().len()];
            prop_assert_eq!(lexicon.render(&alignment, &kept, &keep).unwrap(), &*text);
            lexicon.render(&alignment, &unchanged(&alignment), &RenderStyle::default()).unwrap();
        }
    }

    #[test]
    fn unchanged_units_render_the_original_text(
        words in proptest::collection::vec("the|The|THE|doctors?|Doctors|WALKING|tea|I|[,.!]| |  |\n|\t", 0..20),
    ) {
        let text = words.join(" ");
        for lexicon in lexicons() {
            let alignment = lexicon.align(&text).unwrap();
            prop_assert_eq!(lexicon.render(&alignment, &unchanged(&alignment), &RenderStyle::default()).unwrap(), &*text);
        }
    }
}

#[test]
fn word_pieces_are_aligned() {
    let lexicon = Lexicon::open(wordpiece().path()).unwrap();
    let unknown = Some(id("[UNK]"));
    let alignment = lexicon.align("The Café\u{200b}s, zebra 19中").unwrap();
    assert_eq!(
        texts(&alignment),
        [
            ("The", Some(id("the"))),
            (" ", None),
            ("Café", Some(id("cafe"))),
            ("\u{200b}", None),
            ("s", Some(id("##s"))),
            (",", Some(id(","))),
            (" ", None),
            ("zebra", unknown),
            (" ", None),
            ("1", Some(id("1"))),
            ("9", Some(id("##9"))),
            ("中", Some(id("中"))),
        ]
        .map(|(text, id)| (text.to_owned(), id))
    );
    let starts: Vec<bool> = alignment.units().iter().map(|unit| unit.starts_word()).collect();
    assert_eq!(starts, [true, true, false, true, true, true, false, true]);
    let unknown: Vec<usize> = (0..8).filter(|&unit| alignment.units()[unit].is_unknown()).collect();
    assert_eq!(unknown, [4]);
}

#[test]
fn names_of_special_tokens_are_plain_text() {
    let lexicon = Lexicon::open(wordpiece().path()).unwrap();
    let alignment = lexicon.align("[SEP] [unused0]").unwrap();
    assert!(
        alignment.units().iter().all(|unit| ![Some(id("[SEP]")), Some(id("[unused0]"))].contains(&unit.id()))
    );
}

#[test]
fn a_very_long_word_is_one_unknown_unit() {
    let lexicon = Lexicon::open(wordpiece().path()).unwrap();
    let text = format!("the {} tea", "e".repeat(101));
    let alignment = lexicon.align(&text).unwrap();
    let unknown: Vec<bool> = alignment.units().iter().map(|unit| unit.is_unknown()).collect();
    assert_eq!(unknown, [false, true, false]);
    assert_eq!(alignment.units()[1].range(), 4..105);
}

#[test]
fn bytes_that_are_not_characters_are_unknown() {
    let lexicon = Lexicon::open(byte_level().path()).unwrap();
    assert_eq!(lexicon.unknown(), None);
    let alignment = lexicon.align("hot tea é").unwrap();
    let units: Vec<(&str, bool)> =
        alignment.units().iter().map(|unit| (&alignment.text()[unit.range()], unit.is_unknown())).collect();
    assert_eq!(units, [("hot", false), ("tea", false), ("é", true)]);
    assert_eq!(alignment.units()[2].id(), None);
    // A word after a space and the same word at the start are different entries with the same text.
    let again = lexicon.align(" hot").unwrap();
    assert_ne!(again.units()[0].id(), alignment.units()[0].id());
    assert_eq!(again.units()[0].range(), 1..4);
}

#[test]
fn replacements_are_rendered_in_place() {
    let lexicon = Lexicon::open(wordpiece().path()).unwrap();
    let text = "The doctors  walk, Boston!";
    let alignment = lexicon.align(text).unwrap();
    let ids = ["a", "nurse", "##ing", "river", ",", "tea", "."].map(|token| Replacement::Entry(id(token)));
    let rendered = lexicon.render(&alignment, &ids, &RenderStyle::default()).unwrap();
    assert_eq!(rendered, "A nurseing  river, Tea.");
}
