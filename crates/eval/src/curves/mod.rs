//! Curves of mechanisms: how a mechanism treats sensitive words at each ε.
//!
//! [`inkveil_text::curves::measure`] measures a curve. This module names the curves that exist
//! ([`CurveSubject`]), makes a measurement cancellable ([`measure`]), and stores curves and
//! recommendations in a pack ([`CurveStore`]). [`CurveFindings`] shows curves.

mod findings;
mod measure;
mod store;
mod subject;

pub use findings::{Curve, CurveFindings};
pub use measure::{CurveSource, measure};
pub use store::CurveStore;
pub use subject::CurveSubject;
