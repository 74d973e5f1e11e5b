//! Files, folders and objects as tables.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::datasource::file_format::options::{
    CsvReadOptions, JsonReadOptions, ParquetReadOptions, ReadOptions as _,
};
use datafusion::datasource::listing::{ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::prelude::SessionContext;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt as _};
use url::Url;

use crate::delta::{self, DeltaTable};
use crate::error::{Error, refused};
use crate::storage::{self, Address};

/// A file, a folder or an object that is a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// The name of the table.
    pub name: String,
    /// The file or folder, or its address in object storage, `s3://bucket/key`.
    pub path: PathBuf,
}

/// The tables in a folder.
#[derive(Debug, Default)]
pub struct FolderTables {
    /// Its files, and its folders that are tables.
    pub tables: Vec<TableFile>,
    /// Its folders that are no tables: they have files of several formats, or only folders.
    pub left_out: Vec<PathBuf>,
}

/// The endings of files that can be read.
const ENDINGS: [(&str, Format); 5] = [
    ("parquet", Format::Parquet),
    ("csv", Format::Csv),
    ("jsonl", Format::JsonLines),
    ("ndjson", Format::JsonLines),
    ("json", Format::JsonLines),
];

/// The name of a Delta table where others have an ending.
const DELTA: (&str, Format) = ("delta", Format::Delta);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Parquet,
    Csv,
    JsonLines,
    /// A folder with a log that says which of its files count.
    Delta,
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

    /// A table with the name of its file.
    fn named_after(path: PathBuf) -> Self {
        Self { name: name_of(&path), path }
    }

    /// The tables in a folder of files, or in a folder of object storage.
    ///
    /// # Errors
    /// If the folder cannot be read, or two tables have one name.
    pub async fn in_folder(folder: &Path) -> Result<FolderTables, Error> {
        let mut found = match Address::of(folder)? {
            Some(address) => in_storage(&address).await?,
            None => in_files(folder)?,
        };
        found.tables.sort_by(|one, other| one.name.cmp(&other.name));
        if let Some(pair) = found.tables.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(refused(format!(
                "{}: two files give the table {}; name tables yourself with --table",
                folder.display(),
                pair[0].name
            )));
        }
        Ok(found)
    }

    /// Opens the table. Its rows are not read yet.
    ///
    /// # Errors
    /// If there is no such file, or its columns cannot be found out.
    pub(crate) async fn open(&self, context: &SessionContext) -> Result<Arc<dyn TableProvider>, Error> {
        match Address::of(&self.path)? {
            Some(address) => open_object(&address, context).await,
            None => self.open_file(context).await,
        }
    }

    async fn open_file(&self, context: &SessionContext) -> Result<Arc<dyn TableProvider>, Error> {
        let path = self.path.display();
        let found = self.path.canonicalize().map_err(|_| refused(format!("cannot read {path}")))?;
        let Some((ending, format)) = ending(&found) else { return Err(no_table(path)) };
        let wrong = || refused(format!("{path} cannot be used as the path of a table"));
        if format == Format::Delta {
            let url = ObjectStoreUrl::local_filesystem();
            let store = context.runtime_env().object_store(&url).map_err(|_| wrong())?;
            let root = ObjectPath::from_absolute_path(&found).map_err(|_| wrong())?;
            return Ok(Arc::new(DeltaTable::open(store, url, root, &path).await?));
        }
        let url = match found.is_dir() {
            true => {
                let inside = inkveil::files::entries_of(&found)?;
                refuse_hidden(
                    inside.iter().filter(|file| !file.is_dir()).map(|file| name(file)),
                    ending,
                    &path,
                )?;
                Url::from_directory_path(&found)
            }
            false => Url::from_file_path(&found),
        };
        listing(context, url.map_err(|()| wrong())?, ending, format, path).await
    }
}

/// Opens a table in object storage.
async fn open_object(address: &Address, context: &SessionContext) -> Result<Arc<dyn TableProvider>, Error> {
    let store = storage::store(address)?;
    context.register_object_store(&address.root()?, store.clone());
    let Some((is_folder, (ending, format))) = kind_of(store.as_ref(), address).await? else {
        return Err(no_table(address));
    };
    if format == Format::Delta {
        let root = address.root()?;
        let url = ObjectStoreUrl::parse(root.as_str()).map_err(|_| no_table(address))?;
        return Ok(Arc::new(DeltaTable::open(store, url, address.key().clone(), address).await?));
    }
    listing(context, address.url(is_folder)?, ending, format, address).await
}

/// Finds out whether an address is that of an object or of a folder, and its format.
async fn kind_of(
    store: &dyn ObjectStore,
    address: &Address,
) -> Result<Option<(bool, (&'static str, Format))>, Error> {
    let told = |error| storage::told(&error, address);
    if let Some(found) = address.key().extension().and_then(known) {
        match store.head(address.key()).await {
            Ok(_) => return Ok(Some((false, found))),
            // A folder may have the name of a file.
            Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(told(error)),
        }
    }
    let inside = storage::inside(store, address.key()).await.map_err(told)?;
    if inside.objects.is_empty() && inside.folders.is_empty() {
        return Err(refused(format!("{address}: there is no such object or folder")));
    }
    let found = format_of(&inside);
    if let Some((ending, _)) = found {
        let names = inside.objects.iter().map(|object| object.filename().unwrap_or_default().into());
        refuse_hidden(names, ending, address)?;
    }
    Ok(found.map(|found| (true, found)))
}

/// Refuses a folder with hidden files that the engine would read as a part of the table.
fn refuse_hidden<'n>(
    mut names: impl Iterator<Item = Cow<'n, str>>,
    ending: &str,
    place: impl Display,
) -> Result<(), Error> {
    let is_hidden = |name: Cow<'_, str>| {
        let is_data = Path::new(&*name).extension().is_some_and(|found| found == ending);
        name.starts_with(['.', '_']) && is_data
    };
    match names.any(is_hidden) {
        true => Err(refused(format!(
            "{place} has files of the ending .{ending} whose names begin with `.` or `_`, which are no part of a table; remove \
             them"
        ))),
        false => Ok(()),
    }
}

/// The format of all objects of a folder.
fn format_of(inside: &storage::Inside) -> Option<(&'static str, Format)> {
    if inside.folders.iter().any(|folder| folder.filename() == Some(delta::LOG)) {
        return Some(DELTA);
    }
    let is_data = |object: &&ObjectPath| !object.filename().unwrap_or_default().starts_with(['.', '_']);
    let mut endings = inside.objects.iter().filter(is_data).map(|object| object.extension().and_then(known));
    let first = endings.next()??;
    endings.all(|ending| ending == Some(first)).then_some(first)
}

async fn in_storage(folder: &Address) -> Result<FolderTables, Error> {
    let store = storage::store(folder)?;
    let told = |error| storage::told(&error, folder);
    let inside = storage::inside(store.as_ref(), folder.key()).await.map_err(told)?;
    if inside.objects.is_empty() && inside.folders.is_empty() {
        return Err(refused(format!("{folder}: there is no such folder")));
    }
    let path = |key: &ObjectPath| PathBuf::from(folder.sibling(key.clone()).to_string());
    let mut found = FolderTables::default();
    for object in &inside.objects {
        let is_note = object.filename().unwrap_or_default().starts_with(['.', '_']);
        if !is_note && object.extension().and_then(known).is_some() {
            found.tables.push(TableFile::named_after(path(object)));
        }
    }
    for key in &inside.folders {
        if key.filename().unwrap_or_default().starts_with(['.', '_']) {
            continue;
        }
        let below = storage::inside(store.as_ref(), key).await.map_err(told)?;
        match format_of(&below) {
            Some(_) => found.tables.push(TableFile::named_after(path(key))),
            None => found.left_out.push(path(key)),
        }
    }
    Ok(found)
}

fn in_files(folder: &Path) -> Result<FolderTables, Error> {
    if !folder.is_dir() {
        return Err(refused(format!("{} is not a folder", folder.display())));
    }
    let mut found = FolderTables::default();
    for path in inkveil::files::entries_of(folder)? {
        if ending(&path).is_some() {
            found.tables.push(TableFile::named_after(path));
        } else if path.is_dir() && !is_note(&path) {
            found.left_out.push(path);
        }
    }
    Ok(found)
}

fn no_table(place: impl Display) -> Error {
    refused(format!(
        "{place} is not a table; files end in .parquet, .csv, .jsonl, .ndjson or .json, and a folder holds files of one of \
         these, or is a Delta table"
    ))
}

/// A table of files that all count.
async fn listing(
    context: &SessionContext,
    url: Url,
    ending: &str,
    format: Format,
    place: impl Display,
) -> Result<Arc<dyn TableProvider>, Error> {
    let (config, options) = (context.copied_config(), context.copied_table_options());
    let dotted = format!(".{ending}");
    let options = match format {
        Format::Csv => CsvReadOptions::new()
            .file_extension(&dotted)
            .newlines_in_values(true)
            .to_listing_options(&config, options),
        Format::JsonLines => {
            JsonReadOptions::default().file_extension(&dotted).to_listing_options(&config, options)
        }
        Format::Parquet | Format::Delta => {
            ParquetReadOptions::new().file_extension(&dotted).to_listing_options(&config, options)
        }
    };
    // The engine's messages may quote the file, so they are dropped.
    let wrong = |error: DataFusionError| match error {
        DataFusionError::ObjectStore(error) if place_is_remote(&url) => storage::told(&error, &place),
        _ => refused(format!("{place} cannot be read as .{ending}; it may be damaged")),
    };
    let listed = ListingTableUrl::try_new(url.clone(), None).map_err(wrong)?;
    let config = ListingTableConfig::new(listed).with_listing_options(options);
    let config = config.infer_schema(&context.state()).await.map_err(wrong)?;
    let table = ListingTable::try_new(config).map_err(wrong)?;
    if table_columns(&table) == 0 {
        return Err(refused(format!("{place} has no columns")));
    }
    Ok(Arc::new(table))
}

fn place_is_remote(url: &Url) -> bool {
    url.scheme() != "file"
}

fn table_columns(table: &ListingTable) -> usize {
    table.schema().fields().len()
}

/// The format of a file by its name, or that of all files in a folder.
fn ending(path: &Path) -> Option<(&'static str, Format)> {
    if !path.is_dir() {
        return known(path.extension()?.to_str()?);
    }
    if path.join(delta::LOG).is_dir() {
        return Some(DELTA);
    }
    let inside = inkveil::files::entries_of(path).ok()?;
    let is_data = |file: &&PathBuf| !file.is_dir() && !is_note(file);
    let mut endings = inside.iter().filter(is_data).map(|file| ending(file));
    let first = endings.next()??;
    endings.all(|ending| ending == Some(first)).then_some(first)
}

fn known(ending: &str) -> Option<(&'static str, Format)> {
    ENDINGS.into_iter().find(|(known, _)| *known == ending)
}

/// Whether another tool has put this beside the files of a table.
fn is_note(path: &Path) -> bool {
    name(path).starts_with(['.', '_'])
}

fn name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
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
