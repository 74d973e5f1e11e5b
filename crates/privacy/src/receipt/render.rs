//! Receipts as readable text.

use std::fmt::Write as _;

use super::certainty::{Certainty, per_cent};
use super::fields::{Receipt, ReleaseKind};
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
            if let Some(slack) = group.slack {
                write!(out, "    slack       ε + {} for rounding errors", slack.epsilon().readable())?;
                match slack.delta() {
                    0.0 => writeln!(out)?,
                    delta => writeln!(out, ", except with probability {delta:.1e}")?,
                }
            }
            if let Some(worst) = group.worst_case_epsilon {
                let chance = chance(worst, group.certainty.and_then(|certainty| certainty.worst));
                let pair =
                    if group.compares_all() { "any two inputs" } else { "the worst pair that it compares" };
                writeln!(out, "    worst case  ε = {} for {pair}{chance}", worst.readable())?;
            }
            if let Some(certified) = group.certified_epsilon {
                let chance = chance(certified, group.certainty.map(|_| Certainty::after(certified)));
                writeln!(
                    out,
                    "    certified   ε = {} is the true worst case, computed over all pairs of {}s and all outputs{chance}",
                    certified.readable(),
                    self.unit
                )?;
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

fn chance(loss: Epsilon, chance: Option<f64>) -> String {
    match chance {
        None => String::new(),
        Some(_) if loss.is_infinite() => ", 100 % sure".to_owned(),
        Some(chance) => format!(", {} sure", per_cent(chance)),
    }
}

impl Receipt {
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
