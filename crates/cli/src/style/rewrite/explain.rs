//! What was measured, for people, on standard error.

use std::collections::BTreeMap;

use inkveil_style::{CandidateFault, PassageOutcome};

use super::job::{Job, Settled};
use super::source::Source;

/// Says for each text what it was like before and after.
pub(super) fn print(source: &Source, settled: &[Settled], job: &Job) -> anyhow::Result<()> {
    let memory = job.veil.judge().memory();
    let (geometry, spread) = (memory.geometry()?, memory.spread());
    for (name, one) in source.names.iter().zip(settled) {
        let (before, rewrite) = (&one.rewrite.source, &one.rewrite);
        anstream::eprintln!("{name}");
        let outlier = |is: bool| if is { ", stands out" } else { "" };
        let Some(after) = rewrite.measures else {
            anstream::eprintln!(
                "  risk      {:.2}{}; refused: no candidate was good enough",
                before.risk,
                outlier(before.outlier)
            );
            continue;
        };
        anstream::eprintln!(
            "  risk      {:.2}{} → {:.2}{}  (more unusual than {:.0} % → {:.0} % of the memory's texts)",
            before.risk,
            outlier(before.outlier),
            after.risk,
            outlier(after.outlier),
            spread.percentile(before.mean_distance),
            spread.percentile(after.mean_distance)
        );
        anstream::eprintln!(
            "  distance  {:.3} from your style; to common styles {:.3} → {:.3} (an outlier above {:.3})",
            after.style_distance,
            before.mean_distance,
            after.mean_distance,
            geometry.tau()
        );
        anstream::eprintln!(
            "  meaning   {:.3} kept (at least {} asked of each passage)",
            after.meaning,
            job.veil.settings().rules.meaning
        );
        match after.entities_kept {
            Some(kept) => {
                anstream::eprintln!("  entities  {} found, {:.0} % kept", before.entities, 100.0 * kept)
            }
            None => anstream::eprintln!("  entities  none found"),
        }
        anstream::eprintln!("  passages  {}", outcomes(one));
    }
    Ok(())
}

fn outcomes(one: &Settled) -> String {
    let known = [
        (PassageOutcome::Rewritten, "rewritten"),
        (PassageOutcome::Closest, "closest candidate taken"),
        (PassageOutcome::Kept, "left as they were"),
        (PassageOutcome::Short, "too short"),
        (PassageOutcome::Refused, "refused"),
    ];
    let some = known.into_iter().map(|(outcome, says)| (one.rewrite.count(outcome), says));
    let parts: Vec<String> =
        some.filter(|(count, _)| *count > 0).map(|(count, says)| format!("{count} {says}")).collect();
    parts.join(", ")
}

/// Says which texts were refused, where, and what was wrong with the candidates.
pub(super) fn refused(source: &Source, settled: &[Settled], least: f64) {
    for (name, one) in source.names.iter().zip(settled) {
        let passages = one.rewrite.passages.iter().enumerate();
        for (index, passage) in passages.filter(|(_, passage)| passage.outcome == PassageOutcome::Refused) {
            let mut faults: BTreeMap<CandidateFault, usize> = BTreeMap::new();
            passage.faults.iter().for_each(|fault| *faults.entry(*fault).or_default() += 1);
            let said: Vec<String> =
                faults.iter().map(|(fault, count)| format!("{count} {}", fault.describe())).collect();
            let closest = passage.closest.map_or_else(String::new, |closest| {
                format!("; the closest kept {closest:.2} of the meaning, {least} was asked")
            });
            anstream::eprintln!(
                "no candidate was good enough for passage {} of {name} ({} candidates: {}{closest}); try --rounds, --candidates, a lower --meaning, another --model, or --fallback",
                index + 1,
                passage.candidates,
                said.join(", ")
            );
        }
    }
}
