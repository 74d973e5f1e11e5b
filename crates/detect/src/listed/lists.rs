//! The lists of names.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::letters::Script;

/// A language whose names are in the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListedSpeech {
    /// Russian.
    Russian,
    /// Ukrainian.
    Ukrainian,
    /// Greek.
    Greek,
    /// Arabic.
    Arabic,
    /// Persian.
    Persian,
    /// Hebrew.
    Hebrew,
    /// Hindi.
    Hindi,
    /// Chinese.
    Chinese,
    /// Japanese.
    Japanese,
    /// Korean.
    Korean,
}

/// A list of names of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListedPart {
    /// Given names of women.
    Female,
    /// Given names of men.
    Male,
    /// Family names.
    Family,
}

impl ListedSpeech {
    /// All languages.
    pub const ALL: [ListedSpeech; 10] = [
        ListedSpeech::Russian,
        ListedSpeech::Ukrainian,
        ListedSpeech::Greek,
        ListedSpeech::Arabic,
        ListedSpeech::Persian,
        ListedSpeech::Hebrew,
        ListedSpeech::Hindi,
        ListedSpeech::Chinese,
        ListedSpeech::Japanese,
        ListedSpeech::Korean,
    ];

    /// Returns the language with this English name, as [`Language::name`](crate::Language::name) gives it, or the one
    /// with the same letters and many of the same names.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "Bulgarian" | "Belarusian" | "Serbian" | "Macedonian" => Some(ListedSpeech::Russian),
            "Marathi" | "Nepali" => Some(ListedSpeech::Hindi),
            _ => Self::ALL.into_iter().find(|speech| speech.english() == name),
        }
    }

    /// Returns its English name.
    fn english(self) -> &'static str {
        match self {
            ListedSpeech::Russian => "Russian",
            ListedSpeech::Ukrainian => "Ukrainian",
            ListedSpeech::Greek => "Greek",
            ListedSpeech::Arabic => "Arabic",
            ListedSpeech::Persian => "Persian",
            ListedSpeech::Hebrew => "Hebrew",
            ListedSpeech::Hindi => "Hindi",
            ListedSpeech::Chinese => "Mandarin",
            ListedSpeech::Japanese => "Japanese",
            ListedSpeech::Korean => "Korean",
        }
    }

    /// Returns the language whose lists fit the letters of a name, or `None` for a name in Latin letters.
    ///
    /// ```
    /// use inkveil_detect::ListedSpeech;
    ///
    /// assert_eq!(ListedSpeech::of_name("Иван Петров"), Some(ListedSpeech::Russian));
    /// assert_eq!(ListedSpeech::of_name("Ivan Petrov"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<Self> {
        let script = name.chars().find(|c| c.is_alphabetic()).and_then(Script::of)?;
        Some(match script {
            Script::Cyrillic if name.contains(['і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ']) => {
                ListedSpeech::Ukrainian
            }
            Script::Cyrillic => ListedSpeech::Russian,
            Script::Greek => ListedSpeech::Greek,
            Script::Arabic if name.contains(['پ', 'چ', 'ژ', 'گ', 'ی', 'ک']) => ListedSpeech::Persian,
            Script::Arabic => ListedSpeech::Arabic,
            Script::Hebrew => ListedSpeech::Hebrew,
            Script::Devanagari => ListedSpeech::Hindi,
            Script::Hangul => ListedSpeech::Korean,
            Script::Kana => ListedSpeech::Japanese,
            Script::Han => {
                let starts_with_family = |speech: ListedSpeech, lengths: &[usize]| {
                    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
                    let heads = ends.enumerate().filter(|(at, _)| lengths.contains(&(at + 1)));
                    heads.into_iter().any(|(_, end)| speech.has(ListedPart::Family, &name[..end]))
                };
                let kana = name.chars().any(|c| Script::of(c) == Some(Script::Kana));
                let short = name.chars().count() <= 4;
                // A Japanese family name of two or three letters is hardly ever the start of a Chinese name.
                let japanese = kana || starts_with_family(ListedSpeech::Japanese, &[2, 3]);
                match !japanese && short && starts_with_family(ListedSpeech::Chinese, &[1, 2]) {
                    true => ListedSpeech::Chinese,
                    false => ListedSpeech::Japanese,
                }
            }
        })
    }

    /// Returns whether the family name comes first.
    pub fn is_family_first(self) -> bool {
        matches!(self, ListedSpeech::Chinese | ListedSpeech::Japanese | ListedSpeech::Korean)
    }

    /// Returns whether a list has a name.
    pub fn has(self, part: ListedPart, name: &str) -> bool {
        self.names(part).binary_search(&name).is_ok()
    }

    fn code(self) -> &'static str {
        match self {
            ListedSpeech::Russian => "ru",
            ListedSpeech::Ukrainian => "uk",
            ListedSpeech::Greek => "el",
            ListedSpeech::Arabic => "ar",
            ListedSpeech::Persian => "fa",
            ListedSpeech::Hebrew => "he",
            ListedSpeech::Hindi => "hi",
            ListedSpeech::Chinese => "zh",
            ListedSpeech::Japanese => "ja",
            ListedSpeech::Korean => "ko",
        }
    }

    /// Returns the names of a part, sorted.
    ///
    /// ```
    /// use inkveil_detect::{ListedPart, ListedSpeech};
    ///
    /// assert!(ListedSpeech::Greek.names(ListedPart::Female).contains(&"Ελένη"));
    /// ```
    pub fn names(self, part: ListedPart) -> &'static [&'static str] {
        self.section(match part {
            ListedPart::Female => "given-f",
            ListedPart::Male => "given-m",
            ListedPart::Family => "family",
        })
    }

    /// Returns the entries of a section.
    pub(super) fn section(self, name: &'static str) -> &'static [&'static str] {
        SECTIONS.get(&(self.code(), name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the entries of a section as a set.
    pub(super) fn set(self, name: &'static str) -> HashSet<&'static str> {
        self.section(name).iter().copied().collect()
    }

    /// Returns the letters of a section, which has them in one line.
    pub(super) fn letters(self, name: &'static str) -> HashSet<char> {
        self.section(name).iter().flat_map(|line| line.chars()).collect()
    }
}

static SECTIONS: LazyLock<HashMap<(&'static str, &'static str), Vec<&'static str>>> = LazyLock::new(|| {
    let mut sections: HashMap<_, Vec<&'static str>> = HashMap::new();
    let mut open = None;
    for line in include_str!("../../data/names.txt").lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) => open = name.split_once('/'),
            None => {
                if let Some(name) = open {
                    sections.entry(name).or_default().push(line);
                }
            }
        }
    }
    sections
});
