//! The arguments of `inkveil restore`.

use std::path::PathBuf;

use clap::Parser;

/// Restore the originals in a text that quotes replacements
///
/// Reads a text, for example the answer to a veiled letter, finds the replacements in it, and restores
/// their originals. A map stores which replacement stands for which original. It is encrypted with a key
/// file or a passphrase. Nothing leaves this machine.
///
/// A replacement that is quoted in UPPER, lower or Title case gives its original in that case. A
/// replacement that stands for several originals is left unchanged and reported on standard error.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  Restore an answer, with the key in a file:
    inkveil restore answer.txt --map letters.map --map-key map.key -o restored.txt

  In a pipe; the passphrase is asked for on the terminal:
    ask-a-model < veiled.txt | inkveil restore --map letters.map > restored.txt

  With the passphrase from the environment, and parts of names restored too (\"Ms Antonov\"):
    INKVEIL_PASSPHRASE=… inkveil restore answer.txt --map letters.map --parts

  An answer in a conversation that was veiled with --session:
    inkveil restore --session knee answer.txt

  Count what was restored, by kind:
    inkveil restore answer.txt --map letters.map --map-key map.key --report > restored.txt")]
pub(crate) struct RestoreArgs {
    /// The file to read. Default: standard input, also with `-`
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// The map
    #[arg(long, value_name = "FILE", required_unless_present = "session", conflicts_with = "session")]
    pub(crate) map: Option<PathBuf>,

    /// The session of `inkveil text --session NAME`
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,

    /// The key file of the map. A passphrase is read from INKVEIL_PASSPHRASE or asked for
    #[arg(long, value_name = "FILE", requires = "map")]
    pub(crate) map_key: Option<PathBuf>,

    /// The file to write. Default: standard output, also with `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Also restore single words of personal names, if they are unambiguous
    #[arg(long)]
    pub(crate) parts: bool,

    /// Print on standard error how many values of each kind were restored
    #[arg(long)]
    pub(crate) report: bool,

    /// Replace an existing output file
    #[arg(short, long)]
    pub(crate) force: bool,
}
