//! Numbers, dates and secrets in words.

use std::ops::Range;
use std::sync::LazyLock;

use inkveil_notation::NUMBER_WORDS;

use super::letters::{char_before, is_listed, is_word_char};
use super::rule::{Edges, Rule, Trigger, Verdict};
use super::time::FULL_MONTHS;
use crate::kind::Kind;

/// The words of a number that is read out.
static DIGITS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    ["zero", "oh", "nought", "double", "triple"].iter().chain(NUMBER_WORDS).copied().collect()
});

/// A digit in words, for patterns that ignore case.
const DIGIT: &str = "(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine)";
const ORDINAL: &str = "(?:twenty[ -]?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirty[ -]?first|first|second|third\
    |fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth\
    |eighteenth|nineteenth|twentieth|thirtieth)";
const MONTH: &str =
    "(?:january|february|march|april|may|june|july|august|september|october|november|december)";
const YEAR: &str = "(?:(?:eighteen|nineteen|twenty)[ -](?:hundred|oh[ -][a-z]{3,5}|(?:ten|eleven|twelve|thirteen|fourteen|fifteen\
    |sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five\
    |six|seven|eight|nine))?)|two thousand(?:(?: and)?[ -](?:(?:twenty[ -]?)?(?:one|two|three|four|five|six|seven|eight|nine)|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty))?|[12][0-9]{3})";

const ORDINALS: &[&str] = &[
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty",
    "thirtieth",
    "thirty",
];

pub(super) fn rules() -> Vec<Rule> {
    let words = "((?:[a-z]{2,12}[ ,-]{1,2}){2,24}[a-z]{2,12})";
    vec![
        Rule::new("phone-in-words", Kind::Phone, "A telephone number in words.", 0.75)
            .parsed(Trigger::Words(&DIGITS), spoken_number)
            .edges(Edges::Word),
        Rule::new("phone-vanity", Kind::Phone, "A telephone number with letters in place of digits.", 0.85)
            .shape(
                r"(?:1[ .-]\(?8(?:00|33|44|55|66|77|88)\)?[ .-]|\(?8(?:00|33|44|55|66|77|88)\)?[.-])(?:[A-Z]{3}[ .-][A-Z0-9]{4}|[A-Z]{2,5}[ .-][A-Z]{2,6}|[A-Z]{4,10}|[A-Z]{2,6}[0-9]{1,4}|[0-9]{1,3}[ .-]?[A-Z]{3,7})",
            )
            .shape(r"0[389]0[0-9][ .-](?:[0-9]{1,3}[ .-])?[A-Z]{4,10}")
            .shape(r"[2-9][0-9]{2}-(?:[A-Z]{7}|[A-Z]{4}-[A-Z]{3}|[A-Z]{3}-[A-Z]{4})")
            .edges(Edges::Word),
        Rule::new("pin-in-words", Kind::CardCode, "A personal identification number in words.", 0.85)
            .led(
                &["pin", "pincode", "passcode", "code", "combination"],
                format!(
                    r"(?i)(?:[ -]?(?:code|number))?(?: (?:for|to|of|on) [a-z' ]{{1,30}}?)?\s{{0,2}}(?:is|was|:|=)\s{{0,2}}((?:{DIGIT}[ ,-]{{1,2}}){{2,9}}{DIGIT})"
                ),
            )
            .edges(Edges::Word),
        Rule::new("date-in-words", Kind::Date, "A date in words.", 0.85)
            .shape_at(FULL_MONTHS, format!("(?i:{MONTH} (?:the )?{ORDINAL}(?:,? (?:in )?{YEAR})?)"))
            .shape_at(ORDINALS, format!("(?i:{ORDINAL}(?: day)? of {MONTH}(?:,? (?:in )?{YEAR})?)"))
            .shape_at(FULL_MONTHS, format!("(?i:{MONTH},? (?:of |in )?{YEAR})"))
            .filtered(|text| if text.contains('\n') { Verdict::Invalid } else { Verdict::Unsure })
            .edges(Edges::Word),
        Rule::new("year-in-words", Kind::Date, "A year in words.", 0.7)
            .shape_at(
                &["eighteen", "nineteen"],
                "(?i:(?:eighteen|nineteen)[ -](?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)",
            )
            .edges(Edges::Word),
        Rule::new("passphrase", Kind::Password, "A password of several words.", 0.85)
            .led(
                &["passphrase", "passphrases", "password", "passwd"],
                format!(r#"(?i)(?: (?:for|to|of|on) [a-z' ]{{1,30}}?)?\s{{0,2}}(?:is|was|:|=)\s{{0,2}}["'“]?{words}"#),
            )
            .filtered(passphrase)
            .edges(Edges::Word),
        Rule::new("seed-phrase", Kind::Secret, "The words that restore a wallet.", 0.92)
            .led(
                &["seed", "mnemonic", "recovery", "backup", "wallet", "secret"],
                format!(r#"(?i)(?:[ -](?:phrase|words|seed|key|backup|recovery))*(?: (?:for|to|of) [a-z' ]{{1,30}}?)?\s{{0,2}}(?:is|are|was|:|=|-)\s{{0,2}}["'“]?{words}"#),
            )
            .filtered(seed_phrase)
            .edges(Edges::Word),
        Rule::new("name-labelled", Kind::Person, "A name after a label such as last name.", 0.75)
            .led(
                &["surname", "lastname", "firstname", "forename", "fullname", "givenname", "familyname", "middlename", "maidenname", "fname", "lname"],
                format!(r#"["']?\s{{0,2}}[:=]\s{{0,2}}["']?{NAME}"#),
            )
            .led(
                &["first", "last", "given", "family", "middle", "maiden", "full", "customer", "patient", "contact", "user", "student", "employee"],
                format!(r#"(?i:[ _-]?name)["']?\s{{0,2}}[:=]\s{{0,2}}["']?{NAME}"#),
            )
            .led(
                &["first", "last", "name", "given", "family", "middle", "maiden"],
                format!(r#""\s{{0,2}}:\s{{0,2}}"{NAME}""#),
            )
            .led(
                &["surname", "firstname", "lastname", "forename", "fname", "lname", "first", "last", "name"],
                format!(r"(?i:_?name)?>{NAME}</"),
            )
            .filtered(labelled_name)
            .edges(Edges::Word),
    ]
}

/// One to four words of letters, as a name in a record.
const NAME: &str = r"(\p{L}[\p{L}'’-]{1,30}(?: \p{L}[\p{L}'’.-]{0,30}){0,3})";

/// The least number of digits of a telephone number in words.
const FEWEST_DIGITS: usize = 7;

/// Finds a run of digits in words that starts at `at`.
fn spoken_number(text: &str, at: usize, found: &mut Vec<Range<usize>>) {
    let before = text[..at].trim_end_matches([' ', ',', '-', '.']);
    let last = before.len() - before.rsplit(|c: char| !c.is_ascii_alphabetic()).next().map_or(0, str::len);
    // Only the first word of a run starts it.
    if before.len() < at && is_digit(&before[last..]) || char_before(text, at).is_some_and(is_word_char) {
        return;
    }
    let (mut end, mut digits, mut place) = (at, 0, at);
    let mut times = 1;
    loop {
        let rest = &text[place..];
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let word = rest[..length].to_ascii_lowercase();
        match word.as_str() {
            "double" => times = 2,
            "triple" => times = 3,
            "hundred" => digits += 2,
            word if is_digit(word) => {
                digits += times;
                times = 1;
            }
            _ => break,
        }
        end = place + length;
        let gap = &text[end..];
        let skipped = gap.len() - gap.trim_start_matches([' ', ',', '-', '.']).len();
        if skipped == 0 || skipped > 3 {
            break;
        }
        place = end + skipped;
    }
    if digits >= FEWEST_DIGITS {
        found.push(at..end);
    }
}

fn is_digit(word: &str) -> bool {
    DIGITS.iter().any(|digit| digit.eq_ignore_ascii_case(word))
}

/// Words of sentences about passwords, which passwords do not contain.
const SENTENCE: &str = "the to not required a an is are was must be your my you it that this which should will can has have \
    been for when if incorrect wrong empty invalid missing too set stored used changed sent reset needed still based \
    required by on of in at least long short weak strong same only";

fn passphrase(text: &str) -> Verdict {
    let words = || text.split([' ', ',', '-']).filter(|word| !word.is_empty());
    let said = words().any(|word| is_listed(SENTENCE, &word.to_ascii_lowercase()));
    if said || words().count() < 3 { Verdict::Invalid } else { Verdict::Unsure }
}

fn seed_phrase(text: &str) -> Verdict {
    let words = || text.split([' ', ',', '-']).filter(|word| !word.is_empty());
    let said = words().filter(|word| is_listed(SENTENCE, &word.to_ascii_lowercase())).count();
    if words().count() < 6 || said > 1 { Verdict::Invalid } else { Verdict::Unsure }
}

/// Values of labels in code that are no names.
const NO_NAMES: &str = "string str null none true false varchar text name usize required optional value undefined unknown nan \
    number integer int char boolean bool default test field column example the not";

fn labelled_name(text: &str) -> Verdict {
    let first = text.split(' ').next().unwrap_or_default().to_ascii_lowercase();
    if is_listed(NO_NAMES, &first) { Verdict::Invalid } else { Verdict::Unsure }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores};

    #[test]
    fn numbers_in_words() {
        finds(
            "phone-in-words",
            &[
                "call [[five five five one two three four]] now",
                "[[oh seven seven double oh nine one two three four five]].",
                "my cell: [[four one five, five five five, oh one two three]]",
            ],
        );
        ignores("phone-in-words", &["one two three", "twenty four seven support", "phones"]);
        finds("phone-vanity", &["call [[1-800-FLOWERS]] now", "[[555-CALL-NOW]]", "ring [[0800 DENTIST]]"]);
        ignores("phone-vanity", &["800 METRES", "ISO 800 FILM speed", "1-800"]);
        finds("pin-in-words", &["my pin is [[four seven one nine]]", "PIN code: [[one two three four]]"]);
        ignores("pin-in-words", &["the code is one of three", "pin one"]);
    }

    #[test]
    fn dates_in_words() {
        finds(
            "date-in-words",
            &[
                "on the [[third of march nineteen eighty-seven]]",
                "born [[June twenty-first, nineteen ninety]]",
                "[[May the fourth]] be",
            ],
        );
        ignores("date-in-words", &["the first of many", "march on"]);
        finds("year-in-words", &["born in [[nineteen eighty-four]]"]);
    }

    #[test]
    fn secrets_in_words() {
        finds(
            "passphrase",
            &["the passphrase is [[correct horse battery staple]]", "password: [[blue tiger river seven]]."],
        );
        ignores(
            "passphrase",
            &["the password is required to log in", "password: hunter", "password is too short here"],
        );
        finds("seed-phrase", &["seed phrase: [[ripple cactus oven lunar velvet jazz]]"]);
        ignores(
            "seed-phrase",
            &["the seed is one number", "recovery is slow but it will be done when you can"],
        );
    }

    #[test]
    fn names_in_records() {
        finds(
            "name-labelled",
            &[
                r#"{"last":"[[smith]]"}"#,
                "first_name: [[ana]]",
                "Surname=[[Novak]]",
                "<lastname>[[Novak]]</lastname>",
            ],
        );
        ignores("name-labelled", &["first_name: String", "last: usize", "\"name\": null"]);
    }
}
