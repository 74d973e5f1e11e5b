//! pip's configuration files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use configparser::ini::{Ini, IniDefault};

use crate::environment::{Environment, is_on};

/// The settings for downloads in pip's configuration files.
#[derive(Clone, Default)]
pub(crate) struct PipConfig(BTreeMap<String, String>);

impl PipConfig {
    /// Reads all files. Later ones take precedence, as in pip.
    pub(crate) fn read(environment: &Environment) -> Self {
        let mut config = Self::default();
        for text in files(environment).iter().filter_map(|path| std::fs::read_to_string(path).ok()) {
            config.add(&text);
        }
        config
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn switch(&self, key: &str) -> bool {
        self.get(key).is_some_and(is_on)
    }

    /// Adds the settings of one file. The section `[download]` takes precedence over `[global]`.
    fn add(&mut self, text: &str) {
        let Some(ini) = parse(text) else { return };
        for section in ["global", "download"] {
            for (key, value) in ini.get_map_ref().get(section).into_iter().flatten() {
                let lines = value.iter().flat_map(|value| value.lines()).map(str::trim);
                let value = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
                let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(&value);
                self.0.insert(key.replace('_', "-"), value.to_owned());
            }
        }
    }
}

impl std::fmt::Debug for PipConfig {
    /// Prints no values, because they may contain passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The files that pip reads. Later ones take precedence.
fn files(environment: &Environment) -> Vec<PathBuf> {
    let name = if cfg!(windows) { "pip.ini" } else { "pip.conf" };
    let named = environment.path("PIP_CONFIG_FILE");
    // With this value, pip reads no file.
    if named.as_deref().is_some_and(|path| path == std::path::Path::new("/dev/null")) {
        return Vec::new();
    }
    let mut files = Vec::new();
    if environment.is_of_process() && cfg!(unix) {
        files.extend(["/etc/xdg/pip/pip.conf", "/etc/pip.conf"].map(PathBuf::from));
    }
    if let Some(home) = environment.home() {
        files.push(home.join(if cfg!(windows) { "pip" } else { ".pip" }).join(name));
        if cfg!(target_os = "macos") {
            files.push(home.join("Library/Application Support/pip").join(name));
        }
        files.push(
            environment
                .path("XDG_CONFIG_HOME")
                .unwrap_or_else(|| home.join(".config"))
                .join("pip")
                .join(name),
        );
    }
    files.extend(environment.path("APPDATA").map(|data| data.join("pip").join(name)));
    files.extend(environment.path("VIRTUAL_ENV").map(|site| site.join(name)));
    files.extend(named);
    files
}

/// Parses a file as Python's configparser does. A file with an error is ignored.
fn parse(text: &str) -> Option<Ini> {
    let mut defaults = IniDefault::default();
    defaults.multiline = true;
    // An address may contain `#`.
    defaults.enable_inline_comments = false;
    let mut ini = Ini::new_from_defaults(defaults);
    ini.read(text.to_owned()).ok()?;
    Some(ini)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sections_and_continued_lines() {
        let mut config = PipConfig::default();
        config.add(
            "index-url = https://nowhere.example/\n[global]\n# note\nindex_url = https://a.example/simple\n\
             timeout: 60\ncert =\n    /etc/own.pem\n[install]\nindex-url = https://b.example/\n\
             [download]\nproxy = http://me:secret@p.example:1\nno-index = false\n",
        );
        assert_eq!(config.get("index-url"), Some("https://a.example/simple"));
        assert_eq!((config.get("timeout"), config.get("cert")), (Some("60"), Some("/etc/own.pem")));
        assert!(!config.switch("no-index"));
        assert!(!format!("{config:?}").contains("secret"));
        config.add("[download]\nindex-url = https://c.example/\n[global]\nindex-url = https://d.example/\nno-index = yes");
        assert_eq!(config.get("index-url"), Some("https://c.example/"));
        assert!(config.switch("no-index"));
    }

    #[test]
    fn later_files_take_precedence() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let write = |path: &str, text: &str| {
            let path = home.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let read = |more: &[(&str, String)]| {
            let mut variables = vec![("HOME".to_owned(), home.to_str().unwrap().to_owned())];
            variables.extend(more.iter().map(|(k, v)| ((*k).to_owned(), v.clone())));
            PipConfig::read(&Environment::fixed(variables)).get("timeout").map(str::to_owned)
        };
        assert_eq!(read(&[]), None);
        if cfg!(unix) {
            write(".pip/pip.conf", "[global]\ntimeout = 1");
            assert_eq!(read(&[]).as_deref(), Some("1"));
            write(".config/pip/pip.conf", "[global]\ntimeout = 2");
            assert_eq!(read(&[]).as_deref(), Some("2"));
            write("venv/pip.conf", "[global]\ntimeout = 3");
            let venv = ("VIRTUAL_ENV", home.join("venv").to_str().unwrap().to_owned());
            assert_eq!(read(std::slice::from_ref(&venv)).as_deref(), Some("3"));
            write("own.conf", "[global]\ntimeout = 4");
            let named = ("PIP_CONFIG_FILE", home.join("own.conf").to_str().unwrap().to_owned());
            assert_eq!(read(&[venv.clone(), named]).as_deref(), Some("4"));
            assert_eq!(read(&[venv, ("PIP_CONFIG_FILE", "/dev/null".to_owned())]), None);
        }
    }

    proptest::proptest! {
        #[test]
        fn reading_any_text_does_not_panic(text in "(\\[|\\]|=|:|#|;|a|global|\n| ){0,60}") {
            PipConfig::default().add(&text);
        }
    }
}
