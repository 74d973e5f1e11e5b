//! Model2Vec: sentence vectors as means of token vectors.

use std::path::Path;

use serde::Deserialize;

use super::{VectorTable, missing, token_names};
use crate::memory::{bytes_for, check_memory};
use crate::weights::read_small;
use crate::{Device, Error, Tokenizer, Weights};

const LONGEST_CONFIG: u64 = 1 << 20;

/// A static model of Model2Vec, such as potion-base-8M: fast, without context.
pub struct StaticModel {
    tokenizer: Tokenizer,
    table: VectorTable,
    /// The token for unknown words, which is left out because it has no meaning.
    unknown: Option<u32>,
    normalise: bool,
}

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    normalize: bool,
}

impl StaticModel {
    /// Opens a folder with `model.safetensors`, `tokenizer.json` and `config.json`.
    ///
    /// ```no_run
    /// use std::path::Path;
    ///
    /// let model = inkveil_nn::models::StaticModel::open(Path::new("potion-base-8M"))?;
    /// let vector = model.encode("A short sentence.")?;
    /// assert_eq!(vector.len(), model.table().width());
    /// # Ok::<(), inkveil_nn::Error>(())
    /// ```
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let config: Config =
            serde_json::from_slice(&read_small(&path, "config", LONGEST_CONFIG)?).map_err(|e| {
                Error::corrupt("config", format!("it does not have the expected structure: {e}"))
                    .in_file(&path)
            })?;
        let tokenizer = Tokenizer::open(folder)?;
        let table = read_table(&Weights::open(folder)?, &tokenizer).map_err(|e| e.in_file(folder))?;
        let unknown = ["[UNK]", "<unk>"].into_iter().find_map(|token| tokenizer.id(token));
        Ok(StaticModel { tokenizer, table, unknown, normalise: config.normalize })
    }

    /// Returns the vectors of the tokens: row i belongs to token i.
    pub fn table(&self) -> &VectorTable {
        &self.table
    }

    /// Returns its tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Returns the vector of a text: the mean of its tokens' vectors, normalised to length 1 if the
    /// model's config says so. A text without known tokens gives zeros.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>, Error> {
        let ids = self.tokenizer.encode(text, false)?.ids;
        let known = ids.iter().filter(|&&id| Some(id) != self.unknown);
        let rows: Vec<&[f32]> = known.filter_map(|&id| self.table.row(id as usize)).collect();
        let mut sum = vec![0.0_f64; self.table.width()];
        for row in &rows {
            sum.iter_mut().zip(*row).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        let divisor = match self.normalise {
            true => sum.iter().map(|value| value * value).sum::<f64>().sqrt(),
            false => rows.len() as f64,
        };
        Ok(sum.iter().map(|value| if divisor > 0.0 { (value / divisor) as f32 } else { 0.0 }).collect())
    }
}

/// Reads the row of each token. Newer files share rows between tokens (`mapping`) and weight tokens
/// (`weights`).
fn read_table(weights: &Weights, tokenizer: &Tokenizer) -> Result<VectorTable, Error> {
    let Some(&[rows, width]) = weights.shape("embeddings") else { return Err(missing("embeddings")) };
    let vectors = weights.values("embeddings", &[rows, width])?;
    let tokens = match weights.shape("mapping").or(weights.shape("weights")) {
        Some(&[tokens]) => tokens,
        Some(_) => return Err(Error::corrupt("safetensors", "\"mapping\" or \"weights\" is not a list")),
        None => rows,
    };
    tokenizer.check_rows(tokens)?;
    let mapping = match weights.shape("mapping") {
        Some(_) => weights.integers("mapping", &[tokens])?,
        None => (0..tokens as i64).collect(),
    };
    let scales = match weights.shape("weights") {
        Some(_) => weights.values("weights", &[tokens])?.into_owned(),
        None => vec![1.0; tokens],
    };
    // Many tokens may share one long row, so the table can be much larger than the file.
    check_memory("the table", bytes_for([[tokens, width].as_slice()].into_iter()), &Device::Cpu)?;
    let mut values = Vec::new();
    for (&row, scale) in mapping.iter().zip(scales) {
        let row = usize::try_from(row).ok().and_then(|row| vectors.chunks_exact(width.max(1)).nth(row));
        let row = row.ok_or_else(|| Error::corrupt("safetensors", "\"mapping\" points outside the table"))?;
        values.extend(row.iter().map(|value| scale * value));
    }
    Ok(VectorTable { names: token_names(tokenizer, tokens), values, width })
}
