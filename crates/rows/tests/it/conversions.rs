//! Conversions keep every value: what is read again equals what was written.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use inkveil_files::Input;
use inkveil_rows::{
    BatchAddress, Changed, Columns, Error, FileDone, Job, JobFile, JobSettings, Packing, RecordFormat,
    RecordOptions, RecordReader, Texts, Work,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Changes nothing.
struct Same;

impl Work for Same {
    type Error = Error;
    type Note = ();
    type Permit = ();

    fn change(&self, texts: &Texts, _: BatchAddress) -> Result<(Changed, ()), Error> {
        Ok((
            Changed { texts: texts.iter().map(|text| Some(text.to_owned())).collect(), ..Changed::default() },
            (),
        ))
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
    let format = RecordFormat::of(to).unwrap();
    let mut settings = JobSettings::new(
        vec![(JobFile::new(from.to_owned(), None)?, to.to_owned())],
        to.with_extension("job"),
    );
    settings.options.columns = Columns { all: true, ..Columns::default() };
    settings.to = Some(format);
    let mut job = Job::begin(settings, Vec::new().into())?;
    job.run(&Same, &AtomicBool::new(false))?;
    job.finish()
}

/// The strings of a column, by any reader of this crate.
fn column(path: &Path, name: &str) -> Vec<String> {
    let (format, packing): (RecordFormat, Packing) = RecordFormat::of(path).unwrap();
    let columns = Columns { texts: vec![name.parse().unwrap()], ..Columns::default() };
    let options = RecordOptions { columns, ..RecordOptions::default() };
    let mut reader = RecordReader::open(Input::path(path), format, packing, &options).unwrap();
    let mut values = Vec::new();
    while let Some(records) = reader.next().unwrap() {
        values.extend(records.texts().iter().map(str::to_owned));
    }
    values
}

/// JSON with every character escaped, or none but those that must be.
fn line(row: &BTreeMap<&str, String>, escaped: bool) -> String {
    if !escaped {
        return json!(row).to_string();
    }
    let string = |text: &str| {
        let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{units}\"")
    };
    let fields: Vec<String> =
        row.iter().map(|(name, value)| format!("{}: {}", string(name), string(value))).collect();
    format!("{{{}}}", fields.join(", "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_format_gives_back_the_same_strings(
        rows in prop::collection::vec(("\\PC{1,12}", prop::collection::vec(any::<char>(), 1..8)), 1..6),
        escaped: bool,
        to in prop::sample::select(vec!["parquet", "arrow", "csv", "tsv", "jsonl.gz", "csv.zst"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let rows: Vec<BTreeMap<&str, String>> = rows
            .into_iter()
            .map(|(a, b)| BTreeMap::from([("a", a), ("b", b.into_iter().collect())]))
            .collect();
        let lines: String = rows.iter().map(|row| line(row, escaped) + "\n").collect();
        let (first, second, back) =
            (folder.path().join("in.jsonl"), folder.path().join(format!("out.{to}")), folder.path().join("back.jsonl"));
        fs::write(&first, lines).unwrap();
        convert(&first, &second).unwrap();
        convert(&second, &back).unwrap();
        let expected = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
        for name in ["a", "b"] {
            prop_assert_eq!(column(&second, name), expected(name), "{} {}", to, name);
            prop_assert_eq!(column(&back, name), expected(name), "{} and back, {}", to, name);
        }
        for text in fs::read_to_string(&back).unwrap().lines() {
            prop_assert!(serde_json::from_str::<Value>(text).is_ok());
        }
    }
}
