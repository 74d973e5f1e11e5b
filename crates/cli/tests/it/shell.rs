//! Help, version, completions and manual pages.

use insta::assert_snapshot;

use crate::folder::Folder;

#[test]
fn help() {
    let folder = Folder::new();
    for (name, line) in [
        ("help", "--help"),
        ("help-noise", "noise --help"),
        ("help-audit", "audit --help"),
        ("help-receipt", "receipt --help"),
        ("help-receipt-verify", "receipt verify --help"),
        ("help-ledger", "ledger --help"),
        ("help-ledger-limit", "ledger limit --help"),
        ("help-completions", "completions --help"),
        ("help-man", "man --help"),
        ("no-command", ""),
        ("unknown-command", "veil"),
    ] {
        assert_snapshot!(name, folder.run(line));
    }
}

#[test]
fn version() {
    let expected = format!("inkveil {}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["--version", "-V"] {
        assert!(Folder::new().run(flag).contains(&expected));
    }
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = Folder::new().run(&format!("completions {shell}"));
        assert!(run.contains("exit 0"));
        for word in ["noise", "audit", "receipt", "mechanism", "purkayastha"] {
            assert!(run.contains(word), "{shell} lacks {word}");
        }
    }
    assert_snapshot!("completions-unknown", Folder::new().run("completions ksh"));
}

#[test]
fn manual_pages() {
    let folder = Folder::new();
    insta::with_settings!({filters => vec![(r"inkveil(\\-\w+)? \d+\.\d+\.\d+", "inkveil [version]"), (r"v\d+\.\d+\.\d+", "[version]")]}, {
        assert_snapshot!("man", folder.run("man"));
    });
    assert_snapshot!("man-dir", folder.run("man -o pages"));
    let mut names: Vec<String> = std::fs::read_dir(folder.path("pages"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_snapshot!("man-names", names.join("\n"));
    let page = String::from_utf8(folder.read("pages/inkveil-noise.1")).unwrap();
    assert!(page.contains("\\-\\-epsilon") && page.contains("Examples"));
}
