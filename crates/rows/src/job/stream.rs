//! Rows through a pipe. Nothing is stored, and written rows cannot be taken back.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use super::pipeline::Pipeline;
use super::work::{Summary, Work};
use crate::error::{Error, ErrorKind};
use crate::records::{RecordReader, WrittenRows};

/// Sends rows of a text format through the work and writes them as soon as they are ready.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use inkveil_files::Input;
/// use inkveil_rows::{
///     BatchAddress, Changed, Error, FileDone, Packing, RecordFormat, RecordOptions, RecordReader, Texts, Work, stream,
/// };
///
/// struct Loud;
/// impl Work for Loud {
///     type Error = Error;
///     type Note = ();
///     type Permit = ();
///     fn change(&self, texts: &Texts, _: BatchAddress) -> Result<(Changed, ()), Error> {
///         let loud = texts.iter().map(|text| Some(text.to_uppercase())).collect();
///         Ok((Changed { texts: loud, ..Changed::default() }, ()))
///     }
///     fn join(&self, _: &mut (), _: ()) {}
///     fn passing(&self, _: &Texts, _: u64, _: &()) -> Result<(), Error> {
///         Ok(())
///     }
///     fn release(&self, _: &FileDone<'_>, _: &()) -> Result<(), Error> {
///         Ok(())
///     }
/// }
///
/// let input = Input::from_bytes(b"one\ntwo\n".to_vec());
/// let reader = RecordReader::open(input, RecordFormat::Lines, Packing::None, &RecordOptions::default())?;
/// let mut out = Vec::new();
/// stream(reader, &Loud, &AtomicBool::new(false), &mut out)?;
/// assert_eq!(out, b"ONE\nTWO\n");
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// If a row is bad, the work fails, or the output cannot be written. Rows written before that stay written.
pub fn stream<W: Work>(
    reader: RecordReader,
    work: &W,
    cancel: &AtomicBool,
    out: &mut dyn Write,
) -> Result<Summary, W::Error> {
    let failed = |e: std::io::Error| Error::io("write it", &e);
    // The names of columns wait for the first permit: if it is refused, nothing was written.
    let mut prelude = reader.prelude(&work.added());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let pipeline = Pipeline { work, file: 0, workers: work.workers().unwrap_or(workers), most: None, cancel };
    let (mut summary, mut part) = (Summary { files: 1, ..Summary::default() }, 0);
    pipeline.through(reader, |done| {
        let permit = work.passing(&done.texts, part, &done.note)?;
        out.write_all(&std::mem::take(&mut prelude)).map_err(failed)?;
        match &done.written {
            WrittenRows::Bytes(bytes) => out.write_all(bytes).and_then(|()| out.flush()).map_err(failed)?,
            WrittenRows::Batch(_) => return Err(Error::from(ErrorKind::ParquetNeedsFile).into()),
        }
        work.passed(permit)?;
        part += 1;
        summary.rows += done.rows - done.rejects.len() as u64;
        summary.rejected += done.rejects.len() as u64;
        Ok(())
    })?;
    // A table without rows still has names of columns.
    out.write_all(&prelude).map_err(failed)?;
    Ok(summary)
}
