//! Reports measurements and refusals on standard error.

use std::collections::BTreeMap;

use inkveil::release::RewriteRows;
use inkveil::style::{CandidateFault, EarlierLink, GoalReport, PassageOutcome, Rewrite};

use super::review::printable;
use crate::args::RewriteArgs;

/// Reports rewrites as they are finished.
pub(super) struct Reporter {
    explain: bool,
    minimum_meaning: f64,
    veil: std::sync::Arc<inkveil::style::StyleVeil>,
    tau: f64,
    failed: u64,
}

impl Reporter {
    pub(super) fn new(rows: &RewriteRows, args: &RewriteArgs) -> anyhow::Result<Self> {
        let veil = std::sync::Arc::clone(rows.style());
        let tau = veil.judge().memory().geometry()?.tau();
        let minimum_meaning = veil.settings().rules.meaning;
        Ok(Self { explain: args.explain, minimum_meaning, veil, tau, failed: 0 })
    }

    /// The number of texts that were refused or missed their goal.
    pub(super) fn failed(&self) -> u64 {
        self.failed
    }

    /// Reports one rewrite.
    pub(super) fn report(&mut self, name: &str, rewrite: &Rewrite) {
        if self.explain {
            self.measurements(name, rewrite);
        }
        self.verdict(name, rewrite);
        if let Some(goal) = &rewrite.goal {
            say!("{name}: {}", goal_in_words(rewrite, goal));
        }
        if rewrite.text.is_none() {
            self.refusal(name, rewrite);
        }
        self.failed += u64::from(rewrite.text.is_none() || rewrite.misses_goal());
    }

    fn measurements(&self, name: &str, rewrite: &Rewrite) {
        let (before, spread) = (&rewrite.source, self.veil.judge().memory().spread());
        say!("{name}");
        let outlier = |is: bool| if is { ", stands out" } else { "" };
        let Some(after) = rewrite.measures else {
            let why = match rewrite.count(PassageOutcome::Refused) {
                0 => "it misses the goal",
                _ => "no candidate is good enough",
            };
            say!("  risk      {:.2}{}; refused: {why}", before.risk, outlier(before.outlier));
            return;
        };
        say!(
            "  risk      {:.2}{} → {:.2}{}  (more unusual than {:.0} % → {:.0} % of the memory's texts)",
            before.risk,
            outlier(before.outlier),
            after.risk,
            outlier(after.outlier),
            spread.percentile(before.mean_distance),
            spread.percentile(after.mean_distance)
        );
        say!(
            "  distance  {:.3} from your style; to common styles {:.3} → {:.3} (an outlier above {:.3})",
            after.style_distance,
            before.mean_distance,
            after.mean_distance,
            self.tau
        );
        say!(
            "  meaning   {:.3} kept (each passage must keep at least {})",
            after.meaning,
            self.minimum_meaning
        );
        match after.entities_kept {
            Some(kept) => {
                say!("  entities  {} found, {:.0} % kept", before.entities, 100.0 * kept);
            }
            None => say!("  entities  none found"),
        }
        say!(
            "  wording   {:.0} % of your words and word pairs kept; likeness of n-grams {:.2}",
            100.0 * after.wording_kept,
            after.ngrams_kept
        );
        let changes = rewrite.passages.iter().enumerate();
        for (index, changes) in changes.map(|(index, passage)| (index + 1, &passage.changes)) {
            for (facts, what) in [(&changes.invented, "changed or invented"), (&changes.lost, "lost")] {
                for fact in facts {
                    say!(
                        "  facts     passage {index}: {} {what}: {}",
                        fact.kind.describe(),
                        printable(&fact.value)
                    );
                }
            }
        }
        say!("  passages  {}", outcomes(rewrite));
        self.identifying(rewrite);
    }

    /// What identifies the writer whatever the style.
    fn identifying(&self, rewrite: &Rewrite) {
        let Some(text) = rewrite.text.as_deref() else { return };
        match self.veil.identifying(text) {
            Ok(found) => {
                for part in found {
                    say!("  content   line {}: {}: {}", part.line, part.kind, printable(&part.text));
                }
            }
            Err(error) => say!("  content   could not be searched: {error}"),
        }
    }

    /// Says what a reader must know before using a rewrite.
    fn verdict(&self, name: &str, rewrite: &Rewrite) {
        let Some(after) = rewrite.measures else { return };
        if let (Some(before), Some(after)) = (&rewrite.source.link, &after.link) {
            say!("{name}: {}", link_in_words(before, after));
        }
        if after.outlier {
            let advice = match &rewrite.goal {
                Some(_) => "try another --model",
                None => "try a higher --strength, or another --model",
            };
            say!(
                "{name}: the rewrite still stands out (risk {:.2} → {:.2}); {advice}",
                rewrite.source.risk,
                after.risk
            );
        }
        let count = |of: fn(&inkveil::style::FactChanges) -> usize| -> usize {
            rewrite.passages.iter().map(|passage| of(&passage.changes)).sum()
        };
        let (invented, lost) = (count(|changes| changes.invented.len()), count(|changes| changes.lost.len()));
        if invented + lost > 0 && !self.explain {
            say!("{name}: {invented} facts changed or invented, {lost} lost; --explain lists them");
        }
    }

    /// Reports the refused passages of a text, and the faults of their candidates.
    fn refusal(&self, name: &str, rewrite: &Rewrite) {
        let passages = rewrite.passages.iter().enumerate();
        for (index, passage) in passages.filter(|(_, passage)| passage.outcome == PassageOutcome::Refused) {
            let mut faults: BTreeMap<CandidateFault, usize> = BTreeMap::new();
            passage.faults.iter().for_each(|fault| *faults.entry(*fault).or_default() += 1);
            let faults: Vec<String> =
                faults.iter().map(|(fault, count)| format!("{count} {}", fault.describe())).collect();
            let closest = passage.closest.map_or_else(String::new, |closest| {
                format!(
                    "; the closest keeps {closest:.2} of the meaning, {} is required",
                    self.minimum_meaning
                )
            });
            say!(
                "no candidate is good enough for passage {} of {name} ({} candidates: {}{closest}); try --rounds, \
                 --candidates, a lower --meaning, another --model, or --fallback",
                index + 1,
                passage.candidates,
                faults.join(", ")
            );
        }
    }
}

/// Whether the goal is reached, with which strength, and what to do if not.
fn goal_in_words(rewrite: &Rewrite, goal: &GoalReport) -> String {
    let estimate = goal.in_words();
    if goal.is_reached() {
        return format!("the goal is reached ({}); {estimate}", goal.goal);
    }
    let lines: Vec<String> = goal
        .reasons
        .iter()
        .filter_map(|number| rewrite.passages.get(*number))
        .map(|passage| rewrite.line(passage).to_string())
        .collect();
    let (released, advice) = match rewrite.text {
        Some(_) => ("the rewrite that comes nearest to it is used", "or name a higher --goal"),
        None => (
            "nothing is released",
            "name a higher --goal, or release what comes nearest with --fallback closest",
        ),
    };
    format!(
        "the goal ({}) cannot be reached with this text, and {released}; {estimate}; the passages that tell most start \
         on line {}; change them yourself, {advice}",
        goal.goal,
        lines.join(", ")
    )
}

/// How well a text can be linked to earlier texts, before and after.
fn link_in_words(before: &EarlierLink, after: &EarlierLink) -> String {
    let style = match (before.style.probability, after.style.probability) {
        (Some(before), Some(after)) => {
            format!(
                "{:.0} % likely yours by its style before, {:.0} % now, if there is one other suspect",
                100.0 * before,
                100.0 * after
            )
        }
        _ => {
            format!("cosine with your style {:.2} before, {:.2} now", before.style.cosine, after.style.cosine)
        }
    };
    let words = format!(
        "{:.0} % of its words recur there, {:.0} % now; likeness of n-grams {:.2} before, {:.2} now",
        100.0 * before.recurring,
        100.0 * after.recurring,
        before.ngrams,
        after.ngrams
    );
    format!("compared with your earlier texts: {style}; {words}")
}

fn outcomes(rewrite: &Rewrite) -> String {
    let known = [
        (PassageOutcome::Rewritten, "rewritten"),
        (PassageOutcome::Closest, "replaced by the closest candidate"),
        (PassageOutcome::Kept, "kept unchanged"),
        (PassageOutcome::Short, "too short"),
        (PassageOutcome::Fixed, "no prose"),
        (PassageOutcome::Refused, "refused"),
        (PassageOutcome::Declined, "kept as you decided"),
        (PassageOutcome::Mixed, "mixed as you decided"),
    ];
    let counted = known.into_iter().map(|(outcome, words)| (rewrite.count(outcome), words));
    let parts: Vec<String> =
        counted.filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect();
    parts.join(", ")
}
