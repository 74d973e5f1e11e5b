//! The files of all sets, read and checked.

use std::collections::BTreeSet;
use std::path::Path;

use crate::Outcome;
use crate::files::{Row, folders, name, read_released, read_rows};

/// A set and what methods made of it.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) train: Vec<Row>,
    pub(crate) test: Vec<Row>,
    pub(crate) methods: Vec<Method>,
}

/// What a method released instead of the texts of a set.
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) test: Vec<String>,
    pub(crate) train: Option<Vec<String>>,
}

impl Input {
    /// Every set in a folder, with the methods that are asked for, or all of them by name.
    pub(crate) fn read_all(folder: &Path, methods: Option<&[String]>) -> Outcome<Vec<Self>> {
        let all = folders(folder)?.iter().map(|set| Self::read(set, methods)).collect::<Outcome<Vec<_>>>()?;
        let found: BTreeSet<&str> =
            all.iter().flat_map(|set| &set.methods).map(|method| method.name.as_str()).collect();
        if let Some(missing) = methods.unwrap_or_default().iter().find(|name| !found.contains(name.as_str()))
        {
            return Err(format!("{}: no set has a folder {missing:?}", folder.display()).into());
        }
        match found.is_empty() {
            true => Err(format!("{}: there is no SET/METHOD/test.jsonl in it", folder.display()).into()),
            false => Ok(all),
        }
    }

    fn read(set: &Path, methods: Option<&[String]>) -> Outcome<Self> {
        let (train, test) = (read_rows(&set.join("train.jsonl"))?, read_rows(&set.join("test.jsonl"))?);
        if train[0].label.is_some() != test[0].label.is_some() {
            return Err(format!("{}: only one of its files has labels", set.display()).into());
        }
        let names = match methods {
            Some(methods) => methods.iter().filter(|name| set.join(name).is_dir()).cloned().collect(),
            None => folders(set)?.iter().map(|folder| name(folder)).collect::<Vec<String>>(),
        };
        let method = |name: String| {
            let folder = set.join(&name);
            let known = folder.join("train.jsonl");
            let released = known.is_file().then(|| read_released(&known, &train)).transpose()?;
            Ok(Method { name, test: read_released(&folder.join("test.jsonl"), &test)?, train: released })
        };
        let methods = names.into_iter().map(method).collect::<Outcome<_>>()?;
        Ok(Self { name: name(set), train, test, methods })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Released, write_rows};

    #[test]
    fn methods_are_read_in_the_order_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let row =
            |id: &str| Row { id: id.into(), author: "ann".into(), label: None, text: format!("text {id}") };
        let set = folder.path().join("letters");
        write_rows(&set.join("train.jsonl"), [row("1"), row("2")]).unwrap();
        write_rows(&set.join("test.jsonl"), [row("3")]).unwrap();
        for method in ["plain", "bare"] {
            write_rows(&set.join(method).join("test.jsonl"), [Released { id: "3", text: "new" }]).unwrap();
        }
        let names = |methods: Option<&[String]>| -> Outcome<Vec<String>> {
            let all = Input::read_all(folder.path(), methods)?;
            Ok(all[0].methods.iter().map(|method| method.name.clone()).collect())
        };
        assert_eq!(names(None).unwrap(), ["bare", "plain"]);
        assert_eq!(names(Some(&["plain".into(), "bare".into()])).unwrap(), ["plain", "bare"]);
        assert!(names(Some(&["other".into()])).unwrap_err().to_string().contains("other"));
        write_rows(&set.join("bare").join("train.jsonl"), [Released { id: "1", text: "new" }]).unwrap();
        assert!(names(None).unwrap_err().to_string().contains("1 rows and 2 originals"));
    }
}
