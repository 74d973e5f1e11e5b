//! The settings of a sentence encoder: pooling, normalisation and length.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::pooling::Pooling;
use crate::weights::{is_plain_name, read_small};
use crate::{Error, ErrorKind};

/// The largest settings file accepted.
const MAX_BYTES: u64 = 1 << 20;
const FORMAT: &str = "JSON";
/// Some files give a huge number instead of no limit.
const NO_LIMIT: u64 = 1 << 24;

/// How token states become the vector of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EncoderSettings {
    pub(super) pooling: Pooling,
    /// Whether vectors are normalised to length 1.
    pub(super) normalise: bool,
    /// The longest text in tokens, if a file limits it.
    pub(super) max_tokens: Option<usize>,
}

impl EncoderSettings {
    /// Reads `modules.json`, the folder of the pooling module, `sentence_bert_config.json` and
    /// `tokenizer_config.json`, as far as they exist. The folder of a plain encoder has none of
    /// them; then the vector is the mean of the states.
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let mut settings = Self { pooling: Pooling::Mean, normalise: false, max_tokens: max_tokens(folder)? };
        let Some(modules) = read(&folder.join("modules.json"))? else {
            return Ok(settings);
        };
        let wrong =
            || Error::corrupt(FORMAT, "it is not a list of modules").in_file(folder.join("modules.json"));
        for module in modules.as_array().ok_or_else(wrong)? {
            let kind = module.get("type").and_then(Value::as_str).ok_or_else(wrong)?;
            let path = module.get("path").and_then(Value::as_str).unwrap_or_default();
            match kind.rsplit('.').next().unwrap_or(kind) {
                "Transformer" if path.is_empty() => (),
                "Pooling" => settings.pooling = pooling(&inside(folder, path)?.join("config.json"))?,
                "Normalize" => settings.normalise = true,
                _ => return Err(unsupported("one of the modules in modules.json").in_file(folder)),
            }
        }
        Ok(settings)
    }
}

/// Returns the folder of a module.
fn inside(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    match is_plain_name(name) {
        true => Ok(folder.join(name)),
        false => Err(Error::corrupt(FORMAT, "a module's path is not a plain name")
            .in_file(folder.join("modules.json"))),
    }
}

fn pooling(path: &Path) -> Result<Pooling, Error> {
    let settings = read(path)?.unwrap_or_default();
    let modes = [
        ("pooling_mode_cls_token", Pooling::First),
        ("pooling_mode_mean_tokens", Pooling::Mean),
        ("pooling_mode_mean_sqrt_len_tokens", Pooling::MeanByRoot),
        ("pooling_mode_max_tokens", Pooling::Max),
    ];
    let set = |name: &str| settings.get(name).and_then(Value::as_bool).unwrap_or(false);
    if set("pooling_mode_weightedmean_tokens") || set("pooling_mode_lasttoken") {
        return Err(unsupported("this pooling method").in_file(path));
    }
    let mut chosen = modes.iter().filter(|(name, _)| set(name)).map(|&(_, mode)| mode);
    match (chosen.next(), chosen.next()) {
        (Some(mode), None) => Ok(mode),
        (None, _) => Ok(Pooling::Mean),
        _ => Err(unsupported("more than one pooling method").in_file(path)),
    }
}

/// Returns the smallest limit of the files.
fn max_tokens(folder: &Path) -> Result<Option<usize>, Error> {
    let limit = |file: &str, field: &str| -> Result<Option<usize>, Error> {
        let path = folder.join(file);
        let Some(value) = read(&path)?.and_then(|settings| settings.get(field).cloned()) else {
            return Ok(None);
        };
        // Some files write "no limit" as null, some as 10³⁰.
        match value.as_f64().filter(|_| !value.is_null()) {
            Some(number) if number >= 1.0 && number < NO_LIMIT as f64 => Ok(Some(number as usize)),
            Some(number) if number < 1.0 => {
                Err(Error::corrupt(FORMAT, format!("{field:?} is below 1")).in_file(&path))
            }
            _ => Ok(None),
        }
    };
    let found = [
        limit("sentence_bert_config.json", "max_seq_length")?,
        limit("tokenizer_config.json", "model_max_length")?,
    ];
    Ok(found.into_iter().flatten().min())
}

/// Reads a JSON file, or returns `None` if it does not exist.
fn read(path: &Path) -> Result<Option<Value>, Error> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = read_small(path, FORMAT, MAX_BYTES)?;
    // serde's message may quote the file, so only the position is reported.
    serde_json::from_slice(&bytes).map(Some).map_err(|e| {
        Error::corrupt(FORMAT, format!("error at line {} column {}", e.line(), e.column())).in_file(path)
    })
}

fn unsupported(what: &str) -> Error {
    let advice = "use a model with CLS, mean or max pooling, followed by nothing or a normalisation";
    ErrorKind::Unsupported { what: what.to_owned(), advice }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    const MODULES: &str = r#"[{"path": "", "type": "sentence_transformers.models.Transformer"},
        {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]"#;

    #[test]
    fn a_plain_encoder_has_default_settings() {
        let wanted = EncoderSettings { pooling: Pooling::Mean, normalise: false, max_tokens: None };
        assert_eq!(EncoderSettings::open(folder(&[]).path()).unwrap(), wanted);
    }

    #[test]
    fn settings_are_read_from_the_usual_files() {
        let files = [
            ("modules.json", MODULES),
            (
                "1_Pooling/config.json",
                r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
            ),
            ("sentence_bert_config.json", r#"{"max_seq_length": 256}"#),
            ("tokenizer_config.json", r#"{"model_max_length": 512}"#),
        ];
        let wanted = EncoderSettings { pooling: Pooling::First, normalise: true, max_tokens: Some(256) };
        assert_eq!(EncoderSettings::open(folder(&files).path()).unwrap(), wanted);
        let none = [("sentence_bert_config.json", r#"{"max_seq_length": null}"#)];
        assert_eq!(EncoderSettings::open(folder(&none).path()).unwrap().max_tokens, None);
        let endless = [("tokenizer_config.json", r#"{"model_max_length": 1000000000000000019884624838656}"#)];
        assert_eq!(EncoderSettings::open(folder(&endless).path()).unwrap().max_tokens, None);
    }

    #[test]
    fn unsupported_modules_are_errors() {
        let open =
            |files: &[(&str, &str)]| EncoderSettings::open(folder(files).path()).unwrap_err().to_string();
        let dense = r#"[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#;
        assert!(open(&[("modules.json", dense)]).contains("not supported"));
        let pooling = |text| open(&[("modules.json", MODULES), ("1_Pooling/config.json", text)]);
        assert!(pooling(r#"{"pooling_mode_lasttoken": true}"#).contains("not supported"));
        assert!(
            pooling(r#"{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}"#)
                .contains("more than one")
        );
        assert!(pooling("{").contains("line 1"));
        let outside = r#"[{"path": "../1_Pooling", "type": "sentence_transformers.models.Pooling"}]"#;
        assert!(open(&[("modules.json", outside)]).contains("not a plain name"));
        assert!(open(&[("sentence_bert_config.json", r#"{"max_seq_length": 0}"#)]).contains("below 1"));
    }
}
