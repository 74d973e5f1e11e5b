//! Settings of Python as a settings file, so that the library checks them as it checks every file.

use std::path::PathBuf;

use inkveil::release::Account;
use inkveil::{NoiseKey, TextConfig, detect};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::{Table, Value};

use crate::errors::{Class, raised};
use crate::process::KeySource;

/// The name of the file in messages.
const FILE: &str = "settings";

/// The settings of a text veil: the tables `text` and `detect` of a settings file.
pub(crate) fn text_config(text: &Bound<'_, PyDict>, detect: &Bound<'_, PyDict>) -> PyResult<TextConfig> {
    let py = text.py();
    let mut file = Table::new();
    file.insert("text".to_owned(), Value::Table(table(text)?));
    if !detect.is_empty() {
        file.insert("detect".to_owned(), Value::Table(table(detect)?));
    }
    TextConfig::from_toml(&file.to_string(), FILE).map_err(|error| raised(py, error))
}

/// The settings of a detector.
pub(crate) fn detect_settings(settings: &Bound<'_, PyDict>) -> PyResult<detect::Settings> {
    let file = table(settings)?.to_string();
    detect::Settings::from_toml(&file, FILE).map_err(|error| raised(settings.py(), error))
}

/// A table. Names are written with `-`, as in files.
fn table(settings: &Bound<'_, PyDict>) -> PyResult<Table> {
    let mut all = Table::new();
    for (name, value) in settings {
        if !value.is_none() {
            all.insert(name.extract::<String>()?.replace('_', "-"), self::value(&value)?);
        }
    }
    Ok(all)
}

fn value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    // A bool is also an int, so it comes first.
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Value::Boolean(value.is_true()));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Value::String(text(value, "a setting")?));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Value::Integer(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        // Files write no number for "no noise".
        return Ok(match value.extract::<f64>()? {
            f64::INFINITY => Value::String("inf".to_owned()),
            number => Value::Float(number),
        });
    }
    if let Ok(list) = value.cast::<PyList>() {
        return list.iter().map(|item| self::value(&item)).collect::<PyResult<_>>().map(Value::Array);
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return tuple.iter().map(|item| self::value(&item)).collect::<PyResult<_>>().map(Value::Array);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let mut all = Table::new();
        for (name, item) in dict {
            all.insert(name.extract()?, self::value(&item)?);
        }
        return Ok(Value::Table(all));
    }
    let kind = value.get_type().name()?;
    Err(Class::Settings.error(value.py(), format!("a setting cannot be a {kind}")))
}

/// A text of Python. Python's own error for a text that is not Unicode would quote it.
pub(crate) fn text(value: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    let py = value.py();
    let Ok(text) = value.cast::<PyString>() else {
        let kind = value.get_type().name()?;
        return Err(Class::Data.error(py, format!("{what} is of type {kind}, not str")));
    };
    match text.to_cow() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => {
            Err(Class::Data.error(py, format!("{what} is not Unicode: it has half of a surrogate pair")))
        }
    }
}

/// The texts of a list.
pub(crate) fn texts(list: &Bound<'_, PyList>) -> PyResult<Vec<String>> {
    list.iter()
        .enumerate()
        .map(|(index, item)| match is_missing(&item) {
            false => text(&item, &format!("text {index}")),
            true => {
                let what = "is missing; leave it out, or veil the table with veil.arrow(table, column), which keeps \
                            missing texts";
                Err(Class::Data.error(item.py(), format!("text {index} {what}")))
            }
        })
        .collect()
}

/// Whether this is how a library of data frames writes a missing text: None, NaN or NA.
fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan())
        || value.get_type().name().is_ok_and(|name| name == "NAType")
}

/// Which ledger is charged: that of the environment by default, none if `ledger` is False.
pub(crate) fn account(
    ledger: &Bound<'_, PyAny>,
    dataset: Option<&str>,
    subject: Option<&str>,
) -> PyResult<Account> {
    let mut account = if ledger.is_none() {
        Account::from_environment()
    } else if ledger.cast::<PyBool>().is_ok_and(|flag| !flag.is_true()) {
        Account::none()
    } else {
        let wrong = "ledger is the path of a file, an inkveil.Ledger, False or None";
        Account::new(ledger.extract::<PathBuf>().map_err(|_| Class::Settings.error(ledger.py(), wrong))?)
    };
    if let Some(dataset) = dataset {
        account = account.dataset(dataset);
    }
    if let Some(subject) = subject {
        account = account.subject(subject);
    }
    Ok(account)
}

/// The key: that of a program, one from an insecure seed, or a fresh one.
pub(crate) fn key(py: Python<'_>, key: Option<&[u8]>, seed: Option<u64>) -> PyResult<KeySource> {
    match (key, seed) {
        (Some(_), Some(_)) => Err(Class::Settings.error(py, "give a key or an insecure seed, not both")),
        (None, Some(seed)) => Ok(KeySource::Seed(seed)),
        (None, None) => Ok(KeySource::Fresh),
        (Some(bytes), None) => {
            let wrong = || Class::Settings.error(py, "a key has 33 bytes; make one with inkveil.new_key()");
            let mut kept = inkveil::privacy::Secret::new([0; 33]);
            kept.expose_mut()
                .copy_from_slice(bytes.get(..33).filter(|_| bytes.len() == 33).ok_or_else(wrong)?);
            NoiseKey::from_kept(&kept).map(KeySource::Given).map_err(|error| raised(py, error))
        }
    }
}
