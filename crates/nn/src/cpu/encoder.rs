//! A packed encoder: tables, layers, and the distribution of sequences over threads.

use std::sync::{Mutex, PoisonError};

use pulp::Arch;
use rayon::prelude::*;

use super::attention::DistanceBias;
use super::layer::EncoderLayer;
use super::layout::EncoderLayout;
use super::norm::Norm;
use super::operand::Operand;
use super::sequence::Sequence;
use super::stored::StoredMatrix;
use super::workspace::Workspace;
use crate::{Error, Weights};

/// Tokens that pass through all layers together on one thread: enough to reuse a layer's weights in
/// the cache, and few enough to stay there too.
const GROUP: usize = 256;

/// An encoder whose products use one number format.
pub(super) struct EncoderModel<T: Operand> {
    layout: EncoderLayout,
    words: StoredMatrix,
    /// The sum of each position's row and the first token type's row.
    position_rows: Vec<f32>,
    /// The differences between the rows of the token types and that of the first.
    types: Vec<f32>,
    norm: Norm,
    layers: Vec<EncoderLayer<T>>,
    distances: Option<DistanceBias>,
    /// Workspaces of finished groups, for reuse.
    spaces: Mutex<Vec<Workspace<T>>>,
    arch: Arch,
}

impl<T: Operand> EncoderModel<T> {
    pub(super) fn open(weights: &Weights, layout: EncoderLayout) -> Result<Self, Error> {
        let layers = layout
            .layers()
            .par_iter()
            .map(|names| EncoderLayer::open(weights, names, layout.sizes))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            words: StoredMatrix::table(weights, &layout.words(), [layout.vocabulary(), layout.sizes.width])?,
            position_rows: layout.position_rows(weights)?,
            types: layout.types(weights)?,
            norm: Norm::open(weights, &layout.embedding_norm(), layout.sizes.width, layout.sizes.epsilon)?,
            layers,
            distances: layout.distances(weights)?,
            spaces: Mutex::default(),
            arch: Arch::new(),
            layout,
        })
    }

    pub(super) fn layout(&self) -> &EncoderLayout {
        &self.layout
    }

    /// Encodes all sequences on all threads, calls `visit` with each one's final states, and
    /// returns the results in the order of the sequences.
    pub(super) fn map<R: Send>(
        &self,
        sequences: &[Sequence<'_>],
        visit: &(impl Fn(usize, &[f32]) -> R + Sync),
    ) -> Result<Vec<R>, Error> {
        self.check(sequences)?;
        let mut order: Vec<usize> = (0..sequences.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(sequences[index].ids.len()));
        let shares = T::SHARES.unwrap_or_else(rayon::current_num_threads);
        let groups = groups(&order, |index| sequences[index].ids.len(), shares);
        let done: Vec<Vec<(usize, R)>> = groups
            .into_par_iter()
            .map(|group| self.run_group(sequences, group, visit))
            .collect::<Result<_, _>>()?;
        let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
        done.sort_unstable_by_key(|&(index, _)| index);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    fn check(&self, sequences: &[Sequence<'_>]) -> Result<(), Error> {
        let longest = sequences.iter().map(|sequence| sequence.ids.len()).max().unwrap_or(0);
        if longest > self.layout.max_tokens() {
            let most = self.layout.max_tokens();
            return Err(Error::argument(format!(
                "a sequence has {longest} tokens; this model takes up to {most}"
            )));
        }
        let kinds = self.types.len() / self.layout.sizes.width.max(1);
        for sequence in sequences.iter().filter(|sequence| !sequence.types.is_empty()) {
            let known = |&kind: &u8| usize::from(kind) < kinds;
            if sequence.types.len() != sequence.ids.len() || !sequence.types.iter().all(known) {
                return Err(Error::argument(format!(
                    "a sequence needs one token type per token, each below {kinds}"
                )));
            }
        }
        let rows = self.words.height();
        match sequences.iter().flat_map(|sequence| sequence.ids).find(|&&id| id as usize >= rows) {
            Some(id) => Err(Error::argument(format!("there is no token {id}; this model has {rows} tokens"))),
            None => Ok(()),
        }
    }

    fn run_group<R>(
        &self,
        sequences: &[Sequence<'_>],
        group: &[usize],
        visit: &impl Fn(usize, &[f32]) -> R,
    ) -> Result<Vec<(usize, R)>, Error> {
        let mut spaces = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        let mut space = spaces.pop().unwrap_or_default();
        drop(spaces);

        let lengths: Vec<usize> = group.iter().map(|&index| sequences[index].ids.len()).collect();
        let width = self.layout.sizes.width;
        space.fit(lengths.iter().sum(), width, self.layout.sizes.inner);
        self.embed(group.iter().map(|&index| sequences[index]), &mut space)?;
        for layer in &self.layers {
            layer.apply(self.arch, &lengths, self.distances.as_ref(), &mut space)?;
        }
        let mut rows = space.hidden.as_slice();
        let mut results = Vec::with_capacity(group.len());
        for (&index, length) in group.iter().zip(lengths) {
            let (states, rest) = rows.split_at(length * width);
            results.push((index, visit(index, states)));
            rows = rest;
        }
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner).push(space);
        Ok(results)
    }

    /// Looks up and normalises the input of the first layer.
    fn embed<'a>(
        &self,
        sequences: impl Iterator<Item = Sequence<'a>>,
        space: &mut Workspace<T>,
    ) -> Result<(), Error> {
        let width = self.layout.sizes.width;
        let words = self.words.rows()?;
        let mut rows = space.hidden.chunks_exact_mut(width);
        for Sequence { ids, types } in sequences {
            let mut types = types.iter();
            for ((&id, position), row) in
                ids.iter().zip(self.position_rows.chunks_exact(width)).zip(&mut rows)
            {
                words.sum(id as usize, position, row);
                if let Some(&kind @ 1..) = types.next() {
                    let differs = &self.types[usize::from(kind) * width..][..width];
                    row.iter_mut().zip(differs).for_each(|(value, more)| *value += more);
                }
            }
        }
        self.norm.apply(self.arch, &mut space.hidden, &mut space.rounded);
        Ok(())
    }
}

/// Splits `order` into groups with nearly equal numbers of tokens. The number of groups is a
/// multiple of `shares` if possible.
fn groups(order: &[usize], length: impl Fn(usize) -> usize, shares: usize) -> Vec<&[usize]> {
    let total: usize = order.iter().map(|&index| length(index)).sum();
    let count = total.div_ceil(GROUP * shares).max(1) * shares;
    let wanted = total.div_ceil(count).max(1);
    let mut groups = Vec::with_capacity(count);
    let (mut start, mut tokens) = (0, 0);
    for (i, &index) in order.iter().enumerate() {
        tokens += length(index);
        if tokens >= wanted {
            groups.push(&order[start..=i]);
            (start, tokens) = (i + 1, 0);
        }
    }
    if start < order.len() {
        groups.push(&order[start..]);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_complete_and_of_similar_size() {
        let lengths: Vec<usize> = (0..1000).map(|i| 3 + (i * 37) % 120).collect();
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(lengths[i]));
        for shares in [1, 2, 7] {
            let groups = groups(&order, |i| lengths[i], shares);
            assert_eq!(groups.concat(), order);
            let tokens = groups.iter().map(|group| group.iter().map(|&i| lengths[i]).sum::<usize>());
            assert!(tokens.clone().max() < Some(GROUP + 123), "{:?}", tokens.collect::<Vec<_>>());
        }
        assert!(groups(&[], |_| 1, 4).is_empty());
        assert_eq!(groups(&[0], |_| 0, 4), [[0]]);
    }
}
