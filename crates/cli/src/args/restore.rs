//! `inkveil restore` as it is typed.

use std::path::PathBuf;

use clap::Parser;

/// Put the originals back into a text that quotes replacements
///
/// Reads a text, for example the answer to a veiled letter, finds the replacements in it, and puts back what they stand for. What stands for
/// what is in a map, sealed with a key file or a passphrase. Nothing leaves this machine.
///
/// A replacement that is quoted in UPPER, lower or Title case gives its original in that case. One that stands for several originals stays, and is
/// told on standard error.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  Restore an answer, with the key in a file:
    inkveil restore answer.txt --map letters.map --map-key map.key -o restored.txt

  In a pipe; the passphrase is asked for on the terminal:
    ask-a-model < veiled.txt | inkveil restore --map letters.map > restored.txt

  The passphrase from the environment, and single words of names restored too (\"Ms Antonov\"):
    INKVEIL_PASSPHRASE=… inkveil restore answer.txt --map letters.map --parts

  How much of each kind was put back:
    inkveil restore answer.txt --map letters.map --map-key map.key --report > restored.txt")]
pub(crate) struct RestoreArgs {
    /// File to read; standard input if absent or `-`
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// The map from replacements to originals
    #[arg(long, value_name = "FILE")]
    pub(crate) map: PathBuf,

    /// The key file that the map is sealed with; if it is a passphrase, it is read from INKVEIL_PASSPHRASE or asked for
    #[arg(long, value_name = "FILE")]
    pub(crate) map_key: Option<PathBuf>,

    /// File to write; standard output if absent or `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Restore single words of persons' names too, where it is clear which they stand for
    #[arg(long)]
    pub(crate) parts: bool,

    /// Say on standard error how much of each kind was put back
    #[arg(long)]
    pub(crate) report: bool,

    /// Replace the output file if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
}
