//! The detector: rules, lists and a tagger over a batch of texts.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

use crate::error::{Error, ErrorKind};
use crate::gazetteer::Gazetteer;
use crate::kind::Kind;
use crate::language::{Language, Passage, Unsupported, is_function_word, passages};
use crate::listed;
use crate::merge::merge;
use crate::names;
use crate::phrases::Phrases;
use crate::rules::{Rule, RuleSet};
use crate::settings::{Allow, Settings, Tier};
use crate::span::{FoundBy, Span};
use crate::tagger::{AccurateTagger, FastTagger, LateTagger, Tagger, joined, narrowed};
use crate::view::View;

/// Files of a pack.
const FAST: &str = "tagger-fast.safetensors";
const ACCURATE: &str = "tagger-accurate.safetensors";
const LANGUAGES: &str = "tagger-languages.safetensors";
const LANGUAGES_LIST: &str = "gazetteer-languages.txt";

/// The least score of a name that the tagger of the languages finds in a text that shows no language.
const SURE_NAME: f32 = 0.98;

/// Finds sensitive information in texts.
///
/// ```
/// use inkveil_detect::{Detector, Kind, Settings, Tier};
///
/// let detector = Detector::open(None, Settings::of(Tier::Rules))?;
/// let found = detector.detect(&["Write to ana@example.org", "nothing here"])?;
/// assert_eq!(found[0][0].kind, Kind::Email);
/// assert_eq!(found[0][0].range(), 9..24);
/// assert!(found[1].is_empty());
/// # Ok::<(), inkveil_detect::Error>(())
/// ```
pub struct Detector {
    settings: Settings,
    rules: RuleSet,
    phrases: Phrases,
    allow: Vec<Allowed>,
    taggers: Option<Taggers>,
    gazetteer: Option<Arc<Gazetteer>>,
    /// The number of passages so far in each language.
    seen: Mutex<BTreeMap<Language, u64>>,
}

/// The taggers of a pack.
struct Taggers {
    english: Box<dyn Tagger>,
    /// The tagger of the other languages, if the pack has one.
    languages: Option<Box<dyn Tagger>>,
}

impl Detector {
    /// Opens a detector. `pack` is the folder of a model pack with taggers. The tier
    /// [`Rules`](Tier::Rules) needs none.
    ///
    /// # Errors
    /// Fails if a rule, a pattern, a threshold or a score is invalid, or if files of the pack are missing or
    /// damaged.
    pub fn open(pack: Option<&Path>, settings: Settings) -> Result<Self, Error> {
        check_shares(&settings)?;
        let rules = RuleSet::builtin().with(user_rules(&settings)?)?.with_context(&settings.context)?;
        let mut phrases = Phrases::default();
        for phrase in &settings.deny {
            phrases.add(&phrase.text, phrase.ignore_case, &phrase.kind, 1.0, (FoundBy::Deny, "deny list"));
        }
        for list in &settings.lists {
            for word in &list.words {
                phrases.add(word, list.ignore_case, &list.kind, list.score, (FoundBy::User, &list.name));
            }
        }
        let allow = settings.allow.iter().map(Allowed::new).collect::<Result<_, _>>()?;
        let (taggers, gazetteer) = match taggers(settings.tier, pack)? {
            Some((taggers, gazetteer)) => (Some(taggers), Some(gazetteer)),
            None => (None, None),
        };
        Ok(Detector { settings, rules, phrases, allow, taggers, gazetteer, seen: Mutex::default() })
    }

    /// Returns the spans of each text: sorted, not overlapping, on character boundaries. The texts are
    /// processed together, on all cores. The same text and settings always give the same spans.
    ///
    /// # Errors
    /// Fails if a model fails, or if a passage is in a language that the settings refuse.
    pub fn detect(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        let views: Vec<Option<View>> =
            texts.par_iter().map(|text| View::of(text, self.gazetteer.as_deref())).collect();
        let languages: Vec<Vec<Passage>> = texts.par_iter().map(|text| self.passages(text)).collect();
        self.check_languages(&languages)?;
        let tagged = self.tag(texts, &languages)?;
        let plain: Vec<&str> = views.iter().flatten().map(View::text).collect();
        let plain_languages: Vec<Vec<Passage>> = plain.par_iter().map(|text| self.passages(text)).collect();
        let mut tagged_plain = self.tag(&plain, &plain_languages)?.into_iter();
        let candidates: Vec<(Vec<Span>, Vec<Span>)> = tagged
            .into_iter()
            .zip(&views)
            .map(|(tagged, view)| {
                (tagged, view.as_ref().and_then(|_| tagged_plain.next()).unwrap_or_default())
            })
            .collect();
        let complete = |(((text, view), languages), (mut candidates, mut in_view)): (((_, _), _), _)| {
            let (text, view, languages): (&&str, &Option<View>, &Vec<Passage>) = (text, view, languages);
            let is_english = languages.iter().any(|passage| passage.language == Language::English);
            self.add_lists(text, is_english, &mut candidates);
            if let Some(view) = view {
                self.add_lists(view.text(), is_english, &mut in_view);
                candidates.extend(in_view.into_iter().flat_map(|span: Span| {
                    let ranges = view.originals(text, &span.range());
                    ranges.into_iter().map(move |range| Span {
                        start: range.start,
                        end: range.end,
                        ..span.clone()
                    })
                }));
            }
            self.complete(text, candidates)
        };
        let all = texts.par_iter().zip(&views).zip(&languages).zip(candidates.into_par_iter());
        Ok(all.map(complete).collect())
    }

    /// Returns the passages of a text with their languages: those that the settings name, or those that are
    /// found.
    pub fn passages(&self, text: &str) -> Vec<Passage> {
        // Rules read any language.
        let unused = self.taggers.is_none() && self.settings.unsupported != Unsupported::Refuse;
        match self.settings.language {
            Some(language) => vec![Passage { range: 0..text.len(), language, is_shown: true }],
            None if unused => {
                vec![Passage { range: 0..text.len(), language: Language::English, is_shown: true }]
            }
            None => passages(text),
        }
    }

    /// Returns the number of passages in each language in all texts so far.
    pub fn languages(&self) -> BTreeMap<Language, u64> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts the languages, and fails if the settings refuse one of them.
    fn check_languages(&self, texts: &[Vec<Passage>]) -> Result<(), Error> {
        let refused = texts.iter().flatten().find(|passage| !passage.language.has_tagger());
        match refused {
            Some(passage) if self.settings.unsupported == Unsupported::Refuse => {
                return Err(ErrorKind::Language { language: passage.language }.into());
            }
            _ => {}
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for passage in texts.iter().flatten() {
            *seen.entry(passage.language).or_default() += 1;
        }
        Ok(())
    }

    /// Returns the spans of the taggers. Each passage is tagged by the tagger of its language, or by all taggers
    /// if it shows none.
    fn tag(&self, texts: &[&str], languages: &[Vec<Passage>]) -> Result<Vec<Vec<Span>>, Error> {
        let mut found = vec![Vec::new(); texts.len()];
        let Some(taggers) = &self.taggers else { return Ok(found) };
        // Passages that a tagger reads together: the text that they are of, and whether they show their language.
        let mut parts: [Vec<(usize, Range<usize>, bool)>; 2] = [Vec::new(), Vec::new()];
        for (of, passages) in languages.iter().enumerate() {
            for passage in passages {
                let rules_only = self.settings.unsupported == Unsupported::Rules;
                let reads: &[usize] = match passage.language {
                    Language::Other { .. } if rules_only => continue,
                    _ if taggers.languages.is_none() => &[0],
                    Language::English if !passage.is_shown => &[0, 1],
                    Language::English => &[0],
                    // No tagger learned it, and short English texts of a trade are taken for Latin and others.
                    Language::Other { .. } => &[0, 1],
                    _ => &[1],
                };
                for &reads in reads {
                    match parts[reads].last_mut() {
                        Some((last, range, is_shown))
                            if *last == of
                                && *is_shown == passage.is_shown
                                && range.end == passage.range.start =>
                        {
                            range.end = passage.range.end;
                        }
                        _ => parts[reads].push((of, passage.range.clone(), passage.is_shown)),
                    }
                }
            }
        }
        let taggers = [Some(&taggers.english), taggers.languages.as_ref()];
        for (tagger_at, (tagger, parts)) in taggers.into_iter().zip(parts).enumerate() {
            let Some(tagger) = tagger.filter(|_| !parts.is_empty()) else { continue };
            let slices: Vec<&str> = parts
                .iter()
                .map(|(of, range, _)| texts[*of].get(range.clone()).unwrap_or_default())
                .collect();
            for (((of, range, is_shown), slice), spans) in parts.iter().zip(&slices).zip(tagger.tag(&slices)?)
            {
                // The tagger of many languages takes an article for a name now and then.
                let is_name = |span: &Span| !is_function_word(slice.get(span.range()).unwrap_or_default());
                // In a passage that shows no language, only sure names of people count: other words of English would be
                // taken for names of other languages.
                let is_sure = |span: &Span| {
                    tagger_at == 0 || *is_shown || span.kind == Kind::Person && span.score >= SURE_NAME
                };
                let spans = spans.into_iter().filter(is_name).filter(is_sure);
                let narrow = |span: Span| match tagger_at {
                    0 => Some(span),
                    _ => narrowed(slice, span),
                };
                let spans: Vec<Span> =
                    spans.filter_map(|span| trimmed(slice, span)).filter_map(narrow).collect();
                let spans = if tagger_at == 0 { spans } else { joined(slice, spans) };
                found[*of].extend(spans.into_iter().map(|span| Span {
                    start: span.start + range.start,
                    end: span.end + range.start,
                    ..span
                }));
            }
        }
        Ok(found)
    }

    /// Adds the spans of rules and lists.
    fn add_lists(&self, text: &str, is_english: bool, candidates: &mut Vec<Span>) {
        self.rules.find(text, candidates);
        self.phrases.find(text, candidates);
        listed::find(text, candidates);
        if let Some(gazetteer) = self.gazetteer.as_ref().filter(|_| is_english) {
            names::find(text, gazetteer, candidates);
        }
    }

    /// Drops candidates that are not wanted, and merges the others.
    fn complete(&self, text: &str, mut candidates: Vec<Span>) -> Vec<Span> {
        // Taggers do not know the kind of an identifier. If a rule does, the span of the tagger is dropped,
        // even if the user ignores the kind of the rule.
        let known =
            Ranges::of(&candidates, |span| span.reason.found_by == FoundBy::Rule && self.is_sure(span));
        candidates.retain(|span| {
            !(span.reason.found_by == FoundBy::Tagger && span.kind == Kind::Id && known.contain(span))
                && self.is_wanted(span)
        });
        // "Catholic" in "Catholic University" says nothing about a person.
        let names = Ranges::of(&candidates, |span| {
            matches!(span.kind, Kind::Person | Kind::Organisation | Kind::Location | Kind::Address)
        });
        candidates.retain(|span| {
            !(span.kind.is_special() && span.reason.found_by == FoundBy::Rule && names.contain(span))
        });
        candidates.iter_mut().for_each(|span| drop_lone_bracket(text, span));
        // Spans inside a harmless text are dropped too. Otherwise a weaker rule would find a part of it.
        let harmless = Ranges::of(&candidates, |span| self.is_allowed(text, &span.range()));
        candidates.retain(|span| span.reason.found_by == FoundBy::Deny || !harmless.contain(span));
        merge(text, candidates)
    }

    fn is_wanted(&self, span: &Span) -> bool {
        self.is_sure(span) && self.settings.wants(&span.kind) || span.reason.found_by == FoundBy::Deny
    }

    fn is_sure(&self, span: &Span) -> bool {
        span.score >= self.settings.threshold_of(&span.kind)
    }

    fn is_allowed(&self, text: &str, range: &Range<usize>) -> bool {
        self.allow.iter().any(|allowed| allowed.is(text.get(range.clone()).unwrap_or_default()))
    }

    /// Returns the rules in use, built-in ones first.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.rules()
    }

    /// Returns the settings in use.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

/// Ranges sorted by their start. Each end is the maximum of all ends so far.
struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    fn of(spans: &[Span], chosen: impl Fn(&Span) -> bool) -> Self {
        let mut ranges: Vec<(usize, usize)> =
            spans.iter().filter(|span| chosen(span)).map(|span| (span.start, span.end)).collect();
        ranges.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut ranges {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        Ranges(ranges)
    }

    /// Returns whether the span is inside one of them.
    fn contain(&self, span: &Span) -> bool {
        let started = self.0.partition_point(|&(start, _)| start <= span.start);
        started.checked_sub(1).and_then(|last| self.0.get(last)).is_some_and(|&(_, end)| span.end <= end)
    }
}

impl fmt::Debug for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Detector({}, {} rules)", self.settings.tier, self.rules.rules().count())
    }
}

/// Leaves out the bracket after a telephone number in brackets: "(+1 764 860 6353)".
fn drop_lone_bracket(text: &str, span: &mut Span) {
    let found = text.get(span.range()).unwrap_or_default();
    if span.kind == Kind::Phone && found.ends_with(')') && !found.contains('(') {
        span.end -= 1;
    }
}

/// Returns a span of a tagger without spaces, commas and opening brackets at its end, which taggers mark now and
/// then. None if nothing is left.
fn trimmed(text: &str, span: Span) -> Option<Span> {
    let found = text.get(span.range()).unwrap_or_default();
    let kept =
        found.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | '[' | '{' | '<'));
    (!kept.is_empty()).then(|| Span { end: span.start + kept.len(), ..span })
}

fn taggers(tier: Tier, pack: Option<&Path>) -> Result<Option<(Taggers, Arc<Gazetteer>)>, Error> {
    if tier == Tier::Rules {
        return Ok(None);
    }
    let Some(pack) = pack else {
        let what = format!("the tier {tier} needs a model pack; name one, or use the tier rules");
        return Err(ErrorKind::Setting { what }.into());
    };
    let gazetteer = Arc::new(Gazetteer::open(&pack.join(Gazetteer::FILE))?);
    let names = gazetteer.clone();
    let english: Box<dyn Tagger> = match tier {
        Tier::Rules | Tier::Fast => Box::new(FastTagger::open("fast", &pack.join(FAST), names)?),
        Tier::Accurate => Box::new(AccurateTagger::open(pack, &pack.join(ACCURATE), names)?),
    };
    let weights = pack.join(LANGUAGES);
    let languages: Option<Box<dyn Tagger>> = match weights.exists() {
        true => Some(Box::new(LateTagger::new(weights, pack.join(LANGUAGES_LIST)))),
        false => None,
    };
    Ok(Some((Taggers { english, languages }, gazetteer)))
}

/// Refuses thresholds and scores that are not from 0 to 1. With a threshold of NaN nothing would be found,
/// and every text would seem harmless.
fn check_shares(settings: &Settings) -> Result<(), Error> {
    let thresholds =
        settings.thresholds.iter().map(|(kind, share)| (format!("the threshold of {kind}"), *share));
    let rules = settings.rules.iter().flat_map(|rule| {
        [("score", rule.score), ("context score", rule.context_score)]
            .map(|(what, share)| (format!("the {what} of the rule {:?}", rule.name), share))
    });
    let lists =
        settings.lists.iter().map(|list| (format!("the score of the list {:?}", list.name), list.score));
    let all = [("the threshold".to_owned(), settings.threshold)].into_iter();
    match all.chain(thresholds).chain(rules).chain(lists).find(|(_, share)| !(0.0..=1.0).contains(share)) {
        Some((what, share)) => {
            Err(ErrorKind::Setting { what: format!("{what} is {share}; use a number from 0 to 1") }.into())
        }
        None => Ok(()),
    }
}

fn user_rules(settings: &Settings) -> Result<Vec<Rule>, Error> {
    let rules = settings.rules.iter().map(|user| {
        let mut rule = Rule::patterns(user.name.clone(), user.kind.clone(), user.patterns.iter().cloned())
            .scored(user.score);
        if !user.context.is_empty() {
            let words = user.context.iter().cloned();
            rule = match user.needs_context {
                true => rule.only_near(words, user.context_score),
                false => rule.near(words, user.context_score),
            };
        }
        match &user.validator {
            Some(name) => Ok(rule.checked_by(name)?),
            None => Ok(rule),
        }
    });
    rules.collect()
}

/// An entry of the allow list.
enum Allowed {
    Exact(String),
    AnyCase(String),
    Pattern(Box<Regex>),
}

impl Allowed {
    fn new(allow: &Allow) -> Result<Self, Error> {
        Ok(match allow {
            Allow::Text { text, ignore_case: true } => Allowed::AnyCase(text.to_lowercase()),
            Allow::Text { text, ignore_case: false } => Allowed::Exact(text.clone()),
            Allow::Pattern(pattern) => match Regex::new(&format!("^(?:{pattern})$")) {
                Ok(regex) => Allowed::Pattern(Box::new(regex)),
                Err(_) => {
                    let what = "a pattern of the allow list is not a valid regular expression".to_owned();
                    return Err(ErrorKind::Setting { what }.into());
                }
            },
        })
    }

    fn is(&self, span: &str) -> bool {
        match self {
            Allowed::Exact(text) => text == span,
            Allowed::AnyCase(text) => *text == span.to_lowercase(),
            Allowed::Pattern(regex) => regex.is_match(Input::new(span).anchored(Anchored::Yes)),
        }
    }
}
