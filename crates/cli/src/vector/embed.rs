//! `inkveil vector embed`: texts in, vectors out.

mod partial;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail, ensure};
use inkveil_files::Output;
use inkveil_vectors_io::{NewVectors, VectorFormat};
use serde_json::json;

use self::partial::Partial;
use super::encoder::{Encoder, SourceNote};
use super::texts::{Row, Rows};
use crate::args::EmbedArgs;
use crate::outcome::Outcome;
use crate::{corpus, interrupt, progress};

/// Rows that are encoded at once: some seconds of work, and the most that an interruption loses.
const BATCH: usize = 2048;
/// The field of JSON lines that vectors go to.
const FIELD: &str = "embedding";

pub(super) fn run(args: &EmbedArgs) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    let note_path = SourceNote::path(&args.output);
    inkveil_files::refuse_same_file(&[
        ("the texts", Some(&args.texts.file)),
        ("--output", Some(&args.output)),
    ])?;
    let format = VectorFormat::from_path(&args.output)
        .with_context(|| format!("{}: name a .jsonl, .parquet or .npy file", args.output.display()))?;
    ensure!(
        args.texts.tables.id_column.is_none() || format == VectorFormat::Parquet,
        "--id-column is for .parquet outputs"
    );
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
        let tables = &self.args.texts.tables;
        Rows::open(&self.args.texts.file, tables.from, &corpus::options(tables))
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
        let Some(column) = &self.args.texts.tables.id_column else {
            return Ok((0..rows.len() as u64).map(|index| (first + index + 1).to_string()).collect());
        };
        let id = |(index, row): (usize, &Row)| {
            let number = first + index as u64 + 1;
            row.id.clone().with_context(|| {
                format!("{}: row {number}: {:?} is null", self.args.texts.file.display(), column.to_string())
            })
        };
        rows.iter().enumerate().map(id).collect()
    }

    /// JSON lines, which keep all that stands in them. What is done is in a partial file beside the output until all is.
    fn json_lines(&self) -> anyhow::Result<u64> {
        let (texts, note) = (&self.args.texts, &self.encoder.note);
        let can_resume = texts.file != Path::new("-");
        ensure!(!self.args.resume || can_resume, "standard input cannot be resumed");
        let mut rows = self.rows()?;
        let is_json = rows.is_json();
        let column = texts.tables.columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let mut partial = match self.args.resume {
            true => Partial::resume(&self.args.output, note, &column, &mut rows)?,
            false => Partial::begin(&self.args.output, note, &column)?,
        };
        let written = self.each_batch(rows, partial.done(), None, |first, rows, vectors| {
            let (mut lines, mut bad) = (Vec::with_capacity(rows.len()), Ok(()));
            for (number, (row, vector)) in (first + 1..).zip(rows.iter().zip(vectors)) {
                let line = match is_json {
                    true => with_vector(&row.line, vector)
                        .with_context(|| format!("{}: row {number}", texts.file.display())),
                    false => Ok(json!({ "id": number, FIELD: vector }).to_string()),
                };
                match line {
                    Ok(line) => lines.push(line),
                    Err(error) => {
                        bad = Err(error);
                        break;
                    }
                }
            }
            partial.add(&rows[..lines.len()], &lines)?;
            bad
        });
        let count = match written {
            Ok(count) => count,
            Err(error) => {
                if partial.done() == 0 {
                    partial.discard();
                } else if can_resume {
                    // Beside the error, not in it: an interruption is told in its own words.
                    anstream::eprintln!(
                        "note: {} rows are done and kept in {}; --resume goes on after them, also if later rows were mended",
                        partial.done(),
                        partial.path.display()
                    );
                }
                return Err(error);
            }
        };
        if count == 0 {
            partial.discard();
            bail!("{}: there are no texts in it", texts.file.display());
        }
        partial.finish(&self.args.output)?;
        Ok(count)
    }

    /// Encodes rows batch by batch, of which `done` have gone before; gives the number of all. Rows before a bad one are not lost by it.
    fn each_batch(
        &self,
        rows: Rows,
        mut done: u64,
        total: Option<u64>,
        mut write: impl FnMut(u64, &[Row], &[Vec<f32>]) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let template = match total {
            Some(_) => "embed {bar:30} {human_pos}/{human_len} texts  {rate}  {eta} left",
            None => "embed {spinner} {human_pos} texts  {rate}  {elapsed}",
        };
        let bar = progress::bar(total, template, self.args.quiet);
        let mut batch = Vec::with_capacity(BATCH);
        let mut flush = |batch: &mut Vec<Row>| -> anyhow::Result<()> {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(crate::outcome::Interrupted.into());
            }
            let texts: Vec<&str> = batch.iter().map(|row: &Row| row.text.as_str()).collect();
            write(done, batch, &self.encoder.model.encode(&texts)?)?;
            done += batch.len() as u64;
            bar.set_position(done);
            batch.clear();
            Ok(())
        };
        let mut bad = Ok(());
        for row in rows {
            match row {
                Ok(row) => batch.push(row),
                Err(error) => {
                    bad = Err(error);
                    break;
                }
            }
            if batch.len() == BATCH {
                flush(&mut batch)?;
            }
        }
        if !batch.is_empty() {
            flush(&mut batch)?;
        }
        bar.finish_and_clear();
        bad.map(|()| done)
    }
}

/// The JSON object with one more field.
fn with_vector(line: &str, vector: &[f32]) -> anyhow::Result<String> {
    let object = line.trim_end();
    // It was read as an object, so it ends so.
    let open = object.strip_suffix('}').context("not a JSON object")?;
    let known: std::collections::BTreeMap<String, &serde_json::value::RawValue> =
        serde_json::from_str(line).ok().context("not a JSON object")?;
    ensure!(!known.contains_key(FIELD), "there is a field {FIELD:?} already");
    let comma = if open.trim_end().ends_with('{') { "" } else { ", " };
    Ok(format!("{open}{comma}\"{FIELD}\": {}}}", serde_json::to_string(vector)?))
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
}
