//! What is in a memory, in words and as JSON.

use serde_json::{Value, json};

use super::Memory;
use crate::Error;

impl Memory {
    /// Describes the memory, one line for each fact.
    ///
    /// # Errors
    /// If there are fewer than two prototypes.
    pub fn in_words(&self) -> Result<String, Error> {
        let (summary, settings) = (self.summary()?, self.settings());
        Ok(format!(
            "  prototypes    {} of {} texts; {} of one text, the largest of {} texts\n  encoder       {}, {} dimensions\n  outliers      {} prototypes lie above τ = {:.3} (λ = {})\n  merge radius  δ = {}\n  texts kept    {}\n  habits        {}",
            summary.prototypes,
            summary.texts,
            summary.seen_once,
            summary.largest,
            self.encoder().name.escape_debug(),
            self.dimension(),
            summary.outliers,
            summary.tau,
            settings.sensitivity,
            settings.merge_radius,
            summary.with_text,
            summary.habits_of.map_or("not counted".to_owned(), |texts| format!("counted over {texts} texts")),
        ))
    }

    /// Returns the counts of the memory with its settings and its encoder.
    ///
    /// # Errors
    /// If there are fewer than two prototypes.
    pub fn to_json(&self) -> Result<Value, Error> {
        let mut value = json!(self.summary()?);
        value["encoder"] = json!(self.encoder());
        value["dimension"] = self.dimension().into();
        value["settings"] = json!(self.settings());
        Ok(value)
    }
}
