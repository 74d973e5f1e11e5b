//! The style encoder: texts to vectors.

use std::fmt;
use std::path::Path;

use inkveil_nn::cpu::{PackedEncoder, PackedLinear, Precision, Sequence, gelu};
use inkveil_nn::models::BertConfig;
use inkveil_nn::{CASING_TABLE, CASINGS, EncoderNote, SentenceEncoder, Tokenizer, Weights, with_adapters};
use rayon::prelude::*;

use crate::network::{
    HIDDEN, HIDDEN_LAYER, MEAN, OUT_LAYER, SCALE, STYLE, Standard, WEIGHTS_FILE, normalise,
};
use crate::surface::{surface, width};
use crate::tokens::{Window, ends, windows};
use crate::{EncoderCard, Error, digest};

/// The number of texts between two calls of a progress callback.
const BATCH: usize = 64;

/// Encodes texts as vectors that are near each other for texts by one author, whatever their topic.
///
/// It opens a pack with our style weights, or any folder in the layout of Sentence Transformers
/// with a BERT, RoBERTa or MPNet that was trained for style. Vectors have length 1.
///
/// ```no_run
/// use std::path::Path;
/// use inkveil_style::StyleEncoder;
///
/// let encoder = StyleEncoder::open(Path::new("models/en"))?;
/// let vectors = encoder.encode(&["lol idk, u tell me", "I should be glad to learn more; do write."])?;
/// assert_eq!(vectors[0].len(), encoder.dimension());
/// # Ok::<(), inkveil_style::Error>(())
/// ```
pub struct StyleEncoder {
    kind: Kind,
    note: EncoderNote,
    card: Option<EncoderCard>,
}

enum Kind {
    Own(Box<Own>),
    /// A public style encoder.
    Sentence(Box<SentenceEncoder>),
}

struct Own {
    trunk: Option<Trunk>,
    /// The width of the trunk's states. They are zeros if there is no trunk.
    states: usize,
    standard: Standard,
    hidden: PackedLinear,
    out: PackedLinear,
}

/// The pack's encoder, with adapters.
struct Trunk {
    tokenizer: Tokenizer,
    ends: [u32; 2],
    encoder: PackedEncoder,
}

impl StyleEncoder {
    /// Opens a pack or a folder.
    ///
    /// # Errors
    /// If it has no encoder, or the weights do not fit the encoder.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(WEIGHTS_FILE);
        if file.is_file() {
            return Self::with_weights(folder, &file);
        }
        let encoder = SentenceEncoder::open(folder)?;
        let note = EncoderNote { name: name_of(folder), sha256: digest::of_first(folder, &MODEL_FILES) };
        Ok(Self { kind: Kind::Sentence(Box::new(encoder)), note, card: None })
    }

    /// Opens our style weights from a separate file, on the encoder of a pack. A card of the same
    /// name in the same folder is read too.
    ///
    /// # Errors
    /// If the weights do not fit the encoder.
    pub fn with_weights(pack: &Path, weights: &Path) -> Result<Self, Error> {
        let own = Own::open(pack, weights)?;
        let card = weights.with_extension("json");
        let card = card.is_file().then(|| EncoderCard::open(&card)).transpose()?;
        let sha256 = digest::of_file(weights);
        let name = if weights == pack.join(WEIGHTS_FILE) { name_of(pack) } else { name_of(weights) };
        Ok(Self { kind: Kind::Own(Box::new(own)), note: EncoderNote { name, sha256 }, card })
    }

    /// Returns the dimension of a style vector.
    pub fn dimension(&self) -> usize {
        match &self.kind {
            Kind::Own(_) => STYLE,
            Kind::Sentence(encoder) => encoder.width(),
        }
    }

    /// Returns the name and checksum of the encoder, which memories record.
    pub fn note(&self) -> &EncoderNote {
        &self.note
    }

    /// Returns the card of the encoder, if it has one.
    pub fn card(&self) -> Option<&EncoderCard> {
        self.card.as_ref()
    }

    /// Returns the vectors of texts, in order.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        self.encode_with(texts, &mut |_| true)
    }

    /// Returns the vectors of texts, in order. After every batch `progress` receives the number of
    /// texts that are done and returns whether to continue.
    ///
    /// # Errors
    /// If the encoder fails, or `progress` returned false.
    pub fn encode_with(
        &self,
        texts: &[&str],
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let mut made = match &self.kind {
                Kind::Own(own) => own.encode(batch)?,
                Kind::Sentence(encoder) => encoder.encode(batch)?,
            };
            made.iter_mut().for_each(|vector| normalise(vector));
            vectors.append(&mut made);
            if !progress(vectors.len()) {
                return Err(crate::ErrorKind::Stopped.into());
            }
        }
        Ok(vectors)
    }
}

/// The files whose checksum identifies a public encoder.
const MODEL_FILES: [&str; 3] = ["model.safetensors", "manifest.json", "config.json"];

fn name_of(path: &Path) -> String {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    path.file_stem().map_or_else(|| "encoder".into(), |name| name.to_string_lossy().into_owned())
}

impl Own {
    fn open(pack: &Path, file: &Path) -> Result<Self, Error> {
        let trained = Weights::open(file)?;
        let config = BertConfig::open(pack)?;
        let states = config.width;
        let surface = width();
        // An encoder that was trained on patterns and features alone does not use the pack's
        // encoder.
        let trunk =
            trained.shape(CASING_TABLE).is_some().then(|| Trunk::open(pack, &trained, config)).transpose()?;
        let values = |name| Ok::<_, Error>(trained.values(name, &[surface])?.into_owned());
        // There are few features and the map is small, so 32 bits cost little.
        let linear = |name, shape| PackedLinear::open(&trained, name, shape, Precision::F32);
        Ok(Own {
            trunk,
            states,
            standard: Standard { mean: values(MEAN)?, scale: values(SCALE)? },
            hidden: linear(HIDDEN_LAYER, [HIDDEN, states + surface])?,
            out: linear(OUT_LAYER, [STYLE, HIDDEN])?,
        })
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let states = match &self.trunk {
            Some(trunk) => trunk.means(texts)?,
            None => vec![vec![0.0; self.states]; texts.len()],
        };
        // Each row is multiplied alone: products of several rows are rounded differently, and a vector must not depend
        // on the texts beside it.
        let vector = |(mut row, text): (Vec<f32>, &&str)| {
            let mut surface = surface(text);
            self.standard.apply(&mut surface);
            row.extend(surface);
            let mut hidden = vec![0f32; HIDDEN];
            self.hidden.forward(&row, &mut hidden)?;
            gelu(&mut hidden);
            let mut out = vec![0f32; STYLE];
            self.out.forward(&hidden, &mut out)?;
            Ok(out)
        };
        states.into_par_iter().zip(texts).map(vector).collect()
    }
}

impl Trunk {
    fn open(pack: &Path, trained: &Weights, config: BertConfig) -> Result<Self, Error> {
        let merged = with_adapters(&Weights::open(pack)?, trained)?;
        let config = BertConfig { types: CASINGS, ..config };
        let encoder = PackedEncoder::new(&merged, &config, Precision::fastest_for_vectors())?;
        let tokenizer = Tokenizer::open(pack)?;
        tokenizer.check_rows(config.vocabulary)?;
        Ok(Self { ends: ends(&tokenizer)?, tokenizer, encoder })
    }

    /// Returns the mean state of each text.
    fn means(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let cut = |text: &&str| windows(&self.tokenizer, self.ends, text);
        let cut: Vec<Vec<Window>> = texts.par_iter().map(cut).collect::<Result<_, Error>>()?;
        let sequences: Vec<Sequence<'_>> = cut
            .iter()
            .flatten()
            .map(|window| Sequence { ids: &window.ids, types: &window.casings })
            .collect();
        let width = self.encoder.width();
        let sums = self.encoder.map_typed(&sequences, |_, states| {
            let mut sum = vec![0f32; width];
            for state in states.chunks_exact(width) {
                sum.iter_mut().zip(state).for_each(|(sum, x)| *sum += x);
            }
            (sum, states.len() / width.max(1))
        })?;
        let mut sums = sums.into_iter();
        let mean = |windows: &Vec<Window>| {
            let (mut mean, mut tokens) = (vec![0f32; width], 0);
            for (sum, count) in sums.by_ref().take(windows.len()) {
                mean.iter_mut().zip(&sum).for_each(|(mean, x)| *mean += x);
                tokens += count;
            }
            mean.iter_mut().for_each(|x| *x /= tokens.max(1) as f32);
            mean
        };
        Ok(cut.iter().map(mean).collect())
    }
}

impl fmt::Debug for StyleEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StyleEncoder({}, dimension {})", self.note.name, self.dimension())
    }
}
