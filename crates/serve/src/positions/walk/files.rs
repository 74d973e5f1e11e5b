//! Images, sounds and files of a request.

use super::Walker;
use super::document::Form;
use super::leaf::Vault;
use super::place::at;
use super::refusal::{FREE_TEXT, MEDIA, Refusal};
use crate::json::Json;
use crate::positions::media::{is_media, text_file};
use crate::positions::names::is_name;

impl Walker<'_> {
    /// Reads the text of a file. What is not text is refused, unless the operator lets it pass. Text beside a file never
    /// passes.
    pub(super) fn media(&mut self, node: &mut Json) -> Result<(), Refusal> {
        let Some((field, file)) = text_file(node) else {
            return match self.media_passes {
                true => self.passing_media(node),
                false => Err(self.refuse(MEDIA)),
            };
        };
        let inner = match field {
            Some(field) => at(node, &[field]).ok_or_else(|| self.refuse(MEDIA))?,
            None => node,
        };
        let original = inner.as_str().unwrap_or_default().to_owned();
        let document = if file.is_json { Json::parse(file.text.as_bytes()).ok() } else { None };
        let (content, form) = match document {
            Some(document) => (document, Form::Base64Json(file.prefix)),
            None => (Json::String(file.text), Form::Base64(file.prefix)),
        };
        *inner = content;
        self.place.extend(field);
        self.inner(inner, original, form, Vault::Open, None)?;
        if field.is_some() {
            self.place.pop();
        }
        Ok(())
    }

    /// Lets a file pass, with what says which one it is.
    fn passing_media(&mut self, node: &mut Json) -> Result<(), Refusal> {
        match node {
            Json::String(text) if !is_media(text) => Err(self.refuse(FREE_TEXT)),
            Json::Object(fields) if !fields.iter().all(|(key, _)| is_name(key)) => {
                Err(self.refuse(FREE_TEXT))
            }
            Json::Object(fields) => self.each_media(fields.iter_mut().map(|(_, value)| value)),
            Json::Array(items) => self.each_media(items.iter_mut()),
            _ => Ok(()),
        }
    }

    fn each_media<'j>(&mut self, nodes: impl Iterator<Item = &'j mut Json>) -> Result<(), Refusal> {
        for (index, node) in nodes.enumerate() {
            self.place.push(index);
            self.media(node)?;
            self.place.pop();
        }
        Ok(())
    }
}
