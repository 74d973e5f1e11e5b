//! The two tables.

use std::collections::BTreeMap;

use crate::spread::spread;
use crate::{Defence, Leakage, Study};

type Results = BTreeMap<(Defence, u64), Leakage>;

pub(crate) fn print(study: &Study, results: &Results) {
    let (epsilon, seeds) = (study.options.epsilon, study.options.seeds);
    println!(
        "{} texts, ε = {epsilon}, {seeds} seeds; leakage in percent, mean ± deviation over seeds.\n",
        study.texts.len()
    );
    println!(
        "| group | words | none | LapMech | PurMech | mask for the group |\n|---|---:|---:|---:|---:|---:|"
    );
    for group in &study.groups {
        let of_group = |word: usize| study.sensitive.words()[word].kind == *group;
        let cell = |defence: Defence| spread(&over_seeds(study, results, &defence, of_group));
        let count = (0..study.sensitive.words().len()).filter(|&word| of_group(word)).count();
        println!(
            "| {} | {count} | {} | {} | {} | {} |",
            group.name(),
            cell(Defence::None),
            cell(Defence::LapMech),
            cell(Defence::PurMech),
            cell(Defence::Group(group.clone()))
        );
    }
    println!(
        "\nChange of leakage by a mask for the commonest word of a group, relative to no noise; by round noise for comparison.\n"
    );
    println!(
        "| group | the word itself | its group | other groups | round noise, the word | its group | other groups |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for group in &study.groups {
        let Some(target) = study.target(group) else { continue };
        let row = [Defence::Word(target), Defence::LapMech]
            .iter()
            .flat_map(|defence| {
                let kind = |word: usize| &study.sensitive.words()[word].kind;
                let sides: [Box<dyn Fn(usize) -> bool>; 3] = [
                    Box::new(|word| word == target),
                    Box::new(|word| word != target && kind(word) == group),
                    Box::new(|word| kind(word) != group),
                ];
                sides.map(|side| change(study, results, defence, side))
            })
            .collect::<Vec<_>>();
        println!("| {} | {} |", group.name(), row.join(" | "));
    }
}

/// The leakage of chosen words for each seed.
fn over_seeds(
    study: &Study,
    results: &Results,
    defence: &Defence,
    chosen: impl Fn(usize) -> bool,
) -> Vec<f64> {
    let of_seed = |seed| {
        let words = results.get(&(defence.clone(), seed))?;
        let chosen = words.iter().enumerate().filter(|(word, _)| chosen(*word));
        let (found, all) = chosen
            .fold((0.0, 0), |(found, all), (_, (share, count))| (found + share * *count as f64, all + count));
        (all > 0).then(|| found / all as f64)
    };
    (1..=study.options.seeds).filter_map(of_seed).collect()
}

fn change(study: &Study, results: &Results, defence: &Defence, chosen: impl Fn(usize) -> bool) -> String {
    let before = over_seeds(study, results, &Defence::None, &chosen);
    let after = over_seeds(study, results, defence, &chosen);
    let changes: Vec<f64> = before
        .iter()
        .zip(&after)
        .filter(|(before, _)| **before > 0.0)
        .map(|(before, after)| after / before - 1.0)
        .collect();
    spread(&changes)
}
