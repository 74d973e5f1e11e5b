//! The language model that a user named, as a writer.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use inkveil::chat::LocalChat;
use inkveil::pack::{Environment, ModelFolders};
use inkveil_nn::Device;
use inkveil_style::train::{Learning, Policy};
use inkveil_style::{ChatWriter, Writer};

use crate::chat;

/// A writer: on a GPU a model that writes many texts at once, otherwise one that chats.
pub(super) fn writer(
    model: &str,
    adapters: Option<&Path>,
    device: Device,
) -> anyhow::Result<Box<dyn Writer>> {
    if is_address(model) {
        return Ok(Box::new(ChatWriter(chat::open(model)?)));
    }
    let folder = find(model)?;
    if device.is_cpu() {
        return Ok(Box::new(ChatWriter(Box::new(LocalChat::open_with_adapters(&folder, adapters)?))));
    }
    Ok(Box::new(Policy::open(&folder, adapters, Learning::Nothing, &device)?))
}

/// Whether a model is behind an address.
pub(super) fn is_address(model: &str) -> bool {
    model.starts_with("http://") || model.starts_with("https://")
}

/// What a model is called in receipts: never the path of a file or the address of a server, which say something about who ran it.
pub(super) fn public_name(model: &str) -> String {
    if is_address(model) {
        let name = model.split_once('#').map_or("a model", |(_, name)| name);
        return format!("{name} behind an address");
    }
    Path::new(model).file_name().map_or_else(|| model.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The folder or file of a local model.
pub(super) fn find(model: &str) -> anyhow::Result<PathBuf> {
    let folders = ModelFolders::new(&Environment::of_process())?;
    if let Ok(found) = folders.find(model) {
        return Ok(found.folder().to_owned());
    }
    let path = PathBuf::from(model);
    path.exists().then_some(path).with_context(|| {
        format!("there is no model {model:?} on this machine; get it with `inkveil pull {model}`, or name a folder, a GGUF file or an address with #MODEL")
    })
}
