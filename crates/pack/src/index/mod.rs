//! The Python index: its address, the files of a package, and the choice of a wheel.

mod location;
mod page;
mod pip_config;
mod wheel;

use pep440_rs::Version;

use crate::error::{Error, ErrorKind};
use crate::monitor::Monitor;
use crate::net::{Address, Client, DownloadRequest, NetworkSettings};
use crate::source::PackageName;

pub use page::{IndexFile, parse_page};
pub(crate) use pip_config::PipConfig;

/// The media types of PEP 691, best first. Older indexes know only the last two.
const ACCEPT: &str =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/// The page of a package with thousands of releases has a few megabytes.
const LONGEST_PAGE: u64 = 64 << 20;

/// A Python index.
pub(crate) struct Index {
    client: Client,
    address: Address,
}

impl Index {
    /// Opens the index of the user's settings.
    pub(crate) fn open(client: &Client, settings: &NetworkSettings) -> Result<Self, Error> {
        let address = location::find(settings)?;
        Ok(Self { client: client.trusting(&address, None), address })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Finds the wheel of a package with this version, or the newest one. A wheel without a checksum is refused unless
    /// `checksum_known`.
    pub(crate) fn wheel(
        &self,
        package: &PackageName,
        version: Option<&str>,
        checksum_known: bool,
        monitor: &mut Monitor<'_>,
    ) -> Result<(DownloadRequest, Version), Error> {
        let page_address = self.address.append(&[package.as_str()]).as_folder();
        let (head, page) = self.client.page(&page_address, ACCEPT, LONGEST_PAGE, monitor)?;
        if matches!(head.status, 404 | 410) {
            let kind = ErrorKind::NoPackage { index: self.address.to_string() };
            return Err(Error::from(kind).of(package));
        }
        head.check_status()?;
        let kind = head.header("content-type").unwrap_or_default().to_owned();
        let files = parse_page(&kind, &page).map_err(|e| e.of(&page_address))?;
        let chosen = wheel::choose(package, version, &files).map_err(|e| e.of(package))?;
        if chosen.file.sha256.is_none() && !checksum_known {
            return Err(Error::from(ErrorKind::NoHash).of(&chosen.file.name));
        }
        let request = DownloadRequest {
            address: head.address.join(&chosen.file.link).map_err(|e| e.of(&page_address))?,
            name: chosen.file.name.clone(),
            bytes: chosen.file.bytes,
            sha256: chosen.file.sha256,
        };
        Ok((request, chosen.version))
    }
}
