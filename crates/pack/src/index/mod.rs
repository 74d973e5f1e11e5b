//! The Python index: where it is, what it has of a package, and which wheel to take.

mod address;
mod page;
mod pip_config;
mod version;
mod wheel;

use crate::error::{Error, ErrorKind};
use crate::job::Job;
use crate::net::{Client, NetworkSettings, Url, Wanted};
use crate::source::PackageName;

pub use page::{IndexFile, parse_page};
pub(crate) use pip_config::PipConfig;
pub(crate) use version::Version;

/// The media types of PEP 691, best first; the last two are what older indexes have.
const ACCEPT: &str =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/// The page of a package that has had thousands of releases is a few megabytes.
const LONGEST_PAGE: u64 = 64 << 20;

/// A Python index.
pub(crate) struct Index {
    client: Client,
    url: Url,
}

impl Index {
    /// The index of the user's settings.
    pub(crate) fn open(client: &Client, settings: &NetworkSettings) -> Result<Self, Error> {
        let url = address::find(settings)?;
        Ok(Self { client: client.trusting(&url, None), url })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The wheel of a package: of the version, or the newest. A file without a hash is refused unless `hash_known`.
    pub(crate) fn wheel(
        &self,
        package: &PackageName,
        version: Option<&str>,
        hash_known: bool,
        job: &mut Job<'_>,
    ) -> Result<(Wanted, Version), Error> {
        let page_url = self.url.append(&[package.as_str()]).as_folder();
        let (answer, page) = self.client.page(&page_url, ACCEPT, LONGEST_PAGE, job)?;
        let missing = || ErrorKind::NoPackage { index: self.url.to_string() };
        if matches!(answer.status, 404 | 410) {
            return Err(Error::from(missing()).of(package));
        }
        answer.check_status()?;
        let kind = answer.header("content-type").unwrap_or_default().to_owned();
        let files = parse_page(&kind, &page).map_err(|e| e.of(&page_url))?;
        let chosen = wheel::choose(package, version, &files).map_err(|e| e.of(package))?;
        if chosen.file.sha256.is_none() && !hash_known {
            return Err(Error::from(ErrorKind::NoHash).of(&chosen.file.name));
        }
        let wanted = Wanted {
            url: answer.url.join(&chosen.file.link).map_err(|e| e.of(&page_url))?,
            name: chosen.file.name.clone(),
            bytes: chosen.file.bytes,
            sha256: chosen.file.sha256,
        };
        Ok((wanted, chosen.version))
    }
}
