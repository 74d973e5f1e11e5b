//! An output while it grows: what is done, and which rows it was made of, so that an interrupted run can go on.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use inkveil_files::Output;
use inkveil_files::Sha256Hasher;
use inkveil_vector::EncoderNote;
use serde::{Deserialize, Serialize};

use super::super::texts::{Row, Rows};

/// Two files beside the output: lines that are done, and their [`State`].
pub(super) struct Partial {
    pub(super) path: PathBuf,
    state_path: PathBuf,
    file: BufWriter<File>,
    state: State,
    /// Of the rows that are done.
    hash: Sha256Hasher,
}

/// What lines that are done were made of.
#[derive(Serialize, Deserialize)]
struct State {
    encoder: EncoderNote,
    field: String,
    /// How many rows are done.
    rows: u64,
    /// The checksum of those rows. What follows them may still change: a bad row can be mended.
    sha256: String,
}

impl Partial {
    /// Starts anew.
    pub(super) fn begin(output: &Path, encoder: &EncoderNote, field: &str) -> anyhow::Result<Self> {
        let (path, state_path) = beside(output);
        let file = File::create(&path).with_context(|| cannot_write(&path))?;
        let state =
            State { encoder: encoder.clone(), field: field.to_owned(), rows: 0, sha256: String::new() };
        let mut partial =
            Self { path, state_path, file: BufWriter::new(file), state, hash: Sha256Hasher::new() };
        partial.save()?;
        Ok(partial)
    }

    /// Goes on after an interruption: takes the rows that are done, if they are still the same.
    pub(super) fn resume(
        output: &Path,
        encoder: &EncoderNote,
        field: &str,
        rows: &mut Rows,
    ) -> anyhow::Result<Self> {
        let (path, state_path) = beside(output);
        let found = std::fs::read_to_string(&state_path)
            .ok()
            .with_context(|| format!("there is nothing to resume: {} is not there", state_path.display()))?;
        let again = "run without --resume";
        let state: State = serde_json::from_str(&found).ok().with_context(|| {
            format!("{}: not a note of an interrupted run; {again}", state_path.display())
        })?;
        ensure!(
            state.encoder == *encoder && state.field == field,
            "{} was made with another encoder or from another field; {again}",
            path.display()
        );
        let mut hash = Sha256Hasher::new();
        let mut count = 0;
        while count < state.rows {
            let Some(row) = rows.next() else { break };
            add(&mut hash, &row?);
            count += 1;
        }
        ensure!(
            hash.sum().to_string() == state.sha256,
            "the first {} rows of {} are not those that {} was made of; {again}",
            state.rows,
            rows.name(),
            path.display()
        );
        // Lines that were written after the state was saved are made again.
        let lines = keep_lines(&path, state.rows).with_context(|| cannot_write(&path))?;
        ensure!(
            lines == state.rows,
            "{} has {lines} of the {} lines that were done; {again}",
            path.display(),
            state.rows
        );
        let file = OpenOptions::new().append(true).open(&path).with_context(|| cannot_write(&path))?;
        Ok(Self { path, state_path, file: BufWriter::new(file), state, hash })
    }

    /// How many rows are done.
    pub(super) fn done(&self) -> u64 {
        self.state.rows
    }

    /// Adds the lines of some rows. Lines come to the disk before the state that counts them.
    pub(super) fn add(&mut self, rows: &[Row], lines: &[String]) -> anyhow::Result<()> {
        for line in lines {
            writeln!(self.file, "{line}").with_context(|| cannot_write(&self.path))?;
        }
        self.file.flush().with_context(|| cannot_write(&self.path))?;
        rows.iter().for_each(|row| add(&mut self.hash, row));
        self.state.rows += rows.len() as u64;
        self.save()
    }

    /// Makes it the output.
    pub(super) fn finish(self, output: &Path) -> anyhow::Result<()> {
        let cannot = || cannot_write(&self.path);
        let file = self.file.into_inner().map_err(|error| error.into_error()).with_context(cannot)?;
        file.sync_all().with_context(cannot)?;
        std::fs::rename(&self.path, output).with_context(|| format!("cannot name {}", output.display()))?;
        // It only says what the partial file was made of.
        let _ = std::fs::remove_file(&self.state_path);
        Ok(())
    }

    /// Removes it, where nothing was done.
    pub(super) fn discard(self) {
        // Both are nearly empty; that they stay would harm nobody.
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(&self.state_path);
    }

    fn save(&mut self) -> anyhow::Result<()> {
        self.state.sha256 = self.hash.sum().to_string();
        Ok(Output::file(&self.state_path, true)?.put(&serde_json::to_vec(&self.state)?)?)
    }
}

/// A row as it was read: how its line ends does not matter.
fn add(hash: &mut Sha256Hasher, row: &Row) {
    hash.update(&row.line);
    hash.update(b"\n");
}

fn beside(output: &Path) -> (PathBuf, PathBuf) {
    let named = |ending: &str| {
        let mut name = output.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    (named(".partial"), named(".partial.json"))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Cuts a file off after so many whole lines; gives how many there were of them.
fn keep_lines(path: &Path, most: u64) -> std::io::Result<u64> {
    let (mut lines, mut bytes) = (0, 0);
    let mut reader = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    while lines < most {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if read == 0 || line.last() != Some(&b'\n') {
            break;
        }
        (lines, bytes) = (lines + 1, bytes + read as u64);
    }
    OpenOptions::new().write(true).open(path)?.set_len(bytes)?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_lines_that_count_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p");
        for (most, kept, left) in [(3, 2, "one\ntwo\n"), (2, 2, "one\ntwo\n"), (1, 1, "one\n"), (0, 0, "")] {
            std::fs::write(&path, "one\ntwo\nthr").unwrap();
            assert_eq!(keep_lines(&path, most).unwrap(), kept);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), left);
        }
    }
}
