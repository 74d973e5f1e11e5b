//! What the guarantees of a receipt mean for someone who guesses: the first lines of its text.

use std::fmt::Write as _;

use super::certainty::{Certainty, NEARLY_ALL, per_cent};
use super::fields::{Receipt, ReceiptGroup, ReleaseKind};
use crate::{Epsilon, Guarantee, Slack};

impl Receipt {
    /// Writes what a person must know first: how the units were treated, what that means for someone who
    /// guesses, and what is compared. The details follow.
    pub(super) fn write_meaning(&self, out: &mut String) -> std::fmt::Result {
        let meanings: Vec<(&ReceiptGroup, String)> =
            self.groups.iter().filter_map(|group| Some((group, group.meaning(self.release.kind)?))).collect();
        if meanings.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "  Someone suspects one of two {}s, each equally likely, and sees the release.",
            self.unit
        )?;
        writeln!(out, "  How sure can they be which one it was? 50 % means that they learn nothing.")?;
        for (group, meaning) in &meanings {
            let units = if group.count == 1 { "" } else { "s" };
            writeln!(out, "    {} ({} {}{units}): {meaning}", group.name, group.count, self.unit)?;
        }
        // The weakest noise is what another mechanism would improve most.
        let noised = meanings.iter().map(|(group, _)| group).filter(|group| !group.epsilon.is_infinite());
        if let Some(cheaper) = noised.max_by_key(|group| group.epsilon).and_then(|group| group.cheaper()) {
            writeln!(out, "  Other mechanisms keep as many words with a smaller worst-case ε: {cheaper}.")?;
        }
        if self.groups.iter().any(|group| !group.compares_all()) {
            writeln!(
                out,
                "  All this compares texts of the same layout only. The layout itself is not protected."
            )?;
        }
        writeln!(out, "Details")
    }
}

impl ReceiptGroup {
    pub(super) fn compares_all(&self) -> bool {
        self.guarantees.iter().all(|guarantee| guarantee.neighbours().is_any())
    }

    /// Returns how sure someone can be, in words. A certified loss replaces the bound.
    fn meaning(&self, kind: ReleaseKind) -> Option<String> {
        let vectors = kind == ReleaseKind::Vectors;
        if self.guarantees.iter().any(|guarantee| guarantee.delta().is_some()) {
            return vectors.then(|| self.with_failures());
        }
        let certainty = self.certainty?;
        let among = self.guarantees.first().map(|guarantee| guarantee.neighbours()).unwrap_or_default();
        let worst = self.certified_epsilon.map(Certainty::after).or(certainty.worst);
        // The certified loss holds for the nearest words, too.
        let typical = certainty.typical.map(|typical| worst.map_or(typical, |worst| typical.min(worst)));
        let bound = match (typical, worst) {
            _ if self.epsilon.is_infinite() => {
                let all = self.guarantees.iter().all(|guarantee| guarantee.epsilon().is_infinite());
                let how = match (vectors, all) {
                    (false, _) => "kept, so anyone can be 100 % sure",
                    (true, true) => "released without noise, so anyone can be 100 % sure",
                    (true, false) => {
                        "a part has no noise, so anyone can be 100 % sure if the two differ in it"
                    }
                };
                return Some(how.to_owned());
            }
            _ if self.epsilon.is_zero() => {
                let how = if vectors { "nothing is left of them" } else { "replaced" };
                return Some(format!("{how}, 50 % between {among}"));
            }
            (Some(least), _) | (None, Some(least)) if least > NEARLY_ALL => {
                format!("{}: the bound excludes nothing", per_cent(least))
            }
            (Some(typical), Some(worst)) => {
                format!("at most {} (nearest words: {})", per_cent(worst), per_cent(typical))
            }
            (None, Some(worst)) => format!("at most {}", per_cent(worst)),
            _ => self.without_bound()?,
        };
        let survival =
            self.survival.map(|share| format!("; measured: survives in {:.0} % of cases", 100.0 * share));
        Some(format!("noised, {bound}{}", survival.unwrap_or_default()))
    }

    /// Inputs that may be any distance apart: the chance for two at the distance 1/ε, or within the range
    /// of the guarantee.
    fn without_bound(&self) -> Option<String> {
        let [guarantee] = self.guarantees.as_slice() else {
            return Some("no bound: inputs that are far apart are not hidden".to_owned());
        };
        let (loss, near, far) = match guarantee.within() {
            None => (Epsilon::new(1.0).ok()?, String::new(), 1.0 / guarantee.epsilon().get()),
            Some(reach) => (guarantee.epsilon(), "at most ".to_owned(), reach),
        };
        let (chance, far, metric) = (Certainty::after(loss), short(far), guarantee.metric());
        Some(match chance > NEARLY_ALL {
            true => {
                format!("{}, even if the two are {near}{far} apart ({metric} distance)", per_cent(chance))
            }
            false => format!(
                "at most {} if the two are {near}{far} apart ({metric} distance), and no bound if they are \
                 farther apart",
                per_cent(chance)
            ),
        })
    }

    /// A guarantee that may fail bounds how often a guess is right: in at most (e^ε + δ)/(1 + e^ε) of
    /// all releases, for two inputs that are equally likely.
    fn with_failures(&self) -> String {
        let slack = self.slack.unwrap_or(Slack::NONE);
        let stated = self.guarantees.iter().map(|guarantee| guarantee.epsilon().get());
        let loss = Epsilon::new(stated.sum::<f64>() + slack.epsilon().get());
        let delta = self.guarantees.iter().filter_map(Guarantee::delta).sum::<f64>() + slack.delta();
        let Ok(loss) = loss else { return "noised, no bound".to_owned() };
        let right = (Certainty::after(loss) + delta * (1.0 - Certainty::after(loss))).min(1.0);
        if right > NEARLY_ALL || self.guarantees.iter().any(|guarantee| guarantee.within().is_none()) {
            return format!("noised, {}: the bound excludes nothing", per_cent(right));
        }
        let within = self.guarantees.iter().find_map(Guarantee::within);
        let within = within.map(|reach| format!(" if the two are at most {} apart", short(reach)));
        format!(
            "noised, a guess is right in at most {} of all releases{}",
            per_cent(right),
            within.unwrap_or_default()
        )
    }

    /// Returns the other mechanisms that need the smallest worst case for the same survival.
    fn cheaper(&self) -> Option<String> {
        let own = self.worst_case_epsilon?;
        let mut others: Vec<_> = self
            .alternatives
            .iter()
            .filter_map(|other| Some((other.worst_case_epsilon.filter(|worst| *worst < own)?, other)))
            .collect();
        others.sort_by(|a, b| a.0.get().total_cmp(&b.0.get()));
        let named =
            others.iter().take(2).map(|(worst, other)| format!("{} {}", other.mechanism, worst.readable()));
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then(|| format!("{}; now {}", named.join(", "), own.readable()))
    }
}

/// Writes a distance with up to three digits.
fn short(distance: f64) -> String {
    let digits = (2.0 - distance.log10().floor()).clamp(0.0, 12.0) as usize;
    let written = format!("{distance:.digits$}");
    match written.contains('.') {
        true => written.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GroupBudget, Metric, NoiseKey, Unit};

    /// The line about one group of vectors.
    fn line(group: GroupBudget) -> String {
        let key = NoiseKey::insecure_from_seed(0);
        let receipt = Receipt::builder(ReleaseKind::Vectors, "noise", Unit::Vector, &key)
            .group(group.with_certainty())
            .grid(crate::Grid::WITHOUT_NOISE, None)
            .not_covered("how many there are")
            .build()
            .unwrap();
        let shown = receipt.render();
        assert!(shown.contains("suspects one of two vectors, each equally likely"), "{shown}");
        shown.lines().nth(3).unwrap_or_default().trim_start().to_owned()
    }

    fn group(epsilon: f64, of: impl Fn(Guarantee) -> Guarantee) -> GroupBudget {
        let epsilon = Epsilon::new(epsilon).unwrap();
        let guarantee = of(Guarantee::new(Metric::Euclidean, epsilon, Unit::Vector));
        GroupBudget::new("all", 7, epsilon, vec![guarantee])
    }

    #[test]
    fn vectors_have_odds_too() {
        assert_eq!(
            line(group(1.0, |one| one).diameter(Metric::Euclidean, 2.0)),
            "all (7 vectors): noised, at most 88 %"
        );
        assert_eq!(
            line(group(30.0, |one| one).diameter(Metric::Euclidean, 2.0)),
            "all (7 vectors): noised, over 99.99 %: the bound excludes nothing"
        );
        assert_eq!(
            line(group(40.0, |one| one)),
            "all (7 vectors): noised, at most 73 % if the two are 0.025 apart (euclidean distance), and no \
             bound if they are farther apart"
        );
        assert_eq!(
            line(group(1.0, |one| one.with_within(3.0).unwrap())),
            "all (7 vectors): noised, at most 73 % if the two are at most 3 apart (euclidean distance), and \
             no bound if they are farther apart"
        );
        assert_eq!(
            line(group(f64::INFINITY, |one| one)),
            "all (7 vectors): released without noise, so anyone can be 100 % sure"
        );
        // (e + 0.1)/(1 + e) = 0.758.
        assert_eq!(
            line(group(1.0, |one| one.with_delta(0.1).unwrap().with_within(2.0).unwrap())),
            "all (7 vectors): noised, a guess is right in at most 76 % of all releases if the two are at \
             most 2 apart"
        );
    }

    #[test]
    fn distances_are_short() {
        assert_eq!([0.025, 2.0, 1234.5, 1.0 / 3.0].map(short), ["0.025", "2", "1234", "0.333"]);
    }
}
