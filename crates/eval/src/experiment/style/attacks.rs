//! Attacks on the authors and labels of released texts, by training texts.

use super::originals::{Originals, classifier};
use crate::Error;
use crate::attack::{AdaptiveAttack, AuthorAttack, AuthorAttacker, AuthorGuesses, AuthorSettings, Views};
use crate::metrics::{Bootstrap, Estimate};

/// The macro F1 of an attacker, by the texts that it was trained on.
pub(super) struct AuthorAttackResult {
    pub(super) attacker: AuthorAttacker,
    /// Trained on originals.
    pub(super) originals: Option<Estimate>,
    /// Trained on treated texts.
    pub(super) informed: Option<Estimate>,
    /// Trained on originals and half of the released texts.
    pub(super) adaptive: Option<Estimate>,
    /// The guesses of the attacker trained on originals.
    pub(super) guesses: AuthorGuesses,
}

/// Runs every attacker on the released texts.
pub(super) fn on_authors(
    originals: &Originals<'_>,
    test: &Views<'_>,
    train: Option<&Views<'_>>,
    seed: u64,
    bootstrap: &Bootstrap,
) -> Result<Vec<AuthorAttackResult>, Error> {
    let (known, authors) = (&originals.train, &originals.test.authors);
    let mut results = Vec::new();
    for (attacker, naive) in AuthorAttacker::ALL.into_iter().zip(&originals.attacks) {
        let naive_guesses = naive.identify(&test.evidence(attacker), authors)?;
        let informed = match train {
            // Training on the same texts gives the same guesses.
            Some(train) if *train == known.views => Some(naive_guesses.clone()),
            Some(train) => {
                let settings = AuthorSettings::of(attacker);
                let attack = AuthorAttack::train(&settings, &train.evidence(attacker), &known.authors)?;
                Some(attack.identify(&test.evidence(attacker), authors)?)
            }
            None => None,
        };
        let adaptive =
            AdaptiveAttack { seed }.identify(attacker, (&known.views, &known.authors), (test, authors))?;
        results.push(AuthorAttackResult {
            attacker,
            originals: naive_guesses.macro_f1_within(bootstrap),
            informed: informed.and_then(|guesses| guesses.macro_f1_within(bootstrap)),
            adaptive: adaptive.macro_f1_within(bootstrap),
            guesses: naive_guesses,
        });
    }
    Ok(results)
}

/// The guesses of one attacker trained on originals.
pub(super) fn guesses_of(attacker: AuthorAttacker, results: &[AuthorAttackResult]) -> AuthorGuesses {
    let result = results.iter().find(|result| result.attacker == attacker);
    result.map_or_else(AuthorGuesses::default, |result| result.guesses.clone())
}

/// How well the labels of released texts are predicted, by the better of two classifiers: trained
/// on originals and trained on treated texts. None if the set has no labels.
pub(super) fn utility(
    originals: &Originals<'_>,
    test: &Views<'_>,
    train: Option<&Views<'_>>,
    bootstrap: &Bootstrap,
) -> Result<Option<Estimate>, Error> {
    let (Some(naive), Some(labels)) = (&originals.classifier, &originals.test.labels) else {
        return Ok(None);
    };
    let evidence = test.evidence(AuthorAttacker::AuthorClassifier);
    let naive = naive.identify(&evidence, labels)?.macro_f1_within(bootstrap);
    let informed = match train.filter(|train| **train != originals.train.views) {
        Some(train) => match classifier(train, originals.train.labels.as_deref())? {
            Some(classifier) => classifier.identify(&evidence, labels)?.macro_f1_within(bootstrap),
            None => None,
        },
        None => None,
    };
    Ok(best([naive, informed]))
}

/// The estimate with the highest mean.
pub(super) fn best(estimates: impl IntoIterator<Item = Option<Estimate>>) -> Option<Estimate> {
    estimates.into_iter().flatten().max_by(|a, b| a.mean.total_cmp(&b.mean))
}
