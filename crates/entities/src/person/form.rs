//! The words of a mention of a person.

use std::ops::Range;

use crate::letters::{Case, plain, split_possessive};
use crate::names::{is_title_or_given_name, title_of};

/// A place in a person's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    Given,
    Middle(usize),
    Family,
    /// The only name that is known, given or family.
    Single,
}

/// What a word of a mention is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Title,
    Name,
    /// One letter, or several with dots: "A.", "J.R."
    Initials,
    /// "Jr." and the like.
    Suffix,
}

/// A word of a mention, with particles before it: "van der Berg".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its place in the mention, without punctuation around it.
    pub(crate) range: Range<usize>,
    pub(crate) kind: TokenKind,
    pub(crate) plain: String,
    pub(crate) case: Case,
}

/// The words of a mention and their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameForm {
    pub(crate) tokens: Vec<Token>,
    /// Whether a comma after the first name marks it as the family name: "Novak, Ana".
    family_first: bool,
    /// Whether it is the name of a whole family: "the Novaks".
    pub(crate) is_plural: bool,
}

const SUFFIXES: [&str; 14] =
    ["jr", "sr", "ii", "iii", "iv", "phd", "md", "mba", "rn", "esq", "obe", "mbe", "qc", "kc"];
const PARTICLES: [&str; 25] = [
    "van", "der", "den", "de", "la", "del", "della", "di", "da", "dos", "do", "du", "von", "zu", "ten",
    "ter", "le", "bin", "ibn", "ben", "al", "el", "y", "af", "av",
];
/// A longer text is not a name.
const MOST_WORDS: usize = 8;

impl Token {
    pub(crate) fn is_initials(&self) -> bool {
        self.kind == TokenKind::Initials
    }
}

impl NameForm {
    pub(crate) fn of(mention: &str) -> Self {
        let (name, _) = split_possessive(mention);
        let mut tokens: Vec<Token> = Vec::new();
        let mut family_first = false;
        let mut particle: Option<usize> = None;
        let capitals = name.chars().any(char::is_uppercase);
        let shouted = Case::of(name) == Case::Upper;
        for word in words(name).take(MOST_WORDS) {
            let text = &name[word.clone()];
            let lower = plain(text.trim_end_matches('.'));
            // "Patrick Gordon of Auchleuchries": the family name is before the place.
            if lower == "of" && !tokens.is_empty() {
                break;
            }
            let has_name = tokens.iter().any(|token| token.kind == TokenKind::Name);
            if capitals && Case::of(text) == Case::Lower && PARTICLES.contains(&lower.as_str()) {
                particle.get_or_insert(word.start);
                continue;
            }
            // "Bishop, Delfino": no title is before a comma.
            let ends_part = name[word.end..].trim_start().starts_with(',');
            let kind = match () {
                () if !has_name && !ends_part && title_of(text).is_some() => TokenKind::Title,
                () if has_name && SUFFIXES.contains(&lower.replace('.', "").as_str()) => TokenKind::Suffix,
                // Letters after a name: "FRS", "DBE".
                () if has_name && !shouted && is_letters_after_a_name(text) => TokenKind::Suffix,
                () if is_initials(text) => TokenKind::Initials,
                () => TokenKind::Name,
            };
            let start = particle.take().unwrap_or(word.start);
            let whole = &name[start..word.end];
            let names = tokens.iter().filter(|t| matches!(t.kind, TokenKind::Name | TokenKind::Initials));
            if names.count() == 0 && kind == TokenKind::Name && ends_part {
                family_first = true;
            }
            let plain = match kind {
                TokenKind::Initials => plain(whole).chars().filter(|c| c.is_alphabetic()).collect(),
                _ => plain(whole),
            };
            tokens.push(Token { range: start..word.end, kind, plain, case: Case::of(text) });
        }
        let mut names =
            tokens.iter().filter(|t| matches!(t.kind, TokenKind::Name | TokenKind::Initials)).count();
        // "Lord" alone is a name.
        if let (0, Some(last)) = (names, tokens.last_mut()) {
            last.kind = TokenKind::Name;
            names = 1;
        }
        // "Dean Church" has a given name. A title that is kept would release it.
        let whole = tokens.iter().filter(|token| token.kind == TokenKind::Name).count();
        let first = tokens.iter().position(|t| matches!(t.kind, TokenKind::Name | TokenKind::Initials));
        if let (0 | 1, Some(at)) = (whole, first)
            && let Some(before) = at.checked_sub(1).and_then(|last| tokens.get_mut(last))
            && before.kind == TokenKind::Title
            && is_title_or_given_name(&before.plain)
        {
            before.kind = TokenKind::Name;
            names += 1;
        }
        Self { tokens, family_first: family_first && names > 1, is_plural: false }
    }

    /// Reads the name of a whole family, given the name of one of them: "Novak" of "the Novaks".
    pub(crate) fn of_family(name: &str) -> Self {
        Self { is_plural: true, ..Self::of(name) }
    }

    /// Returns the tokens that are names or initials, with their indices.
    pub(crate) fn names(&self) -> impl DoubleEndedIterator<Item = (usize, &Token)> {
        let is_name = |token: &Token| matches!(token.kind, TokenKind::Name | TokenKind::Initials);
        self.tokens.iter().enumerate().filter(move |(_, token)| is_name(token))
    }

    /// Returns the slot of each name as this mention alone shows it.
    pub(crate) fn slots(&self) -> Vec<(usize, Slot)> {
        let indices: Vec<usize> = self.names().map(|(at, _)| at).collect();
        match indices.as_slice() {
            [] => Vec::new(),
            [one] => vec![(*one, Slot::Single)],
            [family, given, middles @ ..] if self.family_first => {
                let mut slots = vec![(*family, Slot::Family), (*given, Slot::Given)];
                slots.extend(middles.iter().enumerate().map(|(n, at)| (*at, Slot::Middle(n))));
                slots
            }
            [given, middles @ .., family] => {
                let mut slots = vec![(*given, Slot::Given)];
                slots.extend(middles.iter().enumerate().map(|(n, at)| (*at, Slot::Middle(n))));
                slots.push((*family, Slot::Family));
                slots
            }
        }
    }

    /// Returns the letters of a mention that consists of initials only: "A.N.", "AN".
    pub(crate) fn initials(&self) -> Option<String> {
        let all_initials = self.names().all(|(_, token)| token.kind == TokenKind::Initials);
        let letters: String = self.names().map(|(_, token)| token.plain.as_str()).collect();
        if all_initials && letters.chars().count() > 1 {
            return Some(letters);
        }
        let mut names = self.names();
        match (names.next(), names.next()) {
            (Some((_, one)), None)
                if one.case == Case::Upper && (2..=3).contains(&one.plain.chars().count()) =>
            {
                Some(one.plain.clone())
            }
            _ => None,
        }
    }

    /// Returns whether the mention has a title in it.
    pub(crate) fn title_text<'m>(&self, mention: &'m str) -> Option<&'m str> {
        let token = self.tokens.iter().find(|token| token.kind == TokenKind::Title)?;
        mention.get(token.range.clone())
    }
}

/// Returns the names in a mention of one or more people. A word in lower case that is not a part of a name
/// separates two of them.
///
/// ```
/// assert_eq!(inkveil_entities::names_of_people("Ana Horak met Ana Novak"), ["Ana Horak ", " Ana Novak"]);
/// ```
pub fn names_of_people(mention: &str) -> Vec<&str> {
    let is_name = |word: &str| word.starts_with(char::is_uppercase);
    let separates = |word: &str| {
        let joins = PARTICLES.contains(&word) || ["of", "the", "das", "e"].contains(&word);
        word.chars().all(char::is_lowercase) && word.chars().count() > 1 && !joins
    };
    let start_of = |word: &str| word.as_ptr() as usize - mention.as_ptr() as usize;
    let words: Vec<&str> = mention.split_whitespace().collect();
    let (mut names, mut from) = (Vec::new(), 0);
    for near in words.windows(3) {
        if let [before, word, after] = near
            && separates(word)
            && is_name(before)
            && is_name(after)
        {
            names.push(&mention[from..start_of(word)]);
            from = start_of(word) + word.len();
        }
    }
    names.push(&mention[from..]);
    names
}

/// Returns whether a word in lower case is a part of a family name: "van", "de".
pub(crate) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&word)
}

/// Returns the particles before a family name, with the space after them: "van der ".
pub(crate) fn particles(name: &str) -> &str {
    name.rfind(' ').and_then(|at| name.get(..=at)).unwrap_or_default()
}

/// Returns the places of the words of a name, without punctuation around them.
fn words(name: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let start_of = |part: &str| part.as_ptr() as usize - name.as_ptr() as usize;
    name.split_whitespace().filter_map(move |word| {
        let inner = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let inner = inner.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '.');
        let inner = match inner.strip_suffix('.') {
            // A dot is part of a short word: "A.", "Dr.", "Jr."; after a longer one it ends a sentence.
            Some(bare) if bare.chars().count() > 4 => bare,
            _ => inner,
        };
        let has_letter = inner.chars().any(char::is_alphabetic);
        has_letter.then(|| start_of(inner)..start_of(inner) + inner.len())
    })
}

fn is_letters_after_a_name(word: &str) -> bool {
    (2..=4).contains(&word.len()) && word.chars().all(|c| c.is_ascii_uppercase())
}

fn is_initials(word: &str) -> bool {
    let longest = word.split(|c: char| !c.is_alphabetic()).map(|run| run.chars().count()).max();
    longest == Some(1) && word.chars().all(|c| c.is_uppercase() || c == '.' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_separated_by_other_words() {
        assert_eq!(names_of_people("Ana Horak met Ana Novak and Eva"), ["Ana Horak ", " Ana Novak ", " Eva"]);
        for one in ["Ana van der Berg", "ana horak met", "Ana", "", "Ana met", "O'Neil de la Cruz"] {
            assert_eq!(names_of_people(one), [one]);
        }
    }

    fn slots(text: &str) -> Vec<(String, Slot)> {
        let form = NameForm::of(text);
        form.slots().into_iter().map(|(at, slot)| (form.tokens[at].plain.clone(), slot)).collect()
    }

    #[test]
    fn names_are_read_into_slots() {
        let named =
            |pairs: &[(&str, Slot)]| pairs.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect::<Vec<_>>();
        assert_eq!(slots("Ana Novak"), named(&[("ana", Slot::Given), ("novak", Slot::Family)]));
        assert_eq!(slots("Novak, Ana"), named(&[("novak", Slot::Family), ("ana", Slot::Given)]));
        assert_eq!(slots("Dr. A. Novak's"), named(&[("a", Slot::Given), ("novak", Slot::Family)]));
        assert_eq!(
            slots("Ludwig van der Berg Jr."),
            named(&[("ludwig", Slot::Given), ("van der berg", Slot::Family)])
        );
        assert_eq!(
            slots("Ana M. Novak"),
            named(&[("ana", Slot::Given), ("m", Slot::Middle(0)), ("novak", Slot::Family)])
        );
        assert_eq!(slots("Novak."), named(&[("novak", Slot::Single)]));
        assert_eq!(slots("..."), named(&[]));
        assert_eq!(slots("Bishop, Delfino"), named(&[("bishop", Slot::Family), ("delfino", Slot::Given)]));
        assert_eq!(slots("Dr. Dean Church"), named(&[("dean", Slot::Given), ("church", Slot::Family)]));
        let initial = [("dean", Slot::Given), ("c", Slot::Middle(0)), ("church", Slot::Family)];
        assert_eq!(slots("Dean C. Church"), named(&initial));
        assert_eq!(slots("Dean Ana Church"), named(&[("ana", Slot::Given), ("church", Slot::Family)]));
        assert_eq!(slots("Bishop Church"), named(&[("church", Slot::Single)]));
        assert_eq!(slots("Karl-Erik Sund"), named(&[("karl-erik", Slot::Given), ("sund", Slot::Family)]));
    }

    #[test]
    fn initials_are_recognised() {
        assert_eq!(NameForm::of("A.N.").initials().as_deref(), Some("an"));
        assert_eq!(NameForm::of("A. N.").initials().as_deref(), Some("an"));
        assert_eq!(NameForm::of("AN").initials().as_deref(), Some("an"));
        assert_eq!(NameForm::of("Ana").initials(), None);
        assert_eq!(NameForm::of("A. Novak").initials(), None);
        assert_eq!(NameForm::of("NOVAK").initials(), None);
    }
}
