//! The command line.

use std::path::PathBuf;

use crate::Outcome;

#[derive(Debug, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) pack: PathBuf,
    /// The Python that has Presidio, and the script that it runs.
    pub(crate) presidio: Option<(PathBuf, PathBuf)>,
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut parsed = Arguments { files: Vec::new(), pack: PathBuf::from("models/en"), presidio: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().map(PathBuf::from).ok_or_else(|| format!("{word} lacks a value"));
            match word.as_str() {
                "--pack" => parsed.pack = value()?,
                "--presidio" => parsed.presidio = Some((value()?, value()?)),
                option if option.starts_with("--") => {
                    return Err(format!("there is no option {option}").into());
                }
                _ => parsed.files.push(PathBuf::from(word)),
            }
        }
        match parsed.files.is_empty() {
            true => Err("usage: GOLD.json… [--pack DIR] [--presidio PYTHON SCRIPT]".into()),
            false => Ok(parsed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Outcome<Arguments> {
        Arguments::parse(line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned))
    }

    #[test]
    fn options_may_stand_between_files() {
        let parsed = parse("a.json --presidio python score.py b.json --pack p").unwrap();
        assert_eq!(parsed.files, [PathBuf::from("a.json"), PathBuf::from("b.json")]);
        assert_eq!(parsed.presidio, Some(("python".into(), "score.py".into())));
        assert_eq!(parsed.pack, PathBuf::from("p"));
    }

    #[test]
    fn says_what_is_missing_or_unknown() {
        for (line, message) in [
            ("", "usage"),
            ("a.json --presidio python", "lacks a value"),
            ("a.json --fast", "no option --fast"),
        ] {
            assert!(parse(line).unwrap_err().to_string().contains(message), "{line}");
        }
    }
}
