//! A sentence encoder that is fine-tuned for a task.

use std::path::Path;

use inkveil_nn::layers::{Linear, Lora, log_softmax};
use inkveil_nn::models::{TextModel, TokenBatch};
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Schedule, save_weights};
use inkveil_nn::{DType, Device, Scope, SplitMix, Tensor, Tokenizer, Weights};

use crate::data::LabelledTexts;
use crate::experiment::checksum::model_checksum;
use crate::experiment::store::MeasurementStore;
use crate::{Error, Watch};

/// The texts of a step, and the most tokens of a text.
const BATCH: usize = 32;
const LONGEST: usize = 96;

/// How often each text is seen, and the least number of steps.
const EPOCHS: usize = 2;
const LEAST_STEPS: usize = 30;

const RANK: usize = 16;
const RATE: f64 = 1e-3;
const SEED: u64 = 1;

/// Part of the key of a trained model. Raise it if a change of the code changes the model.
const VERSION: u32 = 1;

/// An encoder with adapters in all layers, and a linear map of the mean of its last states.
pub(super) struct FineTuned {
    trunk: TextModel,
    head: Linear,
    tokenizer: Tokenizer,
    device: Device,
}

impl FineTuned {
    /// Trains the encoder of a pack on texts, or opens the stored model of the same texts. Models
    /// are stored in `folder`.
    pub(super) fn train(
        pack: &Path,
        train: &LabelledTexts,
        folder: &Path,
        device: &Device,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        let key = MeasurementStore::key(&(VERSION, &train.texts, &train.labels, model_checksum(pack)?))?;
        let file = folder.join(format!("{key}.safetensors"));
        let base = Weights::open(pack)?;
        // A damaged file is trained again.
        let known = file.is_file().then(|| Weights::open(&file).ok()).flatten();
        let weights = known.as_ref().map_or_else(|| base.clone(), |known| base.with(known));
        let scope = Scope::trainable(Some(&weights), device, SEED);
        let mut trunk = TextModel::load(pack, &scope.freeze())?;
        trunk.add_lora(&scope, &Lora { rank: RANK, alpha: RANK as f64, dropout: 0.0 }, |_| true)?;
        let classes = train.labels.iter().max().map_or(1, |most| most + 1);
        let head = Linear::new(&scope.enter("head"), trunk.dimension(), classes, true)?;
        let tuned = Self { trunk, head, tokenizer: Tokenizer::open(pack)?, device: device.clone() };
        if known.is_none() {
            tuned.learn(&scope, train, watch)?;
            // Completely or not at all.
            let hidden = folder.join(format!(".{key}.{}", std::process::id()));
            save_weights(&hidden, &scope.variables())?;
            std::fs::rename(&hidden, &file)
                .map_err(|error| Error::io("write the model", error).in_file(&file))?;
        }
        Ok(tuned)
    }

    /// Returns the most likely class of each text.
    pub(super) fn classify(&self, texts: &[&str]) -> Result<Vec<usize>, Error> {
        let ids = self.ids(texts)?;
        // Texts of similar length together, to avoid padding.
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|&text| ids[text].len());
        let mut classes = vec![0; ids.len()];
        for some in order.chunks(BATCH) {
            let scores = self.scores(&ids, some)?.detach();
            let best =
                scores.argmax(1).and_then(|best| best.to_vec1::<u32>()).map_err(inkveil_nn::Error::from)?;
            some.iter().zip(best).for_each(|(&text, class)| classes[text] = class as usize);
        }
        Ok(classes)
    }

    fn learn(&self, scope: &Scope, train: &LabelledTexts, watch: &Watch<'_>) -> Result<(), Error> {
        let ids = self.ids(&train.texts.iter().map(String::as_str).collect::<Vec<_>>())?;
        let each = ids.len().div_ceil(BATCH).max(1);
        let epochs = EPOCHS.max(LEAST_STEPS.div_ceil(each));
        let steps = (epochs * each) as u64;
        let schedule = Schedule { peak: RATE, warm_up: steps / 10 + 1, steps, decay: Decay::Linear };
        let mut optimiser = AdamW::new(scope.variables(), AdamWSettings::default())?;
        let mut gradients = Gradients::new(scope.variables());
        for epoch in 0..epochs {
            let mut order: Vec<usize> = (0..ids.len()).collect();
            SplitMix::named(SEED, "texts", &[epoch as u64]).shuffle(&mut order);
            for some in order.chunks(BATCH) {
                watch.step(&format!("fine-tuning an encoder, step {} of {steps}", optimiser.steps() + 1))?;
                gradients.add(&self.loss(&ids, some, &train.labels)?, 1.0)?;
                gradients.clip(1.0)?;
                optimiser.step(&mut gradients, schedule.rate(optimiser.steps()))?;
            }
        }
        Ok(())
    }

    fn ids(&self, texts: &[&str]) -> Result<Vec<Vec<u32>>, Error> {
        let of = |text: &&str| {
            let mut ids = self.tokenizer.encode(text, true)?.ids;
            ids.truncate(LONGEST);
            Ok(ids)
        };
        texts.iter().map(of).collect()
    }

    fn scores(&self, ids: &[Vec<u32>], some: &[usize]) -> Result<Tensor, inkveil_nn::Error> {
        let picked: Vec<&[u32]> = some.iter().map(|&text| ids[text].as_slice()).collect();
        let batch = TokenBatch::new(&picked, 0)?;
        let states = self.trunk.hidden_states(&batch)?;
        let keep = batch.keep_tensor(&self.device)?.to_dtype(DType::F32)?;
        let sums = states.broadcast_mul(&keep.unsqueeze(2)?)?.sum(1)?;
        self.head.forward(&sums.broadcast_div(&keep.sum_keepdim(1)?)?)
    }

    fn loss(&self, ids: &[Vec<u32>], some: &[usize], labels: &[usize]) -> Result<Tensor, inkveil_nn::Error> {
        let wanted: Vec<u32> = some.iter().map(|&text| labels[text] as u32).collect();
        let wanted = Tensor::from_vec(wanted, (some.len(), 1), &self.device)?;
        Ok(log_softmax(&self.scores(ids, some)?)?.gather(&wanted, 1)?.mean_all()?.neg()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(from: usize, count: usize) -> LabelledTexts {
        let (sports, money) = (["goal", "match", "coach", "league"], ["bank", "shares", "profit", "market"]);
        let text = |row: usize| {
            let words = if row.is_multiple_of(2) { sports } else { money };
            format!("The {} and the {} in week {row}", words[row / 2 % 4], words[row / 3 % 4])
        };
        let rows = from..from + count;
        LabelledTexts { texts: rows.clone().map(text).collect(), labels: rows.map(|row| row % 2).collect() }
    }

    #[test]
    fn a_trained_model_is_stored() {
        let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
        let folder = tempfile::tempdir().unwrap();
        let (train, test) = (texts(0, 48), texts(100, 40));
        let tuned = FineTuned::train(pack, &train, folder.path(), &Device::Cpu, &Watch::nothing()).unwrap();
        let views: Vec<&str> = test.texts.iter().map(String::as_str).collect();
        let found = tuned.classify(&views).unwrap();
        let right = found.iter().zip(&test.labels).filter(|(a, b)| a == b).count();
        assert!(right >= 38, "{right} of 40");
        let file = || std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
        let written = file().metadata().unwrap().modified().unwrap();
        let again = FineTuned::train(pack, &train, folder.path(), &Device::Cpu, &Watch::nothing()).unwrap();
        assert_eq!(again.classify(&views).unwrap(), found);
        assert_eq!(file().metadata().unwrap().modified().unwrap(), written);
    }
}
