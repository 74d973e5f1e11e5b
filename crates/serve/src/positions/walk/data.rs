//! Collects every leaf of a value: strings, keys and long numbers, also in documents inside strings.

use super::Walker;
use super::document::{Document, Form};
use super::leaf::{Leaf, LeafKind, Vault};
use super::refusal::Refusal;
use crate::answer::SEALED;
use crate::json::Json;
use crate::positions::escapes::{escaped_document, readable, whole_number};
use crate::positions::names::is_name;

/// A number with fewer digits says little.
const LONG_NUMBER: usize = 7;

impl Walker<'_> {
    fn leaf(&mut self, text: &str, kind: LeafKind, vault: Vault, context: Option<&str>) {
        let read = if kind == LeafKind::Number { whole_number(text) } else { readable(text) };
        let (text, spelling) = match read {
            Some(read) => (read, Some(text.to_owned())),
            None => (text.to_owned(), None),
        };
        self.leaves.push(Leaf {
            text,
            spelling,
            kind,
            vault,
            context: context.map(str::to_owned),
            by_user: self.by_user,
            message: self.message,
            place: self.place.clone(),
            within: self.within,
        });
    }

    pub(super) fn text(
        &mut self,
        node: &mut Json,
        vault: Vault,
        context: Option<&str>,
    ) -> Result<(), Refusal> {
        let text = node.as_str().unwrap_or_default();
        match escaped_document(text) {
            Some(content) => self.document(node, content, vault, context),
            None => {
                self.leaf(text, LeafKind::Text, vault, context);
                Ok(())
            }
        }
    }

    /// Puts the content of a document in the place of the string that holds it, and collects its leaves.
    pub(super) fn document(
        &mut self,
        node: &mut Json,
        content: Json,
        vault: Vault,
        context: Option<&str>,
    ) -> Result<(), Refusal> {
        let Json::String(original) = std::mem::replace(node, content) else {
            return Err(self.refuse("a string is needed here"));
        };
        self.inner(node, original, Form::Json, vault, context)
    }

    /// Collects every leaf of the content of a document.
    pub(super) fn inner(
        &mut self,
        content: &mut Json,
        original: String,
        form: Form,
        vault: Vault,
        context: Option<&str>,
    ) -> Result<(), Refusal> {
        let within = self.within.replace(self.documents.len());
        self.documents.push(Document { place: self.place.clone(), within, original, form });
        self.data(content, vault, context)?;
        self.within = within;
        Ok(())
    }

    /// Collects every leaf of a value.
    pub(super) fn data(
        &mut self,
        node: &mut Json,
        vault: Vault,
        context: Option<&str>,
    ) -> Result<(), Refusal> {
        match node {
            Json::Null | Json::Bool(_) => {}
            Json::Number(number) => {
                if number.bytes().filter(u8::is_ascii_digit).count() >= LONG_NUMBER {
                    self.leaf(number, LeafKind::Number, vault, context);
                }
            }
            Json::String(_) => self.text(node, vault, context)?,
            Json::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.place.push(index);
                    self.data(item, vault, context)?;
                    self.place.pop();
                }
            }
            Json::Object(fields) => {
                for (index, (key, value)) in fields.iter_mut().enumerate() {
                    // Citations hold such values beside texts.
                    if let Json::String(sealed) = &*value
                        && SEALED.contains(&key.as_str())
                        && let Some(opened) = self.seals.open(sealed, "")
                    {
                        *value = Json::String(opened);
                        continue;
                    }
                    self.place.push(index);
                    self.leaf(key, LeafKind::Key, vault, None);
                    // The words of a schema say nothing about their values.
                    let named = vault == Vault::Open && is_name(key);
                    self.data(value, vault, if named { Some(key.as_str()) } else { None })?;
                    self.place.pop();
                }
            }
        }
        Ok(())
    }
}
