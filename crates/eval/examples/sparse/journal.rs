//! Finished cells, one line of JSON each: a run that was cut off goes on from them.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use crate::Outcome;
use crate::cell::{Cell, Record};

pub(crate) struct Journal {
    run: String,
    file: Option<File>,
    records: HashMap<String, Record>,
}

impl Journal {
    /// Opens or begins a journal. Lines of other runs stay where they are and do not count.
    pub(crate) fn open(path: Option<&Path>, run: &str) -> Outcome<Self> {
        let mut journal = Self { run: run.to_owned(), file: None, records: HashMap::new() };
        let Some(path) = path else { return Ok(journal) };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        for line in text.lines() {
            // The last line of a run that was cut off may be half a line.
            match serde_json::from_str::<Record>(line) {
                Ok(record) if record.run == run => drop(journal.records.insert(record.cell.clone(), record)),
                _ => {}
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        journal.file = Some(file);
        Ok(journal)
    }

    pub(crate) fn has(&self, cell: &Cell) -> bool {
        self.records.contains_key(&cell.name)
    }

    pub(crate) fn get(&self, cell: &Cell) -> Option<&Record> {
        self.records.get(&cell.name)
    }

    pub(crate) fn add(&mut self, mut record: Record) -> Outcome<()> {
        record.run.clone_from(&self.run);
        if let Some(file) = &mut self.file {
            let mut line = serde_json::to_vec(&record)?;
            line.push(b'\n');
            file.write_all(&line)?;
        }
        self.records.insert(record.cell.clone(), record);
        Ok(())
    }
}
