//! Releases as JSON lines and as CSV, with all stored data. The key of the content hashes is not
//! exported.

use std::io::{self, Write};

use inkveil_privacy::Epsilon;
use serde::Serialize;

use crate::charge::Charge;
use crate::entry::LedgerEntry;
use crate::id::ReleaseId;
use crate::measure::BudgetMeasure;
use crate::moment::Moment;
use crate::names;
use inkveil_files::hex;

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    id: ReleaseId,
    part: u64,
    at: Moment,
    released: Option<Moment>,
    dataset: &'a str,
    kind: &'static str,
    mechanism: &'a str,
    unit: &'static str,
    secure: bool,
    receipt: &'a str,
    content: Option<String>,
    charges: Vec<LineCharge<'a>>,
    chain: String,
}

#[derive(Serialize)]
struct LineCharge<'a> {
    subject: Option<&'a str>,
    measure: BudgetMeasure,
    epsilon: Epsilon,
    worst_case: Option<Epsilon>,
    delta: f64,
    units: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<f64>,
}

/// The columns of the CSV. There is one row per charge.
const COLUMNS: &str = "seq,id,part,at,released,dataset,kind,mechanism,unit,secure,receipt,content,subject,measure,epsilon,worst_case,\
                       delta,units,rho,chain";

impl LedgerEntry {
    /// Returns the first line of a CSV file: the names of its columns.
    pub fn csv_header() -> &'static str {
        COLUMNS
    }

    /// Writes this release as one line of JSON.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = Line {
            seq: self.seq,
            id: self.id,
            part: self.part,
            at: self.at,
            released: self.released,
            dataset: &self.dataset,
            kind: names::of_kind(self.kind),
            mechanism: &self.mechanism,
            unit: self.unit.name(),
            secure: self.secure,
            receipt: &self.receipt,
            content: self.content.map(hex::encode),
            charges: self.charges.iter().map(LineCharge::of).collect(),
            chain: hex::encode(self.chain),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")
    }

    /// Writes this release as lines of CSV, one per charge.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = |moment: Option<Moment>| moment.map_or(String::new(), |moment| moment.to_string());
        for charge in &self.charges {
            let fields = [
                self.seq.to_string(),
                self.id.to_string(),
                self.part.to_string(),
                self.at.to_string(),
                text(self.released),
                quoted(&self.dataset),
                names::of_kind(self.kind).to_owned(),
                quoted(&self.mechanism),
                self.unit.name().to_owned(),
                self.secure.to_string(),
                self.receipt.clone(),
                self.content.map_or(String::new(), hex::encode),
                charge.subject.as_deref().map_or(String::new(), quoted),
                quoted(&charge.measure().to_string()),
                charge.epsilon.to_string(),
                charge.worst_case.map_or(String::new(), |epsilon| epsilon.to_string()),
                charge.delta.to_string(),
                charge.units.to_string(),
                charge.zcdp.map_or(String::new(), |rho| rho.to_string()),
                hex::encode(self.chain),
            ];
            writeln!(out, "{}", fields.join(","))?;
        }
        Ok(())
    }
}

impl<'a> LineCharge<'a> {
    fn of(charge: &'a Charge) -> Self {
        Self {
            subject: charge.subject.as_deref(),
            measure: charge.measure(),
            epsilon: charge.epsilon,
            worst_case: charge.worst_case,
            delta: charge.delta,
            units: charge.units,
            rho: charge.zcdp,
        }
    }
}

/// Quotes a field of CSV. Names have no line breaks.
fn quoted(text: &str) -> String {
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use inkveil_privacy::{Metric, ReleaseKind, Secret, Unit};

    use super::*;
    use crate::{Filter, Ledger, Release};

    /// A ledger that does not depend on the clock or on randomness.
    fn fixed(path: &Path) -> Ledger {
        let at = |seconds: i64| Moment::from_seconds(1_700_000_000 + seconds).unwrap();
        let eps = |value| Epsilon::new(value).unwrap();
        Ledger::create(path, &Secret::new([9; 32]), at(0)).unwrap();
        let mut ledger = Ledger::open(path).unwrap();
        let letter = Release {
            id: ReleaseId([1; 16]),
            part: 0,
            dataset: "letters, \"old\"".into(),
            kind: ReleaseKind::Text,
            mechanism: "polar".into(),
            unit: Unit::Token,
            secure: true,
            receipt: "ab".repeat(32),
            content: Some([5; 32]),
            charges: vec![
                Charge {
                    worst_case: Some(eps(25.0)),
                    units: 3,
                    space: Some("lexicon words".into()),
                    ..Charge::new(Some("anna"), Metric::Chordal, eps(12.5))
                },
                Charge {
                    within: Some(2.0),
                    delta: 1e-6,
                    zcdp: Some(0.25),
                    ..Charge::new(None, Metric::Euclidean, eps(0.1))
                },
            ],
        };
        let rewrite = Release {
            part: 1,
            kind: ReleaseKind::Rewrite,
            unit: Unit::Document,
            secure: false,
            content: None,
            charges: vec![Charge::without_guarantee(Some("ben"), 1)],
            ..letter.clone()
        };
        ledger.record_at(&[letter, rewrite], at(60)).unwrap();
        ledger.confirm_at(&ReleaseId([1; 16]), 0, at(61)).unwrap();
        ledger
    }

    #[test]
    fn the_export_format_is_stable() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = fixed(&folder.path().join("a.ledger"));
        let (mut json, mut csv) = (Vec::new(), format!("{}\n", LedgerEntry::csv_header()).into_bytes());
        for entry in ledger.releases(Filter::default()) {
            let entry = entry.unwrap();
            entry.write_json(&mut json).unwrap();
            entry.write_csv(&mut csv).unwrap();
        }
        let (json, csv) = (String::from_utf8(json).unwrap(), String::from_utf8(csv).unwrap());
        assert!(
            !json.contains(&hex::encode([9; 32])) && !csv.contains(&hex::encode([9; 32])),
            "the key is not exported"
        );
        assert!(!json.contains(&hex::encode([5; 32])), "the plain hash is not stored");
        insta::assert_snapshot!("export", format!("{json}\n{csv}"));
    }
}
