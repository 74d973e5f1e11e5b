//! The arguments of `inkveil config`.

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

/// Check a settings file, or print an example
///
/// In an inkveil.toml, [text] sets how texts are veiled and [detect] sets what is sensitive. Everything else
/// keeps its default. `inkveil text` and `inkveil detect` use the inkveil.toml of the current folder.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  Write a file with all settings and their defaults:
    inkveil config example > inkveil.toml

  List all mistakes with their lines, or explain the settings:
    inkveil config check

  Then:
    inkveil text --config inkveil.toml < letter.txt")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Explain a settings file, or list all its mistakes; exits with 1 if there is one
    ///
    /// If the pack of the settings is on this machine, it is opened with them. Budgets are then shown as
    /// numbers, and missing parts of the pack are reported.
    Check {
        /// The settings file
        #[arg(default_value = "inkveil.toml")]
        file: PathBuf,
    },
    /// Print a settings file with the defaults and comments
    Example,
}

impl ConfigArgs {
    /// The file to check. `None` if an example is asked for.
    pub(crate) fn file_to_check(&self) -> Option<&Path> {
        match &self.command {
            ConfigCommand::Check { file } => Some(file),
            ConfigCommand::Example => None,
        }
    }
}
