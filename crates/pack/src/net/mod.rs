//! The network: addresses, credentials, proxies, requests, downloads.

mod client;
mod credentials;
mod download;
mod partial;
mod proxy;
mod retry;
mod settings;
mod stream;
mod url;

pub(crate) use client::Client;
pub(crate) use credentials::Secret;
pub(crate) use download::{Downloaded, Downloader, Wanted};
pub use settings::{NetworkSettings, Patience};
pub(crate) use url::{Url, decoded};
