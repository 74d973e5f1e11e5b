//! Joins the parts of a file.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use inkveil_files::{Finished, Output, Sink};

use super::assembly::Assembly;
use super::convert;
use super::part::{self, REJECTS, copy};
use crate::error::Error;
use crate::records::Packer;

/// Writes the file under its temporary name.
pub(super) fn assemble(assembly: &Assembly<'_>, rows: u64) -> Result<Finished, Error> {
    let output = Output::file(assembly.output, assembly.settings.overwrite)?;
    let (name, sink) = (output.name(), output.stream());
    let (to, packing) = assembly.settings.target(assembly.file);
    let sink = match (assembly.file.format.is_bytes(), to == assembly.file.format) {
        // Pieces of text formats can be joined, compressed or not.
        (true, true)
            // Without rows there is no piece, but there may be a header.
            if assembly.count > 0
                && packing == assembly.file.packing
                && assembly.settings.to.is_none() =>
        {
            concatenate(assembly, sink)
        }
        (true, true) => repack(assembly, sink),
        _ => convert::convert(assembly, to, packing, sink),
    };
    Ok(sink.map_err(|error| error.in_file(&name))?.finish(rows))
}

fn concatenate(assembly: &Assembly<'_>, mut sink: Sink) -> Result<Sink, Error> {
    for index in 0..assembly.count {
        copy(&mut assembly.open(index)?, &mut sink)?;
    }
    Ok(sink)
}

/// Joins the parts with another compression.
fn repack(assembly: &Assembly<'_>, mut sink: Sink) -> Result<Sink, Error> {
    let (_, packing) = assembly.settings.target(assembly.file);
    let failed = |e: std::io::Error| Error::io("write it", &e);
    let mut packed = tempfile::tempfile_in(assembly.parts).map_err(failed)?;
    let mut packer = Packer::new(packed.try_clone().map_err(failed)?, packing).map_err(failed)?;
    if assembly.count == 0 {
        packer.write_all(assembly.prelude).map_err(failed)?;
    }
    for index in 0..assembly.count {
        copy(&mut assembly.open(index)?, &mut packer)?;
    }
    packer.finish().map_err(failed)?;
    std::io::Seek::rewind(&mut packed).map_err(failed)?;
    copy(&mut packed, &mut sink)?;
    Ok(sink)
}

/// Writes the rejected rows beside the output, for their owner alone: they are input. An existing file there is from this job, which was killed before the release.
pub(super) fn rejects(assembly: &Assembly<'_>) -> Result<(), Error> {
    let mut sink = Output::private_file(rejects_path(assembly.output), true)?.stream();
    for index in 0..assembly.count {
        let path = part::path(assembly.parts, index, REJECTS);
        if path.exists() {
            let shown = path.display().to_string();
            let mut file = File::open(&path).map_err(|e| Error::io("open it", &e).in_file(&shown))?;
            copy(&mut file, &mut sink)?;
        }
    }
    Ok(sink.finish(0).commit()?)
}

/// Returns the path of the file with rejected rows.
pub(super) fn rejects_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".rejects.jsonl");
    name.into()
}
