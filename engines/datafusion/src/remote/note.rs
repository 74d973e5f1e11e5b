//! What a worker needs for a function: its name, the settings, the checksums of the models, and the key.

use std::path::Path;
use std::sync::Arc;

use inkveil::detect::Tier;
use inkveil::files::{Sha256Sum, entries_of, hex};
use inkveil::privacy::Secret;
use inkveil::release::Ticket;
use inkveil::{DEFAULT_PACK, NoiseKey, encoder_note, names_folder, pack_folder};
use serde::{Deserialize, Serialize};

use crate::calls::Calls;
use crate::error::{Error, refused};
use crate::functions::{Function, Kind};
use crate::models::encoder_pack;
use crate::settings::VeilOptions;

/// The version of what is sent. Another one is refused.
const VERSION: u32 = 1;

/// The file of a pack that lists the checksums of the others.
const MANIFEST: &str = "manifest.json";

/// What all functions of a query share.
#[derive(Clone)]
pub(crate) struct Job {
    /// Whether the cost is counted, and nothing is released.
    counts: bool,
    settings: String,
    hides_names: bool,
    names: Option<String>,
    encoder: Option<String>,
    vectors: Option<VectorJob>,
    ticket: Option<Arc<Secret<String>>>,
    vector_key: Option<Arc<Secret<String>>>,
}

/// How vectors are veiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VectorJob {
    pub(crate) epsilon: String,
    pub(crate) mask: Option<String>,
    pub(crate) mask_sha256: Option<String>,
    /// Whether all vectors come from the encoder.
    pub(crate) are_embedded: bool,
    /// The pack that the settings name as the encoder of vectors in tables.
    pub(crate) encoder: Option<String>,
}

/// A function on its way to a worker.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note<Text> {
    version: u32,
    pub(crate) function: String,
    /// Whether the cost is counted, and nothing is released.
    pub(crate) counts: bool,
    /// Whether the vectors are counted, so that texts need not be encoded.
    pub(crate) is_counted: bool,
    /// The name that its records of noise get.
    pub(crate) column: Option<String>,
    /// A settings file.
    pub(crate) settings: String,
    pub(crate) hides_names: bool,
    /// The checksum of the taggers and lists of names.
    pub(crate) names: Option<String>,
    /// The checksum of the encoder.
    pub(crate) encoder: Option<String>,
    pub(crate) vectors: Option<VectorJob>,
    /// The permission to veil texts, in hexadecimal digits.
    pub(crate) ticket: Option<Text>,
    /// The key of the noise of vectors, in hexadecimal digits.
    pub(crate) vector_key: Option<Text>,
}

impl<Text> Note<Text> {
    /// Checks the version.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.version == VERSION {
            true => Ok(()),
            false => Err(refused(
                "the client and the executor have different versions of inkveil; give them the same one",
            )),
        }
    }
}

impl Job {
    /// What workers need for a query with these calls, without its keys.
    pub(crate) fn of(options: &VeilOptions, calls: &Calls, hides_names: bool) -> Result<Self, Error> {
        if options.text_config()?.model.is_some() {
            return Err(refused("a language model cannot be used on a cluster; remove the setting model"));
        }
        let has_texts = calls.has(Kind::Veil) || calls.has(Kind::Mask);
        let vectors = calls.has(Kind::VeilVector).then(|| VectorJob::of(options, calls.other_vectors == 0));
        Ok(Self {
            counts: false,
            settings: options.file()?.0,
            hides_names,
            names: if has_texts { names_checksum(options)? } else { None },
            encoder: calls.has(Kind::Embed).then(|| encoder_checksum(options)).transpose()?,
            vectors: vectors.transpose()?,
            ticket: None,
            vector_key: None,
        })
    }

    /// The same for a run that counts the cost. `ticket` has a key that nothing is released with.
    pub(crate) fn counting(self, ticket: Option<&Ticket>) -> Self {
        Self { counts: true, ..self.with_keys(ticket, None) }
    }

    /// The same with the keys of a query that was charged.
    pub(crate) fn with_keys(self, ticket: Option<&Ticket>, vector_key: Option<&NoiseKey>) -> Self {
        Self {
            ticket: ticket.map(|ticket| Arc::new(Secret::new(hex::encode(ticket.to_bytes().expose())))),
            vector_key: vector_key.map(|key| Arc::new(Secret::new(hex::encode(key.keep().expose())))),
            ..self
        }
    }
}

impl VectorJob {
    fn of(options: &VeilOptions, are_embedded: bool) -> Result<Self, Error> {
        let given = |name| options.get(name).map(str::to_owned);
        let mask = match given("vector_mask") {
            Some(mask) => {
                let found = Path::new(&mask).canonicalize();
                let found = found.map_err(|_| refused(format!("cannot read {mask}")))?;
                Some(found.to_string_lossy().into_owned())
            }
            None => None,
        };
        Ok(Self {
            epsilon: given("vector_epsilon").unwrap_or_default(),
            mask_sha256: mask.as_deref().map(|mask| checksum(Path::new(mask))).transpose()?,
            mask,
            are_embedded,
            encoder: given("encoder"),
        })
    }
}

/// The bytes of a function for a worker.
pub(crate) fn encoded(function: &Function) -> Result<Secret<Vec<u8>>, Error> {
    let (kind, name) = (function.kind(), function.kind().name());
    let job = function.work().and_then(|work| work.job.as_ref());
    let Some(job) = job.filter(|job| super::worker::is_known(kind) && (job.counts || !function.is_counted()))
    else {
        return Err(refused(format!("{name}() cannot be computed on a cluster")));
    };
    let note = Note {
        version: VERSION,
        function: name.to_owned(),
        counts: job.counts,
        is_counted: function.is_counted(),
        column: function.column().map(str::to_owned),
        settings: job.settings.clone(),
        hides_names: job.hides_names,
        names: job.names.clone(),
        encoder: job.encoder.clone(),
        vectors: job.vectors.clone(),
        ticket: job.ticket.as_deref().filter(|_| kind == Kind::Veil).map(|text| text.expose().as_str()),
        vector_key: job
            .vector_key
            .as_deref()
            .filter(|_| kind == Kind::VeilVector)
            .map(|text| text.expose().as_str()),
    };
    let bytes =
        serde_json::to_vec(&note).map_err(|_| refused(format!("{name}() cannot be sent to a cluster")))?;
    Ok(Secret::new(bytes))
}

/// The checksum of the taggers and lists of names that detection uses. None if it uses rules only.
pub(crate) fn names_checksum(options: &VeilOptions) -> Result<Option<String>, Error> {
    let config = options.text_config()?;
    if config.settings.detect.tier == Tier::Rules {
        return Ok(None);
    }
    let folder = names_folder(&pack_folder(config.pack.as_deref().unwrap_or(DEFAULT_PACK))?)?;
    let manifest = folder.join(MANIFEST);
    if manifest.is_file() {
        return checksum(&manifest).map(Some);
    }
    let mut files: Vec<_> = entries_of(&folder)?.into_iter().filter(|path| path.is_file()).collect();
    files.sort();
    let mut sums = String::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        sums.push_str(&format!("{name} {}\n", checksum(&file)?));
    }
    Ok(Some(Sha256Sum::of(sums.as_bytes()).to_string()))
}

/// The checksum of the encoder.
pub(crate) fn encoder_checksum(options: &VeilOptions) -> Result<String, Error> {
    let note = encoder_note(&encoder_pack(options)?)?;
    note.sha256.ok_or_else(|| {
        refused("the pack of the encoder has no manifest, so executors could not tell whether they have the same one")
    })
}

/// The checksum of a file.
pub(crate) fn checksum(path: &Path) -> Result<String, Error> {
    Ok(Sha256Sum::of_file(path)?.to_string())
}
