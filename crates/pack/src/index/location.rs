//! The address of the Python index.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};
use crate::net::{Address, NetworkSettings};

/// The variables that name an index, in the order in which they are read.
const VARIABLES: [&str; 3] = ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"];

/// The longest time to wait for pip's help text.
const PIP_TIME: Duration = Duration::from_secs(20);

/// The address of the index, from the first setting that names one.
pub(crate) fn find(settings: &NetworkSettings) -> Result<Address, Error> {
    let environment = &settings.environment;
    let parse = |text: &str, setting: &str| without_label(text).parse::<Address>().map_err(|e| e.of(setting));
    if let Some(url) = &settings.index {
        return parse(url, "the chosen Python index");
    }
    if let Some(url) = environment.text("INKVEIL_INDEX_URL") {
        return parse(&url, "INKVEIL_INDEX_URL");
    }
    if environment.switch("PIP_NO_INDEX") || settings.pip.switch("no-index") {
        return Err(ErrorKind::IndexForbidden.into());
    }
    for name in VARIABLES {
        if let Some(url) = environment.text(name) {
            return parse(&url, name);
        }
    }
    if let Some(url) = settings.pip.get("index-url") {
        return parse(url, "index-url in pip's configuration");
    }
    // A fixed environment belongs to a test or to an embedding program: nothing else is asked.
    let default = if environment.is_of_process() { default_of_pip() } else { None };
    default.ok_or_else(|| ErrorKind::NoIndex.into())
}

/// Removes the name of an index, which uv allows: `NAME=URL`.
fn without_label(text: &str) -> &str {
    match text.split_once('=') {
        Some((label, url)) if !label.contains([':', '/']) => url,
        _ => text,
    }
}

/// The default of the installed pip, read from its help text.
fn default_of_pip() -> Option<Address> {
    ["python3", "python"].into_iter().find_map(|python| index_in_help(&pip_help(python)?))
}

fn pip_help(python: &str) -> Option<String> {
    let mut child = Command::new(python)
        .args(["-m", "pip", "install", "--help"])
        // Wide enough that no address is split across lines.
        .env("COLUMNS", "400")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut text).ok().map(|_| text)
    });
    let end = Instant::now() + PIP_TIME;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return reader.join().ok().flatten(),
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            _ => {
                // Too slow or failed: there is no default. It may have ended by itself in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// The default of pip's option for the index in its help text.
fn index_in_help(help: &str) -> Option<Address> {
    let (_, after) = help.split_once("--index-url")?;
    let (_, default) = after.split_once("(default")?;
    let (url, _) = default.split_once(')')?;
    // Removes blanks, because the address may be split across lines all the same.
    url.split_whitespace().collect::<String>().trim_start_matches(':').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;

    fn found(variables: &[(&str, &str)]) -> Result<String, Error> {
        let settings = NetworkSettings::new(Environment::fixed(variables.iter().copied()));
        find(&settings).map(|url| url.to_string())
    }

    #[test]
    fn the_first_setting_wins() {
        let all = [
            ("INKVEIL_INDEX_URL", "https://one.example/simple"),
            ("PIP_INDEX_URL", "https://me:pw@two.example/simple"),
            ("UV_DEFAULT_INDEX", "corp=https://three.example/simple"),
            ("UV_INDEX_URL", "https://four.example/simple?a=b"),
        ];
        for (skip, expected) in ["one", "two", "three", "four"].into_iter().enumerate() {
            assert_eq!(found(&all[skip..]).unwrap(), format!("https://{expected}.example/simple"));
        }
        let settings =
            NetworkSettings::new(Environment::fixed(all)).with_index(Some("https://zero.example/".into()));
        assert_eq!(find(&settings).unwrap().to_string(), "https://zero.example/");
    }

    #[test]
    fn no_index_or_a_forbidden_one_is_an_error() {
        assert_eq!(found(&[]).unwrap_err().kind(), &ErrorKind::NoIndex);
        let forbidden = found(&[("PIP_NO_INDEX", "1"), ("PIP_INDEX_URL", "https://a.example/")]);
        assert_eq!(forbidden.unwrap_err().kind(), &ErrorKind::IndexForbidden);
        let error = found(&[("PIP_INDEX_URL", "my-index")]).unwrap_err();
        assert_eq!((error.kind(), error.subject()), (&ErrorKind::BadUrl, Some("PIP_INDEX_URL")));
    }

    #[test]
    fn reads_configuration_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pip.conf");
        std::fs::write(&path, "[global]\nindex-url = https://conf.example/simple\n").unwrap();
        assert_eq!(
            found(&[("PIP_CONFIG_FILE", path.to_str().unwrap())]).unwrap(),
            "https://conf.example/simple"
        );
    }

    #[test]
    fn reads_the_default_from_the_help_of_pip() {
        let help = "  -i, --index-url <url>   Base URL of the Python Package Index (default\n        \
                    https://index.example/sim\n   ple). This should point to …\n  --extra-index-url <url> (default x)";
        assert_eq!(index_in_help(help).unwrap().to_string(), "https://index.example/simple");
        assert!(index_in_help("--index-url <url> none").is_none());
        assert!(index_in_help("--index-url <url> (default nothing)").is_none());
    }
}
