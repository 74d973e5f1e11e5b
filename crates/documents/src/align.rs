//! Finds what has changed between two texts.

use std::ops::Range;

use crate::document::Edit;

/// How many words ahead the same words are looked for again.
const WINDOW: usize = 200;
/// A run of this many equal words is not a coincidence.
const SURE: usize = 3;
/// The most pairs of words that are compared with each other.
const MOST: usize = 250_000;

/// Returns the changes that make `new` from `old`, in order. If both have as many lines, no change crosses a line.
pub(crate) fn changes(old: &str, new: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    let count = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
    if count(old) != count(new) {
        changes_within(old, new, 0, &mut edits);
        return edits;
    }
    let mut start = 0;
    for (old, new) in old.split('\n').zip(new.split('\n')) {
        if old != new {
            let cells = |text: &str| text.bytes().filter(|byte| *byte == b'\t').count();
            match cells(old) == cells(new) {
                true => {
                    let mut at = start;
                    for (old, new) in old.split('\t').zip(new.split('\t')) {
                        changes_within(old, new, at, &mut edits);
                        at += old.len() + 1;
                    }
                }
                false => changes_within(old, new, start, &mut edits),
            }
        }
        start += old.len() + 1;
    }
    edits
}

/// Adds the changes of a text that begins at `start`.
fn changes_within(old: &str, new: &str, start: usize, edits: &mut Vec<Edit>) {
    if old == new {
        return;
    }
    let (before, after) = (words(old), words(new));
    let same = |one: usize, other: usize| old[before[one].clone()] == new[after[other].clone()];
    let (mut one, mut other) = (0, 0);
    while one < before.len() || other < after.len() {
        if one < before.len() && other < after.len() && same(one, other) {
            (one, other) = (one + 1, other + 1);
            continue;
        }
        let (to, also_to) = resume(&before, &after, one, other, &|a, b| same(a, b), old);
        let bytes = |words: &[Range<usize>], from: usize, to: usize, length: usize| {
            let at = |index: usize| words.get(index).map_or(length, |word| word.start);
            at(from)..at(to)
        };
        for (from, also_from, to, also_to) in differences(one..to, other..also_to, &same) {
            let range = bytes(&before, from, to, old.len());
            let text = &new[bytes(&after, also_from, also_to, new.len())];
            edits.push(Edit::new(range.start + start..range.end + start, text));
        }
        (one, other) = (to, also_to);
    }
}

/// Returns the smallest differences between a few words and their replacements: from and to in both.
fn differences(
    one: Range<usize>,
    other: Range<usize>,
    same: &dyn Fn(usize, usize) -> bool,
) -> Vec<(usize, usize, usize, usize)> {
    let (rows, columns) = (one.len(), other.len());
    if rows == 0 || columns == 0 || rows * columns > MOST {
        return vec![(one.start, other.start, one.end, other.end)];
    }
    // The longest common sequence of words from each place on.
    let width = columns + 1;
    let mut longest = vec![0_u32; (rows + 1) * width];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            longest[row * width + column] = match same(one.start + row, other.start + column) {
                true => longest[(row + 1) * width + column + 1] + 1,
                false => longest[(row + 1) * width + column].max(longest[row * width + column + 1]),
            };
        }
    }
    let (mut row, mut column, mut found) = (0, 0, Vec::new());
    let mut begun = None;
    loop {
        let ended = row == rows && column == columns;
        let equal = row < rows && column < columns && same(one.start + row, other.start + column);
        if (ended || equal)
            && let Some((from, also_from)) = begun.take()
        {
            found.push((one.start + from, other.start + also_from, one.start + row, other.start + column));
        }
        if ended {
            return found;
        }
        if equal {
            (row, column) = (row + 1, column + 1);
            continue;
        }
        begun.get_or_insert((row, column));
        let down = row < rows
            && (column == columns
                || longest[(row + 1) * width + column] >= longest[row * width + column + 1]);
        match down {
            true => row += 1,
            false => column += 1,
        }
    }
}

/// Returns where both texts are the same again.
fn resume(
    before: &[Range<usize>],
    after: &[Range<usize>],
    one: usize,
    other: usize,
    same: &dyn Fn(usize, usize) -> bool,
    old: &str,
) -> (usize, usize) {
    let is_word = |index: usize| old[before[index].clone()].chars().all(char::is_alphanumeric);
    // Enough equal words in a row, or all that is left.
    let agrees = |mut a: usize, mut b: usize| {
        let mut equal = 0;
        while a < before.len() && b < after.len() && same(a, b) {
            equal += usize::from(is_word(a));
            if equal >= SURE {
                return true;
            }
            (a, b) = (a + 1, b + 1);
        }
        a == before.len() && b == after.len()
    };
    for distance in 1..=2 * WINDOW {
        for ahead in distance.saturating_sub(WINDOW)..=distance.min(WINDOW) {
            let (a, b) = (one + ahead, other + distance - ahead);
            if a <= before.len() && b <= after.len() && agrees(a, b) {
                return (a, b);
            }
        }
    }
    // Nothing in reach: the ends may still be the same.
    let (mut a, mut b) = (before.len(), after.len());
    while a > one && b > other && same(a - 1, b - 1) {
        (a, b) = (a - 1, b - 1);
    }
    (a, b)
}

/// The bytes of words, and of every other character alone.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let is_word = c.is_alphanumeric();
        match words.last_mut() {
            Some(last) if in_word && is_word => last.end = end,
            _ => words.push(at..end),
        }
        in_word = is_word;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(old: &str, new: &str) -> Vec<(String, String)> {
        let edits = changes(old, new);
        let (mut made, mut at) = (String::new(), 0);
        for edit in &edits {
            assert!(edit.range.start >= at);
            made.push_str(&old[at..edit.range.start]);
            made.push_str(&edit.text);
            at = edit.range.end;
        }
        made.push_str(&old[at..]);
        assert_eq!(made, new);
        edits.into_iter().map(|edit| (old[edit.range].to_owned(), edit.text)).collect()
    }

    #[test]
    fn changes_make_the_new_text() {
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(applied("a b", "a b"), []);
        assert_eq!(
            applied("Ask Ana Novak in Lyon about it.", "Ask Mira Rose in Graz about it."),
            [pair("Ana", "Mira"), pair("Novak", "Rose"), pair("Lyon", "Graz")]
        );
        assert_eq!(
            applied("Ana went home to see us all today.\nAna", "Mira went home to see us all today.\nMira"),
            [pair("Ana", "Mira"), pair("Ana", "Mira")]
        );
        assert_eq!(applied("a\tb", "a\tc"), [pair("b", "c")]);
        applied("", "x");
        applied("x", "");
        applied("one\ntwo", "one two three");
        applied("é ü ñ", "ü é");
        let long = "word ".repeat(3000);
        applied(&long, &long.replace("word", "other"));
        applied(&long, &format!("{long}{long}"));
    }
}
