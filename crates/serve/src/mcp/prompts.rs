//! A prompt that asks about a text without showing it to the model, and completions of its arguments.

use std::sync::Arc;

use super::{INTERNAL_ERROR, Wrong, resources, run};
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native;
use crate::receipts::Receipts;
use crate::secret::CallerId;

const NAME: &str = "ask_veiled";
const ABOUT: &str = "Ask about a text without showing it: the model gets a veiled question and a veiled text. Put the originals back into its \
     answer with the tool restore, with the texts [question, text] and the same session and mode.";
const MODES: [&str; 3] = ["surrogates", "placeholders", "stamp"];

/// The arguments: name, description, whether it is required.
const ARGUMENTS: [(&str, &str, bool); 4] = [
    ("question", "What to do with the text.", true),
    ("text", "The text. It is veiled on this machine.", true),
    ("mode", "How texts are veiled: surrogates, placeholders or stamp.", false),
    ("session", "A name. The same session gives the same replacements.", false),
];

/// The prompts.
pub(super) fn list() -> Json {
    let argument = |(name, about, is_required): (&str, &str, bool)| {
        Json::object([
            ("name", Json::text(name)),
            ("description", Json::text(about)),
            ("required", Json::Bool(is_required)),
        ])
    };
    let prompt = Json::object([
        ("name", Json::text(NAME)),
        ("title", Json::text("Ask about a veiled text")),
        ("description", Json::text(ABOUT)),
        ("arguments", Json::Array(ARGUMENTS.map(argument).to_vec())),
    ]);
    Json::object([("prompts", Json::Array(vec![prompt]))])
}

/// The message of the prompt.
///
/// # Errors
/// If there is no such prompt, an argument is wrong, or veiling fails. No text is in the answer then.
pub(super) async fn get(gateway: &Arc<Gateway>, caller: Caller, params: &Json) -> Result<Json, Wrong> {
    if params.str_of("name") != Some(NAME) {
        return Err(Wrong::params("there is no such prompt"));
    }
    let given = params.get("arguments").map(Json::fields).unwrap_or_default();
    let is_known = |key: &str| ARGUMENTS.iter().any(|(name, ..)| *name == key);
    if !given.iter().all(|(key, value)| is_known(key) && value.as_str().is_some()) {
        return Err(Wrong::params("the arguments are strings: question, text, mode and session"));
    }
    let argument = |name: &str| given.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let (Some(question), Some(text)) = (argument("question"), argument("text")) else {
        return Err(Wrong::params("the arguments question and text are required"));
    };
    let mut document = Json::object([("texts", Json::Array(vec![question, text]))]);
    for name in ["mode", "session"] {
        if let Some(value) = argument(name) {
            document.set(name, value);
        }
    }
    let veiled = run(gateway, caller, native::veil, document).await.map_err(|failure| {
        match failure.status.is_client_error() {
            true => Wrong::params(&failure.message),
            false => Wrong::new(INTERNAL_ERROR, failure.message),
        }
    })?;
    let texts: Vec<&str> =
        veiled.get("texts").map(Json::items).unwrap_or_default().iter().filter_map(Json::as_str).collect();
    let content = Json::object([("type", Json::text("text")), ("text", Json::text(texts.join("\n\n")))]);
    let message = Json::object([("role", Json::text("user")), ("content", content)]);
    Ok(Json::object([("description", Json::text(ABOUT)), ("messages", Json::Array(vec![message]))]))
}

/// The most values of a completion.
const MOST_VALUES: usize = 100;

/// Completes an argument of the prompt, or the id of a receipt.
///
/// # Errors
/// If there is no such prompt, resource or argument.
pub(super) fn complete(receipts: &Receipts, owner: CallerId, params: &Json) -> Result<Json, Wrong> {
    let of =
        |key: &str, field: &str| params.get(key).and_then(|value| value.str_of(field)).unwrap_or_default();
    let (name, begun) = (of("argument", "name"), of("argument", "value"));
    let known: Vec<String> = match (of("ref", "type"), of("ref", "name"), of("ref", "uri")) {
        ("ref/prompt", NAME, _) if name == "mode" => MODES.map(str::to_owned).to_vec(),
        ("ref/prompt", NAME, _) if ARGUMENTS.iter().any(|(known, ..)| *known == name) => Vec::new(),
        ("ref/resource", _, resources::TEMPLATE) if name == "id" => receipts.ids_of(owner),
        _ => return Err(Wrong::params("there is nothing to complete under this name")),
    };
    let mut values: Vec<String> = known.into_iter().filter(|value| value.starts_with(begun)).collect();
    let total = values.len();
    values.truncate(MOST_VALUES);
    let completion = Json::object([
        ("total", Json::count(total)),
        ("hasMore", Json::Bool(total > values.len())),
        ("values", Json::Array(values.into_iter().map(Json::String).collect())),
    ]);
    Ok(Json::object([("completion", completion)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::GatewaySecret;

    #[test]
    fn modes_and_ids_are_completed() {
        let (receipts, owner) = (Receipts::default(), GatewaySecret::fresh().unwrap().caller("one"));
        let id = receipts.keep(owner, "{}".to_owned());
        let completed = |of: &str, name: &str, value: &str| {
            let params = format!(r#"{{"ref":{of},"argument":{{"name":"{name}","value":"{value}"}}}}"#);
            let result = complete(&receipts, owner, &Json::parse(params.as_bytes()).unwrap()).ok()?;
            let values = result.get("completion")?.get("values")?.items().iter();
            Some(values.map(|value| value.as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>())
        };
        let prompt = r#"{"type":"ref/prompt","name":"ask_veiled"}"#;
        let receipt = r#"{"type":"ref/resource","uri":"inkveil://receipts/{id}"}"#;
        assert_eq!(completed(prompt, "mode", "s").unwrap(), ["surrogates", "stamp"]);
        assert_eq!(completed(prompt, "text", "").unwrap(), Vec::<String>::new());
        assert_eq!(completed(receipt, "id", &id[..3]).unwrap(), [id]);
        for (of, name) in
            [(prompt, "x"), (receipt, "x"), (r#"{"type":"ref/prompt","name":"x"}"#, "mode"), ("7", "mode")]
        {
            assert_eq!(completed(of, name, ""), None, "{of} {name}");
        }
    }
}
