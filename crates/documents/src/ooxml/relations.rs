//! Relations between the parts of a package.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;
use crate::xml::parse;

/// A relation of a part.
#[derive(Clone)]
pub(super) struct Relation {
    /// The last word of its type, such as `styles`.
    pub(super) kind: String,
    /// The name of the part it leads to.
    pub(super) target: String,
    /// Whether it leads out of the package.
    pub(super) external: bool,
}

/// The relations of a part, by their ids. The package itself has the name "".
pub(super) fn relations(
    package: &mut Package<'_>,
    part: &str,
    limits: &Limits,
) -> Result<BTreeMap<String, Relation>, Error> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let name = match folder {
        "" => format!("_rels/{file}.rels"),
        folder => format!("{folder}/_rels/{file}.rels"),
    };
    if !package.has(&name) {
        return Ok(BTreeMap::new());
    }
    let root = parse(&package.read(&name)?, limits)?;
    let mut found = BTreeMap::new();
    for element in root.elements() {
        let get = |name: &str| {
            element
                .attributes
                .iter()
                .find(|attribute| &*attribute.raw == name)
                .map(|found| found.value.as_str())
        };
        let (Some(id), Some(kind), Some(target)) = (get("Id"), get("Type"), get("Target")) else { continue };
        let external = get("TargetMode") == Some("External");
        let relation = Relation {
            kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
            target: if external { String::new() } else { resolve(folder, target) },
            external,
        };
        found.insert(id.to_owned(), relation);
    }
    Ok(found)
}

/// The name of a part from the folder of another.
fn resolve(folder: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let mut path: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path.join("/")
}

/// The part with the text of the whole file.
pub(super) fn main_part(
    package: &mut Package<'_>,
    limits: &Limits,
    format: &'static str,
) -> Result<String, Error> {
    let found = relations(package, "", limits)?;
    let main = found.values().find(|relation| relation.kind == "officeDocument" && !relation.external);
    main.map(|relation| relation.target.clone())
        .filter(|target| package.has(target))
        .ok_or_else(|| Error::damaged(format, "it has no main part"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_relative_to_their_part() {
        assert_eq!(resolve("word", "styles.xml"), "word/styles.xml");
        assert_eq!(resolve("ppt/slides", "../media/a.png"), "ppt/media/a.png");
        assert_eq!(resolve("word", "/word/a.xml"), "word/a.xml");
        assert_eq!(resolve("word", "../../../etc/passwd"), "etc/passwd");
    }
}
