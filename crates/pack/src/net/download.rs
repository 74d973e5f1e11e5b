//! Downloads that resume where they stopped. They end with the right bytes or with an error.

use std::path::{Path, PathBuf};

use inkveil_files::Sha256Sum;

use crate::error::{Error, ErrorKind};
use crate::monitor::Monitor;
use crate::net::address::Address;
use crate::net::client::{Client, ResponseHead};
use crate::net::partial::{Partial, ResumeState};
use crate::net::retry::retrying;
use crate::sum::expect_sum;

/// The largest file that is downloaded if its size is not known.
const LARGEST: u64 = 64 << 30;

/// After this many new bytes, earlier failed attempts no longer count.
const PROGRESS: u64 = 1 << 20;

/// A file to download.
#[derive(Debug, Clone)]
pub(crate) struct DownloadRequest {
    pub(crate) address: Address,
    /// The name for messages.
    pub(crate) name: String,
    /// Its size, if known.
    pub(crate) bytes: Option<u64>,
    /// Its checksum, if known.
    pub(crate) sha256: Option<Sha256Sum>,
}

/// A file that has been downloaded.
#[derive(Debug)]
pub(crate) struct Downloaded {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) sha256: Sha256Sum,
}

/// Downloads into one folder. The caller must hold a lock on that folder.
pub(crate) struct Downloader<'a> {
    client: &'a Client,
    folder: &'a Path,
}

impl<'a> Downloader<'a> {
    pub(crate) fn new(client: &'a Client, folder: &'a Path) -> Self {
        Self { client, folder }
    }

    /// Downloads a file, or the rest of it. Temporary failures are retried. After an error, the bytes received so far are
    /// kept for the next attempt unless they are wrong.
    pub(crate) fn get(
        &self,
        wanted: &DownloadRequest,
        monitor: &mut Monitor<'_>,
    ) -> Result<Downloaded, Error> {
        let key = match wanted.sha256 {
            Some(sum) => sum.to_string(),
            None => Sha256Sum::of(wanted.address.request().as_bytes()).to_string(),
        };
        let mut partial = Partial::open(self.folder, &key, monitor).map_err(|e| e.of(&wanted.name))?;
        let mut resumed = partial.bytes() > 0;
        loop {
            if !is_complete(&partial, wanted) {
                let result = retrying(self.client.retry_policy(), monitor, |monitor, attempts| {
                    let before = partial.bytes();
                    let result = self.attempt(wanted, &mut partial, monitor);
                    if partial.bytes() >= before.saturating_add(PROGRESS) {
                        *attempts = 0;
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
                    // The error may be in the part from an earlier run.
                    monitor.message("the partial download is damaged; starting again");
                    partial.clear()?;
                    resumed = false;
                }
                Some(Err(error)) => {
                    partial.discard();
                    return Err(error.of(&wanted.name));
                }
                _ => {
                    let etag = partial.state().etag.clone();
                    partial.set_state(ResumeState { etag, complete: Some(sum) })?;
                    return Ok(Downloaded { path: partial.into_path(), bytes, sha256: sum });
                }
            }
        }
    }

    /// Sends one request.
    fn attempt(
        &self,
        wanted: &DownloadRequest,
        partial: &mut Partial,
        monitor: &mut Monitor<'_>,
    ) -> Result<(), Error> {
        // Without a checksum, only a strong tag of the server shows that the file did not change.
        let etag = partial.state().etag.clone().filter(|etag| !etag.starts_with("W/"));
        if partial.bytes() > 0 && etag.is_none() && wanted.sha256.is_none() {
            partial.clear()?;
        }
        let offset = partial.bytes();
        let mut headers = Vec::new();
        if offset > 0 {
            headers.push(("range", format!("bytes={offset}-")));
            headers.extend(etag.clone().map(|etag| ("if-range", etag)));
        }
        let (head, mut stream) = self.client.open(&wanted.address, headers, monitor)?;
        if head.status == 416 {
            partial.clear()?;
            return Err(interrupted(&wanted.address, "the partial download is longer than the file"));
        }
        head.check_status()?;
        let found = head.header("etag").map(str::to_owned);
        if head.status == 206 && !continues(&head, offset, etag.as_deref()) {
            partial.clear()?;
            return Err(interrupted(&wanted.address, "the file on the server has changed"));
        }
        if head.status == 200 && offset > 0 {
            partial.clear()?;
        }
        let total = head.length().and_then(|length| length.checked_add(partial.bytes()));
        let expected = check_total(wanted.bytes, total)?;
        if let Some(expected) = expected {
            crate::folder::check_free_space(self.folder, expected.saturating_sub(partial.bytes()))?;
        }
        partial.set_state(ResumeState { etag: found, complete: None })?;
        monitor.start(&format!("downloading {}", wanted.name), expected);
        monitor.set_position(partial.bytes());
        while let Some(piece) = stream.next(monitor)? {
            partial.append(&piece)?;
            partial.check_limit(expected, LARGEST)?;
            monitor.advance(piece.len() as u64)?;
        }
        match expected {
            Some(expected) if partial.bytes() < expected => {
                Err(interrupted(&wanted.address, "the connection was interrupted"))
            }
            _ => Ok(()),
        }
    }
}

/// Whether an earlier run downloaded the whole file.
fn is_complete(partial: &Partial, wanted: &DownloadRequest) -> bool {
    let known = wanted.sha256.or(partial.state().complete);
    partial.bytes() > 0 && known == Some(partial.sum())
}

/// Whether a partial response starts where the file ends, and has the same version.
fn continues(head: &ResponseHead, offset: u64, etag: Option<&str>) -> bool {
    let start = head
        .header("content-range")
        .and_then(|range| range.trim().strip_prefix("bytes "))
        .and_then(|range| range.split('-').next()?.trim().parse::<u64>().ok());
    let same = match (etag, head.header("etag")) {
        (Some(before), Some(now)) => before == now,
        _ => true,
    };
    offset > 0 && start == Some(offset) && same
}

/// The expected size. The server's and the index's must agree.
fn check_total(known: Option<u64>, announced: Option<u64>) -> Result<Option<u64>, Error> {
    match (known, announced) {
        (Some(expected), Some(found)) if expected != found => {
            Err(ErrorKind::WrongSize { expected, found }.into())
        }
        (_, Some(found)) if found > LARGEST => Err(ErrorKind::TooLarge { limit: LARGEST }.into()),
        (known, announced) => Ok(known.or(announced)),
    }
}

fn interrupted(address: &Address, reason: &str) -> Error {
    Error::from(ErrorKind::Network { reason: reason.to_owned() }).of(address)
}
