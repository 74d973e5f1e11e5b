//! The words of a text in one script.

use std::ops::Range;

use super::letters::Script;

/// A word: letters of one script, with marks and apostrophes inside it.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Word {
    pub(super) fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Returns whether a sign belongs to a word if letters are on both sides of it.
fn joins(c: char, script: Script) -> bool {
    match script {
        Script::Cyrillic => matches!(c, '\'' | '’' | 'ʼ'),
        Script::Hebrew => matches!(c, '\'' | '"' | '״' | '׳' | '’'),
        Script::Arabic => c == '\u{200c}',
        Script::Devanagari => matches!(c, '\u{200c}' | '\u{200d}'),
        _ => false,
    }
}

/// Returns whether a sign is a mark on the letter before it.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c),
        0x300..=0x36F | 0x591..=0x5C7 | 0x610..=0x61A | 0x640 | 0x64B..=0x65F | 0x670 | 0x6D6..=0x6DC
        | 0x900..=0x903 | 0x93A..=0x94F | 0x951..=0x957 | 0x962..=0x963)
}

/// Returns the words of a script. A word that touches letters of another script is left out.
pub(super) fn words(text: &str, script: Script) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((start, first)) = chars.next() {
        if Script::of(first) != Some(script) {
            before = first;
            continue;
        }
        let mut end = start + first.len_utf8();
        while let Some(&(at, c)) = chars.peek() {
            let next = || text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
            let inside = Script::of(c) == Some(script)
                || is_mark(c)
                || joins(c, script) && next().is_some_and(|next| Script::of(next) == Some(script));
            if !inside {
                break;
            }
            chars.next();
            end = at + c.len_utf8();
        }
        let touches =
            before.is_alphanumeric() || chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !touches {
            words.push(Word { start, end });
        }
        before = first;
    }
    words
}

/// Returns the word before a place, without the dot at its end, as a title is written: "г-н", "д-р", "ד\"ר".
pub(super) fn before(text: &str, start: usize) -> &str {
    let head = text.get(..start).unwrap_or_default();
    let head = head.trim_end_matches([' ', '\u{a0}', '.']);
    let far = head.char_indices().rev().take(20).last().map_or(0, |(at, _)| at);
    let near = &head[far..];
    let cut = near.rfind(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '(' | '«' | '„' | '.'));
    cut.map_or(near, |at| near[at..].trim_start_matches(|c: char| !c.is_alphanumeric()))
}
