//! Copies a file of vectors without changing it: what reading and writing alone cost.
//!
//! Usage: copy IN OUT [BATCH_ROWS]

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use inkveil_io::{Error, Input, Output, ReadOptions, VectorFormat, VectorReader, VectorWriter, transform};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match &arguments[..] {
        [from, to] => copy(Path::new(from), Path::new(to), ReadOptions::default()),
        [from, to, rows] => match rows.parse() {
            Ok(batch_rows) => copy(Path::new(from), Path::new(to), ReadOptions { column: None, batch_rows }),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: copy IN OUT [BATCH_ROWS]");
    ExitCode::from(2)
}

fn copy(from: &Path, to: &Path, options: ReadOptions) -> Result<(), Error> {
    let start = Instant::now();
    let format = VectorFormat::from_path(from).unwrap_or(VectorFormat::Jsonl);
    let reader = VectorReader::open(Input::path(from), format, &options)?;
    let writer = VectorWriter::like(&reader, Output::file(to, true)?)?;
    let finished = transform(reader, writer, &AtomicBool::new(false), |_| {}, |_| Ok::<(), Error>(()))?;
    let (rows, bytes) = (finished.rows(), finished.bytes());
    finished.commit()?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{rows} rows, {bytes} bytes in {seconds:.2} s, {:.0} MB/s", bytes as f64 / 1e6 / seconds);
    if let Some(peak) = peak_memory() {
        eprintln!("peak memory {peak}");
    }
    Ok(())
}

/// The peak of this process's memory, as Linux tells it.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map(|peak| peak.trim().to_owned())
}
