//! Who wrote a released text, and what it is about, by what was learnt from.

use super::originals::{Originals, classifier};
use crate::Error;
use crate::attack::{Adaptive, Attacker, AuthorAttack, AuthorSettings, Guesses, Views};
use crate::metrics::{Bootstrap, Estimate};

/// Macro F1 of an attacker by what it learnt from.
pub(super) struct AttackReport {
    pub(super) attacker: Attacker,
    pub(super) originals: Option<Estimate>,
    pub(super) informed: Option<Estimate>,
    pub(super) adaptive: Option<Estimate>,
    /// What who learnt from originals guesses.
    pub(super) guesses: Guesses,
}

/// Every attacker on the released texts.
pub(super) fn on_authors(
    originals: &Originals<'_>,
    test: &Views<'_>,
    train: Option<&Views<'_>>,
    seed: u64,
    bootstrap: &Bootstrap,
) -> Result<Vec<AttackReport>, Error> {
    let (known, authors) = (&originals.train, &originals.test.authors);
    let mut reports = Vec::new();
    for (attacker, naive) in Attacker::ALL.into_iter().zip(&originals.attacks) {
        let naive_guesses = naive.identify(&test.evidence(attacker), authors)?;
        let informed = match train {
            // What learnt from the same texts would find the same.
            Some(train) if *train == known.views => Some(naive_guesses.clone()),
            Some(train) => {
                let settings = AuthorSettings::of(attacker);
                let attack = AuthorAttack::train(&settings, &train.evidence(attacker), &known.authors)?;
                Some(attack.identify(&test.evidence(attacker), authors)?)
            }
            None => None,
        };
        let adaptive =
            Adaptive { seed }.identify(attacker, (&known.views, &known.authors), (test, authors))?;
        reports.push(AttackReport {
            attacker,
            originals: naive_guesses.macro_f1_within(bootstrap),
            informed: informed.and_then(|guesses| guesses.macro_f1_within(bootstrap)),
            adaptive: adaptive.macro_f1_within(bootstrap),
            guesses: naive_guesses,
        });
    }
    Ok(reports)
}

/// What one of them guesses who learnt from originals.
pub(super) fn of(attacker: Attacker, reports: &[AttackReport]) -> Guesses {
    let report = reports.iter().find(|report| report.attacker == attacker);
    report.map_or_else(Guesses::default, |report| report.guesses.clone())
}

/// How well the labels of released texts are found, by the better of who learnt from originals and who learnt from released texts; none if the set has
/// no labels.
pub(super) fn utility(
    originals: &Originals<'_>,
    test: &Views<'_>,
    train: Option<&Views<'_>>,
    bootstrap: &Bootstrap,
) -> Result<Option<Estimate>, Error> {
    let (Some(naive), Some(labels)) = (&originals.classifier, &originals.test.labels) else {
        return Ok(None);
    };
    let evidence = test.evidence(Attacker::AuthorClassifier);
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

/// The estimate with the highest mean of those that there are.
pub(super) fn best(estimates: impl IntoIterator<Item = Option<Estimate>>) -> Option<Estimate> {
    estimates.into_iter().flatten().max_by(|a, b| a.mean.total_cmp(&b.mean))
}
