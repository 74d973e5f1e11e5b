//! Whether the words around a place are about a person.

use std::ops::Range;

/// The reach of context, in words.
const BEFORE: usize = 9;
const AFTER: usize = 6;

/// Words that stand for a person.
const PERSONS: &[&str] = &[
    "i",
    "im",
    "ive",
    "me",
    "my",
    "mine",
    "myself",
    "he",
    "hes",
    "him",
    "his",
    "himself",
    "she",
    "shes",
    "her",
    "hers",
    "herself",
    "they",
    "theyre",
    "them",
    "their",
    "we",
    "our",
    "who",
    "whose",
    "someone",
    "somebody",
    "everyone",
    "man",
    "men",
    "woman",
    "women",
    "guy",
    "guys",
    "girl",
    "girls",
    "boy",
    "boys",
    "kid",
    "kids",
    "person",
    "people",
    "husband",
    "wife",
    "ex",
    "boyfriend",
    "girlfriend",
    "partner",
    "fiance",
    "mother",
    "father",
    "mom",
    "dad",
    "mum",
    "parents",
    "brother",
    "sister",
    "son",
    "daughter",
    "uncle",
    "aunt",
    "cousin",
    "niece",
    "nephew",
    "grandmother",
    "grandfather",
    "grandma",
    "grandpa",
    "friend",
    "friends",
    "neighbour",
    "neighbor",
    "neighbours",
    "colleague",
    "coworker",
    "boss",
    "roommate",
    "flatmate",
    "landlord",
    "tenant",
    "employee",
    "applicant",
    "candidate",
    "client",
    "customer",
    "patient",
    "defendant",
    "suspect",
    "victim",
    "witness",
    "student",
    "teacher",
    "pupil",
    "nurse",
    "doctor",
    "manager",
    "lawyer",
    "driver",
    "couple",
    "family",
    "mr",
    "mrs",
    "ms",
    "dr",
    "claimant",
    "respondent",
    "male",
    "female",
    "lady",
    "gentleman",
    "hire",
    "nanny",
    "babysitter",
    "tenants",
    "wives",
    "husbands",
];

/// Words after which a family word belongs to somebody.
const OWNERS: &[&str] = &["my", "his", "her", "their", "our", "your", "ur", "whose"];

/// Nouns that a word such as "black" describes if it is about a person.
const NOUNS: &[&str] = &[
    "man",
    "men",
    "woman",
    "women",
    "guy",
    "girl",
    "boy",
    "person",
    "people",
    "kid",
    "kids",
    "child",
    "children",
    "family",
    "couple",
    "student",
    "male",
    "female",
    "lady",
    "community",
    "neighbour",
    "neighbor",
    "employee",
    "teenager",
    "american",
    "british",
    "applicant",
    "candidate",
    "patient",
    "mother",
    "father",
    "colleague",
];

/// Words between a person and what is said about it.
const VERBS: &[&str] = &[
    "is",
    "was",
    "am",
    "are",
    "were",
    "be",
    "being",
    "been",
    "im",
    "hes",
    "shes",
    "theyre",
    "m",
    "s",
    "re",
    "as",
    "identify",
    "identifies",
    "identified",
    "became",
    "become",
];

/// Things of which such a word says nothing about a person: "alcoholic drinks", "communist party".
const THINGS: &[&str] = &[
    "drink",
    "drinks",
    "beverage",
    "beverages",
    "party",
    "parties",
    "country",
    "countries",
    "regime",
    "government",
    "state",
    "states",
    "manifesto",
    "church",
    "churches",
    "cathedral",
    "mass",
    "temple",
    "mosque",
    "calendar",
    "reaction",
    "process",
    "function",
    "class",
    "test",
    "tests",
    "object",
    "node",
    "process",
    "pause",
    "estimate",
    "estimates",
    "value",
    "values",
    "dose",
    "approach",
    "box",
    "boxes",
    "paper",
    "papers",
    "list",
    "hole",
    "space",
    "noise",
    "board",
    "market",
    "coffee",
    "tea",
    "bread",
    "wine",
    "arts",
    "bar",
    "bars",
    "history",
    "studies",
];

/// Capitalised words that start sentences and are no names.
const STARTERS: &[&str] = &[
    "the", "this", "that", "these", "those", "it", "there", "what", "when", "where", "why", "how", "a", "an",
    "in", "on", "at", "for", "from", "to", "of", "and", "but", "or", "if", "as", "by", "with", "no", "not",
    "yes", "some", "any", "all", "each", "every", "most", "many", "more", "such", "is", "are", "was",
    "being", "please", "note", "after", "before", "while", "since", "although", "because", "however",
    "returns", "can", "could", "should", "would", "will", "do", "does", "did", "one", "two", "new", "old",
    "so", "then", "than", "use", "see",
];

/// Returns the words from a place on, at most `count` of one sentence. A word has letters, digits and
/// apostrophes.
pub(super) fn words_from(text: &str, at: usize, count: usize) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::with_capacity(count);
    let Some(rest) = text.get(at..) else { return words };
    let mut open = false;
    for (place, c) in rest.char_indices() {
        let place = at + place;
        if is_letter(c) {
            if !open && words.len() == count {
                break;
            }
            match words.last_mut() {
                Some(word) if open => word.end = place + c.len_utf8(),
                _ => words.push(place..place + c.len_utf8()),
            }
            open = true;
        } else {
            open = false;
            if ends_sentence(c) {
                break;
            }
        }
    }
    words
}

/// Returns the words before a place, nearest first.
fn words_before(text: &str, at: usize, count: usize) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::with_capacity(count);
    let Some(rest) = text.get(..at) else { return words };
    let mut open = false;
    for (place, c) in rest.char_indices().rev() {
        if is_letter(c) {
            if !open && words.len() == count {
                break;
            }
            match words.last_mut() {
                Some(word) if open => word.start = place,
                _ => words.push(place..place + c.len_utf8()),
            }
            open = true;
        } else {
            open = false;
            if ends_sentence(c) {
                break;
            }
        }
    }
    words
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’')
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '\n')
}

/// A word in lower case, without apostrophes.
fn plain(text: &str, word: &Range<usize>) -> String {
    let letters = text[word.clone()].chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns whether a place is about a person: a pronoun, a role or a name is in the same sentence.
pub(super) fn is_about_a_person(text: &str, range: &Range<usize>, capital: bool) -> bool {
    let before = words_before(text, range.start, BEFORE);
    let after = words_from(text, range.end, AFTER);
    if after.first().is_some_and(|word| THINGS.contains(&plain(text, word).as_str())) {
        return false;
    }
    let is_capital = |word: &Range<usize>| text[word.clone()].starts_with(char::is_uppercase);
    // A word in a title: "The Gay Divorcee".
    if !capital && is_capital(range) && before.first().is_some_and(|word| is_capital(word) && word.len() > 1)
    {
        let shouted = !text[range.clone()].contains(char::is_lowercase);
        if !shouted {
            return false;
        }
    }
    let is_person = |word: &Range<usize>| {
        let plain = plain(text, word);
        let plain =
            plain.strip_suffix('s').filter(|_| text[word.clone()].contains(['\'', '’'])).unwrap_or(&plain);
        PERSONS.contains(&plain)
    };
    // A name: a capitalised word that is not the start of any sentence.
    let is_name = |word: &Range<usize>| {
        is_capital(word) && word.len() > 2 && !STARTERS.contains(&plain(text, word).as_str())
    };
    before.iter().any(|word| is_person(word) || is_name(word)) || after.iter().any(is_person)
}

/// Returns whether a place says something directly of a person: "is black", "a black woman".
pub(super) fn describes_a_person(text: &str, range: &Range<usize>, capital: bool) -> bool {
    let after = words_from(text, range.end, 1);
    if after.first().is_some_and(|word| NOUNS.contains(&plain(text, word).as_str())) {
        return true;
    }
    let before = words_before(text, range.start, 3);
    let said = before.iter().any(|word| {
        let word = plain(text, word);
        VERBS.contains(&word.as_str())
    });
    let ends =
        after.is_empty() || text[range.end..].trim_start().starts_with([',', '.', ';', ')', '"', '!', '?']);
    let joined =
        after.first().is_some_and(|word| matches!(plain(text, word).as_str(), "and" | "but" | "so" | "from"));
    said && (ends || joined) && is_about_a_person(text, range, capital)
}

/// Returns whether a place belongs to somebody: "my husband", "Ana's wife".
pub(super) fn is_owned(text: &str, range: &Range<usize>) -> bool {
    let before = words_before(text, range.start, 3);
    let owner = |word: &Range<usize>| {
        let written = &text[word.clone()];
        OWNERS.contains(&plain(text, word).as_str()) || written.ends_with("'s") || written.ends_with("’s")
    };
    match before.first() {
        Some(word) if owner(word) => true,
        // One or two adjectives: "my late husband", "her two little sons".
        Some(_) => before.iter().skip(1).any(owner) && !before.iter().any(|word| word.len() == 1),
        None => false,
    }
}
