//! One cell with one seed.

use std::sync::Arc;

use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_text::{Budgets, Group as WordGroup, Veiled};

use super::super::cells::{Found, Tell, Trial};
use super::super::{Bench, TextStudy};
use super::words::{is_secret, seen};
use super::{Attackers, Subject, Treated};
use crate::attack::{
    Continued, Place, Reads, Reconstruction, Tells, TokenAttack, TokenAttacker, TokenChannel,
};
use crate::metrics::{Bootstrap, Group};
use crate::{Error, ErrorKind};

/// Texts that are veiled together: the plans of all of them are in memory.
const BATCH: usize = 4_000;

/// Measures a cell.
pub(super) fn measure(
    study: &TextStudy,
    subject: &Subject<'_>,
    treated: &Treated,
    seed: u64,
    bench: &Bench<'_>,
    attackers: &mut Attackers,
    tell: &Tell<'_>,
) -> Result<Trial, Error> {
    let texts: Vec<&str> = subject.texts.iter().map(String::as_str).collect();
    let documents = subject.documents();
    let key = NoiseKey::insecure_from_seed(seed);
    let mut found = Found::default();
    let mut add = |name: String, groups: &[Group]| found.within(&name, Bootstrap::default().mean(groups));
    let Some(veil) = treated.veil(study, subject.task.as_deref(), &documents, bench)? else {
        for (name, groups) in subject.use_of(&texts)? {
            add(name, &groups);
        }
        // Whoever sees everything guesses everything.
        let all = vec![Group { sum: 1.0, count: 1 }; texts.len()];
        add("survived".to_owned(), &all);
        study.attackers.iter().for_each(|attacker| add(format!("attack-{attacker}"), &all));
        if !study.attackers.is_empty() {
            add("attack".to_owned(), &all);
        }
        return Ok(found.on(texts.len()));
    };
    let mut released = Vec::with_capacity(texts.len());
    let mut survived = Vec::with_capacity(texts.len());
    let (mut budget, mut units) = (0.0, 0_u32);
    let mut attacked = Vec::new();
    for (batch, first) in documents.chunks(BATCH).zip((0..).step_by(BATCH)) {
        for veiled in veil.veil_all(batch, first, &key)? {
            survived.push(kept(&veiled));
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
    for (name, groups) in subject.use_of(&released)? {
        add(name, &groups);
    }
    add("survived".to_owned(), &survived);
    let guessed = guesses(study, subject, &veil, &attacked, (bench, attackers), tell)?;
    // What counts is whoever does best; to believe what stands there is an attack, too.
    let believed: Vec<Group> = attacked.iter().map(kept).collect();
    let best = guessed.iter().map(|(_, groups)| groups).max_by(|a, b| mean(a).total_cmp(&mean(b)));
    if let Some(groups) = best {
        add("attack".to_owned(), if mean(&believed) > mean(groups) { &believed } else { groups });
    }
    for (attacker, groups) in &guessed {
        add(format!("attack-{attacker}"), groups);
    }
    if units > 0 {
        found.plain("epsilon", budget / f64::from(units));
    }
    Ok(found.on(texts.len()))
}

/// How many sensitive units of a text came out as they were.
fn kept(veiled: &Veiled<'_>) -> Group {
    let units = veiled.plan().units().iter().enumerate();
    share(units.filter(|(_, unit)| is_secret(unit)).map(|(index, _)| veiled.survived(index)))
}

/// For how many of all it is so.
fn share(all: impl Iterator<Item = bool>) -> Group {
    all.fold(Group::default(), |group, so| Group {
        sum: group.sum + f64::from(u8::from(so)),
        count: group.count + 1,
    })
}

/// How many sensitive words each attacker finds, text by text.
fn guesses(
    study: &TextStudy,
    subject: &Subject<'_>,
    veil: &inkveil_text::TextVeil,
    texts: &[Veiled<'_>],
    (bench, attackers): (&Bench<'_>, &mut Attackers),
    tell: &Tell<'_>,
) -> Result<Vec<(TokenAttacker, Vec<Group>)>, Error> {
    if study.attackers.is_empty() {
        return Ok(Vec::new());
    }
    let lexicon = veil.lexicon();
    let space = attackers.space(lexicon);
    let language = attackers.language(&subject.name, lexicon, &subject.others)?;
    let mut channels: Vec<(Epsilon, Arc<TokenChannel>)> = Vec::new();
    let mut all = Vec::with_capacity(texts.len());
    for veiled in texts {
        let mut channel = |epsilon: Epsilon| match channels.iter().position(|(known, _)| *known == epsilon) {
            Some(at) => Ok(at),
            None => {
                channels.push((epsilon, attackers.channel(veil, epsilon, &language)?));
                Ok(channels.len() - 1)
            }
        };
        all.push(seen(veiled, lexicon, &space, &mut channel)?);
    }
    let channels: Vec<(Arc<TokenChannel>, Tells)> =
        channels.into_iter().map(|(epsilon, channel)| (channel, tells(veil.budgets(), epsilon))).collect();
    let hidden = attackers.hidden(&subject.name, veil, &subject.others)?;
    let places: Vec<Vec<Place>> =
        all.iter().map(|text| text.iter().map(|seen| seen.place).collect()).collect();
    let who: Vec<TokenAttacker> =
        study.attackers.iter().map(|name| name.parse()).collect::<Result<_, Error>>()?;
    let surfaces: Vec<Vec<String>> = texts.iter().map(surfaces).collect();
    let model = study.attack_model.as_ref().map(|_| attackers.model(bench)).transpose()?;
    let scores = |asked: &[Continued]| match (&model, tell("a language model reads")) {
        (Some(model), true) => model.scores(asked),
        _ => Err(ErrorKind::Stopped.into()),
    };
    let reads = Reads { scores: &scores, surfaces: &surfaces, lexicon };
    let attack = TokenAttack {
        space: &space,
        channels: &channels,
        language: &language,
        hidden: &hidden,
        reads: model.is_some().then_some(reads),
    };
    let found = attack.run(&who, &places)?;
    let hits = |found: &Vec<Reconstruction>| {
        let texts = all.iter().zip(found);
        let hits = texts.map(|(text, guesses)| {
            let secrets = text.iter().zip(guesses).filter(|(seen, _)| seen.secret);
            share(secrets.map(|(seen, guess)| seen.found(*guess)))
        });
        hits.collect()
    };
    Ok(who.into_iter().zip(found.iter().map(hits)).collect())
}

/// What stands for each unit of a text.
fn surfaces(veiled: &Veiled<'_>) -> Vec<String> {
    (0..veiled.plan().units().len()).map(|index| veiled.replacement(index).to_owned()).collect()
}

/// What it tells of a word that it got this budget: budgets are no secret.
fn tells(budgets: Budgets, epsilon: Epsilon) -> Tells {
    let gets = |sensitive: bool| {
        WordGroup::ALL.iter().any(|group| group.is_sensitive() == sensitive && budgets.of(*group) == epsilon)
    };
    match (gets(true), gets(false)) {
        (true, false) => Tells::Hidden,
        (false, true) => Tells::Shown,
        _ => Tells::Nothing,
    }
}

fn mean(groups: &[Group]) -> f64 {
    let (sum, count) =
        groups.iter().fold((0.0, 0), |(sum, count), group| (sum + group.sum, count + group.count));
    sum / f64::from(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_some_groups_tells_which() {
        let of =
            |budgets: &str, epsilon: f64| tells(budgets.parse().unwrap(), Epsilon::new(epsilon).unwrap());
        assert_eq!(of("150,50,450,350", 50.0), Tells::Hidden);
        assert_eq!(of("150,50,450,350", 450.0), Tells::Shown);
        assert_eq!(of("150,150,150,150", 150.0), Tells::Nothing);
        assert_eq!(of("150,150,450,350", 150.0), Tells::Hidden);
    }
}
