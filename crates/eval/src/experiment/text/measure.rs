//! Measures one cell with one seed.

use std::sync::Arc;

use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_text::{Budgets, Group as WordGroup, Veiled};

use super::attackers::{Attackers, is_secret, observed_units};
use super::own;
use super::prepared::PreparedSet;
use super::reading::{Survivals, found_in_vectors, surprise};
use super::spec::TextStudy;
use super::treatment::TextTreatment;
use crate::attack::{
    ChannelUse, ContinuationQuery, GuessedWords, NeuralInput, ObservedWord, TokenAttack, TokenAttacker,
    TokenChannel,
};
use crate::experiment::context::RunContext;
use crate::experiment::recorder::{SeedMeasures, SeedResult};
use crate::metrics::{Bootstrap, ValueSum};
use crate::{Error, Watch};

/// The number of texts that are veiled together. Their plans are in memory.
const BATCH: usize = 4_000;

/// Measures a cell.
pub(super) fn measure(
    study: &TextStudy,
    set: &PreparedSet<'_>,
    treatment: &TextTreatment,
    seed: u64,
    context: &RunContext<'_>,
    attackers: &mut Attackers,
    watch: &Watch<'_>,
) -> Result<SeedResult, Error> {
    if let Some(command) = study.commands.get(&treatment.mechanism) {
        return own::measure(study, set, (treatment, command), seed, (context, attackers), watch);
    }
    let texts: Vec<&str> = set.texts.iter().map(String::as_str).collect();
    let documents = set.documents();
    let key = NoiseKey::insecure_from_seed(seed);
    let mut measures = SeedMeasures::default();
    let mut add =
        |name: String, tallies: &[ValueSum]| measures.estimate(&name, Bootstrap::default().mean(tallies));
    let Some(veil) = treatment.veil(study, set.task.as_deref(), &documents, context)? else {
        for (name, groups) in set.utility_of(&texts)? {
            add(name, &groups);
        }
        // Attackers who see all words find all words.
        let all = vec![ValueSum { sum: 1.0, count: 1 }; texts.len()];
        add("survived".to_owned(), &all);
        study.attackers.iter().for_each(|attacker| add(format!("attack-{attacker}"), &all));
        if !study.attackers.is_empty() {
            add("attack".to_owned(), &all);
        }
        return Ok(measures.result(texts.len()));
    };
    let mut released = Vec::with_capacity(texts.len());
    let mut survived = Vec::with_capacity(texts.len());
    let (mut budget, mut units) = (0.0, 0_u32);
    let mut attacked = Vec::new();
    let mut survivals = Survivals::default();
    for (batch, first) in documents.chunks(BATCH).zip((0..).step_by(BATCH)) {
        for veiled in veil.veil_all(batch, first, &key)? {
            survived.push(survival(&veiled));
            if study.reading {
                survivals.add(&veiled);
            }
            for unit in veiled.plan().units().iter().filter(|unit| !unit.epsilon.is_infinite()) {
                (budget, units) = (budget + unit.epsilon.get(), units + 1);
            }
            released.push(veiled.text().to_owned());
            if attacked.len() < study.attack_rows && !study.attackers.is_empty() {
                attacked.push(veiled);
            }
        }
    }
    let released: Vec<&str> = released.iter().map(String::as_str).collect();
    for (name, groups) in set.utility_of(&released)? {
        add(name, &groups);
    }
    add("survived".to_owned(), &survived);
    let mut perplexity = None;
    let mut seen = None;
    if study.reading {
        survivals.measures().for_each(|(name, counts)| add(name, counts));
        let surprise = surprise(&released, set, &veil, attackers)?;
        perplexity = Some(mean(&surprise).exp());
        add("surprise".to_owned(), &surprise);
        seen = found_in_vectors(&attacked, set, &veil, &key, attackers)?;
    }
    let guessed = guesses(study, set, &veil, &attacked, (context, &mut *attackers), watch)?;
    let shown: Vec<String> = attacked.iter().map(|veiled| veiled.text().to_owned()).collect();
    let by_own = own::on_veiled(study, set, &veil, &shown, (context, attackers))?;
    // The best attacker counts. An attacker may also take the released words at face value.
    let face_value: Vec<ValueSum> = attacked.iter().map(survival).collect();
    let all = guessed.iter().map(|(_, groups)| groups).chain(by_own.values());
    let best = all.max_by(|a, b| mean(a).total_cmp(&mean(b)));
    if let Some(groups) = best {
        add("attack".to_owned(), if mean(&face_value) > mean(groups) { &face_value } else { groups });
    }
    // This attacker sees more than a release shows.
    if let Some(groups) = &seen {
        add("attack-vectors".to_owned(), groups);
    }
    for (attacker, groups) in &guessed {
        add(format!("attack-{attacker}"), groups);
    }
    for (attacker, groups) in &by_own {
        add(format!("attack-{attacker}"), groups);
    }
    if let Some(perplexity) = perplexity {
        measures.value("perplexity", perplexity);
    }
    if units > 0 {
        measures.value("epsilon", budget / f64::from(units));
    }
    Ok(measures.result(texts.len()))
}

/// How many sensitive units of a text survive unchanged.
fn survival(veiled: &Veiled<'_>) -> ValueSum {
    let units = veiled.plan().units().iter().enumerate();
    tally(units.filter(|(_, unit)| is_secret(unit)).map(|(index, _)| veiled.survived(index)))
}

/// Counts hits.
pub(super) fn tally(hits: impl Iterator<Item = bool>) -> ValueSum {
    hits.fold(ValueSum::default(), |tally, hit| ValueSum {
        sum: tally.sum + f64::from(u8::from(hit)),
        count: tally.count + 1,
    })
}

/// How many sensitive words each attacker finds, text by text.
fn guesses(
    study: &TextStudy,
    set: &PreparedSet<'_>,
    veil: &inkveil_text::TextVeil,
    texts: &[Veiled<'_>],
    (context, attackers): (&RunContext<'_>, &mut Attackers),
    watch: &Watch<'_>,
) -> Result<Vec<(TokenAttacker, Vec<ValueSum>)>, Error> {
    let names = study.attackers.iter().filter(|name| !study.commands.contains_key(*name));
    let names: Vec<TokenAttacker> = names.map(|name| name.parse()).collect::<Result<_, Error>>()?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let lexicon = veil.lexicon();
    let space = attackers.space(lexicon);
    let language = attackers.language(&set.name, lexicon, &set.others)?;
    let mut channels: Vec<(Epsilon, Arc<TokenChannel>)> = Vec::new();
    let mut all = Vec::with_capacity(texts.len());
    for veiled in texts {
        let mut channel = |epsilon: Epsilon| match channels.iter().position(|(known, _)| *known == epsilon) {
            Some(at) => Ok(at),
            None => {
                channels.push((epsilon, attackers.channel(veil, epsilon, &language, &set.others)?));
                Ok(channels.len() - 1)
            }
        };
        all.push(observed_units(veiled, lexicon, &space, &mut channel)?);
    }
    let channels: Vec<(Arc<TokenChannel>, ChannelUse)> = channels
        .into_iter()
        .map(|(epsilon, channel)| (channel, channel_use(veil.budgets(), epsilon)))
        .collect();
    let sensitive = attackers.sensitive(&set.name, veil, &set.others)?;
    let observed: Vec<Vec<ObservedWord>> =
        all.iter().map(|text| text.iter().map(|unit| unit.observed).collect()).collect();
    let surfaces: Vec<Vec<String>> = texts.iter().map(surfaces).collect();
    let model = study.attack_model.as_ref().map(|_| attackers.model(context)).transpose()?;
    let scores = |queries: &[ContinuationQuery]| {
        watch.step("a language model scores words")?;
        model.as_ref().map_or_else(|| Ok(Vec::new()), |model| model.scores(queries))
    };
    let neural = NeuralInput { scores: &scores, surfaces: &surfaces, lexicon };
    let attack = TokenAttack {
        space: &space,
        channels: &channels,
        language: &language,
        sensitive: &sensitive,
        neural: model.is_some().then_some(neural),
    };
    let found = attack.run(&names, &observed)?;
    let hits = |found: &Vec<GuessedWords>| {
        let texts = all.iter().zip(found);
        let hits = texts.map(|(text, guesses)| {
            let secrets = text.iter().zip(guesses).filter(|(unit, _)| unit.secret);
            tally(secrets.map(|(unit, guess)| unit.found(*guess)))
        });
        hits.collect()
    };
    Ok(names.into_iter().zip(found.iter().map(hits)).collect())
}

/// The released form of each unit of a text.
fn surfaces(veiled: &Veiled<'_>) -> Vec<String> {
    (0..veiled.plan().units().len()).map(|index| veiled.replacement(index).to_owned()).collect()
}

/// What a budget reveals about a word. Budgets are public.
pub(super) fn channel_use(budgets: Budgets, epsilon: Epsilon) -> ChannelUse {
    let has = |sensitive: bool| {
        WordGroup::ALL.iter().any(|group| group.is_sensitive() == sensitive && budgets.of(*group) == epsilon)
    };
    match (has(true), has(false)) {
        (true, false) => ChannelUse::SensitiveWords,
        (false, true) => ChannelUse::OtherWords,
        _ => ChannelUse::AllWords,
    }
}

pub(super) fn mean(groups: &[ValueSum]) -> f64 {
    let (sum, count) =
        groups.iter().fold((0.0, 0), |(sum, count), group| (sum + group.sum, count + group.count));
    sum / f64::from(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_some_groups_reveals_sensitivity() {
        let of = |budgets: &str, epsilon: f64| {
            channel_use(budgets.parse().unwrap(), Epsilon::new(epsilon).unwrap())
        };
        assert_eq!(of("150,50,450,350", 50.0), ChannelUse::SensitiveWords);
        assert_eq!(of("150,50,450,350", 450.0), ChannelUse::OtherWords);
        assert_eq!(of("150,150,150,150", 150.0), ChannelUse::AllWords);
        assert_eq!(of("150,150,450,350", 150.0), ChannelUse::SensitiveWords);
    }
}
