//! The network: addresses, credentials, proxies, requests and downloads.

mod address;
mod client;
mod credentials;
mod download;
mod partial;
mod proxy;
mod retry;
mod settings;
mod stream;

pub(crate) use address::Address;
pub(crate) use client::Client;
pub(crate) use credentials::Secret;
pub(crate) use download::{DownloadRequest, Downloaded, Downloader};
pub use settings::{NetworkSettings, RetryPolicy};
