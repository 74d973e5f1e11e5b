//! Adds to an error which option helps. Libraries do not know the options of this command.

use inkveil::{Error, ErrorKind, files, ledger, pack, rows};

/// The advice for an error, if an option helps.
pub(crate) fn for_error(error: &Error) -> Option<String> {
    match error.kind() {
        ErrorKind::NoModel { name } => Some(format!(
            "get it with `inkveil pull {name}`, or name a folder, a GGUF file or an address with #MODEL"
        )),
        _ => fixed(error).map(str::to_owned),
    }
}

const COLUMNS: &str = "name the columns of the texts with --column (`--column all`: every string), or name columns \
                       that may be copied with --copy";

fn fixed(error: &Error) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::OutputExists { .. } | ErrorKind::ReceiptExists { .. } => {
            Some("choose another --output, or replace it with --force")
        }
        ErrorKind::MapExists { .. } => Some("choose another --map, or replace it with --force"),
        ErrorKind::NoSession { .. } => Some("`inkveil session list` shows all sessions"),
        ErrorKind::SessionSettings => Some("leave out --consistent"),
        ErrorKind::OutputIsFile { .. } => Some("name a folder with --output"),
        ErrorKind::OutputIsFolder { .. } => Some("name a file with --output"),
        ErrorKind::SameOutput { .. } => Some("veil them one at a time"),
        ErrorKind::DamagedJob | ErrorKind::InputChanged { .. } => Some("start over with --force"),
        ErrorKind::PipeNotResumable => Some("read a file, and write one with --output"),
        ErrorKind::UnknownEncoder { .. } => Some("name it with --encoder"),
        ErrorKind::UnknownVectorFormat { .. } => Some("name it with --format"),
        ErrorKind::NotMeasured { .. } => {
            Some("fit it again with `inkveil vector fit --measure`, or set a budget with --epsilon")
        }
        ErrorKind::OtherEncoder { .. } => Some("fit a mask with --pack and that encoder"),
        ErrorKind::SubjectOverLimit { .. } => Some(
            "`inkveil ledger show` lists what each subject has left; lower the budget, release less, or raise \
             the limit with `inkveil ledger limit`",
        ),
        ErrorKind::CopiedText { .. } | ErrorKind::CopiedFinding { .. } => Some(COLUMNS),
        ErrorKind::RemoteNotAllowed => Some("allow it with --allow-remote"),
        ErrorKind::PackLacks { .. } => {
            Some("use another --pack, or name the part with --encoder or --memory")
        }
        ErrorKind::Pack(error) => for_pack(error),
        ErrorKind::Files(error) => for_file(error),
        ErrorKind::Rows(error) => match error.kind() {
            rows::ErrorKind::File(error) => for_file(error),
            rows::ErrorKind::InterruptedJob { .. } => Some("add --resume or --force"),
            rows::ErrorKind::NothingToResume { .. } => Some("leave out --resume"),
            rows::ErrorKind::CannotResume { .. } => Some("use --force instead of --resume"),
            rows::ErrorKind::NoTexts { .. } | rows::ErrorKind::NotText => Some("choose one with --column"),
            rows::ErrorKind::SeveralTexts { .. } | rows::ErrorKind::Unreadable => Some(COLUMNS),
            rows::ErrorKind::TooLong { .. } => Some("--on-error reject leaves such rows out"),
            rows::ErrorKind::UnknownExtension => Some("name the format with --from"),
            rows::ErrorKind::FieldCount { .. } => Some("name the separator with --delimiter"),
            rows::ErrorKind::NotEncoded | rows::ErrorKind::NotUtf8 => {
                Some("name the encoding with --encoding")
            }
            _ => None,
        },
        ErrorKind::Ledger(error) => match error.kind() {
            ledger::ErrorKind::OverLimit { .. }
            | ledger::ErrorKind::OverDelta { .. }
            | ledger::ErrorKind::OtherMetric { .. } => Some("`inkveil ledger limit` changes a limit"),
            ledger::ErrorKind::NoSubject => {
                Some("name the subject with --subject, or its column with --subject-column")
            }
            _ => None,
        },
        _ => None,
    }
}

/// The advice for an error of a pack.
pub(crate) fn for_pack(error: &pack::Error) -> Option<&'static str> {
    match error.kind() {
        pack::ErrorKind::NotFound { can_be_pulled: true, .. } => Some("`inkveil pull NAME` downloads it"),
        pack::ErrorKind::NotFound { .. } | pack::ErrorKind::NotCached => {
            Some("`inkveil models` lists all packs")
        }
        pack::ErrorKind::Offline => {
            Some("leave out --offline and unset INKVEIL_OFFLINE and HF_HUB_OFFLINE to download it")
        }
        pack::ErrorKind::NoIndex | pack::ErrorKind::IndexForbidden | pack::ErrorKind::NoPackage { .. } => {
            Some("name a Python index with --index")
        }
        pack::ErrorKind::MissingFile
        | pack::ErrorKind::WrongSize { .. }
        | pack::ErrorKind::ManifestChanged
        | pack::ErrorKind::WrongHash { .. } => Some("`inkveil pull SOURCE --force` replaces a damaged pack"),
        _ => None,
    }
}

/// The advice for an error of a file.
pub(crate) fn for_file(error: &files::Error) -> Option<&'static str> {
    match error.kind() {
        files::ErrorKind::Exists => Some("choose another --output, or replace it with --force"),
        _ => None,
    }
}
