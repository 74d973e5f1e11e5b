//! Calls of the Parquet library. Its panics and errors become errors of this crate.

use arrow_schema::ArrowError;
use inkveil_files::catch_quietly;
use parquet::errors::ParquetError;

use crate::error::Error;

/// Runs `call`. A panic inside becomes an error, and its message, which may quote data, is not printed.
///
/// The library checks most of what it reads, but a damaged file can still make it panic.
///
/// # Errors
/// Those of `call`, and [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if it panics.
pub fn guarded<T, E: From<Error>>(call: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_quietly(call).unwrap_or_else(|| Err(corrupt("its bytes do not decode").into()))
}

/// Returns the error for a damaged Parquet file.
pub fn corrupt(what: &str) -> Error {
    Error::corrupt("parquet", what)
}

/// Converts an error of the Parquet library. Its message may quote data, so only the kind is kept.
pub fn parquet_error(error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast_ref::<std::io::Error>() {
            Some(io) => Error::io("read it", io),
            None => corrupt("its bytes do not decode"),
        },
        ParquetError::NYI(_) => Error::unsupported(
            "a Parquet file that uses this feature",
            "write it again with plain encodings and without encryption",
        ),
        ParquetError::EOF(_) | ParquetError::NeedMoreData(_) | ParquetError::NeedMoreDataRange(_) => {
            corrupt("it ends too early or points outside itself")
        }
        _ => corrupt("its bytes do not decode"),
    }
}

/// Converts an error of the Arrow library. Its message may quote data, so only the kind is kept.
pub fn arrow_error(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, io) => Error::io("read it", &io),
        ArrowError::ExternalError(inner) => match inner.downcast::<ParquetError>() {
            Ok(error) => parquet_error(*error),
            Err(inner) => match inner.downcast_ref::<std::io::Error>() {
                Some(io) => Error::io("read it", io),
                None => corrupt("its bytes do not decode"),
            },
        },
        _ => corrupt("its bytes do not decode"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_panic_becomes_an_error() {
        let error = guarded(|| -> Result<(), Error> { panic!("987.654") }).unwrap_err();
        assert_eq!(error.to_string(), "not valid parquet: its bytes do not decode");
    }

    #[test]
    fn system_errors_are_kept_and_messages_dropped() {
        let denied = || std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        for error in [
            parquet_error(ParquetError::External(Box::new(denied()))),
            arrow_error(ArrowError::IoError("987.654".into(), denied())),
            arrow_error(ArrowError::ExternalError(Box::new(denied()))),
            arrow_error(ArrowError::from_external_error(Box::new(ParquetError::External(
                Box::new(denied()),
            )))),
        ] {
            assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error}");
        }
        for error in [
            parquet_error(ParquetError::General("987.654".into())),
            parquet_error(ParquetError::NYI("987.654".into())),
            parquet_error(ParquetError::EOF("987.654".into())),
            arrow_error(ArrowError::ParquetError("987.654".into())),
        ] {
            assert!(!error.to_string().contains("987"), "{error}");
        }
    }
}
