//! `inkveil config` as it is typed.

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

/// Check a settings file, or print one to begin with
///
/// An inkveil.toml says in [text] how texts are veiled and in [detect] what is sensitive; what it does not say is as by default.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  A file with all settings, to change what you like:
    inkveil config example > inkveil.toml

  Everything that is wrong with it, with lines; or what it means:
    inkveil config check

  Then:
    inkveil text --config inkveil.toml < letter.txt")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Say what a settings file means, or all that is wrong with it; exits with 1 if something is
    ///
    /// If the pack of the settings is on this machine, it is opened with them, so that budgets are shown as numbers and what the pack
    /// lacks is known now.
    Check {
        /// The settings file
        #[arg(default_value = "inkveil.toml")]
        file: PathBuf,
    },
    /// Print a settings file that says the defaults, with comments
    Example,
}

impl ConfigArgs {
    /// The file to check; none if an example is asked for.
    pub(crate) fn file_to_check(&self) -> Option<&Path> {
        match &self.command {
            ConfigCommand::Check { file } => Some(file),
            ConfigCommand::Example => None,
        }
    }
}
