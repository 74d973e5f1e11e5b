//! Properties of all checks. Users may apply them to any text that their patterns match.

use std::collections::HashMap;
use std::ptr::fn_addr_eq;

use proptest::prelude::*;

use super::RULES;
use crate::kind::Kind;
use crate::rules::Rule;
use crate::rules::rule::Check;

#[test]
fn every_check_is_found_by_its_name() {
    for (name, _) in RULES.rules().filter_map(Rule::check) {
        assert!(Rule::pattern("x", Kind::Id, "x").checked_by(name).is_ok(), "{name}");
    }
}

#[test]
fn every_name_belongs_to_one_check() {
    let mut checks: HashMap<String, Check> = HashMap::new();
    for rule in RULES.rules() {
        let Some(validator) = rule.validator else { continue };
        let Some(name) = validator.name else { continue };
        let known = *checks.entry(name.to_ascii_lowercase()).or_insert(validator.check);
        assert!(
            fn_addr_eq(known, validator.check),
            "{name} names two checks, one of them of {}",
            rule.name()
        );
    }
}

proptest! {
    #[test]
    fn no_check_panics_on_any_text(text in any_match()) {
        for validator in RULES.rules().filter_map(|rule| rule.validator) {
            (validator.check)(&text);
        }
    }
}

/// Draws short texts, partly of characters of numbers: too short, too long, or with wide characters.
fn any_match() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,40}",
        "[0-9]{0,40}",
        "[0-9A-Z]{0,20}",
        "[0-9A-Za-zé–. /+-]{0,20}",
        "[a-z@:.]{0,3}[0-9é–]{0,16}[A-Zé]{0,2}",
    ]
}
