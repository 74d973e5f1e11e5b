//! Texts to be asked about: files, standard input, folders.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

/// No text is longer: style is measured on texts, not on archives.
const LONGEST: u64 = 16 << 20;

/// A text and the name it is shown under. Not for debugging output, which would print it.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) text: String,
}

/// Reads everything that was named, folders file by file in the order of their names.
pub(super) fn read(files: &[PathBuf]) -> anyhow::Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for file in files {
        if file.is_dir() {
            let found = texts_in(file)?;
            ensure!(!found.is_empty(), "{}: there are no .txt or .md files in this folder", file.display());
            for file in found {
                inputs.push(read_file(&file)?);
            }
        } else if file == Path::new("-") {
            inputs.push(checked("standard input", &mut std::io::stdin().lock())?);
        } else {
            inputs.push(read_file(file)?);
        }
    }
    Ok(inputs)
}

fn texts_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let failed = || format!("cannot read the folder {}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        if path.is_file() && ending.is_some_and(|ending| matches!(ending.as_str(), "txt" | "text" | "md")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read_file(file: &Path) -> anyhow::Result<Input> {
    let name = file.display().to_string();
    // Who types a text where a file belongs must not find it in an error, which may end up in a log.
    ensure!(
        file.exists() || !name.contains(char::is_whitespace),
        "this is not the name of a file; to ask about a text itself, pipe it in: echo … | inkveil style risk -"
    );
    let mut opened = fs::File::open(file).with_context(|| format!("cannot read {name}"))?;
    checked(&name, &mut opened)
}

fn checked(name: &str, source: &mut dyn std::io::Read) -> anyhow::Result<Input> {
    let mut bytes = Vec::new();
    source.take(LONGEST + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    ensure!(bytes.len() as u64 <= LONGEST, "{name}: longer than {} MiB; give it in parts", LONGEST >> 20);
    let text = String::from_utf8(bytes).ok().with_context(|| format!("{name}: not UTF-8 text"))?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    ensure!(!text.trim().is_empty(), "{name}: there is no text in it");
    Ok(Input { name: name.to_owned(), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_in_order_and_empty_texts_named() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("b.txt", "two"), ("a.md", "one"), ("c.png", "no text")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let texts: Vec<String> =
            read(&[folder.path().to_owned()]).unwrap().into_iter().map(|input| input.text).collect();
        assert_eq!(texts, ["one", "two"]);
        fs::write(folder.path().join("d.txt"), " \n").unwrap();
        let error = read(&[folder.path().join("d.txt")]).map(drop).unwrap_err().to_string();
        assert!(error.ends_with("d.txt: there is no text in it"), "{error}");
        fs::write(folder.path().join("e.txt"), b"\xff\xfe").unwrap();
        let error = read(&[folder.path().join("e.txt")]).map(drop).unwrap_err().to_string();
        assert!(error.ends_with("e.txt: not UTF-8 text"), "{error}");
    }
}
