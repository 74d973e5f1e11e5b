//! What the four targets for vector formats share: a file that can be read can be written, and read again alike.

use std::sync::{Arc, Mutex};

use inkveil_files::{Input, Output};
use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader, VectorWriter};

/// A writer whose bytes can be looked at afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("one thread").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn read(bytes: &[u8], format: VectorFormat) -> Result<(Vec<f64>, Vec<u8>), inkveil_vectors_io::Error> {
    let options = ReadOptions { batch_rows: 3, ..ReadOptions::default() };
    let mut reader = VectorReader::open(Input::from_bytes(bytes.to_vec()), format, &options)?;
    let shared = Shared::default();
    let mut writer = VectorWriter::like(&reader, Output::writer(Box::new(shared.clone())))?;
    let mut values = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        assert_eq!(batch.values().len(), batch.rows() * batch.dim());
        assert!(batch.values().iter().all(|x| x.is_finite()));
        values.extend_from_slice(batch.values());
        writer.write(batch)?;
    }
    writer.finish()?.commit()?;
    let written = shared.0.lock().expect("one thread").clone();
    Ok((values, written))
}

/// Reads `bytes`; if that works, what is written is read again with the same values.
pub fn round_trip(bytes: &[u8], format: VectorFormat) {
    if let Ok((values, written)) = read(bytes, format) {
        let (again, _) = read(&written, format).expect("what was written can be read");
        assert_eq!(values, again);
    }
}
