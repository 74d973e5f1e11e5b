//! Reads texts from files.

use std::path::PathBuf;

use inkveil::rows::{RecordFormat, RecordOptions, Records};

use crate::args::TableArgs;

pub(crate) fn options(tables: &TableArgs) -> RecordOptions {
    tables.options()
}

pub(crate) fn read_texts(
    names: &[PathBuf],
    from: Option<RecordFormat>,
    lines: bool,
    options: &RecordOptions,
    mut take: impl FnMut(&str, &Records) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut failed = None;
    let read = inkveil::release::read_texts(names, from, lines, options, |name, records| {
        take(name, records).map_err(|error| {
            failed = Some(error);
            inkveil::Error::from(inkveil::ErrorKind::Cancelled)
        })
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(read?),
    }
}
