//! Counts the findings in one column.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::compute::cast;
use inkveil::detect::Detector;

use super::KindReport;
use super::shape::Shapes;
use crate::error::{Error, refused};
use crate::settings::library;
use crate::texts::{text_type, texts};

/// Texts that are searched together. A cancellation is noticed after each of these pieces.
const PIECE: usize = 256;

/// What was found so far.
#[derive(Default)]
pub(super) struct ColumnScan {
    pub(super) texts: u64,
    pub(super) with_findings: u64,
    pub(super) characters: u64,
    kinds: BTreeMap<String, (u64, u64, Shapes)>,
}

impl ColumnScan {
    /// Searches a part of the column.
    pub(super) fn read(
        &mut self,
        column: &ArrayRef,
        detector: &Detector,
        cancel: &AtomicBool,
    ) -> Result<(), Error> {
        let wrong = || refused("a column does not hold texts");
        let plain = text_type(column.data_type()).ok_or_else(wrong)?;
        let column = cast(column, &plain).map_err(|_| wrong())?;
        let given: Vec<&str> = texts(&column).map_err(|_| wrong())?.into_iter().flatten().collect();
        for piece in given.chunks(PIECE) {
            if cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            for (text, spans) in piece.iter().zip(detector.detect(piece).map_err(library)?) {
                self.texts += 1;
                self.characters += text.chars().count() as u64;
                self.with_findings += u64::from(!spans.is_empty());
                let mut seen: Vec<&str> = Vec::new();
                for span in &spans {
                    let name = span.kind.name();
                    let (count, texts, shapes) = self.kinds.entry(name.to_owned()).or_default();
                    *count += 1;
                    if !seen.contains(&name) {
                        *texts += 1;
                        seen.push(name);
                    }
                    shapes.add(text.get(span.range()).unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    /// The findings of each kind.
    pub(super) fn kinds(&self) -> BTreeMap<String, KindReport> {
        let report = |(name, (count, texts, shapes)): (&String, &(u64, u64, Shapes))| {
            (name.clone(), KindReport { count: *count, texts: *texts, shape: shapes.most_common() })
        };
        self.kinds.iter().map(report).collect()
    }
}
