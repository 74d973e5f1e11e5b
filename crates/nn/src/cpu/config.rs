//! The settings of an encoder's folder, as far as inference needs them.

use std::path::Path;

use crate::layers::Activation;
use crate::models::settings::Settings;
use crate::models::{BertConfig, BertKind, MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH};
use crate::{Error, ErrorKind};

/// Reads the `config.json` of a folder.
pub(super) fn open(folder: &Path) -> Result<BertConfig, Error> {
    let path = folder.join("config.json");
    Settings::open(&path).and_then(|settings| read(&settings).map_err(|e| e.in_file(&path)))
}

fn read(settings: &Settings) -> Result<BertConfig, Error> {
    let kind = match settings.text("model_type")? {
        "bert" => BertKind::Bert,
        "roberta" | "xlm-roberta" | "camembert" => BertKind::Roberta,
        "mpnet" => BertKind::Mpnet,
        _ => {
            let what = "this model_type".to_owned();
            let advice = "use a bert, roberta, xlm-roberta, camembert or mpnet";
            return Err(ErrorKind::Unsupported { what, advice }.into());
        }
    };
    if settings.text_or("position_embedding_type", "absolute")? != "absolute" {
        let what = "must be \"absolute\"".to_owned();
        return Err(ErrorKind::Config { field: "position_embedding_type", what }.into());
    }
    let vocabulary = settings.size("vocab_size", 1..=MAX_VOCABULARY)?;
    let padding = |default| settings.size_or("pad_token_id", 0..=vocabulary - 1, default);
    Ok(BertConfig {
        kind,
        vocabulary,
        width: settings.size("hidden_size", 1..=MAX_WIDTH)?,
        layers: settings.size("num_hidden_layers", 1..=MAX_LAYERS)?,
        heads: settings.size("num_attention_heads", 1..=MAX_WIDTH)?,
        inner: settings.size("intermediate_size", 1..=MAX_WIDTH)?,
        positions: settings.size("max_position_embeddings", 3..=MAX_VOCABULARY)?,
        types: match kind {
            BertKind::Mpnet => 0,
            _ => settings.size_or("type_vocab_size", 0..=MAX_WIDTH, 2)?,
        },
        padding: match kind {
            BertKind::Bert => padding(0)? as u32,
            BertKind::Roberta => padding(1)? as u32,
            // Whatever its config says: the table of positions was trained with this.
            BertKind::Mpnet => 1,
        },
        buckets: settings.size_or("relative_attention_num_buckets", 4..=MAX_WIDTH, 32)?,
        eps: settings.number_or("layer_norm_eps", 0.0..=1.0, 1e-12)?,
        activation: Activation::from_config("hidden_act", settings.text_or("hidden_act", "gelu")?)?,
        ..BertConfig::default()
    })
}
