//! Where receipts are written. They appear before their rows, and are taken back if the rows cannot get their name.

use std::fs;
use std::path::{Path, PathBuf};

use inkveil::Receipt;
use inkveil::files::{Output, is_taken};

use crate::error::{Error, refused};
use crate::storage::{Address, check_object, put_back, put_object, remove_object, set_aside};

/// The most copies of earlier files that may lie beside one.
const MOST_COPIES: usize = 100;

/// A file or an object for receipts. It was checked that it can be written.
pub struct ReceiptFile {
    place: Place,
    output: Option<Output>,
    overwrite: bool,
}

#[derive(Clone)]
enum Place {
    File(PathBuf),
    Object(Address),
}

impl ReceiptFile {
    /// Opens a file, or an object at `s3://BUCKET/KEY`. An existing one is refused unless `overwrite` is set.
    ///
    /// # Errors
    /// If it exists, or cannot be written.
    pub async fn open(path: &Path, overwrite: bool) -> Result<Self, Error> {
        Ok(match Address::of(path)? {
            Some(address) => {
                check_object(&address, overwrite).await?;
                Self { place: Place::Object(address), output: None, overwrite }
            }
            None => {
                let output = Output::file(path, overwrite)?;
                Self { place: Place::File(path.to_owned()), output: Some(output), overwrite }
            }
        })
    }

    /// Writes the receipts: JSON for one, and lines for several. A copy of what is replaced lies beside them until
    /// [`WrittenReceipts::keep`] or [`WrittenReceipts::take_back`].
    ///
    /// # Errors
    /// If they cannot be written. What was there stays.
    pub async fn put(self, receipts: &[Receipt]) -> Result<WrittenReceipts, Error> {
        let earlier = match self.overwrite {
            true => self.place.set_aside().await?,
            false => None,
        };
        let text = as_text(receipts);
        let put = match (&self.place, self.output) {
            (Place::Object(address), _) => put_object(address, text.into_bytes(), self.overwrite).await,
            (Place::File(_), Some(output)) => output.put(text.as_bytes()).map_err(Error::from),
            (Place::File(_), None) => Err(refused("the file of the receipts is not open")),
        };
        let written = WrittenReceipts { place: self.place, earlier };
        match put {
            Ok(()) => Ok(written),
            // Without an answer of the storage, what was there may be replaced.
            Err(error) if written.earlier.is_some() => match written.take_back().await {
                Ok(()) => Err(error),
                Err(left) => Err(refused(format!("{error}; {left}"))),
            },
            Err(error) => Err(error),
        }
    }
}

/// Receipts whose rows have no name yet.
pub struct WrittenReceipts {
    place: Place,
    /// A copy of what they have replaced.
    earlier: Option<Place>,
}

impl WrittenReceipts {
    /// Keeps the receipts, because the rows have their name.
    ///
    /// # Errors
    /// If the copy of what they have replaced cannot be removed.
    pub async fn keep(self) -> Result<(), Error> {
        let Some(earlier) = self.earlier else { return Ok(()) };
        let removed = earlier.remove().await;
        removed.map_err(|_| refused(format!("a copy of the earlier receipts stays in {}", earlier.name())))
    }

    /// Removes the receipts, because the rows cannot get their name. What they have replaced is put back.
    ///
    /// # Errors
    /// If that cannot be done. The message names what stays.
    pub async fn take_back(self) -> Result<(), Error> {
        let place = self.place.name();
        match &self.earlier {
            Some(earlier) => earlier.move_to(&self.place).await.map_err(|_| {
                refused(format!(
                    "the earlier receipts cannot be put back to {place}; they are in {}",
                    earlier.name()
                ))
            }),
            None => self.place.remove().await.map_err(|_| {
                refused(format!("the receipts in {place} cannot be removed; their rows were not written"))
            }),
        }
    }
}

impl Place {
    fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Object(address) => address.to_string(),
        }
    }

    /// Copies what is there to a free name beside it. None if nothing is there.
    async fn set_aside(&self) -> Result<Option<Self>, Error> {
        match self {
            Self::Object(address) => {
                let names = (1..=MOST_COPIES).map(|number| earlier(address.key().as_ref(), number));
                Ok(set_aside(address, names).await?.map(Self::Object))
            }
            Self::File(path) if !is_taken(path) => Ok(None),
            Self::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let mut names = (1..=MOST_COPIES).map(|number| path.with_file_name(earlier(&name, number)));
                let Some(copy) = names.find(|path| !is_taken(path)) else {
                    return Err(refused(format!("{} has too many earlier copies; remove some", self.name())));
                };
                let bytes = fs::read(path).map_err(|_| refused(format!("cannot read {}", self.name())))?;
                Output::private_file(&copy, false)?.put(&bytes)?;
                Ok(Some(Self::File(copy)))
            }
        }
    }

    /// Moves a copy to the place that it was made of.
    async fn move_to(&self, place: &Self) -> Result<(), Error> {
        match (self, place) {
            (Self::Object(copy), Self::Object(address)) => put_back(copy, address).await,
            (Self::File(copy), Self::File(path)) => {
                let bytes = fs::read(copy).map_err(|_| refused(format!("cannot read {}", self.name())))?;
                Output::file(path, true)?.put(&bytes)?;
                self.remove().await
            }
            _ => Err(refused("a copy lies elsewhere")),
        }
    }

    async fn remove(&self) -> Result<(), Error> {
        match self {
            Self::Object(address) => remove_object(address).await,
            Self::File(path) => {
                fs::remove_file(path).map_err(|_| refused(format!("cannot remove {}", self.name())))
            }
        }
    }
}

/// The name of a copy. Its ending is none of a table, so it is no part of one.
fn earlier(name: &str, number: usize) -> String {
    match number {
        1 => format!("{name}.earlier"),
        _ => format!("{name}.earlier-{number}"),
    }
}

/// One receipt is a JSON file. Several are lines.
fn as_text(receipts: &[Receipt]) -> String {
    match receipts {
        [receipt] => receipt.to_json(),
        receipts => receipts.iter().map(|receipt| receipt.to_line() + "\n").collect(),
    }
}

impl std::fmt::Debug for ReceiptFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReceiptFile({})", self.place.name())
    }
}

impl std::fmt::Debug for WrittenReceipts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WrittenReceipts({})", self.place.name())
    }
}
