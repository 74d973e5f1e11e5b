//! `inkveil attack text`.

use std::sync::Arc;

use inkveil::detect::{Detector, Settings};
use inkveil::lexicon::Lexicon;
use inkveil::names_folder;
use inkveil::nn::SentenceEncoder;
use inkveil_eval::Watch;
use inkveil_eval::attack::{
    self, BaseModel, LanguageModel, ReleasedTexts, TextAttackModels, TextAttackReport, TextVerdict,
    TokenAttacker,
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
    let models = TextAttackModels {
        detector: &Detector::open(Some(&names), Settings::default())?,
        lexicon: &Arc::new(Lexicon::open(&pack)?),
        encoder: &SentenceEncoder::open(&names)?,
        language_model: language_model.as_ref(),
    };
    let bar = spinner(args.quiet);
    let watch = Watch { progress: &|step| bar.set_message(step.to_owned()), cancel: &cancel };
    let report = attack::text(&texts, &models, args.rows as usize, args.seed, &watch);
    bar.finish_and_clear();
    let report = match finished(report)? {
        Ok(report) => report,
        Err(outcome) => return Ok(outcome),
    };
    let advice = advice(&report);
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

/// What would be safer.
fn advice(report: &TextAttackReport) -> String {
    let advice = match report.verdict() {
        TextVerdict::ContextOnly => {
            "No value that detection marked as sensitive survives. What attackers find is guessed from the context. Noise on the \
             other words makes this harder (--preset strict)."
        }
        TextVerdict::High => {
            "Safer: replace sensitive words instead of adding noise (`inkveil text --preset strict`, or --budgets 0,0,… with \
             --at-zero surrogate), or lower the budgets of groups 1 and 2. `inkveil curves` shows the survival at each ε."
        }
        TextVerdict::Some => {
            "Attackers find some sensitive values. If none may be found, replace them: `inkveil text --preset strict`."
        }
        TextVerdict::Little => {
            return "These attackers find almost nothing. Other attackers may know more about the people in the texts."
                .to_owned();
        }
    };
    let weakest =
        report.weakest_kind().map_or_else(String::new, |kind| format!(" The weakest kind is {kind}."));
    format!("{advice}{weakest}")
}
