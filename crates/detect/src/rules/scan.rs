//! One pass over a text that finds the places where something sensitive may start.
//!
//! The text is split into runs of letters, digits and underscores. Most runs of ordinary prose need a single
//! hash lookup. Only the places that [`Visit`] lists need more.

use super::letters::{char_before, is_word_char};

/// Receives the places. They are in bytes and ascending within each method.
pub(super) trait Visit {
    /// A number, a code, or a sign at the start of a number.
    fn shape(&mut self, start: usize);
    /// A word of some rule, from `start` to `end`.
    fn word(&mut self, word: usize, start: usize, end: usize);
    /// An `@`.
    fn at(&mut self, at: usize);
    /// The colon of `://`.
    fn scheme(&mut self, at: usize);
    /// The first of several runs joined by dots.
    fn host(&mut self, start: usize);
    /// A word with a number after it.
    fn word_before_number(&mut self, start: usize);
}

/// A hash table of words in lower case.
#[derive(Debug)]
pub(super) struct Words {
    words: Vec<String>,
    /// Open addressing: the hash of a word and its index plus one. Zero is a free slot.
    slots: Vec<(u64, u32)>,
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
}

fn hash_of(word: &[u8]) -> u64 {
    word.iter().fold(SEED, |hash, byte| step(hash, byte.to_ascii_lowercase()))
}

impl Words {
    pub(super) fn new(words: Vec<String>) -> Self {
        let mut slots = vec![(0, 0); (words.len() * 8).next_power_of_two()];
        for (index, word) in (1..).zip(&words) {
            let hash = hash_of(word.as_bytes());
            let mut slot = Self::slot(hash, slots.len());
            while slots[slot].1 != 0 {
                slot = (slot + 1) % slots.len();
            }
            slots[slot] = (hash, index);
        }
        Words { words, slots }
    }

    fn slot(hash: u64, slots: usize) -> usize {
        // The upper bits are mixed best.
        (hash >> 32) as usize & (slots - 1)
    }

    fn find(&self, hash: u64, word: &[u8]) -> Option<usize> {
        let mut slot = Self::slot(hash, self.slots.len());
        loop {
            let (known, index) = self.slots[slot];
            let index = (index as usize).checked_sub(1)?;
            if known == hash && self.words[index].as_bytes().eq_ignore_ascii_case(word) {
                return Some(index);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }
}

/// Classes of bytes, as bits.
const UPPER: u8 = 1;
const LOWER: u8 = 2;
const DIGIT: u8 = 4;
const JOINER: u8 = 8;
const BEYOND: u8 = 16;
const SIGN: u8 = 32;
const IN_WORD: u8 = UPPER | LOWER | DIGIT | JOINER;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => DIGIT,
            b'_' => JOINER,
            b'@' | b':' | b'+' | b'(' | b'$' | b'*' | b'-' | b'[' | b'<' => SIGN,
            0x80.. => BEYOND,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Runs of at least this length may be keys or tokens, even without digits.
const LONG: usize = 16;

/// Walks the text once and passes the places to `visit`.
pub(super) fn scan(text: &str, words: &Words, visit: &mut impl Visit) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // The end of the current chain of names joined by dots.
    let mut joined_until = 0;
    while at < bytes.len() {
        let class = CLASSES[bytes[at] as usize];
        if class & IN_WORD != 0 || (class == BEYOND && next_char(text, at).is_some_and(is_word_char)) {
            let run = Run::read(text, at);
            run.report(text, words, visit);
            if bytes.get(run.end) == Some(&b'.') && word_at(text, run.end + 1) {
                if at >= joined_until {
                    visit.host(at);
                }
                joined_until = run.end + 2;
            } else if bytes.get(run.end) == Some(&b'-') && at < joined_until {
                joined_until = run.end + 2;
            }
            at = run.end;
        } else if class == BEYOND {
            let c = next_char(text, at).unwrap_or(' ');
            if is_currency(c) {
                visit.shape(at);
            }
            at += c.len_utf8();
        } else {
            if class == SIGN {
                sign(text, at, visit);
            }
            at += 1;
        }
    }
}

fn next_char(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

fn word_at(text: &str, at: usize) -> bool {
    next_char(text, at).is_some_and(is_word_char)
}

/// Returns whether a character is a currency sign outside ASCII.
pub(super) fn is_currency(c: char) -> bool {
    matches!(c, '¢'..='¥' | '₠'..='₿' | '฿' | '﷼' | '￡' | '￥')
}

fn sign(text: &str, at: usize, visit: &mut impl Visit) {
    let bytes = text.as_bytes();
    let next = bytes.get(at + 1).copied().unwrap_or(b' ');
    // A sign directly after a word belongs to the word: `a+1`, `f(2)`, `x-3`.
    let free = || !char_before(text, at).is_some_and(is_word_char);
    match bytes[at] {
        b'@' => visit.at(at),
        b':' if next == b'/' && bytes.get(at + 2) == Some(&b'/') => visit.scheme(at),
        b':' if next == b':' && free() => visit.shape(at),
        b'$' if next.is_ascii_digit() || next == b' ' => visit.shape(at),
        b'+' | b'-' if (next.is_ascii_digit() || matches!(next, b'(' | b'.' | b'$')) && free() => {
            visit.shape(at)
        }
        b'(' | b'[' | b'<' if (next.is_ascii_digit() || matches!(next, b'+' | b'-')) && free() => {
            visit.shape(at)
        }
        b'*' if at == 0 || bytes[at - 1] != b'*' => visit.shape(at),
        _ => {}
    }
}

/// A run of letters, digits and underscores.
struct Run {
    start: usize,
    end: usize,
    classes: u8,
    hash: u64,
}

impl Run {
    fn read(text: &str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let mut run = Run { start, end: start, classes: 0, hash: SEED };
        while let Some(&byte) = bytes.get(run.end) {
            let class = CLASSES[byte as usize];
            if class & IN_WORD != 0 {
                run.hash = step(run.hash, byte.to_ascii_lowercase());
                run.end += 1;
            } else if class == BEYOND {
                let Some(c) = next_char(text, run.end).filter(|c| is_word_char(*c)) else { break };
                for &byte in &bytes[run.end..run.end + c.len_utf8()] {
                    run.hash = step(run.hash, byte);
                }
                run.end += c.len_utf8();
            } else {
                break;
            }
            run.classes |= class;
        }
        run
    }

    fn report(&self, text: &str, words: &Words, visit: &mut impl Visit) {
        let bytes = text.as_bytes();
        let run = &bytes[self.start..self.end];
        if self.classes & DIGIT != 0 {
            if self.classes != DIGIT {
                self.report_parts(bytes, words, visit);
            }
            visit.shape(self.start);
            return;
        }
        if let Some(word) = words.find(self.hash, run) {
            visit.word(word, self.start, self.end);
        } else if self.has_parts(run) {
            self.report_parts(bytes, words, visit);
        }
        let after = |ahead: usize| bytes.get(self.end + ahead).copied().unwrap_or(b' ');
        let number_follows = match after(0) {
            b' ' | b'-' | b'.' => {
                after(1).is_ascii_digit()
                    || (after(0) == b'.' && after(1) == b' ' && after(2).is_ascii_digit())
            }
            _ => false,
        };
        if number_follows && run.len() >= 4 {
            visit.word_before_number(self.start);
        }
        let code = run.len() >= LONG
            // Letters before a number: `AB 12 34 56 C`, `CHF 300`, `B-MW 1234`.
            || (run.len() <= if self.classes == UPPER { 5 } else { 3 }
                && (number_follows || (after(0) == b'-' && after(1).is_ascii_alphabetic())))
            // Names joined by dots: `ada.king99`, `SG.…`.
            || (after(0) == b'.' && after(1).is_ascii_alphanumeric())
            // Bank codes have eight or eleven upper-case letters.
            || (self.classes == UPPER && matches!(run.len(), 8 | 11))
            // Hexadecimal digits that are letters: `fe:ed:…`, `dead:beef::1`, `deadbeef-…`.
            || (matches!(run.len(), 1..=8)
                && matches!(after(0), b':' | b'-')
                && (after(1).is_ascii_hexdigit() || after(1) == b':')
                && run.iter().all(u8::is_ascii_hexdigit))
            // A currency sign after its country: `US$ 20`, `C$5`.
            || after(0) == b'$';
        if code {
            visit.shape(self.start);
        }
    }

    /// Returns whether this is an identifier in code: `user_name`, `userName`.
    fn has_parts(&self, run: &[u8]) -> bool {
        let class = |byte: u8| CLASSES[byte as usize];
        self.classes & JOINER != 0
            || (self.classes & UPPER != 0
                && self.classes & LOWER != 0
                && run.windows(2).any(|two| starts_part(class(two[0]), class(two[1]))))
    }

    /// Looks up the parts of an identifier in code, without numbers at their ends: `db2_password`,
    /// `oauth2Token`, `key1`.
    fn report_parts(&self, bytes: &[u8], words: &Words, visit: &mut impl Visit) {
        let mut part = Part::new(self.start);
        let mut before = 0;
        for (at, &byte) in (self.start..).zip(&bytes[self.start..self.end]) {
            let class = CLASSES[byte as usize];
            if class == JOINER {
                part.report(bytes, words, visit);
                part = Part::new(at + 1);
            } else {
                if starts_part(before, class) {
                    part.report(bytes, words, visit);
                    part = Part::new(at);
                }
                part.take(at, byte, class);
            }
            before = class;
        }
        part.report(bytes, words, visit);
    }
}

/// A part of a run, up to its last letter.
struct Part {
    start: usize,
    end: usize,
    hash: u64,
    /// The hash with the digits that follow the last letter so far.
    hash_with_digits: u64,
}

impl Part {
    fn new(start: usize) -> Self {
        Part { start, end: start, hash: SEED, hash_with_digits: SEED }
    }

    fn take(&mut self, at: usize, byte: u8, class: u8) {
        self.hash_with_digits = step(self.hash_with_digits, byte.to_ascii_lowercase());
        if class != DIGIT {
            (self.end, self.hash) = (at + 1, self.hash_with_digits);
        }
    }

    fn report(&self, bytes: &[u8], words: &Words, visit: &mut impl Visit) {
        // Single letters are ignored.
        if self.end - self.start > 1
            && let Some(word) = words.find(self.hash, &bytes[self.start..self.end])
        {
            visit.word(word, self.start, self.end);
        }
    }
}

/// Returns whether an upper-case letter starts a part, given the class of the byte before it.
fn starts_part(before: u8, class: u8) -> bool {
    class == UPPER && before & (LOWER | DIGIT) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(Vec<(&'static str, usize)>);

    impl Visit for Log {
        fn shape(&mut self, start: usize) {
            self.0.push(("shape", start));
        }
        fn word(&mut self, _: usize, start: usize, _: usize) {
            self.0.push(("word", start));
        }
        fn at(&mut self, at: usize) {
            self.0.push(("at", at));
        }
        fn scheme(&mut self, at: usize) {
            self.0.push(("scheme", at));
        }
        fn host(&mut self, start: usize) {
            self.0.push(("host", start));
        }
        fn word_before_number(&mut self, start: usize) {
            self.0.push(("number", start));
        }
    }

    fn log(text: &str) -> Vec<(&'static str, usize)> {
        let words = Words::new(vec!["march".into(), "password".into(), "straße".into()]);
        let mut log = Log::default();
        scan(text, &words, &mut log);
        log.0
    }

    #[test]
    fn prose_has_no_places() {
        assert_eq!(log("The well-known author went home; nobody asked (again) why."), []);
    }

    #[test]
    fn places_where_a_value_may_start() {
        assert_eq!(log("in MARCH"), [("word", 3)]);
        assert_eq!(log("Marching"), []);
        assert_eq!(log("the straße"), [("word", 4)]);
        assert_eq!(log("rooms 12 b7"), [("number", 0), ("shape", 6), ("shape", 9)]);
        assert_eq!(log("AB 12"), [("shape", 0), ("shape", 3)]);
        assert_eq!(log("call (0171)"), [("shape", 5), ("shape", 6)]);
        assert_eq!(log("a€5"), [("shape", 1), ("shape", 4)]);
        assert_eq!(log("http://a"), [("scheme", 4)]);
        assert_eq!(log("电话13812345678"), [("shape", 6)]);
        assert_eq!(log("f(2)"), [("shape", 2)]);
    }

    #[test]
    fn parts_of_identifiers_in_code() {
        assert_eq!(log("password_of_db"), [("word", 0)]);
        assert_eq!(log("password_or_march"), [("word", 0), ("word", 12), ("shape", 0)]);
        assert_eq!(log("db_password"), [("word", 3)]);
        assert_eq!(log("userPassword"), [("word", 4)]);
        assert_eq!(log("mypassword"), []);
        assert_eq!(log("db_password_prod"), [("word", 3), ("shape", 0)]);
        assert_eq!(log("db2_password"), [("word", 4), ("shape", 0)]);
        assert_eq!(log("db2Password_x"), [("word", 3), ("shape", 0)]);
        assert_eq!(log("password12"), [("word", 0), ("shape", 0)]);
        assert_eq!(log("1password"), [("shape", 0)]);
        assert_eq!(log("_password_"), [("word", 1)]);
    }

    #[test]
    fn a_chain_of_dotted_names_is_visited_once() {
        let hosts = |text| {
            log(text).into_iter().filter(|(place, _)| *place == "host").map(|(_, at)| at).collect::<Vec<_>>()
        };
        assert_eq!(hosts("www.example.co.uk"), [0]);
        assert_eq!(hosts("a.b-c.d e.f"), [0, 8]);
    }
}
