//! Detection of English text.
//!
//! This crate measures habits of English. This module detects texts in another script or language,
//! and texts that are too short to decide. It does not name other languages.

/// The language and script of a text.
///
/// ```
/// use inkveil_style::language::{English, Script, language};
///
/// let language = language("The train was late, and so were we.");
/// assert_eq!((language.script, language.english), (Script::Latin, English::Yes));
/// assert!(language.is_english());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Language {
    /// Whether it looks like English.
    pub english: English,
    /// The script of most of its letters.
    pub script: Script,
    /// The share of its letters that are Latin, from 0 to 1.
    pub latin_share: f32,
    /// The number of words in Latin script.
    pub latin_words: usize,
}

impl Language {
    /// Returns whether it looks like English. A text that is too short does not.
    pub fn is_english(&self) -> bool {
        self.english == English::Yes
    }
}

/// Whether a text looks like English.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum English {
    /// It does.
    Yes,
    /// It does not: another script, another language, or no language at all.
    No,
    /// It has too few words to decide.
    TooShort,
}

/// A script, as ranges of Unicode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Script {
    /// a, é, ß, ơ.
    Latin,
    /// я, ї.
    Cyrillic,
    /// α, ώ.
    Greek,
    /// ع, پ.
    Arabic,
    /// א.
    Hebrew,
    /// अ.
    Devanagari,
    /// 漢.
    Han,
    /// か, カ.
    Kana,
    /// 한.
    Hangul,
    /// ก.
    Thai,
    /// Letters of any other script.
    Other,
    /// No letters.
    None,
}

impl std::fmt::Display for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Latin => "Latin",
            Self::Cyrillic => "Cyrillic",
            Self::Greek => "Greek",
            Self::Arabic => "Arabic",
            Self::Hebrew => "Hebrew",
            Self::Devanagari => "Devanagari",
            Self::Han => "Han",
            Self::Kana => "Kana",
            Self::Hangul => "Hangul",
            Self::Thai => "Thai",
            Self::Other => "another one",
            Self::None => "no letters",
        })
    }
}

/// The scripts in the order of their counts.
const SCRIPTS: [Script; 11] = [
    Script::Latin,
    Script::Cyrillic,
    Script::Greek,
    Script::Arabic,
    Script::Hebrew,
    Script::Devanagari,
    Script::Han,
    Script::Kana,
    Script::Hangul,
    Script::Thai,
    Script::Other,
];

impl Script {
    /// Returns the script of a letter; none if the character is not a letter.
    pub fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' => Self::Latin,
            _ if c.is_ascii() || !c.is_alphabetic() => Self::None,
            '\u{aa}'..='\u{24f}'
            | '\u{250}'..='\u{2af}'
            | '\u{1e00}'..='\u{1eff}'
            | '\u{ff21}'..='\u{ff5a}' => Self::Latin,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Self::Greek,
            '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' => Self::Cyrillic,
            '\u{590}'..='\u{5ff}' => Self::Hebrew,
            '\u{600}'..='\u{6ff}'
            | '\u{750}'..='\u{77f}'
            | '\u{8a0}'..='\u{8ff}'
            | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{feff}' => Self::Arabic,
            '\u{900}'..='\u{97f}' => Self::Devanagari,
            '\u{e00}'..='\u{e7f}' => Self::Thai,
            '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}' => Self::Kana,
            '\u{3005}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Han,
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Self::Hangul,
            _ => Self::Other,
        }
    }
}

/// Common English words that are not common in other languages of Latin script. "in", "is", "was",
/// "me", "a" and "i" are words of many languages. Sorted.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "about", "after", "all", "and", "are", "at", "be", "because", "been", "before", "being", "but", "by", "can't",
    "could", "did", "didn't", "didnt", "does", "doesn't", "don't", "dont", "down", "every", "for", "from", "get",
    "going", "gonna", "good", "got", "has", "have", "her", "him", "his", "how", "i'd", "i'll", "i'm", "i've",
    "if", "isn't", "it", "it's", "its", "just", "know", "like", "little", "made", "make", "many", "more", "much",
    "my", "never", "not", "now", "of", "off", "only", "other", "our", "people", "really", "right", "said", "she",
    "should", "some", "something", "still", "than", "that", "that's", "thats", "the", "their", "them", "then",
    "there", "these", "they", "they're", "thing", "think", "this", "those", "through", "time", "today", "too",
    "up", "very", "want", "well", "went", "were", "what", "when", "where", "which", "while", "who", "why", "with",
    "won't", "work", "would", "yeah", "you", "you're", "your",
];

/// Common words of other languages of Latin script that are not English words. Sorted.
#[rustfmt::skip]
const FOREIGN: &[&str] = &[
    "aan", "al", "ale", "alla", "als", "ang", "ao", "att", "au", "auch", "auf", "aus", "av", "avec", "ay", "az",
    "bei", "bir", "ce", "che", "como", "con", "cu", "czy", "da", "dan", "dans", "das", "de", "dei", "del",
    "della", "dem", "den", "dengan", "der", "des", "det", "di", "din", "dir", "dla", "dos", "du", "een", "egy",
    "ei", "ein", "eine", "einen", "el", "ele", "elle", "en", "er", "es", "est", "et", "ett", "eu", "fue", "gli",
    "hai", "har", "het", "hij", "hogy", "ich", "ik", "il", "ini", "inte", "ist", "itu", "ja", "jak", "je", "jeg",
    "jest", "ju", "kan", "la", "las", "le", "les", "lo", "los", "lui", "maar", "mais", "mas", "med", "mein",
    "mga", "mi", "mich", "mir", "mit", "mnie", "moj", "muy", "na", "naar", "nach", "ne", "nem", "ng", "nicht",
    "nie", "niet", "non", "nous", "nu", "och", "og", "oli", "om", "os", "ou", "para", "pas", "per", "pero", "por",
    "pour", "qu", "que", "qui", "sa", "se", "sehr", "sich", "sie", "sind", "som", "sono", "su", "sunt", "sur",
    "tak", "te", "tem", "tidak", "tu", "um", "un", "una", "und", "une", "uno", "uns", "untuk", "van", "ve", "vom",
    "von", "voor", "vous", "wie", "wij", "wir", "yang", "yo", "za", "ze", "zijn", "zu", "zum",
];

/// With fewer words a text is too short, unless two of them are common English words.
const FEW: usize = 4;

/// A text of up to this many words may have no common words: "nice pic bro".
const SOME: usize = 12;

/// English texts have 25 % to 45 % of [`ENGLISH`] words. Chat has fewer, and texts in other
/// languages at most 4 %.
const LEAST_SHARE: f32 = 0.10;

/// Detects the language and script of a text.
pub fn language(text: &str) -> Language {
    let mut letters = [0_usize; SCRIPTS.len()];
    for script in text.chars().map(Script::of) {
        if let Some(count) =
            SCRIPTS.iter().position(|&other| other == script).and_then(|at| letters.get_mut(at))
        {
            *count += 1;
        }
    }
    let all: usize = letters.iter().sum();
    // Of equal counts the first script is taken, so that the result is deterministic.
    let most = letters.iter().copied().max().unwrap_or(0);
    let script = SCRIPTS
        .iter()
        .zip(letters)
        .find(|&(_, count)| count == most && count > 0)
        .map_or(Script::None, |(s, _)| *s);
    let words = Words::of(text);
    let english = match script {
        Script::Latin => words.verdict(),
        Script::None => English::TooShort,
        _ => English::No,
    };
    let latin_share = if all == 0 { 0.0 } else { letters[0] as f32 / all as f32 };
    Language { english, script, latin_share, latin_words: words.all }
}

/// Counts of words in Latin script.
#[derive(Default)]
struct Words {
    all: usize,
    english: usize,
    foreign: usize,
}

impl Words {
    fn of(text: &str) -> Self {
        let mut words = Self::default();
        let is_part = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '\u{300}'..='\u{36f}');
        for word in text.split(|c: char| !is_part(c)) {
            let word = word.trim_matches(['\'', '’']);
            if word.chars().next().is_some_and(|first| Script::of(first) == Script::Latin) {
                words.add(word);
            }
        }
        words
    }

    fn add(&mut self, word: &str) {
        self.all += 1;
        // Longer than any word in the lists.
        if word.len() > 16 {
            return;
        }
        let lower = word.to_lowercase().replace('’', "'");
        if ENGLISH.binary_search(&lower.as_str()).is_ok() {
            self.english += 1;
        } else if FOREIGN.binary_search(&lower.as_str()).is_ok()
            || lower.chars().any(|c| c.is_alphabetic() && !c.is_ascii())
        {
            // "café" and "naïve" are too rare in English to matter.
            self.foreign += 1;
        }
    }

    fn verdict(&self) -> English {
        let share = self.english as f32 / self.all.max(1) as f32;
        if self.all < FEW {
            return if self.english >= 2 && self.foreign == 0 { English::Yes } else { English::TooShort };
        }
        if share >= LEAST_SHARE && self.english > self.foreign {
            return English::Yes;
        }
        if self.all < SOME && self.foreign <= self.english.max(1) { English::TooShort } else { English::No }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn english_texts_are_recognised() {
        for text in [
            "The committee has decided to postpone the meeting until further notice.",
            "i dont know what u mean lol, its fine tho",
            "gonna be late, sorry!! traffic is crazy today",
            "Anyone know where to get good pizza around here?",
            "Reviewed three résumés at the café; naïve, but they were fine.",
            "Steel prices rose sharply as producers cut output and demand from builders recovered.",
            "thank you for that",
            "It’s what I’d do, if I could.",
        ] {
            assert_eq!(language(text).english, English::Yes, "{text}");
        }
    }

    #[test]
    fn other_languages_are_not_english() {
        for text in [
            "Gestern bin ich mit dem Zug nach Hause gefahren, weil das Auto in der Werkstatt war.",
            "Hast du heute Zeit? Wir wollten doch noch zusammen was essen gehen, oder nicht?",
            "Je ne sais pas encore si nous pourrons venir, mais je vous tiens au courant.",
            "Ayer fuimos al mercado y compramos fruta para toda la semana, pero no había pan.",
            "Ik weet niet of ik morgen kan komen, want ik was al in de stad en het is druk.",
            "Ontem fui ao mercado com a minha irmã e depois voltamos para casa a pé.",
            "Non so ancora se domani posso venire, ma ti faccio sapere appena ho finito.",
            "Nie wiem jeszcze, czy jutro przyjdę, ale dam ci znać do wieczora.",
            "Hôm nay trời đẹp quá, chúng tôi đi chợ mua rau và cá cho bữa tối.",
            "Jeg har ikke tid til at tage på arbejde i dag, for det er for sent at have travlt.",
            "Jag vet inte om jag kan komma i morgon, men jag ska ringa dig på kvällen.",
            "Saya tidak tahu apakah besok bisa datang, tapi nanti saya kabari lagi dengan pesan.",
            "Yarın gelip gelmeyeceğimi bilmiyorum, ama akşam sana haber veririm, her zaman olduğu gibi.",
        ] {
            let found = language(text);
            assert_eq!((found.script, found.english), (Script::Latin, English::No), "{text}");
        }
    }

    #[test]
    fn short_texts_are_undecided() {
        for text in [
            "",
            "ok",
            "nice pic bro",
            "lol same",
            "Berlin Paris London",
            "haha nice pics dude wow",
            "12:30 :)",
        ] {
            assert_eq!(language(text).english, English::TooShort, "{text}");
        }
    }

    #[test]
    fn scripts_are_recognised() {
        for (text, script) in [
            ("Привет, как дела?", Script::Cyrillic),
            ("Καλημέρα σε όλους", Script::Greek),
            ("مرحبا بالعالم", Script::Arabic),
            ("שלום עולם", Script::Hebrew),
            ("नमस्ते दुनिया", Script::Devanagari),
            ("今天天气很好", Script::Han),
            ("こんにちは、げんきですか", Script::Kana),
            ("안녕하세요 여러분", Script::Hangul),
            ("สวัสดีชาวโลก", Script::Thai),
            ("გამარჯობა", Script::Other),
        ] {
            let found = language(text);
            assert_eq!(
                (found.script, found.english, found.latin_share),
                (script, English::No, 0.0),
                "{text}"
            );
        }
        assert_eq!(language("12 !?").script, Script::None);
        let mixed = language("Да, the weather is good and they know it");
        assert_eq!((mixed.script, mixed.english, mixed.latin_words), (Script::Latin, English::Yes, 8));
        assert!(mixed.latin_share > 0.9 && mixed.latin_share < 1.0);
    }

    #[test]
    fn lists_are_sorted_and_disjoint() {
        assert!(ENGLISH.is_sorted() && FOREIGN.is_sorted());
        assert!(!ENGLISH.iter().any(|word| FOREIGN.contains(word)));
    }

    proptest! {
        #[test]
        fn any_text_has_an_answer(text in "\\PC{0,60}") {
            let found = language(&text);
            prop_assert!((0.0..=1.0).contains(&found.latin_share));
            prop_assert_eq!(found.script == Script::None, !text.chars().any(char::is_alphabetic));
        }
    }
}
