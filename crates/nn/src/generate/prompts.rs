//! Checks and reads prompts.

use super::decoder::Decoder;
use crate::Error;

/// Reads prompts, each distinct one once.
pub(super) fn begin<M: Decoder>(model: &M, prompts: &[&[u32]]) -> Result<(M::Cache, Vec<Vec<f32>>), Error> {
    let mut distinct: Vec<&[u32]> = Vec::new();
    let mut rows = Vec::with_capacity(prompts.len());
    for &prompt in prompts {
        rows.push(distinct.iter().position(|&known| known == prompt).unwrap_or(distinct.len()));
        if rows.last() == Some(&distinct.len()) {
            distinct.push(prompt);
        }
    }
    let (mut cache, logits) = model.begin(&distinct)?;
    if distinct.len() == prompts.len() {
        return Ok((cache, logits));
    }
    model.select(&mut cache, &rows)?;
    Ok((cache, rows.into_iter().map(|row| logits[row].clone()).collect()))
}

/// Checks that prompts are not empty and have valid ids.
pub(super) fn check_prompts<'a, M: Decoder>(
    model: &M,
    mut prompts: impl Iterator<Item = &'a [u32]>,
) -> Result<(), Error> {
    prompts.try_for_each(|prompt| match prompt.is_empty() {
        true => Err(Error::argument("a prompt needs at least one token")),
        false => check_ids(model.config().vocabulary, prompt),
    })
}

/// Checks ids here, because devices other than the CPU do not detect ids outside the table.
pub(super) fn check_ids(rows: usize, ids: &[u32]) -> Result<(), Error> {
    match ids.iter().all(|&id| (id as usize) < rows) {
        true => Ok(()),
        false => Err(Error::argument(format!(
            "a prompt contains ids outside the model's {rows} tokens; use the model's own tokenizer"
        ))),
    }
}
