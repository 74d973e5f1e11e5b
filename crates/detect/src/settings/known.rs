//! What settings may refer to by name.

use std::sync::LazyLock;

use crate::rules::{Rule, builtin_rules};

/// As they are written: only names are asked for, so nothing is compiled.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(builtin_rules);

/// The names of the built-in rules.
pub(super) fn rule_names() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.name()).collect()
}

/// The built-in rules that words nearby can speak for: the one of this name, and all of this kind that listen to such words.
pub(super) fn rules_called(name: &str) -> Vec<&'static str> {
    let listens = |rule: &Rule| rule.kind().name() == name && rule.context_score().is_some();
    RULES.iter().filter(|rule| rule.name() == name || listens(rule)).map(|rule| rule.name()).collect()
}

/// The names of the checks that built-in rules use.
pub(super) fn validator_names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> =
        RULES.iter().filter_map(|rule| rule.check()).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    names
}
