//! Any strings through a conversion to another format and back: every value is equal.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use inkveil_files::Input;
use inkveil_rows::{
    BatchAddress, Changed, Columns, Error, FileDone, Job, JobFile, JobSettings, RecordFormat, RecordOptions,
    RecordReader, Texts, Work,
};

/// Changes nothing.
struct Same;

impl Work for Same {
    type Error = Error;
    type Note = ();
    type Permit = ();

    fn change(&self, texts: &Texts, _: BatchAddress) -> Result<(Changed, ()), Error> {
        let texts = texts.iter().map(|text| Some(text.to_owned())).collect();
        Ok((Changed { texts, ..Changed::default() }, ()))
    }

    fn join(&self, _: &mut (), _: ()) {}

    fn passing(&self, _: &Texts, _: u64, _: &()) -> Result<(), Error> {
        Ok(())
    }

    fn release(&self, _: &FileDone<'_>, _: &()) -> Result<(), Error> {
        Ok(())
    }
}

fn convert(from: &Path, to: &Path) -> Result<(), Error> {
    let files = vec![(JobFile::new(from.to_owned(), None)?, to.to_owned())];
    let mut settings = JobSettings::new(files, to.with_extension("job"));
    settings.options = options();
    settings.to = RecordFormat::of(to);
    let mut job = Job::begin(settings, Vec::new().into())?;
    job.run(&Same, &AtomicBool::new(false))?;
    job.finish()
}

/// Texts of more than 16 bytes come in parts.
fn options() -> RecordOptions {
    let columns = Columns { all: true, ..Columns::default() };
    RecordOptions { columns, batch_rows: 2, longest_text: 16, parts: true, ..RecordOptions::default() }
}

fn values(path: &Path) -> Vec<String> {
    let (format, packing) = RecordFormat::of(path).expect("a name with a format");
    let columns = Columns { all: true, ..Columns::default() };
    let options = RecordOptions { columns, ..RecordOptions::default() };
    let mut reader =
        RecordReader::open(Input::path(path), format, packing, &options).expect("it was written");
    let mut values = Vec::new();
    while let Some(records) = reader.next().expect("what was written can be read") {
        values.extend(records.texts().iter().map(str::to_owned));
    }
    values
}

pub fn run(bytes: &[u8]) {
    let [how, rest @ ..] = bytes else { return };
    let to = ["parquet", "arrow", "csv", "tsv", "jsonl.gz", "csv.zst"][usize::from(how % 6)];
    let escaped = how & 64 != 0;
    let texts: Vec<String> =
        rest.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    // An empty string and no value are the same in CSV.
    if texts.len() > 8 || texts.iter().any(String::is_empty) {
        return;
    }
    let string = |text: &str| match escaped {
        true => {
            let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            format!("\"{units}\"")
        }
        false => serde_json::to_string(text).expect("a string"),
    };
    let lines: String = texts.iter().map(|text| format!("{{\"text\": {}}}\n", string(text))).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let (first, second, back) = (path("in.jsonl"), path(&format!("out.{to}")), path("back.jsonl"));
    fs::write(&first, lines).expect("a file");
    match convert(&first, &second) {
        Ok(()) => {}
        // A word that is longer than a part.
        Err(error) if error.to_string().contains("a word") => return,
        Err(error) => panic!("{error}"),
    }
    convert(&second, &back).expect("what was written can be read");
    assert_eq!(values(&second), texts);
    assert_eq!(values(&back), texts);
}
