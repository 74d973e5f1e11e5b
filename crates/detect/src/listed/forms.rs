//! Stems of listed names and the endings of their cases, in Cyrillic and Greek.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::letters::Script;
use super::lists::ListedSpeech;

/// What a word may be in a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Roles {
    pub(super) given: bool,
    pub(super) family: bool,
    pub(super) patronymic: bool,
    /// An unlisted word with the ending of a family name.
    pub(super) like_family: bool,
    /// The name is a common word too.
    pub(super) word: bool,
    /// The name is a place or a word in names of places too, so it does not count alone.
    pub(super) place: bool,
    /// The word is never a name.
    pub(super) never: bool,
}

impl Roles {
    /// Returns whether it may be a family name, listed or by its ending.
    pub(super) fn any_family(self) -> bool {
        self.family || self.like_family
    }
}

/// The endings that a stem takes. The first is that of the nominative.
type Endings = &'static [&'static str];

const HARD: Endings = &["", "а", "у", "ом", "е", "ові", "і", "ем", "и", "ы", "ів", "ов", "я", "ю", "еві"];
const SHORT_I: Endings = &["й", "я", "ю", "ем", "е", "и", "єм", "ї", "єві", "єві", "ём"];
const SOFT: Endings = &["ь", "я", "ю", "ем", "ём", "е", "и", "і", "еві"];
const SOFT_WOMAN: Endings = &["ь", "и", "ью", "і"];
const IN_A: Endings = &["а", "ы", "и", "е", "і", "у", "ой", "ою", "ей", "о"];
const IN_YA: Endings = &["я", "и", "і", "ї", "ю", "е", "ей", "ею", "ёй", "єю", "є", "ь"];
const IN_O: Endings = &["о", "а", "у", "ом", "ові", "і", "ы", "е"];
const ADJECTIVE: Endings = &[
    "ий", "ый", "ой", "ого", "ому", "им", "ым", "ом", "ая", "ой", "ую", "ою", "ие", "ые", "их", "ых", "ими",
    "ыми", "а", "ої", "ій", "у", "і",
];
/// Family names in -ов, -ев, -ин: of men, of women and of a family.
const POSSESSIVE: Endings = &[
    "", "а", "у", "ым", "им", "ом", "е", "ой", "ою", "ої", "ій", "і", "ы", "и", "ых", "их", "ыми", "ими",
    "ові",
];
const FIXED: Endings = &[""];

const GREEK_OS: Endings = &["οσ", "ου", "ο", "ε", "οι", "ων", "ουσ"];
const GREEK_IS: Endings = &["ησ", "η", "ου", "ηδεσ"];
const GREEK_AS: Endings = &["ασ", "α", "αδεσ"];
const GREEK_A: Endings = &["α", "ασ"];
const GREEK_I: Endings = &["η", "ησ"];
const GREEK_O: Endings = &["ω", "ωσ"];

/// A listed name: where its stem stands, its endings and what it is.
struct Form {
    endings: Endings,
    roles: Roles,
}

/// The listed names of one script by their stems.
pub(super) struct Forms {
    script: Script,
    stems: HashMap<String, Vec<Form>>,
    never: HashSet<String>,
}

/// The longest ending, in letters.
const LONGEST: usize = 4;
/// A shorter stem has too many words as its forms.
const SHORTEST_STEM: usize = 3;

impl Forms {
    /// Returns the forms of a script with cases.
    pub(super) fn of(script: Script) -> &'static Forms {
        static CYRILLIC: LazyLock<Forms> = LazyLock::new(|| {
            Forms::build(Script::Cyrillic, &[ListedSpeech::Russian, ListedSpeech::Ukrainian])
        });
        static GREEK: LazyLock<Forms> = LazyLock::new(|| Forms::build(Script::Greek, &[ListedSpeech::Greek]));
        if script == Script::Greek { &GREEK } else { &CYRILLIC }
    }

    fn build(script: Script, speeches: &[ListedSpeech]) -> Self {
        let mut forms = Forms { script, stems: HashMap::new(), never: HashSet::new() };
        for speech in speeches {
            let words: HashSet<String> = speech.section("words").iter().map(|name| folded(name)).collect();
            forms.never.extend(speech.section("not-names").iter().map(|word| folded(word)));
            for (section, woman) in
                [("given-m", false), ("given-f", true), ("family", false), ("not-alone", false)]
            {
                let (place, given) = (section == "not-alone", section.starts_with("given"));
                for name in speech.section(section) {
                    // Of a double name, each part is a name.
                    for part in folded(name).split('-').filter(|part| part.chars().count() > 2 || !place) {
                        let (family, word) = (!given && !place, words.contains(part));
                        let roles = Roles { given, family, word, place, ..Roles::default() };
                        forms.add(part, woman, roles);
                    }
                }
            }
        }
        forms
    }

    fn add(&mut self, name: &str, woman: bool, roles: Roles) {
        let (cut, endings) = match self.script {
            Script::Greek => greek_endings(name),
            _ => cyrillic_endings(name, woman, roles.family || roles.place),
        };
        let Some(stem) = before_last(name, cut) else { return };
        let short = stem.chars().count() < SHORTEST_STEM;
        let roles = Roles { word: roles.word || short && self.script == Script::Greek, ..roles };
        let mut put = |stem: String| {
            let known = self.stems.entry(stem).or_default();
            match known.iter_mut().find(|form| form.endings == endings) {
                Some(form) => {
                    form.roles.given |= roles.given;
                    form.roles.family |= roles.family;
                    form.roles.word |= roles.word;
                    form.roles.place |= roles.place;
                }
                None => known.push(Form { endings, roles }),
            }
        };
        // "Павел" is "Павла", and "Лев" is "Льва" in the other cases.
        match name {
            "павел" => put("павл".to_owned()),
            "лев" => put("льв".to_owned()),
            _ => {}
        }
        // "Ольга" is "Ользі" in Ukrainian.
        for (hard, soft) in [('г', 'з'), ('к', 'ц'), ('х', 'с')] {
            if endings == IN_A && stem.ends_with(hard) {
                put(format!("{}{soft}", &stem[..stem.len() - hard.len_utf8()]));
            }
        }
        put(stem.to_owned());
    }

    /// Returns what a word may be. It is looked up in any case.
    pub(super) fn roles(&self, word: &str) -> Roles {
        let word = folded(word);
        if self.never.contains(&word) {
            return Roles { never: true, ..Roles::default() };
        }
        let mut roles = Roles::default();
        let mut found = false;
        for cut in 0..=LONGEST {
            let Some(stem) = before_last(&word, cut).filter(|stem| !stem.is_empty()) else { break };
            let ending = &word[stem.len()..];
            for form in self.stems.get(stem).map_or(&[][..], Vec::as_slice) {
                if form.endings.contains(&ending) {
                    found = true;
                    roles.given |= form.roles.given;
                    roles.family |= form.roles.family;
                    roles.place |= form.roles.place;
                    roles.word |= form.roles.word;
                }
            }
        }
        match self.script {
            Script::Greek => roles.like_family = !found && is_like_greek_family(&word),
            _ => {
                roles.patronymic = is_patronymic(&word);
                roles.like_family = !found && is_like_cyrillic_family(&word);
            }
        }
        roles
    }
}

/// Returns a word in lower case, as it is compared: "ё" is "е", and Greek letters have no accents.
pub(super) fn folded(word: &str) -> String {
    let plain = |c: char| match c {
        'ё' => 'е',
        '’' | 'ʼ' => '\'',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        c => c,
    };
    word.chars()
        .flat_map(char::to_lowercase)
        .filter(|c| !matches!(u32::from(*c), 0x300..=0x36F))
        .map(plain)
        .collect()
}

/// Returns a word without its last letters.
fn before_last(word: &str, letters: usize) -> Option<&str> {
    match letters {
        0 => Some(word),
        _ => word.char_indices().rev().nth(letters - 1).map(|(at, _)| &word[..at]),
    }
}

/// Returns the number of letters after the stem, and the endings.
fn cyrillic_endings(name: &str, woman: bool, family: bool) -> (usize, Endings) {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match () {
        () if family && ends(&["ов", "ев", "єв", "їв", "ин", "ын", "їн"]) => (0, POSSESSIVE),
        () if family && ends(&["ова", "ева", "єва", "ина", "ына", "їна"]) => {
            (1, POSSESSIVE)
        }
        () if family && ends(&["ий", "ый", "ой", "ая"]) => (2, ADJECTIVE),
        () if family && ends(&["ська", "цька"]) => (1, ADJECTIVE),
        () if ends(&["о"]) => (1, IN_O),
        () if ends(&["а"]) => (1, IN_A),
        () if ends(&["я"]) => (1, IN_YA),
        () if ends(&["й"]) => (1, SHORT_I),
        () if ends(&["ь"]) => (1, if woman { SOFT_WOMAN } else { SOFT }),
        () if ends(&["у", "е", "є", "и", "і", "ю", "э", "ы", "ї", "их", "ых"]) || woman => {
            (0, FIXED)
        }
        () => (0, HARD),
    }
}

fn greek_endings(name: &str) -> (usize, Endings) {
    let by_end: [(&str, usize, Endings); 6] = [
        ("οσ", 2, GREEK_OS),
        ("ησ", 2, GREEK_IS),
        ("ασ", 2, GREEK_AS),
        ("α", 1, GREEK_A),
        ("η", 1, GREEK_I),
        ("ω", 1, GREEK_O),
    ];
    let found = by_end.iter().find(|(end, _, _)| name.ends_with(end));
    found.map_or((0, FIXED), |(_, cut, endings)| (*cut, endings))
}

/// The name of the father, by its ending.
fn is_patronymic(word: &str) -> bool {
    const MEN: [&str; 7] = ["", "а", "у", "ем", "е", "ові", "і"];
    const WOMEN: [&str; 9] = ["а", "ы", "е", "у", "ой", "ою", "и", "і", "о"];
    let is = |stems: &[&str], endings: &[&str]| {
        endings.iter().any(|ending| {
            let stem = word.strip_suffix(ending).unwrap_or_default();
            stem.chars().count() >= 6 && stems.iter().any(|end| stem.ends_with(end))
        })
    };
    is(&["ович", "евич", "йович", "льич", "нтич", "мич"], &MEN)
        || is(&["овн", "евн", "ичн", "инишн", "івн", "ївн"], &WOMEN)
}

/// Towns and words that end like family names.
const NOT_FAMILIES: &str = " ростов саратов киев харьков псков чернигов тамбов могилев азов львов краков орлов київ харків \
    львів чернігів миколаїв вишневе ереван петров краснов боев основ слов часов годов рублев домов киев кишинев \
    серпухов гатчина рублей королев днепров островов братиславов островів рублів років часів домів сніжків \
    псковский боков гуков воров готов здоров новые правительств ";

fn is_like_cyrillic_family(word: &str) -> bool {
    if word.chars().count() < 6 {
        return false;
    }
    let stem = ["ыми", "ым", "ой", "ою", "ом", "ых", "а", "у", "е", "ы", "і"]
        .iter()
        .find_map(|ending| {
            word.strip_suffix(ending)
                .filter(|stem| stem.ends_with("ов") || stem.ends_with("ев") || stem.ends_with("єв"))
        })
        .unwrap_or(word);
    let in_ov = ["ов", "ев", "єв"].iter().any(|end| stem.ends_with(end)) && stem.chars().count() >= 5;
    let of_others =
        ["енко", "енка", "енку", "енком", "чук", "чука", "чуку", "чуком", "швили", "швілі", "дзе"];
    (in_ov || of_others.iter().any(|end| word.ends_with(end))) && !NOT_FAMILIES.contains(&format!(" {stem} "))
}

fn is_like_greek_family(word: &str) -> bool {
    const ENDS: [&str; 15] = [
        "οπουλοσ",
        "οπουλου",
        "οπουλο",
        "ιδησ",
        "ιδη",
        "ιδου",
        "αδησ",
        "αδη",
        "αδου",
        "ακησ",
        "ακη",
        "ογλου",
        "ακοσ",
        "ελλησ",
        "εασ",
    ];
    word.chars().count() >= 7 && ENDS.iter().any(|end| word.ends_with(end))
}

/// The most endings that any declension of a name has, longest first.
const ALL_ENDINGS: [&str; 34] = [
    "ыми", "ими", "ого", "ому", "ові", "еві", "ая", "ой", "ую", "ою", "ый", "ий", "ым", "им", "ом", "ем",
    "ых", "их", "ої", "ій", "а", "у", "е", "ы", "и", "я", "ю", "ь", "й", "о", "і", "ου", "οσ", "ησ",
];
const GREEK_ENDINGS: [&str; 5] = ["ασ", "α", "η", "ο", "ε"];

/// Returns a folded name without an ending, so that the cases of one name are equal.
pub(super) fn base(word: &str) -> &str {
    let shorter = |ending: &&str| word.strip_suffix(*ending).filter(|stem| stem.chars().count() >= 4);
    ALL_ENDINGS.iter().chain(&GREEK_ENDINGS).find_map(shorter).unwrap_or(word)
}
