//! The environment variables that configure this crate.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// Environment variables: those of the process, or a fixed set for tests.
///
/// ```
/// use inkveil_pack::Environment;
///
/// let environment = Environment::fixed([("HOME", "/home/a"), ("EMPTY", "")]);
/// assert_eq!(environment.text("HOME").as_deref(), Some("/home/a"));
/// assert_eq!(environment.text("EMPTY"), None); // an empty variable counts as unset
/// ```
#[derive(Clone)]
pub struct Environment(Option<BTreeMap<String, String>>);

impl Environment {
    /// The variables of this process.
    pub fn of_process() -> Self {
        Self(None)
    }

    /// These variables and no others.
    pub fn fixed<K: Into<String>, V: Into<String>>(variables: impl IntoIterator<Item = (K, V)>) -> Self {
        Self(Some(variables.into_iter().map(|(k, v)| (k.into(), v.into())).collect()))
    }

    /// Whether this is the environment of the process. Only then are system files read and other programs called.
    pub(crate) fn is_of_process(&self) -> bool {
        self.0.is_none()
    }

    /// A variable as text. Returns none if it is unset, empty or not Unicode.
    pub fn text(&self, name: &str) -> Option<String> {
        self.raw(name)?.into_string().ok()
    }

    /// A variable as a path. Returns none if it is unset or empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.raw(name).map(PathBuf::from)
    }

    /// Whether a switch is on: set, and not 0, no, off or false.
    pub fn switch(&self, name: &str) -> bool {
        self.text(name).is_some_and(|value| is_on(&value))
    }

    /// The user's home folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.path("HOME").or_else(|| self.path("USERPROFILE"))
    }

    fn raw(&self, name: &str) -> Option<OsString> {
        let value = match &self.0 {
            Some(fixed) => fixed.get(name).map(OsString::from),
            None => std::env::var_os(name),
        };
        value.filter(|value| !value.is_empty())
    }
}

/// Whether the value of a switch means yes.
pub(crate) fn is_on(value: &str) -> bool {
    !matches!(value.trim().to_ascii_lowercase().as_str(), "" | "0" | "no" | "off" | "false")
}

impl std::fmt::Debug for Environment {
    /// Prints no values, because they may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Environment(fixed)" } else { "Environment(of the process)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_switches() {
        let environment =
            Environment::fixed([("A", "1"), ("B", "0"), ("C", "False"), ("D", "yes"), ("E", "")]);
        let on: Vec<&str> =
            ["A", "B", "C", "D", "E", "F"].into_iter().filter(|n| environment.switch(n)).collect();
        assert_eq!(on, ["A", "D"]);
    }
}
