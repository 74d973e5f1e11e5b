//! Chinese names. No spaces separate words, so a family name with letters of given names counts only between
//! signs or beside a title, a role or a word of saying.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::letters::{Script, Scripts, is_han};
use super::lists::ListedSpeech;
use super::unspaced::Letters;
use super::{ALONE, Name, SUPPORTED};

struct Lists {
    family: HashSet<&'static str>,
    /// Family names that are hardly ever words.
    common: HashSet<&'static str>,
    letters: HashSet<char>,
    not_letters: HashSet<char>,
    words: HashSet<&'static str>,
    address: HashSet<&'static str>,
    titles: HashSet<&'static str>,
    after: HashSet<&'static str>,
    saying: HashSet<&'static str>,
    before: HashSet<&'static str>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let chinese = ListedSpeech::Chinese;
    Lists {
        family: chinese.set("family"),
        common: chinese.set("common"),
        letters: chinese.letters("letters"),
        not_letters: chinese.letters("not-letters"),
        words: chinese.set("words"),
        address: ADDRESS.split_whitespace().collect(),
        titles: TITLES.split_whitespace().collect(),
        after: AFTER.split_whitespace().collect(),
        saying: SAYING.split_whitespace().collect(),
        before: BEFORE.split_whitespace().collect(),
    }
});

/// Forms of address after any name.
const ADDRESS: &str = "先生 女士 小姐";

/// Titles after a family name alone.
const TITLES: &str = "先生 女士 小姐 太太 老师 医生 教授 律师 经理 阿姨 叔叔 师傅 老師 醫生";

/// Titles and roles after a name.
const AFTER: &str = "\
    先生 女士 小姐 太太 夫人 同志 同学 老师 教授 医生 大夫 医师 护士 律师 法官 经理 \
    主任 总监 总裁 董事长 院长 校长 博士 书记 总理 主席 部长 省长 市长 县长 局长 \
    处长 科长 厅长 委员 将军 总统 首相 外长 大使 教练 队长 工程师 记者 老板 阿姨 \
    叔叔 奶奶 爷爷 师傅 总书记 副主席 院士 行长 船工 研究员 大师 副总理 会长 秘书长 \
    上将 中将 少将 代表 等人 等同志 夫妇 一家 一行 父子 女儿 儿子 妻子 丈夫 母亲 \
    父亲 妈妈 爸爸 本人 老人 大爷 大妈 選手 醫生 老師 經理 律師";

/// Words of saying and doing after a name.
const SAYING: &str = "\
    说 表示 指出 认为 告诉 强调 介绍 问 回答 写道 称 出生 生于 毕业 担任 会见 出席 \
    主持 宣布 访问 发表 率领 夺 获得 参加 致 今天 昨天 住在 来自 打电话 强烈 透露 \
    回忆 解释 坦言 笑 摄 報導 报道 报导 說 作了 在会上 在接受 正在 饰演 主演 执导";

/// Roles and words before a name.
const BEFORE: &str = "\
    我叫 名叫 叫做 叫 名为 姓名 姓名： 姓名: 联系 拜访 患者 病人 客户 同事 朋友 \
    经理 主任 医生 老师 教授 律师 总监 董事长 妻子 丈夫 儿子 女儿 母亲 父亲 哥哥 \
    姐姐 弟弟 妹妹 同学 记者 总理 主席 书记 部长 省长 市长 县长 局长 处长 院长 校长 \
    委员 委员长 将军 司令员 政委 代表 导演 演员 选手 队员 队长 教练 作家 画家 诗人 \
    学者 歌手 农民 工人 职工 青年 同志 联系人 收件人 申请人 负责人 先生 女士 秘书长 \
    专家 博士 警官 民警 战士 党员 编辑 作者 编剧 主编 摄影 通讯员 董事 总裁 老板 \
    会长 主角 小将 名将 冠军 得主 烈士 英雄 厂长 村民 居民 市民 患儿 被告人 被告 \
    原告 嫌疑人 總統 教練 夫人 女友 男友";

/// Words that may stand on either side of a name: "and", "of", "in".
const NEAR: &[char] = &[
    '的', '在', '和', '与', '是', '了', '对', '将', '从', '也', '以', '为', '等', '及', '被', '把', '给',
    '向', '到', '曾', '已', '有', '就', '都', '还', '同', '由', '让', '请', '找', '跟', '因', '则', '又',
    '這', '與', '對', '將', '說',
];

/// How strongly one side of a name speaks for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    None,
    /// A common word that may also be a part of another word.
    Near,
    /// A sign, a space or the end of the text.
    Edge,
    /// A sign of enumeration: names often stand in a row.
    Listed,
    Strong,
}

/// Adds Chinese names. A text with kana is Japanese, except lines of Han alone in a text that has few kana.
pub(super) fn find(text: &str, scripts: Scripts, names: &mut Vec<Name>) {
    if scripts.has(Script::Kana) {
        let count = |script| text.chars().filter(|c| Script::of(*c) == Some(script)).count();
        if count(Script::Kana) * 20 > count(Script::Han) {
            return;
        }
    }
    let reader = Reader(Letters::of(text));
    let letters = &reader.0;
    let mut known: HashSet<&str> = HashSet::new();
    let mut at = 0;
    let first = names.len();
    while at < letters.len() {
        match reader.name_at(at) {
            Some((length, family, score)) => {
                if length > family + 1 || score >= SUPPORTED && length > family {
                    known.insert(letters.slice(at, at + length));
                }
                names.push(letters.name(at, length, score));
                at += length;
            }
            None => at += 1,
        }
    }
    letters.add_repeated(&known, |_, _| true, first, names);
}

struct Reader<'t>(Letters<'t>);

impl Reader<'_> {
    /// Returns the length of the name at a place, that of its family name, and its score.
    fn name_at(&self, at: usize) -> Option<(usize, usize, f32)> {
        if !self.0.is_han(at) {
            return None;
        }
        let is_family = |length: &usize| {
            at + length <= self.0.len() && LISTS.family.contains(self.0.slice(at, at + length))
        };
        let family = [2, 1].into_iter().find(is_family)?;
        let left = self.left(at);
        let given = [2, 1].into_iter().filter_map(|given| self.with_given(at, family, given, left));
        let best = given.max_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
        match best {
            Some((given, _, score)) => Some((family + given, family, score)),
            // "王先生"
            None => {
                let titled = self.0.starts(at + family, &LISTS.titles);
                let form = self.0.starts(at + family, &LISTS.address);
                let free = left != Side::None || form;
                (titled && free && LISTS.common.contains(self.0.slice(at, at + family)))
                    .then_some((family, family, SUPPORTED))
            }
        }
    }

    /// Returns the length of a given name, how much its sides speak for it, and its score.
    fn with_given(&self, at: usize, family: usize, given: usize, left: Side) -> Option<(usize, Side, f32)> {
        let end = at + family + given;
        if end > self.0.len() {
            return None;
        }
        let own: Vec<char> = (at + family..end).filter_map(|at| self.0.char(at)).collect();
        let right = self.right(end);
        let strong = left == Side::Strong || right == Side::Strong;
        let usual = own.iter().all(|c| LISTS.letters.contains(c));
        let possible = own.iter().all(|c| is_han(*c) && !LISTS.not_letters.contains(c));
        let introduced = left == Side::Strong && right >= Side::Edge;
        if !possible || !usual && !introduced {
            return None;
        }
        // "农科院梅方权教授": a title behind three letters is enough.
        let addressed = self.0.starts(end, &LISTS.address);
        let titled = usual
            && (given == 2 && self.0.starts(end, &LISTS.after)
                || addressed && LISTS.common.contains(self.0.slice(at, at + family)));
        if left == Side::None && !titled || right == Side::None && left < Side::Edge {
            return None;
        }
        let whole = self.0.slice(at, end);
        let is_word =
            LISTS.words.contains(whole) || given == 2 && LISTS.words.contains(self.0.slice(at, end - 1));
        let common = LISTS.common.contains(self.0.slice(at, at + family));
        let sides = left.max(right);
        if is_word && !(common && left >= Side::Edge && right == Side::Strong && given == 2) {
            return None;
        }
        let accepted = match given {
            _ if strong => common || left >= Side::Edge && right >= Side::Edge,
            _ if right == Side::None => {
                let counted =
                    at.checked_sub(1).and_then(|last| self.0.char(last)).is_some_and(char::is_numeric);
                given == 2 && common && usual && !counted && !self.continues(end)
            }
            1 => common && left > Side::None && right > Side::None && sides == Side::Listed,
            _ => common && (left >= Side::Edge || right >= Side::Edge),
        };
        accepted.then_some((given, right, if strong { SUPPORTED } else { ALONE }))
    }

    fn left(&self, at: usize) -> Side {
        let Some(before) = at.checked_sub(1).and_then(|last| self.0.char(last)) else { return Side::Edge };
        match before {
            '、' | '，' | ',' => Side::Listed,
            '：' | ':' => Side::Edge,
            c if !c.is_alphanumeric() || !is_han(c) => Side::Edge,
            _ if self.0.ends(at, 4, &LISTS.before) => Side::Strong,
            c if NEAR.contains(&c) => Side::Near,
            _ => Side::None,
        }
    }

    fn right(&self, at: usize) -> Side {
        let Some(next) = self.0.char(at) else { return Side::Edge };
        let starts = |words| self.0.starts(at, words);
        match next {
            '、' => Side::Listed,
            c if !is_han(c) => Side::Edge,
            _ if starts(&LISTS.after) || starts(&LISTS.saying) => Side::Strong,
            c if NEAR.contains(&c) => Side::Near,
            _ => Side::None,
        }
    }

    /// Returns whether the last letter before a place makes a word with the next one.
    fn continues(&self, at: usize) -> bool {
        at > 0 && LISTS.words.contains(self.0.slice(at - 1, at + 1))
    }
}
