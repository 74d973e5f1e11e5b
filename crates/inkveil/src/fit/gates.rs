//! Gates of dimensions (SPARSE), from texts with and without a concept.

use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_vector::{ConceptFinder, FitEpoch, FitSettings, PairTexts, Pairs, attribution, fit, sensitivity};

use super::texts::Texts;
use super::{FitEvent, FitEvents, VectorFit};
use crate::Encoder;
use crate::error::{Error, ErrorKind};

/// The number of steps of integrated gradients.
const STEPS: usize = 16;

/// Gates, the mean squares of dimensions, and how they were learnt.
#[derive(Default)]
pub(super) struct Gates {
    pub(super) gates: Vec<f32>,
    pub(super) mean_squares: Vec<f32>,
    pub(super) pairs: usize,
    pub(super) how: Option<(FitSettings, Vec<FitEpoch>)>,
}

pub(super) struct Learning<'a> {
    pub(super) fit: &'a VectorFit,
    pub(super) encoder: &'a Encoder,
    pub(super) cancel: &'a AtomicBool,
}

impl Learning<'_> {
    pub(super) fn of_concept(
        &self,
        name: &str,
        finder: &ConceptFinder,
        texts: &Texts,
        events: &mut FitEvents<'_>,
    ) -> Result<Gates, Error> {
        let texts = texts.as_strs();
        let found = PairTexts::find(finder, &texts)?;
        events(FitEvent::Found { concept: name, counts: found.counts, pairs: found.with.len() });
        let with: Vec<&str> = found.with.iter().map(|&index| texts[index]).collect();
        let without: Vec<&str> = found.without.iter().map(String::as_str).collect();
        let positive = self.encode(&with, true, events)?;
        let negative = self.encode(&without, false, events)?;
        let pairs = Pairs::from_vectors(self.encoder.model.width(), positive, negative)?;
        let (gates, how) = match &self.fit.white_box {
            Some(attacker) => {
                if attacker.network.inputs() != pairs.dim() {
                    let other = "the attacker was trained on vectors of another dimension";
                    return Err(ErrorKind::Contradiction(other).into());
                }
                let correct = (attacker.correct_outputs)(&with, &finder.spans(&with)?)?;
                let rows: Vec<f32> =
                    (0..pairs.len()).flat_map(|index| pairs.positive(index)).copied().collect();
                (attribution(&attacker.network, &rows, &correct, STEPS)?, None)
            }
            None => self.learn(&pairs, events)?,
        };
        let last = how.as_ref().and_then(|(_, curve)| curve.last().copied());
        events(FitEvent::Learnt { sensitivity: Some(sensitivity(&pairs, &gates)?), last });
        Ok(Gates { gates, mean_squares: pairs.mean_squares(), pairs: pairs.len(), how })
    }

    pub(super) fn of_labels(
        &self,
        name: &str,
        texts: &Texts,
        events: &mut FitEvents<'_>,
    ) -> Result<Gates, Error> {
        let labels = texts.labels.as_deref().unwrap_or_default();
        let all = texts.as_strs();
        let side = |wanted: bool| -> Vec<&str> {
            all.iter().zip(labels).filter(|(_, label)| **label == wanted).map(|(text, _)| *text).collect()
        };
        let (with, without) = (side(true), side(false));
        events(FitEvent::Labelled { concept: name, with: with.len(), without: without.len() });
        let positive = self.encode(&with, true, events)?;
        let negative = self.encode(&without, false, events)?;
        let pairs = Pairs::from_labels(self.encoder.model.width(), positive, negative)?;
        let (gates, how) = self.learn(&pairs, events)?;
        let last = how.as_ref().and_then(|(_, curve)| curve.last().copied());
        events(FitEvent::Learnt { sensitivity: None, last });
        Ok(Gates { gates, mean_squares: pairs.mean_squares(), pairs: pairs.len(), how })
    }

    fn encode(
        &self,
        texts: &[&str],
        with_concept: bool,
        events: &mut FitEvents<'_>,
    ) -> Result<Vec<f32>, Error> {
        let all = texts.len() as u64;
        self.encoder.encode(texts, self.cancel, |done| events(FitEvent::Encoding { with_concept, done, all }))
    }

    #[expect(clippy::type_complexity, reason = "the parts of `Gates`")]
    fn learn(
        &self,
        pairs: &Pairs,
        events: &mut FitEvents<'_>,
    ) -> Result<(Vec<f32>, Option<(FitSettings, Vec<FitEpoch>)>), Error> {
        let settings = self.fit.gates;
        let fitted = fit(pairs, &settings, &mut |epoch| {
            events(FitEvent::Epoch { epoch: *epoch, of: settings.epochs });
            !self.cancel.load(Ordering::Relaxed)
        });
        let fitted = fitted.map_err(|error| match error.kind() {
            inkveil_vector::ErrorKind::Stopped => Error::from(ErrorKind::Cancelled),
            _ => error.into(),
        })?;
        Ok((fitted.gates, Some((settings, fitted.curve))))
    }
}
