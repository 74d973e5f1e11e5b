//! Checksums of files of a pack.

use std::fs::File;
use std::io;
use std::path::Path;

use inkveil_files::Sha256Sum;

use crate::error::{Error, ErrorKind};

/// Returns the checksum and the size of a file. `progress` receives the number of bytes of each step, and can stop the
/// work with an error.
pub(crate) fn sum_of_file(
    path: &Path,
    progress: &mut dyn FnMut(u64) -> Result<(), Error>,
) -> Result<(Sha256Sum, u64), Error> {
    let name = path.display();
    let file = File::open(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => Error::from(ErrorKind::MissingFile).of(&name),
        _ => Error::io("open it", &e).of(&name),
    })?;
    Sha256Sum::of_reader(file, |more| progress(more).map_err(Stopped::Caller)).map_err(
        |stopped| match stopped {
            Stopped::Caller(error) => error,
            Stopped::Io(error) => Error::io("read it", &error).of(&name),
        },
    )
}

enum Stopped {
    Caller(Error),
    Io(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Fails if a checksum is not the expected one.
pub(crate) fn expect_sum(found: Sha256Sum, expected: Sha256Sum) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(ErrorKind::WrongHash { expected: expected.to_string(), found: found.to_string() }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_can_stop_the_work_and_missing_files_have_their_own_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(sum_of_file(&path, &mut |_| Ok(())).unwrap(), (Sha256Sum::of(b"abc"), 3));
        let stopped = sum_of_file(&path, &mut |_| Err(ErrorKind::Cancelled.into()));
        assert_eq!(stopped.unwrap_err().kind(), &ErrorKind::Cancelled);
        let missing = sum_of_file(&folder.path().join("b"), &mut |_| Ok(()));
        assert_eq!(missing.unwrap_err().kind(), &ErrorKind::MissingFile);
    }
}
