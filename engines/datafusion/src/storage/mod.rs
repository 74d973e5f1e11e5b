//! Object storage that speaks S3: addresses, the client, and outputs that appear whole or not at all.
//!
//! The words of a server never reach a message: some servers answer a refused request with the id of the key.

mod address;
mod client;
mod http;
mod upload;

use std::error::Error as StdError;
use std::fmt::Display;

use object_store::client::{HttpError, HttpErrorKind};
use object_store::path::Path as ObjectPath;
use object_store::{Error as StoreError, ObjectStore, ObjectStoreExt as _};

pub use address::Address;
pub(crate) use client::store;
pub use upload::ObjectUpload;
pub(crate) use upload::{check_object, put_back, put_object, remove_object, set_aside};

use crate::error::{Error, refused};

/// The largest object that is read into memory at once: a file of the log of a table.
const LARGEST_READ: u64 = 512 << 20;

/// What lies directly below a place.
pub(crate) struct Inside {
    /// The objects.
    pub(crate) objects: Vec<ObjectPath>,
    /// The folders.
    pub(crate) folders: Vec<ObjectPath>,
}

/// Lists what lies directly below `place`, in order.
pub(crate) async fn inside(store: &dyn ObjectStore, place: &ObjectPath) -> object_store::Result<Inside> {
    let found = store.list_with_delimiter(Some(place)).await?;
    let mut objects: Vec<ObjectPath> = found.objects.into_iter().map(|object| object.location).collect();
    let mut folders = found.common_prefixes;
    objects.sort();
    folders.sort();
    Ok(Inside { objects, folders })
}

/// Reads an object whole. None if it is too large.
pub(crate) async fn read(
    store: &dyn ObjectStore,
    place: &ObjectPath,
) -> object_store::Result<Option<bytes::Bytes>> {
    let found = store.get(place).await?;
    match found.meta.size > LARGEST_READ {
        true => Ok(None),
        false => found.bytes().await.map(Some),
    }
}

/// An error of the object storage, with the place and without the words of the server.
pub(crate) fn told(error: &StoreError, place: impl Display) -> Error {
    refused(format!("{place}: {}", reason(error)))
}

/// What went wrong, in words of our own.
pub(crate) fn reason(error: &StoreError) -> &'static str {
    const MISSING: &str = "there is no such object or bucket";
    const REFUSED: &str = "the object storage refuses the access; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION \
                           and the rights of this user";
    match error {
        StoreError::NotFound { .. } => MISSING,
        StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => REFUSED,
        StoreError::AlreadyExists { .. } | StoreError::Precondition { .. } => "it exists",
        other => match (status(other), http_kind(other)) {
            (Some(404), _) => MISSING,
            (Some(401 | 403), _) => REFUSED,
            (Some(300..=399), _) => {
                "the object storage sends its users elsewhere; check AWS_ENDPOINT_URL and AWS_REGION"
            }
            (_, Some(HttpErrorKind::Connect)) => {
                "the object storage cannot be reached, or its certificate is not trusted; check AWS_ENDPOINT_URL and \
                 AWS_REGION"
            }
            (_, Some(HttpErrorKind::Timeout)) => "the object storage does not answer in time",
            (_, Some(HttpErrorKind::Request | HttpErrorKind::Interrupted)) => {
                "the connection to the object storage broke"
            }
            _ => "the object storage gives an error; check AWS_ENDPOINT_URL and AWS_REGION",
        },
    }
}

fn causes(error: &StoreError) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}

fn http_kind(error: &StoreError) -> Option<HttpErrorKind> {
    causes(error).find_map(|cause| cause.downcast_ref::<HttpError>()).map(HttpError::kind)
}

/// The status of a refused request. Listing an object store keeps it in words only, before the words of the server.
fn status(error: &StoreError) -> Option<u16> {
    causes(error).find_map(|cause| {
        let text = cause.to_string();
        let (_, status) = text.split_once("status code: ")?;
        status.get(..3)?.parse().ok()
    })
}
