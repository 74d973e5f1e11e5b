//! One cell with one seed.

use super::super::Bench;
use super::super::cells::{Found, Tell, Trial};
use super::encoders::Encoders;
use super::method::Method;
use super::originals::Originals;
use super::{StyleStudy, attacks, quality, strata};
use crate::Error;
use crate::attack::Attacker;
use crate::metrics::Bootstrap;

pub(super) fn measure(
    study: &StyleStudy,
    originals: &Originals<'_>,
    method: &Method,
    seed: u64,
    (encoders, bench): (&Encoders, &Bench<'_>),
    tell: &Tell<'_>,
) -> Result<Trial, Error> {
    let release =
        |texts: &[&str]| method.release(study, originals.task, texts, seed, (encoders, bench), tell);
    let test = release(originals.test.views.texts())?;
    let test = encoders.released_views(&test, &originals.test.views)?;
    let train = study.informed.then(|| release(originals.train.views.texts())).transpose()?;
    let train = train.as_ref().map(|train| encoders.released_views(train, &originals.train.views));
    let train = train.transpose()?;
    tell("attackers guess");

    let bootstrap = Bootstrap::default();
    let attacks = attacks::on_authors(originals, &test, train.as_ref(), seed, &bootstrap)?;
    let mut found = Found::default();
    for attack in &attacks {
        let name = attack.attacker.name();
        found.within(&format!("author-{name}"), attack.originals);
        found.within(&format!("author-{name}-informed"), attack.informed);
        found.within(&format!("author-{name}-adaptive"), attack.adaptive);
        if attack.attacker == Attacker::AuthorClassifier {
            found.within("author", attack.originals);
        }
        if study.risk {
            found.within(&format!("rho-{name}"), originals.gradient(&attack.guesses, &bootstrap));
            found.within(
                &format!("rho-texts-{name}"),
                originals.gradient_over_texts(&attack.guesses, &bootstrap),
            );
            for (fifth, success) in (1..).zip(originals.quintiles(&attack.guesses, &bootstrap)) {
                found.within(&format!("success-{name}-{fifth}"), success);
            }
        }
    }
    // Texts are compared by what the classifier says of them.
    let guesses = attacks::of(Attacker::AuthorClassifier, &attacks);
    let all = attacks.iter().flat_map(|attack| [attack.originals, attack.informed, attack.adaptive]);
    found.within("strongest", attacks::best(all));
    found.within("utility", attacks::utility(originals, &test, train.as_ref(), &bootstrap)?);
    found.within("rho", originals.gradient(&guesses, &bootstrap));
    let shifts = originals.shifts(&test)?;
    for (name, outliers) in [("outliers", true), ("inliers", false)] {
        let of = strata::stratum(&shifts, &guesses, outliers, &bootstrap);
        found.within(&format!("author-{name}"), of.author_f1);
        found.plain(&format!("moved-{name}"), of.displacement);
        found.plain(&format!("approach-{name}"), of.approach);
        found.plain(&format!("standing-out-{name}"), of.still_outliers);
        found.plain(name, of.texts as f64);
    }
    let quality = quality::of(encoders, originals, &test, seed, &bootstrap)?;
    found.within("meaning", quality.meaning);
    found.within("entities", quality.entities);
    for (name, value) in [
        ("exposure", quality.exposure),
        ("membership", quality.membership),
        ("outlier-similarity", quality.outlier_similarity),
        ("self-bleu", quality.self_bleu),
        ("type-token-ratio", quality.type_token_ratio),
        ("length", quality.length_ratio),
        ("unchanged", Some(quality.unchanged)),
    ] {
        found.plain(name, value);
    }
    Ok(found.on(test.len()))
}
