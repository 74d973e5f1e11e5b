//! Forms of names of people.

use inkveil_detect::ListedSpeech;

/// One word of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Word {
    /// A given or family name.
    Name(Case),
    /// One letter, or several in a row: "J.", "J.R."
    Initials { count: usize, dotted: bool },
    /// A lower-case word between capitalised names: "van", "de".
    Particle,
    /// "Jr." and the like.
    Suffix,
}

/// How a name is cased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Case {
    Title,
    Lower,
    Upper,
}

/// The words of a name, and whether a comma after the first marks it as the family name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct NameForm {
    pub(crate) words: Vec<Word>,
    pub(crate) family_first: bool,
    /// The lists for its script, if that is not Latin.
    pub(crate) speech: Option<ListedSpeech>,
}

/// The number of words after which a name is cut.
const MOST_WORDS: usize = 5;

const SUFFIXES: [&str; 5] = ["jr", "sr", "ii", "iii", "iv"];

impl NameForm {
    pub(crate) fn of(text: &str) -> Self {
        let capitals = text.chars().any(char::is_uppercase);
        let tokens = text.split_whitespace().filter(|token| token.chars().any(char::is_alphabetic));
        let mut words = Vec::new();
        let mut family_first = false;
        for (at, token) in tokens.take(MOST_WORDS).enumerate() {
            words.push(word(token, capitals, at == 0));
            family_first |= at == 0 && token.ends_with(',');
        }
        if !words.iter().any(|word| matches!(word, Word::Name(_) | Word::Initials { .. })) {
            words = vec![Word::Name(Case::Title); 2];
        }
        NameForm { family_first: family_first && words.len() > 1, words, speech: ListedSpeech::of_name(text) }
    }

    /// Keeps whether there is one word or several, the case of the first name and the script.
    pub(crate) fn coarse(self) -> Self {
        let case = self.words.iter().find_map(|word| match word {
            Word::Name(case) => Some(*case),
            _ => None,
        });
        let word = Word::Name(case.unwrap_or(Case::Title));
        NameForm { words: vec![word; self.words.len().min(2)], family_first: false, speech: self.speech }
    }
}

fn word(token: &str, capitals: bool, first: bool) -> Word {
    let letters = || token.chars().filter(|c| c.is_alphabetic());
    let (upper, lower) = (letters().any(char::is_uppercase), letters().any(char::is_lowercase));
    let longest = token.split(|c: char| !c.is_alphabetic()).map(|run| run.chars().count()).max();
    let bare = token.trim_end_matches(['.', ',']).to_lowercase();
    match () {
        () if !first && SUFFIXES.contains(&bare.as_str()) => Word::Suffix,
        () if longest == Some(1) && upper => {
            Word::Initials { count: letters().count().min(3), dotted: token.contains('.') }
        }
        () if lower && !upper && capitals => Word::Particle,
        () if lower && !upper => Word::Name(Case::Lower),
        () if upper && !lower => Word::Name(Case::Upper),
        () => Word::Name(Case::Title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_names() {
        let title = Word::Name(Case::Title);
        let form = |text| NameForm::of(text);
        assert_eq!(form("Anna Keller").words, [title, title]);
        assert_eq!(
            form("anna"),
            NameForm { words: vec![Word::Name(Case::Lower)], family_first: false, speech: None }
        );
        assert_eq!(form("Ludwig van Dorn").words, [title, Word::Particle, title]);
        let initials = Word::Initials { count: 2, dotted: true };
        assert_eq!(form("J.R. KELLER Jr.").words, [initials, Word::Name(Case::Upper), Word::Suffix]);
        assert!(form("Keller, Anna").family_first);
        assert_eq!(form("王小明").words, [title]);
        assert_eq!(form("").words, form("Anna Keller").words);
        assert_eq!(form("a b c d e f g").words.len(), MOST_WORDS);
        assert_eq!(form("Keller, J.R. van Dorn Jr.").coarse(), form("Anna Keller"));
        assert_eq!(form("ANNA M KELLER").coarse(), form("JOHN SMITH"));
        assert_eq!(form("anna").coarse(), form("bob"));
        assert_eq!(form("Иван Петров"), form("Ольга Смирнова"));
        assert_ne!(form("Иван Петров"), form("Ivan Petrov"));
    }
}
