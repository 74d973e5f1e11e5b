//! Japanese names: a family name of the list with a given name, or with an honorific.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::letters::{Script, Scripts, is_han};
use super::lists::ListedSpeech;
use super::unspaced::Letters;
use super::{ALONE, Name, SUPPORTED, WHOLE};

struct Lists {
    family: HashSet<&'static str>,
    given: HashSet<&'static str>,
    letters: HashSet<char>,
    /// Family names that many people have and that are no words.
    common: HashSet<&'static str>,
    /// Family names that are words or places too.
    words: HashSet<&'static str>,
    honorifics: HashSet<&'static str>,
    not_honorifics: HashSet<&'static str>,
    roles: HashSet<&'static str>,
    before: HashSet<&'static str>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let japanese = ListedSpeech::Japanese;
    let given = japanese.section("given-f").iter().chain(japanese.section("given-m"));
    Lists {
        family: japanese.set("family"),
        given: given.copied().collect(),
        letters: japanese.letters("letters"),
        common: japanese.set("common"),
        words: japanese.set("words"),
        honorifics: HONORIFICS.split_whitespace().collect(),
        not_honorifics: NOT_HONORIFICS.split_whitespace().collect(),
        roles: ROLES.split_whitespace().collect(),
        before: BEFORE.split_whitespace().collect(),
    }
});

/// Forms of address after a name, which make any family name one.
const HONORIFICS: &str = "\
    さん 様 さま 氏 くん 君 ちゃん 殿";

/// Words that start like an honorific.
const NOT_HONORIFICS: &str = "氏名 君主 様子 様々";

/// Roles after a name.
const ROLES: &str = "\
    先生 選手 監督 社長 部長 課長 係長 教授 首相 総理 容疑者 被告 議員 会長 院長 \
    医師 弁護士 記者 博士 投手 捕手 内野手 大臣 知事 市長 校長 学長 専務 常務 主任 \
    夫妻 兄弟 姉妹 夫人 助教 准教授 騎手 棋士 九段 八段 七段 六段 五段 四段 名人 \
    竜王 役 監修 原作 脚本 主演 著 作曲 作詞 編曲 夫婦";

/// The last letters of roles and relations before a name.
const BEFORE: &str = "\
    社長 部長 課長 取締役 首相 大臣 教授 監督 選手 記者 弁護士 医師 氏名 名前 担当 \
    患者 作家 歌手 俳優 女優 声優 議員 知事 市長 代表 会長 主演 脚本 作曲 作詞 編曲 \
    漫画家 画家 武将 藩主 長男 次男 三男 長女 次女 妻 夫 娘 息子 父 母 兄 弟 姉 \
    妹 投手 捕手 騎手 棋士 家臣 城主 後任 前任";

/// Adds Japanese names. A text without kana is not Japanese.
pub(super) fn find(text: &str, scripts: Scripts, names: &mut Vec<Name>) {
    if !scripts.has(Script::Kana) {
        return;
    }
    let reader = Reader(Letters::of(text));
    let letters = &reader.0;
    let mut known: HashSet<&str> = HashSet::new();
    let mut at = 0;
    let first = names.len();
    while at < letters.len() {
        match reader.name_at(at) {
            Some((length, family, score)) => {
                if family > 1 && score >= SUPPORTED && !LISTS.words.contains(letters.slice(at, at + family)) {
                    known.insert(letters.slice(at, at + family));
                }
                names.push(letters.name(at, length, score));
                at += length;
            }
            None => at += 1,
        }
    }
    let apart = |from: usize, to| !letters.is_han(to) && (from == 0 || !letters.is_han(from - 1));
    letters.add_repeated(&known, apart, first, names);
}

struct Reader<'t>(Letters<'t>);

impl Reader<'_> {
    /// Returns whether a name may start at a place: other letters of Han before it belong to a role.
    fn may_start(&self, at: usize) -> bool {
        let Some(last) = at.checked_sub(1) else { return true };
        !self.0.is_han(last) || self.0.ends(at, 3, &LISTS.before)
    }

    /// Returns the length of the name at a place, that of its family name, and its score.
    fn name_at(&self, at: usize) -> Option<(usize, usize, f32)> {
        if !self.0.is_han(at) || !self.may_start(at) {
            return None;
        }
        let mut best: Option<(usize, usize, f32)> = None;
        for family in (1..=4).rev().filter(|length| at + length <= self.0.len()) {
            let written = self.0.slice(at, at + family);
            if !LISTS.family.contains(written) {
                continue;
            }
            let word = LISTS.words.contains(written);
            if let Some((given, score)) = self.given(at + family, family, word) {
                let found = (family + given, family, score);
                if best.is_none_or(|best| found.2 > best.2) {
                    best = Some(found);
                }
            }
            let addressed = self.0.starts(at + family, &LISTS.honorifics)
                && !self.0.starts(at + family, &LISTS.not_honorifics);
            let in_role = !word && family > 1 && self.0.starts(at + family, &LISTS.roles);
            // A common family name alone, with a particle or a sign behind it.
            let alone = LISTS.common.contains(written) && !self.is_name_letter(at + family)
                || LISTS.common.contains(written)
                    && self.0.char(at + family).is_some_and(|c| "はがをにのともへ".contains(c));
            if best.is_none() && alone {
                best = Some((family, family, ALONE));
            }
            if best.is_none_or(|best| best.2 < SUPPORTED) && (addressed && (family > 1 || !word) || in_role) {
                best = Some((family, family, SUPPORTED));
            }
        }
        best
    }

    /// Returns the length of the given name behind a family name, with a space before it, and the score.
    fn given(&self, at: usize, family: usize, word: bool) -> Option<(usize, f32)> {
        let space =
            usize::from(matches!(self.0.char(at), Some(' ' | '\u{3000}')) && self.is_name_letter(at + 1));
        let from = at + space;
        let ends = |length: usize| {
            let end = from + length;
            !self.0.is_han(end) || self.0.starts(end, &LISTS.honorifics) || self.0.starts(end, &LISTS.roles)
        };
        let fits = |length: &usize| from + length <= self.0.len() && ends(*length);
        let listed = (1..=4).rev().filter(fits).find(|length| {
            let given = self.0.slice(from, from + length);
            let kana = given.chars().all(|c| !is_han(c));
            LISTS.given.contains(given) && (!kana || *length > 2 && !self.goes_on(from + length))
        });
        if let Some(length) = listed {
            let sure = length > 1 && (family > 1 || !word);
            return (sure || !word).then_some((space + length, if sure { WHOLE } else { ALONE }));
        }
        let usual = |length: &usize| {
            let own = (from..from + length).filter_map(|at| self.0.char(at));
            own.clone().count() == *length && own.clone().all(|c| LISTS.letters.contains(&c))
        };
        let length = (2..=3).rev().filter(fits).find(usual)?;
        let is_number = (from..from + length)
            .filter_map(|at| self.0.char(at))
            .all(|c| "一二三四五六七八九十百千万".contains(c));
        (!word && family > 1 && !is_number).then_some((space + length, SUPPORTED))
    }

    fn is_name_letter(&self, at: usize) -> bool {
        self.0.char(at).is_some_and(|c| matches!(Script::of(c), Some(Script::Han | Script::Kana)))
    }

    /// Returns whether kana of the same word follow, other than a particle.
    fn goes_on(&self, at: usize) -> bool {
        self.0
            .char(at)
            .is_some_and(|c| Script::of(c) == Some(Script::Kana) && !"はがをにのともへでやさ".contains(c))
    }
}
