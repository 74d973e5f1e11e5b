//! Names in Cyrillic and Greek, where names have capitals and endings of cases.

use std::collections::HashSet;

use super::forms::{Forms, Roles, base, folded};
use super::letters::Script;
use super::words::{Word, before, words};
use super::{ALONE, Name, SUPPORTED, WHOLE};

/// Forms of address and roles before a name, in lower case without accents.
const TITLES: &str = " господин господина господину господином господине госпожа госпожи госпоже госпожу госпожой г-н \
    г-на г-ну г-ном г-жа г-жи г-же г-жу г-жой гражданин гражданка гражданина гражданину гражданки товарищ товарища \
    тов доктор доктора доктору доктором д-р профессор профессора профессору профессором проф академик академика мистер \
    миссис мисс пациент пациента пациенту пациентка пациентки пациентку клиент клиента клиенту клиентка клиентки зовут \
    имени фамилии врач врача врачу адвокат адвоката сотрудник сотрудника сотруднику пан пана панові паном пані добродій \
    добродійка лікар лікаря лікарю лікарка адвокатка звати прізвище κ κα κοσ κυριοσ κυριου κυριο κυρια κυριασ δρ \
    δρα καθηγητησ καθηγητη καθηγητρια γιατροσ γιατρο ιατροσ λενε ονομαζομαι ασθενησ δικηγοροσ ";

/// Words of saying and doing after a name, in lower case without accents.
const SAYINGS: &str = " сказал сказала заявил заявила сообщил сообщила написал написала ответил ответила отметил отметила \
    считает рассказал рассказала родился родилась работает живет пришел пришла позвонил позвонила подписал подписала \
    подчеркнул уточнил добавил добавила объяснил попросил попросила просит пишет говорит сказав сказала заявив заявила \
    повідомив повідомила написав відповів відповіла зазначив зазначила вважає розповів розповіла народився народилася \
    працює мешкає підписав підписала пояснив додав каже ειπε δηλωσε τονισε ανεφερε εγραψε γεννηθηκε εργαζεται ζει μενει \
    υπεγραψε τηλεφωνησε απαντησε ηρθε πηγε ";

/// The most letters of a title that is written with a dot: "проф.", "г-н".
const LONGEST_SHORT_FORM: usize = 4;

/// The most hyphens in a name. A limit keeps the time linear.
const MOST_HYPHENS: usize = 3;

/// A word with what it may be.
struct Token {
    word: Word,
    roles: Roles,
    shape: Shape,
    /// The word starts a sentence or a quotation, where every word may have a capital.
    first: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Lower,
    Name,
    Upper,
    /// One capital with a dot.
    Initial,
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// The bases of family names that stand in whole names.
    families: HashSet<String>,
}

/// Adds the names in Cyrillic or Greek letters.
pub(super) fn find(text: &str, script: Script, names: &mut Vec<Name>) {
    let forms = Forms::of(script);
    let words = words(text, script);
    let tokens = words.into_iter().map(|word| token(text, word, forms)).collect();
    let mut reader = Reader { text, tokens, families: HashSet::new() };
    let mut at = 0;
    while at < reader.tokens.len() {
        match reader.name_at(at) {
            Some((last, score)) => {
                names.push(reader.name(at, last, score));
                at = last + 1;
            }
            None => at += 1,
        }
    }
    reader.add_repeated(names);
}

fn token(text: &str, word: Word, forms: &Forms) -> Token {
    let written = word.of(text);
    let mut letters = written.chars().filter(|c| c.is_alphabetic());
    let capital = letters.next().is_some_and(char::is_uppercase);
    let rest: Vec<char> = letters.collect();
    let dot = text[word.end..].starts_with('.');
    let shape = match capital {
        false => Shape::Lower,
        true if rest.is_empty() => {
            if dot {
                Shape::Initial
            } else {
                Shape::Lower
            }
        }
        true if rest.iter().all(|c| c.is_uppercase()) => Shape::Upper,
        true if rest.iter().all(|c| c.is_lowercase()) => Shape::Name,
        // "МакДональд" is rare, and abbreviations such as "МГУшник" are not names.
        true => Shape::Lower,
    };
    let roles = match shape {
        Shape::Name | Shape::Upper => forms.roles(written),
        Shape::Lower | Shape::Initial => Roles::default(),
    };
    let first = starts_sentence(text, word.start);
    Token { word, roles, shape, first }
}

/// Returns whether a capital at a place may be that of a sentence or a heading.
fn starts_sentence(text: &str, start: usize) -> bool {
    let head = text.get(..start).unwrap_or_default();
    let bare = head.trim_end_matches([' ', '\u{a0}', '\t']);
    let quoted = bare.ends_with(['«', '"', '“', '„', '(', '[', '\'', '‘', '-', '–', '—', '•', '*', '#', '>']);
    if quoted || bare.is_empty() || bare.ends_with(['\n', '\r', '!', '?', '…', ':', ';']) {
        return true;
    }
    // The dot of "г." and "ул." ends no sentence, and neither does that of an initial.
    let Some(sentence) = bare.strip_suffix('.') else { return false };
    let last = sentence.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    last.chars().count() > 4 || last.is_empty() || last.chars().all(|c| c.is_ascii_digit())
}

impl Reader<'_> {
    fn name(&self, first: usize, last: usize, score: f32) -> Name {
        let (start, end) = (self.tokens[first].word.start, self.tokens[last].word.end);
        // The dot of a last initial belongs to the name.
        let dot = usize::from(self.tokens[last].shape == Shape::Initial);
        Name { start, end: end + dot, score }
    }

    /// Returns the token at `at` if it follows the one before it after a space, a hyphen or an initial's dot.
    fn joined(&self, at: usize) -> Option<&Token> {
        let token = self.tokens.get(at)?;
        let last = self.tokens.get(at.checked_sub(1)?)?;
        let gap = self.text.get(last.word.end..token.word.start)?;
        let near = match last.shape {
            Shape::Initial => matches!(gap, "." | ". " | ".\u{a0}" | ".-"),
            _ => matches!(gap, " " | "\u{a0}" | "-"),
        };
        near.then_some(token)
    }

    /// Returns the joined token at `at` if it has a capital and may be a part of a name.
    fn part(&self, at: usize) -> Option<&Token> {
        self.joined(at)
            .filter(|token| matches!(token.shape, Shape::Name | Shape::Upper) && !token.roles.never)
    }

    fn is_hyphened(&self, at: usize) -> bool {
        let end = |at: usize| self.tokens.get(at).map(|token| token.word.end);
        end(at).is_some_and(|end| self.text[end..].starts_with('-')) && self.part(at + 1).is_some()
    }

    /// Goes to the end of a double name: "Римский-Корсаков".
    fn whole(&self, at: usize) -> usize {
        let parts = (at..at + MOST_HYPHENS).take_while(|at| self.is_hyphened(*at)).count();
        at + parts
    }

    /// Returns the last token of the initials from `at` on, and their number.
    fn initials(&self, at: usize) -> Option<(usize, usize)> {
        let is_initial = |at: usize| self.joined(at).is_some_and(|token| token.shape == Shape::Initial);
        if !is_initial(at) {
            return None;
        }
        let second = is_initial(at + 1);
        Some((at + usize::from(second), 1 + usize::from(second)))
    }

    /// Returns the last token and the score of the name that starts at a token.
    fn name_at(&mut self, at: usize) -> Option<(usize, f32)> {
        let token = &self.tokens[at];
        let found = match token.shape {
            Shape::Lower => None,
            Shape::Initial => self.after_initials(at),
            Shape::Name | Shape::Upper if token.roles.never => None,
            Shape::Name | Shape::Upper => self.name_of_word(at),
        }?;
        // The family name of a whole name is known from here on.
        if found.1 >= SUPPORTED {
            for token in &self.tokens[at..=found.0] {
                let known = matches!(token.shape, Shape::Name | Shape::Upper);
                if known && !token.roles.patronymic && (!token.roles.given || token.roles.family) {
                    self.families.insert(base(&folded(token.word.of(self.text))).to_owned());
                }
            }
        }
        Some(found)
    }

    /// Reads "И. И. Иванов".
    fn after_initials(&self, at: usize) -> Option<(usize, f32)> {
        let second = self.joined(at + 1).is_some_and(|token| token.shape == Shape::Initial);
        let family = at + 1 + usize::from(second);
        let token = self.part(family)?;
        // "в письме Н. Крыж", but not "А. Введение" at the start of a line.
        let enough = second || token.roles.any_family() || token.roles.given || !self.tokens[at].first;
        (enough && token.shape != Shape::Upper || token.roles.any_family())
            .then(|| (self.whole(family), if second || token.roles.family { WHOLE } else { SUPPORTED }))
    }

    fn name_of_word(&self, at: usize) -> Option<(usize, f32)> {
        let token = &self.tokens[at];
        let (roles, end) = (token.roles, self.whole(at));
        let titled = self.is_titled(at);
        if roles.given
            && let Some(found) = self.name_of_given(at, end)
        {
            return Some(found);
        }
        let next = self.part(end + 1).map(|token| token.roles);
        let shouted = token.shape == Shape::Upper;
        // "Иванов Иван Иванович", also if the family name is not in the list.
        if let Some(next) = next.filter(|next| next.given) {
            let given = self.whole(end + 1);
            let father = self.part(given + 1).is_some_and(|token| token.roles.patronymic);
            if father {
                let more = self.part(given + 2).filter(|token| token.roles.any_family());
                return Some((given + 1 + usize::from(more.is_some()), WHOLE));
            }
            if roles.any_family() && !roles.given && (!next.word || roles.family) {
                return Some((given, WHOLE));
            }
        }
        // "Иванов И. И."
        if let Some((last, count)) = self.initials(end + 1)
            && (roles.any_family() || count > 1 && !shouted)
        {
            let follows = self.part(last + 1).is_some_and(|token| token.roles.any_family());
            return (!follows).then_some((last, WHOLE));
        }
        if roles.patronymic {
            let family = self.part(end + 1).filter(|token| token.roles.any_family());
            return Some(family.map_or((end, SUPPORTED), |_| (self.whole(end + 1), WHOLE)));
        }
        // "ο καθηγητής Τοξικολογίας": the title has a subject, not a name.
        let subject = ["ιασ", "ικησ"].iter().any(|end| folded(token.word.of(self.text)).ends_with(end));
        let doubtful = roles.place || subject;
        if titled && !shouted && (!doubtful || roles.any_family()) {
            let more = self.part(end + 1).filter(|token| token.roles.any_family() || token.roles.patronymic);
            return Some((if more.is_some() { self.whole(end + 1) } else { end }, SUPPORTED));
        }
        let alone = roles.any_family() && !roles.place && !shouted && !self.is_quoted(at, end);
        (alone && (!token.first || self.says(end))).then_some((end, ALONE))
    }

    /// Reads a name from its given name on.
    fn name_of_given(&self, at: usize, end: usize) -> Option<(usize, f32)> {
        let token = &self.tokens[at];
        let shouted = token.shape == Shape::Upper;
        let mut last = end;
        // "Анна Мария", but not "Иванов Павла".
        if self.part(last + 1).is_some_and(|next| next.roles.given && !next.roles.any_family()) {
            let second = self.whole(last + 1);
            if self.part(second + 1).is_some_and(|next| next.roles.any_family()) || !token.roles.any_family()
            {
                last = second;
            }
        }
        let father = self.part(last + 1).is_some_and(|next| next.roles.patronymic);
        last += usize::from(father);
        if let Some((initials, _)) = self.initials(last + 1)
            && self.part(initials + 1).is_some_and(|next| next.roles.any_family())
        {
            return Some((self.whole(initials + 1), WHOLE));
        }
        if let Some(next) = self.part(last + 1) {
            let (roles, whole) = (next.roles, self.whole(last + 1));
            if roles.any_family() || father && !roles.given {
                return Some((whole, WHOLE));
            }
            // A capital after a given name is that of an unlisted family name.
            let same_case = (next.shape == Shape::Upper) == shouted;
            let doubtful = token.roles.place || token.roles.word && token.first || roles.place || next.first;
            if !roles.given && !shouted && same_case && !doubtful {
                return Some((whole, SUPPORTED));
            }
        }
        if father || last > end {
            return Some((last, WHOLE));
        }
        let sure = !token.roles.word || !token.first || self.says(end) || self.is_titled(at);
        let score = if self.is_titled(at) { SUPPORTED } else { ALONE };
        (sure && !shouted && !token.roles.place && !self.is_quoted(at, end)).then_some((end, score))
    }

    /// Returns whether a name stands alone between quotation marks, as titles and brands do.
    fn is_quoted(&self, at: usize, end: usize) -> bool {
        let before = self.text[..self.tokens[at].word.start].trim_end();
        let after = self.text[self.tokens[end].word.end..].trim_start();
        before.ends_with(['«', '"', '“', '„']) && after.starts_with(['»', '"', '”', '“'])
    }

    fn is_titled(&self, at: usize) -> bool {
        let start = self.tokens[at].word.start;
        let word = folded(before(self.text, start));
        // The dot after a whole word ends a sentence: "Пришёл врач. Завтра …"
        let head = self.text[..start].trim_end_matches([' ', '\u{a0}']);
        let fits = !head.ends_with('.') || word.chars().count() <= LONGEST_SHORT_FORM;
        fits && !word.is_empty() && TITLES.contains(&format!(" {word} "))
    }

    /// Returns whether a word of saying follows.
    fn says(&self, at: usize) -> bool {
        self.joined(at + 1)
            .is_some_and(|next| SAYINGS.contains(&format!(" {} ", folded(next.word.of(self.text)))))
    }

    /// Adds family names of whole names where they stand alone.
    fn add_repeated(&self, names: &mut Vec<Name>) {
        if self.families.is_empty() {
            return;
        }
        let mut found = names.iter().map(|name| name.start..name.end).peekable();
        let mut more = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let range = token.word.range();
            while found.next_if(|name| name.end <= range.start).is_some() {}
            let known = found.peek().is_some_and(|name| name.start < range.end);
            if known || token.shape != Shape::Name || token.roles.never {
                continue;
            }
            let folded = folded(token.word.of(self.text));
            if folded.chars().count() >= 4 && self.families.contains(base(&folded)) {
                more.push(self.name(at, at, ALONE));
            }
        }
        names.extend(more);
    }
}
