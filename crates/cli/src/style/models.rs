//! The language model that the user named, as a rewriter.

use std::path::Path;

use inkveil::nn::Device;
use inkveil::style::RewriteModel;

/// Opens a model that was pulled, a folder or file, or one behind an address.
pub(super) fn open(model: &str, adapters: Option<&Path>, device: Device) -> anyhow::Result<RewriteModel> {
    let name = inkveil::public_model_name(model);
    if inkveil::is_remote(model) {
        return Ok(RewriteModel::behind_address(&name, inkveil::open_model(model)?));
    }
    Ok(RewriteModel::local(&name, &inkveil::model_path(model)?, adapters, &device)?)
}
