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

/// The relations of a part, in the order of the file. An order by ids would change when new ids are given.
#[derive(Default)]
pub(super) struct Relations {
    list: Vec<(String, Relation)>,
    places: BTreeMap<String, usize>,
}

impl Relations {
    /// Returns the ids and their relations.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Relation)> {
        self.list.iter().map(|(id, relation)| (id, relation))
    }

    /// Returns the relations.
    pub(super) fn values(&self) -> impl Iterator<Item = &Relation> {
        self.list.iter().map(|(_, relation)| relation)
    }

    /// Returns the relation with an id.
    pub(super) fn get(&self, id: &str) -> Option<&Relation> {
        self.places.get(id).and_then(|place| self.list.get(*place)).map(|(_, relation)| relation)
    }

    fn push(&mut self, id: &str, relation: Relation) {
        self.places.insert(id.to_owned(), self.list.len());
        self.list.push((id.to_owned(), relation));
    }
}

/// Returns the relations of a part. The package itself has the name "".
pub(super) fn relations(package: &mut Package<'_>, part: &str, limits: &Limits) -> Result<Relations, Error> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let name = match folder {
        "" => format!("_rels/{file}.rels"),
        folder => format!("{folder}/_rels/{file}.rels"),
    };
    if !package.has(&name) {
        return Ok(Relations::default());
    }
    let root = parse(&package.read(&name)?, limits)?;
    let mut found = Relations::default();
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
        found.push(id, relation);
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
