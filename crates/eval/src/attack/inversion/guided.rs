//! Searches for the sentence of a vector, without training.

use std::cmp::Ordering;
use std::path::Path;

use inkveil_nn::cpu::PackedLlama;
use inkveil_nn::generate::Decoder;
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::{DType, Scope, Tokenizer, Weights};

use super::settings::{BaseModel, EmbedTexts};
use super::writer::check;
use crate::Error;
use crate::metrics::cosine;

/// The number of vectors that are searched at once.
const AT_ONCE: usize = 32;

/// A search that has found nothing better for this many tokens ends.
const PATIENCE: usize = 6;

/// How the sentences of vectors are searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuidedSettings {
    /// The number of beginnings that are kept for each vector.
    pub beams: usize,
    /// The number of next tokens that are tried for each beginning: the model's likeliest.
    pub proposals: usize,
    /// The most tokens of a sentence.
    pub longest: usize,
    /// What a mean log-probability of 1 counts beside a cosine of 1.
    pub fluency: f64,
}

impl Default for GuidedSettings {
    fn default() -> Self {
        Self { beams: 6, proposals: 12, longest: 32, fluency: 0.02 }
    }
}

/// A language model proposes words, and the encoder chooses those whose vector is nearest to the
/// attacked one, like ZSinvert (Zhang et al., 2025). Nothing is trained: the model sees some
/// sentences of the attacker as examples.
pub struct GuidedWriter {
    model: Model,
    tokenizer: Tokenizer,
    prompt: Vec<u32>,
    settings: GuidedSettings,
}

enum Model {
    Packed(PackedLlama),
    Any(Llama),
}

impl GuidedWriter {
    /// Opens a language model. `examples` are sentences of the same sort that the attacker knows.
    ///
    /// # Errors
    /// If the model cannot be read, or the examples do not fit into its context.
    pub fn open(base: &BaseModel, examples: &[String], settings: GuidedSettings) -> Result<Self, Error> {
        let config = LlamaConfig::open(&base.path)?;
        let tokenizer = Tokenizer::open(&base.path)?;
        tokenizer.check_rows(config.vocabulary)?;
        let model = match base.device.is_cpu() {
            true => Model::Packed(PackedLlama::open(&base.path)?),
            false => Model::Any(open_on_device(&base.path, &config, base)?),
        };
        let lines: String = examples.iter().map(|text| format!("Sentence: {text}\n")).collect();
        let prompt = tokenizer.encode(&format!("{lines}Sentence:"), false)?.ids;
        if prompt.len() + settings.longest > config.context {
            return Err(Error::argument("the examples are too long for the model"));
        }
        Ok(Self { model, tokenizer, prompt, settings })
    }

    /// Returns a sentence for each vector. `embed` encodes sentences as the vectors were encoded.
    ///
    /// # Errors
    /// If the model or the encoder fails.
    pub fn invert(&self, rows: &[f32], dim: usize, embed: &EmbedTexts<'_>) -> Result<Vec<String>, Error> {
        check(rows, dim, rows.len() / dim.max(1))?;
        let specials = self.tokenizer.special_ids();
        let text = |ids: &[u32]| Ok(self.tokenizer.decode(ids)?.trim().to_owned());
        let mut written = Vec::new();
        for some in rows.chunks(AT_ONCE * dim) {
            let search = Search { rows: some, dim, embed, specials, text: &text, settings: self.settings };
            written.extend(match &self.model {
                Model::Packed(model) => search.run(model, &self.prompt)?,
                Model::Any(model) => search.run(model, &self.prompt)?,
            });
        }
        Ok(written)
    }
}

fn open_on_device(path: &Path, config: &LlamaConfig, base: &BaseModel) -> Result<Llama, Error> {
    let weights = Weights::open(path)?;
    Ok(Llama::new(&Scope::frozen(&weights, &base.device).with_dtype(DType::BF16), config)?)
}

/// A beginning of a sentence.
struct Beginning {
    ids: Vec<u32>,
    text: String,
    /// The logarithm of its probability.
    likelihood: f64,
    cosine: f64,
    /// The beginning that it continues, by its row in the model's cache.
    parent: usize,
}

/// A search for the sentences of some vectors.
struct Search<'a> {
    rows: &'a [f32],
    dim: usize,
    embed: &'a EmbedTexts<'a>,
    /// Tokens that belong to no sentence.
    specials: &'a [u32],
    text: &'a dyn Fn(&[u32]) -> Result<String, Error>,
    settings: GuidedSettings,
}

impl Search<'_> {
    fn run<M: Decoder>(&self, model: &M, prompt: &[u32]) -> Result<Vec<String>, Error> {
        let vectors: Vec<&[f32]> = self.rows.chunks_exact(self.dim).collect();
        let (mut cache, first) = model.begin(&[prompt])?;
        model.select(&mut cache, &vec![0; vectors.len()])?;
        let mut logits = vec![first.into_iter().next().unwrap_or_default(); vectors.len()];
        let empty = |row| {
            let text = String::new();
            vec![Beginning { ids: Vec::new(), text, likelihood: 0.0, cosine: -1.0, parent: row }]
        };
        let mut kept: Vec<Vec<Beginning>> = (0..vectors.len()).map(empty).collect();
        let mut best: Vec<(f64, String)> = vec![(-1.0, String::new()); vectors.len()];
        let mut idle = 0;
        for _ in 0..self.settings.longest {
            kept = self.continued(&vectors, &kept, &logits)?;
            idle += 1;
            for (best, kept) in best.iter_mut().zip(&kept) {
                for one in kept.iter().filter(|one| one.text.chars().any(char::is_alphanumeric)) {
                    if one.cosine > best.0 {
                        *best = (one.cosine, one.text.clone());
                        idle = 0;
                    }
                }
            }
            let parents: Vec<usize> = kept.iter().flatten().map(|one| one.parent).collect();
            if idle == PATIENCE || parents.is_empty() {
                break;
            }
            model.select(&mut cache, &parents)?;
            let last: Vec<u32> = kept.iter().flatten().filter_map(|one| one.ids.last().copied()).collect();
            logits = model.step(&last, &mut cache)?;
        }
        Ok(best.into_iter().map(|(_, text)| text).collect())
    }

    /// The best continuations of the beginnings of each vector by one token.
    fn continued(
        &self,
        vectors: &[&[f32]],
        kept: &[Vec<Beginning>],
        logits: &[Vec<f32>],
    ) -> Result<Vec<Vec<Beginning>>, Error> {
        let mut row = 0;
        let mut all: Vec<Vec<Beginning>> = Vec::with_capacity(kept.len());
        for beginnings in kept {
            let mut longer = Vec::new();
            for beginning in beginnings {
                for (id, likelihood) in self.proposals(&logits[row]) {
                    let ids: Vec<u32> = beginning.ids.iter().copied().chain([id]).collect();
                    let text = (self.text)(&ids)?;
                    let likelihood = beginning.likelihood + likelihood;
                    longer.push(Beginning { ids, text, likelihood, cosine: -1.0, parent: row });
                }
                row += 1;
            }
            all.push(longer);
        }
        let texts: Vec<String> = all.iter().flatten().map(|one| one.text.clone()).collect();
        let near = (self.embed)(&texts)?;
        let mut near = near.chunks_exact(self.dim);
        for (vector, longer) in vectors.iter().zip(&mut all) {
            for one in longer.iter_mut() {
                one.cosine = near.next().map_or(-1.0, |near| cosine(vector, near));
            }
            longer.sort_by(|a, b| self.score(b).partial_cmp(&self.score(a)).unwrap_or(Ordering::Equal));
            longer.truncate(self.settings.beams);
        }
        Ok(all)
    }

    fn score(&self, one: &Beginning) -> f64 {
        one.cosine + self.settings.fluency * one.likelihood / one.ids.len().max(1) as f64
    }

    /// The likeliest next tokens, with the logarithms of their probabilities.
    fn proposals(&self, logits: &[f32]) -> Vec<(u32, f64)> {
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f64 = logits.iter().map(|&score| f64::from(score - highest).exp()).sum();
        let mut ids: Vec<u32> =
            (0..logits.len() as u32).filter(|id| self.specials.binary_search(id).is_err()).collect();
        let better = |a: &u32, b: &u32| logits[*b as usize].total_cmp(&logits[*a as usize]).then(a.cmp(b));
        let count = self.settings.proposals.min(ids.len());
        if count == 0 {
            return Vec::new();
        }
        ids.select_nth_unstable_by(count - 1, better);
        ids.truncate(count);
        let share = |id: u32| (id, f64::from(logits[id as usize] - highest) - total.ln());
        ids.into_iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use inkveil_nn::Device;

    use super::*;

    /// The letters of the toy language; its tokens are their numbers.
    const LETTERS: &[u8] = b"abcdefgh";

    fn text(ids: &[u32]) -> Result<String, Error> {
        Ok(ids.iter().map(|&id| char::from(LETTERS[id as usize])).collect())
    }

    /// How often each letter and the first letter occur.
    fn embed(texts: &[String]) -> Result<Vec<f32>, Error> {
        let row = |text: &String| -> Vec<f32> {
            let count =
                |letter: &u8| text.bytes().filter(|found| found == letter).count() as f32 / text.len() as f32;
            let first = |letter: &u8| f32::from(u8::from(text.bytes().next() == Some(*letter)));
            LETTERS.iter().map(count).chain(LETTERS.iter().map(first)).collect()
        };
        Ok(texts.iter().flat_map(row).collect())
    }

    #[test]
    fn the_sentence_of_a_vector_is_found() {
        let config = br#"{"model_type": "llama", "vocab_size": 8, "hidden_size": 8, "intermediate_size": 16,
            "num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 64, "rms_norm_eps": 1e-5}"#;
        let config = LlamaConfig::from_json(config).unwrap();
        let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config).unwrap();
        let wanted = ["bdda".to_owned(), "hhhc".to_owned()];
        let rows = embed(&wanted).unwrap();
        let settings = GuidedSettings { beams: 8, proposals: 8, longest: 8, fluency: 0.0 };
        let search = Search { rows: &rows, dim: 16, embed: &embed, specials: &[], text: &text, settings };
        let found = search.run(&model, &[0]).unwrap();
        let near = embed(&found).unwrap();
        for (at, (wanted, found)) in rows.chunks_exact(16).zip(near.chunks_exact(16)).enumerate() {
            assert!(cosine(wanted, found) > 0.999, "{at}");
        }
        // Without the encoder's choice, the model writes something else.
        let blind = GuidedSettings { proposals: 1, ..settings };
        let written = Search { settings: blind, ..search }.run(&model, &[0]).unwrap();
        assert!(written.iter().zip(&found).any(|(a, b)| a != b));
    }

    #[test]
    fn tokens_that_belong_to_no_sentence_are_not_proposed() {
        let settings = GuidedSettings { proposals: 3, ..GuidedSettings::default() };
        let search = Search { rows: &[], dim: 16, embed: &embed, specials: &[1, 4], text: &text, settings };
        let proposed = search.proposals(&[0.0, 9.0, 2.0, 1.0, 8.0, -1.0]);
        let mut ids: Vec<u32> = proposed.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        assert_eq!(ids, [0, 2, 3]);
        assert!(proposed.iter().all(|(_, likelihood)| *likelihood < 0.0));
        let few = GuidedSettings { proposals: 0, ..settings };
        assert!(Search { settings: few, ..search }.proposals(&[1.0]).is_empty());
    }
}
