//! A worker: it computes functions of queries that were charged elsewhere.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use datafusion::logical_expr::ScalarUDF;
use inkveil::NoiseKey;
use inkveil::files::hex;
use inkveil::privacy::Secret;
use inkveil::release::{Account, MaskRelease, MemoryRelease, Silent, Ticket};

use super::note::{Note, VectorJob, checksum, encoder_checksum, names_checksum};
use crate::error::{Error, refused};
use crate::functions::{Function, Kind};
use crate::models::{Models, vector_builder};
use crate::settings::{VeilOptions, library};
use crate::vector_release::{VectorPlan, VectorVeiling};
use crate::work::{Tools, Veiling, Work};

/// The name of the data of a task. Nothing is charged to it.
const DATASET: &str = "task";

/// Whether workers can compute a function.
pub(crate) fn is_known(kind: Kind) -> bool {
    matches!(kind, Kind::Veil | Kind::Mask | Kind::VeilVector | Kind::Embed)
}

/// Computes functions of queries that were charged elsewhere. It keeps models open, and charges nothing itself.
#[derive(Default)]
pub struct Worker {
    models: Models,
    pack: Option<String>,
    encoder: Option<String>,
}

impl Worker {
    /// A worker. `pack` and `encoder` are where this machine has the packs, whatever the settings of a query name. Their
    /// checksums must be those of the query.
    pub fn new(pack: Option<String>, encoder: Option<String>) -> Self {
        Self { models: Models::default(), pack, encoder }
    }

    /// Opens a function from the bytes of [`note_of`](super::note_of).
    ///
    /// # Errors
    /// If the function or a setting is unknown, or the models are not those of the query.
    pub fn open(&self, name: &str, note: &[u8]) -> Result<ScalarUDF, Error> {
        let note: Note<String> = serde_json::from_slice(note).map_err(|_| {
            refused(
                "a function of the query has parts that this executor does not know; give the client and the executor the \
                 same version of inkveil",
            )
        })?;
        note.check()?;
        let kind = Kind::named(name).filter(|kind| is_known(*kind) && note.function == name);
        let Some(kind) = kind else {
            return Err(refused("the query calls a function that this executor does not know"));
        };
        let options = self.options(&note)?;
        let mut work =
            Work::new(&Arc::new(AtomicBool::new(false)), &Arc::default(), self.tools(kind, &note, &options)?);
        match kind {
            Kind::Veil if note.counts => {
                work.veil = Some(Veiling::Planned(Arc::new(self.release(&note, &options)?)))
            }
            Kind::Veil => work.veil = Some(Veiling::Charged(Arc::new(self.release(&note, &options)?))),
            Kind::VeilVector if note.counts => work.vectors = Some(VectorVeiling::Planned(Mutex::default())),
            Kind::VeilVector => work.vectors = Some(vectors(&note, &options)?),
            Kind::Mask if note.counts => return Err(refused("masked texts are not counted in advance")),
            Kind::Mask => {
                let mask = MaskRelease::open(&Account::none(), DATASET, &Silent)?;
                work.mask = Mutex::new(Some(mask));
            }
            _ => {}
        }
        let column = note.column.as_deref().map(Arc::from);
        Ok(Function::of_worker(kind, column, note.counts && note.is_counted, Arc::new(work)))
    }

    fn options(&self, note: &Note<String>) -> Result<VeilOptions, Error> {
        let mut options = VeilOptions::of_file(note.settings.clone())?;
        let vectors = note.vectors.as_ref();
        let mut set =
            |name, value: Option<&String>| value.map_or(Ok(()), |value| options.change(name, value));
        set("vector_epsilon", vectors.map(|vectors| &vectors.epsilon))?;
        set("vector_mask", vectors.and_then(|vectors| vectors.mask.as_ref()))?;
        set("encoder", vectors.and_then(|vectors| vectors.encoder.as_ref()))?;
        set("pack", self.pack.as_ref())?;
        set("encoder", self.encoder.as_ref())?;
        Ok(options)
    }

    fn tools(&self, kind: Kind, note: &Note<String>, options: &VeilOptions) -> Result<Tools, Error> {
        let mut tools = Tools { hides_names: note.hides_names, ..Tools::default() };
        if matches!(kind, Kind::Veil | Kind::Mask) && names_checksum(options)? != note.names {
            return Err(other_pack("taggers and lists of names"));
        }
        if kind == Kind::Mask {
            tools.detector = Some(self.models.detector(options)?);
        }
        if kind == Kind::Embed {
            if Some(encoder_checksum(options)?) != note.encoder {
                return Err(other_pack("encoder"));
            }
            tools.encoder = Some(self.models.encoder(options)?);
        }
        Ok(tools)
    }

    fn release(&self, note: &Note<String>, options: &VeilOptions) -> Result<MemoryRelease, Error> {
        let ticket = note.ticket.as_deref().and_then(hex::decode).map(Secret::new).ok_or_else(no_key)?;
        let ticket = Ticket::from_bytes(ticket.expose())?;
        Ok(MemoryRelease::of_job(self.models.veil(options)?, &ticket)?)
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Worker")
    }
}

/// The release of the vectors of a task.
fn vectors(note: &Note<String>, options: &VeilOptions) -> Result<VectorVeiling, Error> {
    let key =
        note.vector_key.as_deref().and_then(hex::decode_array::<33>).map(Secret::new).ok_or_else(no_key)?;
    let Some(VectorJob { mask, mask_sha256, are_embedded, .. }) = &note.vectors else { return Err(no_key()) };
    let found = mask.as_deref().map(|mask| checksum(std::path::Path::new(mask))).transpose()?;
    if found != *mask_sha256 {
        return Err(refused(
            "the mask of vectors is another file than that of the query; give executors the same file",
        ));
    }
    let key = NoiseKey::from_kept(&key).map_err(library)?;
    let builder = vector_builder(options, *are_embedded)?;
    let plan = VectorPlan { builder, key, account: Account::none(), dataset: DATASET.to_owned() };
    Ok(VectorVeiling::Charged(Box::new(plan.charge(None)?)))
}

fn no_key() -> Error {
    refused("a function of the query came without its key")
}

fn other_pack(what: &str) -> Error {
    refused(format!(
        "this executor has other models than the client (the {what}); give both the same pack, with --pack or --encoder"
    ))
}
