//! Age, education or sex from texts: what style says beside who wrote it.

use std::collections::BTreeSet;

use inkveil_eval::AuthorCorpus;
use inkveil_eval::attack::{Attacker, AuthorAttack, AuthorSettings, Evidence};
use inkveil_eval::metrics::Bootstrap;
use inkveil_nn::SplitMix;

use crate::options::Options;
use crate::{Outcome, cut, name};

/// The "author" of a line is the value of the attribute, its "topic" the person; nobody is on both sides.
pub(crate) fn run(options: &Options) -> Outcome<()> {
    println!(
        "| attribute | values | attacker | accuracy | macro F1 | always the commonest |\n|---|---:|---|---:|---:|---:|"
    );
    let encoder = options.encoder()?;
    for file in &options.files {
        let corpus = AuthorCorpus::read(file)?;
        let people: BTreeSet<&str> = corpus.all().iter().filter_map(|text| text.topic.as_deref()).collect();
        let mut people: Vec<&str> = people.into_iter().collect();
        SplitMix::named(options.seed, "people", &[]).shuffle(&mut people);
        people.truncate(people.len() * 3 / 10);
        let held = |text: &inkveil_style::AuthorText| {
            text.topic.as_deref().is_some_and(|person| people.contains(&person))
        };
        let side = |wanted: bool| -> (Vec<&str>, Vec<&str>) {
            let chosen = corpus.all().iter().filter(|text| held(text) == wanted);
            chosen.map(|text| (cut(&text.text, options.words), text.author.as_str())).unzip()
        };
        let ((train, train_values), (test, test_values)) = (side(false), side(true));
        let (train_style, test_style) = (encoder.encode(&train)?.concat(), encoder.encode(&test)?.concat());
        let values: BTreeSet<&str> = train_values.iter().copied().collect();
        let commonest =
            values.iter().map(|value| test_values.iter().filter(|other| other == &value).count()).max();
        for attacker in [Attacker::NgramSvm, Attacker::StyleLogistic] {
            let (learnt, attacked) = match attacker {
                Attacker::NgramSvm => (Evidence::texts(&train), Evidence::texts(&test)),
                _ => (
                    Evidence::vectors(encoder.dimension(), &train_style),
                    Evidence::vectors(encoder.dimension(), &test_style),
                ),
            };
            let attack = AuthorAttack::train(&AuthorSettings::of(attacker), &learnt, &train_values)?;
            let guesses = attack.identify(&attacked, &test_values)?;
            println!(
                "| {} | {} | {attacker} | {} | {:.3} | {:.3} |",
                name(file),
                values.len(),
                guesses
                    .accuracy(&Bootstrap::default())
                    .map_or("–".into(), |e| format!("{:.3} [{:.3}, {:.3}]", e.mean, e.low, e.high)),
                guesses.macro_f1().unwrap_or(f64::NAN),
                commonest.unwrap_or(0) as f64 / test_values.len().max(1) as f64
            );
        }
    }
    Ok(())
}
