//! The true worst case of noised words.

use inkveil_privacy::Epsilon;

use super::TextVeil;
use crate::{Budgets, Error, Group};

impl TextVeil {
    /// Computes the true worst case of noised words for the receipts, as
    /// [`TextSettings::certify`](crate::TextSettings::certify) does, and tells `progress` the share that is done.
    ///
    /// # Errors
    /// If no word is noised, or the mechanism noises vectors, so that its outputs cannot be listed.
    pub fn certify(mut self, progress: &(dyn Fn(f64) + Sync)) -> Result<Self, Error> {
        let budgets = noised(&self.budgets);
        if budgets.is_empty() {
            return Err(Error::setting("there is nothing to certify: no group has a finite budget above 0"));
        }
        let Some(losses) = self.mechanism.certified_worst_case(&budgets, progress)? else {
            return Err(Error::setting(format!(
                "the true worst case of {} cannot be computed; it can for exponential, tem and \
                 randomized-response",
                self.mechanism.name()
            )));
        };
        self.certified = budgets.into_iter().zip(losses).collect();
        self.settings.certify = true;
        Ok(self)
    }
}

/// Returns the different budgets of groups that are noised.
pub(super) fn noised(budgets: &Budgets) -> Vec<Epsilon> {
    let mut noised = Vec::new();
    for epsilon in Group::ALL.map(|group| budgets.of(group)) {
        if !epsilon.is_zero() && !epsilon.is_infinite() && !noised.contains(&epsilon) {
            noised.push(epsilon);
        }
    }
    noised
}
