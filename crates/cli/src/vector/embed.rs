//! `inkveil vector embed`: texts in, vectors out.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail, ensure};
use inkveil_io::{NewVectors, Output, VectorFormat};
use serde_json::json;

use super::encoder::{Encoder, SourceNote};
use super::texts::{Row, Rows, field_of};
use crate::args::EmbedArgs;
use crate::outcome::Outcome;
use crate::{digest, distinct, interrupt, progress};

/// Rows that are encoded at once: some seconds of work, and the most that an interruption loses.
const BATCH: usize = 2048;
/// The field of JSON lines that vectors go to.
const FIELD: &str = "embedding";

pub(super) fn run(args: &EmbedArgs) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    let note_path = SourceNote::path(&args.output);
    distinct::check(&[("the texts", Some(&args.texts.file)), ("--output", Some(&args.output))])?;
    let format = VectorFormat::from_path(&args.output)
        .with_context(|| format!("{}: name a .jsonl, .parquet or .npy file", args.output.display()))?;
    ensure!(args.id_field.is_none() || format == VectorFormat::Parquet, "--id-field is for .parquet outputs");
    ensure!(!args.resume || format == VectorFormat::Jsonl, "only .jsonl outputs can be resumed");
    if !args.force {
        for path in [&args.output, &note_path] {
            ensure!(
                !path.exists(),
                "{} exists already; choose another --output or replace it with --force",
                path.display()
            );
        }
    }
    let encoder = Encoder::open(&args.pack)?;
    let job = Job { args, encoder: &encoder, cancel: &cancel };
    let rows = match format {
        VectorFormat::Jsonl => job.json_lines()?,
        VectorFormat::Npy | VectorFormat::Parquet => job.columns(format)?,
        VectorFormat::Safetensors => bail!("vectors are written as .jsonl, .parquet or .npy"),
    };
    let note = SourceNote { encoder: encoder.note.clone(), dimension: encoder.model.width(), rows };
    Output::file(&note_path, true)?.put(serde_json::to_string_pretty(&note)?.as_bytes())?;
    if !args.quiet {
        anstream::eprintln!(
            "{}: {rows} vectors of {} dimensions, by {}",
            args.output.display(),
            note.dimension,
            note.encoder.name
        );
    }
    Ok(Outcome::Success)
}

struct Job<'a> {
    args: &'a EmbedArgs,
    encoder: &'a Encoder,
    cancel: &'a AtomicBool,
}

impl Job<'_> {
    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::open(&self.args.texts.file, &self.args.texts.text_field)
    }

    /// Vectors alone, or with an id each. Rows are counted first: these formats say how many there are before the first.
    fn columns(&self, format: VectorFormat) -> anyhow::Result<u64> {
        ensure!(
            self.args.texts.file != Path::new("-"),
            "standard input is read once, but .npy and .parquet need the number of texts first; write .jsonl"
        );
        let mut total = 0;
        for row in self.rows()? {
            row?;
            total += 1;
        }
        ensure!(total > 0, "{}: there are no texts in it", self.args.texts.file.display());
        let output = Output::file(&self.args.output, self.args.force)?;
        let mut writer = NewVectors::create(format, self.encoder.model.width(), total, output)?;
        self.each_batch(self.rows()?, 0, Some(total), |first, rows, vectors| {
            let ids = match format {
                VectorFormat::Parquet => self.ids(first, rows)?,
                _ => Vec::new(),
            };
            Ok(writer.write(&ids.iter().map(String::as_str).collect::<Vec<_>>(), &vectors.concat())?)
        })?;
        writer.finish()?.commit()?;
        Ok(total)
    }

    fn ids(&self, first: u64, rows: &[Row]) -> anyhow::Result<Vec<String>> {
        let Some(field) = &self.args.id_field else {
            return Ok((0..rows.len() as u64).map(|index| (first + index + 1).to_string()).collect());
        };
        let id = |(index, row): (usize, &Row)| {
            let at = || format!("{}: line {}", self.args.texts.file.display(), first + index as u64 + 1);
            let value = field_of(&row.line, field).with_context(at)?;
            let value = value.with_context(|| format!("{}: there is no field {field:?}", at()))?;
            // A string without its quotes; numbers as they are written.
            Ok(serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned()))
        };
        rows.iter().enumerate().map(id).collect()
    }

    /// JSON lines, which keep all that stands in them. What is done is in a partial file beside the output until all is.
    fn json_lines(&self) -> anyhow::Result<u64> {
        let partial = Partial::open(self)?;
        let rows = self.rows()?;
        let is_json = rows.is_json();
        let (done, mut file) = (partial.done, BufWriter::new(partial.file));
        let written = self.each_batch(rows, done, None, |first, rows, vectors| {
            for (index, (row, vector)) in rows.iter().zip(vectors).enumerate() {
                let number = first + index as u64 + 1;
                let line = if is_json {
                    let at = || format!("{}: line {number}", self.args.texts.file.display());
                    with_vector(&row.line, vector).with_context(at)?
                } else {
                    json!({ "id": number, FIELD: vector }).to_string()
                };
                writeln!(file, "{line}").context("cannot write the vectors")?;
            }
            file.flush().context("cannot write the vectors")
        });
        let count = match written {
            Ok(count) => count,
            Err(error) if self.args.texts.file != Path::new("-") => {
                // Beside the error, not in it: an interruption is told in its own words.
                anstream::eprintln!(
                    "note: what is done is kept in {}; --resume goes on with it, as long as the texts stay the same",
                    partial.path.display()
                );
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        if count == 0 {
            // Both are empty or nearly so; whether they can be removed changes nothing about the error.
            let _ = std::fs::remove_file(&partial.path).and_then(|()| std::fs::remove_file(&partial.state));
            bail!("{}: there are no texts in it", self.args.texts.file.display());
        }
        let file = file.into_inner().map_err(|e| e.into_error()).context("cannot write the vectors")?;
        file.sync_all().context("cannot write the vectors")?;
        std::fs::rename(&partial.path, &self.args.output)
            .with_context(|| format!("cannot name {}", self.args.output.display()))?;
        // It only says what the partial file was made of.
        let _ = std::fs::remove_file(&partial.state);
        Ok(count)
    }

    /// Encodes rows batch by batch, leaving out the first `skip`; gives the number of all.
    fn each_batch(
        &self,
        rows: Rows,
        skip: u64,
        total: Option<u64>,
        mut write: impl FnMut(u64, &[Row], &[Vec<f32>]) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let template = match total {
            Some(_) => "embed {bar:30} {human_pos}/{human_len} texts  {rate}  {eta} left",
            None => "embed {spinner} {human_pos} texts  {rate}  {elapsed}",
        };
        let bar = progress::bar(total, template, self.args.quiet);
        let (mut batch, mut done) = (Vec::with_capacity(BATCH), skip);
        let mut flush = |batch: &mut Vec<Row>, done: &mut u64| -> anyhow::Result<()> {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(inkveil_io::Error::from(inkveil_io::ErrorKind::Cancelled).into());
            }
            let texts: Vec<&str> = batch.iter().map(|row: &Row| row.text.as_str()).collect();
            write(*done, batch, &self.encoder.model.encode(&texts)?)?;
            *done += batch.len() as u64;
            bar.set_position(*done);
            batch.clear();
            Ok(())
        };
        for (number, row) in (0_u64..).zip(rows) {
            let row = row?;
            if number < skip {
                continue;
            }
            batch.push(row);
            if batch.len() == BATCH {
                flush(&mut batch, &mut done)?;
            }
        }
        if !batch.is_empty() {
            flush(&mut batch, &mut done)?;
        }
        bar.finish_and_clear();
        Ok(done)
    }
}

/// The JSON object with one more field.
fn with_vector(line: &str, vector: &[f32]) -> anyhow::Result<String> {
    let object = line.trim_end();
    // It was read as an object, so it ends so.
    let open = object.strip_suffix('}').context("not a JSON object")?;
    ensure!(field_of(line, FIELD)?.is_none(), "there is a field {FIELD:?} already");
    let comma = if open.trim_end().ends_with('{') { "" } else { ", " };
    Ok(format!("{open}{comma}\"{FIELD}\": {}}}", serde_json::to_string(vector)?))
}

/// The output while it grows, and what it is made of.
struct Partial {
    path: PathBuf,
    state: PathBuf,
    file: File,
    done: u64,
}

impl Partial {
    fn open(job: &Job<'_>) -> anyhow::Result<Self> {
        let beside = |ending: &str| {
            let mut name = job.args.output.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let (path, state) = (beside(".partial"), beside(".partial.json"));
        let made_of = made_of(job)?;
        let failed = || format!("cannot write {}", path.display());
        if job.args.resume {
            let found = std::fs::read_to_string(&state).ok();
            let found = found
                .with_context(|| format!("there is nothing to resume: {} is not there", state.display()))?;
            ensure!(
                found == made_of,
                "{} was made from other texts or with another encoder; run without --resume",
                path.display()
            );
            let done = whole_lines(&path).with_context(failed)?;
            let file = OpenOptions::new().append(true).open(&path).with_context(failed)?;
            return Ok(Self { path, state, file, done });
        }
        std::fs::write(&state, &made_of).with_context(failed)?;
        let file = File::create(&path).with_context(failed)?;
        Ok(Self { path, state, file, done: 0 })
    }
}

/// What names texts and encoder, so that a partial file goes on as it began.
fn made_of(job: &Job<'_>) -> anyhow::Result<String> {
    let file = &job.args.texts.file;
    let texts = if file == Path::new("-") { None } else { Some(digest::of_file(file)?) };
    ensure!(!job.args.resume || texts.is_some(), "standard input cannot be resumed");
    Ok(json!({ "texts": texts, "field": job.args.texts.text_field, "encoder": job.encoder.note }).to_string())
}

/// How many whole lines a file has; what was being written when it ended is cut off.
fn whole_lines(path: &Path) -> std::io::Result<u64> {
    let (mut lines, mut bytes) = (0, 0);
    let mut reader = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    loop {
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
    fn a_vector_joins_an_object() {
        assert_eq!(with_vector("{\"a\": 1}", &[0.5]).unwrap(), "{\"a\": 1, \"embedding\": [0.5]}");
        assert_eq!(with_vector("{ } ", &[0.5, 1.0]).unwrap(), "{ \"embedding\": [0.5,1.0]}");
        assert!(with_vector("{\"embedding\": 1}", &[0.5]).is_err());
    }

    #[test]
    fn half_a_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p");
        std::fs::write(&path, "one\ntwo\nthr").unwrap();
        assert_eq!(whole_lines(&path).unwrap(), 2);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    }
}
