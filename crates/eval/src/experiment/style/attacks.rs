//! Who wrote a released text, and what it is about, by what was learnt from.

use inkveil_eval::attack::{Adaptive, Attacker, AuthorAttack, AuthorSettings, Guesses, Views};
use inkveil_eval::metrics::Bootstrap;

use super::originals::{Originals, classifier};
use super::report::{AttackReport, UtilityReport};
use crate::Outcome;

/// Every attacker on the released texts, and the guesses of the author classifier that learnt from originals, by which texts are compared.
pub(crate) fn on_authors(
    originals: &Originals<'_>,
    test: &Views<'_>,
    train: Option<&Views<'_>>,
    seed: u64,
    bootstrap: &Bootstrap,
) -> Outcome<(Vec<AttackReport>, Guesses)> {
    let (known, authors) = (&originals.train, &originals.test.authors);
    let (mut reports, mut of_classifier) = (Vec::new(), Guesses::default());
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
            attacker: attacker.name(),
            originals: naive_guesses.macro_f1_within(bootstrap),
            rewrites: informed.and_then(|guesses| guesses.macro_f1_within(bootstrap)),
            adaptive: adaptive.macro_f1_within(bootstrap),
        });
        if attacker == Attacker::AuthorClassifier {
            of_classifier = naive_guesses;
        }
    }
    Ok((reports, of_classifier))
}

/// How well the labels of released texts are found; none if the set has no labels.
pub(crate) fn utility(
    originals: &Originals<'_>,
    test: &Views<'_>,
    train: Option<&Views<'_>>,
    bootstrap: &Bootstrap,
) -> Outcome<Option<UtilityReport>> {
    let (Some(naive), Some(labels)) = (&originals.classifier, &originals.test.labels) else {
        return Ok(None);
    };
    let evidence = test.evidence(Attacker::AuthorClassifier);
    let naive = naive.identify(&evidence, labels)?.macro_f1_within(bootstrap);
    let informed = match train {
        Some(train) if *train == originals.train.views => naive,
        Some(train) => match classifier(train, originals.train.labels.as_deref())? {
            Some(classifier) => classifier.identify(&evidence, labels)?.macro_f1_within(bootstrap),
            None => None,
        },
        None => None,
    };
    Ok(Some(UtilityReport { originals: naive, rewrites: informed }))
}
