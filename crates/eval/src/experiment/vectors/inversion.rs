//! Sentences written from noisy vectors, and the sensitive words in them.

use std::collections::HashSet;

use inkveil_privacy::{NoiseAddress, Purpose};
use unicode_segmentation::UnicodeSegmentation;

use super::super::Bench;
use super::super::cells::Tell;
use super::VectorStudy;
use super::seeded::Subject;
use super::trial::Veil;
use crate::attack::{Corrector, Inverter, Lessons, Training};
use crate::data::{Catalogue, sample};
use crate::metrics::{Bootstrap, Estimate, Group, answer_f1};
use crate::{Error, Split};

const LEARN: Purpose = Purpose::named("sparse inversion");

/// Of three sentences, one teaches the corrector, which must not learn from what the inverter knows by heart.
const CORRECTED: usize = 3;

/// The other texts that attackers know. The sample is the same in all cells.
pub(super) fn others(study: &VectorStudy, sets: &Catalogue, bench: &Bench<'_>) -> Result<Vec<String>, Error> {
    let Some(inversion) = &study.inversion else { return Ok(Vec::new()) };
    let Some(name) = &inversion.others else { return Ok(Vec::new()) };
    let texts = sets.labelled(name, bench.data)?.train.texts;
    Ok(sample(texts.len(), inversion.other_rows, 1).into_iter().map(|at| texts[at].clone()).collect())
}

/// How many sensitive words stand in what is written from vectors, and how like the sentences it is.
pub(super) fn measure(
    subject: &Subject<'_>,
    (split, seed): (&Split, u64),
    rows: &[f32],
    clean: &[f32],
    veil: &Veil<'_>,
    tell: &Tell<'_>,
) -> Result<Vec<(String, Estimate)>, Error> {
    let Some(inversion) = &subject.study.inversion else { return Ok(Vec::new()) };
    let missing = || Error::argument("whoever writes sentences needs a language model to begin from");
    let base = subject.base.ok_or_else(missing)?;
    let (dim, settings) = (subject.dim, &inversion.settings);
    // What the attacker knows: some of the sentences, and others.
    let mut texts = split.train_of(&subject.corpus.texts);
    let mut vectors = split.train_rows(clean, dim);
    texts.truncate(inversion.own_rows.unwrap_or(texts.len()));
    vectors.truncate(texts.len() * dim);
    texts.extend_from_slice(&subject.others.0);
    vectors.extend_from_slice(&subject.others.1);
    let (teach_corrector, teach_inverter): (Vec<usize>, Vec<usize>) =
        (0..texts.len()).partition(|at| at % CORRECTED == 0);
    let of = |some: &[usize]| -> (Vec<String>, Vec<f32>) {
        let rows = some.iter().flat_map(|&at| &vectors[at * dim..][..dim]).copied().collect();
        (some.iter().map(|&at| texts[at].clone()).collect(), rows)
    };
    // The same vectors with other noise in every epoch, as nobody else sees them.
    let noisy = |clean: &[f32], who: u64, epoch: usize| {
        let mut rows = clean.to_vec();
        let place = NoiseAddress::record(who << 32).purpose(LEARN).position(epoch as u64);
        veil.apply(&mut rows, place).map(|()| rows)
    };
    let embed = |texts: &[String]| subject.embed(texts);
    let step = |who: &'static str| {
        move |done: usize, all: usize| tell(&format!("the {who} learns, step {} of {all}", done + 1))
    };
    let (seen, clean_seen) = of(&teach_inverter);
    let lessons = Lessons { dim, texts: &seen, rows: &mut |epoch| noisy(&clean_seen, 0, epoch) };
    let inverter = Inverter::train(Training { base, settings, seed, tell: &step("inverter") }, lessons)?;
    let (seen, clean_seen) = of(&teach_corrector);
    let lessons = Lessons { dim, texts: &seen, rows: &mut |epoch| noisy(&clean_seen, 1, epoch) };
    let training = Training { base, settings, seed, tell: &step("corrector") };
    let corrector = Corrector::train(training, lessons, &inverter, &embed)?;
    let mut attacked = split.test_rows(rows, dim);
    attacked.truncate(inversion.own_rows.unwrap_or(split.test().len()) * dim);
    let written = inverter.invert(&attacked)?;
    let corrected = corrector.correct(&attacked, written.clone(), &embed)?;
    // What is written for another sentence says what can be had without the vector.
    let mut of_another = written.clone();
    of_another.rotate_right(1);

    let originals = split.test_of(&subject.corpus.texts);
    let mut found = Vec::new();
    for (who, written) in [("inverter", &written), ("corrector", &corrected), ("chance", &of_another)] {
        let sensitive = split.test_of(subject.corpus.sensitive.tokens());
        let leaks: Vec<Group> =
            sensitive.iter().zip(written).map(|(words, text)| words_in(subject, words, text)).collect();
        let alike = originals.iter().zip(written);
        let alike: Vec<Group> =
            alike.map(|(wanted, text)| Group { sum: answer_f1(text, &[wanted]), count: 1 }).collect();
        for (what, groups) in [("leakage", leaks), ("likeness", alike)] {
            found.extend(Bootstrap::default().mean(&groups).map(|mean| (format!("{what}-{who}"), mean)));
        }
    }
    Ok(found)
}

/// How many sensitive words of a sentence stand in a text.
fn words_in(subject: &Subject<'_>, words: &[usize], text: &str) -> Group {
    let text: HashSet<String> = text.unicode_words().map(str::to_lowercase).collect();
    let known = subject.corpus.sensitive.words();
    let hits = words.iter().filter(|&&word| text.contains(&known[word].text)).count();
    Group { sum: hits as f64, count: words.len() as u32 }
}
