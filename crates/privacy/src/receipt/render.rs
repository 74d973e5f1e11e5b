//! A receipt in words.

use std::fmt::Write as _;

use super::{Receipt, ReleaseKind};

impl Receipt {
    /// The receipt as a person would like to read it.
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
        writeln!(out, "Receipt of {kind}, by {}", self.tool)?;
        write!(out, "  mechanism     {}", self.mechanism)?;
        if let Some(calibration) = self.calibration {
            write!(out, ", calibration {calibration}")?;
        }
        writeln!(out)?;
        for parameter in &self.parameters {
            writeln!(out, "                {} = {}", parameter.name, parameter.value)?;
        }
        if self.groups.is_empty() {
            writeln!(out, "  promised      nothing: there is no formal guarantee, only what was measured")?;
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
                writeln!(out, "    by          {mechanism}")?;
            }
            for guarantee in &group.guarantees {
                writeln!(out, "    promised    {guarantee}")?;
            }
            for equivalent in &group.equivalents {
                writeln!(out, "    that is     {equivalent}")?;
            }
            if let Some(worst) = group.worst_case_epsilon {
                writeln!(out, "    worst case  ε = {} for any two inputs", worst.readable())?;
            }
            if let Some(typical) = group.typical_loss {
                writeln!(out, "    typically   ε = {} against the nearest other input", typical.readable())?;
            }
        }
        if let (Some(mean), Some(total)) = (self.mean_epsilon, self.total_epsilon) {
            writeln!(
                out,
                "  in all        ε = {} per {} on average, {} in sum",
                mean.readable(),
                self.unit,
                total.readable()
            )?;
            match self.worst_case_epsilon {
                Some(worst) => writeln!(
                    out,
                    "                ε = {} if everything in the release may change at once",
                    worst.readable()
                )?,
                None => writeln!(out, "                no worst case: {}", self.why_no_worst_case())?,
            }
        }
        if let Some(delta) = self.total_delta {
            let worth = if delta < 1.0 { "" } else { ", so the release as a whole promises nothing" };
            writeln!(out, "                δ = {delta:.1e} in sum{worth}")?;
        }
        if let Some(grid) = &self.grid {
            write!(out, "  grid          what was noised lies on multiples of {}", grid.step)?;
            if let Some(added) = grid.added_distance {
                write!(out, "; adds at most {added:.1e} to any distance")?;
            }
            writeln!(out)?;
        }
        for treatment in &self.treatments {
            write!(out, "  treated       {}: {}", treatment.what, treatment.how)?;
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
            writeln!(
                out,
                "  randomness    INSECURE: a fixed seed was used, so anyone can take the noise away again"
            )
        }
    }
}

impl Receipt {
    fn why_no_worst_case(&self) -> &'static str {
        let guarantees = || self.groups.iter().flat_map(|g| &g.guarantees);
        if guarantees().any(|g| g.delta().is_some()) {
            "the promise fails with probability δ, so none holds always"
        } else if guarantees().any(|g| g.within().is_some()) {
            "the promise reaches only so far, and inputs farther apart are not hidden"
        } else {
            "the inputs are not bounded, so far-apart inputs are not hidden"
        }
    }
}

fn prefix(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}
