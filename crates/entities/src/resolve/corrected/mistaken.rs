//! Words that a tagger takes for something that they do not mean.
//!
//! A finding is left only if it is one of a few known mistakes and nothing else found it. The lists know English, so
//! findings of the tagger of other languages stay, and so do words that no list knows.

use inkveil_detect::{EntryFlags, FoundBy, Kind, Span};
use inkveil_notation::number_from_words;

use super::Flags;
use super::trim::NUMBER_LABELS;
use crate::names::title_of;
use crate::topics::Topic;
use crate::values::{Values, is_unit};

/// Words before a colon at the start of a line that are no names.
const LABELS: &[&str] = &["re", "fw", "fwd", "cc", "bcc", "attn", "ref", "ps", "nb", "tel", "fax", "dob"];

/// Words that only belong to an age.
const OF_AGES: &[&str] = &["aged", "age", "years", "year", "old"];

/// Words of amounts beside numbers: "half a million pounds".
const OF_AMOUNTS: &[&str] = &[
    "half", "quarter", "hundred", "thousand", "million", "billion", "grand", "dozen", "couple", "few",
    "several", "figure", "figures", "k",
];

/// Food and drinks, which are no medication.
const FOOD: &[&str] = &[
    "tea",
    "coffee",
    "water",
    "milk",
    "juice",
    "soup",
    "sugar",
    "salt",
    "honey",
    "lemon",
    "bread",
    "sherry",
    "champagne",
    "prosecco",
];

/// Abbreviations and terms of forms, medicine, work and degrees, which say nothing about a person alone.
const TERMS: &[&str] = &[
    "dob",
    "nhs",
    "nino",
    "cctv",
    "vat",
    "paye",
    "u&es",
    "u&e",
    "fbc",
    "lft",
    "lfts",
    "bd",
    "od",
    "tds",
    "qds",
    "prn",
    "nocte",
    "mane",
    "stat",
    "ecg",
    "eeg",
    "mri",
    "iv",
    "troponin",
    "hba1c",
    "egfr",
    "crp",
    "angiogram",
    "stent",
    "lad",
    "ext",
    "a&e",
    "phd",
    "dphil",
    "msc",
    "bsc",
    "mba",
    "llb",
    "llm",
    "pgce",
    "gcse",
    "sre",
    "api",
    "url",
    "qa",
    "hr",
    "ed",
    "nationality",
    "dual nationality",
    "left",
    "right",
];

/// Products before a number, which say nothing about who has them.
const PRODUCTS: &[&str] = &[
    "iphone", "ipad", "ios", "android", "windows", "macos", "ubuntu", "chrome", "firefox", "safari",
    "galaxy", "pixel",
];

/// Parts of a body and plain complaints. Alone they identify nobody, and no surrogate fits their place in a sentence.
const OF_EVERYBODY: &[&str] = &[
    "neck", "back", "knee", "knees", "arm", "arms", "leg", "legs", "hand", "hands", "foot", "feet", "hip",
    "shoulder", "head", "sore", "stiff", "swollen", "tired", "tearful", "ache", "aching", "numb", "drowsy",
];

/// Parts of a body after "L" or "R", which stand for a side.
const OF_BODIES: &[&str] = &[
    "hallux", "knee", "hip", "foot", "hand", "eye", "ear", "arm", "leg", "shoulder", "wrist", "ankle",
    "elbow", "thumb", "toe", "finger", "breast", "lung", "kidney", "side", "thigh", "calf", "heel", "groin",
    "flank", "cheek", "jaw", "iliac", "femoral", "carotid", "lower", "upper", "big", "great", "little",
];

/// Words before a job or its area: "works in nursing", "as a sitter".
const BEFORE_JOBS: &[&str] = &[
    "a", "an", "as", "in", "of", "former", "retired", "trained", "senior", "junior", "teach", "teaches",
    "taught", "study", "studies", "studied", "studying",
];

/// Words of forms before a colon.
const OF_FORMS: &[&str] = &["policyholder", "claimant", "applicant", "tenant", "landlord", "insured"];

/// Words before a number that counts something: "Session 6", "Ward: 9 East".
const BEFORE_COUNTS: &[&str] = &[
    "session", "ward", "room", "bay", "bed", "floor", "platform", "gate", "page", "item", "step", "part",
    "chapter", "clause",
];

/// The endings of words for people who do something.
const OF_WORKERS: &[&str] = &[
    "er", "or", "ar", "ist", "ian", "man", "men", "woman", "women", "person", "people", "ant", "ent", "ee",
    "eer", "ess", "wright", "smith", "herd", "keeper", "maid", "boy", "monger", "cian", "eur", "crat",
    "trix", "hand", "mate", "master",
];

/// Returns whether a span has no value of its kind: the "1." of a list, the "aged" of "aged 79", the "VAT" of "VAT number".
pub(super) fn is_no_value(text: &str, span: &Span) -> bool {
    let word = text.get(span.range()).unwrap_or_default();
    match span.kind {
        Kind::Date => {
            let before = text.get(..span.start).unwrap_or_default().trim_end_matches(' ');
            let after = text.get(span.end..).unwrap_or_default();
            word.len() < 3
                && word.chars().all(|c| c.is_ascii_digit())
                && before.ends_with('\n')
                && after.starts_with(['.', ')'])
        }
        Kind::Age => word.split(' ').all(|part| OF_AGES.contains(&part.to_lowercase().as_str())),
        Kind::Money => {
            let is_word = |c: char| c.is_alphabetic() || c == ' ' || c == '-';
            let is_number = |part: &str| {
                let part = part.to_lowercase();
                let one = part.strip_suffix('s').unwrap_or(&part);
                number_from_words(&part).is_some()
                    || OF_AMOUNTS.contains(&one)
                    || OF_AMOUNTS.contains(&&*part)
            };
            may_be_mistaken(span) && word.chars().all(is_word) && !word.split([' ', '-']).any(is_number)
        }
        _ => false,
    }
}

/// Returns whether only the tagger of English found a span.
fn may_be_mistaken(span: &Span) -> bool {
    span.reason.found_by == FoundBy::Tagger && span.reason.also.is_empty() && span.reason.name != "languages"
}

/// Returns whether a tagger took a word for something that it does not mean.
pub(super) fn is_mistaken(
    text: &str,
    span: &Span,
    last: Option<&Span>,
    is_before_name: bool,
    flags: Flags<'_>,
) -> bool {
    if !may_be_mistaken(span) {
        return false;
    }
    let words = text.get(span.range()).unwrap_or_default();
    let is_one = !words.contains(char::is_whitespace);
    if may_be_term(&span.kind) && (is_term(words) || is_label(text, span, flags)) {
        return true;
    }
    match span.kind {
        Kind::Date | Kind::Time => {
            is_version(words) && !Values::reads(&span.kind, words)
                || is_count(text, span, 2)
                || is_before_decimals(text, span)
        }
        Kind::Address | Kind::Location => is_count(text, span, 12),
        // "ng/L" after a number is its unit.
        Kind::Id => {
            NUMBER_LABELS.contains(&words.trim_end_matches('.')) || words.contains('/') && is_unit(words)
        }
        Kind::Health => OF_EVERYBODY.contains(&words),
        Kind::Job => {
            let is_after_name = last.is_some_and(|last| {
                last.kind == Kind::Person && matches!(text.get(last.end..span.start), Some(" " | ", "))
            });
            // Letters after a name stay: "RN".
            let is_letters = is_one && words.len() <= 4 && words.chars().all(|c| c.is_ascii_uppercase());
            is_after_name && is_letters || is_no_job(text, span, words, flags)
        }
        Kind::Medication => FOOD.contains(&words),
        Kind::Title => {
            !is_before_name && is_one && title_of(words).is_none() && {
                let known = flags(words);
                let is_name = known.contains(EntryFlags::GIVEN) || known.contains(EntryFlags::FAMILY);
                known.contains(EntryFlags::ORDINARY) && !is_name
            }
        }
        Kind::Person => {
            let is_label = LABELS.contains(&words.to_lowercase().as_str());
            is_label && text.get(span.end..).is_some_and(|after| after.starts_with(':'))
                || is_side_of_body(words)
        }
        _ => false,
    }
}

/// Returns whether a term of a form may be taken for this kind. Names, secrets, and what says something about the health or
/// the beliefs of a person are never left as a term: "Epilepsy: since 2010".
fn may_be_term(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Job
            | Kind::Title
            | Kind::Trait
            | Kind::Organisation
            | Kind::Location
            | Kind::Address
            | Kind::Date
            | Kind::Time
            | Kind::Money
            | Kind::Id
            | Kind::Medication
    )
}

/// Returns whether words are a term or a product: "DOB", "iPhone 14".
fn is_term(words: &str) -> bool {
    let lower = words.to_lowercase();
    let product = lower.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' '));
    // "Mane" and "Od" may be names.
    let is_short_name = words.len() < 5
        && words.starts_with(char::is_uppercase)
        && words.chars().skip(1).all(char::is_lowercase);
    TERMS.contains(&&*lower) && !is_short_name || PRODUCTS.contains(&product)
}

/// Returns whether a word is the label of a line: the "Consultant" of "Consultant: Dr Novak".
fn is_label(text: &str, span: &Span, flags: Flags<'_>) -> bool {
    let words = text.get(span.range()).unwrap_or_default();
    let before = text.get(..span.start).unwrap_or_default();
    let known = flags(words);
    let is_name = [EntryFlags::GIVEN, EntryFlags::FAMILY].into_iter().any(|name| known.contains(name));
    span.kind != Kind::Medication
        && (before.is_empty() || before.ends_with('\n'))
        && text.get(span.end..).is_some_and(|after| after.starts_with(": "))
        && (known.contains(EntryFlags::ORDINARY)
            || known.contains(EntryFlags::JOB)
            || OF_FORMS.contains(&words.to_lowercase().as_str()))
        && !is_name
}

/// Returns whether words are numbers with dots: the "2.14.1" of a program, the "4.1" of a review.
fn is_version(words: &str) -> bool {
    words.contains('.')
        && words.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
}

/// Returns whether a span counts a part of something: the 6 of "Session 6", the "9 East" of "Ward: 9 East". "9 Elm Road" after
/// "Ward" is an address.
fn is_count(text: &str, span: &Span, longest: usize) -> bool {
    let words = text.get(span.range()).unwrap_or_default();
    let before = text.get(..span.start).unwrap_or_default().trim_end_matches([' ', ':']);
    let before = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    let (number, side) = words.split_once(' ').unwrap_or((words, ""));
    words.len() <= longest
        && number.starts_with(|c: char| c.is_ascii_digit())
        && matches!(side, "" | "North" | "East" | "South" | "West")
        && BEFORE_COUNTS.contains(&before.as_str())
}

/// Returns whether a number goes on after a span: the "2." of "2.6".
fn is_before_decimals(text: &str, span: &Span) -> bool {
    let words = text.get(span.range()).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    let rest = if words.ends_with('.') { after } else { after.strip_prefix('.').unwrap_or_default() };
    words.chars().all(|c| c.is_ascii_digit() || c == '.') && rest.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether words in small letters that mean something else are no job, and nothing before them leads to one: the
/// "mediation" of "we offer mediation", but not the "nursing" of "works in nursing".
fn is_no_job(text: &str, span: &Span, words: &str, flags: Flags<'_>) -> bool {
    let before = text.get(..span.start).unwrap_or_default().trim_end();
    let before = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    let is_other = |word: &str| {
        let known = flags(word);
        let one = word.strip_suffix('s').unwrap_or(word);
        // "vascular" is no person.
        let is_worker =
            !one.ends_with("ular") && one.len() > 3 && OF_WORKERS.iter().any(|ending| one.ends_with(ending));
        word.chars().all(char::is_lowercase)
            && known.contains(EntryFlags::ORDINARY)
            && !known.contains(EntryFlags::JOB)
            && !is_worker
    };
    words.split(' ').all(is_other)
        && Topic::of(&Kind::Job, words).is_none()
        && Topic::of(&Kind::Health, words).is_none()
        && !BEFORE_JOBS.contains(&before.as_str())
}

/// Returns whether words are a side and a part of a body: "L hallux".
fn is_side_of_body(words: &str) -> bool {
    let rest = words.strip_prefix("L ").or_else(|| words.strip_prefix("R "));
    rest.and_then(|rest| rest.split(' ').next()).is_some_and(|part| OF_BODIES.contains(&part))
}
