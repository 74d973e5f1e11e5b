//! Objects that are written in parts. An object appears under its name when all of it is there.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use object_store::path::Path as ObjectPath;
use object_store::{
    Error as StoreError, MultipartUpload, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload,
};
use tokio::task::JoinSet;

use super::address::Address;
use super::client::store;
use super::told;
use crate::error::{Error, refused};
use crate::work::lock;

/// The bytes of a part. Some storages want parts of one size.
const PART: usize = 16 << 20;
/// The most parts that an object can have.
const PARTS: usize = 10_000;
/// Parts that are sent at once.
const AT_ONCE: usize = 2;

/// An object that is being written. Until [`complete`](Self::complete) it cannot be seen, and
/// [`abort`](Self::abort) removes what was sent.
pub struct ObjectUpload {
    address: Address,
    store: Arc<dyn ObjectStore>,
    upload: Box<dyn MultipartUpload>,
    waiting: Arc<Mutex<Vec<u8>>>,
    sending: JoinSet<object_store::Result<()>>,
    parts: usize,
    overwrite: bool,
}

impl ObjectUpload {
    /// Starts an object. An existing one is refused unless `overwrite` is set.
    ///
    /// # Errors
    /// If it exists, or the storage refuses it.
    pub async fn start(address: &Address, overwrite: bool) -> Result<Self, Error> {
        let store = writable(address, overwrite).await?;
        let upload = store.put_multipart(address.key()).await.map_err(|error| told(&error, address))?;
        Ok(Self {
            address: address.clone(),
            store,
            upload,
            waiting: Arc::default(),
            sending: JoinSet::new(),
            parts: 0,
            overwrite,
        })
    }

    /// What takes the bytes of the object. They wait in memory until [`send`](Self::send).
    pub fn writer(&self) -> Box<dyn Write + Send> {
        Box::new(Waiting(self.waiting.clone()))
    }

    /// Sends the parts that are full.
    ///
    /// # Errors
    /// If the storage does not take them, or the object becomes too large.
    pub async fn send(&mut self) -> Result<(), Error> {
        loop {
            let part: Vec<u8> = {
                let mut waiting = lock(&self.waiting);
                if waiting.len() < PART {
                    return Ok(());
                }
                let rest = waiting.split_off(PART);
                std::mem::replace(&mut waiting, rest)
            };
            self.send_part(part).await?;
        }
    }

    async fn send_part(&mut self, part: Vec<u8>) -> Result<(), Error> {
        if self.parts == PARTS {
            return Err(refused(format!(
                "{}: an object holds at most {} GB; write several, or write a file",
                self.address,
                PARTS * PART / 1_000_000_000
            )));
        }
        self.wait_for(AT_ONCE - 1).await?;
        self.parts += 1;
        let sent = self.upload.put_part(PutPayload::from(part));
        self.sending.spawn(sent);
        Ok(())
    }

    /// Waits until at most `most` parts are being sent.
    async fn wait_for(&mut self, most: usize) -> Result<(), Error> {
        while self.sending.len() > most {
            match self.sending.join_next().await {
                Some(Ok(Ok(()))) | None => {}
                Some(Ok(Err(error))) => return Err(told(&error, &self.address)),
                Some(Err(_)) => return Err(refused(format!("{}: a part was not sent", self.address))),
            }
        }
        Ok(())
    }

    /// Sends the rest. The object cannot be seen yet.
    ///
    /// # Errors
    /// Those of [`send`](Self::send).
    pub async fn send_rest(&mut self) -> Result<(), Error> {
        self.send().await?;
        let rest = std::mem::take(&mut *lock(&self.waiting));
        if !rest.is_empty() || self.parts == 0 {
            self.send_part(rest).await?;
        }
        self.wait_for(0).await?;
        // Another program may have written it meanwhile.
        refuse_existing(self.store.as_ref(), &self.address, self.overwrite).await
    }

    /// Gives the object its name.
    ///
    /// # Errors
    /// If the storage refuses it.
    pub async fn complete(&mut self) -> Result<(), Error> {
        self.upload.complete().await.map(drop).map_err(|error| told(&error, &self.address))
    }

    /// Removes what was sent.
    ///
    /// # Errors
    /// If the storage refuses it. The parts stay there without a name.
    pub async fn abort(mut self) -> Result<(), Error> {
        // A part that arrives after the end would stay.
        while self.sending.join_next().await.is_some() {}
        self.upload.abort().await.map_err(|error| told(&error, &self.address))
    }
}

impl std::fmt::Debug for ObjectUpload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ObjectUpload({}, {} parts)", self.address, self.parts)
    }
}

/// Bytes that wait to be sent.
struct Waiting(Arc<Mutex<Vec<u8>>>);

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a small object whole.
///
/// # Errors
/// If it exists and must not be overwritten, or the storage refuses it.
pub(crate) async fn put_object(address: &Address, bytes: Vec<u8>, overwrite: bool) -> Result<(), Error> {
    let mode = if overwrite { PutMode::Overwrite } else { PutMode::Create };
    // Some storages take no notice of the mode.
    let store = writable(address, overwrite).await?;
    let put = store.put_opts(address.key(), PutPayload::from(bytes), PutOptions::from(mode)).await;
    put.map(drop).map_err(|error| told(&error, address))
}

/// Checks that an object can be written: it has a name, and it does not exist or may be overwritten.
///
/// # Errors
/// If it cannot, or the storage refuses to tell.
pub(crate) async fn check_object(address: &Address, overwrite: bool) -> Result<(), Error> {
    writable(address, overwrite).await.map(drop)
}

/// Removes an object.
///
/// # Errors
/// If the storage refuses it.
pub(crate) async fn remove_object(address: &Address) -> Result<(), Error> {
    store(address)?.delete(address.key()).await.map_err(|error| told(&error, address))
}

/// Copies an object to the first of these names in its bucket that is free. None if there is no such object.
///
/// # Errors
/// If no name is free, or the storage refuses it.
pub(crate) async fn set_aside(
    address: &Address,
    names: impl Iterator<Item = String>,
) -> Result<Option<Address>, Error> {
    let store = store(address)?;
    if !exists(store.as_ref(), address).await? {
        return Ok(None);
    }
    for name in names {
        let key = ObjectPath::parse(name).map_err(|_| refused(format!("{address} cannot be copied")))?;
        let copy = address.sibling(key);
        if !exists(store.as_ref(), &copy).await? {
            store.copy(address.key(), copy.key()).await.map_err(|error| told(&error, &copy))?;
            return Ok(Some(copy));
        }
    }
    Err(refused(format!("{address} has too many earlier copies; remove some")))
}

/// Moves a copy to the address that it was made of.
///
/// # Errors
/// If the storage refuses it.
pub(crate) async fn put_back(copy: &Address, address: &Address) -> Result<(), Error> {
    let store = store(address)?;
    store.copy(copy.key(), address.key()).await.map_err(|error| told(&error, address))?;
    remove_object(copy).await
}

/// The store of an object that can be written.
async fn writable(address: &Address, overwrite: bool) -> Result<Arc<dyn ObjectStore>, Error> {
    // Without a name, the request would be one about the bucket.
    if address.key().as_ref().is_empty() {
        return Err(refused(format!("{address} is a bucket; name an object in it")));
    }
    let store = store(address)?;
    refuse_existing(store.as_ref(), address, overwrite).await?;
    Ok(store)
}

async fn refuse_existing(store: &dyn ObjectStore, address: &Address, overwrite: bool) -> Result<(), Error> {
    if overwrite {
        return Ok(());
    }
    match exists(store, address).await? {
        true => Err(refused(format!("{address} exists"))),
        false => Ok(()),
    }
}

async fn exists(store: &dyn ObjectStore, address: &Address) -> Result<bool, Error> {
    match store.head(address.key()).await {
        Ok(_) => Ok(true),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(told(&error, address)),
    }
}
