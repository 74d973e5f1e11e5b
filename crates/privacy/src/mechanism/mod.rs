//! The mechanisms, one file each: density, guarantee with its proof, sampler and tests.

mod checks;
mod choice;
mod erased_laplace;
mod erasure;
mod exponential;
mod gaussian;
mod laplace_l1;
mod laplace_l2;
mod log_concave;
mod mahalanobis;
mod polar_radial;
mod purkayastha;
mod randomized_response;
mod rows;
mod tem;
mod turn;
mod uniform;
mod vector_mechanism;
mod vmf;

pub(crate) use checks::MAX_DIM;
pub use choice::Choice;
pub use erased_laplace::{ErasedGuarantee, ErasedLaplace};
pub use erasure::Erasure;
pub use exponential::Exponential;
pub use gaussian::Gaussian;
pub use laplace_l1::LaplaceL1;
pub use laplace_l2::LaplaceL2;
pub use mahalanobis::Mahalanobis;
pub use polar_radial::PolarRadial;
pub use purkayastha::Purkayastha;
pub use randomized_response::RandomizedResponse;
pub use rows::{Real, RowInput, perturb_rows, perturb_rows_by, release_rows};
pub use tem::{TruncatedChoice, TruncatedExponential};
pub use uniform::Uniform;
pub use vector_mechanism::{OutputUse, VectorMechanism};
pub use vmf::Vmf;
