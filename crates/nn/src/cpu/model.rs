//! A whole encoder: tables, layers, and how sequences are shared out among threads.

use std::sync::{Mutex, PoisonError};

use pulp::Arch;
use rayon::prelude::*;

use super::Sequence;
use super::attention::DistanceBias;
use super::layer::Layer;
use super::norm::Norm;
use super::operand::Operand;
use super::plan::Plan;
use super::stored::StoredMatrix;
use super::workspace::Workspace;
use crate::{Error, Weights};

/// Tokens that go through all layers together on one thread: enough that a layer's weights, once in the cache, are used
/// often, and few enough that the tokens stay there too.
const GROUP: usize = 256;

/// An encoder whose products are of one kind of numbers.
pub(super) struct Model<T: Operand> {
    plan: Plan,
    words: StoredMatrix,
    /// What is added to a word's row at each position: the rows of the position and of the first token type.
    places: Vec<f32>,
    /// How the rows of the other token types differ from that of the first.
    types: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer<T>>,
    distances: Option<DistanceBias>,
    /// Memory of groups that are done, for those to come.
    spaces: Mutex<Vec<Workspace<T>>>,
    arch: Arch,
}

impl<T: Operand> Model<T> {
    pub(super) fn open(weights: &Weights, plan: Plan) -> Result<Self, Error> {
        let layers = plan
            .layers()
            .par_iter()
            .map(|names| Layer::open(weights, names, plan.sizes))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            words: StoredMatrix::table(weights, &plan.words(), [plan.vocabulary(), plan.sizes.width])?,
            places: plan.places(weights)?,
            types: plan.types(weights)?,
            norm: Norm::open(weights, &plan.embedding_norm(), plan.sizes.width, plan.sizes.epsilon)?,
            layers,
            distances: plan.distances(weights)?,
            spaces: Mutex::default(),
            arch: Arch::new(),
            plan,
        })
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs all sequences on all threads, gives each one's final states to `visit`, and returns what it made of them, in
    /// the order of the sequences.
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
        if longest > self.plan.max_tokens() {
            let most = self.plan.max_tokens();
            return Err(Error::argument(format!(
                "a sequence has {longest} tokens; this model takes up to {most}"
            )));
        }
        let kinds = self.types.len() / self.plan.sizes.width.max(1);
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
            Some(id) => Err(Error::argument(format!("there is no token {id}; this model has {rows}"))),
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
        let width = self.plan.sizes.width;
        space.fit(lengths.iter().sum(), width, self.plan.sizes.inner);
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

    /// Looks up and normalises what the first layer takes.
    fn embed<'a>(
        &self,
        sequences: impl Iterator<Item = Sequence<'a>>,
        space: &mut Workspace<T>,
    ) -> Result<(), Error> {
        let width = self.plan.sizes.width;
        let words = self.words.rows()?;
        let mut rows = space.hidden.chunks_exact_mut(width);
        for Sequence { ids, types } in sequences {
            let mut types = types.iter();
            for ((&id, place), row) in ids.iter().zip(self.places.chunks_exact(width)).zip(&mut rows) {
                words.sum(id as usize, place, row);
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

/// Cuts `order` into groups of nearly equally many tokens; their number is a multiple of `shares` where possible.
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
    fn groups_hold_everything_once_and_are_even() {
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
