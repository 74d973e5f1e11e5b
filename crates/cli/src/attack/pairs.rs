//! Reads originals and their release, row by row.

use std::path::Path;

use anyhow::ensure;
use inkveil::rows::ColumnPath;

use crate::args::TableArgs;
use crate::corpus;

/// Originals and their release. It has no `Debug`, which would print them.
#[derive(Default)]
pub(super) struct Pairs {
    originals: Vec<String>,
    released: Vec<String>,
    /// The values of a column of the originals, if one is named.
    authors: Vec<String>,
}

impl Pairs {
    pub(super) fn read(
        original: &Path,
        released: &Path,
        tables: &TableArgs,
        authors: Option<&ColumnPath>,
    ) -> anyhow::Result<Self> {
        let mut pairs = Self::default();
        let mut options = tables.options();
        corpus::read_texts(&[released.to_owned()], tables, true, &options, |_, records| {
            pairs.released.extend(records.texts().iter().map(str::to_owned));
            Ok(())
        })?;
        options.columns.subject = authors.cloned();
        corpus::read_texts(&[original.to_owned()], tables, true, &options, |_, records| {
            let texts = records.texts();
            for index in 0..texts.len() {
                pairs.originals.push(texts.text(index).to_owned());
                pairs.authors.push(texts.subject(index).unwrap_or_default().to_owned());
            }
            Ok(())
        })?;
        let (before, after) = (pairs.originals.len(), pairs.released.len());
        ensure!(
            before == after,
            "{} has {before} texts and {} has {after}; give the same texts in the same order",
            original.display(),
            released.display()
        );
        ensure!(before > 0, "{} has no texts", original.display());
        Ok(pairs)
    }

    pub(super) fn originals(&self) -> Vec<&str> {
        self.originals.iter().map(String::as_str).collect()
    }

    pub(super) fn released(&self) -> Vec<&str> {
        self.released.iter().map(String::as_str).collect()
    }

    pub(super) fn authors(&self) -> Vec<&str> {
        self.authors.iter().map(String::as_str).collect()
    }
}
