//! Reading the values of a table in a settings file of a training run.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use inkveil_settings::{Reader, Table};

/// The values of a table.
pub(super) struct Values<'r, 'v> {
    pub(super) reader: &'r mut Reader,
    pub(super) table: Table<'v>,
}

impl Values<'_, '_> {
    pub(super) fn only(&mut self, keys: &[&str]) {
        self.reader.only_keys(self.table, "setting", keys);
    }

    /// Reads the list of files with texts, relative to the folder of the settings file.
    pub(super) fn files(&mut self, key: &str, folder: &Path) -> Vec<PathBuf> {
        let Some(value) = self.reader.needed(self.table, key, "[\"authors.jsonl\"]") else {
            return Vec::new();
        };
        let names = self.reader.strings(value);
        if names.is_empty() {
            self.reader.wrong(value.span(), "the list of texts is empty", "name at least one file");
        }
        names.into_iter().map(|name| folder.join(name)).collect()
    }

    pub(super) fn whole(&mut self, key: &str, range: RangeInclusive<f64>, into: &mut u64) {
        let Some(value) = self.table.get(key) else { return };
        let Some(number) = self.reader.number(value, range) else { return };
        if number.fract() != 0.0 {
            let advice = "write a number without a decimal point";
            self.reader.wrong(value.span(), "this is not a whole number", advice);
        }
        *into = number as u64;
    }

    pub(super) fn size(&mut self, key: &str, range: RangeInclusive<f64>, into: &mut usize) {
        let mut number = *into as u64;
        self.whole(key, range, &mut number);
        *into = number as usize;
    }

    pub(super) fn number(&mut self, key: &str, range: RangeInclusive<f64>, into: &mut f64) {
        if let Some(value) = self.table.get(key) {
            *into = self.reader.number(value, range).unwrap_or(*into);
        }
    }

    pub(super) fn switch(&mut self, key: &str, into: &mut bool) {
        if let Some(value) = self.table.get(key) {
            *into = self.reader.boolean(value).unwrap_or(*into);
        }
    }
}
