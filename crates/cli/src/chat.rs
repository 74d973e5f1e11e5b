//! The language model that a user named.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use inkveil::chat::{self, Chat, LocalChat};
use inkveil::pack::find_pack;
use inkveil_nn::Device;

/// The environment variable with the key for a server.
const KEY: &str = "INKVEIL_API_KEY";

/// The key for a server, if there is one.
pub(crate) fn key() -> Option<String> {
    std::env::var(KEY).ok().filter(|key| !key.is_empty())
}

/// A model that was pulled, a folder or file, or `URL#MODEL`.
pub(crate) fn open(name: &str) -> anyhow::Result<Box<dyn Chat>> {
    // If the name is not found, the model's own error has the advice.
    let find = |name: &str| Some(find_pack(name).ok()?.folder().to_owned());
    Ok(chat::open(name, key(), find)?)
}

/// The same; a local model computes on this device.
pub(crate) fn open_on(name: &str, device: &Device) -> anyhow::Result<Box<dyn Chat>> {
    if is_address(name) || device.is_cpu() {
        return open(name);
    }
    Ok(Box::new(LocalChat::open_on(&find(name)?, device)?))
}

/// Whether a model is behind an address.
pub(crate) fn is_address(model: &str) -> bool {
    model.starts_with("http://") || model.starts_with("https://")
}

/// What a model is called in receipts: never the path of a file or the address of a server, which say something about who ran it.
pub(crate) fn public_name(model: &str) -> String {
    if is_address(model) {
        let name = model.split_once('#').map_or("a model", |(_, name)| name);
        return format!("{name} behind an address");
    }
    Path::new(model).file_name().map_or_else(|| model.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The folder or file of a local model.
pub(crate) fn find(model: &str) -> anyhow::Result<PathBuf> {
    if let Ok(found) = find_pack(model) {
        return Ok(found.folder().to_owned());
    }
    let path = PathBuf::from(model);
    path.exists().then_some(path).with_context(|| {
        format!("there is no model {model:?} on this machine; get it with `inkveil pull {model}`, or name a folder, a GGUF file or an address with #MODEL")
    })
}
