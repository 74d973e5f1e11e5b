//! The licences of the packages that are part of the program. Most of them must accompany the program.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::graph::{Graph, Package};

/// One text with the name, the licence and the licence files of every package of another author in a package of this
/// workspace.
pub(crate) fn third_party(package: &str, target: &str) -> anyhow::Result<String> {
    let graph = Graph::read(&["--filter-platform", target])?;
    let packages = graph.linked_into(package)?;
    render(packages.into_iter().filter(|package| !package.is_ours))
}

fn render<'a>(packages: impl Iterator<Item = &'a Package>) -> anyhow::Result<String> {
    let mut text = "inkveil contains the following packages.\n".to_owned();
    // Many packages have the same text. It is printed once.
    let mut printed: Vec<(String, String)> = Vec::new();
    for package in packages {
        let title = format!("{} {}", package.name, package.version);
        let rule = "=".repeat(100);
        writeln!(text, "\n{rule}\n{title}")?;
        writeln!(text, "licence: {}", package.licence.as_deref().unwrap_or("see below"))?;
        if let Some(repository) = &package.repository {
            writeln!(text, "source:  {repository}")?;
        }
        for file in licence_files(&package.folder)? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let contents = String::from_utf8_lossy(&bytes).trim().to_owned();
            match printed.iter().find(|(_, known)| *known == contents) {
                Some((first, _)) => writeln!(text, "\n{name}: the same as {first}")?,
                None => {
                    writeln!(text, "\n{name}:\n\n{contents}")?;
                    printed.push((format!("{name} of {title}"), contents));
                }
            }
        }
    }
    Ok(text)
}

/// The files of a folder that contain a licence or a notice, sorted.
fn licence_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|word| name.starts_with(word));
        is_licence && path.is_file()
    });
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_each_text_once() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str| {
            let folder = folder.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("LICENSE-MIT"), "Do as you like.\n").unwrap();
            fs::write(folder.join("README.md"), "not a licence").unwrap();
            Package {
                name: name.to_owned(),
                version: "1.0.0".to_owned(),
                licence: Some("MIT".to_owned()),
                repository: None,
                folder,
                is_ours: false,
                is_macro: false,
                dependencies: Vec::new(),
                wildcards: Vec::new(),
            }
        };
        let text = render([package("a"), package("b")].iter()).unwrap();
        assert_eq!(text.matches("Do as you like.").count(), 1);
        assert!(text.contains("LICENSE-MIT: the same as LICENSE-MIT of a 1.0.0"));
        assert!(!text.contains("not a licence"));
    }
}
