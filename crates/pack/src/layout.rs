//! The files of a model in the layout of Hugging Face.

use crate::path::file_name;

/// Describes a file by its name. The descriptions are part of manifests, so they do not change.
pub(crate) fn about(path: &str) -> &'static str {
    let name = file_name(path);
    match name {
        "config.json" if path.contains('/') => "settings of a module",
        "config.json" => "the model's shape",
        "tokenizer.json" => "the tokenizer",
        "vocab.txt" | "vocab.json" => "the tokenizer's vocabulary",
        "merges.txt" => "the tokenizer's merges",
        "modules.json" => "the modules and their order",
        "model.safetensors.index.json" => "which file holds which weights",
        _ if is_weights(name) => "weights",
        _ if is_notice(name) => "words on the licence or the model",
        _ if name.starts_with("tokenizer") || name.starts_with("special_tokens") => {
            "settings of the tokenizer"
        }
        _ => "settings",
    }
}

/// Whether a file contains weights in a format that cannot run code.
pub(crate) fn is_weights(name: &str) -> bool {
    has_extension(name, "safetensors") || has_extension(name, "gguf")
}

/// Whether a file contains weights as a pickle or in another format that may run code.
pub(crate) fn is_pickle(name: &str) -> bool {
    ["bin", "pt", "pth", "pkl", "pickle", "ckpt", "h5", "msgpack", "joblib"]
        .iter()
        .any(|extension| has_extension(name, extension))
}

/// Whether a file is needed in addition to the weights.
pub(crate) fn is_companion(name: &str) -> bool {
    is_notice(name)
        || matches!(
            name,
            "config.json"
                | "generation_config.json"
                | "config_sentence_transformers.json"
                | "sentence_bert_config.json"
                | "modules.json"
                | "tokenizer.json"
                | "tokenizer_config.json"
                | "tokenizer.model"
                | "special_tokens_map.json"
                | "added_tokens.json"
                | "vocab.txt"
                | "vocab.json"
                | "merges.txt"
                | "spiece.model"
                | "sentencepiece.bpe.model"
                | "chat_template.jinja"
        )
}

/// Whether a file is a licence, a notice or a readme.
pub(crate) fn is_notice(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["LICENSE", "LICENCE", "NOTICE", "README", "COPYING"]
        .iter()
        .any(|word| upper.strip_prefix(word).is_some_and(|rest| matches!(rest, "" | ".MD" | ".TXT")))
}

/// Whether a folder contains a module of a sentence encoder, for example `1_Pooling`.
pub(crate) fn is_module_folder(folder: &str) -> bool {
    let mut parts = folder.splitn(2, '_');
    let number = parts.next().unwrap_or_default();
    !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
        && parts
            .next()
            .is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(stem, found)| !stem.is_empty() && found.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_files_by_name() {
        assert!(is_weights("model.safetensors") && is_weights("a.Q4_1.GGUF") && !is_weights("safetensors"));
        assert!(is_pickle("pytorch_model.bin") && !is_pickle("model.safetensors"));
        assert!(is_notice("LICENSE") && is_notice("README.md") && !is_notice("licenses.py"));
        assert!(is_module_folder("1_Pooling") && !is_module_folder("onnx") && !is_module_folder("_a"));
        assert_eq!(about("1_Pooling/config.json"), "settings of a module");
        assert_eq!(about("a/model.safetensors"), "weights");
    }
}
