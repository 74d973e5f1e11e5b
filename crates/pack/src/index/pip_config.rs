//! pip's configuration files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::environment::{Environment, is_on};

/// What pip's configuration files say, for downloads.
#[derive(Clone, Default)]
pub(crate) struct PipConfig(BTreeMap<String, String>);

impl PipConfig {
    /// Reads all files there are; later ones overrule earlier ones, as in pip.
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

    /// Adds one file: what `[download]` says overrules `[global]`.
    fn add(&mut self, text: &str) {
        for wanted in ["global", "download"] {
            for (section, key, value) in entries(text) {
                if section == wanted {
                    self.0.insert(key, value);
                }
            }
        }
    }
}

impl std::fmt::Debug for PipConfig {
    /// Values may hold passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Where pip looks, weakest first.
fn files(environment: &Environment) -> Vec<PathBuf> {
    let name = if cfg!(windows) { "pip.ini" } else { "pip.conf" };
    let named = environment.path("PIP_CONFIG_FILE");
    // pip's own way to say that no file counts.
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

/// Section, key and value of every line, as Python's configparser reads them.
fn entries(text: &str) -> Vec<(String, String, String)> {
    let mut found: Vec<(String, String, String)> = Vec::new();
    let mut section = String::new();
    let mut open = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        // An indented line goes on with the value before.
        if line.starts_with([' ', '\t']) && open {
            if let Some((_, _, value)) = found.last_mut() {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(trimmed);
            }
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (section, open) = (name.trim().to_ascii_lowercase(), false);
            continue;
        }
        let end = trimmed.find(['=', ':']).unwrap_or(trimmed.len());
        let (key, value) = trimmed.split_at(end);
        let key = key.trim().to_ascii_lowercase().replace('_', "-");
        let value = value.trim_start_matches(['=', ':']).trim();
        let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value);
        found.push((section.clone(), key, value.to_owned()));
        open = true;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_continued_lines() {
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
    fn later_files_overrule() {
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
        fn any_text_is_read(text in "(\\[|\\]|=|:|#|;|a|global|\n| ){0,60}") {
            entries(&text);
        }
    }
}
