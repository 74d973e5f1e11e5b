//! From replaced units back to text.

use std::ops::Range;

use crate::align::{Alignment, Piece};
use crate::{Casing, Error, ErrorKind, Vocabulary};

/// What takes the place of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// An allowed entry of the vocabulary.
    Entry(u32),
    /// The unit's own text, byte for byte: for what may be seen.
    Keep,
    /// Another text, written as it is. If it is empty, the blanks before it go with the unit.
    Text(String),
    /// Nothing: the unit and the gap before it are part of what the unit before was replaced by.
    Joined,
}

/// Upper and lower case of replacements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CasingPolicy {
    /// As the word that is replaced: lower, Capital or UPPER; a mixed pattern becomes lower case. A word without letters has
    /// no pattern, so its replacement is written as in the vocabulary.
    #[default]
    AsOriginal,
    /// As in the vocabulary. Nothing of the original's case is released.
    AsVocabulary,
}

/// What becomes of characters in gaps that cannot be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HiddenCharacters {
    /// They are left out. They may carry anything, and no noise is added to them.
    #[default]
    Drop,
    /// They stay.
    Keep,
}

/// How text is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Upper and lower case.
    pub casing: CasingPolicy,
    /// Characters that cannot be seen.
    pub hidden: HiddenCharacters,
}

/// Puts a text together from the gaps of the original and one replacement for each of its units.
///
/// - The original's spacing decides where spaces are. A piece (`##ing`) in the place of a word is a word of its own, and a word
///   in the place of a piece is written onto the piece before.
/// - A replacement is written from the vocabulary even if it is the entry that was there: whether a unit was replaced does not
///   show in accents or in other spellings that the tokenizer does not tell apart.
/// - In gaps, white space is kept and hidden characters are dropped or kept as the style says. A gap that the word-level
///   lexicon makes of punctuation is kept.
///
/// Gives the text and, for each unit, the bytes of it that stand for the unit.
pub(crate) fn render(
    vocabulary: &Vocabulary,
    alignment: &Alignment<'_>,
    replacements: &[Replacement],
    style: &Style,
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
            Piece::Gap(gap) => {
                let goes = match next.peek().map(|((_, replacement), _)| *replacement) {
                    Some(Replacement::Joined) => true,
                    Some(Replacement::Text(text)) => text.is_empty() && is_blank(original),
                    // What stood before the first word that is left was left out.
                    _ => out.is_empty() && gap.range().start > 0 && is_blank(original),
                };
                match style.hidden {
                    _ if goes => {}
                    HiddenCharacters::Drop if !gap.is_white_space() => {
                        out.extend(original.chars().filter(|&c| is_visible(c, symbols_in_gaps)));
                    }
                    _ => out.push_str(original),
                }
            }
            Piece::Unit(unit) => {
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

/// Blanks within a line.
fn is_blank(gap: &str) -> bool {
    gap.chars().all(|c| c.is_whitespace() && c != '\n' && c != '\r')
}

/// White space, and symbols where they are no units. What is neither cannot be seen.
fn is_visible(c: char, symbols_in_gaps: bool) -> bool {
    c.is_whitespace() || (symbols_in_gaps && !is_hidden(c))
}

/// Control and formatting characters, tags, and characters for private use: invisible, or without a meaning of their own.
fn is_hidden(c: char) -> bool {
    let formatting = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e000}'..='\u{f8ff}'
        | '\u{e0000}'..='\u{10ffff}');
    c.is_control() || formatting
}

/// The casing of the word that each unit is part of: one letter of a word alone does not show its pattern.
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
    use crate::align::{Fallback, Token};

    const TOKENS: [&str; 7] = ["[UNK]", "walk", "##ing", "river", "!", "i", "NASA"];

    fn vocabulary() -> Vocabulary {
        Vocabulary::new(TOKENS.map(Some).into_iter(), &[0])
    }

    /// Lays entries over a text in order; those that are no pieces begin words.
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
        Alignment::new(text, tokens.into_iter(), Fallback { unknown: Some(0) })
    }

    fn rendered(alignment: &Alignment<'_>, ids: &[u32], style: &Style) -> String {
        let replacements: Vec<Replacement> = ids.iter().map(|&id| Replacement::Entry(id)).collect();
        render(&vocabulary(), alignment, &replacements, style, false).unwrap().0
    }

    #[test]
    fn texts_stand_for_units_and_take_others_along() {
        let text = "I walk walking\nriver !";
        let alignment = align(text, &[5, 1, 1, 2, 3, 4]);
        let with = |replacements: [Replacement; 6]| {
            render(&vocabulary(), &alignment, &replacements, &Style::default(), false).unwrap()
        };
        use Replacement::{Entry, Joined, Keep, Text};
        let name = || Text("[name]".to_owned());
        let none = || Text(String::new());
        let (out, ranges) = with([Keep, name(), Joined, Joined, Entry(1), Keep]);
        assert_eq!((out.as_str(), &out[ranges[1].clone()]), ("I [name]\nwalk !", "[name]"));
        assert_eq!(ranges[2], 8..8);
        // What is joined takes line breaks along, what is left out does not.
        assert_eq!(with([Keep, name(), Joined, Joined, Joined, Keep]).0, "I [name] !");
        assert_eq!(with([none(), none(), Keep, Keep, none(), none()]).0, "walking\n");
        assert_eq!(with([none(), none(), none(), none(), none(), Keep]).0, "\n !");
    }

    #[test]
    fn the_same_entries_give_the_same_text() {
        for text in ["Walking  walk!", "WALKING\twalk !", "walking\u{a0}Walk!\n"] {
            let ids = [1, 2, 1, 4];
            assert_eq!(rendered(&align(text, &ids), &ids, &Style::default()), text);
        }
        assert_eq!(rendered(&align("I walk", &[5, 1]), &[5, 1], &Style::default()), "I walk");
    }

    #[test]
    fn the_spacing_is_the_original_one() {
        let alignment = align(" walking  walk! ", &[1, 2, 1, 4]);
        assert_eq!(rendered(&alignment, &[3, 3, 2, 3], &Style::default()), " riverriver  ingriver ");
    }

    #[test]
    fn case_is_that_of_the_whole_word() {
        let alignment = align("WALKING Walking walkinG", &[1, 2, 1, 2, 1, 2]);
        let ids = [3, 5, 3, 5, 6, 5];
        assert_eq!(rendered(&alignment, &ids, &Style::default()), "RIVERI Riveri nasai");
        let plain = Style { casing: CasingPolicy::AsVocabulary, ..Style::default() };
        assert_eq!(rendered(&alignment, &ids, &plain), "riveri riveri NASAi");
    }

    #[test]
    fn hidden_characters_are_dropped_unless_told() {
        let text = "walk\u{200b} \u{e0041}river\0";
        let alignment = align(text, &[1, 3]);
        assert_eq!(rendered(&alignment, &[1, 3], &Style::default()), "walk river");
        let keep = Style { hidden: HiddenCharacters::Keep, ..Style::default() };
        assert_eq!(rendered(&alignment, &[1, 3], &keep), text);
    }

    #[test]
    fn symbols_between_words_stay() {
        let alignment = align("walk…\u{200b} «river»", &[1, 3]);
        let replacements = [Replacement::Keep, Replacement::Entry(1)];
        let (text, _) = render(&vocabulary(), &alignment, &replacements, &Style::default(), true).unwrap();
        assert_eq!(text, "walk… «walk»");
    }

    #[test]
    fn wrong_replacements_are_refused() {
        let alignment = align("walk river", &[1, 3]);
        let error = |replacements: &[Replacement]| {
            render(&vocabulary(), &alignment, replacements, &Style::default(), false).unwrap_err()
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
