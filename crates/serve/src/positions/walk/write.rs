//! Puts the veiled texts in their place.

use super::Walker;
use super::leaf::LeafKind;
use super::place::at;
use super::refusal::Refusal;
use crate::json::{Json, is_number};

impl Walker<'_> {
    /// Puts veiled texts in the place of the texts.
    ///
    /// # Errors
    /// If there are more or fewer of them, or a place is gone. Nothing may leave then.
    pub(crate) fn write(self, request: &mut Json, veiled: Vec<String>) -> Result<(), Refusal> {
        let lost = || Refusal { path: "body".to_owned(), why: "a text got lost" };
        if veiled.len() != self.leaves.len() {
            return Err(lost());
        }
        let mut changed = vec![false; self.documents.len()];
        for (leaf, mut text) in self.leaves.iter().zip(veiled) {
            if text != leaf.text {
                let mut within = leaf.within;
                while let Some(number) = within {
                    *changed.get_mut(number).ok_or_else(lost)? = true;
                    within = self.documents.get(number).and_then(|document| document.within);
                }
            } else if let Some(spelling) = &leaf.spelling {
                text.clone_from(spelling);
            }
            match leaf.kind {
                LeafKind::Key => {
                    let (last, parent) = leaf.place.split_last().ok_or_else(lost)?;
                    match at(request, parent) {
                        Some(Json::Object(fields)) => fields.get_mut(*last).ok_or_else(lost)?.0 = text,
                        _ => return Err(lost()),
                    }
                }
                LeafKind::Text => *at(request, &leaf.place).ok_or_else(lost)? = Json::String(text),
                LeafKind::Number => {
                    let number = if is_number(&text) { Json::Number(text) } else { Json::String(text) };
                    *at(request, &leaf.place).ok_or_else(lost)? = number;
                }
            }
        }
        // A document inside another one was found after it.
        for (document, changed) in self.documents.into_iter().zip(changed).rev() {
            let node = at(request, &document.place).ok_or_else(lost)?;
            let text = document.written(node, changed).ok_or_else(lost)?;
            *node = Json::String(text);
        }
        Ok(())
    }
}
