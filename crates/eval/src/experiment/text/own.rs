//! Mechanisms and attackers of your own, which are commands.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use inkveil_privacy::NoiseKey;
use inkveil_text::{Document, TextVeil};
use serde::Serialize;

use super::attackers::{Attackers, is_secret};
use super::measure::{mean, tally};
use super::prepared::PreparedSet;
use super::reading::surprise;
use super::spec::TextStudy;
use super::treatment::TextTreatment;
use crate::attack::{
    ChannelUse, CommandAttacker, GuessedWords, KnownText, ObservedWord, OwnAttacker as _, PairedWord,
    TokenAttack, TokenAttacker, TokenChannel, TokenSpace, pair_words,
};
use crate::experiment::context::RunContext;
use crate::experiment::recorder::{SeedMeasures, SeedResult};
use crate::metrics::{Bootstrap, ValueSum};
use crate::{Error, OwnCommand, OwnText, Watch};

/// The number of other texts whose release attackers know.
const KNOWN: usize = 1_000;

/// The least number of word pairs that a channel is estimated from.
const LEAST_DRAWS: usize = 30;

/// The seed of what attackers draw themselves. No release uses it.
const ATTACKERS_SEED: u64 = u64::MAX;

/// A line that a mechanism reads.
#[derive(Serialize)]
struct Line<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budgets: Option<&'a str>,
    seed: u64,
}

/// Releases texts by a command.
fn release(
    command: &OwnCommand,
    treatment: &TextTreatment,
    texts: &[&str],
    tasks: &[Option<&str>],
    seed: u64,
) -> Result<Vec<String>, Error> {
    let lines: Vec<Line<'_>> = texts
        .iter()
        .zip(tasks)
        .map(|(text, task)| Line { text, task: *task, budgets: treatment.budgets.as_deref(), seed })
        .collect();
    let released: Vec<OwnText> = command.run(&lines, lines.len())?;
    Ok(released.into_iter().map(|line| line.text).collect())
}

/// The bytes of the sensitive words of each text.
type Secrets = Vec<Vec<Range<usize>>>;

fn secrets(veil: &TextVeil, documents: &[Document<'_>]) -> Result<Secrets, Error> {
    let plans = veil.plan(documents)?;
    let of = |units: &[inkveil_text::PlannedUnit]| {
        units.iter().filter(|unit| is_secret(unit)).map(|unit| unit.range.clone()).collect()
    };
    Ok(plans.iter().map(|plan| of(plan.units())).collect())
}

fn is_in(word: &PairedWord, secrets: &[Range<usize>]) -> bool {
    secrets.iter().any(|secret| secret.start < word.range.end && word.range.start < secret.end)
}

/// Whether a released or guessed text has the same word in its place.
fn is_same(original: &str, other: &str, word: &PairedWord) -> bool {
    let of = |text: &str, range: &Range<usize>| text.get(range.clone()).unwrap_or_default().to_lowercase();
    of(original, &word.range) == of(other, &word.released_range)
}

/// How many sensitive words of each text are in other texts: what survives, or what is guessed.
fn found_in(
    others: &[String],
    texts: &[&str],
    secrets: &Secrets,
    (veil, space): (&TextVeil, &TokenSpace),
) -> Result<Vec<ValueSum>, Error> {
    let mut all = Vec::with_capacity(others.len());
    for ((other, text), secrets) in others.iter().zip(texts).zip(secrets) {
        let words = pair_words(veil.lexicon(), space, text, other)?;
        let words = words.iter().filter(|word| is_in(word, secrets));
        all.push(tally(words.map(|word| is_same(text, other, word))));
    }
    Ok(all)
}

/// The task of each text: its own, or that of the set.
fn tasks<'a>(set: &'a PreparedSet<'_>) -> Vec<Option<&'a str>> {
    set.tasks.iter().map(|task| task.as_deref().or(set.task.as_deref())).collect()
}

/// Which words count as sensitive, by a veil that replaces them. It is the same for all mechanisms.
fn judge(
    study: &TextStudy,
    set: &PreparedSet<'_>,
    context: &RunContext<'_>,
) -> Result<Option<TextVeil>, Error> {
    TextTreatment::plain("mask").veil(study, set.task.as_deref(), &[], context)
}

/// Measures a cell whose mechanism is a command.
pub(super) fn measure(
    study: &TextStudy,
    set: &PreparedSet<'_>,
    (treatment, command): (&TextTreatment, &OwnCommand),
    seed: u64,
    (context, attackers): (&RunContext<'_>, &mut Attackers),
    watch: &Watch<'_>,
) -> Result<SeedResult, Error> {
    let no_judge = || Error::argument("sensitive words cannot be found");
    let veil = judge(study, set, context)?.ok_or_else(no_judge)?;
    let texts: Vec<&str> = set.texts.iter().map(String::as_str).collect();
    watch.step(&format!("the command {} releases texts", command.program()))?;
    let released = release(command, treatment, &texts, &tasks(set), seed)?;
    let strs: Vec<&str> = released.iter().map(String::as_str).collect();
    let mut measures = SeedMeasures::default();
    if study.reading {
        let surprise = surprise(&strs, set, &veil, attackers)?;
        measures.estimate("surprise", Bootstrap::default().mean(&surprise));
        measures.value("perplexity", mean(&surprise).exp());
    }
    let mut add =
        |name: String, tallies: &[ValueSum]| measures.estimate(&name, Bootstrap::default().mean(tallies));
    for (name, groups) in set.utility_of(&strs)? {
        add(name, &groups);
    }
    let space = attackers.space(veil.lexicon());
    let documents = set.documents();
    let secrets = secrets(&veil, &documents)?;
    let survived = found_in(&released, &texts, &secrets, (&veil, &space))?;
    add("survived".to_owned(), &survived);
    if study.attackers.is_empty() {
        return Ok(measures.result(texts.len()));
    }
    let count = study.attack_rows.min(texts.len());
    let (texts, released, secrets) = (&texts[..count], &released[..count], secrets[..count].to_vec());
    let known: Vec<&str> = set.others.iter().take(KNOWN).map(String::as_str).collect();
    let known_tasks = vec![set.task.as_deref(); known.len()];
    let known_released = release(command, treatment, &known, &known_tasks, ATTACKERS_SEED)?;
    let pairs: Vec<KnownText<'_>> = known
        .iter()
        .zip(&known_released)
        .map(|(original, released)| KnownText { original, released })
        .collect();
    let mut guessed = own_attackers(study, &pairs, released, texts, &secrets, (&veil, &space))?;
    guessed.extend(on_words(study, set, &pairs, released, texts, &secrets, (&veil, &space), attackers)?);
    let face_value = &survived[..count];
    let best = guessed.values().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    if let Some(groups) = best {
        add("attack".to_owned(), if mean(face_value) > mean(groups) { face_value } else { groups });
    }
    for (attacker, groups) in &guessed {
        add(format!("attack-{attacker}"), groups);
    }
    Ok(measures.result(set.texts.len()))
}

/// The attackers that are commands, on the release of a veil.
pub(super) fn on_veiled(
    study: &TextStudy,
    set: &PreparedSet<'_>,
    veil: &TextVeil,
    released: &[String],
    (context, attackers): (&RunContext<'_>, &mut Attackers),
) -> Result<BTreeMap<String, Vec<ValueSum>>, Error> {
    if !study.attackers.iter().any(|name| study.commands.contains_key(name)) {
        return Ok(BTreeMap::new());
    }
    let no_judge = || Error::argument("sensitive words cannot be found");
    let judge = judge(study, set, context)?.ok_or_else(no_judge)?;
    let known: Vec<Document<'_>> = set.others.iter().take(KNOWN).map(|text| Document::new(text)).collect();
    let key = NoiseKey::insecure_from_seed(ATTACKERS_SEED);
    let veiled = veil.veil_all(&known, 0, &key)?;
    let pairs: Vec<KnownText<'_>> = set
        .others
        .iter()
        .zip(&veiled)
        .map(|(original, veiled)| KnownText { original, released: veiled.text() })
        .collect();
    let texts: Vec<&str> = set.texts.iter().take(released.len()).map(String::as_str).collect();
    let documents = set.documents();
    let secrets = secrets(&judge, &documents[..released.len()])?;
    let space = attackers.space(judge.lexicon());
    own_attackers(study, &pairs, released, &texts, &secrets, (&judge, &space))
}

/// How many sensitive words the commands guess.
fn own_attackers(
    study: &TextStudy,
    known: &[KnownText<'_>],
    released: &[String],
    texts: &[&str],
    secrets: &Secrets,
    judge: (&TextVeil, &TokenSpace),
) -> Result<BTreeMap<String, Vec<ValueSum>>, Error> {
    let released: Vec<&str> = released.iter().map(String::as_str).collect();
    let mut all = BTreeMap::new();
    for name in &study.attackers {
        if let Some(command) = study.commands.get(name) {
            let guessed = CommandAttacker::new(name, command.clone()).guess(known, &released)?;
            all.insert(name.clone(), found_in(&guessed, texts, secrets, judge)?);
        }
    }
    Ok(all)
}

/// How many sensitive words the attackers on words guess. They learn what the mechanism does from
/// texts that they know.
#[expect(clippy::too_many_arguments, reason = "called once")]
fn on_words(
    study: &TextStudy,
    set: &PreparedSet<'_>,
    known: &[KnownText<'_>],
    released: &[String],
    texts: &[&str],
    secrets: &Secrets,
    (veil, space): (&TextVeil, &TokenSpace),
    attackers: &mut Attackers,
) -> Result<BTreeMap<String, Vec<ValueSum>>, Error> {
    let names: Vec<TokenAttacker> = study.attackers.iter().filter_map(|name| name.parse().ok()).collect();
    if names.contains(&TokenAttacker::Neural) {
        return Err(Error::argument("the neural attacker does not attack mechanisms of your own"));
    }
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let documents: Vec<Document<'_>> = known.iter().map(|text| Document::new(text.original)).collect();
    let marked = self::secrets(veil, &documents)?;
    let mut draws = [Vec::new(), Vec::new()];
    for (text, secrets) in known.iter().zip(&marked) {
        for word in pair_words(veil.lexicon(), space, text.original, text.released)? {
            if let (Some(original), Some(released)) = (word.original, word.released) {
                draws[usize::from(!is_in(&word, secrets))].push((original, released));
            }
        }
    }
    // Sensitive words may be left out everywhere. Then the other words show the mechanism.
    let all = draws.concat();
    if all.len() < LEAST_DRAWS {
        return Err(Error::argument("too few words of the release can be aligned with the training texts"));
    }
    let learn = |draws: &Vec<(usize, usize)>| {
        TokenChannel::learn(space, if draws.len() < LEAST_DRAWS { &all } else { draws })
    };
    let channels = [
        (Arc::new(learn(&draws[0])?), ChannelUse::SensitiveWords),
        (Arc::new(learn(&draws[1])?), ChannelUse::OtherWords),
    ];
    let language = attackers.language(&set.name, veil.lexicon(), &set.others)?;
    let sensitive = attackers.sensitive(&set.name, veil, &set.others)?;
    let attack =
        TokenAttack { space, channels: &channels, language: &language, sensitive: &sensitive, neural: None };
    let mut words: Vec<Vec<PairedWord>> = Vec::with_capacity(texts.len());
    for (text, released) in texts.iter().zip(released) {
        words.push(pair_words(veil.lexicon(), space, text, released)?);
    }
    let observe = |(words, secrets): (&Vec<PairedWord>, &Vec<Range<usize>>)| -> Vec<ObservedWord> {
        let one = |word: &PairedWord| match (word.released, is_in(word, secrets)) {
            (Some(released), secret) => ObservedWord::Drawn(released, usize::from(!secret)),
            (None, true) => ObservedWord::Gap,
            (None, false) => ObservedWord::Other,
        };
        words.iter().map(one).collect()
    };
    let observed: Vec<Vec<ObservedWord>> = words.iter().zip(secrets).map(observe).collect();
    let guesses = attack.run(&names, &observed)?;
    let hits = |guesses: &Vec<GuessedWords>| -> Vec<ValueSum> {
        let of_text = |index: usize| {
            let secret = words[index].iter().enumerate().filter(|(_, word)| is_in(word, &secrets[index]));
            tally(secret.map(|(at, word)| match word.original {
                Some(original) => guesses[index].get(at).copied().flatten() == Some(original),
                // Attackers guess words of the lexicon only. They take others at face value.
                None => is_same(texts[index], &released[index], word),
            }))
        };
        (0..words.len()).map(of_text).collect()
    };
    Ok(names.iter().map(|name| name.name().to_owned()).zip(guesses.iter().map(hits)).collect())
}
