//! Korean names: a family name of one letter, a given name of two, then a particle or a title.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::letters::Script;
use super::lists::ListedSpeech;
use super::words::{Word, words};
use super::{ALONE, Name, SUPPORTED};

struct Lists {
    family: HashSet<&'static str>,
    /// Family names that many people have.
    common: HashSet<&'static str>,
    given: HashSet<&'static str>,
    /// Words that look like a name with a particle.
    words: HashSet<&'static str>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let korean = ListedSpeech::Korean;
    let given = korean.section("given-f").iter().chain(korean.section("given-m"));
    Lists {
        family: korean.set("family"),
        common: korean.set("common"),
        given: given.copied().collect(),
        words: korean.set("words"),
    }
});

/// Particles after a name.
const PARTICLES: &str = " 은 는 이 가 을 를 의 에 에게 에게서 께 께서 와 과 도 만 로 으로 랑 이랑 하고 한테 한테서 보다 처럼 부터 까지 \
    이나 나 라고 이라고 라는 이라는 입니다 이다 였다 이었다 이며 며 인 이고 고 에게도 에게는 에게만 으로부터 로부터 마저 조차 ";

/// Titles after a name, in the same word or in the next.
const TITLES: &str = " 씨 님 양 군 선생 선생님 교수 교수님 박사 박사님 의원 대표 사장 사장님 부장 부장님 과장 과장님 팀장 팀장님 대리 기자 감독 \
    선수 장관 대통령 총리 원장 회장 변호사 의사 간호사 총재 위원장 위원 의장 시장 지사 총장 검사 판사 이사 실장 소장 국장 차관 대사 \
    옹 여사 목사 신부 스님 할머니 할아버지 아저씨 아주머니 어린이 학생 환자 고객 고객님 작가 배우 가수 코치 대변인 본부장 ";

/// Letters with which words end that are no names.
const ENDS: [char; 34] = [
    '은', '는', '이', '가', '을', '를', '의', '에', '와', '과', '도', '로', '한', '할', '된', '하', '대',
    '학', '회', '적', '부', '사', '원', '국', '당', '법', '들', '던', '고', '며', '면', '난', '른', '든',
];

/// Titles that are nouns of other meanings in a word of their own: "market", "intention", "branch".
const NOUNS: [&str; 6] = ["시장", "의사", "이사", "지사", "대표", "군"];

/// Adds Korean names.
pub(super) fn find(text: &str, names: &mut Vec<Name>) {
    let words = words(text, Script::Hangul);
    let mut known: HashSet<&str> = HashSet::new();
    let mut open = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next =
            words.get(at + 1).filter(|next| matches!(text.get(word.end..next.start), Some(" " | "\u{a0}")));
        match read(text, word, next) {
            Some(name) => {
                if name.score >= SUPPORTED {
                    known.extend(text.get(name.start..name.end));
                }
                names.push(name);
            }
            None => open.push(word),
        }
    }
    for word in open.into_iter().filter(|_| !known.is_empty()) {
        for length in [4, 3, 2] {
            let Some((head, rest)) = split(word.of(text), length) else { continue };
            if known.contains(head) && is_tail(rest) {
                names.push(Name { start: word.start, end: word.start + head.len(), score: ALONE });
                break;
            }
        }
    }
}

/// Splits a word after some letters.
fn split(word: &str, letters: usize) -> Option<(&str, &str)> {
    let mut ends = word.char_indices().map(|(at, _)| at).chain([word.len()]);
    word.split_at_checked(ends.nth(letters)?)
}

fn is_listed(list: &str, word: &str) -> bool {
    list.contains(&format!(" {word} "))
}

/// Returns whether the end of a word is nothing, a particle, or a title with or without a particle.
fn is_tail(rest: &str) -> bool {
    rest.is_empty() || is_listed(PARTICLES, rest) || titled(rest)
}

/// Returns whether a text is a title with or without a particle.
fn titled(rest: &str) -> bool {
    (1..=4).any(|letters| {
        split(rest, letters).is_some_and(|(title, rest)| {
            is_listed(TITLES, title) && (rest.is_empty() || is_listed(PARTICLES, rest))
        })
    })
}

fn read(text: &str, word: &Word, next: Option<&Word>) -> Option<Name> {
    let written = word.of(text);
    for family in [2, 1] {
        let Some((head, tail)) = split(written, family) else { continue };
        if !LISTS.family.contains(head) {
            continue;
        }
        for given in [2, 1] {
            let Some((name, rest)) = split(tail, given) else { continue };
            let is_title = !rest.is_empty() && titled(rest);
            let title_next = rest.is_empty()
                && next.is_some_and(|next| {
                    titled(next.of(text)) && !NOUNS.iter().any(|noun| next.of(text).starts_with(noun))
                });
            let addressed = is_title || title_next;
            let plain = rest.is_empty() || is_listed(PARTICLES, rest);
            let listed = given == 2 && LISTS.given.contains(name) && LISTS.common.contains(head);
            // "배경은" is a noun with a particle, unless a sign follows.
            let open = || text.get(word.end..).is_some_and(|rest| rest.starts_with(' '));
            let particle =
                rest.is_empty() && name.ends_with(['은', '이', '의', '는']) && open() && !title_next;
            // Other given names need a title or an age: "전일재씨", "전일재(35)".
            let aged = || {
                let after = text.get(word.end..).and_then(|rest| rest.strip_prefix('('));
                rest.is_empty() && after.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            };
            // A noun with a particle or a verb with an ending is no given name.
            let noun =
                name.ends_with(ENDS) && !listed || LISTS.words.contains(&written[..head.len() + name.len()]);
            let supported = addressed && !noun && (given == 2 || family == 2) && LISTS.common.contains(head);
            let score = match () {
                () if supported || given == 2 && LISTS.common.contains(head) && aged() => SUPPORTED,
                () if listed && plain && !noun && !particle => SUPPORTED,
                () => continue,
            };
            return Some(Name { start: word.start, end: word.start + head.len() + name.len(), score });
        }
    }
    None
}
