//! The language model that a user named.

use inkveil::chat::{self, Chat, LocalChat};
use inkveil::pack::{Environment, ModelFolders};
use inkveil_nn::Device;

/// The environment variable with the key for a server.
const KEY: &str = "INKVEIL_API_KEY";

/// The key for a server, if there is one.
pub(crate) fn key() -> Option<String> {
    std::env::var(KEY).ok().filter(|key| !key.is_empty())
}

/// A model that was pulled, a folder or file, or `URL#MODEL`.
pub(crate) fn open(name: &str) -> anyhow::Result<Box<dyn Chat>> {
    let folders = ModelFolders::new(&Environment::of_process())?;
    // A name that is not found is told of by the model's own error, with advice.
    let find = |name: &str| Some(folders.find(name).ok()?.folder().to_owned());
    Ok(chat::open(name, key(), find)?)
}

/// The same; a local model computes on this device.
pub(crate) fn open_on(name: &str, device: &Device) -> anyhow::Result<Box<dyn Chat>> {
    let folders = ModelFolders::new(&Environment::of_process())?;
    match folders.find(name) {
        Ok(found) if !device.is_cpu() => Ok(Box::new(LocalChat::open_on(found.folder(), device)?)),
        _ => open(name),
    }
}
