//! People: the words of a mention, and what all mentions of one person state.

mod entity;
mod fit;
mod form;

pub(crate) use entity::{Part, Person};
pub(crate) use fit::{Fit, Match};
pub use form::names_of_people;
pub(crate) use form::{NameForm, Slot, TokenKind, is_particle, particles};
