//! Compiled rules.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::OnceLock;

use regex_automata::hybrid::dfa::Cache;
use regex_automata::meta::Regex;
use regex_automata::util::pool::Pool;
use regex_automata::{Anchored, Input};

use super::context::ContextWords;
use super::error::{RuleError, RuleErrorKind};
use super::rule::{Form, Parse, Rule, Trigger};
use super::scan::Words;
use super::shapes::Shapes;

/// Limits for rules of users, so that a settings file cannot exhaust time or memory.
const MOST_RULES: usize = 1000;
const LONGEST_NAME: usize = 100;
const LONGEST_PATTERN: usize = 4096;
const LARGEST_PROGRAM: usize = 1 << 20;
const MOST_CONTEXT_WORDS: usize = 200;
const LONGEST_CONTEXT_WORD: usize = 50;

type CachePool = Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>>;

/// The forms that a word triggers.
#[derive(Debug, Default)]
pub(super) struct Actions {
    /// Whether a shape may start with it.
    pub(super) shape: bool,
    /// Indices into [`Compiled::led`].
    pub(super) led: Vec<usize>,
    pub(super) parsed: Vec<Parsed>,
}

/// A pattern behind a word. It is compiled when the word is met first: most texts meet few of them, and to compile them all
/// takes longer than everything else at the start.
#[derive(Debug)]
pub(super) struct Led {
    pub(super) rule: usize,
    pattern: Cow<'static, str>,
    compiled: OnceLock<Regex>,
}

impl Led {
    pub(super) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| match Regex::new(&self.pattern) {
            Ok(regex) => regex,
            Err(error) => unreachable!("a test compiles all built-in rules: {error}"),
        })
    }
}

/// A pattern that may match anywhere.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) rule: usize,
    pub(super) regex: Regex,
}

/// A parser of a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parsed {
    pub(super) rule: usize,
    pub(super) parse: Parse,
}

/// All forms of all rules, by their trigger.
pub(super) struct Compiled {
    pub(super) words: Words,
    /// The actions of each word.
    pub(super) actions: Vec<Actions>,
    pub(super) shapes: Shapes,
    /// The rule of each shape.
    pub(super) shape_rules: Vec<usize>,
    pub(super) led: Vec<Led>,
    pub(super) at: Vec<Parsed>,
    pub(super) scheme: Vec<Parsed>,
    pub(super) host: Vec<Parsed>,
    pub(super) word_before_number: Vec<Parsed>,
    pub(super) anywhere: Vec<Pattern>,
    pub(super) context: ContextWords,
    pub(super) caches: CachePool,
}

impl Compiled {
    /// Compiles built-in rules. Only the test that compiles them all can see an error.
    pub(super) fn new(rules: &[Rule]) -> Result<Self, String> {
        let mut actions: BTreeMap<&str, Actions> = BTreeMap::new();
        let (mut patterns, mut shape_rules, mut led) = (Vec::new(), Vec::new(), Vec::new());
        let [mut at, mut scheme, mut host, mut word_before_number] = [const { Vec::new() }; 4];
        for (rule, forms) in rules.iter().map(|rule| &rule.forms).enumerate() {
            for form in forms {
                match form {
                    Form::Shape { pattern, words } => {
                        for word in *words {
                            actions.entry(word).or_default().shape = true;
                        }
                        patterns.push(pattern.as_ref());
                        shape_rules.push(rule);
                    }
                    Form::Led { words, pattern } => {
                        for word in *words {
                            actions.entry(word).or_default().led.push(led.len());
                        }
                        led.push(Led { rule, pattern: pattern.clone(), compiled: OnceLock::new() });
                    }
                    Form::Parsed { trigger, parse } => {
                        let parsed = Parsed { rule, parse: *parse };
                        match trigger {
                            Trigger::At => at.push(parsed),
                            Trigger::Scheme => scheme.push(parsed),
                            Trigger::Host => host.push(parsed),
                            Trigger::WordBeforeNumber => word_before_number.push(parsed),
                            Trigger::Words(words) => {
                                for word in *words {
                                    actions.entry(word).or_default().parsed.push(parsed);
                                }
                            }
                        }
                    }
                    Form::Anywhere { .. } => {
                        return Err("a built-in rule must have a trigger".to_owned());
                    }
                }
            }
        }
        let shapes = Shapes::new(&patterns)?;
        let maker = shapes.cache_maker();
        Ok(Compiled {
            words: Words::new(actions.keys().map(|word| (*word).to_owned()).collect()),
            actions: actions.into_values().collect(),
            shapes,
            shape_rules,
            led,
            at,
            scheme,
            host,
            word_before_number,
            anywhere: Vec::new(),
            context: ContextWords::new(rules)?,
            caches: Pool::new(Box::new(maker)),
        })
    }

    /// Adds rules of the user to `rules`, of which the first `builtin` are built in.
    pub(super) fn add(
        &mut self,
        rules: &mut Vec<Rule>,
        added: Vec<Rule>,
        builtin: usize,
    ) -> Result<(), RuleError> {
        let mut names: HashSet<String> = rules.iter().map(|rule| rule.name().to_owned()).collect();
        for rule in added {
            let refuse = |kind| RuleError::new(rule.name(), kind);
            if rules.len() - builtin == MOST_RULES {
                return Err(refuse(RuleErrorKind::TooMany { most: MOST_RULES }));
            }
            if !(1..=LONGEST_NAME).contains(&rule.name().len()) {
                return Err(refuse(RuleErrorKind::Name { most: LONGEST_NAME }));
            }
            if !names.insert(rule.name().to_owned()) {
                return Err(refuse(RuleErrorKind::Duplicate));
            }
            check_context(rule.context_words()).map_err(refuse)?;
            for form in &rule.forms {
                if let Form::Anywhere { pattern } = form {
                    let regex = compile(pattern).map_err(refuse)?;
                    self.anywhere.push(Pattern { rule: rules.len(), regex });
                }
            }
            rules.push(rule);
        }
        self.compile_context(rules)
    }

    /// Adds context words of the user to rules, by the names of the rules.
    pub(super) fn add_context(
        &mut self,
        rules: &mut [Rule],
        words: &BTreeMap<String, Vec<String>>,
    ) -> Result<(), RuleError> {
        for (name, words) in words {
            let refuse = |kind| RuleError::new(name, kind);
            check_context(words.iter().map(String::as_str)).map_err(refuse)?;
            let rule = rules.iter_mut().find(|rule| rule.name() == name);
            rule.ok_or_else(|| refuse(RuleErrorKind::UnknownRule))?.add_context(words.iter().cloned());
        }
        self.compile_context(rules)
    }

    fn compile_context(&mut self, rules: &[Rule]) -> Result<(), RuleError> {
        // The limits above keep the automaton small, so this does not fail.
        self.context = ContextWords::new(rules)
            .map_err(|_| RuleError::new("", RuleErrorKind::TooMany { most: MOST_RULES }))?;
        Ok(())
    }
}

fn check_context<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<(), RuleErrorKind> {
    let mut count = 0;
    let fit = words.all(|word| {
        count += 1;
        count <= MOST_CONTEXT_WORDS && (1..=LONGEST_CONTEXT_WORD).contains(&word.len())
    });
    match fit {
        true => Ok(()),
        false => Err(RuleErrorKind::Context { most: MOST_CONTEXT_WORDS, longest: LONGEST_CONTEXT_WORD }),
    }
}

/// Compiles a pattern of the user within the limits.
fn compile(pattern: &str) -> Result<Regex, RuleErrorKind> {
    let too_large = RuleErrorKind::TooLarge { most: LONGEST_PATTERN };
    if pattern.len() > LONGEST_PATTERN {
        return Err(too_large);
    }
    let config =
        Regex::config().nfa_size_limit(Some(LARGEST_PROGRAM)).onepass_size_limit(Some(LARGEST_PROGRAM));
    let regex = Regex::builder().configure(config).build(pattern).map_err(|error| {
        if error.size_limit().is_some() {
            return too_large;
        }
        // The library also draws the pattern and a caret. Its last line states the problem.
        let reason = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
        let reason = reason.lines().last().unwrap_or_default();
        RuleErrorKind::Pattern { reason: reason.trim_start_matches("error: ").to_owned() }
    })?;
    match regex.search(&Input::new("").anchored(Anchored::Yes)) {
        Some(_) => Err(RuleErrorKind::Empty),
        None => Ok(regex),
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("shapes", &self.shape_rules.len()).finish_non_exhaustive()
    }
}
