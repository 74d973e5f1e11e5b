//! Reads what the user decided about words.

use inkveil::detect::Kind;
use inkveil::{Override, OverrideAction, OverrideTarget, Overrides};

use super::places::Utf16;
use crate::error::Failure;
use crate::json::Json;

/// The decisions of a document: a list of objects with `action`, and either `literal`, or `start` and `end`.
///
/// # Errors
/// If one of them cannot be read.
pub(super) fn overrides(document: &Json, text: &str) -> Result<Overrides, Failure> {
    let wrong = || {
        let message =
            "a decision has an action (keep, replace, another), and a literal or a start and an end";
        Failure::bad("overrides", message)
    };
    let items = document.get("overrides").map_or(&[][..], Json::items);
    let places = if items.is_empty() { None } else { Some(Utf16::of(text)) };
    let read = |item: &Json| -> Option<Override> {
        let action = match item.str_of("action")? {
            "keep" => OverrideAction::Keep,
            "replace" => OverrideAction::Replace,
            "another" => OverrideAction::Another,
            _ => return None,
        };
        let what = match item.str_of("literal") {
            Some(literal) => OverrideTarget::Literal(literal.to_owned()),
            None => {
                let place = |key| item.get(key).and_then(Json::as_u64);
                OverrideTarget::Span(places.as_ref()?.bytes(place("start")?, place("end")?)?)
            }
        };
        Some(Override { what, action, kind: item.str_of("kind").map(Kind::named) })
    };
    let decisions: Option<Vec<Override>> = items.iter().map(read).collect();
    Overrides::new(decisions.ok_or_else(wrong)?).map_err(|_| wrong())
}
