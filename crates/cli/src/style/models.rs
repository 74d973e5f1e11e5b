//! The language model that a user named, as a writer.

use std::path::Path;

use inkveil::chat::LocalChat;
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
    if chat::is_address(model) {
        return Ok(Box::new(ChatWriter(chat::open(model)?)));
    }
    let folder = chat::find(model)?;
    if device.is_cpu() {
        return Ok(Box::new(ChatWriter(Box::new(LocalChat::open_with_adapters(&folder, adapters)?))));
    }
    Ok(Box::new(Policy::open(&folder, adapters, Learning::Nothing, &device)?))
}
