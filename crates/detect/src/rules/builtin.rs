//! The built-in rules.

use super::error::{RuleError, RuleErrorKind};
use super::rule::{Rule, Validator};
use super::{
    account, crypto, document, generic, health, money, national, network, payment, person, phone, place,
    secret, special, spoken, time, vehicle,
};

/// Returns the built-in rules.
pub(crate) fn builtin_rules() -> Vec<Rule> {
    [
        network::rules(),
        person::rules(),
        phone::rules(),
        payment::rules(),
        national::rules(),
        document::rules(),
        vehicle::rules(),
        time::rules(),
        place::rules(),
        money::rules(),
        account::rules(),
        secret::rules(),
        crypto::rules(),
        health::rules(),
        generic::rules(),
        spoken::rules(),
        special::rules(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Rule {
    /// Drops matches that do not pass the check of this name, for example `"Luhn"`. The checks are those of
    /// the built-in rules, see [`Rule::check`]. Case is ignored.
    ///
    /// # Errors
    /// Fails if there is no check of this name.
    pub fn checked_by(mut self, name: &str) -> Result<Self, RuleError> {
        let known = builtin_rules()
            .into_iter()
            .filter_map(|rule| rule.validator)
            .find(|known| known.name.is_some_and(|known| known.eq_ignore_ascii_case(name)));
        let Some(known) = known else {
            return Err(RuleError::new(self.name(), RuleErrorKind::UnknownCheck { given: name.to_owned() }));
        };
        self.validator = Some(Validator { score: self.score(), must_pass: true, ..known });
        Ok(self)
    }
}
