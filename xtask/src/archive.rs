//! Archives that do not depend on the machine that makes them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

/// Writes a folder as `FOLDER/…` into a compressed archive: files in alphabetical order, with this time, without owner.
pub(crate) fn write(folder: &Path, archive: &Path, time: u64) -> anyhow::Result<()> {
    let top = folder.file_name().context("the folder has no name")?;
    let file = File::create(archive).with_context(|| format!("cannot write {}", archive.display()))?;
    let mut tar = tar::Builder::new(GzEncoder::new(file, Compression::default()));
    for path in files(folder)? {
        let mut header = tar::Header::new_gnu();
        let contents = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
        header.set_size(contents.metadata()?.len());
        header.set_mtime(time);
        header.set_mode(if is_executable(&path)? { 0o755 } else { 0o644 });
        let name = Path::new(top).join(path.strip_prefix(folder)?);
        tar.append_data(&mut header, name, contents)?;
    }
    tar.into_inner()?.finish()?.sync_all()?;
    Ok(())
}

/// Writes the SHA-256 of a file beside it, in the format of `sha256sum`.
pub(crate) fn write_checksum(file: &Path) -> anyhow::Result<()> {
    let mut contents = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut hasher = Sha256::new();
    std::io::copy(&mut contents, &mut HashWriter(&mut hasher))?;
    let digits: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let name = file.file_name().context("the file has no name")?.to_string_lossy();
    let mut out = File::create(file.with_file_name(format!("{name}.sha256")))?;
    writeln!(out, "{digits}  {name}")?;
    Ok(())
}

struct HashWriter<'a>(&'a mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The files in a folder and its subfolders, sorted.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> anyhow::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::metadata(path)?.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> anyhow::Result<bool> {
    Ok(path.extension().is_some_and(|extension| extension == "exe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_give_the_same_archive() {
        let home = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let folder = home.path().join(name).join("top");
            fs::create_dir_all(folder.join("bin")).unwrap();
            for file in ["b", "bin/a"] {
                fs::write(folder.join(file), "contents").unwrap();
            }
            let archive = home.path().join(format!("{name}.tar.gz"));
            write(&folder, &archive, 1).unwrap();
            write_checksum(&archive).unwrap();
            archive
        };
        let (first, second) = (make("first"), make("second"));
        assert_eq!(fs::read(&first).unwrap(), fs::read(&second).unwrap());
        let checksum = fs::read_to_string(home.path().join("first.tar.gz.sha256")).unwrap();
        assert!(checksum.ends_with("  first.tar.gz\n") && checksum.len() == 64 + 2 + 13, "{checksum}");
        let unpacked = home.path().join("unpacked");
        let archive = flate2::read::GzDecoder::new(File::open(first).unwrap());
        tar::Archive::new(archive).unpack(&unpacked).unwrap();
        assert_eq!(fs::read_to_string(unpacked.join("top/bin/a")).unwrap(), "contents");
    }
}
