//! The part that is being written.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::part::{self, PartNote, PartWriter};
use super::pipeline::ChangedBatch;
use super::settings::JobSettings;
use super::work::Work;
use crate::error::Error;
use crate::records::Packing;

/// The part that is being written, and when it has to end.
pub(super) struct GrowingPart<'a, N> {
    pub(super) settings: &'a JobSettings,
    pub(super) parts: &'a Path,
    pub(super) prelude: Vec<u8>,
    pub(super) packing: Packing,
    pub(super) index: usize,
    pub(super) part: Option<(PartWriter, PartNote<N>, PartStart)>,
}

pub(super) struct PartStart {
    at: Instant,
    bytes: u64,
}

impl<N: Serialize + DeserializeOwned + Default + Clone> GrowingPart<'_, N> {
    pub(super) fn add<W: Work<Note = N>>(
        &mut self,
        work: &W,
        done: ChangedBatch<N>,
        written: u64,
        notes: &mut Vec<PartNote<N>>,
    ) -> Result<(), Error> {
        if self.part.is_none() {
            let schema = part::schema_of(&done.written);
            let mut part = PartWriter::begin(self.parts, self.index, schema.as_ref(), self.packing)?;
            if self.index == 0 && schema.is_none() {
                part.bytes(&self.prelude)?;
            }
            let begun = PartStart { at: Instant::now(), bytes: done.bytes_read };
            self.part = Some((part, PartNote::default(), begun));
        }
        let Some((part, note, begun)) = &mut self.part else { return Ok(()) };
        part.write(&done.written)?;
        part.reject(&done.rejects)?;
        note.rows = done.end_row;
        note.texts = done.end_text;
        note.written += written;
        note.rejected += done.rejects.len() as u64;
        note.fingerprint = done.fingerprint;
        work.join(&mut note.note, done.note);
        let long = begun.at.elapsed() >= self.settings.part_time;
        if long || done.bytes_read.saturating_sub(begun.bytes) >= self.settings.part_bytes {
            self.end(notes)?;
        }
        Ok(())
    }

    pub(super) fn end(&mut self, notes: &mut Vec<PartNote<N>>) -> Result<(), Error> {
        if let Some((part, note, _)) = self.part.take() {
            part.end(&note)?;
            notes.push(note);
            self.index += 1;
        }
        Ok(())
    }
}
