//! The language model of a style veil.

use std::fmt;
use std::path::Path;

use inkveil_chat::{Chat, LocalChat};
use inkveil_nn::Device;

use crate::policy::{Learning, Policy};
use crate::rewrite::{ChatWriter, DraftWriter};
use crate::{Error, digest};

/// Where a language model runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelLocation {
    /// On this machine. No text leaves it.
    Local,
    /// Behind an address. Its server sees every text.
    Address,
}

/// The language model that writes candidates, and what a receipt states about it.
pub struct RewriteModel {
    writer: Box<dyn DraftWriter>,
    name: String,
    location: ModelLocation,
    adapters: Option<Adapters>,
}

/// The adapters of a local model, as a receipt names them.
pub(super) struct Adapters {
    pub(super) name: String,
    pub(super) sha256: String,
}

impl RewriteModel {
    /// Opens a model in a folder or a GGUF file, with adapters from a file if one is given. `name` is its name on receipts.
    ///
    /// # Errors
    /// If the model or the adapters cannot be read, or do not belong together.
    pub fn local(name: &str, path: &Path, adapters: Option<&Path>, device: &Device) -> Result<Self, Error> {
        let writer: Box<dyn DraftWriter> = match device.is_cpu() {
            true => Box::new(ChatWriter(Box::new(LocalChat::open_with_adapters(path, adapters)?))),
            false => Box::new(Policy::open(path, adapters, Learning::Nothing, device)?),
        };
        let adapters = adapters.map(Adapters::read).transpose()?;
        Ok(Self { adapters, ..Self::new(name, ModelLocation::Local, writer) })
    }

    /// Returns a model behind an address. `name` is its name on receipts. It should not contain the address, which may
    /// tell who ran the model.
    pub fn behind_address(name: &str, chat: Box<dyn Chat>) -> Self {
        Self::new(name, ModelLocation::Address, Box::new(ChatWriter(chat)))
    }

    /// Returns a model with any writer. `name` is its name on receipts.
    pub fn new(name: &str, location: ModelLocation, writer: Box<dyn DraftWriter>) -> Self {
        Self { writer, name: name.to_owned(), location, adapters: None }
    }

    /// Returns its name on receipts.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns where it runs.
    pub fn location(&self) -> ModelLocation {
        self.location
    }

    /// Returns what writes candidates.
    pub fn writer(&self) -> &dyn DraftWriter {
        &*self.writer
    }

    pub(super) fn adapters(&self) -> Option<&Adapters> {
        self.adapters.as_ref()
    }
}

impl fmt::Debug for RewriteModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RewriteModel({}, {:?})", self.name, self.location)
    }
}

impl Adapters {
    /// Takes the name of the file without its folder, which may tell who ran the model.
    fn read(file: &Path) -> Result<Self, Error> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let sha256 = digest::of_file(file).ok_or_else(|| Error::file(file, "cannot read it"))?;
        Ok(Self { name, sha256 })
    }
}
