//! `inkveil attack text`.

use inkveil::names_folder;
use inkveil_eval::Watch;
use inkveil_eval::attack::{
    self, BaseModel, CommandAttacker, LanguageModel, OpenTextAttack, OwnAttacker, ReleasedTexts,
    TextAttackReport, TokenAttacker,
};

use super::pairs::Pairs;
use super::{finished, percent, print, spinner};
use crate::args::TextAttackArgs;
use crate::outcome::Outcome;
use crate::{device, interrupt};
use inkveil::pack_folder;

pub(super) fn run(args: &TextAttackArgs) -> anyhow::Result<Outcome> {
    let pairs = Pairs::read(&args.original, &args.released, &args.tables, None)?;
    let (originals, released) = (pairs.originals(), pairs.released());
    let texts = ReleasedTexts::new(&originals, &released)?;
    let cancel = interrupt::flag()?;
    let pack = pack_folder(&args.pack)?;
    let names = names_folder(&pack)?;
    let language_model = match &args.model {
        Some(name) => {
            let base = BaseModel { path: inkveil::model_path(name)?, device: device::open(args.device)? };
            Some(LanguageModel::open(&base)?)
        }
        None => None,
    };
    let own =
        args.attackers.iter().map(|line| CommandAttacker::parse(line)).collect::<Result<Vec<_>, _>>()?;
    let own: Vec<&dyn OwnAttacker> = own.iter().map(|attacker| attacker as &dyn OwnAttacker).collect();
    let open = OpenTextAttack::open(&pack, &names)?;
    let models = open.models(language_model.as_ref(), &own);
    let bar = spinner(args.quiet);
    let watch = Watch { progress: &|step| bar.set_message(step.to_owned()), cancel: &cancel };
    let report = attack::text(&texts, &models, args.rows as usize, args.seed, &watch);
    bar.finish_and_clear();
    let report = match finished(report)? {
        Ok(report) => report,
        Err(outcome) => return Ok(outcome),
    };
    let advice = report.advice();
    print(args.json, &report, Some(&advice), || in_words(&report, &advice))
}

fn in_words(report: &TextAttackReport, advice: &str) -> String {
    let knowledge = |attacker: &TokenAttacker| match attacker {
        TokenAttacker::Likelihood => "found from the mechanism",
        TokenAttacker::Unigram => "  and word frequencies",
        TokenAttacker::Language => "  and typical word sequences",
        TokenAttacker::Neural => "  and a language model",
        _ => attacker.name(),
    };
    let mut text = format!(
        "Of {} texts, attackers know the originals of some and attack {} others, with {} sensitive values (names, addresses, numbers). Shares have intervals of 95 %.\n\n",
        report.texts, report.attacked_texts, report.sensitive_values
    );
    text += &format!("  {:<44} {}\n", "sensitive values that survive unchanged", percent(&report.survival));
    for (attacker, found) in &report.found {
        text += &format!("  {:<44} {}\n", knowledge(attacker), percent(found));
    }
    for (attacker, found) in &report.found_by_own {
        text += &format!("  {:<44} {}\n", format!("found by {attacker}"), percent(found));
    }
    if let Some(part) = &report.found_in_part {
        text += &format!("  {:<44} {}\n", "names found in part, by the best attacker", percent(part));
    }
    text += "\n  by kind, whole values found by the best attacker\n";
    for (kind, count) in &report.kinds {
        let share = 100.0 * f64::from(count.found) / f64::from(count.values);
        text += &format!("    {kind:<42} {share:5.1} %  of {}\n", count.values);
    }
    text += &format!(
        "\nOf {} released texts, {:.1} % are most similar to their own original. An attacker who has both can link them.\n\n\
         Verdict: {}. {advice}\n",
        report.linked_texts,
        100.0 * report.linked_to_original,
        report.verdict().name(),
    );
    text
}
