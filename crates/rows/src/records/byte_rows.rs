//! Rows of text formats. Texts are found in the bytes of the rows.

use std::borrow::Cow;
use std::ops::Range;

use super::batch::{Records, Reject, Rest};
use super::byte_rest::{ByteRest, Slot};
use super::bytes::Bytes;
use super::columns::{ColumnUse, Columns, CopiedValue};
use super::format::{Packing, RecordFormat};
use super::options::RecordOptions;
use super::path::ColumnPath;
use super::split::{Ending, Limits, RowSplitter};
use super::table::TextsBuilder;
use super::{csv, json};
use crate::error::{Error, ErrorKind};
use inkveil_files::Input;

/// How the rows of this file are read.
#[derive(Clone)]
enum Shape {
    /// The row is a text.
    Plain,
    Json {
        /// The paths of the texts. Empty before the first row if they are not given.
        texts: Vec<ColumnPath>,
    },
    Separated(Separated),
}

/// The columns of separated values, and which of them are wanted.
#[derive(Clone)]
struct Separated {
    delimiter: u8,
    names: Vec<String>,
    texts: Vec<usize>,
    beside: [Option<usize>; 3],
    /// Columns that are copied and that no one has named.
    unnamed: Vec<usize>,
    /// The bytes of the first row if it holds the column names.
    header: Vec<u8>,
}

pub(crate) struct ByteReader {
    format: RecordFormat,
    rows: RowSplitter,
    shape: Shape,
    columns: Columns,
    options: RecordOptions,
    limits: Limits,
    reject: bool,
    /// Whether the file begins with the byte order mark of UTF-8.
    marked: bool,
    /// The number of rows before the data: 1 for a header.
    offset: u64,
    texts: u64,
    /// The number of rows that may still be returned.
    left: u64,
    /// An error that is returned after the good rows before it.
    failed: Option<Error>,
}

impl ByteReader {
    pub(crate) fn open(
        input: Input,
        format: RecordFormat,
        packing: Packing,
        options: &RecordOptions,
    ) -> Result<Self, Error> {
        let bytes = Bytes::open(input, packing, options.encoding.as_deref())?;
        let ending = match format {
            RecordFormat::Text => Ending::File,
            RecordFormat::Tsv => Ending::Separated(options.delimiter.unwrap_or(b'\t')),
            RecordFormat::Csv => Ending::Separated(options.delimiter.unwrap_or(b',')),
            _ => Ending::Line,
        };
        let mut rows = RowSplitter::new(bytes, ending, options.longest_text.max(1), options.longest_row);
        let marked = rows.take_mark()?;
        let columns = options.columns.clone();
        let mut offset = 0;
        let shape = match format {
            RecordFormat::Jsonl => Shape::Json { texts: columns.texts.clone() },
            RecordFormat::Csv | RecordFormat::Tsv => {
                let separated = Separated::open(&mut rows, format, options)?;
                offset = u64::from(!separated.header.is_empty());
                Shape::Separated(separated)
            }
            _ => Shape::Plain,
        };
        Ok(Self {
            format,
            rows,
            shape,
            columns,
            options: options.clone(),
            limits: options.limits(),
            reject: options.reject,
            marked,
            offset,
            texts: 0,
            left: u64::MAX,
            failed: None,
        })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Records>, Error> {
        if let Some(error) = self.failed.take() {
            self.failed = Some(error.clone());
            return Err(error);
        }
        if self.left == 0 {
            return Ok(None);
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.limits.rows);
        let Some(raw) = self.rows.next(Limits { rows: most, ..self.limits })? else { return Ok(None) };
        self.left -= raw.ends.len() as u64;
        let first_row = raw.first - self.offset;
        let open = self.rows.is_open();
        let mut table = TextsBuilder::default();
        let mut rest = ByteRest {
            format: self.format,
            delimiter: self.delimiter(),
            bytes: Vec::new(),
            good: Vec::with_capacity(raw.ends.len()),
            slots: Vec::new(),
        };
        let mut rejects = Vec::new();
        let (mut start, mut count) = (0, 0);
        let last = raw.ends.len() - 1;
        for (index, &end) in raw.ends.iter().enumerate() {
            let (number, range) = (first_row + index as u64, start..end);
            start = end;
            let bytes = &raw.bytes[range.clone()];
            let read = match open && index == last {
                true => Err(ErrorKind::OpenQuote.into()),
                false => self.row(bytes, range.start).and_then(|row| {
                    // A row that cannot be cut must not leave some of its texts in the table.
                    row.texts.iter().try_for_each(|(_, text)| self.options.parts_of(text).map(drop))?;
                    Ok(row)
                }),
            };
            match read {
                Ok(row) => {
                    let good = rest.good.len();
                    table.columns.copies(row.copied_names.iter());
                    table.copied.extend(row.copied);
                    for (text_range, text) in row.texts {
                        let beside = row.beside.each_ref().map(Option::as_deref);
                        count += table.push_parts(number, &self.options.parts_of(&text)?, beside);
                        rest.slots.push(Slot { range: text_range, row: good });
                    }
                    rest.good.push((number, range));
                }
                Err(error) if self.reject => {
                    rejects.push(Reject { error: error.in_row(number), raw: bytes.to_vec() });
                }
                Err(error) => {
                    self.failed = Some(error.in_row(number));
                    break;
                }
            }
        }
        if let (Some(error), true) = (&self.failed, rest.good.is_empty()) {
            return Err(error.clone());
        }
        let rows = match &self.failed {
            Some(_) => rest.good.len() as u64,
            None => raw.ends.len() as u64,
        };
        // The bad row and the rows after it may be corrected before the file is read again.
        let good = match &self.failed {
            Some(_) => rest.good.last().map_or(0, |(_, range)| range.end),
            None => raw.bytes.len(),
        };
        self.rows.note(&raw.bytes[..good]);
        rest.bytes = raw.bytes;
        // The first row may have decided which column holds the texts.
        self.columns_of_file(first_row, &mut table.columns);
        let first_text = self.texts;
        self.texts += count;
        Ok(Some(Records {
            first_row,
            rows,
            first_text,
            texts: table.finish(),
            rejects,
            rest: Rest::Bytes(rest),
            bytes_read: self.rows.bytes_read(),
            fingerprint: self.rows.fingerprint(),
        }))
    }

    pub(crate) fn skip(&mut self, mut rows: u64, texts: u64) -> Result<(), Error> {
        while rows > 0 {
            let limits = Limits { rows: usize::try_from(rows).unwrap_or(usize::MAX), bytes: 4 << 20 };
            let raw = self.rows.next(limits)?.ok_or(ErrorKind::Truncated)?;
            self.rows.note(&raw.bytes);
            if let Shape::Json { texts } = &self.shape
                && texts.is_empty()
                && self.columns.are_chosen()
            {
                // The first row decides which column holds the texts, even if it is skipped.
                let mut start = 0;
                for &end in &raw.ends {
                    let _ = self.row(&raw.bytes[start..end], 0);
                    start = end;
                }
            }
            rows -= raw.ends.len() as u64;
        }
        self.texts = texts;
        Ok(())
    }

    pub(crate) fn take(&mut self, rows: u64) {
        self.left = rows;
    }

    pub(crate) fn separated(&self) -> Option<(u8, Vec<String>)> {
        match &self.shape {
            Shape::Separated(separated) => Some((separated.delimiter, separated.names.clone())),
            Shape::Plain | Shape::Json { .. } => None,
        }
    }

    pub(crate) fn fingerprint(&self) -> String {
        self.rows.fingerprint()
    }

    pub(crate) fn bytes_total(&self) -> Option<u64> {
        self.rows.bytes().total()
    }

    pub(crate) fn signature(&self) -> Vec<String> {
        match &self.shape {
            Shape::Separated(separated) => separated.names.clone(),
            Shape::Plain | Shape::Json { .. } => Vec::new(),
        }
    }

    pub(crate) fn prelude(&self, added: &[String]) -> Vec<u8> {
        let mut prelude = Vec::new();
        if self.marked {
            prelude.extend_from_slice("\u{feff}".as_bytes());
        }
        if let Shape::Separated(separated) = &self.shape
            && !separated.header.is_empty()
        {
            let end = csv::without_break(&separated.header);
            prelude.extend_from_slice(&separated.header[..end]);
            for name in added {
                prelude.push(separated.delimiter);
                csv::write(name, false, separated.delimiter, &mut prelude);
            }
            prelude.extend_from_slice(&separated.header[end..]);
        }
        prelude
    }

    /// Notes what is known of the columns of all rows.
    fn columns_of_file(&self, first_row: u64, columns: &mut ColumnUse) {
        match &self.shape {
            Shape::Plain => {
                columns.parts |=
                    self.format == RecordFormat::Text && (first_row > 0 || !self.rows.is_at_end());
            }
            Shape::Json { texts } => {
                (columns.chosen, columns.all) = (self.columns.are_chosen(), self.columns.all);
                columns.texts.extend(texts.iter().map(ToString::to_string));
            }
            Shape::Separated(separated) => {
                (columns.chosen, columns.all) = (self.columns.are_chosen(), self.columns.all);
                let is_text = |index: &usize| separated.texts.contains(index);
                let names = separated.names.iter().enumerate();
                columns
                    .texts
                    .extend(names.clone().filter(|(at, _)| is_text(at)).map(|(_, name)| name.clone()));
                columns.copies(names.filter(|(at, _)| !is_text(at)).map(|(_, name)| name));
            }
        }
    }

    fn delimiter(&self) -> u8 {
        match &self.shape {
            Shape::Separated(separated) => separated.delimiter,
            Shape::Plain | Shape::Json { .. } => b',',
        }
    }

    /// Finds the texts of a row whose bytes begin at `start`.
    fn row<'r>(&mut self, bytes: &'r [u8], start: usize) -> Result<Row<'r>, Error> {
        let row = std::str::from_utf8(bytes).map_err(|_| Error::from(ErrorKind::NotUtf8))?;
        match &mut self.shape {
            Shape::Plain => {
                let end = csv::without_break(bytes);
                Ok(Row { texts: vec![(start..start + end, Cow::Borrowed(&row[..end]))], ..Row::default() })
            }
            Shape::Json { .. } if row.trim().is_empty() => Ok(Row::default()),
            Shape::Separated(separated) if separated.is_blank(row) => Ok(Row::default()),
            Shape::Json { texts } => {
                let object = json::Object::parse(row)?;
                let names = object.names();
                let columns = &self.columns;
                if columns.are_chosen() && texts.is_empty() {
                    texts.push(columns.usual(&names)?);
                }
                let mut found = Vec::new();
                let mut copied = Vec::new();
                if columns.all {
                    let mut strings = Vec::new();
                    object.strings(&|name| columns.copies(name), &mut strings)?;
                    found.extend(strings.into_iter().map(|(_, found)| found));
                } else {
                    texts.iter().try_for_each(|path| object.texts(path, &mut found))?;
                }
                let is_text = |name: &str| texts.iter().any(|path| path.first() == name);
                if columns.are_chosen() {
                    let mut strings = Vec::new();
                    object.strings(&|name| is_text(name) || columns.copies(name), &mut strings)?;
                    copied.extend(strings.into_iter().map(|(column, found)| CopiedValue {
                        column: column.to_owned(),
                        value: found.text.into_owned(),
                    }));
                }
                let is_copied = |name: &String| match columns.all {
                    true => columns.copies(name),
                    false => !texts.iter().any(|path| path.first() == *name && path.is_whole()),
                };
                let copied_names = names.into_iter().filter(is_copied).collect();
                found.sort_by_key(|found| found.range.start);
                let shifted =
                    |found: json::Found<'r>| (found.range.start + start..found.range.end + start, found.text);
                let mut beside = [const { None }; 3];
                for (place, path) in beside.iter_mut().zip(self.columns.beside()) {
                    *place = path.map(|path| object.value(path)).transpose()?.flatten();
                }
                let texts = found.into_iter().map(shifted).collect();
                Ok(Row { texts, beside, copied, copied_names })
            }
            Shape::Separated(separated) => separated.row(row, start),
        }
    }
}

/// The texts and the other values of a row.
#[derive(Default)]
struct Row<'r> {
    texts: Vec<(Range<usize>, Cow<'r, str>)>,
    beside: [Option<Cow<'r, str>>; 3],
    /// Strings in columns that no one has named.
    copied: Vec<CopiedValue>,
    /// The columns that are copied, if they are not the same in all rows.
    copied_names: Vec<String>,
}

impl Separated {
    /// Returns whether a row holds no values. In a table of one column, a row of spaces holds a value.
    fn is_blank(&self, row: &str) -> bool {
        match self.names.len() {
            1 => csv::without_break(row.as_bytes()) == 0,
            _ => row.trim().is_empty() && !row.as_bytes().contains(&self.delimiter),
        }
    }

    fn open(rows: &mut RowSplitter, format: RecordFormat, options: &RecordOptions) -> Result<Self, Error> {
        let given = options.delimiter.or((format == RecordFormat::Tsv).then_some(b'\t'));
        // The first row is read to find the delimiter. Its end hardly depends on the delimiter.
        let first = rows.peek()?;
        let delimiter = given.unwrap_or_else(|| csv::delimiter_of(&first));
        rows.set_ending(Ending::Separated(delimiter));
        let first = std::str::from_utf8(&first).map_err(|_| Error::from(ErrorKind::NotUtf8).in_row(0))?;
        let values = csv::values(first.as_bytes(), delimiter);
        // In quotes a carriage return is part of a value.
        let is_broken = |value: &str| !value.starts_with('"') && value.contains('\r');
        if values.iter().any(|range| is_broken(&first[range.clone()])) {
            return Err(ErrorKind::LineEnds.into());
        }
        let mut header = Vec::new();
        let names: Vec<String> = match options.header {
            true => {
                header = rows.take_header()?;
                if rows.is_open() {
                    // The header is the whole file.
                    return Err(ErrorKind::OpenQuote.into());
                }
                values.into_iter().map(|range| csv::meaning(&first[range]).trim().to_owned()).collect()
            }
            false => (1..=values.len()).map(|number| number.to_string()).collect(),
        };
        Columns::check_names(&names)?;
        let columns = &options.columns;
        let place = |path: &ColumnPath| {
            let name = path.to_string();
            let found = names.iter().position(|known| *known == name || *known == path.first());
            found.ok_or_else(|| {
                Error::from(ErrorKind::MissingField { present: names.clone() }).in_field(Some(&name))
            })
        };
        let mut texts: Vec<usize> = columns.texts.iter().map(&place).collect::<Result<_, _>>()?;
        if columns.all {
            texts = (0..names.len()).filter(|index| !columns.copies(&names[*index])).collect();
        }
        if columns.are_chosen() {
            texts.push(place(&columns.usual(&names)?)?);
        }
        // A column that is not there is a misspelt one that would be veiled or copied against the user's will.
        for path in &columns.copied {
            place(path)?;
        }
        texts.sort_unstable();
        texts.dedup();
        let mut beside = [None; 3];
        for (index, path) in beside.iter_mut().zip(options.columns.beside()) {
            *index = path.map(&place).transpose()?;
        }
        let unnamed = |index: &usize| !texts.contains(index) && !columns.copies(&names[*index]);
        let unnamed = match columns.are_chosen() {
            true => (0..names.len()).filter(unnamed).collect(),
            false => Vec::new(),
        };
        Ok(Self { delimiter, names, texts, beside, header, unnamed })
    }

    fn copied(&self, index: usize, value: Cow<'_, str>) -> CopiedValue {
        CopiedValue { column: self.names[index].clone(), value: value.into_owned() }
    }

    fn row<'r>(&self, row: &'r str, start: usize) -> Result<Row<'r>, Error> {
        let values = csv::values(row.as_bytes(), self.delimiter);
        if values.len() != self.names.len() {
            return Err(ErrorKind::FieldCount { expected: self.names.len(), found: values.len() }.into());
        }
        let at = |index: usize| csv::meaning(&row[values[index].clone()]);
        let shifted = |index: usize| values[index].start + start..values[index].end + start;
        Ok(Row {
            texts: self.texts.iter().map(|&index| (shifted(index), at(index))).collect(),
            beside: self.beside.map(|index| index.map(at)),
            copied: self.unnamed.iter().map(|&index| self.copied(index, at(index))).collect(),
            copied_names: Vec::new(),
        })
    }
}
