//! Texts that were released, and what happened to them.

use inkveil::detect::Offsets;
use inkveil::explain::ExplainedUnit;
use inkveil::release::ReleasedTexts;
use inkveil::{Receipt, Treatment};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::map::Map;

/// Texts that were released together.
#[pyclass(module = "inkveil._inkveil", frozen)]
pub(crate) struct Released {
    /// **Private.** They are needed to count places in characters.
    originals: Vec<String>,
    released: ReleasedTexts,
}

/// A place: its start and end in the original, its kind, why it is sensitive, what was done, ε, and its start and end
/// in the released text. Places are in characters.
pub(crate) type Place = (u64, u64, Option<String>, Option<String>, &'static str, f64, u64, u64);

impl Released {
    pub(crate) fn new(originals: Vec<String>, released: ReleasedTexts) -> Self {
        Self { originals, released }
    }

    fn receipt_of(&self, index: Option<usize>) -> PyResult<&Receipt> {
        match index {
            None => Ok(&self.released.receipt),
            Some(index) => match self.released.texts.get(index) {
                Some(text) => Ok(&text.receipt),
                None => Err(PyIndexError::new_err("there is no such text")),
            },
        }
    }
}

#[pymethods]
impl Released {
    fn __len__(&self) -> usize {
        self.released.texts.len()
    }

    /// A released text.
    fn text(&self, index: usize) -> PyResult<&str> {
        let text = self.released.texts.get(index);
        Ok(&text.ok_or_else(|| PyIndexError::new_err("there is no such text"))?.text)
    }

    /// All released texts.
    fn texts(&self) -> Vec<&str> {
        self.released.texts.iter().map(|text| text.text.as_str()).collect()
    }

    /// The receipt of a text or of all of them, as JSON.
    #[pyo3(signature = (index))]
    fn receipt(&self, index: Option<usize>) -> PyResult<String> {
        Ok(self.receipt_of(index)?.to_line())
    }

    /// The receipt of a text or of all of them, in words.
    #[pyo3(signature = (index))]
    fn rendered(&self, index: Option<usize>) -> PyResult<String> {
        Ok(self.receipt_of(index)?.render())
    }

    /// What is sensitive or was changed in a text.
    fn places(&self, index: usize) -> PyResult<Vec<Place>> {
        let (Some(original), Some(released)) = (self.originals.get(index), self.released.texts.get(index))
        else {
            return Err(PyIndexError::new_err("there is no such text"));
        };
        Ok(places(original, &released.text, &released.changes))
    }

    /// The replacements of a text or of all of them.
    #[pyo3(signature = (index))]
    fn map(&self, py: Python<'_>, index: Option<usize>) -> PyResult<Map> {
        let pairs = match index {
            Some(index) => match self.released.texts.get(index) {
                Some(text) => text.pairs.clone(),
                None => return Err(PyIndexError::new_err("there is no such text")),
            },
            None => self.released.pairs().map_err(|error| raised(py, error))?,
        };
        Ok(Map::new(pairs))
    }
}

/// The places of changes, in characters.
pub(crate) fn places(original: &str, released: &str, changes: &[ExplainedUnit]) -> Vec<Place> {
    let (mut before, mut after) = (Counter::new(original), Counter::new(released));
    changes.iter().map(|unit| place(unit, &mut before, &mut after)).collect()
}

fn place(unit: &ExplainedUnit, before: &mut Counter<'_>, after: &mut Counter<'_>) -> Place {
    let replaced = unit.replacement.as_ref();
    let treatment = match unit.treatment {
        _ if replaced.is_some_and(|new| new.same) => "kept",
        Treatment::Noise => "noise",
        Treatment::Replaced(_) => "replaced",
        Treatment::Joined | Treatment::Kept | Treatment::Punctuation | Treatment::Clitic => "kept",
    };
    let kind = unit.kind.as_ref().map(|kind| kind.name().to_owned());
    let new = replaced.map_or(0..0, |new| new.range.clone());
    let (start, end) = (before.at(unit.range.start), before.at(unit.range.end));
    let (new_start, new_end) = (after.at(new.start), after.at(new.end));
    (start, end, kind, unit.reason.clone(), treatment, unit.epsilon.get(), new_start, new_end)
}

/// Counts characters before bytes, which come mostly in order.
pub(crate) struct Counter<'t> {
    text: &'t str,
    byte: usize,
    place: Offsets,
}

impl<'t> Counter<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, byte: 0, place: Offsets::START }
    }

    pub(crate) fn at(&mut self, byte: usize) -> u64 {
        if byte < self.byte {
            (self.byte, self.place) = (0, Offsets::START);
        }
        self.place = self.place.after(self.text.get(self.byte..byte).unwrap_or_default());
        self.byte = byte;
        self.place.char
    }
}
