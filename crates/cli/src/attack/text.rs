//! `inkveil attack text`.

use inkveil::names_folder;
use inkveil_eval::Watch;
use inkveil_eval::attack::{
    self, BaseModel, CommandAttacker, LanguageModel, OpenTextAttack, OwnAttacker, ReleasedTexts,
};

use super::pairs::Pairs;
use super::{print, watched};
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
    let attack = |watch: &Watch<'_>| attack::text(&texts, &models, args.rows as usize, args.seed, watch);
    let Some(report) = watched(args.quiet, &cancel, attack)? else { return Ok(Outcome::Interrupted) };
    print(args.json, &report, Some(&report.advice()), || report.in_words())
}
