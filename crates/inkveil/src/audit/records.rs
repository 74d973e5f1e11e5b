//! What a release leaves beside its output: a charge in the ledger, and the folder of a job.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use inkveil_files::hex;
use inkveil_ledger::{BudgetScope, Counted, Filter, Ledger, Limit};
use inkveil_privacy::Epsilon;
use inkveil_privacy::audit::Finding;
use inkveil_text::{AtZero, Consistency, Preset, TextSettings};

use super::canaries::{PLANTED, sentence};
use super::lab::Lab;
use super::planting::write_rows;
use super::texts::Texts;
use crate::error::{Error, ErrorKind};
use crate::release::{
    Account, Corpus, Destination, MapKeyChoice, MapSettings, RowRelease, Silent, TextRows, VectorRelease,
};
use crate::{Budget, Veil};

/// The names of the paths.
pub(super) const NAMES: &[&str] = &["ledger", "job-folder"];

pub(super) fn audit(lab: &Lab<'_>, pack: &str, chosen: &dyn Fn(&str) -> bool) -> Result<(), Error> {
    if chosen("records/ledger") {
        ledger(lab)?;
    }
    if chosen("records/job-folder") {
        job_folder(lab, pack)?;
    }
    Ok(())
}

/// A release is charged what its receipt states, and refused if a limit does not allow it.
fn ledger(lab: &Lab<'_>) -> Result<(), Error> {
    let path = "records/ledger";
    let folder = lab.folder()?;
    let book = folder.join("budget.ledger");
    let input = folder.join("in.jsonl");
    std::fs::write(&input, "[0.6, 0.8]\n".repeat(5)).map_err(|cause| Error::write(&input, cause))?;
    let release = |output: &Path| -> Result<_, Error> {
        let mut release = VectorRelease::file(&input, output)?;
        release.account = Account::new(&book);
        release.key = lab.key();
        release.run(|dim| Veil::vectors(Epsilon::new(2.0)?).build(dim), &Silent, lab.cancel())
    };
    let output = folder.join("out.jsonl");
    let stated = release(&output)?.receipt.total_epsilon().map_or(f64::INFINITY, Epsilon::get);
    let mut opened = Ledger::open(&book)?;
    let totals = opened.totals(&Filter::default())?;
    let charged =
        totals.iter().filter(|total| total.measure.metric().is_some()).map(|total| total.epsilon.get());
    let charged = charged.fold(0.0, f64::max);
    lab.found(Finding::exact(
        path,
        "a release is charged what its receipt states",
        u64::from(charged < stated),
        1,
    ))?;
    let left = opened.unconfirmed().count() as u64;
    lab.found(Finding::exact(path, "a release is confirmed", left, 1))?;
    // One more release of the same size would exceed this.
    opened.set_limit(&Limit::new(
        BudgetScope::EveryDataset,
        Counted::EachMetric,
        Epsilon::new(1.5 * stated)?,
    ))?;
    drop(opened);
    let again = folder.join("again.jsonl");
    let refused = release(&again).is_err() && !again.exists();
    lab.found(Finding::exact(path, "a release over the limit is refused", u64::from(!refused), 1))?;
    lab.remove(&folder)
}

/// The folder of a job that stopped holds no original.
fn job_folder(lab: &Lab<'_>, pack: &str) -> Result<(), Error> {
    let path = "records/job-folder";
    let mut settings = TextSettings::default();
    settings.budget = Budget::Preset(Preset::Strict);
    settings.at_zero = AtZero::Surrogate;
    settings.restorable = true;
    settings.consistent = Consistency::Job;
    let veil = Texts::open(lab, pack)?.veil(settings)?;
    let folder = lab.folder()?;
    let [input, output] = ["in.jsonl", "out.jsonl"].map(|name| folder.join(name));
    let text = sentence(PLANTED);
    write_rows(&input, &[text.as_str()].repeat(600))?;
    // The job stops at a row without a text, and keeps what it has done.
    let mut rows = std::fs::read(&input).map_err(|cause| Error::write(&input, cause))?;
    rows.extend_from_slice(b"{\"text\": 7}\n");
    std::fs::write(&input, rows).map_err(|cause| Error::write(&input, cause))?;
    let corpus = Corpus::open(&[input], None, false)?;
    let mut destination = Destination::new(&corpus, &output);
    destination.save_every = Duration::ZERO;
    destination.options.batch_rows = 100;
    let map =
        MapSettings { path: folder.join("names.map"), key: MapKeyChoice::File(folder.join("names.key")) };
    let release = RowRelease::new(TextRows::new(Arc::clone(&veil)).keep_pairs(true));
    let release = release.key(lab.key()).account(Account::none()).map(Some(map));
    let stopped = release.files(&destination, &Silent, lab.cancel()).is_err();
    let job = folder.join("out.jsonl.inkveil-job");
    let mut files = Vec::new();
    contents(&job, &mut files)?;
    if !stopped || files.len() < 4 {
        return Err(ErrorKind::Bug("a job that stopped left no folder to search").into());
    }
    let digits = hex::encode(PLANTED.as_bytes());
    let forms =
        [PLANTED.as_bytes().to_vec(), digits.clone().into_bytes(), digits.to_uppercase().into_bytes()];
    let holds = |file: &Vec<u8>| {
        forms.iter().any(|form| file.windows(form.len()).any(|window| window == form.as_slice()))
    };
    let found = files.iter().filter(|file| holds(file)).count() as u64;
    lab.found(Finding::exact(
        path,
        "files of a stopped job that hold an original",
        found,
        files.len() as u64,
    ))?;
    lab.remove(&folder)
}

/// Reads all files in a folder.
fn contents(folder: &Path, files: &mut Vec<Vec<u8>>) -> Result<(), Error> {
    let io = |cause| Error::write(folder, cause);
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        match path.is_dir() {
            true => contents(&path, files)?,
            false => files.push(std::fs::read(&path).map_err(|cause| Error::write(&path, cause))?),
        }
    }
    Ok(())
}
