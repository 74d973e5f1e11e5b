//! Places of a document: the numbers of items and fields, from the outside in.

use crate::json::Json;

/// The value at a place.
pub(super) fn at<'j>(node: &'j mut Json, place: &[usize]) -> Option<&'j mut Json> {
    place.iter().try_fold(node, |node, &index| match node {
        Json::Array(items) => items.get_mut(index),
        Json::Object(fields) => fields.get_mut(index).map(|(_, value)| value),
        _ => None,
    })
}
