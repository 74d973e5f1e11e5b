//! Matching, checking and scoring of candidates.

use std::ops::Range;

use regex_automata::hybrid::dfa::Cache;
use regex_automata::{Anchored, Input};

use super::compiled::{Compiled, Led, Parsed, Pattern};
use super::context::Nearby;
use super::letters::{char_at, char_before, floor, is_word_char};
use super::rule::{Edges, Rule, Verdict};
use super::scan::{Visit, scan};
use super::shapes::{End, glued};
use crate::span::{FoundBy, Reason, Span};

/// Candidates with a lower score are dropped.
const LOWEST_SCORE: f32 = 0.1;

/// The longest distance from a leading word to the end of its pattern, in bytes.
const LED_REACH: usize = 320;

/// Appends the spans that the rules find in `text`. The first `builtin` rules are built in.
pub(super) fn find(rules: &[Rule], builtin: usize, compiled: &Compiled, text: &str, found: &mut Vec<Span>) {
    let mut cache = compiled.caches.get();
    let mut finder = Finder {
        rules,
        compiled,
        text,
        candidates: Vec::new(),
        cache: &mut cache,
        ends: Vec::new(),
        ranges: Vec::new(),
        nearby: Nearby::default(),
        shaped: None,
        swallowed_until: 0,
        tokens: Vec::new(),
    };
    scan(text, &compiled.words, &mut finder);
    for pattern in &compiled.anywhere {
        finder.anywhere(pattern);
    }
    let candidates = widest(finder.candidates, rules.len());
    found.extend(candidates.into_iter().map(|candidate| {
        let found_by = if candidate.rule < builtin { FoundBy::Rule } else { FoundBy::User };
        candidate.into_span(&rules[candidate.rule], found_by)
    }));
}

/// A match of a rule, before it becomes a span.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    start: usize,
    end: usize,
    rule: usize,
    score: f32,
    /// The context word, by its index in the rule.
    context: Option<usize>,
    /// Whether the rule's check passed.
    passed: bool,
}

impl Candidate {
    fn into_span(self, rule: &Rule, found_by: FoundBy) -> Span {
        let words = rule.context.as_ref().map_or(&[][..], |context| &context.words);
        let check = rule.validator.filter(|_| self.passed).and_then(|validator| validator.name);
        let reason = Reason {
            found_by,
            name: rule.name_for_reason(),
            context: self.context.and_then(|place| words.get(place)).cloned(),
            validator: check.map(Into::into),
            also: Vec::new(),
        };
        Span { start: self.start, end: self.end, kind: rule.kind().clone(), score: self.score, reason }
    }
}

/// Sorts candidates and drops those inside another of the same rule with at least the same score:
/// `234 5678` in `1 234 5678`.
fn widest(mut candidates: Vec<Candidate>, rules: usize) -> Vec<Candidate> {
    candidates.sort_by(|a, b| {
        (a.start, b.end, a.rule).cmp(&(b.start, a.end, b.rule)).then(b.score.total_cmp(&a.score))
    });
    let mut last: Vec<Option<(usize, f32)>> = vec![None; rules];
    candidates.retain(|candidate| match &mut last[candidate.rule] {
        Some((end, score)) if candidate.end <= *end && candidate.score <= *score => false,
        outer => {
            *outer = Some((candidate.end, candidate.score));
            true
        }
    });
    candidates
}

struct Finder<'a> {
    rules: &'a [Rule],
    compiled: &'a Compiled,
    text: &'a str,
    candidates: Vec<Candidate>,
    cache: &'a mut Cache,
    /// Buffers, reused to avoid allocations.
    ends: Vec<End>,
    ranges: Vec<Range<usize>>,
    nearby: Nearby,
    /// The last place at which shapes were tried. A word with a number in it is visited twice.
    shaped: Option<usize>,
    /// The end of the last match of a swallowing rule. No shape starts before it.
    swallowed_until: usize,
    /// The last token over which each growing rule was extended.
    tokens: Vec<Token>,
}

/// A token over which a match was extended, from the end of the match on.
struct Token {
    rule: usize,
    range: Range<usize>,
    /// Its end without trailing characters that do not belong to a value.
    end: usize,
}

impl Visit for Finder<'_> {
    fn shape(&mut self, start: usize) {
        if start < self.swallowed_until || self.shaped.replace(start) == Some(start) {
            return;
        }
        let mut ends = std::mem::take(&mut self.ends);
        self.compiled.shapes.ends(self.cache, self.text, start, &mut ends);
        for of_one_shape in ends.chunk_by(|a, b| a.0 == b.0) {
            let rule = self.compiled.shape_rules[of_one_shape[0].0];
            self.longest(rule, start, of_one_shape.iter().map(|end| end.1));
        }
        self.ends = ends;
    }

    fn word(&mut self, word: usize, start: usize, end: usize) {
        let compiled = self.compiled;
        let actions = &compiled.actions[word];
        if actions.shape {
            self.shape(start);
        }
        for &led in &actions.led {
            self.led(&compiled.led[led], end);
        }
        self.parse(&actions.parsed, start);
    }

    fn at(&mut self, at: usize) {
        self.parse(&self.compiled.at, at);
    }

    fn scheme(&mut self, at: usize) {
        self.parse(&self.compiled.scheme, at);
    }

    fn host(&mut self, start: usize) {
        self.parse(&self.compiled.host, start);
    }

    fn word_before_number(&mut self, start: usize) {
        self.parse(&self.compiled.word_before_number, start);
    }
}

impl Finder<'_> {
    /// Reports the longest match that passes the check of the rule, otherwise the longest that the check does
    /// not refuse.
    fn longest(&mut self, rule: usize, start: usize, ends: impl Iterator<Item = usize>) {
        let mut unsure = None;
        for end in ends {
            let end = self.grown(rule, start..end);
            match self.verdict(rule, start..end) {
                Verdict::Valid => {
                    self.swallow(rule, end);
                    return self.report(rule, start..end, Verdict::Valid);
                }
                Verdict::Unsure => unsure = unsure.or(Some(end)),
                Verdict::Invalid => {}
            }
        }
        if let Some(end) = unsure {
            self.swallow(rule, end);
            self.report(rule, start..end, Verdict::Unsure);
        }
    }

    /// Returns the end of the token of a match.
    fn grown(&mut self, rule: usize, range: Range<usize>) -> usize {
        let Some(growth) = self.rules[rule].growth.filter(|growth| range.len() >= growth.from) else {
            return range.end;
        };
        let known = self.tokens.iter().position(|token| token.rule == rule);
        // Tokens that start inside each other end at the same place. Each token is read once, so that the
        // time stays linear.
        if let Some(token) = known.map(|known| &self.tokens[known])
            && (token.range.start..=token.range.end).contains(&range.end)
        {
            return range.end.max(token.end);
        }
        let Some(rest) = self.text.get(range.end..) else { return range.end };
        let more = rest.find(|c| !(growth.inside)(c)).map_or(rest, |end| &rest[..end]);
        let token = Token {
            rule,
            range: range.end..range.end + more.len(),
            end: range.end + more.trim_end_matches(growth.loose).len(),
        };
        let end = token.end;
        match known {
            Some(known) => self.tokens[known] = token,
            None => self.tokens.push(token),
        }
        end
    }

    fn swallow(&mut self, rule: usize, end: usize) {
        if self.rules[rule].swallows {
            self.swallowed_until = self.swallowed_until.max(end);
        }
    }

    fn led(&mut self, led: &Led, word_end: usize) {
        let until = floor(self.text, word_end.saturating_add(LED_REACH).min(self.text.len()));
        let input = Input::new(self.text).span(word_end..until).anchored(Anchored::Yes);
        let mut slots = [None; 4];
        led.regex().search_slots(&input, &mut slots);
        if let [_, _, Some(start), Some(end)] = slots {
            self.consider(led.rule, start.get()..end.get());
        }
    }

    fn parse(&mut self, parsed: &[Parsed], at: usize) {
        for &Parsed { rule, parse } in parsed {
            let mut ranges = std::mem::take(&mut self.ranges);
            parse(self.text, at, &mut ranges);
            for range in ranges.drain(..) {
                self.consider(rule, range);
            }
            self.ranges = ranges;
        }
    }

    fn anywhere(&mut self, pattern: &Pattern) {
        let text = self.text;
        if pattern.regex.captures_len() == 1 {
            for found in pattern.regex.find_iter(text) {
                self.of_user(pattern.rule, found.range());
            }
            return;
        }
        for groups in pattern.regex.captures_iter(text) {
            let group = groups.iter().skip(1).flatten().next().or(groups.get_group(0));
            if let Some(group) = group {
                self.of_user(pattern.rule, group.range());
            }
        }
    }

    /// A pattern of the user has no rules about neighbouring characters.
    fn of_user(&mut self, rule: usize, range: Range<usize>) {
        match self.checked(rule, range.clone()) {
            Verdict::Invalid => {}
            verdict => self.report(rule, range, verdict),
        }
    }

    fn consider(&mut self, rule: usize, range: Range<usize>) {
        // The extension of a value is not checked, because checks expect short texts.
        let whole = range.start..self.grown(rule, range.clone());
        if !self.may_stand_here(rule, &whole) {
            return;
        }
        match self.checked(rule, range) {
            Verdict::Invalid => {}
            verdict => self.report(rule, whole, verdict),
        }
    }

    fn verdict(&self, rule: usize, range: Range<usize>) -> Verdict {
        if self.may_stand_here(rule, &range) { self.checked(rule, range) } else { Verdict::Invalid }
    }

    fn may_stand_here(&self, rule: usize, range: &Range<usize>) -> bool {
        let rule = &self.rules[rule];
        !range.is_empty()
            && edges_hold(self.text, range, rule.edges)
            && !follows(self.text, range.start, rule.never_after)
    }

    fn checked(&self, rule: usize, range: Range<usize>) -> Verdict {
        let rule = &self.rules[rule];
        let Some(matched) = self.text.get(range) else { return Verdict::Invalid };
        let Some(validator) = rule.validator else { return Verdict::Unsure };
        match (validator.check)(matched) {
            Verdict::Unsure if validator.must_pass => Verdict::Invalid,
            verdict => verdict,
        }
    }

    fn report(&mut self, index: usize, range: Range<usize>, verdict: Verdict) {
        if range.is_empty() {
            return;
        }
        let rule = &self.rules[index];
        let passed = rule.validator.filter(|_| verdict == Verdict::Valid);
        let mut score = passed.map_or(rule.score(), |validator| validator.score);
        let places = (range.start, range.end);
        let support = self.compiled.context.support(self.rules, index, self.text, places, &mut self.nearby);
        match support {
            None if rule.needs_context() => return,
            None => {}
            Some(support) => score = score.max(support.score),
        }
        if score < LOWEST_SCORE {
            return;
        }
        self.candidates.push(Candidate {
            start: range.start,
            end: range.end,
            rule: index,
            score,
            context: support.map(|support| support.word),
            passed: passed.is_some(),
        });
    }
}

/// Returns whether the neighbouring characters allow a match here.
fn edges_hold(text: &str, range: &Range<usize>, edges: Edges) -> bool {
    if glued(text, range.end) || glued_before(text, range.start) {
        return false;
    }
    let joins = |byte: u8| match edges {
        Edges::Word => false,
        Edges::Number => matches!(byte, b'-' | b'.'),
        Edges::Strict => matches!(byte, b'-' | b'.' | b'/' | b':'),
    };
    let bytes = text.as_bytes();
    let continues = |inner: u8, joint: Option<&u8>, outer: Option<&u8>| {
        inner.is_ascii_digit() && joint.is_some_and(|b| joins(*b)) && outer.is_some_and(u8::is_ascii_digit)
    };
    let back = |by: usize| range.start.checked_sub(by).and_then(|at| bytes.get(at));
    !continues(bytes[range.start], back(1), back(2))
        && !continues(bytes[range.end - 1], bytes.get(range.end), bytes.get(range.end + 1))
}

fn glued_before(text: &str, start: usize) -> bool {
    char_before(text, start).is_some_and(is_word_char) && char_at(text, start).is_some_and(is_word_char)
}

/// Returns whether one of the words is directly before `at`.
fn follows(text: &str, at: usize, words: &[&str]) -> bool {
    if words.is_empty() {
        return false;
    }
    let before = text[..at].trim_end_matches([' ', ':', '=', '"', '\'', '.']);
    words.iter().any(|word| {
        before.len().checked_sub(word.len()).is_some_and(|start| {
            before.as_bytes()[start..].eq_ignore_ascii_case(word.as_bytes())
                && !char_before(before, start).is_some_and(is_word_char)
        })
    })
}
