//! Joint decoding: the noised words of a text are read together, from their noise and from what else
//! the release shows.
//!
//! ```text
//! tokens → noise → observations ─┐
//! what the release shows ────────┴→ released → likeliest words by channel and prior
//! ```
//!
//! Decoding alone takes the entry nearest to each noisy vector. Joint decoding asks which words of
//! the whole text are likeliest, given all noisy vectors, the words, punctuation and placeholders
//! that the release shows anyway, and a public prior over neighbouring words. It is post-processing:
//! an attacker can compute the same from the release, so it costs no budget.
//!
//! [`Released`] is the only input of the search. It holds observations and symbols of what is
//! released, and nothing else of a text.

mod best;
mod released;

use std::path::Path;
use std::sync::Arc;

use inkveil_lexicon::{CasingPolicy, Lexicon, LexiconKind, PRIOR_FILE, WordPrior};
use rayon::prelude::*;

pub(crate) use self::best::decode;
pub(crate) use self::released::Released;
use crate::choice::choice;
use crate::mechanism::{LikelyOriginals, Mechanism, MechanismName, Observation};
use crate::plan::TextPlan;
use crate::{AtZero, Error, TextSettings, Treatment};

choice! {
    /// How noised words become words of the lexicon.
    Decoding "decoding" {
        /// Each alone: the nearest entry, or the entry that was drawn.
        #[default]
        Nearest "nearest",
        /// All words of a text together, with a public prior over neighbouring words. This is
        /// post-processing and costs no budget.
        Joint "joint",
    }
}

impl Decoding {
    /// Returns the decoding that settings ask for; the nearest word by default.
    ///
    /// # Errors
    /// If joint decoding is asked for and the pack or the mechanism does not support it.
    pub(crate) fn chosen(
        settings: &TextSettings,
        pack: &Path,
        lexicon: &Lexicon,
        mechanism: &dyn Mechanism,
    ) -> Result<Self, Error> {
        let has_prior = lexicon.kind() == LexiconKind::Words && pack.join(PRIOR_FILE).is_file();
        let refused = || {
            if !mechanism.has_likelihood() {
                Some(format!("the mechanism {} is decoded to the nearest word only", mechanism.name()))
            } else if !has_prior {
                Some(format!("the pack has no prior ({PRIOR_FILE}) for the lexicon {}", lexicon.kind()))
            } else {
                None
            }
        };
        match settings.decoding {
            Some(Decoding::Joint) => match refused() {
                Some(why) => Err(Error::setting(format!("words cannot be decoded jointly: {why}"))),
                None => Ok(Decoding::Joint),
            },
            Some(decoding) => Ok(decoding),
            // Joint decoding lets more of all words through. Where sensitive words are replaced, attackers gain nothing
            // from that, and the text reads better. Elsewhere users ask for it (docs/results/decoding.md).
            None if settings.budget.replaces_sensitive()
                && settings.mechanism.name == MechanismName::Polar
                && refused().is_none() =>
            {
                Ok(Decoding::Joint)
            }
            None => Ok(Decoding::Nearest),
        }
    }
}

/// Decodes the noised words of texts together.
#[derive(Debug)]
pub(crate) struct JointDecoder {
    likely: LikelyOriginals,
    shows: Shows,
}

/// The settings that decide what a release shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shows {
    casing: CasingPolicy,
    at_zero: AtZero,
}

impl Shows {
    pub(crate) fn of(settings: &TextSettings) -> Self {
        Self { casing: settings.casing, at_zero: settings.at_zero }
    }
}

impl JointDecoder {
    /// Opens the prior of a pack; none if it has no prior.
    pub(crate) fn open(
        pack: &Path,
        lexicon: &Arc<Lexicon>,
        settings: &TextSettings,
    ) -> Result<Option<Self>, Error> {
        let prior = WordPrior::open(pack, lexicon)?;
        prior.map(|prior| Self::new(lexicon, prior, settings)).transpose()
    }

    pub(crate) fn new(
        lexicon: &Arc<Lexicon>,
        prior: WordPrior,
        settings: &TextSettings,
    ) -> Result<Self, Error> {
        let likely = LikelyOriginals::new(lexicon.clone(), Arc::new(prior))?;
        Ok(Self { likely, shows: Shows::of(settings) })
    }

    pub(crate) fn likely(&self) -> &LikelyOriginals {
        &self.likely
    }

    pub(crate) fn prior(&self) -> &WordPrior {
        self.likely.prior()
    }

    /// Returns the entry of each noised unit of all plans, in order. There is one observation for each.
    pub(crate) fn decode_all(&self, plans: &[TextPlan<'_>], observed: &[Observation]) -> Vec<u32> {
        let mut rest = observed;
        let parts: Vec<(&TextPlan<'_>, &[Observation])> = plans
            .iter()
            .map(|plan| {
                let noised = plan.units.iter().filter(|unit| is_noised(unit.treatment, unit.id));
                let (own, after) = rest.split_at(noised.count().min(rest.len()));
                rest = after;
                (plan, own)
            })
            .collect();
        let decoded = parts.into_par_iter().map(|(plan, observed)| self.decode(plan, observed));
        decoded.collect::<Vec<_>>().concat()
    }

    /// Returns the entry of each noised unit of a plan.
    pub(crate) fn decode(&self, plan: &TextPlan<'_>, observed: &[Observation]) -> Vec<u32> {
        decode(&Released::of(plan, self.shows, observed), self.prior()).entries
    }
}

/// Returns whether a mechanism draws for a unit.
pub(crate) fn is_noised(treatment: Treatment, id: Option<u32>) -> bool {
    treatment == Treatment::Noise && id.is_some()
}
