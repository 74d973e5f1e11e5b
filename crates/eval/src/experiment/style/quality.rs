//! How much of entities, meaning and words a released text keeps, and whether it can be linked to
//! its original.

use inkveil_detect::Span;
use inkveil_style::{FactChanges, Facts, names};

use super::encoders::{Encoders, changed};
use super::originals::Originals;
use crate::Error;
use crate::attack::{Similarities, Views};
use crate::metrics::{
    Bootstrap, Estimate, ValueSum, entity_match, self_bleu, style_cosine, type_token_ratio, word_count,
};

pub(super) struct Quality {
    pub(super) meaning: Option<Estimate>,
    pub(super) entities: Option<Estimate>,
    /// The mean number of facts that a released text invents, and that it loses.
    pub(super) invented: Option<Estimate>,
    pub(super) lost: Option<Estimate>,
    /// How often the original is found among all originals, and how well membership is inferred, by
    /// the better of two attackers.
    pub(super) exposure: Option<f64>,
    pub(super) membership: Option<f64>,
    pub(super) outlier_similarity: Option<f64>,
    pub(super) self_bleu: Option<f64>,
    pub(super) type_token_ratio: Option<f64>,
    pub(super) length_ratio: Option<f64>,
    pub(super) unchanged: f64,
}

pub(super) fn measure(
    encoders: &Encoders,
    originals: &Originals<'_>,
    released: &Views<'_>,
    seed: u64,
    bootstrap: &Bootstrap,
) -> Result<Quality, Error> {
    let (before, after) = (originals.test.views.texts(), released.texts());
    let changed = changed(after, &originals.test.views);
    let new: Vec<&str> = changed.iter().map(|&text| after[text]).collect();

    // Unchanged texts are not processed again.
    let (mut said, mut spans): (Vec<_>, Vec<_>) =
        (originals.said.iter().collect(), originals.spans.iter().collect());
    let (new_said, new_spans) = (encoders.said(&new)?, encoders.spans(&new)?);
    for (index, &text) in changed.iter().enumerate() {
        (said[text], spans[text]) = (&new_said[index], &new_spans[index]);
    }
    let kept: Vec<f64> =
        originals.said.iter().zip(&said).map(|(before, after)| before.kept_by(after)).collect();
    let entities: Vec<f64> = (0..before.len())
        .filter_map(|text| entity_match((before[text], &originals.spans[text]), (after[text], spans[text])))
        .collect();

    let facts = |text: &str, spans: &[Span]| Facts::of(text, names(text, spans));
    let changes: Vec<FactChanges> = (0..before.len())
        .map(|text| facts(before[text], &originals.spans[text]).changes(&facts(after[text], spans[text])))
        .collect();
    let counted = |of: fn(&FactChanges) -> usize| -> Vec<f64> {
        changes.iter().map(|changes| of(changes) as f64).collect()
    };

    let (exposure, membership) = linkage(originals, released)?;
    let words = |texts: &[&str]| texts.iter().map(|text| word_count(text)).sum::<usize>();
    let (words_before, words_after) = (words(before), words(after));
    Ok(Quality {
        meaning: estimate(&kept, bootstrap),
        entities: estimate(&entities, bootstrap),
        invented: estimate(&counted(|changes| changes.invented.len()), bootstrap),
        lost: estimate(&counted(|changes| changes.lost.len()), bootstrap),
        exposure,
        membership,
        outlier_similarity: outlier_similarity(&originals.outliers()?, released),
        self_bleu: self_bleu(after, seed),
        type_token_ratio: mean(after.iter().filter_map(|&text| type_token_ratio([text]))),
        length_ratio: (words_before > 0).then(|| words_after as f64 / words_before as f64),
        unchanged: 1.0 - changed.len() as f64 / before.len().max(1) as f64,
    })
}

/// Exposure and membership, by sentence vectors or by n-grams, whichever is higher.
fn linkage(originals: &Originals<'_>, released: &Views<'_>) -> Result<(Option<f64>, Option<f64>), Error> {
    let (dim, vectors) = released.sentence();
    let (known, ngrams) = (&originals.candidates, &originals.ngrams);
    let by_vectors = Similarities::of_vectors(dim, vectors, known.sentence().1)?;
    let by_ngrams = Similarities::of_rows(&ngrams.rows(released.texts()), &originals.candidate_rows)?;
    let stronger = |of: fn(&Similarities) -> Option<f64>| {
        [of(&by_vectors), of(&by_ngrams)].into_iter().flatten().max_by(f64::total_cmp)
    };
    Ok((stronger(Similarities::exposure), stronger(Similarities::membership)))
}

/// The mean over released texts of the cosine with the most similar outlier; none if there are no
/// outliers.
fn outlier_similarity(outliers: &[&[f32]], released: &Views<'_>) -> Option<f64> {
    let nearest = |text| {
        let cosines = outliers.iter().map(|outlier| style_cosine(outlier, released.style_of(text)));
        cosines.max_by(f64::total_cmp)
    };
    mean((0..released.len()).filter_map(nearest))
}

fn estimate(values: &[f64], bootstrap: &Bootstrap) -> Option<Estimate> {
    bootstrap.mean(&values.iter().map(|&sum| ValueSum { sum, count: 1 }).collect::<Vec<_>>())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}
