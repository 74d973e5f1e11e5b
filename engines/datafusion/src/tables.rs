//! Files and folders as tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::datasource::file_format::options::{
    CsvReadOptions, JsonReadOptions, ParquetReadOptions, ReadOptions as _,
};
use datafusion::datasource::listing::{ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::prelude::SessionContext;
use url::Url;

use crate::error::{Error, refused};

/// A file or folder that is a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// The name of the table.
    pub name: String,
    /// The file or folder.
    pub path: PathBuf,
}

/// The endings of files that can be read.
const ENDINGS: [(&str, Format); 5] = [
    ("parquet", Format::Parquet),
    ("csv", Format::Csv),
    ("jsonl", Format::JsonLines),
    ("ndjson", Format::JsonLines),
    ("json", Format::JsonLines),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Parquet,
    Csv,
    JsonLines,
}

impl TableFile {
    /// Reads `name=path`.
    ///
    /// # Errors
    /// If it has another form, or the name cannot be that of a table.
    pub fn parse(given: &str) -> Result<Self, Error> {
        let (name, path) = given
            .split_once('=')
            .ok_or_else(|| refused("a table is given as NAME=PATH, for example mails=mails.parquet"))?;
        if !is_name(name) {
            return Err(refused(
                "the name of a table has lower-case letters, digits and `_`, and starts with a letter",
            ));
        }
        Ok(Self { name: name.to_owned(), path: path.into() })
    }

    /// The tables in a folder: its files, and its folders that hold files of one format. Other files are left out.
    ///
    /// # Errors
    /// If the folder cannot be read, or two tables have one name.
    pub fn of_folder(folder: &Path) -> Result<Vec<Self>, Error> {
        if !folder.is_dir() {
            return Err(refused(format!("{} is not a folder", folder.display())));
        }
        let mut tables: Vec<Self> = Vec::new();
        for path in inkveil::files::entries_of(folder)? {
            if ending(&path).is_none() {
                continue;
            }
            let name = name_of(&path);
            if tables.iter().any(|table| table.name == name) {
                return Err(refused(format!(
                    "{}: two files give the table {name}; name tables yourself with --table",
                    folder.display()
                )));
            }
            tables.push(Self { name, path });
        }
        tables.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(tables)
    }

    /// The folders in a folder of tables that are no tables: they have files of several formats, or only folders.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn left_out_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let inside = inkveil::files::entries_of(folder)?;
        Ok(inside
            .into_iter()
            .filter(|path| path.is_dir() && !is_note(path) && ending(path).is_none())
            .collect())
    }

    /// Opens the table. Its rows are not read yet.
    ///
    /// # Errors
    /// If there is no such file, or its columns cannot be found out.
    pub(crate) async fn open(&self, context: &SessionContext) -> Result<Arc<dyn TableProvider>, Error> {
        let path = self.path.display();
        let found = self.path.canonicalize().map_err(|_| refused(format!("cannot read {path}")))?;
        let Some((ending, format)) = ending(&found) else {
            return Err(refused(format!(
                "{path} is not a table; files end in .parquet, .csv, .jsonl, .ndjson or .json, and a folder holds files of one \
                 of these"
            )));
        };
        let url = match found.is_dir() {
            true => Url::from_directory_path(&found),
            false => Url::from_file_path(&found),
        };
        let url = url.map_err(|()| refused(format!("{path} cannot be used as the path of a table")))?;
        let (config, options) = (context.copied_config(), context.copied_table_options());
        let dotted = format!(".{ending}");
        let options = match format {
            Format::Parquet => {
                ParquetReadOptions::new().file_extension(&dotted).to_listing_options(&config, options)
            }
            Format::Csv => CsvReadOptions::new()
                .file_extension(&dotted)
                .newlines_in_values(true)
                .to_listing_options(&config, options),
            Format::JsonLines => {
                JsonReadOptions::default().file_extension(&dotted).to_listing_options(&config, options)
            }
        };
        // The engine's messages may quote the file, so they are dropped.
        let wrong =
            |_: DataFusionError| refused(format!("{path} cannot be read as .{ending}; it may be damaged"));
        let url = ListingTableUrl::try_new(url, None).map_err(wrong)?;
        let config = ListingTableConfig::new(url).with_listing_options(options);
        let config = config.infer_schema(&context.state()).await.map_err(wrong)?;
        let table = ListingTable::try_new(config).map_err(wrong)?;
        if table_columns(&table) == 0 {
            return Err(refused(format!("{path} has no columns")));
        }
        Ok(Arc::new(table))
    }
}

fn table_columns(table: &ListingTable) -> usize {
    table.schema().fields().len()
}

/// The format of a file by its name, or that of all files in a folder.
fn ending(path: &Path) -> Option<(&'static str, Format)> {
    if !path.is_dir() {
        let name = path.extension()?.to_str()?;
        return ENDINGS.into_iter().find(|(ending, _)| *ending == name);
    }
    let inside = inkveil::files::entries_of(path).ok()?;
    let is_data = |file: &&PathBuf| !file.is_dir() && !is_note(file);
    let mut endings = inside.iter().filter(is_data).map(|file| ending(file));
    let first = endings.next()??;
    endings.all(|ending| ending == Some(first)).then_some(first)
}

/// Whether another tool has put this beside the files of a table.
fn is_note(path: &Path) -> bool {
    path.file_name().unwrap_or_default().to_string_lossy().starts_with(['.', '_'])
}

/// The name of the table in a file.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let name: String =
        stem.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    match is_name(&name) {
        true => name,
        false => format!("t_{name}"),
    }
}

fn is_name(name: &str) -> bool {
    let first = |letter: char| letter.is_ascii_lowercase();
    name.starts_with(first)
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}
