//! Attackers that write sentences from noisy vectors, and the sensitive words in these sentences.

use std::collections::HashSet;

use inkveil_privacy::{NoiseAddress, Purpose};
use unicode_segmentation::UnicodeSegmentation;

use super::noise::RowNoise;
use super::prepared::PreparedCorpus;
use super::spec::VectorStudy;
use crate::attack::{Corrector, GuidedSettings, GuidedWriter, InversionData, InversionTraining, Inverter};
use crate::data::{Catalogue, sample};
use crate::experiment::context::RunContext;
use crate::metrics::{Bootstrap, Estimate, ValueSum, answer_f1};
use crate::{Error, Split, Watch};

const TRAINING: Purpose = Purpose::named("sparse inversion");

/// One of this many sentences trains the corrector, the others the inverter. The corrector must not
/// train on sentences that the inverter has memorised.
const CORRECTOR_SHARE: usize = 3;

/// The number of sentences that the search without training sees as examples.
const EXAMPLES: usize = 4;

/// The other texts that attackers know. All cells use the same sample.
pub(super) fn others(
    study: &VectorStudy,
    sets: &Catalogue,
    context: &RunContext<'_>,
) -> Result<Vec<String>, Error> {
    let Some(inversion) = &study.inversion else { return Ok(Vec::new()) };
    let Some(name) = &inversion.others else { return Ok(Vec::new()) };
    let texts = sets.labelled(name, context.data)?.train.texts;
    Ok(sample(texts.len(), inversion.other_rows, 1).into_iter().map(|at| texts[at].clone()).collect())
}

/// Measures how many sensitive words the written sentences contain, and how similar they are to the
/// originals.
pub(super) fn measure(
    prepared: &PreparedCorpus<'_>,
    (split, seed): (&Split, u64),
    rows: &[f32],
    clean: &[f32],
    release: &RowNoise<'_>,
    watch: &Watch<'_>,
) -> Result<Vec<(String, Estimate)>, Error> {
    let Some(inversion) = &prepared.study.inversion else { return Ok(Vec::new()) };
    let missing = || Error::argument("writing sentences from vectors needs a language model");
    let base = prepared.base.ok_or_else(missing)?;
    let (dim, settings) = (prepared.dim, &inversion.settings);
    // The attacker knows some sentences of the set, and other texts.
    let mut texts = split.train_of(&prepared.corpus.texts);
    let mut vectors = split.train_rows(clean, dim);
    texts.truncate(inversion.own_rows.unwrap_or(texts.len()));
    vectors.truncate(texts.len() * dim);
    texts.extend_from_slice(&prepared.others.0);
    vectors.extend_from_slice(&prepared.others.1);
    let (for_corrector, for_inverter): (Vec<usize>, Vec<usize>) =
        (0..texts.len()).partition(|at| at % CORRECTOR_SHARE == 0);
    let of = |some: &[usize]| -> (Vec<String>, Vec<f32>) {
        let rows = some.iter().flat_map(|&at| &vectors[at * dim..][..dim]).copied().collect();
        (some.iter().map(|&at| texts[at].clone()).collect(), rows)
    };
    // The same vectors with new noise in every epoch.
    let noisy = |clean: &[f32], attacker: u64, epoch: usize| {
        let mut rows = clean.to_vec();
        let place = NoiseAddress::record(attacker << 32).purpose(TRAINING).position(epoch as u64);
        release.apply(&mut rows, place).map(|()| rows)
    };
    // An attacker who knows the eraser compares what is left of its own sentences.
    let embed = |texts: &[String]| {
        let mut rows = prepared.embed(texts)?;
        release.erase(&mut rows).map(|()| rows)
    };
    let progress = |attacker: &'static str| {
        move |done: usize, all: usize| {
            (watch.progress)(&format!("training the {attacker}, step {} of {all}", done + 1));
        }
    };
    let cancel = watch.cancel;
    let (seen, clean_seen) = of(&for_inverter);
    let data = InversionData { dim, texts: &seen, rows: &mut |epoch| noisy(&clean_seen, 0, epoch) };
    let training = InversionTraining { base, settings, seed, progress: &progress("inverter"), cancel };
    let inverter = Inverter::train(training, data)?;
    let (seen, clean_seen) = of(&for_corrector);
    let data = InversionData { dim, texts: &seen, rows: &mut |epoch| noisy(&clean_seen, 1, epoch) };
    let training = InversionTraining { base, settings, seed, progress: &progress("corrector"), cancel };
    let corrector = Corrector::train(training, data, &inverter, &embed)?;
    let mut attacked = split.test_rows(rows, dim);
    attacked.truncate(inversion.own_rows.unwrap_or(split.test().len()) * dim);
    let written = inverter.invert(&attacked)?;
    let corrected = corrector.correct(&attacked, written.clone(), &embed)?;
    // Sentences of the set itself, which come first.
    let examples: Vec<String> = texts.iter().take(EXAMPLES).cloned().collect();
    let searched = &attacked[..(inversion.guided_rows * dim).min(attacked.len())];
    let guided = match searched.is_empty() {
        true => Vec::new(),
        false => {
            (watch.progress)("searching for sentences");
            let settings = GuidedSettings { longest: settings.longest, ..GuidedSettings::default() };
            GuidedWriter::open(base, &examples, settings)?.invert(searched, dim, &embed)?
        }
    };
    let originals = split.test_of(&prepared.corpus.texts);
    let sensitive = split.test_of(prepared.corpus.sensitive.tokens());
    let mut found = Vec::new();
    let (chance, guided_chance) = (of_others(&written), of_others(&guided));
    for (attacker, written) in [
        ("inverter", Some(written)),
        ("corrector", Some(corrected)),
        ("chance", chance),
        ("guided", Some(guided)),
        ("guided-chance", guided_chance),
    ] {
        let Some(written) = written else { continue };
        let leaks: Vec<ValueSum> =
            sensitive.iter().zip(&written).map(|(words, text)| words_in(prepared, words, text)).collect();
        let pairs = originals.iter().zip(&written);
        let similarity: Vec<ValueSum> =
            pairs.map(|(original, text)| ValueSum { sum: answer_f1(text, &[original]), count: 1 }).collect();
        for (what, groups) in [("leakage", leaks), ("likeness", similarity)] {
            found.extend(Bootstrap::default().mean(&groups).map(|mean| (format!("{what}-{attacker}"), mean)));
        }
    }
    Ok(found)
}

/// Returns for each vector the sentence that was written for another one, which shows what is possible without the
/// vector. Returns none if there is no other vector.
fn of_others(written: &[String]) -> Option<Vec<String>> {
    let [others @ .., last] = written else { return None };
    (!others.is_empty()).then(|| std::iter::once(last).chain(others).cloned().collect())
}

/// How many sensitive words of a sentence a text contains.
fn words_in(prepared: &PreparedCorpus<'_>, words: &[usize], text: &str) -> ValueSum {
    let text: HashSet<String> = text.unicode_words().map(str::to_lowercase).collect();
    let known = prepared.corpus.sensitive.words();
    let hits = words.iter().filter(|&&word| text.contains(&known[word].text)).count();
    ValueSum { sum: hits as f64, count: words.len() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_baseline_needs_another_vector() {
        let written = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(of_others(&written).unwrap(), ["c", "a", "b"]);
        assert_eq!(of_others(&written[..2]).unwrap(), ["b", "a"]);
        assert_eq!(of_others(&written[..1]), None, "one sentence is the attack itself");
        assert_eq!(of_others(&[]), None);
    }
}
