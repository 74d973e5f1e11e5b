//! The cost of each group: a table for people, tab-separated fields for programs.

use std::io::Write;

use inkveil::Group;
use inkveil::explain::{TreatmentCounts, VeilTerms};

use crate::table;

/// One row for each group, and one for all groups.
fn rows(counts: &TreatmentCounts, terms: &VeilTerms) -> anyhow::Result<Vec<[String; 7]>> {
    let mut rows = Vec::new();
    for group in Group::ALL {
        let (treated, epsilon) = (counts.of(group), terms.budgets.of(group));
        let spent = counts.spent(group, epsilon)?;
        let counts =
            [treated.all(), treated.noised, treated.replaced, treated.kept].map(|count| count.to_string());
        let [all, noised, replaced, kept] = counts;
        rows.push([group.to_string(), all, epsilon.readable(), noised, replaced, kept, spent.readable()]);
    }
    let (all, sum) = (counts.all(), counts.total(&terms.budgets)?);
    let [count, noised, replaced, kept] =
        [all.all(), all.noised, all.replaced, all.kept].map(|count| count.to_string());
    rows.push(["all".to_owned(), count, String::new(), noised, replaced, kept, sum.readable()]);
    Ok(rows)
}

/// Writes the cost of a run.
pub(super) fn write(
    out: &mut dyn Write,
    counts: &TreatmentCounts,
    terms: &VeilTerms,
    for_people: bool,
) -> anyhow::Result<()> {
    let unit = format!("{}s", terms.unit);
    let header = ["group", &unit, "ε of each", "noised", "replaced", "kept", "ε of all"];
    Ok(table::write(out, for_people, &header, rows(counts, terms)?, 1..header.len())?)
}

#[cfg(test)]
mod tests {
    use inkveil::explain::samples::{document, terms, unit};
    use inkveil::{ReplacementReason, Treatment};

    use super::*;

    #[test]
    fn costs_add_up() {
        let mut counts = TreatmentCounts::default();
        let units = vec![
            unit(0..1, Group::SensitiveNeeded, Treatment::Noise),
            unit(1..2, Group::SensitiveNeeded, Treatment::Noise),
            unit(2..3, Group::Sensitive, Treatment::Replaced(ReplacementReason::Budget)),
            unit(3..4, Group::Neither, Treatment::Noise),
        ];
        counts.add(&document("abcd", units));
        let mut out = Vec::new();
        write(&mut out, &counts, &terms(), false).unwrap();
        let lines = "1 sensitive and needed\t2\t30\t2\t0\t0\t60\n2 sensitive\t1\t0\t0\t1\t0\t0\n\
                     3 needed\t0\tinf\t0\t0\t0\t0\n4 neither\t1\t90\t1\t0\t0\t90\nall\t4\t\t3\t1\t0\t150\n";
        assert_eq!(String::from_utf8(out).unwrap(), lines);
        let mut table = Vec::new();
        write(&mut table, &counts, &terms(), true).unwrap();
        assert!(String::from_utf8(table).unwrap().contains("tokens"));
    }
}
