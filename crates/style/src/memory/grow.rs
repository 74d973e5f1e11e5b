//! The growth of a memory: online clustering, and merging of two memories.

use inkveil_nn::product::f32_product;
use rayon::prelude::*;

use super::prototypes::{Memory, check};
use super::spread::Spread;
use crate::Error;
use crate::features::Population;
use crate::network::{dot, normalise};

/// The number of texts whose distances to all prototypes are computed together.
const BLOCK: usize = 512;
/// More than twice the error of a cosine in 32 bits. Prototypes that are nearer to each other than
/// this are compared in 64 bits.
const DOUBT: f32 = 1e-4;

impl Memory {
    /// Adds texts in order, given their concatenated vectors and, with the consent of their owners,
    /// the texts themselves.
    ///
    /// The result equals adding one text at a time. The cost is texts × prototypes.
    ///
    /// # Errors
    /// If the vectors do not fit. Nothing is added then.
    pub fn add(&mut self, vectors: &[f32], texts: Option<&[&str]>) -> Result<(), Error> {
        self.add_with(vectors, texts, &mut |_| true)
    }

    /// Adds texts in order. `progress` receives the number of texts that are added and returns
    /// whether to continue.
    ///
    /// # Errors
    /// If the vectors do not fit, or `progress` returned false. The memory then holds the texts
    /// added so far.
    pub fn add_with(
        &mut self,
        vectors: &[f32],
        texts: Option<&[&str]>,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), Error> {
        let count = vectors.len() / self.dim;
        if count * self.dim != vectors.len() || texts.is_some_and(|texts| texts.len() != count) {
            return Err(Error::mismatch(format!(
                "{} numbers do not make one vector of {} for each text",
                vectors.len(),
                self.dim
            )));
        }
        vectors.chunks_exact(self.dim).try_for_each(|vector| check(vector, self.dim))?;
        let mut units = vectors.to_vec();
        units.chunks_exact_mut(self.dim).for_each(normalise);
        for (block, rows) in units.chunks(BLOCK * self.dim).enumerate() {
            let from = block * BLOCK;
            let texts = texts.map(|texts| &texts[from..from + rows.len() / self.dim]);
            self.add_block(rows, texts)?;
            if !progress(from + rows.len() / self.dim) {
                return Err(crate::ErrorKind::Stopped.into());
            }
        }
        Ok(())
    }

    /// Adds some texts. Their cosines with the current prototypes are one matrix product.
    /// Prototypes that change during the call are compared again.
    fn add_block(&mut self, rows: &[f32], texts: Option<&[&str]>) -> Result<(), Error> {
        let dim = self.dim;
        let before = self.len();
        let mut units = self.centroids.clone();
        units.par_chunks_exact_mut(dim).for_each(normalise);
        let mut cosines = vec![0f32; rows.len() / dim * before];
        if before > 0 {
            let parts = rows.par_chunks(64 * dim).zip(cosines.par_chunks_mut(64 * before));
            parts.try_for_each(|(rows, cosines)| f32_product(rows, &units, dim, cosines))?;
        }
        let mut changed = Changed::new(before);
        for (index, row) in rows.chunks_exact(dim).enumerate() {
            let known = &cosines[index * before..(index + 1) * before];
            let nearest = changed.nearest(row, known, &units, dim);
            let prototype = match nearest {
                Some((prototype, cosine)) if 1.0 - cosine < self.settings.merge_radius => {
                    self.move_towards(prototype, row, 1);
                    prototype
                }
                _ => {
                    self.centroids.extend_from_slice(row);
                    self.weights.push(1);
                    self.texts.push(texts.map(|texts| texts[index].to_owned()));
                    units.extend_from_slice(row);
                    self.len() - 1
                }
            };
            let unit = &mut units[prototype * dim..(prototype + 1) * dim];
            unit.copy_from_slice(&self.centroids[prototype * dim..(prototype + 1) * dim]);
            normalise(unit);
            changed.note(prototype);
        }
        Ok(())
    }

    /// Moves a prototype to the mean of its texts and `weight` texts with this mean.
    fn move_towards(&mut self, prototype: usize, mean: &[f32], weight: u64) {
        let (own, new) = (self.weights[prototype] as f64, weight as f64);
        let centroid = &mut self.centroids[prototype * self.dim..(prototype + 1) * self.dim];
        for (x, y) in centroid.iter_mut().zip(mean) {
            *x = ((own * f64::from(*x) + new * f64::from(*y)) / (own + new)) as f32;
        }
        self.weights[prototype] += weight;
    }

    /// Adds the prototypes of another memory. Those nearer than the merge radius to a prototype of
    /// this memory move it by their weight; the others are added. Of the two populations of habits,
    /// the one over more texts is kept.
    ///
    /// # Errors
    /// If it was made with another encoder.
    pub fn merge(&mut self, other: &Memory) -> Result<(), Error> {
        self.check_encoder(&other.encoder)?;
        if self.dim != other.dim {
            return Err(Error::mismatch("memories of different dimensions cannot be merged"));
        }
        for prototype in 0..other.len() {
            let mean = other.centroid(prototype);
            let mut row = mean.to_vec();
            normalise(&mut row);
            let cosines =
                self.centroids.chunks_exact(self.dim).map(|own| dot(own, &row) / dot(own, own).sqrt());
            let nearest = cosines.enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            match nearest {
                Some((own, cosine)) if 1.0 - cosine < self.settings.merge_radius => {
                    self.move_towards(own, mean, other.weights[prototype]);
                }
                _ => {
                    self.centroids.extend_from_slice(mean);
                    self.weights.push(other.weights[prototype]);
                    self.texts.push(other.texts[prototype].clone());
                }
            }
        }
        self.spread = self.spread.joined(&other.spread);
        let texts = |memory: &Memory| memory.population.as_ref().map_or(0, Population::texts);
        if texts(other) > texts(self) {
            self.population.clone_from(&other.population);
        }
        Ok(())
    }

    /// Records how far these texts are from the prototypes, so that other texts can be ranked among
    /// them. Call it after all texts are added.
    ///
    /// # Errors
    /// If the vectors do not fit, or there are too few prototypes.
    pub fn observe(&mut self, vectors: &[f32]) -> Result<(), Error> {
        let geometry = self.geometry()?;
        let distances: Vec<f64> = vectors
            .par_chunks_exact(self.dim)
            .map(|row| geometry.mean_distance(row))
            .collect::<Result<_, _>>()?;
        self.spread = self.spread.joined(&Spread::of(distances));
        Ok(())
    }
}

/// The prototypes that changed since the product was computed.
struct Changed {
    flags: Vec<bool>,
    list: Vec<usize>,
}

impl Changed {
    fn new(prototypes: usize) -> Self {
        Self { flags: vec![false; prototypes], list: Vec::new() }
    }

    fn note(&mut self, prototype: usize) {
        if prototype >= self.flags.len() {
            self.flags.resize(prototype + 1, false);
        }
        if !std::mem::replace(&mut self.flags[prototype], true) {
            self.list.push(prototype);
        }
    }

    /// Returns the prototype nearest to a row and its cosine in 64 bits. Of two equally near ones
    /// it is the older.
    fn nearest(&self, row: &[f32], known: &[f32], units: &[f32], dim: usize) -> Option<(usize, f64)> {
        let exact = |prototype: usize| (prototype, dot(&units[prototype * dim..(prototype + 1) * dim], row));
        let nearer = |a: (usize, f64), b: (usize, f64)| match b.1 > a.1 || (b.1 == a.1 && b.0 < a.0) {
            true => b,
            false => a,
        };
        // Most prototypes are unchanged. Their cosines are known up to rounding.
        let unchanged = || known.iter().enumerate().filter(|(prototype, _)| !self.flags[*prototype]);
        let highest = unchanged().map(|(_, cosine)| *cosine).fold(f32::NEG_INFINITY, f32::max);
        let likely = unchanged()
            .filter(|(_, cosine)| **cosine >= highest - DOUBT)
            .map(|(prototype, _)| exact(prototype));
        likely.chain(self.list.iter().map(|&prototype| exact(prototype))).reduce(nearer)
    }
}

#[cfg(test)]
mod tests {
    use inkveil_nn::{EncoderNote, SplitMix};

    use super::*;
    use crate::MemorySettings;

    fn note() -> EncoderNote {
        EncoderNote { name: "toy".into(), sha256: None }
    }

    fn vectors(count: usize, dim: usize, seed: u64) -> Vec<f32> {
        let mut random = SplitMix::named(seed, "vectors", &[]);
        let mut rows: Vec<f32> = (0..count * dim).map(|_| random.normals()[0] as f32).collect();
        rows.chunks_exact_mut(dim).for_each(normalise);
        rows
    }

    /// Algorithm 2, literally.
    fn one_by_one(rows: &[f32], dim: usize, radius: f64) -> (Vec<Vec<f64>>, Vec<u64>) {
        let (mut centroids, mut weights): (Vec<Vec<f64>>, Vec<u64>) = (vec![], vec![]);
        for row in rows.chunks_exact(dim) {
            let cosine = |c: &Vec<f64>| {
                let dot: f64 = c.iter().zip(row).map(|(x, y)| x * f64::from(*y)).sum();
                dot / c.iter().map(|x| x * x).sum::<f64>().sqrt()
            };
            let nearest = centroids
                .iter()
                .map(cosine)
                .enumerate()
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            match nearest {
                Some((j, cosine)) if 1.0 - cosine < radius => {
                    let w = weights[j] as f64;
                    centroids[j]
                        .iter_mut()
                        .zip(row)
                        .for_each(|(c, e)| *c = (w * *c + f64::from(*e)) / (w + 1.0));
                    weights[j] += 1;
                }
                _ => {
                    centroids.push(row.iter().map(|x| f64::from(*x)).collect());
                    weights.push(1);
                }
            }
        }
        (centroids, weights)
    }

    #[test]
    fn blocks_give_the_same_result_as_single_texts() {
        let (dim, radius) = (6, 0.15);
        let rows = vectors(3 * BLOCK + 17, dim, 1);
        let mut memory = Memory::new(note(), dim, MemorySettings::default()).unwrap();
        memory.add(&rows, None).unwrap();
        let (centroids, weights) = one_by_one(&rows, dim, radius);
        assert_eq!(memory.weights, weights);
        assert!(memory.len() > 100 && memory.seen() == rows.len() as u64 / dim as u64);
        for (found, expected) in memory.centroids.chunks_exact(dim).zip(&centroids) {
            assert!(found.iter().zip(expected).all(|(x, y)| (f64::from(*x) - y).abs() < 1e-5));
        }
    }

    #[test]
    fn adding_in_parts_or_at_once_gives_the_same_memory() {
        let rows = vectors(900, 5, 2);
        let whole = {
            let mut memory = Memory::new(note(), 5, MemorySettings::default()).unwrap();
            memory.add(&rows, None).unwrap();
            memory
        };
        let mut parts = Memory::new(note(), 5, MemorySettings::default()).unwrap();
        for part in rows.chunks(35) {
            parts.add(part, None).unwrap();
        }
        assert!(parts == whole);
    }

    #[test]
    fn merged_memories_count_all_texts_and_keep_new_prototypes() {
        let build = |rows: &[f32]| {
            let mut memory = Memory::new(note(), 2, MemorySettings::default()).unwrap();
            memory.add(rows, None).unwrap();
            memory
        };
        let mut first = build(&[1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let second = build(&[0.995, 0.0999, -1.0, 0.0]);
        first.merge(&second).unwrap();
        assert_eq!(first.weights, [3, 1, 1]);
        assert!((first.centroids[1] - 0.0999 / 3.0).abs() < 1e-5, "moved by a third");
        let other = EncoderNote { name: "else".into(), sha256: None };
        assert!(first.merge(&Memory::new(other, 2, MemorySettings::default()).unwrap()).is_err());
    }

    #[test]
    fn example_texts_stay_with_their_prototypes() {
        let mut memory = Memory::new(note(), 2, MemorySettings::default()).unwrap();
        memory.add(&[1.0, 0.0, 1.0, 0.01, 0.0, 1.0], Some(&["one", "two", "three"])).unwrap();
        assert_eq!((memory.text(0), memory.text(1), memory.text(2)), (Some("one"), Some("three"), None));
        assert_eq!(memory.without_texts().text(0), None);
    }

    #[test]
    fn invalid_vectors_change_nothing() {
        let mut memory = Memory::new(note(), 2, MemorySettings::default()).unwrap();
        assert!(memory.add(&[1.0, 0.0, 1.0], None).is_err());
        assert!(memory.add(&[1.0, 0.0, f32::NAN, 1.0], None).is_err());
        assert!(memory.add(&[1.0, 0.0, 0.0, 0.0], None).is_err());
        assert!(memory.add(&[1.0, 0.0], Some(&[])).is_err());
        assert!(memory.is_empty());
    }
}
