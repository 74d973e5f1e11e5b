//! What is written and said of documents as they come, and what is written at the end.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::Context as _;
use inkveil::Receipt;
use inkveil_files::{Output, Sink};

use super::counts::Counts;
use super::explain::{self, Page};
use super::explained::Explained;
use super::files::Opened;
use super::json;
use super::terms::Terms;

/// How documents are told of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) json: bool,
    pub(super) explain: bool,
}

/// A release under way.
pub(super) struct Report {
    text: BufWriter<Sink>,
    receipt: Option<Output>,
    page: Option<Page<BufWriter<Sink>>>,
    style: Style,
    pub(super) counts: Counts,
}

impl Report {
    pub(super) fn begin(opened: Opened, terms: &Terms, style: Style) -> anyhow::Result<Self> {
        let Opened { text, receipt, page } = opened;
        let page = page.map(|page| Page::begin(page, terms)).transpose().context("cannot write the page")?;
        Ok(Self { text, receipt, page, style, counts: Counts::default() })
    }

    /// Writes documents that are released.
    pub(super) fn documents(&mut self, documents: &[Explained], terms: &Terms) -> anyhow::Result<()> {
        for document in documents {
            let first = self.counts.documents == 0;
            self.counts.add(document);
            self.write(document, terms)?;
            if let Some(page) = &mut self.page {
                page.document(document, terms).context("cannot write the page")?;
            }
            if self.style.explain && !self.style.json {
                // Where both are seen, the text stands above its explanation.
                self.text.flush().context("cannot write")?;
                explain(document, terms, first);
            }
        }
        // Whoever reads a pipe wants each batch as it is ready.
        self.text.flush().context("cannot write")
    }

    fn write(&mut self, document: &Explained, terms: &Terms) -> anyhow::Result<()> {
        if self.style.json {
            let line = json::line(document, terms, self.style.explain)?;
            return self.text.write_all(line.as_bytes()).context("cannot write");
        }
        let text = document.release.as_ref().map_or("", |release| release.text());
        let parts = [text, document.original.line_break];
        parts.iter().try_for_each(|part| self.text.write_all(part.as_bytes())).context("cannot write")
    }

    /// Gives all files their names; `receipt` makes the receipt of released bytes with this SHA-256.
    pub(super) fn commit(
        self,
        receipt_path: Option<&Path>,
        receipt: impl FnOnce(&str) -> anyhow::Result<Receipt>,
    ) -> anyhow::Result<()> {
        let sink = self.text.into_inner().map_err(|error| error.into_error()).context("cannot write")?;
        let finished = sink.finish(self.counts.documents);
        let mut page = None;
        if self.receipt.is_some() || self.page.is_some() {
            let receipt = receipt(finished.sha256())?;
            let end = |page: Page<BufWriter<Sink>>| {
                page.end(&receipt)?.into_inner().map_err(|error| error.into_error())
            };
            page = self.page.map(end).transpose().context("cannot write the page")?;
            // The receipt first: an output without one must not exist.
            if let Some(output) = self.receipt {
                output.put(receipt.to_json().as_bytes())?;
            }
        }
        if let Err(error) = finished.commit() {
            if let Some(path) = receipt_path {
                // A receipt of nothing would only confuse; if it cannot be removed, the error below still tells.
                let _ = std::fs::remove_file(path);
            }
            return Err(error.into());
        }
        match page {
            Some(page) => Ok(page.finish(0).commit()?),
            None => Ok(()),
        }
    }
}

/// Says why each word of a document was treated as it was; before the `first`, what there is to know.
pub(super) fn explain(document: &Explained, terms: &Terms, first: bool) {
    if first {
        explain::legend(terms).iter().for_each(|line| anstream::eprintln!("{line}"));
    }
    anstream::eprintln!("{}", explain::table(document, terms));
}
