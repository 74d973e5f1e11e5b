//! Adds to an error which option helps. Libraries do not know the options of this command.

use inkveil::{Error, ErrorKind};

/// The advice for an error, if an option helps.
pub(crate) fn for_error(error: &Error) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::OutputExists { .. } | ErrorKind::ReceiptExists { .. } => {
            Some("choose another --output, or replace it with --force")
        }
        ErrorKind::MapExists { .. } => Some("choose another --map, or replace it with --force"),
        ErrorKind::OutputIsFile { .. } => Some("name a folder with --output"),
        ErrorKind::OutputIsFolder { .. } => Some("name a file with --output"),
        ErrorKind::SameOutput { .. } => Some("veil them one at a time"),
        ErrorKind::DamagedJob | ErrorKind::InputChanged { .. } => Some("start over with --force"),
        ErrorKind::PipeNotResumable => Some("read a file, and write one with --output"),
        ErrorKind::UnknownVectorFormat { .. } => Some("name it with --format"),
        ErrorKind::NoModel { .. } => Some("`inkveil pull NAME` gets a known model"),
        ErrorKind::OtherEncoder { .. } => Some("fit a mask with --pack and that encoder"),
        ErrorKind::SubjectOverLimit { .. } => Some(
            "`inkveil ledger show` lists what each subject has left; lower the budget, release less, or raise \
             the limit with `inkveil ledger limit`",
        ),
        _ => None,
    }
}
