//! Where the time of a large job goes, and files to measure it with.
//!
//! ```sh
//! # A file of a given size in bytes: the rows of a table again and again, each time with ids of their own.
//! cargo bench -p inkveil --bench corpus -- make SOURCE.csv COLUMN BYTES OUT.jsonl|OUT.parquet
//! # The share of detection, of noise and search, and of everything else, on one thread.
//! cargo bench -p inkveil --bench corpus -- share FILE COLUMN ROWS PRESET
//! ```
//!
//! The command itself is measured with `/usr/bin/time -v inkveil text --file FILE …`.

#![allow(clippy::print_stdout)] // its output is what it is for

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use inkveil::files::Input;
use inkveil::rows::{
    BatchAddress, Changed, Columns, FileDone, Job, JobFile, JobSettings, RecordOptions, RecordReader, Texts,
    Work,
};
use inkveil::{Budget, NoiseKey, Replacements, TextTally, TextVeil, Veil};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["make", source, column, bytes, out] => make(source, column, bytes.parse()?, out),
        ["share", file, column, rows, preset] => share(file, column, rows.parse()?, preset),
        // As every bench is run without words by `cargo bench`.
        _ => Ok(()),
    }
}

fn options(column: &str) -> Outcome<RecordOptions> {
    let columns = Columns { texts: vec![column.parse()?], ..Columns::default() };
    Ok(RecordOptions { columns, ..RecordOptions::default() })
}

fn texts(file: &str, column: &str) -> Outcome<Vec<String>> {
    let file = JobFile::new(file.into(), None)?;
    let mut reader =
        RecordReader::open(Input::path(&file.input), file.format, file.packing, &options(column)?)?;
    let mut all = Vec::new();
    while let Some(records) = reader.next()? {
        all.extend(records.texts().iter().map(str::to_owned));
    }
    Ok(all)
}

fn make(source: &str, column: &str, bytes: u64, out: &str) -> Outcome {
    let texts = texts(source, column)?;
    let mut rows = texts.iter().cycle().zip(0_i64..);
    if out.ends_with(".jsonl") {
        let mut file = BufWriter::new(File::create(out)?);
        let mut written = 0;
        while let Some((text, id)) = rows.next().filter(|_| written < bytes) {
            let line = format!(
                "{{\"id\": {id}, \"text\": {}, \"stars\": {}}}\n",
                serde_json::to_string(text)?,
                id % 5 + 1
            );
            file.write_all(line.as_bytes())?;
            written += line.len() as u64;
        }
        return Ok(file.flush()?);
    }
    let batch = |rows: &[(&String, i64)]| -> Outcome<RecordBatch> {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|(_, id)| *id)));
        let stars: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|(_, id)| id % 5 + 1)));
        let texts: ArrayRef =
            Arc::new(StringArray::from_iter_values(rows.iter().map(|(text, _)| text.as_str())));
        Ok(RecordBatch::try_from_iter([("id", ids), ("text", texts), ("stars", stars)])?)
    };
    // Without packing and dictionaries, so that the size says how much text there is.
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(100_000))
        .build();
    let first = batch(&[])?;
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(File::create(out)?, first.schema(), Some(properties))?;
    while (writer.bytes_written() + writer.in_progress_size()) < usize::try_from(bytes)? {
        let some: Vec<(&String, i64)> = rows.by_ref().take(1000).collect();
        writer.write(&batch(&some)?)?;
    }
    writer.close()?;
    Ok(())
}

/// The veil as a job, with the time of its parts.
struct Timed {
    veil: TextVeil,
    key: NoiseKey,
    veiling: AtomicU64,
    bytes: AtomicU64,
}

impl Work for Timed {
    type Error = Box<dyn Error + Send + Sync>;
    type Note = TextTally;
    type Permit = ();

    fn change(&self, texts: &Texts, place: BatchAddress) -> Result<(Changed, TextTally), Self::Error> {
        let begun = Instant::now();
        let veiled = inkveil::veil_texts(
            &self.veil,
            texts,
            &mut Replacements::default(),
            place.first_text,
            &self.key,
        )?;
        self.veiling.fetch_add(nanos(begun), Ordering::Relaxed);
        let mut tally = TextTally::default();
        veiled.iter().for_each(|veiled| tally.add(veiled.plan()));
        self.bytes.fetch_add(texts.iter().map(|text| text.len() as u64).sum(), Ordering::Relaxed);
        let texts = veiled.iter().map(|veiled| Some(veiled.text().to_owned())).collect();
        Ok((Changed { texts, ..Changed::default() }, tally))
    }

    fn join(&self, note: &mut TextTally, later: TextTally) {
        note.join(&later);
    }

    fn passing(&self, _: &Texts, _: u64, _: &TextTally) -> Result<(), Self::Error> {
        Ok(())
    }

    fn release(&self, _: &FileDone<'_>, _: &TextTally) -> Result<(), Self::Error> {
        Ok(())
    }
}

fn nanos(begun: Instant) -> u64 {
    begun.elapsed().as_nanos() as u64
}

fn share(file: &str, column: &str, rows: u64, preset: &str) -> Outcome {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let veil = || Veil::text().preset(preset.parse()?).build().map_err(Box::<dyn Error>::from);
    let work = Timed { veil: veil()?, key: NoiseKey::fresh()?, veiling: 0.into(), bytes: 0.into() };
    // Whatever is opened once is opened now.
    work.veil.veil("Ana Lima lives in Porto.")?;
    let folder = tempfile::tempdir()?;
    let input = JobFile::new(file.into(), None)?;
    let output = folder.path().join("out");
    let mut settings = JobSettings::new(vec![(input, output)], folder.path().join("job"));
    settings.options = options(column)?;
    settings.sample = Some(rows);
    settings.workers = 1;
    let begun = Instant::now();
    let mut job = Job::begin(settings, Vec::new().into())?;
    let summary = job.run(&work, &AtomicBool::new(false)).map_err(|error| -> Box<dyn Error> { error })?;
    let all = begun.elapsed().as_secs_f64();
    let veiling = work.veiling.load(Ordering::Relaxed) as f64 / 1e9;
    let (detecting, planning, writing) = stages(file, column, rows, &work.veil)?;
    // What is veiled without noise is only planned and written.
    let drawing = veiling - planning - writing;
    let megabytes = work.bytes.load(Ordering::Relaxed) as f64 / 1e6;
    println!("{preset}, {} rows, {megabytes:.1} MB of text, one thread: {all:.1} s", summary.rows);
    println!("  detection                        {detecting:7.2} s  {:5.1} %", 100.0 * detecting / all);
    println!("  noise and search                 {drawing:7.2} s  {:5.1} %", 100.0 * drawing / all);
    println!(
        "  words, groups, writing, receipts {:7.2} s  {:5.1} %",
        veiling - detecting - drawing,
        100.0 * (veiling - detecting - drawing) / all
    );
    println!(
        "  files                            {:7.2} s  {:5.1} %",
        all - veiling,
        100.0 * (all - veiling) / all
    );
    println!(
        "  outside detection, noise, search          {:5.1} %",
        100.0 * (1.0 - (detecting + drawing) / all)
    );
    let path = Path::new(file);
    println!(
        "  {:.0} rows/s of {}",
        summary.rows as f64 / all,
        path.file_name().unwrap_or_default().display()
    );
    Ok(())
}

/// Seconds of detection, of planning with detection, and of writing without noise.
fn stages(file: &str, column: &str, rows: u64, veil: &TextVeil) -> Outcome<(f64, f64, f64)> {
    let kept = {
        let mut settings = veil.settings().clone();
        settings.budget = Budget::Each("inf,inf,inf,inf".parse()?);
        Veil::text().settings(settings).build()?
    };
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en");
    let detector = inkveil::detect::Detector::open(Some(Path::new(model)), veil.settings().detect.clone())?;
    let input = JobFile::new(file.into(), None)?;
    let mut reader =
        RecordReader::open(Input::path(&input.input), input.format, input.packing, &options(column)?)?;
    reader.take(rows);
    let key = NoiseKey::fresh()?;
    let (mut detecting, mut planning, mut whole) = (0.0, 0.0, 0.0);
    while let Some(records) = reader.next()? {
        let texts: Vec<&str> = records.texts().iter().collect();
        let begun = Instant::now();
        detector.detect(&texts)?;
        detecting += begun.elapsed().as_secs_f64();
        let documents: Vec<inkveil::Document<'_>> =
            texts.iter().map(|text| inkveil::Document::new(text)).collect();
        let begun = Instant::now();
        kept.plan(&documents)?;
        planning += begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        kept.veil_all(&documents, 0, &key)?;
        whole += begun.elapsed().as_secs_f64();
    }
    Ok((detecting, planning, whole - planning))
}
