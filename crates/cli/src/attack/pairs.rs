//! Texts before and after, row by row.

use std::path::Path;

use anyhow::ensure;
use inkveil_rows::ColumnPath;

use crate::args::TableArgs;
use crate::corpus;

/// Texts before and after. Not for debugging output, which would print them.
pub(super) struct Pairs {
    pub(super) original: Vec<String>,
    pub(super) released: Vec<String>,
    /// What a column of the originals says about each, if one was asked for.
    pub(super) about: Vec<String>,
}

impl Pairs {
    pub(super) fn read(
        original: &Path,
        released: &Path,
        tables: &TableArgs,
        about: Option<&ColumnPath>,
    ) -> anyhow::Result<Self> {
        let mut pairs = Self { original: Vec::new(), released: Vec::new(), about: Vec::new() };
        let mut options = corpus::options(tables);
        corpus::read_texts(&[released.to_owned()], tables.from, true, &options, |_, records| {
            pairs.released.extend(records.texts().iter().map(str::to_owned));
            Ok(())
        })?;
        options.columns.subject = about.cloned();
        corpus::read_texts(&[original.to_owned()], tables.from, true, &options, |_, records| {
            let texts = records.texts();
            for index in 0..texts.len() {
                pairs.original.push(texts.text(index).to_owned());
                pairs.about.push(texts.subject(index).unwrap_or_default().to_owned());
            }
            Ok(())
        })?;
        ensure!(
            pairs.original.len() == pairs.released.len(),
            "{} has {} texts and {} has {}: give the same texts before and after, in the same order",
            original.display(),
            pairs.original.len(),
            released.display(),
            pairs.released.len()
        );
        ensure!(!pairs.original.is_empty(), "{}: there are no texts in it", original.display());
        Ok(pairs)
    }

    pub(super) fn originals(&self) -> Vec<&str> {
        self.original.iter().map(String::as_str).collect()
    }

    pub(super) fn released(&self) -> Vec<&str> {
        self.released.iter().map(String::as_str).collect()
    }
}
