//! The data, packs and models of a run.

use std::path::Path;

use inkveil_nn::Device;
use serde::Serialize;

use super::answering::AnsweringModel;
use super::checksum::model_checksum;
use super::lexicons::OpenLexicons;
use crate::Error;
use crate::attack::BaseModel;

/// The data, packs and models of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunContext<'a> {
    /// The folder of test sets.
    pub data: &'a Path,
    /// The folder of the pack whose words are noised.
    pub pack: &'a Path,
    /// The folder of the pack with lists of names.
    pub names: &'a Path,
    /// The lexicons of the first pack that are open.
    pub lexicons: &'a OpenLexicons,
    /// The model that answers the questions of test sets.
    pub answering: Option<&'a AnsweringModel>,
    /// The language model that rewrites texts, inverts vectors or helps an attacker on words.
    pub base: Option<&'a BaseModel>,
    /// Where models are fine-tuned.
    pub device: &'a Device,
    /// The folder of measurements and fine-tuned models.
    pub store: &'a Path,
    /// The command of the run, for the results.
    pub command: &'a str,
    /// The commit of the build, for the results.
    pub commit: &'a str,
}

impl RunContext<'_> {
    /// Checksums of the packs and, if it takes part in the measurement, of the language model.
    pub(super) fn checksums(&self, with_base: bool) -> Result<impl Serialize + use<>, Error> {
        let base = self.base.filter(|_| with_base).map(|base| model_checksum(&base.path)).transpose()?;
        Ok((model_checksum(self.pack)?, model_checksum(self.names)?, base))
    }
}
