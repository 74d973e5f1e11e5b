//! Advice for errors of libraries, which do not know the command line.

use inkveil_pack::ErrorKind;

/// What helps against an error, if the command line has something for it.
pub(crate) fn for_error(error: &anyhow::Error) -> Option<String> {
    for_pack(error.chain().find_map(
        |cause| match cause.downcast_ref::<inkveil::Error>().map(|e| e.kind()) {
            Some(inkveil::ErrorKind::Pack(error)) => Some(error),
            _ => cause.downcast_ref::<inkveil_pack::Error>(),
        },
    )?)
}

fn for_pack(error: &inkveil_pack::Error) -> Option<String> {
    Some(match error.kind() {
        ErrorKind::NotFound { name, can_be_pulled: true } => format!("`inkveil pull {name}` downloads it"),
        ErrorKind::NotFound { .. } | ErrorKind::NotCached => "`inkveil models` lists all packs".to_owned(),
        ErrorKind::Offline => {
            "leave out --offline and unset INKVEIL_OFFLINE and HF_HUB_OFFLINE to download it".to_owned()
        }
        ErrorKind::NoIndex | ErrorKind::IndexForbidden | ErrorKind::NoPackage { .. } => {
            "--index URL names a Python index".to_owned()
        }
        ErrorKind::MissingFile | ErrorKind::WrongSize { .. } | ErrorKind::WrongHash { .. } => {
            "`inkveil pull --force SOURCE` replaces a damaged pack".to_owned()
        }
        _ => return None,
    })
}
