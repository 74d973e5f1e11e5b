//! A gateway that veils every request to a language model and restores every answer.
//!
//! ```text
//! caller → positions: every text → engine: find, veil, receipt → upstream
//! caller ← answer, stream: originals ← restorers ← upstream
//! ```
//!
//! Everything about privacy is in the facade [`inkveil`]; this crate speaks protocols. It fails closed: a
//! field, part or route that no table covers is refused, and so is a request that cannot be veiled in time.
//! Nothing is stored. Replacements follow from the gateway's secret, the caller and the conversation.
//!
//! # Files
//! - `main.rs`: the program. `settings.rs`: its settings. `server.rs`, `patience.rs`: connections and routes.
//! - `gateway/`: the path of a request, and its work with places and time limits. `caller.rs`: who sends it.
//!   `incoming.rs`, `query.rs`: its body, path, headers and query. `restoring.rs`: the way back. `upstream.rs`: the
//!   client side. `error.rs`: what callers see of failures.
//! - `positions/`: one table of positions for each protocol, and the walk over a request.
//! - `engine.rs`: finds and veils texts with the facade. `findings.rs`: what was searched before. `secret.rs`: keys,
//!   seals and pseudonyms. `mode.rs`: what is done.
//! - `answer.rs`, `stream.rs`, `sse.rs`: restore answers, whole and in pieces. `json.rs`: documents as they came.
//! - `native.rs`, `documents.rs`, `style.rs`, `vectors.rs`, `openapi.rs`, `presidio/`, `guardrail.rs`, `mcp/`: routes of our own and of
//!   others. `receipts.rs`: the receipts of the last releases. `characters.rs`: places in a text.
//! - `page/`: the web page; its files are in the folder `page` beside `src`.
//! - `metrics.rs`: counters, the log, and the last requests for the page.
#![forbid(unsafe_code)]

/// Writes a line to standard error. A line that cannot be written is lost: a gateway whose log is gone must go on, and
/// `eprintln!` would panic.
#[macro_export]
macro_rules! say {
    ($($line:tt)*) => {{
        use ::std::io::Write as _;
        let _ = ::std::writeln!(::std::io::stderr(), $($line)*);
    }};
}

mod answer;
mod caller;
mod characters;
mod documents;
mod engine;
mod error;
mod findings;
mod gateway;
mod guardrail;
mod incoming;
mod json;
pub mod mcp;
mod metrics;
mod mode;
mod native;
mod openapi;
mod page;
mod patience;
mod positions;
mod presidio;
mod query;
mod receipts;
mod restoring;
mod secret;
mod server;
mod settings;
mod sse;
mod stream;
mod style;
mod upstream;
mod vectors;

pub use gateway::Gateway;
pub use json::{DEEPEST, Json, JsonError};
pub use mode::Mode;
pub use page::Page;
pub use positions::Protocol;
pub use server::{router, serve};
pub use settings::{
    EmbeddingsFrom, Limits, LocalKey, Settings, VectorSettings, upstream as upstream_address,
};
