//! A plain view of a text, in which detection also looks.
//!
//! People and programs write the same letters in many ways: full width, in mathematical alphabets, with
//! letters of another script that look alike, with invisible characters or spaces between them, with digits
//! in place of letters, and inside markup. The view undoes this. It knows for each of its characters where it
//! came from, so that what is found in the view is marked in the text. The text itself is never changed.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::gazetteer::{EntryFlags, Gazetteer};

/// A plain text, and the place of each of its characters in the original.
pub(crate) struct View {
    text: String,
    /// For each character: its start in the view, and the range of the original that it stands for.
    places: Vec<Place>,
}

struct Place {
    at: usize,
    start: usize,
    end: usize,
}

/// A character of the view while it is made.
#[derive(Clone, Copy)]
struct Cell {
    c: char,
    start: usize,
    end: usize,
}

impl View {
    /// Returns the view of a text, or `None` if it would be the text itself. With `names`, words such as
    /// "J0hn" are read as the names that they stand for.
    pub(crate) fn of(text: &str, names: Option<&Gazetteer>) -> Option<View> {
        if text.is_ascii() && !may_change(text) {
            return None;
        }
        let mut cells = plain_characters(text);
        look_alikes(&mut cells);
        cells = without_markup(cells);
        cells = without_gaps(cells);
        if let Some(names) = names {
            digits_as_letters(&mut cells, names);
        }
        let mut view =
            View { text: String::with_capacity(text.len()), places: Vec::with_capacity(cells.len()) };
        for Cell { c, start, end } in cells {
            view.places.push(Place { at: view.text.len(), start, end });
            view.text.push(c);
        }
        (view.text != text).then_some(view)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the ranges of the original that a range of the view stands for. Invisible characters and gaps
    /// inside it are included. Markup is not, so there is a range for each part between it.
    pub(crate) fn originals(&self, original: &str, range: &Range<usize>) -> Vec<Range<usize>> {
        let from = self.places.partition_point(|place| place.at < range.start);
        let to = self.places.partition_point(|place| place.at < range.end);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for place in self.places.get(from..to).unwrap_or_default() {
            let part = original.get(place.start..place.end).unwrap_or_default();
            if part.contains(is_markup) && part.len() > 1 {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
                Some(last)
                    if !original.get(last.end..place.start).is_none_or(|gap| gap.contains(is_markup)) =>
                {
                    last.end = place.end;
                }
                _ => ranges.push(place.start..place.end),
            }
        }
        let is_text = |range: &Range<usize>| {
            original.get(range.clone()).is_some_and(|part| part.contains(|c: char| !c.is_whitespace()))
        };
        let trim = |range: Range<usize>| {
            let part = &original[range.clone()];
            let start = range.start + part.len() - part.trim_start().len();
            start..start + part.trim().len()
        };
        ranges.into_iter().filter(is_text).map(trim).collect()
    }
}

/// Returns whether a character is a sign of markup.
fn is_markup(c: char) -> bool {
    matches!(c, '<' | '>' | '*' | '_' | '~')
}

/// Returns whether the view of an ASCII text may differ from it. This is a quick look; most texts end here.
fn may_change(text: &str) -> bool {
    let bytes = text.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'<' => letter(at + 1) || bytes.get(at + 1) == Some(&b'/'),
        b'*' | b'_' | b'~' => word(at + 1) != (at > 0 && word(at - 1)),
        // A digit inside a word.
        b'0' | b'1' | b'3' | b'4' | b'5' | b'7' | b'@' | b'$' => {
            letter(at + 1) && (at == 0 || !word(at - 1) || letter(at - 1))
        }
        // Single letters with something between them.
        b' ' | b'.' | b'-' => {
            at > 0 && letter(at - 1) && (at < 2 || !word(at - 2)) && letter(at + 1) && !word(at + 2)
        }
        _ => false,
    })
}

/// Returns the characters in their plain form: compatibility forms are replaced, invisible characters and
/// marks that only strike through are left out.
fn plain_characters(text: &str) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        let mut end = start + first.len_utf8();
        if first.is_ascii() && chars.peek().is_none_or(|(_, next)| next.is_ascii()) {
            cells.push(Cell { c: first, start, end });
            continue;
        }
        if is_invisible(first) {
            continue;
        }
        // A character with its marks is one unit.
        let mut cluster = String::from(first);
        let mut marks = 0;
        while let Some(&(at, mark)) = chars.peek() {
            let skipped = is_invisible(mark);
            if !skipped && !is_combining_mark(mark) {
                break;
            }
            chars.next();
            marks += usize::from(!skipped);
            // More than two marks on a letter are decoration.
            if !skipped && !is_decoration(mark) && marks <= 2 {
                cluster.push(mark);
            }
            if is_combining_mark(mark) {
                end = at + mark.len_utf8();
            }
        }
        cells.extend(cluster.nfkc().map(|c| Cell { c: plain_sign(c), start, end }));
    }
    cells
}

/// Returns whether a character is invisible inside a word.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a mark strikes through, underlines or encloses a letter.
fn is_decoration(mark: char) -> bool {
    matches!(mark,
        '\u{305}' | '\u{320}' | '\u{332}'..='\u{338}' | '\u{33f}' | '\u{35c}'..='\u{362}'
        | '\u{489}' | '\u{20d0}'..='\u{20f0}' | '\u{fe20}'..='\u{fe2f}')
}

/// Returns the plain form of signs that no normalisation changes.
fn plain_sign(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201f}' => '"',
        '\u{2024}' | '\u{3002}' => '.',
        '\u{2044}' | '\u{2215}' => '/',
        c if c.is_whitespace() && !matches!(c, '\n' | '\r' | '\t') => ' ',
        c => c,
    }
}

/// Replaces letters of another script that look like Latin ones, in words that also have Latin letters, and
/// in words of look-alikes only if the text is in Latin letters otherwise.
fn look_alikes(cells: &mut [Cell]) {
    if cells.iter().all(|cell| cell.c.is_ascii()) {
        return;
    }
    let letters = cells.iter().filter(|cell| cell.c.is_alphabetic()).count();
    let latin = cells.iter().filter(|cell| is_latin(cell.c)).count();
    let mostly_latin = latin * 2 > letters;
    let mut at = 0;
    while at < cells.len() {
        let length = cells[at..].iter().take_while(|cell| cell.c.is_alphanumeric()).count();
        if let Some(word) = cells.get_mut(at..at + length) {
            let has_latin = word.iter().any(|cell| is_latin(cell.c));
            let others = || word.iter().filter(|cell| cell.c.is_alphabetic() && !is_latin(cell.c));
            let all_alike = others().all(|cell| latin_of(cell.c).is_some());
            if others().next().is_some() && all_alike && (has_latin || mostly_latin && length > 1) {
                for cell in word {
                    cell.c = latin_of(cell.c).unwrap_or(cell.c);
                }
            }
        }
        at += length.max(1);
    }
}

/// Returns whether a letter is Latin, with or without marks.
fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic()
        || c.is_alphabetic() && matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Returns the Latin letter that a letter of another script looks like, after the table of Unicode's
/// technical standard 39.
fn latin_of(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    let mut buffer = [0; 4];
    let mut skeleton = unicode_security::skeleton(c.encode_utf8(&mut buffer));
    let (Some(like), None) = (skeleton.next(), skeleton.next()) else { return None };
    match like {
        // The table has one form for I, l and 1.
        'l' if c.is_uppercase() => Some('I'),
        like if like.is_ascii_alphanumeric() => Some(like),
        _ => None,
    }
}

/// Tags that do not separate words.
const INLINE: [&str; 18] = [
    "a", "b", "i", "u", "s", "em", "strong", "span", "font", "mark", "small", "big", "code", "sub", "sup",
    "ins", "del", "wbr",
];
/// Longer tags are text.
const LONGEST_TAG: usize = 200;

/// Leaves out tags and the signs of emphasis around words. A tag that separates words becomes a space.
fn without_markup(cells: Vec<Cell>) -> Vec<Cell> {
    let mut made: Vec<Cell> = Vec::with_capacity(cells.len());
    let is_word = |at: usize| cells.get(at).is_some_and(|cell| cell.c.is_alphanumeric());
    let mut at = 0;
    while at < cells.len() {
        let cell = cells[at];
        match cell.c {
            '<' => {
                if let Some((end, inline)) = tag(&cells[at..]) {
                    if !inline {
                        made.push(Cell { c: ' ', start: cell.start, end: cells[at + end - 1].end });
                    }
                    at += end;
                    continue;
                }
                made.push(cell);
            }
            '*' | '_' | '~' => {
                let length = cells[at..].iter().take_while(|other| other.c == cell.c).count();
                let touches = (at > 0 && is_word(at - 1), is_word(at + length));
                if length > 3 || touches.0 == touches.1 {
                    made.extend_from_slice(&cells[at..at + length]);
                }
                at += length;
                continue;
            }
            _ => made.push(cell),
        }
        at += 1;
    }
    made
}

/// Returns the length of the tag at the start, and whether words go on through it.
fn tag(cells: &[Cell]) -> Option<(usize, bool)> {
    let name_at = if cells.get(1)?.c == '/' { 2 } else { 1 };
    let name: String = cells[name_at..]
        .iter()
        .map(|cell| cell.c)
        .take_while(|c| c.is_ascii_alphanumeric())
        .take(12)
        .collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end = cells.iter().take(LONGEST_TAG).position(|cell| cell.c == '>')?;
    if cells[1..end].iter().any(|cell| matches!(cell.c, '<' | '\n')) {
        return None;
    }
    Some((end + 1, INLINE.contains(&name.to_ascii_lowercase().as_str())))
}

/// The least number of single letters in a row that are read as words.
const FEWEST_LETTERS: usize = 4;

/// Joins letters with the same sign or space between them: "J o h n  S m i t h". Two spaces, or a capital
/// after a small letter, start a new word.
fn without_gaps(cells: Vec<Cell>) -> Vec<Cell> {
    let is_word = |at: usize| cells.get(at).is_some_and(|cell| cell.c.is_alphanumeric());
    let is_single = |at: usize| {
        cells.get(at).is_some_and(|cell| cell.c.is_alphabetic())
            && !is_word(at + 1)
            && (at == 0 || !is_word(at - 1))
    };
    let mut made: Vec<Cell> = Vec::with_capacity(cells.len());
    let mut at = 0;
    while at < cells.len() {
        let gap = cells.get(at + 1).map(|cell| cell.c);
        let Some(gap) = gap.filter(|gap| is_single(at) && matches!(gap, ' ' | '.' | '-' | '_' | '*' | '·'))
        else {
            made.push(cells[at]);
            at += 1;
            continue;
        };
        // The letters of the run, and whether a wider gap comes before each.
        let mut letters = vec![(at, false)];
        let mut next = at + 2;
        loop {
            let wide = gap == ' ' && cells.get(next).is_some_and(|cell| cell.c == ' ');
            let letter = next + usize::from(wide);
            if !is_single(letter) || cells.get(letter - 1).is_none_or(|cell| cell.c != gap) {
                break;
            }
            letters.push((letter, wide));
            if cells.get(letter + 1).is_none_or(|cell| cell.c != gap) {
                break;
            }
            next = letter + 2;
        }
        if letters.len() < FEWEST_LETTERS {
            made.push(cells[at]);
            at += 1;
            continue;
        }
        let mut last: Option<Cell> = None;
        for &(letter, wide) in &letters {
            let cell = cells[letter];
            if let Some(last) = last.filter(|last| wide || last.c.is_lowercase() && cell.c.is_uppercase()) {
                made.push(Cell { c: ' ', start: last.end, end: cell.start });
            }
            made.push(cell);
            last = Some(cell);
        }
        at = letters.last().map_or(at, |(letter, _)| *letter) + 1;
    }
    made
}

/// Reads digits and signs inside words as letters, if the word is then a name.
fn digits_as_letters(cells: &mut [Cell], names: &Gazetteer) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '@' | '$' | '!');
    let mut at = 0;
    while at < cells.len() {
        let length = cells[at..].iter().take_while(|cell| is_part(cell.c)).count();
        if let Some(word) = cells.get_mut(at..at + length) {
            let letters = word.iter().filter(|cell| cell.c.is_alphabetic()).count();
            if (3..=20).contains(&length) && letters * 2 >= length && letters < length {
                let read: Option<String> = word.iter().map(|cell| letter_of(cell.c)).collect();
                let name = EntryFlags::GIVEN.bits() | EntryFlags::FAMILY.bits() | EntryFlags::CITY.bits();
                if let Some(read) = read.filter(|read| names.flags(read).bits() & name != 0) {
                    word.iter_mut().zip(read.chars()).for_each(|(cell, c)| cell.c = c);
                }
            }
        }
        at += length.max(1);
    }
}

fn letter_of(c: char) -> Option<char> {
    Some(match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        c if c.is_alphabetic() => c,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn view(text: &str) -> String {
        View::of(text, None).map_or_else(|| text.to_owned(), |view| view.text)
    }

    /// The text of the original for a part of its view.
    fn back<'t>(text: &'t str, part: &str) -> &'t str {
        let view = View::of(text, None).unwrap();
        let at = view.text().find(part).unwrap();
        let ranges = view.originals(text, &(at..at + part.len()));
        assert_eq!(ranges.len(), 1);
        &text[ranges[0].clone()]
    }

    #[test]
    fn letters_are_read_in_every_notation() {
        assert_eq!(view("Ａｎａ Ｎｏｖａｋ"), "Ana Novak");
        assert_eq!(view("𝐀𝐧𝐚 𝕹𝖔𝖛𝖆𝖐"), "Ana Novak");
        assert_eq!(view("A\u{200b}n\u{ad}a N\u{2060}ovak"), "Ana Novak");
        assert_eq!(view("Аnа Nоvаk"), "Ana Novak");
        assert_eq!(view("J\u{336}o\u{336}h\u{336}n"), "John");
        assert_eq!(view("Jose\u{301}"), "José");
        assert_eq!(view("ana＠example．org"), "ana@example.org");
        assert_eq!(view("４１１１ １１１１"), "4111 1111");
    }

    #[test]
    fn texts_in_other_scripts_stay() {
        for text in ["Москва стоит на реке", "Η Αθήνα", "東京 タワー", "Zürich", "naïve", "Plain text."]
        {
            assert_eq!(view(text), text);
        }
    }

    #[test]
    fn words_are_read_through_markup_and_gaps() {
        assert_eq!(view("**John** *Smith*"), "John Smith");
        assert_eq!(view("<b>John</b> <i class=x>Smith</i>"), "John Smith");
        assert_eq!(view("<td>John</td><td>Smith</td>"), " John  Smith ");
        assert_eq!(view("J o h n  S m i t h"), "John Smith");
        assert_eq!(view("J o h n S m i t h went"), "John Smith went");
        assert_eq!(view("j-o-h-n is here"), "john is here");
        for text in ["a b c", "2 * 3", "snake_case_name", "a < b > c", "x, y, z", "5 > 3", "**** note"] {
            assert_eq!(view(text), text);
        }
    }

    #[test]
    fn digits_are_letters_only_in_names() {
        let names = Gazetteer::build([("john", EntryFlags::GIVEN)]).unwrap();
        let view = |text: &str| View::of(text, Some(&names)).map(|view| view.text);
        assert_eq!(view("ask J0hn now").as_deref(), Some("ask John now"));
        assert_eq!(view("ask b4 noon"), None);
    }

    #[test]
    fn parts_lead_back_to_their_bytes() {
        assert_eq!(back("hi Ａｎａ!", "Ana"), "Ａｎａ");
        assert_eq!(back("A\u{200b}na", "Ana"), "A\u{200b}na");
        let (text, part) = ("<b>John</b> <i>Smith</i>.", "John Smith");
        let view = View::of(text, None).unwrap();
        let at = view.text().find(part).unwrap();
        let ranges = view.originals(text, &(at..at + part.len()));
        assert_eq!(ranges.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["John", "Smith"]);
        assert_eq!(back("so J o h n  S m i t h ran", "John"), "J o h n");
        assert_eq!(back("ﬁne", "fi"), "ﬁ");
    }

    proptest! {
        #[test]
        fn places_are_boundaries_and_in_order(text in any::<String>()) {
            if let Some(view) = View::of(&text, None) {
                let mut before = 0;
                for place in &view.places {
                    prop_assert!(view.text.is_char_boundary(place.at));
                    prop_assert!(text.is_char_boundary(place.start) && text.is_char_boundary(place.end));
                    prop_assert!(place.start >= before && place.end >= place.start);
                    before = place.start;
                }
                for (at, c) in view.text.char_indices() {
                    for range in view.originals(&text, &(at..at + c.len_utf8())) {
                        prop_assert!(text.get(range).is_some_and(|part| !part.is_empty()));
                    }
                }
            }
        }

        #[test]
        fn mixed_texts_are_accepted(text in "[a-dA-D01 .*_<>/\u{200b}\u{ff21}-\u{ff24}а-гА-Г\u{301}-]{0,40}") {
            if let Some(view) = View::of(&text, None) {
                for place in &view.places {
                    prop_assert!(text.get(place.start..place.end).is_some());
                }
            }
        }

        #[test]
        fn full_width_text_is_found_at_its_place(word in "[A-Za-z]{2,9}", before in "[a-z ]{0,9}") {
            let wide: String = word.chars().filter_map(|c| char::from_u32(c as u32 + 0xfee0)).collect();
            let text = format!("{before}, {wide}!");
            let view = View::of(&text, None).unwrap();
            let at = view.text().rfind(&word).unwrap();
            let ranges = view.originals(&text, &(at..at + word.len()));
            prop_assert_eq!(ranges.len(), 1);
            prop_assert_eq!(&text[ranges[0].clone()], wide);
        }
    }
}
