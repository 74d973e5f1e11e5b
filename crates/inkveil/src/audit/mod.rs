//! An audit of the release path: files, pipes, tables and lists in and out.
//!
//! [`inkveil_privacy::audit`] samples mechanisms. This audit samples releases. It plants canaries,
//! releases them through the same [pipeline](crate::release) as every interface, and reads
//! the released bytes back. One release of a file with many equal rows gives as many independent
//! samples, because each row has noise of its own.
//!
//! A pair of canaries are neighbours under the relation that the receipt states: vectors at a known
//! distance, or texts of the same layout. The claimed loss is computed from the receipt, so the
//! audit tests what the receipt says. An audit that finds nothing proves nothing: the page of
//! results lists the faults that it finds.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//! use inkveil::audit::EndToEnd;
//! use inkveil::privacy::audit::AuditEffort;
//!
//! let audit = EndToEnd { effort: AuditEffort::Quick, ..EndToEnd::default() };
//! let report = audit.run(&|finding| println!("{}", finding.about), &AtomicBool::new(false))?;
//! assert!(report.passed());
//! # Ok::<(), inkveil::Error>(())
//! ```
//!
//! # Files
//! - `canaries.rs`: the pairs of vectors and texts.
//! - `lab.rs`: the folder, the keys and the findings of one audit.
//! - `outputs.rs`: vectors through the pipeline, and what came out. `embedding.rs`: texts that become
//!   vectors.
//! - `vector_paths.rs`: the ways to release vectors. `vectors.rs`: their checks. `laws.rs`: the
//!   densities of their noise.
//! - `texts.rs`: the paths of texts. `text_ways.rs`: pipes, lists, tables and conversations of texts.
//!   `planting.rs`: texts with canaries in files.
//! - `records.rs`: the ledger and the folder of a job.

mod canaries;
mod embedding;
mod lab;
mod laws;
mod outputs;
mod planting;
mod records;
mod text_ways;
mod texts;
mod vector_paths;
mod vectors;

use std::sync::atomic::AtomicBool;

use inkveil_privacy::audit::{AuditEffort, AuditReport, FALSE_ALARM, Finding};

use crate::error::{Error, ErrorKind};
use crate::release::KeyChoice;
use crate::text_builder::DEFAULT_PACK;
use lab::Lab;

/// An audit of the release path.
#[derive(Debug, Clone)]
pub struct EndToEnd {
    /// How many samples are released.
    pub effort: AuditEffort,
    /// Where noise comes from.
    pub key: KeyChoice,
    /// The paths to audit: names of [`all_paths`](Self::all_paths) or their first parts, such
    /// as `vectors`. All if it is empty.
    pub paths: Vec<String>,
    /// The model pack of texts.
    pub pack: String,
}

impl Default for EndToEnd {
    fn default() -> Self {
        Self {
            effort: AuditEffort::Full,
            key: KeyChoice::Fresh,
            paths: Vec::new(),
            pack: DEFAULT_PACK.to_owned(),
        }
    }
}

impl EndToEnd {
    /// The names of all paths. Findings name their path.
    pub fn all_paths() -> Vec<String> {
        let vectors = vectors::NAMES.iter().map(|name| format!("vectors/{name}"));
        let texts = texts::names().into_iter().map(|name| format!("texts/{name}"));
        let records = records::NAMES.iter().map(|name| format!("records/{name}"));
        vectors.chain(texts).chain(records).collect()
    }

    /// Runs the audit. `observe` gets each finding when it is made.
    ///
    /// # Errors
    /// If a path is not known, a release fails, the pack is missing, or the work is cancelled. A
    /// refuted guarantee is a finding and not an error.
    pub fn run(&self, observe: &dyn Fn(&Finding), cancel: &AtomicBool) -> Result<AuditReport, Error> {
        let all = Self::all_paths();
        let covers = |name: &str, path: &str| {
            path == name || path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
        };
        if let Some(unknown) = self.paths.iter().find(|name| !all.iter().any(|path| covers(name, path))) {
            return Err(ErrorKind::UnknownPath { name: unknown.clone(), known: all.join(", ") }.into());
        }
        let chosen = |path: &str| self.paths.is_empty() || self.paths.iter().any(|name| covers(name, path));
        let lab = Lab::new(self.effort, self.key, observe, cancel)?;
        vectors::audit(&lab, &self.pack, &chosen)?;
        records::audit(&lab, &self.pack, &chosen)?;
        texts::audit(&lab, &self.pack, &chosen)?;
        let secure = self.key == KeyChoice::Fresh;
        Ok(AuditReport { false_alarm: FALSE_ALARM, secure, findings: lab.into_findings() })
    }
}
