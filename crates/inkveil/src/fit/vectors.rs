//! The vectors of texts: encoded here, or read from a file that an encoder elsewhere made.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use inkveil_files::Input;
use inkveil_vector::EncoderNote;
use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader};

use crate::error::{Error, ErrorKind};
use crate::{Encoder, VectorFileNote};

/// The vectors of the texts of a fit, in the same order. An eraser needs no more of an encoder than
/// these, so the encoder can be one that only its owner can run.
#[derive(Debug, Clone)]
pub struct FitVectors {
    /// The file.
    pub path: PathBuf,
    /// The name of the encoder, if no note beside the file says it.
    pub encoder: Option<String>,
}

/// Where the vectors of texts come from.
pub(super) enum VectorSource<'a> {
    Opened(Box<Encoder>),
    Encoder(&'a Encoder),
    File(Box<VectorsOfFile>),
}

/// Vectors of a file, read as far as they were asked for.
pub(super) struct VectorsOfFile {
    path: PathBuf,
    note: EncoderNote,
    reader: VectorReader,
    /// Numbers that were read and not yet asked for.
    ahead: Vec<f32>,
}

impl VectorSource<'_> {
    pub(super) fn open(pack: &str, vectors: Option<&FitVectors>) -> Result<Self, Error> {
        let Some(FitVectors { path, encoder }) = vectors else {
            return Ok(Self::Opened(Box::new(Encoder::open(pack)?)));
        };
        let note = match (VectorFileNote::find(path)?, encoder) {
            (Some(note), _) => note.encoder,
            (None, Some(name)) => EncoderNote { name: name.clone(), sha256: None },
            (None, None) => return Err(ErrorKind::UnknownEncoder { path: path.clone() }.into()),
        };
        let unknown = || ErrorKind::UnknownVectorFormat { path: path.clone() };
        let format = VectorFormat::from_path(path).ok_or_else(unknown)?;
        let reader = VectorReader::open(Input::path(path), format, &ReadOptions::default())?;
        Ok(Self::File(Box::new(VectorsOfFile { path: path.clone(), note, reader, ahead: Vec::new() })))
    }

    /// The encoder, if texts are encoded here.
    pub(super) fn encoder(&self) -> Option<&Encoder> {
        match self {
            Self::Opened(encoder) => Some(encoder),
            Self::Encoder(encoder) => Some(encoder),
            Self::File(_) => None,
        }
    }

    pub(super) fn note(&self) -> &EncoderNote {
        match self {
            Self::Opened(encoder) => &encoder.note,
            Self::Encoder(encoder) => &encoder.note,
            Self::File(file) => &file.note,
        }
    }

    pub(super) fn dim(&self) -> usize {
        match self {
            Self::Opened(encoder) => encoder.model.width(),
            Self::Encoder(encoder) => encoder.model.width(),
            Self::File(file) => file.reader.dim(),
        }
    }

    /// The vectors of the next texts, one after the other.
    pub(super) fn of_next(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<f32>, Error> {
        match self {
            Self::Opened(encoder) => encoder.encode(texts, cancel, |_| ()),
            Self::Encoder(encoder) => encoder.encode(texts, cancel, |_| ()),
            Self::File(file) => file.next(texts.len()),
        }
    }

    /// Checks that no vector is left after the last text.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        match self {
            Self::Opened(_) | Self::Encoder(_) => Ok(()),
            Self::File(file) => match file.fill(1)? {
                true => Err(not_one_each(&file.path)),
                false => Ok(()),
            },
        }
    }
}

impl VectorsOfFile {
    /// Reads until this many numbers are ahead. Returns whether there are as many.
    fn fill(&mut self, wanted: usize) -> Result<bool, Error> {
        while self.ahead.len() < wanted {
            let Some(batch) = self.reader.next_batch()? else { return Ok(false) };
            self.ahead.extend(batch.values().iter().map(|x| *x as f32));
        }
        Ok(true)
    }

    fn next(&mut self, rows: usize) -> Result<Vec<f32>, Error> {
        let wanted = rows * self.reader.dim();
        match self.fill(wanted)? {
            true => Ok(self.ahead.drain(..wanted).collect()),
            false => Err(not_one_each(&self.path)),
        }
    }
}

fn not_one_each(path: &Path) -> Error {
    ErrorKind::NotOneVectorEach { path: path.to_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_a_file_are_read_in_the_order_of_texts_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v.jsonl");
        let lines: String = (0..5).map(|i| format!("{{\"vector\": [{i}, 0.5]}}\n")).collect();
        std::fs::write(&path, lines).unwrap();
        let given = FitVectors { path: path.clone(), encoder: Some("theirs".to_owned()) };
        let open = || VectorSource::open("en", Some(&given)).unwrap();
        let cancel = AtomicBool::new(false);
        let mut source = open();
        assert_eq!((source.dim(), source.note().name.as_str()), (2, "theirs"));
        assert_eq!(source.of_next(&["a", "b"], &cancel).unwrap(), [0.0, 0.5, 1.0, 0.5]);
        assert!(source.end().is_err(), "three vectors are left");
        let mut source = open();
        assert_eq!(source.of_next(&["x"; 5], &cancel).unwrap().len(), 10);
        assert!(source.end().is_ok());
        let error = open().of_next(&["x"; 6], &cancel).err().unwrap();
        assert!(error.to_string().contains("not one vector for each text"), "{error}");
        // Without a name, a mask could be used with vectors of any encoder.
        let nameless = FitVectors { path, encoder: None };
        assert!(VectorSource::open("en", Some(&nameless)).is_err());
    }
}
