//! Keeps the manifest of the default pack in the program, and lists its files for the feature `embedded-pack`.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    default_manifest()?;
    if env::var_os("CARGO_FEATURE_EMBEDDED_PACK").is_none() {
        return Ok(());
    }
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../models/en").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, "", &mut files)?;
    let mut source = "EmbeddedPack { name: \"en\", files: &[\n".to_owned();
    for (path, file) in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        writeln!(source, "    ({path:?}, include_bytes!({:?}) as &[u8]),", file.display().to_string())?;
    }
    source.push_str("] }\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("embedded_pack.rs"), source)?;
    Ok(())
}

/// The manifest of the default pack as this program was built with it, if it is there.
fn default_manifest() -> Result<(), Box<dyn Error>> {
    let manifest = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../models/en/manifest.json");
    println!("cargo::rerun-if-changed={}", manifest.display());
    let source = match manifest.is_file() {
        true => format!("Some(include_bytes!({:?}))", manifest.display().to_string()),
        false => "None".to_owned(),
    };
    fs::write(Path::new(&env::var("OUT_DIR")?).join("default_manifest.rs"), source)?;
    Ok(())
}

/// The files in a folder and its subfolders, with their paths relative to the first folder.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), Box<dyn Error>> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = format!("{prefix}{}", entry.file_name().to_str().ok_or("a file name is not UTF-8")?);
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else {
            files.push((path, entry.path()));
        }
    }
    Ok(())
}
