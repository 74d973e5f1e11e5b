//! XML in memory: read with limits, written as pieces.

pub(crate) mod element;
pub(crate) mod names;
pub(crate) mod parse;
pub(crate) mod values;
pub(crate) mod write;

pub(crate) use element::{Attribute, Element, Node};
pub(crate) use names::Space;
pub(crate) use parse::parse;
