//! Measures one cell with one seed.

use super::encoders::Encoders;
use super::method::Method;
use super::originals::Originals;
use super::spec::StyleStudy;
use super::{attacks, quality, strata};
use crate::attack::AuthorAttacker;
use crate::experiment::context::RunContext;
use crate::experiment::recorder::{SeedMeasures, SeedResult};
use crate::metrics::Bootstrap;
use crate::{Error, Watch};

pub(super) fn measure(
    study: &StyleStudy,
    originals: &Originals<'_>,
    method: &Method,
    seed: u64,
    (encoders, context): (&Encoders, &RunContext<'_>),
    watch: &Watch<'_>,
) -> Result<SeedResult, Error> {
    let release =
        |texts: &[&str]| method.release(study, originals.task, texts, seed, (encoders, context), watch);
    let test = release(originals.test.views.texts())?;
    let test = encoders.released_views(&test, &originals.test.views)?;
    let train = study.informed.then(|| release(originals.train.views.texts())).transpose()?;
    let train = train.as_ref().map(|train| encoders.released_views(train, &originals.train.views));
    let train = train.transpose()?;
    watch.step("attacking")?;

    let bootstrap = Bootstrap::default();
    let attacks = attacks::on_authors(originals, &test, train.as_ref(), seed, &bootstrap)?;
    let mut measures = SeedMeasures::default();
    for attack in &attacks {
        let name = attack.attacker.name();
        measures.estimate(&format!("author-{name}"), attack.originals);
        measures.estimate(&format!("author-{name}-informed"), attack.informed);
        measures.estimate(&format!("author-{name}-adaptive"), attack.adaptive);
        if attack.attacker == AuthorAttacker::AuthorClassifier {
            measures.estimate("author", attack.originals);
        }
        if study.risk {
            measures.estimate(&format!("rho-{name}"), originals.gradient(&attack.guesses, &bootstrap));
            measures.estimate(
                &format!("rho-texts-{name}"),
                originals.gradient_over_texts(&attack.guesses, &bootstrap),
            );
            for (fifth, success) in (1..).zip(originals.quintiles(&attack.guesses, &bootstrap)) {
                measures.estimate(&format!("success-{name}-{fifth}"), success);
            }
        }
    }
    // Texts are compared by the guesses of the classifier.
    let guesses = attacks::guesses_of(AuthorAttacker::AuthorClassifier, &attacks);
    let all = attacks.iter().flat_map(|attack| [attack.originals, attack.informed, attack.adaptive]);
    measures.estimate("strongest", attacks::best(all));
    measures.estimate("utility", attacks::utility(originals, &test, train.as_ref(), &bootstrap)?);
    measures.estimate("rho", originals.gradient(&guesses, &bootstrap));
    measures.value("mean-risk", Some(originals.mean_risk(&test)?));
    let shifts = originals.shifts(&test)?;
    for (name, outliers) in [("outliers", true), ("inliers", false)] {
        let of = strata::stratum(&shifts, &guesses, outliers, &bootstrap);
        measures.estimate(&format!("author-{name}"), of.author_f1);
        measures.value(&format!("moved-{name}"), of.displacement);
        measures.value(&format!("approach-{name}"), of.approach);
        measures.value(&format!("standing-out-{name}"), of.still_outliers);
        measures.value(name, of.texts as f64);
    }
    let quality = quality::measure(encoders, originals, &test, seed, &bootstrap)?;
    measures.estimate("meaning", quality.meaning);
    measures.estimate("entities", quality.entities);
    measures.estimate("invented", quality.invented);
    measures.estimate("lost", quality.lost);
    for (name, value) in [
        ("exposure", quality.exposure),
        ("membership", quality.membership),
        ("outlier-similarity", quality.outlier_similarity),
        ("self-bleu", quality.self_bleu),
        ("type-token-ratio", quality.type_token_ratio),
        ("length", quality.length_ratio),
        ("unchanged", Some(quality.unchanged)),
    ] {
        measures.value(name, value);
    }
    Ok(measures.result(test.len()))
}
