//! Downloads that go on where they stopped, and end with the right bytes or with an error.

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::job::Job;
use crate::net::client::{Answer, Client};
use crate::net::partial::{Note, Partial};
use crate::net::retry::retrying;
use crate::net::url::Url;
use crate::sum::expect_sum;
use inkveil_files::Sha256Sum;

/// The largest file that is downloaded when nobody says how large it is.
const LARGEST: u64 = 64 << 30;

/// Progress that makes earlier failures count no more.
const PROGRESS: u64 = 1 << 20;

/// A file to download.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) url: Url,
    /// What people call it.
    pub(crate) name: String,
    /// Its size, if that is known.
    pub(crate) bytes: Option<u64>,
    /// Its hash, if that is known.
    pub(crate) sha256: Option<Sha256Sum>,
}

/// A file that has been downloaded.
#[derive(Debug)]
pub(crate) struct Downloaded {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) sha256: Sha256Sum,
}

/// Downloads into one folder. Whoever uses it holds a lock on that folder.
pub(crate) struct Downloader<'a> {
    client: &'a Client,
    folder: &'a Path,
}

impl<'a> Downloader<'a> {
    pub(crate) fn new(client: &'a Client, folder: &'a Path) -> Self {
        Self { client, folder }
    }

    /// Downloads a file, or what is missing of it. Where the server cuts the connection or is out of order, it is tried
    /// again a few times; what has come is kept for the next time unless it is wrong.
    pub(crate) fn get(&self, wanted: &Wanted, job: &mut Job<'_>) -> Result<Downloaded, Error> {
        let key = match wanted.sha256 {
            Some(sum) => sum.to_string(),
            None => Sha256Sum::of(wanted.url.request().as_bytes()).to_string(),
        };
        let mut partial = Partial::open(self.folder, &key, job).map_err(|e| e.of(&wanted.name))?;
        let mut resumed = partial.bytes() > 0;
        loop {
            if !is_complete(&partial, wanted) {
                let result = retrying(self.client.patience(), job, |job, tries| {
                    let before = partial.bytes();
                    let result = self.attempt(wanted, &mut partial, job);
                    if partial.bytes() >= before.saturating_add(PROGRESS) {
                        *tries = 0;
                    }
                    result
                });
                if let Err(error) = result {
                    if matches!(error.kind(), ErrorKind::WrongSize { .. } | ErrorKind::TooLarge { .. }) {
                        partial.discard();
                    }
                    return Err(error.of(&wanted.name));
                }
            }
            let (sum, bytes) = (partial.sum(), partial.bytes());
            match wanted.sha256.map(|expected| expect_sum(sum, expected)) {
                Some(Err(_)) if resumed => {
                    // The first part came from an earlier time and may be the part that is wrong.
                    job.note("what was here already does not fit; beginning anew");
                    partial.clear()?;
                    resumed = false;
                }
                Some(Err(error)) => {
                    partial.discard();
                    return Err(error.of(&wanted.name));
                }
                _ => {
                    let etag = partial.note().etag.clone();
                    partial.set_note(Note { etag, complete: Some(sum) })?;
                    return Ok(Downloaded { path: partial.into_path(), bytes, sha256: sum });
                }
            }
        }
    }

    /// One request.
    fn attempt(&self, wanted: &Wanted, partial: &mut Partial, job: &mut Job<'_>) -> Result<(), Error> {
        // Without a hash to check at the end, the server must promise that the file is still the same.
        let etag = partial.note().etag.clone().filter(|etag| !etag.starts_with("W/"));
        if partial.bytes() > 0 && etag.is_none() && wanted.sha256.is_none() {
            partial.clear()?;
        }
        let offset = partial.bytes();
        let mut headers = Vec::new();
        if offset > 0 {
            headers.push(("range", format!("bytes={offset}-")));
            headers.extend(etag.clone().map(|etag| ("if-range", etag)));
        }
        let (answer, mut stream) = self.client.open(&wanted.url, headers, job)?;
        if answer.status == 416 {
            // There is more here than the server has.
            partial.clear()?;
            return Err(cut(&wanted.url, "the server has less than what is here already"));
        }
        answer.check_status()?;
        let found = answer.header("etag").map(str::to_owned);
        if answer.status == 206 && !continues(&answer, offset, etag.as_deref()) {
            partial.clear()?;
            return Err(cut(&wanted.url, "the file on the server has changed"));
        }
        if answer.status == 200 && offset > 0 {
            partial.clear()?;
        }
        let total = answer.length().and_then(|length| length.checked_add(partial.bytes()));
        let expected = check_total(wanted.bytes, total)?;
        if let Some(expected) = expected {
            crate::folder::check_room(self.folder, expected.saturating_sub(partial.bytes()))?;
        }
        partial.set_note(Note { etag: found, complete: None })?;
        job.begin(&format!("downloading {}", wanted.name), expected);
        job.set_position(partial.bytes());
        while let Some(piece) = stream.next(job)? {
            partial.append(&piece)?;
            partial.check_limit(expected, LARGEST)?;
            job.advance(piece.len() as u64)?;
        }
        match expected {
            Some(expected) if partial.bytes() < expected => Err(cut(&wanted.url, "the connection was cut")),
            _ => Ok(()),
        }
    }
}

/// Whether all has come already, at an earlier time.
fn is_complete(partial: &Partial, wanted: &Wanted) -> bool {
    let known = wanted.sha256.or(partial.note().complete);
    partial.bytes() > 0 && known == Some(partial.sum())
}

/// Whether a partial answer begins where the file ends, and is of the same version.
fn continues(answer: &Answer, offset: u64, etag: Option<&str>) -> bool {
    let start = answer
        .header("content-range")
        .and_then(|range| range.trim().strip_prefix("bytes "))
        .and_then(|range| range.split('-').next()?.trim().parse::<u64>().ok());
    let same = match (etag, answer.header("etag")) {
        (Some(before), Some(now)) => before == now,
        _ => true,
    };
    offset > 0 && start == Some(offset) && same
}

/// The size to expect: what the server announces must be what the index said.
fn check_total(known: Option<u64>, announced: Option<u64>) -> Result<Option<u64>, Error> {
    match (known, announced) {
        (Some(expected), Some(found)) if expected != found => {
            Err(ErrorKind::WrongSize { expected, found }.into())
        }
        (_, Some(found)) if found > LARGEST => Err(ErrorKind::TooLarge { limit: LARGEST }.into()),
        (known, announced) => Ok(known.or(announced)),
    }
}

fn cut(url: &Url, reason: &str) -> Error {
    Error::from(ErrorKind::Network { reason: reason.to_owned() }).of(url)
}
