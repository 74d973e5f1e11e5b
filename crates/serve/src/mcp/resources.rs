//! Receipts of the last releases of a caller, as resources.

use super::{NO_RESOURCE, Wrong};
use crate::json::Json;
use crate::receipts::Receipts;
use crate::secret::CallerId;

const ADDRESS: &str = "inkveil://receipts/";
/// The address of any receipt.
pub(super) const TEMPLATE: &str = "inkveil://receipts/{id}";
const KIND: &str = "application/json";
const ABOUT: &str =
    "What is guaranteed for a release, what was measured, and what is not covered. It holds no text.";
/// The number of receipts of a page.
const PAGE: usize = 50;

/// The receipts, the last one first. A page begins after the receipt that the cursor names.
///
/// # Errors
/// If the cursor names no receipt.
pub(super) fn list(receipts: &Receipts, owner: CallerId, params: &Json) -> Result<Json, Wrong> {
    let ids = receipts.ids_of(owner);
    let start = match params.get("cursor") {
        None => 0,
        Some(cursor) => {
            let last = ids.iter().position(|id| Some(id.as_str()) == cursor.as_str());
            last.ok_or_else(|| Wrong::params("there is no such page"))? + 1
        }
    };
    let rest = ids.get(start..).unwrap_or_default();
    let page = rest.get(..PAGE).unwrap_or(rest);
    let resource = |id: &String| {
        Json::object([
            ("uri", Json::text(format!("{ADDRESS}{id}"))),
            ("name", Json::text(format!("receipt {id}"))),
            ("description", Json::text(ABOUT)),
            ("mimeType", Json::text(KIND)),
        ])
    };
    let mut result = Json::object([("resources", Json::Array(page.iter().map(resource).collect()))]);
    if let Some(last) = page.last().filter(|_| page.len() < rest.len()) {
        result.set("nextCursor", Json::text(last));
    }
    Ok(result)
}

/// How a client that knows the id of a receipt addresses it.
pub(super) fn templates() -> Json {
    let template = Json::object([
        ("uriTemplate", Json::text(TEMPLATE)),
        ("name", Json::text("receipt")),
        ("description", Json::text(ABOUT)),
        ("mimeType", Json::text(KIND)),
    ]);
    Json::object([("resourceTemplates", Json::Array(vec![template]))])
}

/// A receipt.
///
/// # Errors
/// If the caller has no such receipt.
pub(super) fn read(receipts: &Receipts, owner: CallerId, params: &Json) -> Result<Json, Wrong> {
    let uri =
        params.str_of("uri").ok_or_else(|| Wrong::params("give the address of a resource in \"uri\""))?;
    let receipt = uri.strip_prefix(ADDRESS).and_then(|id| receipts.get_of(owner, id));
    let receipt = receipt.ok_or_else(|| Wrong::new(NO_RESOURCE, "there is no such resource"))?;
    let content = Json::object([
        ("uri", Json::text(uri)),
        ("mimeType", Json::text(KIND)),
        ("text", Json::text(receipt)),
    ]);
    Ok(Json::object([("contents", Json::Array(vec![content]))]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::GatewaySecret;

    fn owners() -> (CallerId, CallerId) {
        let secret = GatewaySecret::fresh().unwrap();
        (secret.caller("one"), secret.caller("two"))
    }

    fn list_of(receipts: &Receipts, owner: CallerId, params: &Json) -> (Vec<String>, Option<String>) {
        let Ok(result) = list(receipts, owner, params) else { return (Vec::new(), Some("wrong".to_owned())) };
        let uris = result.get("resources").map(Json::items).unwrap_or_default().iter();
        let uris = uris.map(|item| item.str_of("uri").unwrap_or_default().to_owned()).collect();
        (uris, result.str_of("nextCursor").map(str::to_owned))
    }

    #[test]
    fn every_receipt_is_on_one_page_the_last_one_first() {
        let ((one, two), receipts) = (owners(), Receipts::default());
        let ids: Vec<String> = (0..120).map(|n| receipts.keep(one, format!("{{\"n\":{n}}}"))).collect();
        receipts.keep(two, "{}".to_owned());
        let (mut all, mut params) = (Vec::new(), Json::object([]));
        for size in [50, 50, 20] {
            let (page, next) = list_of(&receipts, one, &params);
            assert_eq!((page.len(), next.is_some()), (size, size == 50));
            all.extend(page);
            params = next.map_or(Json::object([]), |next| Json::object([("cursor", Json::text(next))]));
        }
        let expected: Vec<String> = ids.iter().rev().map(|id| format!("{ADDRESS}{id}")).collect();
        assert_eq!(all, expected);
        for cursor in [Json::text("x"), Json::count(7_u32), Json::Null] {
            assert!(list(&receipts, one, &Json::object([("cursor", cursor)])).is_err());
        }
    }

    #[test]
    fn a_caller_reads_its_own_receipts_alone() {
        let ((one, two), receipts) = (owners(), Receipts::default());
        let id = receipts.keep(one, "{\"a\":1}".to_owned());
        let params = |uri: &str| Json::object([("uri", Json::text(uri))]);
        let uri = format!("{ADDRESS}{id}");
        let read_by = |owner, uri: &str| read(&receipts, owner, &params(uri)).map_err(|wrong| wrong.code);
        let content =
            read_by(one, &uri).map(|result| result.get("contents").unwrap().items()[0].clone()).unwrap();
        assert_eq!((content.str_of("text"), content.str_of("uri")), (Some("{\"a\":1}"), Some(uri.as_str())));
        for (owner, uri) in
            [(two, uri.as_str()), (one, "inkveil://receipts/x"), (one, &id), (one, "file:///etc")]
        {
            assert_eq!(read_by(owner, uri).unwrap_err(), NO_RESOURCE, "{uri}");
        }
        assert!(list_of(&receipts, two, &Json::object([])).0.is_empty());
        // Both may have the same one.
        assert_eq!(receipts.keep(two, "{\"a\":1}".to_owned()), id);
        assert!(read_by(two, &uri).is_ok() && read_by(one, &uri).is_ok());
    }
}
