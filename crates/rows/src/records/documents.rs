//! Documents as rows of texts: a document is one row, and so is each mail of a mailbox.

use std::io::Read as _;
use std::ops::Range;

use inkveil_documents::{Document, DocumentFormat, Limits, Purpose};
use inkveil_files::{Input, Sha256Sum};

use super::batch::{Records, Reject, Rest};
use super::options::RecordOptions;
use super::table::{Changed, Texts, TextsBuilder};
use crate::error::{Error, ErrorKind};

/// Reads a document, or the mails of a mailbox one after the other.
pub(crate) struct DocumentReader {
    format: DocumentFormat,
    options: RecordOptions,
    bytes: Vec<u8>,
    /// The bytes of each row.
    rows: Vec<Range<usize>>,
    next: usize,
    texts: u64,
    left: u64,
}

/// The line before each mail of a mailbox. It names no sender and no time.
const FROM_LINE: &[u8] = b"From - Thu Jan  1 00:00:00 1970\r\n";

impl DocumentReader {
    pub(crate) fn open(input: Input, format: DocumentFormat, options: &RecordOptions) -> Result<Self, Error> {
        let limit = Limits::default().bytes;
        let (source, _) = input.open()?;
        let mut bytes = Vec::new();
        source.take(limit + 1).read_to_end(&mut bytes).map_err(|e| Error::io("read it", &e))?;
        if bytes.len() as u64 > limit {
            return Err(ErrorKind::TooLong { what: "the document", limit }.into());
        }
        let rows = match format {
            DocumentFormat::Mbox => {
                let start = bytes.as_ptr() as usize;
                let range = |mail: &[u8]| {
                    let from = mail.as_ptr() as usize - start;
                    from..from + mail.len()
                };
                inkveil_documents::mails(&bytes).into_iter().map(range).collect()
            }
            _ => std::iter::once(0..bytes.len()).collect(),
        };
        Ok(Self { format, options: options.clone(), bytes, rows, next: 0, texts: 0, left: u64::MAX })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Records>, Error> {
        let Some(range) = self.rows.get(self.next).filter(|_| self.left > 0).cloned() else {
            return Ok(None);
        };
        let row = self.next as u64;
        self.next += 1;
        self.left -= 1;
        let is_mail = self.format == DocumentFormat::Mbox;
        let format = if is_mail { DocumentFormat::Eml } else { self.format };
        let mut table = TextsBuilder::default();
        let mut rejects = Vec::new();
        let mut rest = DocumentRest { document: None, is_mail, as_text: self.options.documents_as_text };
        let bytes = &self.bytes[range.clone()];
        let read = Document::open(bytes, format, Purpose::Release, &Limits::default())
            .map_err(Error::from)
            .and_then(|document| {
                let parts = self.options.parts_of(document.text())?;
                // A document without a text is written too.
                table.push_parts(row, &parts, [None; 3]);
                for (what, count) in document.removed().iter() {
                    *table.columns.removed.entry(what.to_owned()).or_default() += count;
                }
                Ok(document)
            });
        match read {
            Ok(document) => rest.document = Some(document),
            Err(error) if self.options.reject => {
                rejects.push(Reject { error: error.in_row(row), raw: bytes.to_vec() });
            }
            Err(error) if is_mail => return Err(error.in_row(row)),
            Err(error) => return Err(error),
        }
        let texts = table.finish();
        let first_text = self.texts;
        self.texts += texts.len() as u64;
        Ok(Some(Records {
            first_row: row,
            rows: 1,
            first_text,
            texts,
            rejects,
            rest: Rest::Document(Box::new(rest)),
            bytes_read: range.end as u64,
            fingerprint: self.fingerprint(),
        }))
    }

    pub(crate) fn skip(&mut self, rows: u64, texts: u64) -> Result<(), Error> {
        self.next = usize::try_from(rows).unwrap_or(usize::MAX);
        self.texts = texts;
        match self.next <= self.rows.len() {
            true => Ok(()),
            false => Err(ErrorKind::Truncated.into()),
        }
    }

    pub(crate) fn take(&mut self, rows: u64) {
        self.left = rows;
    }

    pub(crate) fn fingerprint(&self) -> String {
        let end = self.next.checked_sub(1).and_then(|last| self.rows.get(last)).map_or(0, |range| range.end);
        Sha256Sum::of(&self.bytes[..end]).to_string()
    }

    pub(crate) fn bytes_total(&self) -> Option<u64> {
        Some(self.bytes.len() as u64)
    }

    pub(crate) fn rows_total(&self) -> u64 {
        self.rows.len() as u64
    }
}

/// The document around a text.
pub(crate) struct DocumentRest {
    /// Nothing if it could not be read.
    document: Option<Document>,
    is_mail: bool,
    as_text: bool,
}

impl DocumentRest {
    pub(crate) fn write(&self, texts: &Texts, changed: &Changed) -> Result<Vec<u8>, Error> {
        let Some(document) = &self.document else { return Ok(Vec::new()) };
        let values = texts.joined(&changed.texts)?;
        let text = match values.as_slice() {
            [] => "",
            [value] => value.text.as_deref().unwrap_or_default(),
            _ => return Err(ErrorKind::OutOfOrder.into()),
        };
        if self.as_text {
            return Ok(format!("{text}\n").into_bytes());
        }
        let written = document.written(text)?;
        Ok(match self.is_mail {
            true => [FROM_LINE, &written, b"\r\n"].concat(),
            false => written,
        })
    }
}
