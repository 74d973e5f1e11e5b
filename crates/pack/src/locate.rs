//! Finds the folder of a pack by its name or its path.

use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::error::Error;
use crate::find::ModelFolders;

/// Returns the folder of a pack, given its name or the path of its folder.
///
/// Names contain no slash and do not begin with a dot, so a text that does is a path. The folder of
/// a path is returned without opening it.
///
/// ```
/// let folder = inkveil_pack::pack_folder("./my-model")?;
/// assert_eq!(folder, std::path::Path::new("./my-model"));
/// # Ok::<(), inkveil_pack::Error>(())
/// ```
///
/// # Errors
/// Fails if no pack has this name.
pub fn pack_folder(pack: &str) -> Result<PathBuf, Error> {
    let path = Path::new(pack);
    if path.is_absolute() || path.components().count() > 1 || pack.starts_with('.') {
        return Ok(path.to_owned());
    }
    Ok(ModelFolders::new(&Environment::of_process())?.find(pack)?.folder().to_owned())
}
