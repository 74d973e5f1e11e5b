//! Names in Arabic, Persian, Hebrew and Hindi, whose letters have no capitals: two names of the lists in a row,
//! or a name after a title.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::letters::Script;
use super::lists::ListedSpeech;
use super::words::{Word, words};
use super::{Name, SUPPORTED, WHOLE};

/// The names and words of one script.
struct Spaced {
    script: Script,
    given: HashSet<String>,
    family: HashSet<String>,
    /// Names that are common words too: they need another name that is not.
    words: HashSet<String>,
    /// Given names of people only. A word with the ending of a family name after one of them belongs to the name.
    core: HashSet<String>,
    /// Family names that follow any given name, listed or not.
    sure_family: HashSet<String>,
    /// Forms of address, after which any word may be a name.
    titles: HashSet<String>,
    /// Words after a title that are no names.
    roles: HashSet<String>,
    /// Words inside a name, after which any word is a part of it: "bin", "Abu".
    particles: HashSet<String>,
    /// Letters that stand before a word without a space: "and", "to".
    clitics: &'static [char],
}

const ARABIC_TITLES: &str = "السيد السيدة الدكتور الدكتورة الأستاذ الأستاذة المهندس المهندسة الشيخ الآنسة سيد دكتور د أ آقای خانم دکتر مهندس \
    استاد حجت‌الاسلام آیت‌الله";
const ARABIC_ROLES: &str = "رئيس الرئيس وزير الوزير مدير المدير العام سفير محترم محترمه ها های هایی رئیس وزیر جمهور هم که را و از در به با این";
const HEBREW_TITLES: &str = "מר גברת גב' גב׳ ד\"ר ד״ר פרופ' פרופ׳ הרב עו\"ד עו״ד ח\"כ ח״כ אדון";
const HEBREW_ROLES: &str = "ראש הראשי את של על כי לא הראשון הממשלה";
const HINDI_TITLES: &str = "श्री श्रीमती श्रीमति डॉ डॉक्टर सुश्री कुमारी पंडित प्रोफेसर";
const HINDI_ROLES: &str =
    "उपाध्यक्ष होने मंत्री मन्त्री अध्यक्ष सभापति मान मति मती जी के की का को ने से में है महोदय मुख्य राज्यपाल";

impl Spaced {
    fn of(script: Script) -> &'static Spaced {
        static ARABIC: LazyLock<Spaced> = LazyLock::new(|| {
            let speeches = [ListedSpeech::Arabic, ListedSpeech::Persian];
            let mut spaced = Spaced::build(Script::Arabic, &speeches, ARABIC_TITLES, ARABIC_ROLES);
            spaced.particles = "بن ابن بنت ابو ام ال عبد".split(' ').map(str::to_owned).collect();
            spaced.clitics = &['و', 'ف', 'ب', 'ل', 'ك'];
            spaced
        });
        static HEBREW: LazyLock<Spaced> = LazyLock::new(|| {
            let mut spaced =
                Spaced::build(Script::Hebrew, &[ListedSpeech::Hebrew], HEBREW_TITLES, HEBREW_ROLES);
            spaced.particles = "בן בר אבו אל".split(' ').map(str::to_owned).collect();
            spaced.clitics = &['ו', 'ל', 'ב', 'מ', 'ש', 'כ'];
            spaced
        });
        static HINDI: LazyLock<Spaced> = LazyLock::new(|| {
            let mut spaced =
                Spaced::build(Script::Devanagari, &[ListedSpeech::Hindi], HINDI_TITLES, HINDI_ROLES);
            spaced.sure_family =
                "सिंह शर्मा वर्मा गुप्ता मिश्रा पांडेय पाण्डेय यादव पटेल शुक्ला तिवारी त्रिपाठी चौधरी जोशी मेहता अग्रवाल"
                    .split(' ')
                    .map(str::to_owned)
                    .collect();
            spaced
        });
        match script {
            Script::Hebrew => &HEBREW,
            Script::Devanagari => &HINDI,
            _ => &ARABIC,
        }
    }

    fn build(script: Script, speeches: &[ListedSpeech], titles: &str, roles: &str) -> Self {
        let all = |words: &str| words.split_whitespace().map(folded).collect();
        let listed = |sections: &[&'static str]| -> HashSet<String> {
            let entries =
                speeches.iter().flat_map(|speech| sections.iter().flat_map(|name| speech.section(name)));
            entries.map(|name| folded(name)).filter(|name| name.chars().count() > 1).collect()
        };
        Spaced {
            script,
            given: listed(&["given-m", "given-f"]),
            family: listed(&["family"]),
            words: listed(&["words"]),
            core: listed(&["core"]),
            sure_family: HashSet::new(),
            titles: all(titles),
            roles: all(roles),
            particles: HashSet::new(),
            clitics: &[],
        }
    }

    /// Returns whether a word has the form of a family name of its language.
    fn is_like_family(&self, word: &str) -> bool {
        let long = word.chars().count();
        match self.script {
            Script::Arabic => {
                long >= 5 && word.starts_with("ال") && word.ends_with('ي')
                    || long >= 6 && ["پور", "زاده", "نژاد"].iter().any(|end| word.ends_with(end))
                    || long >= 6 && word.ends_with("زاده")
            }
            _ => false,
        }
    }
}

/// Returns a word without marks, and with one letter for those that are often exchanged.
fn folded(word: &str) -> String {
    let plain = |c: char| match c {
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ی' | 'ئ' => 'ي',
        'ک' => 'ك',
        'ة' | 'ۀ' => 'ه',
        'ؤ' => 'و',
        '״' => '"',
        '׳' | '’' => '\'',
        c => c,
    };
    let is_sign = |c: char| matches!(u32::from(c), 0x610..=0x61A | 0x640 | 0x64B..=0x65F | 0x670 | 0x200B..=0x200D | 0x591..=0x5C7);
    word.chars().filter(|c| !is_sign(*c)).map(plain).collect()
}

struct Reader<'t> {
    text: &'t str,
    spaced: &'static Spaced,
    words: Vec<Word>,
    folded: Vec<String>,
}

/// A part of a name: the index of its last word, and what it is.
#[derive(Clone, Copy)]
struct Part {
    last: usize,
    given: bool,
    /// The name is no common word.
    sure: bool,
}

/// Adds the names in Arabic, Hebrew or Devanagari letters.
pub(super) fn find(text: &str, script: Script, names: &mut Vec<Name>) {
    let words = words(text, script);
    let folded = words.iter().map(|word| folded(word.of(text))).collect();
    let reader = Reader { text, spaced: Spaced::of(script), words, folded };
    let mut at = 0;
    while at < reader.words.len() {
        match reader.name_at(at) {
            Some((name, last)) => {
                names.push(name);
                at = last + 1;
            }
            None => at += 1,
        }
    }
}

impl Reader<'_> {
    fn is_joined(&self, at: usize) -> bool {
        let gap =
            at.checked_sub(1).and_then(|last| self.text.get(self.words[last].end..self.words.get(at)?.start));
        matches!(gap, Some(" " | "\u{a0}" | "-" | "־"))
    }

    /// Returns the listed name that starts at a word: of two words, or of one.
    fn part(&self, at: usize, of_first: &str) -> Option<Part> {
        let look = |key: &str, last: usize| {
            let (given, family) = (self.spaced.given.contains(key), self.spaced.family.contains(key));
            (given || family).then_some(Part { last, given, sure: !self.spaced.words.contains(key) })
        };
        let two = || {
            let next = self.folded.get(at + 1).filter(|_| self.is_joined(at + 1))?;
            look(&format!("{of_first} {next}"), at + 1)
        };
        // "عبد الله": a servant of one of God's names.
        let servant = || {
            let next =
                self.folded.get(at + 1).filter(|next| self.is_joined(at + 1) && next.starts_with("ال"))?;
            (of_first == "عبد" && !next.is_empty()).then_some(Part { last: at + 1, given: true, sure: true })
        };
        two().or_else(servant).or_else(|| look(of_first, at))
    }

    /// Returns the part of a name at a word behind another part.
    fn next_part(&self, at: usize) -> Option<Part> {
        let word = self.folded.get(at).filter(|_| self.is_joined(at))?;
        if self.spaced.particles.contains(word) && self.folded.get(at + 1).is_some() && self.is_joined(at + 1)
        {
            let last = self.part(at + 1, &self.folded[at + 1]).map_or(at + 1, |part| part.last);
            return Some(Part { last, given: false, sure: true });
        }
        // Many Persian family names end in this letter, which Arabic does not have.
        let after_core =
            || at.checked_sub(1).is_some_and(|last| self.spaced.core.contains(&self.folded[last]));
        let persian = || {
            self.words[at].of(self.text).ends_with('ی')
                && (4..=9).contains(&word.chars().count())
                && after_core()
        };
        let like = || {
            (self.spaced.is_like_family(word) || persian()).then_some(Part {
                last: at,
                given: false,
                sure: false,
            })
        };
        self.part(at, word).or_else(like)
    }

    fn name_at(&self, at: usize) -> Option<(Name, usize)> {
        let word = &self.folded[at];
        if self.is_titled(at) {
            return self.after_title(at);
        }
        // A letter such as "and" may stand before the given name.
        let skipped = || word.chars().next().filter(|c| self.spaced.clitics.contains(c));
        let first = self.part(at, word).map(|part| (part, 0));
        let first = first.or_else(|| {
            let c = skipped()?;
            let rest = word.get(c.len_utf8()..).filter(|rest| rest.chars().count() > 2)?;
            Some((self.part(at, rest)?, c.len_utf8()))
        });
        let Some((first, skip)) = first.filter(|(part, _)| part.given) else { return self.before_family(at) };
        let (last, parts, sure) = self.rest(first.last);
        (parts > 0 && (first.sure || sure)).then(|| (self.name(at, skip, last, WHOLE), last))
    }

    /// Reads an unlisted given name before a family name that hardly any word is.
    fn before_family(&self, at: usize) -> Option<(Name, usize)> {
        let word = &self.folded[at];
        let is_name = self.is_joined(at + 1) && self.spaced.sure_family.contains(self.folded.get(at + 1)?);
        let free = !self.spaced.roles.contains(word) && !self.spaced.titles.contains(word);
        let (last, _, _) = self.rest(at);
        (is_name && free && word.chars().count() > 2 && last > at)
            .then(|| (self.name(at, 0, last, SUPPORTED), last))
    }

    /// Goes over further parts of a name, and returns the last word, the number of parts and whether one of them
    /// is no common word.
    fn rest(&self, mut last: usize) -> (usize, usize, bool) {
        let (mut parts, mut sure) = (0, false);
        while let Some(part) = self.next_part(last + 1).filter(|_| parts < 4) {
            last = part.last;
            parts += 1;
            sure |= part.sure;
        }
        (last, parts, sure)
    }

    fn is_titled(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let gap = self.text.get(self.words[before].end..self.words[at].start);
        let near = matches!(gap, Some(" " | "\u{a0}" | "." | ". " | "/" | "' " | "׳ "));
        if !near {
            return false;
        }
        let title = &self.folded[before];
        let after =
            |prefix: char| title.strip_prefix(prefix).is_some_and(|rest| self.spaced.titles.contains(rest));
        let dotted = gap.is_some_and(|gap| gap.contains(['.', '/']));
        // One letter is a title only with a dot.
        (title.chars().count() > 1 || dotted) && self.spaced.titles.contains(title)
            || title.chars().count() > 3 && self.spaced.clitics.iter().any(|c| after(*c))
    }

    fn after_title(&self, at: usize) -> Option<(Name, usize)> {
        let word = &self.folded[at];
        if self.spaced.roles.contains(word) || self.spaced.titles.contains(word) || word.chars().count() < 2 {
            return None;
        }
        let listed = self.part(at, word);
        let like = || self.spaced.is_like_family(word) || word.ends_with('ي') && word.chars().count() > 4;
        let (last, parts, _) = self.rest(listed.map_or(at, |part| part.last));
        let sure = listed.is_some_and(|part| part.sure)
            || parts > 0
            || match self.spaced.script {
                Script::Arabic => like() && !word.starts_with("ال"),
                _ => true,
            };
        sure.then(|| (self.name(at, 0, last, SUPPORTED), last))
    }

    fn name(&self, first: usize, skip: usize, last: usize, score: f32) -> Name {
        let word = &self.words[first];
        // The skipped letter is one character of the text.
        let written = word.of(self.text).chars().next().map_or(0, char::len_utf8);
        let start = word.start + if skip > 0 { written } else { 0 };
        Name { start, end: self.words[last].end, score }
    }
}
