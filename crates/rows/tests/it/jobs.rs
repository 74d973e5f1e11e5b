//! Jobs that are interrupted, resumed and released.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use inkveil_files::Input;
use inkveil_rows::{
    BatchAddress, Changed, Error, ErrorKind, FileDone, Job, JobFile, JobSettings, Packing, RecordFormat,
    RecordOptions, RecordReader, Texts, Work, expand,
};

use crate::records::{columns, parquet};

/// Writes its address beside each text, so that a wrong address is visible.
#[derive(Default)]
struct Mark {
    /// Fails after this number of batches.
    fails_after: Option<u64>,
    batches: AtomicU64,
    released: Mutex<Vec<(String, u64, u64)>>,
    refuse: bool,
}

impl Work for Mark {
    type Error = Error;
    type Note = u64;
    type Permit = ();

    fn change(&self, texts: &Texts, place: BatchAddress) -> Result<(Changed, u64), Error> {
        let done = self.batches.fetch_add(1, Ordering::SeqCst);
        if self.fails_after.is_some_and(|most| done >= most) {
            return Err(ErrorKind::Cancelled.into());
        }
        let mark = |(index, text): (u64, &str)| Some(format!("{}/{index} {text}", place.file));
        let changed = (place.first_text..).zip(texts.iter()).map(mark).collect();
        Ok((Changed { texts: changed, ..Changed::default() }, texts.len() as u64))
    }

    fn join(&self, note: &mut u64, later: u64) {
        *note += later;
    }

    fn passing(&self, _: &Texts, _: u64, _: &u64) -> Result<(), Error> {
        Ok(())
    }

    fn release(&self, file: &FileDone<'_>, note: &u64) -> Result<(), Error> {
        assert!(!file.output.exists() || fs::read(file.output).unwrap() == b"old");
        if self.refuse {
            return Err(ErrorKind::Cancelled.into());
        }
        let name = file.output.file_name().unwrap().to_string_lossy().into_owned();
        self.released.lock().unwrap().push((name, file.rows, *note));
        Ok(())
    }
}

fn settings(folder: &Path, files: &[(&str, &str)]) -> JobSettings {
    let files = files
        .iter()
        .map(|(input, output)| (JobFile::new(folder.join(input), None).unwrap(), folder.join(output)))
        .collect();
    let mut settings = JobSettings::new(files, folder.join("job"));
    settings.options =
        RecordOptions { batch_rows: 7, columns: columns(&["text"]), ..RecordOptions::default() };
    settings.workers = 3;
    // Every batch is a part.
    settings.part_time = Duration::ZERO;
    settings
}

fn run(job: &mut Job, work: &Mark) -> Result<inkveil_rows::Summary, Error> {
    job.run(work, &AtomicBool::new(false))
}

fn json(rows: u64) -> String {
    (0..rows).map(|row| format!("{{\"id\": {row}, \"text\": \"t{row}\"}}\n")).collect()
}

#[test]
fn an_interrupted_job_ends_with_the_same_files() {
    let whole = tempfile::tempdir().unwrap();
    let files = [("a.jsonl", "out/a.jsonl"), ("b.jsonl", "out/b.jsonl")];
    let write = |folder: &Path| {
        fs::write(folder.join("a.jsonl"), json(40)).unwrap();
        fs::write(folder.join("b.jsonl"), json(20)).unwrap();
    };
    write(whole.path());
    let mut job = Job::begin(settings(whole.path(), &files), b"key".to_vec().into()).unwrap();
    let work = Mark::default();
    let summary = run(&mut job, &work).unwrap();
    assert_eq!((summary.files, summary.rows), (2, 60));
    assert_eq!(*work.released.lock().unwrap(), [("a.jsonl".into(), 40, 40), ("b.jsonl".into(), 20, 20)]);
    job.finish().unwrap();
    assert!(!whole.path().join("job").exists());
    let expected = |name: &str| fs::read(whole.path().join(name)).unwrap();
    assert!(expected("out/a.jsonl").starts_with(b"{\"id\": 0, \"text\": \"0/0 t0\"}\n"));

    for fails_after in 0..10 {
        let cut = tempfile::tempdir().unwrap();
        write(cut.path());
        let mut job = Job::begin(settings(cut.path(), &files), b"key".to_vec().into()).unwrap();
        let work = Mark { fails_after: Some(fails_after), ..Mark::default() };
        let ended = run(&mut job, &work);
        drop(job);
        if ended.is_err() {
            // Every row of an interrupted file is either in a part or not there at all.
            assert!(!cut.path().join("out/b.jsonl").exists());
            let again = Job::begin(settings(cut.path(), &files), b"other".to_vec().into());
            let mut job = match again {
                Ok(job) => job, // nothing had been done
                Err(error) => {
                    assert!(
                        matches!(error.kind(), inkveil_rows::ErrorKind::InterruptedJob { .. }),
                        "{error}"
                    );
                    Job::resume(settings(cut.path(), &files)).unwrap()
                }
            };
            run(&mut job, &Mark::default()).unwrap();
            job.finish().unwrap();
        }
        for name in ["out/a.jsonl", "out/b.jsonl"] {
            assert_eq!(fs::read(cut.path().join(name)).unwrap(), expected(name), "{fails_after} {name}");
        }
    }
}

#[test]
fn a_file_that_is_not_released_has_no_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "id,text\n1,x\n").unwrap();
    let settings = || settings(folder.path(), &[("a.csv", "b.csv")]);
    let mut job = Job::begin(settings(), Vec::new().into()).unwrap();
    assert!(run(&mut job, &Mark { refuse: true, ..Mark::default() }).is_err());
    assert!(!folder.path().join("b.csv").exists());
    drop(job);
    // Nothing is worked on again: the refusal came after everything was done.
    let mut job = Job::resume(settings()).unwrap();
    let work = Mark::default();
    run(&mut job, &work).unwrap();
    assert_eq!(work.batches.load(Ordering::SeqCst), 0);
    assert_eq!(fs::read_to_string(folder.path().join("b.csv")).unwrap(), "id,text\n1,0/0 x\n");
}

#[test]
fn a_job_is_resumed_with_its_own_settings_and_rows_only() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.jsonl");
    fs::write(&input, json(50)).unwrap();
    // One worker: with several, the first batch may be the one that fails, and nothing is kept.
    let plain = || JobSettings { workers: 1, ..settings(folder.path(), &[("a.jsonl", "b.jsonl")]) };
    let mut job = Job::begin(plain(), b"the key".to_vec().into()).unwrap();
    let work = Mark { fails_after: Some(3), ..Mark::default() };
    assert!(run(&mut job, &work).is_err());
    // Another process that still works on it is not disturbed.
    let busy = Job::resume(plain()).err().unwrap().to_string();
    assert!(busy.contains("another process"), "{busy}");
    drop(job);
    let other = JobSettings { settings: "other".into(), ..plain() };
    assert!(Job::resume(other).err().unwrap().to_string().contains("other settings"));
    assert_eq!(Job::resume(plain()).unwrap().secret().expose(), b"the key");
    fs::write(&input, json(50).replacen("t0", "u0", 1)).unwrap();
    let error = run(&mut Job::resume(plain()).unwrap(), &Mark::default()).unwrap_err();
    assert!(error.to_string().contains("changed"), "{error}");
    // A row that was not reached may have been corrected.
    fs::write(&input, json(50).replace("t49", "u49")).unwrap();
    run(&mut Job::resume(plain()).unwrap(), &Mark::default()).unwrap();
    assert!(fs::read_to_string(folder.path().join("b.jsonl")).unwrap().ends_with("0/49 u49\"}\n"));
    assert!(Job::resume(settings(folder.path(), &[("a.jsonl", "c.jsonl")])).is_err());
}

#[test]
fn bad_rows_are_set_aside_or_stop_the_job() {
    let folder = tempfile::tempdir().unwrap();
    let rows = json(30) + "{\"id\": 30}\n" + &json(3);
    fs::write(folder.path().join("a.jsonl"), rows).unwrap();
    let plain = settings(folder.path(), &[("a.jsonl", "b.jsonl")]);
    let error =
        run(&mut Job::begin(plain.clone(), Vec::new().into()).unwrap(), &Mark::default()).unwrap_err();
    assert_eq!((error.row(), error.field()), (Some(31), Some("text")));
    assert!(!folder.path().join("b.jsonl").exists());
    let mut reject = JobSettings { overwrite: true, ..plain };
    reject.options.reject = true;
    let mut job = Job::begin(reject, Vec::new().into()).unwrap();
    let summary = run(&mut job, &Mark::default()).unwrap();
    assert_eq!((summary.rows, summary.rejected), (33, 1));
    let rejects = fs::read_to_string(folder.path().join("b.jsonl.rejects.jsonl")).unwrap();
    assert!(rejects.contains("\"row\":31") && rejects.lines().count() == 1, "{rejects}");
    assert_eq!(fs::read_to_string(folder.path().join("b.jsonl")).unwrap().lines().count(), 33);
}

#[test]
fn files_of_one_job_have_the_same_columns() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "id,text\n1,x\n").unwrap();
    fs::write(folder.path().join("b.csv"), "id,text,more\n1,x,y\n").unwrap();
    let error =
        Job::begin(settings(folder.path(), &[("a.csv", "c.csv"), ("b.csv", "d.csv")]), Vec::new().into())
            .err()
            .unwrap();
    assert!(error.to_string().contains("b.csv") && error.to_string().contains("more"), "{error}");
    assert!(!folder.path().join("job").exists());
}

#[test]
fn parquet_keeps_its_groups_and_its_metadata() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.parquet"), parquet(1000, 300)).unwrap();
    let mut settings = settings(folder.path(), &[("a.parquet", "b.parquet")]);
    settings.options.batch_rows = 130;
    let mut job = Job::begin(settings, Vec::new().into()).unwrap();
    run(&mut job, &Mark::default()).unwrap();
    let open = |name: &str| {
        let file = fs::File::open(folder.path().join(name)).unwrap();
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap()
    };
    let (before, after) = (open("a.parquet"), open("b.parquet"));
    assert_eq!(before.schema(), after.schema());
    let groups =
        |builder: &parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder<fs::File>| -> Vec<i64> {
            builder.metadata().row_groups().iter().map(|group| group.num_rows()).collect()
        };
    assert_eq!(groups(&before), groups(&after));
    let texts = texts_of(&folder.path().join("b.parquet"));
    assert_eq!((texts.len(), texts[799].as_str()), (800, "0/799 text 998 for Ana"));
}

fn texts_of(path: &Path) -> Vec<String> {
    let file = JobFile::new(path.to_owned(), None).unwrap();
    let options = RecordOptions { columns: columns(&["text"]), ..RecordOptions::default() };
    let mut reader = RecordReader::open(Input::path(path), file.format, file.packing, &options).unwrap();
    let mut all = Vec::new();
    while let Some(records) = reader.next().unwrap() {
        all.extend(records.texts().iter().map(str::to_owned));
    }
    all
}

#[test]
fn rows_come_out_in_any_format() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.jsonl"), json(40)).unwrap();
    fs::write(
        folder.path().join("a.csv"),
        "id,text\n".to_owned() + &(0..40).map(|row| format!("{row},t{row}\n")).collect::<String>(),
    )
    .unwrap();
    fs::write(folder.path().join("a.parquet"), parquet(40, 40)).unwrap();
    fs::write(folder.path().join("a.txt"), (0..40).map(|row| format!("t{row}\n")).collect::<String>())
        .unwrap();
    for from in ["a.jsonl", "a.csv", "a.parquet", "a.txt"] {
        for (to, packing) in [
            (RecordFormat::Jsonl, Packing::None),
            (RecordFormat::Jsonl, Packing::Gzip),
            (RecordFormat::Csv, Packing::Zstd),
            (RecordFormat::Tsv, Packing::None),
            (RecordFormat::Parquet, Packing::None),
            (RecordFormat::Arrow, Packing::None),
        ] {
            let out = PathBuf::from("out").join(format!("{from}.{}{}", to.extension(), packing.extension()));
            let mut settings = settings(folder.path(), &[(from, out.to_str().unwrap())]);
            settings.to = Some((to, packing));
            settings.options.batch_rows = 25;
            settings.overwrite = true;
            if from == "a.txt" {
                settings.files[0].0.format = RecordFormat::Lines;
            }
            let mut job = Job::begin(settings, Vec::new().into()).unwrap();
            run(&mut job, &Mark::default()).unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
            job.finish().unwrap();
            let texts = texts_of(&folder.path().join(&out));
            let expected = if from == "a.parquet" { "0/31 text 38 for Ana" } else { "0/31 t31" };
            assert!(texts.iter().any(|text| text == expected), "{from} to {to}: {texts:?}");
        }
    }
}

#[test]
fn packed_files_and_samples() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(json(100).as_bytes()).unwrap();
    fs::write(folder.path().join("a.jsonl.gz"), packed.finish().unwrap()).unwrap();
    let mut job =
        Job::begin(settings(folder.path(), &[("a.jsonl.gz", "b.jsonl.gz")]), Vec::new().into()).unwrap();
    run(&mut job, &Mark::default()).unwrap();
    job.finish().unwrap();
    assert_eq!(texts_of(&folder.path().join("b.jsonl.gz")).len(), 100);
    let mut few = settings(folder.path(), &[("a.jsonl.gz", "c.jsonl.gz")]);
    few.sample = Some(10);
    run(&mut Job::begin(few, Vec::new().into()).unwrap(), &Mark::default()).unwrap();
    assert_eq!(texts_of(&folder.path().join("c.jsonl.gz")).len(), 10);
    assert_eq!(expand(&[folder.path().to_owned()], None, false).unwrap().files.len(), 3);
}

#[test]
fn an_empty_table_keeps_its_header() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "id,text\n").unwrap();
    run(
        &mut Job::begin(settings(folder.path(), &[("a.csv", "b.csv")]), Vec::new().into()).unwrap(),
        &Mark::default(),
    )
    .unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("b.csv")).unwrap(), "id,text\n");
}
