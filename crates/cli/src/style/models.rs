//! The language model that the user named, as a rewriter.

use std::path::Path;

use inkveil_nn::Device;
use inkveil_style::RewriteModel;

use crate::chat;

/// Opens a model that was pulled, a folder or file, or one behind an address.
pub(super) fn open(model: &str, adapters: Option<&Path>, device: Device) -> anyhow::Result<RewriteModel> {
    let name = chat::public_name(model);
    if chat::is_address(model) {
        return Ok(RewriteModel::behind_address(&name, chat::open(model)?));
    }
    Ok(RewriteModel::local(&name, &chat::find(model)?, adapters, &device)?)
}
