//! What a release leaves beside its output: a charge in the ledger, and the folder of a job.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use inkveil_files::hex;
use inkveil_ledger::{BudgetScope, Counted, Filter, Ledger, Limit};
use inkveil_privacy::audit::Finding;
use inkveil_privacy::{Epsilon, Receipt};
use inkveil_text::{AtZero, Consistency, MechanismName, MechanismSettings, Preset, TextSettings};

use super::canaries::{PLANTED, sentence};
use super::lab::Lab;
use super::outputs::{Form, Vectors};
use super::planting::write_rows;
use super::text_ways::Way;
use super::texts::Texts;
use crate::error::{Error, ErrorKind};
use crate::release::{Account, Corpus, Destination, MapKeyChoice, MapSettings, RowRelease, Silent, TextRows};
use crate::{Budget, Veil};

/// The names of the paths.
pub(super) const NAMES: &[&str] = &["ledger", "job-folder"];

pub(super) fn audit(lab: &Lab<'_>, pack: &str, chosen: &dyn Fn(&str) -> bool) -> Result<(), Error> {
    if chosen("records/ledger") {
        ledger(lab, pack)?;
    }
    if chosen("records/job-folder") {
        job_folder(lab, pack)?;
    }
    Ok(())
}

/// A release is charged what its receipt states, and refused if a limit does not allow it, on every way
/// that vectors and texts can take.
fn ledger(lab: &Lab<'_>, pack: &str) -> Result<(), Error> {
    let veil = |dim: usize| Veil::vectors(Epsilon::new(2.0)?).build(dim);
    for form in [Form::Jsonl, Form::Pipe, Form::List] {
        charged(lab, &format!("vectors, {}", form.name()), &|account| {
            let released = Vectors::release(lab, form, &[0.6, 0.8], 5, None, account, veil)?;
            Ok(vec![released.receipt])
        })?;
    }
    let texts = Texts::open(lab, pack)?;
    let mut settings = TextSettings::default();
    settings.mechanism = MechanismSettings::of(MechanismName::Exponential);
    settings.budget = Budget::Uniform(Epsilon::new(1.0)?);
    for way in Way::ALL {
        let veil = texts.veil(way.settings(settings.clone()))?;
        charged(lab, &format!("texts, {}", way.name()), &|account| {
            let released = texts.carry(way, &veil, &["window"], account)?;
            Ok(released.into_iter().map(|one| one.receipt).collect())
        })?;
    }
    Ok(())
}

/// Releases twice. The second release would exceed a limit that is set after the first.
fn charged(
    lab: &Lab<'_>,
    what: &str,
    release: &dyn Fn(&Account) -> Result<Vec<Receipt>, Error>,
) -> Result<(), Error> {
    let path = "records/ledger";
    let folder = lab.folder()?;
    let book = folder.join("budget.ledger");
    let account = Account::new(&book).dataset("canaries");
    let stated = |receipt: &Receipt| receipt.total_epsilon().map_or(f64::INFINITY, Epsilon::get);
    let stated: f64 = release(&account)?.iter().map(stated).sum();
    let mut opened = Ledger::open(&book)?;
    let totals = opened.totals(&Filter::default())?;
    let charged =
        totals.iter().filter(|total| total.measure.metric().is_some()).map(|total| total.epsilon.get());
    let charged = charged.fold(0.0, f64::max);
    let about = format!("{what}: a release is charged what its receipt states");
    lab.found(Finding::exact(path, about, u64::from(charged < stated), 1))?;
    let left = opened.unconfirmed().count() as u64;
    lab.found(Finding::exact(path, format!("{what}: a release is confirmed"), left, 1))?;
    // One more release of the same size would exceed this.
    let most = Epsilon::new(1.5 * stated)?;
    opened.set_limit(&Limit::new(BudgetScope::EveryDataset, Counted::EachMetric, most))?;
    drop(opened);
    let refused = release(&account).is_err();
    let about = format!("{what}: a release over the limit is refused");
    lab.found(Finding::exact(path, about, u64::from(!refused), 1))?;
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
