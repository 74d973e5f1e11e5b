//! The settings of a job.

use std::path::PathBuf;
use std::time::Duration;

use inkveil_error::name_list;
use inkveil_files::Input;

use super::files::JobFile;
use crate::error::{Error, ErrorKind};
use crate::records::{Packing, RecordFormat, RecordOptions, RecordReader};

/// The settings of a job.
#[derive(Debug, Clone)]
pub struct JobSettings {
    /// The files to read, and the output of each.
    pub files: Vec<(JobFile, PathBuf)>,
    /// How rows are read.
    pub options: RecordOptions,
    /// The format of the outputs; by default that of the inputs.
    pub to: Option<(RecordFormat, Packing)>,
    /// The folder in which the job keeps its state and its finished parts.
    pub folder: PathBuf,
    /// Everything else that decides the outputs, in any form. A job can be resumed with the same value only.
    pub settings: String,
    /// Whether existing files and an interrupted job are replaced.
    pub overwrite: bool,
    /// The number of batches that are worked on at once.
    pub workers: usize,
    /// The most rows that are read of each file.
    pub sample: Option<u64>,
    /// A part ends after this number of bytes of input,
    pub part_bytes: u64,
    /// or after this time. A killed job repeats at most one part.
    pub part_time: Duration,
}

/// The name of a column of a signature for a message, without its type, which may name more columns.
fn name_of(column: &str) -> String {
    let name = column.split_once(": ").map_or(column, |(name, _)| name);
    name_list(&[name.to_owned()])
}

impl JobSettings {
    /// Returns the usual settings for these files.
    pub fn new(files: Vec<(JobFile, PathBuf)>, folder: PathBuf) -> Self {
        Self {
            files,
            options: RecordOptions::default(),
            to: None,
            folder,
            settings: String::new(),
            overwrite: false,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            sample: None,
            part_bytes: 64 << 20,
            part_time: Duration::from_secs(30),
        }
    }

    /// What has to be the same when a job is resumed.
    pub(super) fn identity(&self) -> String {
        // The number of threads and the folder may change between two runs.
        format!("{:?} {:?} {:?} {}", self.options, self.to, self.sample, self.settings)
    }

    /// The paths of the inputs and outputs.
    pub(super) fn paths(&self) -> Vec<(PathBuf, PathBuf)> {
        self.files.iter().map(|(file, output)| (file.input.clone(), output.clone())).collect()
    }

    /// Fails if the files of the job have different columns, so that this is known before hours of work.
    pub(super) fn check_columns(&self) -> Result<(), Error> {
        let mut first: Option<(String, RecordFormat, Vec<String>)> = None;
        for (file, _) in &self.files {
            let reader =
                RecordReader::open(Input::path(&file.input), file.format, file.packing, &self.options)?;
            let (name, signature) = (reader.name().to_owned(), reader.signature());
            let Some((first_name, format, expected)) = &first else {
                first = Some((name, file.format, signature));
                continue;
            };
            // Documents of all formats and plain texts go together: none of them has columns.
            let is_whole = |format: RecordFormat| format == RecordFormat::Text || format.document().is_some();
            let difference = if *format != file.format && !(is_whole(*format) && is_whole(file.format)) {
                Some(format!("it is {}, not {format}", file.format))
            } else if let Some(column) = signature.iter().find(|column| !expected.contains(column)) {
                Some(format!("{} is not there", name_of(column)))
            } else if let Some(column) = expected.iter().find(|column| !signature.contains(column)) {
                Some(format!("{} is missing", name_of(column)))
            } else {
                (*expected != signature).then(|| "they are in another order".to_owned())
            };
            if let Some(difference) = difference {
                return Err(
                    Error::from(ErrorKind::Drift { first: first_name.clone(), difference }).in_file(&name)
                );
            }
        }
        Ok(())
    }

    pub(super) fn target(&self, file: &JobFile) -> (RecordFormat, Packing) {
        self.to.unwrap_or((file.format, file.packing))
    }
}
