//! Files that must not be the same.

use std::path::{Path, PathBuf};

use anyhow::bail;

/// That no file is given twice: writing one would destroy the other.
pub(crate) fn check(files: &[(&str, Option<&Path>)]) -> anyhow::Result<()> {
    let resolved = |path: &Path| {
        // A file that does not exist yet is known by its folder.
        path.canonicalize().ok().or_else(|| {
            let folder =
                path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    let known: Vec<(&str, PathBuf)> =
        files.iter().filter_map(|(name, path)| Some((*name, resolved((*path)?)?))).collect();
    for (index, (name, path)) in known.iter().enumerate() {
        if let Some((other, _)) = known[..index].iter().find(|(_, earlier)| earlier == path) {
            bail!("{other} and {name} are the same file; choose another name");
        }
    }
    Ok(())
}
