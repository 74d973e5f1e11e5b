//! Arguments that the programs `inkveil-serve` and `inkveil-sql` read.

use std::ffi::OsString;

use clap::Parser;

/// Veil requests to a language model, and restore the answers
///
/// This starts the program `inkveil-serve`, which has its own help.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct ServeArgs {
    /// Arguments of the gateway; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<OsString>,
}

/// Offer the tools veil, restore, detect and style_risk to a program that speaks MCP
///
/// This starts the program `inkveil-serve`, which has its own help.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct McpArgs {
    /// Arguments of the program; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<OsString>,
}

/// Query tables with SQL, and veil, mask or search their texts
///
/// This starts the program `inkveil-sql`, which has its own help.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct SqlArgs {
    /// Arguments of the program; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<OsString>,
}

/// Open the page in a browser: see what leaves before it leaves
///
/// This starts the program `inkveil-serve` on a free port of this machine, and opens its page. Its flags can
/// be added, for example --upstream URL, --ledger FILE or --rewriter MODEL.
#[derive(Debug, Parser)]
#[command(
    disable_version_flag = true,
    after_help = "\
Examples:
  inkveil open
  inkveil open --upstream https://api.openai.com --ledger budget.ledger"
)]
pub(crate) struct OpenArgs {
    /// Arguments of the gateway; `inkveil serve --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<OsString>,
}
