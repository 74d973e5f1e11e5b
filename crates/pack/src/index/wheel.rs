//! The choice of a wheel among the files of a package.

use pep440_rs::Version;

use crate::error::{Error, ErrorKind};
use crate::index::page::IndexFile;
use crate::source::PackageName;

/// The wheel that was chosen.
#[derive(Debug)]
pub(crate) struct ChosenWheel<'a> {
    pub(crate) file: &'a IndexFile,
    pub(crate) version: Version,
}

/// Chooses the wheel of a version, or of the newest stable version. Wheels for any platform come first. A withdrawn
/// wheel is chosen only if its version is requested.
pub(crate) fn choose<'a>(
    package: &PackageName,
    version: Option<&str>,
    files: &'a [IndexFile],
) -> Result<ChosenWheel<'a>, Error> {
    let wheels: Vec<Wheel<'a>> = files.iter().filter_map(|file| Wheel::of(package, file)).collect();
    if wheels.is_empty() {
        return Err(ErrorKind::NoWheel.into());
    }
    let best = match version {
        Some(text) => {
            let wanted: Option<Version> = text.parse().ok();
            wheels
                .iter()
                .filter(|wheel| wanted.as_ref() == Some(&wheel.version))
                .min_by_key(|wheel| wheel.rank())
        }
        None => wheels.iter().filter(|wheel| !wheel.file.yanked).min_by_key(|wheel| {
            (wheel.version.any_prerelease(), std::cmp::Reverse(&wheel.version), wheel.rank())
        }),
    };
    match best {
        Some(wheel) => Ok(ChosenWheel { file: wheel.file, version: wheel.version.clone() }),
        None => {
            let mut present: Vec<&Version> = wheels.iter().map(|wheel| &wheel.version).collect();
            present.sort_by(|a, b| b.cmp(a));
            present.dedup();
            Err(ErrorKind::NoVersion {
                version: version.unwrap_or("any (all were withdrawn)").to_owned(),
                present: present.into_iter().map(ToString::to_string).collect(),
            }
            .into())
        }
    }
}

/// The parts of a wheel's file name: `NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl`.
struct Wheel<'a> {
    file: &'a IndexFile,
    version: Version,
    tags: &'a str,
}

impl<'a> Wheel<'a> {
    fn of(package: &PackageName, file: &'a IndexFile) -> Option<Self> {
        let stem = file.name.strip_suffix(".whl")?;
        let (name, rest) = stem.split_once('-')?;
        let same = PackageName::normalised(name).as_deref() == Some(package.as_str());
        let (version, tags) = rest.split_once('-')?;
        let parts = tags.split('-').count();
        (same && matches!(parts, 3 | 4)).then_some(())?;
        Some(Self { file, version: version.parse().ok()?, tags })
    }

    /// The best wheel has the lowest rank.
    fn rank(&self) -> (bool, bool, &str) {
        let any = self.tags.ends_with("-none-any");
        (self.file.yanked, !any, self.tags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, yanked: bool) -> IndexFile {
        IndexFile { name: name.into(), link: name.into(), bytes: None, sha256: None, yanked }
    }

    fn chosen(version: Option<&str>, names: &[(&str, bool)]) -> Result<String, ErrorKind> {
        let files: Vec<IndexFile> = names.iter().map(|(name, yanked)| file(name, *yanked)).collect();
        let package = "Tiny.Model".parse().unwrap();
        choose(&package, version, &files).map(|c| c.file.name.clone()).map_err(|e| e.kind().clone())
    }

    #[test]
    fn chooses_the_newest_stable_wheel() {
        let names = [
            ("tiny_model-1.9-py3-none-any.whl", false),
            ("tiny_model-1.10-cp312-cp312-linux_x86_64.whl", false),
            ("Tiny.Model-1.10-py3-none-any.whl", false),
            ("tiny_model-2.0rc1-py3-none-any.whl", false),
            ("tiny_model-3.0-py3-none-any.whl", true),
            ("tiny_model-4.0.tar.gz", false),
            ("other-5.0-py3-none-any.whl", false),
            ("tiny_model-6.0-any.whl", false),
        ];
        assert_eq!(chosen(None, &names).unwrap(), "Tiny.Model-1.10-py3-none-any.whl");
        assert_eq!(chosen(Some("1.9.0"), &names).unwrap(), "tiny_model-1.9-py3-none-any.whl");
        assert_eq!(chosen(Some("3.0"), &names).unwrap(), "tiny_model-3.0-py3-none-any.whl");
        assert_eq!(chosen(None, &names[3..]).unwrap(), "tiny_model-2.0rc1-py3-none-any.whl");
        assert_eq!(chosen(None, &names[5..]).unwrap_err(), ErrorKind::NoWheel);
        let missing = chosen(Some("7"), &names[..3]).unwrap_err();
        let present = vec!["1.10".to_owned(), "1.9".to_owned()];
        assert_eq!(missing, ErrorKind::NoVersion { version: "7".into(), present });
        assert!(matches!(chosen(None, &names[4..5]).unwrap_err(), ErrorKind::NoVersion { .. }));
    }

    #[test]
    fn versions_are_ordered_as_in_pep_440() {
        let ordered =
            ["1.0.dev1", "1.0a1", "1.0rc1", "1.0", "1.0+cpu", "1.0.post1", "1.0.1", "1.10", "1!0.1"];
        let versions = ordered.map(|text| text.parse::<Version>().unwrap());
        assert!(versions.is_sorted());
        assert_eq!("1.0-1".parse::<Version>().unwrap(), "1.0.post1".parse().unwrap());
        assert_eq!("0.2.0a8".parse::<Version>().unwrap().to_string(), "0.2.0a8");
    }
}
