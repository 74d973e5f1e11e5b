//! Writes released documents, their explanation and their receipt.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::Context as _;
use inkveil::Receipt;
use inkveil::explain::{ExplainedDocument, TreatmentCounts, VeilTerms, json_line};
use inkveil::files::{Error, Output, Sink};
use inkveil::pages::ExplanationPage;

use super::explain;
use super::plan::Documents;
use crate::printed;

/// A release in progress. All its files are opened before anything is released.
pub(super) struct Report {
    text: BufWriter<Sink>,
    receipt: Option<Output>,
    page: Option<ExplanationPage<BufWriter<Sink>>>,
    explain: bool,
    json: bool,
    pub(super) counts: TreatmentCounts,
}

impl Report {
    pub(super) fn begin(plan: &Documents, terms: &VeilTerms) -> anyhow::Result<Self> {
        let create = |path: Option<&Path>, option: &str| {
            path.map(|path| create(Output::file(path, plan.overwrite), path, option)).transpose()
        };
        let text = match create(plan.output.as_deref(), "--output")? {
            Some(file) => file,
            None => Output::stdout()?,
        };
        let receipt = create(plan.receipt.as_deref(), "--receipt")?;
        // The page holds the original.
        let private = |path: &Path| create_page(path, plan.overwrite);
        let page = plan.page.as_deref().map(private).transpose()?;
        let begin = |page: Output| ExplanationPage::begin(BufWriter::new(page.stream()), terms);
        let page = page.map(begin).transpose().context("cannot write the page")?;
        let (text, counts) = (BufWriter::new(text.stream()), TreatmentCounts::default());
        Ok(Self { text, receipt, page, explain: plan.explain, json: plan.json, counts })
    }

    /// Writes released documents.
    pub(super) fn documents(
        &mut self,
        documents: &[ExplainedDocument],
        terms: &VeilTerms,
    ) -> anyhow::Result<()> {
        for document in documents {
            let first = self.counts.documents == 0;
            self.counts.add(document);
            self.write(document, terms)?;
            if let Some(page) = &mut self.page {
                page.document(document, terms).context("cannot write the page")?;
            }
            if self.explain && !self.json {
                // The text comes before its explanation.
                self.text.flush().context("cannot write")?;
                explain(document, terms, first);
            }
        }
        // The reader of a pipe gets each batch as soon as it is ready.
        self.text.flush().context("cannot write")
    }

    fn write(&mut self, document: &ExplainedDocument, terms: &VeilTerms) -> anyhow::Result<()> {
        if self.json {
            let line = json_line(document, terms, self.explain)?;
            return self.text.write_all(line.as_bytes()).context("cannot write");
        }
        self.text.write_all(&document.released_bytes()?).context("cannot write")
    }

    /// Gives all files their names. `receipt` gets the SHA-256 of the released bytes.
    pub(super) fn commit(
        self,
        receipt_path: Option<&Path>,
        receipt: impl FnOnce(&str) -> Result<Receipt, inkveil::Error>,
    ) -> anyhow::Result<()> {
        let sink = self.text.into_inner().map_err(|error| error.into_error()).context("cannot write")?;
        let finished = sink.finish(self.counts.documents);
        let mut page = None;
        if self.receipt.is_some() || self.page.is_some() {
            let receipt = receipt(finished.sha256())?;
            let end = |page: ExplanationPage<BufWriter<Sink>>| {
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
                // A receipt without its output would confuse.
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

/// Prints the explanation of a document. A legend comes before the first one.
pub(super) fn explain(document: &ExplainedDocument, terms: &VeilTerms, first: bool) {
    if first {
        explain::legend(terms).iter().for_each(|line| say!("{line}"));
    }
    say!("{}", explain::table(document, terms));
}

fn create_page(path: &Path, overwrite: bool) -> anyhow::Result<Output> {
    create(Output::private_file(path, overwrite), path, "--explain-html")
}

fn create(output: Result<Output, Error>, path: &Path, option: &str) -> anyhow::Result<Output> {
    let advice = format!("exists already; choose another {option}, or replace it with --force");
    printed::unless_it_exists(output, path, &advice)
}
