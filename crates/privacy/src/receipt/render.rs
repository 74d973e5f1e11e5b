//! Receipts as readable text.

use std::fmt::Write as _;

use super::certainty::{NEARLY_ALL, per_cent};
use super::fields::{Receipt, ReceiptGroup, ReleaseKind};
use crate::{Epsilon, Neighbours};

impl Receipt {
    /// Returns the receipt as readable text.
    pub fn render(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let kind = match self.release.kind {
            ReleaseKind::Text => "veiled text",
            ReleaseKind::Vectors => "vectors with noise",
            ReleaseKind::Rewrite => "rewritten text",
        };
        writeln!(out, "Receipt for {kind}, made by {}", self.tool)?;
        self.write_meaning(out)?;
        write!(out, "  mechanism     {}", self.mechanism)?;
        if let Some(calibration) = self.calibration {
            write!(out, ", calibration {calibration}")?;
        }
        writeln!(out)?;
        for parameter in &self.parameters {
            writeln!(out, "                {} = {}", parameter.name, parameter.value)?;
        }
        if self.groups.is_empty() {
            writeln!(out, "  guarantee     none: there are measurements but no formal guarantee")?;
        }
        for group in &self.groups {
            let units = if group.count == 1 { "" } else { "s" };
            writeln!(
                out,
                "  {:<13} {} {}{units} at ε = {}",
                group.name,
                group.count,
                self.unit,
                group.epsilon.readable()
            )?;
            if let Some(mechanism) = &group.mechanism {
                writeln!(out, "    mechanism   {mechanism}")?;
            }
            for guarantee in &group.guarantees {
                writeln!(out, "    guarantee   {guarantee}")?;
            }
            for equivalent in &group.equivalents {
                writeln!(out, "    equivalent  {equivalent}")?;
            }
            if let Some(worst) = group.worst_case_epsilon {
                let chance = chance(worst, group.certainty.and_then(|certainty| certainty.worst));
                let pair =
                    if group.compares_all() { "any two inputs" } else { "the worst pair that it compares" };
                writeln!(out, "    worst case  ε = {} for {pair}{chance}", worst.readable())?;
            }
            if let Some(typical) = group.typical_loss {
                let chance = chance(typical, group.certainty.and_then(|certainty| certainty.typical));
                writeln!(
                    out,
                    "    typical     ε = {} against the nearest other input{chance}",
                    typical.readable()
                )?;
            }
            for other in &group.alternatives {
                write!(out, "    instead     {}: ε = {}", other.mechanism, other.epsilon.readable())?;
                match other.worst_case_epsilon {
                    Some(worst) => writeln!(out, " ({} in the worst case)", worst.readable())?,
                    None => writeln!(out, " per unit of {} distance", other.metric)?,
                }
            }
        }
        if let (Some(mean), Some(total)) = (self.mean_epsilon, self.total_epsilon) {
            writeln!(
                out,
                "  total         ε = {} per {} on average, {} in total",
                mean.readable(),
                self.unit,
                total.readable()
            )?;
            match self.worst_case_epsilon {
                Some(worst) => writeln!(
                    out,
                    "                ε = {} in the worst case, if the whole release may change at once",
                    worst.readable()
                )?,
                None => writeln!(out, "                no worst case: {}", self.why_no_worst_case())?,
            }
        }
        if let Some(delta) = self.total_delta {
            let consequence =
                if delta < 1.0 { "" } else { ", so there is no guarantee for the release as a whole" };
            writeln!(out, "                δ = {delta:.1e} in total{consequence}")?;
        }
        if let Some(grid) = &self.grid {
            write!(out, "  grid          numbers with noise are multiples of {}", grid.step)?;
            if let Some(added) = grid.added_distance {
                write!(out, "; rounding adds at most {added:.1e} to any distance")?;
            }
            writeln!(out)?;
        }
        for treatment in &self.treatments {
            write!(out, "  treatment     {}: {}", treatment.what, treatment.how)?;
            if let Some(epsilon) = treatment.epsilon {
                write!(out, " (ε = {})", epsilon.readable())?;
            }
            writeln!(out)?;
        }
        for measured in &self.measured {
            write!(out, "  measured      {}: ", measured.name)?;
            match measured.before {
                Some(before) => writeln!(out, "{before} before, {} after", measured.after)?,
                None => writeln!(out, "{}", measured.after)?,
            }
        }
        if self.groups.iter().any(|group| !group.compares_all()) {
            writeln!(out, "  compares      texts of the same layout: {}", Neighbours::LAYOUT)?;
        }
        for what in &self.not_covered {
            writeln!(out, "  not covered   {what}")?;
        }
        for note in &self.notes {
            writeln!(out, "  note          {note}")?;
        }
        if let Some(pack) = &self.pack {
            writeln!(out, "  pack          {} ({})", pack.name, prefix(&pack.sha256))?;
        }
        if let Some(hash) = &self.release.sha256 {
            writeln!(out, "  release       sha256 {}…", prefix(hash))?;
        }
        if self.randomness.secure {
            writeln!(out, "  randomness    from the operating system")
        } else {
            writeln!(out, "  randomness    INSECURE: a fixed seed was used, so anyone can subtract the noise")
        }
    }
}

impl ReceiptGroup {
    fn compares_all(&self) -> bool {
        self.guarantees.iter().all(|guarantee| guarantee.neighbours().is_any())
    }

    /// Returns how sure someone can be, in words.
    fn meaning(&self) -> Option<String> {
        let certainty = self.certainty?;
        let among = self.guarantees.first().map(|guarantee| guarantee.neighbours()).unwrap_or_default();
        let bound = match (certainty.typical, certainty.worst) {
            _ if self.epsilon.is_infinite() => return Some("kept, so anyone can be 100 % sure".to_owned()),
            _ if self.epsilon.is_zero() => return Some(format!("replaced, 50 % between {among}")),
            (Some(least), _) | (None, Some(least)) if least > NEARLY_ALL => {
                format!("{}: the bound excludes nothing", per_cent(least))
            }
            (Some(typical), Some(worst)) => {
                format!("at most {} (nearest words: {})", per_cent(worst), per_cent(typical))
            }
            (None, Some(worst)) => format!("at most {}", per_cent(worst)),
            _ => "no bound".to_owned(),
        };
        let survival =
            self.survival.map(|share| format!("; measured: survives in {:.0} % of cases", 100.0 * share));
        Some(format!("noised, {bound}{}", survival.unwrap_or_default()))
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

fn chance(loss: Epsilon, chance: Option<f64>) -> String {
    match chance {
        None => String::new(),
        Some(_) if loss.is_infinite() => ", 100 % sure".to_owned(),
        Some(chance) => format!(", {} sure", per_cent(chance)),
    }
}

impl Receipt {
    /// Writes what a person must know first: how the units were treated, what that means for someone who
    /// guesses, and what is compared. The details follow.
    fn write_meaning(&self, out: &mut String) -> std::fmt::Result {
        let meanings: Vec<(&ReceiptGroup, String)> =
            self.groups.iter().filter_map(|group| Some((group, group.meaning()?))).collect();
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

    fn why_no_worst_case(&self) -> &'static str {
        let guarantees = || self.groups.iter().flat_map(|g| &g.guarantees);
        if guarantees().any(|g| g.delta().is_some()) {
            "the guarantee may fail with probability δ"
        } else if guarantees().any(|g| g.within().is_some()) {
            "the guarantee holds up to a fixed distance, and inputs farther apart are not hidden"
        } else {
            "the inputs are not bounded, so inputs that are far apart are not hidden"
        }
    }
}

fn prefix(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}
