//! Walks a request with a table: collects the texts to veil and puts the veiled texts in their place.

mod data;
mod document;
mod files;
mod leaf;
mod place;
mod refusal;
mod seals;
#[cfg(test)]
mod tests;
mod write;

use self::document::Document;
pub(crate) use self::leaf::{Leaf, Vault};
pub(crate) use self::refusal::Refusal;
use self::refusal::{FREE_TEXT, NUMBERS, SEAL, UNKNOWN};
pub(crate) use self::seals::Seals;
use super::names::is_name;
use super::table::{Action, Alive, Table};
use crate::json::Json;

/// The walk over one request.
pub(crate) struct Walker<'w> {
    table: &'w Table,
    seals: &'w dyn Seals,
    media_passes: bool,
    leaves: Vec<Leaf>,
    documents: Vec<Document>,
    /// The number of the innermost document that is walked.
    within: Option<usize>,
    place: Vec<usize>,
    path: Vec<String>,
    by_user: bool,
    message: usize,
    /// Whether the object that is walked is a thought whose seal is right.
    is_sealed_thought: bool,
}

impl<'w> Walker<'w> {
    /// Collects the texts of a request. What stands in the request afterwards is not yet fit to leave.
    ///
    /// # Errors
    /// If a position is not covered, or must not be used.
    pub(crate) fn collect(
        table: &'w Table,
        seals: &'w dyn Seals,
        media_passes: bool,
        request: &mut Json,
    ) -> Result<Self, Refusal> {
        let mut walker = Self {
            table,
            seals,
            media_passes,
            leaves: Vec::new(),
            documents: Vec::new(),
            within: None,
            place: Vec::new(),
            path: Vec::new(),
            by_user: false,
            message: 0,
            is_sealed_thought: false,
        };
        if !matches!(request, Json::Object(_)) {
            return Err(Refusal { path: "body".to_owned(), why: "the body is not an object" });
        }
        walker.node(request, &table.all(), 0)?;
        // Definitions and instructions come first, because they are the same in every request of a conversation.
        walker.leaves.sort_by_key(|leaf| leaf.vault);
        Ok(walker)
    }

    /// The texts, in the order in which they are veiled.
    pub(crate) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    fn refuse(&self, why: &'static str) -> Refusal {
        Refusal { path: self.path.join(""), why }
    }

    fn node(&mut self, node: &mut Json, alive: &Alive, depth: usize) -> Result<(), Refusal> {
        let (action, goes_on, inside_first) = self.table.here(alive, depth);
        match node {
            Json::Null if action.is_some() || goes_on => Ok(()),
            Json::Array(_) | Json::Object(_) if inside_first || !action.is_some_and(Action::takes_all) => {
                if !goes_on {
                    return Err(self.refuse(UNKNOWN));
                }
                self.inside(node, alive, depth)
            }
            _ => self.act(node, action.ok_or_else(|| self.refuse(UNKNOWN))?),
        }
    }

    fn inside(&mut self, node: &mut Json, alive: &Alive, depth: usize) -> Result<(), Refusal> {
        match node {
            Json::Object(fields) => {
                let is_sealed_thought = self.unseal_thinking(fields)?;
                for (index, (key, value)) in fields.iter_mut().enumerate() {
                    let alive = self.table.field(alive, depth, key, value);
                    let shown = if is_name(key) { key.as_str() } else { "(a key)" };
                    self.path.push(if depth == 0 { shown.to_owned() } else { format!(".{shown}") });
                    // A line for any field says nothing about what the field is called.
                    if !is_name(key) {
                        return Err(self.refuse(FREE_TEXT));
                    }
                    self.is_sealed_thought = is_sealed_thought;
                    self.place.push(index);
                    self.node(value, &alive, depth + 1)?;
                    self.place.pop();
                    self.path.pop();
                }
            }
            Json::Array(items) => {
                let messages = depth == 1;
                for (index, item) in items.iter_mut().enumerate() {
                    let alive = self.table.item(alive, depth, item);
                    if messages {
                        self.by_user = item.str_of("role") == Some("user");
                        self.message = index + 1;
                    }
                    self.path.push(format!("[{index}]"));
                    self.place.push(index);
                    self.node(item, &alive, depth + 1)?;
                    self.place.pop();
                    self.path.pop();
                }
                if messages {
                    (self.by_user, self.message) = (false, 0);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn act(&mut self, node: &mut Json, action: Action) -> Result<(), Refusal> {
        match (action, node) {
            (Action::Unchanged, _) => Ok(()),
            (Action::Refuse, Json::Null) => Ok(()),
            (Action::Refuse, Json::Bool(false)) => Ok(()),
            (Action::Refuse, Json::Number(_)) => Err(self.refuse(NUMBERS)),
            (Action::Refuse, _) => Err(self.refuse(
                "this field is refused, because its content would leave unveiled or is kept elsewhere; allow it by name under [fields]",
            )),
            (Action::Media, node) => self.media(node),
            (Action::Pass, Json::String(text)) => match is_name(text) {
                true => Ok(()),
                false => Err(self.refuse(FREE_TEXT)),
            },
            (Action::Pass, Json::Number(_) | Json::Bool(_)) => Ok(()),
            (Action::Veil | Action::Arguments, Json::Number(_)) => Err(self.refuse(NUMBERS)),
            (Action::Pseudonym, Json::String(name)) => {
                *name = self.seals.pseudonym(name);
                Ok(())
            }
            (Action::Veil, node @ Json::String(_)) => self.text(node, Vault::Open, None),
            (Action::System, node @ Json::String(_)) => self.text(node, Vault::System, None),
            (Action::Data, node) => self.data(node, Vault::Open, None),
            (Action::Schema, node) => self.data(node, Vault::Tools, None),
            (Action::Arguments, node @ Json::String(_)) => {
                match node.as_str().and_then(|text| Json::parse(text.as_bytes()).ok()) {
                    Some(content) => self.document(node, content, Vault::Open, None),
                    None => self.text(node, Vault::Open, None),
                }
            }
            (Action::Sealed, Json::String(sealed)) => {
                // A thought and its signature were checked together.
                let last = self.path.last().map(String::as_str);
                if self.is_sealed_thought && matches!(last, Some(".thinking" | ".signature")) {
                    return Ok(());
                }
                *sealed = self.seals.open(sealed, "").ok_or_else(|| self.refuse(SEAL))?;
                Ok(())
            }
            _ => Err(self.refuse("the value has a type that is not expected here")),
        }
    }
}
