//! Opens the model that a user named.

use std::path::PathBuf;

use crate::remote::is_address;
use crate::{Chat, Error, ErrorKind, LocalChat, RemoteChat};

/// Opens the model that a user named:
///
/// - `https://HOST/v1#MODEL` (or `http://`) is the model after the `#` on the server at this
///   address. Requests and the key are sent to that server; see [`RemoteChat`].
/// - A name that `find` knows is the model in the folder or GGUF file that it returns.
/// - Anything else is a folder or a GGUF file on this machine.
///
/// A local model ignores the key and sends nothing over the network.
///
/// ```
/// use inkveil_chat::open;
///
/// let chat = open("http://localhost:8080/v1#qwen2.5:7b", None, |_| None)?;
/// assert_eq!(chat.name(), "qwen2.5:7b at http://localhost:8080");
/// let error = open("nowhere", None, |_| None).err().map(|error| error.to_string());
/// assert!(error.is_some_and(|error| error.contains("no such model")));
/// # Ok::<(), inkveil_chat::Error>(())
/// ```
pub fn open(
    spec: &str,
    key: Option<String>,
    find: impl FnOnce(&str) -> Option<PathBuf>,
) -> Result<Box<dyn Chat>, Error> {
    if is_address(spec) {
        let (address, model) = spec.split_once('#').ok_or(ErrorKind::NoModelName)?;
        return Ok(Box::new(RemoteChat::new(address, model, key)?));
    }
    let path = find(spec).or_else(|| Some(PathBuf::from(spec)).filter(|path| path.exists()));
    let missing = || Error::from(ErrorKind::NoSuchModel { name: spec.to_owned() }).of(spec);
    Ok(Box::new(LocalChat::open(&path.ok_or_else(missing)?)?))
}
