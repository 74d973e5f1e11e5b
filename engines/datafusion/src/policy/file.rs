//! Policy files.

use std::path::Path;

use inkveil::settings::{Reader, SettingsError, Table, parse as parse_settings};
use toml::Value;

use super::{Policy, TablePolicy, Treatment};
use crate::settings::VeilOptions;

const KEYS: [&str; 2] = ["settings", "tables"];
const TABLE_KEYS: [&str; 4] = ["id", "task", "others", "columns"];

pub(super) fn parse(text: &str, file: &Path) -> Result<Policy, SettingsError> {
    parse_settings(text, file, |reader, table| {
        reader.only_keys(table, "part of a policy", &KEYS);
        let mut policy = Policy::default();
        if let Some(settings) = table.get("settings").and_then(|value| reader.table(value)) {
            read_settings(reader, settings, &mut policy);
        }
        let tables = reader.needed(table, "tables", "a table for each table, such as [tables.mails]");
        for (name, value) in tables.and_then(|value| reader.table(value)).into_iter().flat_map(Table::iter) {
            if let Some(table) = reader.table(value) {
                let read = read_table(reader, table);
                policy.tables.insert(name.name().to_owned(), read);
            }
        }
        policy
    })
}

fn read_settings(reader: &mut Reader, table: Table<'_>, policy: &mut Policy) {
    let mut options = VeilOptions::default();
    for (key, value) in table.iter() {
        let Some(text) = reader.string(value) else { continue };
        match options.change(key.name(), &text) {
            Ok(()) => drop(policy.settings.insert(key.name().to_owned(), text)),
            Err(error) => {
                let message = error.to_string();
                let (what, advice) = message.split_once("; ").unwrap_or((&message, "correct this setting"));
                reader.wrong(value.span(), what, advice);
            }
        }
    }
}

fn read_table(reader: &mut Reader, table: Table<'_>) -> TablePolicy {
    reader.only_keys(table, "setting of a table", &TABLE_KEYS);
    let text = |reader: &mut Reader, key| table.get(key).and_then(|value| reader.string(value));
    let mut policy =
        TablePolicy { id: text(reader, "id"), task: text(reader, "task"), ..TablePolicy::default() };
    if let Some(value) = table.get("others") {
        let choices = [("keep", true), ("refuse", false)];
        policy.keep_others = reader.choice(value, "treatment of other columns", choices).unwrap_or_default();
    }
    let columns = reader.needed(table, "columns", "{ body = \"veil\" }");
    for (name, value) in columns.and_then(|value| reader.table(value)).into_iter().flat_map(Table::iter) {
        if let Some(treatment) = reader.choice(value, "treatment", Treatment::ALL) {
            policy.columns.insert(name.name().to_owned(), treatment);
        }
    }
    let veiled = policy.columns.values().any(|treatment| *treatment == Treatment::Veil);
    if veiled && policy.id.is_none() {
        reader.wrong(
            table.span(),
            "a veiled column needs a stable row id",
            "name the column with the id of each row: id = \"column\"",
        );
    }
    policy
}

pub(super) fn written(policy: &Policy) -> String {
    let mut file = toml::Table::new();
    let text = |text: &String| Value::String(text.clone());
    if !policy.settings.is_empty() {
        let settings = policy.settings.iter().map(|(name, value)| (name.clone(), text(value))).collect();
        file.insert("settings".to_owned(), Value::Table(settings));
    }
    let mut tables = toml::Table::new();
    for (name, table) in &policy.tables {
        let mut written = toml::Table::new();
        if let Some(id) = &table.id {
            written.insert("id".to_owned(), text(id));
        }
        if let Some(task) = &table.task {
            written.insert("task".to_owned(), text(task));
        }
        if table.keep_others {
            written.insert("others".to_owned(), Value::String("keep".to_owned()));
        }
        let name_of =
            |given: &Treatment| Treatment::ALL.iter().find(|(_, one)| one == given).map(|one| one.0);
        let column = |(name, given): (&String, &Treatment)| {
            (name.clone(), Value::String(name_of(given).unwrap_or_default().to_owned()))
        };
        let columns = table.columns.iter().map(column).collect();
        written.insert("columns".to_owned(), Value::Table(columns));
        tables.insert(name.clone(), Value::Table(written));
    }
    file.insert("tables".to_owned(), Value::Table(tables));
    file.to_string()
}
