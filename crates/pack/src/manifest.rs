//! The manifest of a pack: its files, their provenance and their checksums.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use inkveil_files::Sha256Sum;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::path::{self, PackName};
use crate::sum::sum_of_file;

/// The name of the manifest's file.
pub const MANIFEST: &str = "manifest.json";

/// The file with the SHA-256 of the manifest's file. It reveals a manifest that was changed by accident.
pub(crate) const MANIFEST_SUM: &str = "manifest.sha256";

/// The manifest of the default pack that this program was built with.
const BUILT_WITH: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/default_manifest.rs"));

/// The newest format this program reads, and the one it writes.
const FORMAT: u32 = 1;

/// More than any real manifest needs.
const LONGEST: u64 = 4 << 20;
const MOST_FILES: usize = 10_000;

/// The contents of a pack, stored in its `manifest.json`.
///
/// The format is versioned: all later versions of this program read what this version wrote.
///
/// ```
/// use inkveil_pack::{Manifest, Provenance};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("words.txt"), "a\nb\n")?;
/// let provenance = Provenance::new("CC0-1.0", "written by hand", "an editor");
/// let manifest = Manifest::describe(folder.path(), "words".parse()?, provenance)?
///     .with_about("words.txt", "one word per line")?;
/// manifest.write(folder.path())?;
/// assert_eq!(Manifest::read(folder.path())?, manifest);
/// assert_eq!(manifest.files()[0].bytes, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    name: PackName,
    provenance: Provenance,
    files: Vec<PackFile>,
}

/// The stored form of the manifest.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    name: PackName,
    licence: String,
    origin: String,
    made_by: String,
    files: Vec<PackFile>,
}

/// The licence and the origin of a pack or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The licence as an SPDX expression, or `NOASSERTION` if it is not known.
    pub licence: String,
    /// The origin: a source, for example `pypi:NAME==VERSION`, or a description.
    pub origin: String,
    /// The command that made it.
    pub made_by: String,
}

impl Provenance {
    /// A provenance from its three parts.
    pub fn new(licence: impl Into<String>, origin: impl Into<String>, made_by: impl Into<String>) -> Self {
        Self { licence: licence.into(), origin: origin.into(), made_by: made_by.into() }
    }

    fn check(&self) -> Result<(), Error> {
        check_licence(&self.licence)?;
        check_description("origin", &self.origin)?;
        check_description("made_by", &self.made_by)
    }
}

/// A file of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    /// Its path in the pack, with forward slashes.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: Sha256Sum,
    /// A description.
    pub about: String,
    /// Its licence, if different from the pack's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Its origin, if different from the pack's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The command that made it, if different from the pack's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
}

impl PackFile {
    /// A file with the provenance of the pack.
    pub fn new(path: impl Into<String>, bytes: u64, sha256: Sha256Sum, about: impl Into<String>) -> Self {
        let (path, about) = (path.into(), about.into());
        Self { path, bytes, sha256, about, licence: None, origin: None, made_by: None }
    }

    fn check(&self) -> Result<(), Error> {
        path::check_relative(&self.path)?;
        if self.path.eq_ignore_ascii_case(MANIFEST) {
            return Err(Error::manifest("it lists itself"));
        }
        self.licence.iter().try_for_each(|licence| check_licence(licence))?;
        check_description("about", &self.about)?;
        self.origin
            .iter()
            .chain(&self.made_by)
            .try_for_each(|words| check_description("origin or made_by", words))
    }
}

impl Manifest {
    /// A manifest of these files.
    pub fn new(name: PackName, provenance: Provenance, mut files: Vec<PackFile>) -> Result<Self, Error> {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let manifest = Self { name, provenance, files };
        manifest.check()?;
        Ok(manifest)
    }

    /// A manifest of all files in a folder, without hidden files and an older manifest. The descriptions are derived from
    /// the file names; [`with_about`](Self::with_about) changes them.
    pub fn describe(folder: &Path, name: PackName, provenance: Provenance) -> Result<Self, Error> {
        let mut files = Vec::new();
        for path in crate::folder::files(folder)? {
            let (sha256, bytes) = sum_of_file(&path::join(folder, &path)?, &mut |_| Ok(()))?;
            let about = crate::layout::about(&path);
            files.push(PackFile::new(path, bytes, sha256, about));
        }
        Self::new(name, provenance, files)
    }

    /// Sets the description of a file.
    pub fn with_about(self, path: &str, about: impl Into<String>) -> Result<Self, Error> {
        self.change(path, |file| file.about = about.into())
    }

    /// Sets a provenance for one file.
    pub fn with_provenance(self, path: &str, provenance: Provenance) -> Result<Self, Error> {
        self.change(path, |file| {
            file.licence = Some(provenance.licence);
            file.origin = Some(provenance.origin);
            file.made_by = Some(provenance.made_by);
        })
    }

    /// Adds or replaces a file of a folder, with a provenance of its own.
    pub fn with_file(
        mut self,
        folder: &Path,
        path: &str,
        about: impl Into<String>,
        provenance: Provenance,
    ) -> Result<Self, Error> {
        let (sha256, bytes) = sum_of_file(&path::join(folder, path)?, &mut |_| Ok(()))?;
        self.files.retain(|file| file.path != path);
        self.files.push(PackFile::new(path, bytes, sha256, about));
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.with_provenance(path, provenance)
    }

    fn change(mut self, path: &str, change: impl FnOnce(&mut PackFile)) -> Result<Self, Error> {
        match self.files.iter_mut().find(|file| file.path == path) {
            Some(file) => change(file),
            None => {
                let present = self.files.into_iter().map(|file| file.path).collect();
                return Err(Error::from(ErrorKind::NoSuchFile { present }).of(path));
            }
        }
        self.check()?;
        Ok(self)
    }

    /// Reads the manifest in a folder.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(MANIFEST);
        let name = path.display();
        let file = fs::File::open(&path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                Error::from(ErrorKind::NoManifest).of(folder.display())
            }
            _ => Error::io("open it", &e).of(&name),
        })?;
        let mut bytes = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|e| Error::io("read it", &e).of(&name))?;
        Self::parse(&bytes).map_err(|e| e.of(&name))
    }

    /// Reads a manifest from JSON, and checks all of it.
    pub fn parse(json: &[u8]) -> Result<Self, Error> {
        if json.len() as u64 > LONGEST {
            return Err(ErrorKind::TooLarge { limit: LONGEST }.into());
        }
        // Reads the format first, because a newer one may have other fields.
        #[derive(Deserialize)]
        struct Format {
            format: u64,
        }
        let Format { format } = serde_json::from_slice(json).map_err(|e| not_json(&e))?;
        if format != u64::from(FORMAT) {
            return Err(match format {
                0 => Error::manifest("there is no format 0"),
                found => ErrorKind::NewerFormat { found, known: FORMAT }.into(),
            });
        }
        let Stored { name, licence, origin, made_by, files, .. } =
            serde_json::from_slice(json).map_err(|e| not_json(&e))?;
        let manifest = Self { name, provenance: Provenance { licence, origin, made_by }, files };
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), Error> {
        self.provenance.check()?;
        if self.files.is_empty() {
            return Err(Error::manifest("it lists no files"));
        }
        if self.files.len() > MOST_FILES {
            return Err(Error::manifest(format!("it lists more than {MOST_FILES} files")));
        }
        let mut seen = BTreeSet::new();
        for file in &self.files {
            file.check()?;
            // Some file systems do not distinguish a.txt from A.TXT.
            if !seen.insert(file.path.to_lowercase()) {
                return Err(Error::manifest("it lists a file twice"));
            }
        }
        match self.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.bytes)) {
            Some(_) => Ok(()),
            None => Err(Error::manifest("its files are larger than any disk")),
        }
    }

    /// The manifest as JSON, in its stored form.
    pub fn to_json(&self) -> Result<String, Error> {
        let Provenance { licence, origin, made_by } = self.provenance.clone();
        let (name, files) = (self.name.clone(), self.files.clone());
        let stored = Stored { format: FORMAT, name, licence, origin, made_by, files };
        let mut json = serde_json::to_string_pretty(&stored).map_err(|e| not_json(&e))?;
        json.push('\n');
        Ok(json)
    }

    /// Writes the manifest and its checksum into a folder, each atomically. Replaces older ones.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let json = self.to_json()?;
        let sum = format!("{}\n", Sha256Sum::of(json.as_bytes()));
        inkveil_files::write_atomically(&folder.join(MANIFEST), json.as_bytes(), true)?;
        inkveil_files::write_atomically(&folder.join(MANIFEST_SUM), sum.as_bytes(), true)?;
        Ok(())
    }

    /// Compares the manifest in a folder with its checksum, or, if `ours` is true, with the manifest of the default pack
    /// that this program was built with. Returns false if there is nothing to compare it with.
    pub(crate) fn verify_file(folder: &Path, ours: bool) -> Result<bool, Error> {
        let path = folder.join(MANIFEST);
        let changed = || Error::from(ErrorKind::ManifestChanged).of(path.display());
        let failed = |e: std::io::Error| Error::io("read it", &e).of(path.display());
        let bytes = fs::read(&path).map_err(failed)?;
        if let (true, Some(expected)) = (ours, BUILT_WITH) {
            return if bytes == expected { Ok(true) } else { Err(changed()) };
        }
        match fs::read_to_string(folder.join(MANIFEST_SUM)) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(_) => Err(changed()),
            Ok(sum) => match sum.trim().parse::<Sha256Sum>() {
                Ok(sum) if sum == Sha256Sum::of(&bytes) => Ok(true),
                _ => Err(changed()),
            },
        }
    }

    /// The pack's name.
    pub fn name(&self) -> &PackName {
        &self.name
    }

    /// The provenance of the pack.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The files. They are sorted by path if this program wrote the manifest.
    pub fn files(&self) -> &[PackFile] {
        &self.files
    }

    /// The total size of the files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// The same manifest for a pack of another name.
    pub(crate) fn renamed(mut self, name: PackName) -> Self {
        self.name = name;
        self
    }
}

/// Checks the characters of an SPDX expression.
fn check_licence(licence: &str) -> Result<(), Error> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '(' | ')' | ' ');
    let well_formed = !licence.is_empty() && licence.len() <= 200 && licence.chars().all(allowed);
    if well_formed { Ok(()) } else { Err(Error::manifest("a licence is not an SPDX expression")) }
}

fn check_description(field: &str, words: &str) -> Result<(), Error> {
    let valid = !words.trim().is_empty() && words.len() <= 2000 && !words.chars().any(char::is_control);
    if valid { Ok(()) } else { Err(Error::manifest(format!("{field} is empty, too long or not plain text"))) }
}

/// Describes an error in the JSON. The parser's own message may quote the file, so only the position is kept.
fn not_json(error: &serde_json::Error) -> Error {
    use serde_json::error::Category;
    let (line, column) = (error.line(), error.column());
    Error::manifest(match error.classify() {
        Category::Data => {
            format!("a field is missing, unknown or of the wrong type (line {line}, column {column})")
        }
        Category::Eof => "the file ends too early".to_owned(),
        Category::Io | Category::Syntax => format!("not JSON at line {line}, column {column}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Manifest {
        let file = |path: &str, bytes: &[u8], about: &str| {
            PackFile::new(path, bytes.len() as u64, Sha256Sum::of(bytes), about)
        };
        Manifest::new(
            "tiny".parse().unwrap(),
            Provenance::new("Apache-2.0", "pypi:tiny-model==1.0", "inkveil pull tiny"),
            vec![
                file("model.safetensors", b"weights", "weights"),
                file("1_Pooling/config.json", b"{}", "settings"),
            ],
        )
        .unwrap()
    }

    #[test]
    fn round_trip() {
        let manifest = example();
        assert_eq!(Manifest::parse(manifest.to_json().unwrap().as_bytes()).unwrap(), manifest);
        assert_eq!(manifest.files()[0].path, "1_Pooling/config.json");
        assert_eq!(manifest.bytes(), 9);
    }

    #[test]
    fn refuses_invalid_manifests() {
        let json = example().to_json().unwrap();
        let change = |from: &str, to: &str| {
            assert!(json.contains(from), "{from}");
            Manifest::parse(json.replace(from, to).as_bytes()).unwrap_err()
        };
        for (from, to) in [
            ("model.safetensors", "../model.safetensors"),
            ("model.safetensors", "/etc/passwd"),
            ("model.safetensors", "MANIFEST.json"),
            ("model.safetensors", "1_pooling/CONFIG.json"),
            ("\"tiny\"", "\"../tiny\""),
            ("Apache-2.0", "Apache\\u0000"),
            ("Apache-2.0", ""),
            ("\"bytes\": 7", "\"bytes\": -7"),
            ("\"bytes\": 7", "\"bytes\": 18446744073709551615"),
            ("\"about\": \"weights\"", "\"about\": \"weights\", \"size\": 7"),
            ("\"about\": \"weights\"", "\"about\": \" \""),
            ("\"made_by\"", "\"maker\""),
            ("\"sha256\": \"", "\"sha256\": \"0"),
        ] {
            let error = change(from, to);
            assert!(
                matches!(error.kind(), ErrorKind::BadManifest { .. } | ErrorKind::UnsafePath { .. }),
                "{from} → {to}: {error}"
            );
        }
        assert_eq!(
            change("\"format\": 1", "\"format\": 2").kind(),
            &ErrorKind::NewerFormat { found: 2, known: 1 }
        );
        assert!(Manifest::parse(b"my secret diary").unwrap_err().to_string().contains("line 1"));
        let empty = Manifest::new("a".parse().unwrap(), Provenance::new("MIT", "a", "b"), vec![]);
        assert!(empty.unwrap_err().to_string().contains("no files"));
    }

    #[test]
    fn errors_do_not_quote_the_file() {
        let error = Manifest::parse(br#"{"format": "secret diary"}"#).unwrap_err();
        assert!(!error.to_string().contains("diary"), "{error}");
    }

    #[test]
    fn describes_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("1_Pooling")).unwrap();
        for (name, bytes) in [("model.safetensors", "w"), ("1_Pooling/config.json", "{}"), (".hidden", "x")] {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let provenance = Provenance::new("MIT", "here", "a test");
        let describe =
            || Manifest::describe(folder.path(), "a".parse().unwrap(), provenance.clone()).unwrap();
        let first = describe();
        first.write(folder.path()).unwrap();
        assert_eq!(describe(), first, "a manifest must not list itself");
        let paths: Vec<&str> = first.files().iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, ["1_Pooling/config.json", "model.safetensors"]);
        let other = first
            .with_about("model.safetensors", "numbers")
            .unwrap()
            .with_provenance("model.safetensors", Provenance::new("CC0-1.0", "there", "someone"))
            .unwrap();
        assert_eq!(other.files()[1].about, "numbers");
        assert_eq!(other.files()[1].licence.as_deref(), Some("CC0-1.0"));
        assert!(other.with_about("absent", "x").is_err());
    }
}
