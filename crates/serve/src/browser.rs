//! Opens the page in the user's browser.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use inkveil::files::write_private;
use inkveil_serve::say;

/// The address of the page, with a key that works once. Browsers do not send what comes after `#`.
pub(crate) fn address(scheme: &str, listens: SocketAddr, key: &str) -> String {
    let mut host = listens;
    if host.ip().is_unspecified() {
        host.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    format!("{scheme}://{host}/#key={key}")
}

/// A file with a link to the page. It is deleted when the program ends.
pub(crate) struct Shortcut(PathBuf);

impl Drop for Shortcut {
    fn drop(&mut self) {
        // If it stays, its key was used, or is worth nothing without the program.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Opens the page. The browser gets a private file that leads to it: other users of this machine can read the
/// arguments of a program, and so they would see the key.
pub(crate) fn open(page: &str) -> Option<Shortcut> {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let file = folder.join(format!("inkveil-page-{}.html", std::process::id()));
    let link =
        format!("<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url={page}\">\n");
    if write_private(&file, link.as_bytes(), true).is_err() {
        say!("note: open the address above in a browser");
        return None;
    }
    let shortcut = Shortcut(file);
    if !start(&shortcut.0) {
        say!("note: no browser was found; open the address above in one");
    }
    Some(shortcut)
}

/// Starts the program that opens files on this system.
fn start(file: &Path) -> bool {
    let opener = match (cfg!(target_os = "macos"), cfg!(windows)) {
        (true, _) => "open",
        (_, true) => "explorer",
        _ => "xdg-open",
    };
    let quiet = || Stdio::null();
    Command::new(opener).arg(file).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}
