//! Renders replaced units as text.

use std::ops::Range;

use crate::align::{Alignment, TextPiece};
use crate::{Casing, Error, ErrorKind, Vocabulary};

/// The replacement of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// An allowed entry of the vocabulary.
    Entry(u32),
    /// The unit's own text, byte for byte.
    Keep,
    /// Another text, written unchanged. If it is empty, the blanks before the unit are removed too.
    Text(String),
    /// Nothing. The unit and the gap before it are covered by the replacement of the previous unit.
    Joined,
}

/// How replacements are capitalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CasingPolicy {
    /// Like the replaced word: lower, Capital or UPPER. A mixed pattern becomes lower case. A word
    /// without letters has no pattern, so its replacement is written as in the vocabulary.
    #[default]
    AsOriginal,
    /// As in the vocabulary. The case of the original is not released.
    AsVocabulary,
}

/// How invisible characters in gaps are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HiddenCharacters {
    /// They are removed. They could carry any content, and no noise is added to them.
    #[default]
    Drop,
    /// They are kept.
    Keep,
}

/// How text is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RenderStyle {
    /// The capitalisation of replacements.
    pub casing: CasingPolicy,
    /// The treatment of invisible characters.
    pub hidden: HiddenCharacters,
}

/// Renders a text from the gaps of the original and one replacement for each unit.
///
/// - Spaces stay as in the original. A piece (`##ing`) that replaces a word becomes a separate
///   word; a word that replaces a piece is attached to the previous piece.
/// - A replacement is always written from the vocabulary, even if it is the original entry. So
///   accents and other spellings that the tokenizer ignores do not reveal which units were
///   replaced.
/// - In gaps, white space is kept, and hidden characters are removed or kept as the style says.
///   Punctuation in the gaps of a word lexicon is kept.
///
/// Returns the text and the byte range of each unit in it.
pub(crate) fn render(
    vocabulary: &Vocabulary,
    alignment: &Alignment<'_>,
    replacements: &[Replacement],
    style: &RenderStyle,
    symbols_in_gaps: bool,
) -> Result<(String, Vec<Range<usize>>), Error> {
    let units = alignment.units();
    if units.len() != replacements.len() {
        return Err(ErrorKind::Replacements { expected: units.len(), found: replacements.len() }.into());
    }
    let casings = match style.casing {
        CasingPolicy::AsOriginal => word_casings(alignment),
        CasingPolicy::AsVocabulary => vec![None; units.len()],
    };
    let mut out = String::with_capacity(alignment.text().len());
    let mut ranges = Vec::with_capacity(units.len());
    let mut next = (0..).zip(replacements).zip(casings).peekable();
    for piece in alignment.pieces() {
        let original = alignment.text_of(&piece);
        match piece {
            TextPiece::Gap(gap) => {
                let removed = match next.peek().map(|((_, replacement), _)| *replacement) {
                    Some(Replacement::Joined) => true,
                    Some(Replacement::Text(text)) => text.is_empty() && is_blank(original),
                    // The units before the first remaining word were removed.
                    _ => out.is_empty() && gap.range().start > 0 && is_blank(original),
                };
                match style.hidden {
                    _ if removed => {}
                    HiddenCharacters::Drop if !gap.is_white_space() => {
                        out.extend(original.chars().filter(|&c| is_visible(c, symbols_in_gaps)));
                    }
                    _ => out.push_str(original),
                }
            }
            TextPiece::Unit(unit) => {
                let start = out.len();
                match next.next() {
                    Some(((_, Replacement::Keep), _)) | None => out.push_str(original),
                    Some(((_, Replacement::Text(text)), _)) => out.push_str(text),
                    Some(((_, Replacement::Joined), _)) => {}
                    Some(((position, &Replacement::Entry(id)), casing)) => {
                        let text = vocabulary.text(id).filter(|_| vocabulary.is_allowed(id));
                        let text = text.ok_or(ErrorKind::NotAllowed { unit: position, id })?;
                        match casing {
                            Some(casing) => casing.apply(text, unit.starts_word(), &mut out),
                            None => out.push_str(text),
                        }
                    }
                }
                ranges.push(start..out.len());
            }
        }
    }
    Ok((out, ranges))
}

/// Returns whether a gap consists of blanks within a line.
fn is_blank(gap: &str) -> bool {
    gap.chars().all(|c| c.is_whitespace() && c != '\n' && c != '\r')
}

/// Returns whether a character is visible: white space, and symbols if they belong to gaps.
fn is_visible(c: char, symbols_in_gaps: bool) -> bool {
    c.is_whitespace() || (symbols_in_gaps && !is_hidden(c))
}

/// Returns whether a character is a control or formatting character, a tag, or for private use:
/// invisible, or without a defined meaning.
fn is_hidden(c: char) -> bool {
    let formatting = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e000}'..='\u{f8ff}'
        | '\u{e0000}'..='\u{10ffff}');
    c.is_control() || formatting
}

/// Returns the casing of the word that each unit belongs to. A single piece does not show the
/// pattern of its word.
fn word_casings(alignment: &Alignment<'_>) -> Vec<Option<Casing>> {
    let mut casings = Vec::with_capacity(alignment.units().len());
    for word in alignment.units().chunk_by(|_, next| !next.starts_word()) {
        let characters = word.iter().flat_map(|unit| alignment.text()[unit.range()].chars());
        casings.resize(casings.len() + word.len(), Casing::of_characters(characters));
    }
    casings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::Token;

    const TOKENS: [&str; 7] = ["[UNK]", "walk", "##ing", "river", "!", "i", "NASA"];

    fn vocabulary() -> Vocabulary {
        Vocabulary::new(TOKENS.map(Some).into_iter(), &[0])
    }

    /// Aligns entries with a text in order. Entries that are not pieces begin words.
    fn align<'t>(text: &'t str, ids: &[u32]) -> Alignment<'t> {
        let folded = text.to_lowercase();
        let mut at = 0;
        let tokens: Vec<Token> = ids
            .iter()
            .map(|&id| {
                let token = TOKENS[id as usize];
                let entry = token.trim_start_matches('#').to_lowercase();
                let start = at + folded[at..].find(&entry).unwrap();
                at = start + entry.len();
                Token { range: start..at, id: Some(id), unknown: false, starts_word: !token.starts_with('#') }
            })
            .collect();
        Alignment::new(text, tokens.into_iter(), Some(0))
    }

    fn rendered(alignment: &Alignment<'_>, ids: &[u32], style: &RenderStyle) -> String {
        let replacements: Vec<Replacement> = ids.iter().map(|&id| Replacement::Entry(id)).collect();
        render(&vocabulary(), alignment, &replacements, style, false).unwrap().0
    }

    #[test]
    fn texts_replace_units_and_join_others() {
        let text = "I walk walking\nriver !";
        let alignment = align(text, &[5, 1, 1, 2, 3, 4]);
        let with = |replacements: [Replacement; 6]| {
            render(&vocabulary(), &alignment, &replacements, &RenderStyle::default(), false).unwrap()
        };
        use Replacement::{Entry, Joined, Keep, Text};
        let name = || Text("[name]".to_owned());
        let none = || Text(String::new());
        let (out, ranges) = with([Keep, name(), Joined, Joined, Entry(1), Keep]);
        assert_eq!((out.as_str(), &out[ranges[1].clone()]), ("I [name]\nwalk !", "[name]"));
        assert_eq!(ranges[2], 8..8);
        // A joined unit removes line breaks before it; an empty text does not.
        assert_eq!(with([Keep, name(), Joined, Joined, Joined, Keep]).0, "I [name] !");
        assert_eq!(with([none(), none(), Keep, Keep, none(), none()]).0, "walking\n");
        assert_eq!(with([none(), none(), none(), none(), none(), Keep]).0, "\n !");
    }

    #[test]
    fn the_same_entries_give_the_same_text() {
        for text in ["Walking  walk!", "WALKING\twalk !", "walking\u{a0}Walk!\n"] {
            let ids = [1, 2, 1, 4];
            assert_eq!(rendered(&align(text, &ids), &ids, &RenderStyle::default()), text);
        }
        assert_eq!(rendered(&align("I walk", &[5, 1]), &[5, 1], &RenderStyle::default()), "I walk");
    }

    #[test]
    fn spacing_is_kept() {
        let alignment = align(" walking  walk! ", &[1, 2, 1, 4]);
        assert_eq!(rendered(&alignment, &[3, 3, 2, 3], &RenderStyle::default()), " riverriver  ingriver ");
    }

    #[test]
    fn case_follows_the_whole_word() {
        let alignment = align("WALKING Walking walkinG", &[1, 2, 1, 2, 1, 2]);
        let ids = [3, 5, 3, 5, 6, 5];
        assert_eq!(rendered(&alignment, &ids, &RenderStyle::default()), "RIVERI Riveri nasai");
        let plain = RenderStyle { casing: CasingPolicy::AsVocabulary, ..RenderStyle::default() };
        assert_eq!(rendered(&alignment, &ids, &plain), "riveri riveri NASAi");
    }

    #[test]
    fn hidden_characters_are_dropped_by_default() {
        let text = "walk\u{200b} \u{e0041}river\0";
        let alignment = align(text, &[1, 3]);
        assert_eq!(rendered(&alignment, &[1, 3], &RenderStyle::default()), "walk river");
        let keep = RenderStyle { hidden: HiddenCharacters::Keep, ..RenderStyle::default() };
        assert_eq!(rendered(&alignment, &[1, 3], &keep), text);
    }

    #[test]
    fn symbols_between_words_are_kept() {
        let alignment = align("walk…\u{200b} «river»", &[1, 3]);
        let replacements = [Replacement::Keep, Replacement::Entry(1)];
        let (text, _) =
            render(&vocabulary(), &alignment, &replacements, &RenderStyle::default(), true).unwrap();
        assert_eq!(text, "walk… «walk»");
    }

    #[test]
    fn wrong_replacements_are_refused() {
        let alignment = align("walk river", &[1, 3]);
        let error = |replacements: &[Replacement]| {
            render(&vocabulary(), &alignment, replacements, &RenderStyle::default(), false).unwrap_err()
        };
        let missing = error(&[Replacement::Keep]);
        assert_eq!(missing.kind(), &ErrorKind::Replacements { expected: 2, found: 1 });
        let special = error(&[Replacement::Keep, Replacement::Entry(0)]);
        assert_eq!(special.kind(), &ErrorKind::NotAllowed { unit: 1, id: 0 });
        assert!(matches!(
            error(&[Replacement::Entry(99), Replacement::Entry(99)]).kind(),
            ErrorKind::NotAllowed { unit: 0, id: 99 }
        ));
    }
}
