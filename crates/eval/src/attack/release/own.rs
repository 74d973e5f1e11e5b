//! Attackers of your own on released texts.

use std::fmt;

use serde::Serialize;

use crate::{Error, OwnCommand, OwnText};

/// A text whose original an attacker knows.
#[derive(Clone, Copy, Serialize)]
pub struct KnownText<'a> {
    /// The original.
    pub original: &'a str,
    /// What was released of it.
    pub released: &'a str,
}

/// An attacker of your own. It learns from texts that it knows, and writes what it believes the
/// originals of other released texts are.
pub trait OwnAttacker: Sync {
    /// Its name in reports.
    fn name(&self) -> &str;

    /// Returns the guessed originals of released texts, in the same order.
    ///
    /// # Errors
    /// If it fails.
    fn guess(&self, known: &[KnownText<'_>], released: &[&str]) -> Result<Vec<String>, Error>;
}

/// An attacker that is a command. It reads lines `{"original": …, "released": …}` and then lines
/// `{"released": …}`, and writes `{"text": …}` for each of the latter.
///
/// ```
/// use inkveil_eval::attack::{CommandAttacker, OwnAttacker as _};
///
/// assert_eq!(CommandAttacker::parse("mine=python mine.py")?.name(), "mine");
/// assert!(CommandAttacker::parse("python mine.py").is_err());
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandAttacker {
    name: String,
    command: OwnCommand,
}

/// A line that an attacker reads.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<&'a str>,
    released: &'a str,
}

impl CommandAttacker {
    /// An attacker with a name.
    pub fn new(name: impl Into<String>, command: OwnCommand) -> Self {
        Self { name: name.into(), command }
    }

    /// Reads `NAME=COMMAND`, whose words are separated by spaces.
    ///
    /// # Errors
    /// If the name or the command is missing.
    pub fn parse(line: &str) -> Result<Self, Error> {
        let (name, command) = line
            .split_once('=')
            .filter(|(name, _)| !name.is_empty() && !name.contains(' '))
            .ok_or_else(|| Error::argument("an attacker of your own is NAME=COMMAND"))?;
        Ok(Self::new(name, OwnCommand::new(command.split_whitespace())?))
    }
}

impl OwnAttacker for CommandAttacker {
    fn name(&self) -> &str {
        &self.name
    }

    fn guess(&self, known: &[KnownText<'_>], released: &[&str]) -> Result<Vec<String>, Error> {
        let known = known.iter().map(|text| Line { original: Some(text.original), released: text.released });
        let attacked = released.iter().map(|text| Line { original: None, released: text });
        let lines: Vec<Line<'_>> = known.chain(attacked).collect();
        let guessed: Vec<OwnText> = self.command.run(&lines, released.len())?;
        Ok(guessed.into_iter().map(|line| line.text).collect())
    }
}

impl fmt::Debug for KnownText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KnownText")
    }
}
