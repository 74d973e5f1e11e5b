//! Names of built-in rules and checks, which settings refer to.

use std::sync::LazyLock;

use crate::rules::{Rule, builtin_rules};

/// Not compiled, because only the names are needed.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(builtin_rules);

/// Returns the names of the built-in rules.
pub(super) fn rule_names() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.name()).collect()
}

/// Returns the built-in rules that take context words under this name: the rule of this name, and all rules
/// of this kind with context words.
pub(super) fn rules_called(name: &str) -> Vec<&'static str> {
    let of_kind = |rule: &Rule| rule.kind().name() == name && rule.context_score().is_some();
    RULES.iter().filter(|rule| rule.name() == name || of_kind(rule)).map(|rule| rule.name()).collect()
}

/// Returns the names of the checks of built-in rules.
pub(super) fn validator_names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> =
        RULES.iter().filter_map(|rule| rule.check()).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    names
}
