//! Reads a model's `config.json` with bounds: invalid sizes are errors, not allocations.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::{Map, Value};

use crate::weights::read_small;
use crate::{Error, ErrorKind};

/// The largest config accepted.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// The settings of one file.
pub(crate) struct ConfigFile(Map<String, Value>);

impl ConfigFile {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        ConfigFile::parse(&read_small(path, "config", MAX_BYTES)?).map_err(|e| e.in_file(path))
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        // serde's message may quote the file, so only the position is reported.
        let map = serde_json::from_slice(bytes).map_err(|e| {
            Error::corrupt(
                "config",
                format!("not a JSON object: error at line {} column {}", e.line(), e.column()),
            )
        })?;
        Ok(ConfigFile(map))
    }

    /// Returns a setting; `null` counts as missing.
    fn find(&self, field: &str) -> Option<&Value> {
        self.0.get(field).filter(|value| !value.is_null())
    }

    pub(crate) fn size(&self, field: &'static str, range: RangeInclusive<usize>) -> Result<usize, Error> {
        self.size_if(field, range)?.ok_or_else(|| missing(field))
    }

    pub(crate) fn size_or(
        &self,
        field: &'static str,
        range: RangeInclusive<usize>,
        default: usize,
    ) -> Result<usize, Error> {
        Ok(self.size_if(field, range)?.unwrap_or(default))
    }

    fn size_if(&self, field: &'static str, range: RangeInclusive<usize>) -> Result<Option<usize>, Error> {
        let Some(value) = self.find(field) else { return Ok(None) };
        let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
        match size.filter(|size| range.contains(size)) {
            Some(size) => Ok(Some(size)),
            None => Err(outside(field, &range)),
        }
    }

    pub(crate) fn number_or(
        &self,
        field: &'static str,
        range: RangeInclusive<f64>,
        default: f64,
    ) -> Result<f64, Error> {
        let Some(value) = self.find(field) else { return Ok(default) };
        value.as_f64().filter(|number| range.contains(number)).ok_or_else(|| outside(field, &range))
    }

    pub(crate) fn text(&self, field: &'static str) -> Result<&str, Error> {
        self.text_if(field)?.ok_or_else(|| missing(field))
    }

    pub(crate) fn text_or<'a>(&'a self, field: &'static str, default: &'a str) -> Result<&'a str, Error> {
        Ok(self.text_if(field)?.unwrap_or(default))
    }

    fn text_if(&self, field: &'static str) -> Result<Option<&str>, Error> {
        let Some(value) = self.find(field) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| wrong(field, "must be a string".to_owned()))
    }

    pub(crate) fn flag_or(&self, field: &'static str, default: bool) -> Result<bool, Error> {
        let Some(value) = self.find(field) else { return Ok(default) };
        value.as_bool().ok_or_else(|| wrong(field, "must be true or false".to_owned()))
    }
}

fn missing(field: &'static str) -> Error {
    wrong(field, "is missing".to_owned())
}

fn outside<T: Display>(field: &'static str, range: &RangeInclusive<T>) -> Error {
    wrong(field, format!("must be a number from {} to {}", range.start(), range.end()))
}

pub(crate) fn wrong(field: &'static str, what: String) -> Error {
    ErrorKind::Config { field, what }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_within_bounds() {
        let settings =
            ConfigFile::parse(br#"{"a": 3, "b": null, "c": "x", "d": 0.5, "e": true, "f": -1}"#).unwrap();
        assert_eq!(settings.size("a", 1..=4).unwrap(), 3);
        assert_eq!(settings.size_or("b", 1..=4, 2).unwrap(), 2);
        assert_eq!(settings.text("c").unwrap(), "x");
        assert_eq!(settings.number_or("d", 0.0..=1.0, 0.0).unwrap(), 0.5);
        assert!(settings.flag_or("e", false).unwrap());
        let text = |result: Result<usize, Error>| result.unwrap_err().to_string();
        assert_eq!(text(settings.size("a", 4..=9)), "the setting \"a\" must be a number from 4 to 9");
        assert_eq!(text(settings.size("b", 1..=4)), "the setting \"b\" is missing");
        assert_eq!(text(settings.size("f", 0..=4)), "the setting \"f\" must be a number from 0 to 4");
        assert!(settings.size("c", 0..=4).is_err() && settings.text("a").is_err());
        assert!(settings.flag_or("a", true).is_err() && settings.number_or("d", 1.0..=2.0, 1.0).is_err());
    }

    #[test]
    fn errors_of_invalid_json_do_not_quote_it() {
        for bytes in [&b"secret"[..], b"[1]", b"", b"{\"a\": secret}"] {
            let error = ConfigFile::parse(bytes).err().unwrap().to_string();
            assert!(error.contains("line") && !error.contains("secret"), "{error}");
        }
    }
}
