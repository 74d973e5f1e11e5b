//! The description of the gateway's own routes.

/// The description, in OpenAPI 3.1.
pub(crate) const DESCRIPTION: &str = include_str!("openapi.json");
