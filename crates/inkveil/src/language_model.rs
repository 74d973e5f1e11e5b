//! Finds and opens the language model that a user names.

use std::path::{Path, PathBuf};

use inkveil_chat::{Chat, LocalChat};
use inkveil_nn::Device;
use inkveil_pack::find_pack;

use crate::error::{Error, ErrorKind};
use crate::release::Account;

/// The environment variable with the key for a server.
const KEY_VARIABLE: &str = "INKVEIL_API_KEY";

/// The key for a server, if the environment has one.
pub fn server_key() -> Option<String> {
    std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty())
}

/// Opens a language model: one that was pulled, a folder, a GGUF file, or `URL#MODEL`.
///
/// What is asked of the model is not recorded in a ledger. So a model behind an address is refused if
/// the environment names a ledger. A [release](crate::release) opens its models itself.
///
/// # Errors
/// If there is no such model, it cannot be opened, or a ledger is configured and the model is behind an
/// address.
pub fn open_model(name: &str) -> Result<Box<dyn Chat>, Error> {
    match is_remote(name) && Account::from_environment().is_kept() {
        true => Err(ErrorKind::Unrecorded.into()),
        false => open_recorded_model(name),
    }
}

/// Opens a language model for a release, which charges texts before the model sees them.
pub(crate) fn open_recorded_model(name: &str) -> Result<Box<dyn Chat>, Error> {
    // If the name is not found, the error of the model itself gives advice.
    let find = |name: &str| Some(find_pack(name).ok()?.folder().to_owned());
    Ok(inkveil_chat::open(name, server_key(), find)?)
}

/// Opens a language model; a local one computes on this device.
///
/// # Errors
/// As [`open_model`].
pub fn open_model_on(name: &str, device: &Device) -> Result<Box<dyn Chat>, Error> {
    if is_remote(name) || device.is_cpu() {
        return open_model(name);
    }
    Ok(Box::new(LocalChat::open_on(&model_path(name)?, device)?))
}

/// Whether a model is behind an address, so that it sees what it is asked on another machine.
pub fn is_remote(model: &str) -> bool {
    model.starts_with("http://") || model.starts_with("https://")
}

/// The name of a model on receipts. It never shows a path or an address, because these tell who ran it.
pub fn public_model_name(model: &str) -> String {
    if is_remote(model) {
        let name = model.split_once('#').map_or("a model", |(_, name)| name);
        return format!("{name} behind an address");
    }
    Path::new(model).file_name().map_or_else(|| model.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The folder or file of a local model.
///
/// # Errors
/// If it is not on this machine.
pub fn model_path(model: &str) -> Result<PathBuf, Error> {
    if let Ok(found) = find_pack(model) {
        return Ok(found.folder().to_owned());
    }
    let path = PathBuf::from(model);
    match path.exists() {
        true => Ok(path),
        false => Err(ErrorKind::NoModel { name: model.to_owned() }.into()),
    }
}
