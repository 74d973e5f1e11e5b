//! A map of a memory: the plane in which its prototypes lie farthest apart.

use inkveil_nn::SplitMix;

use super::prototypes::Memory;
use crate::network::{dot, normalise};

/// Enough iterations for the precision of a drawing.
const ROUNDS: usize = 60;

/// A plane through a memory (its first two principal components).
pub struct StyleMap {
    middle: Vec<f32>,
    axes: [Vec<f32>; 2],
}

impl std::fmt::Debug for StyleMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StyleMap({} dimensions)", self.middle.len())
    }
}

impl StyleMap {
    /// Returns the plane of a memory. It is deterministic.
    pub fn of(memory: &Memory) -> Self {
        let dim = memory.dimension();
        let mut units = memory.centroids.clone();
        units.chunks_exact_mut(dim).for_each(normalise);
        let mut middle = vec![0f64; dim];
        for unit in units.chunks_exact(dim) {
            middle.iter_mut().zip(unit).for_each(|(sum, x)| *sum += f64::from(*x));
        }
        let middle: Vec<f32> = middle.iter().map(|sum| (sum / memory.len().max(1) as f64) as f32).collect();
        for unit in units.chunks_exact_mut(dim) {
            unit.iter_mut().zip(&middle).for_each(|(x, mean)| *x -= mean);
        }
        let first = direction(&units, dim, None);
        let second = direction(&units, dim, Some(&first));
        Self { middle, axes: [first, second] }
    }

    /// Returns the place of a vector of length 1 in the plane.
    pub fn place(&self, vector: &[f32]) -> [f64; 2] {
        let moved: Vec<f32> = vector.iter().zip(&self.middle).map(|(x, mean)| x - mean).collect();
        [dot(&moved, &self.axes[0]), dot(&moved, &self.axes[1])]
    }

    /// Returns the places of the prototypes of a memory.
    pub fn prototypes(&self, memory: &Memory) -> Vec<[f64; 2]> {
        let place = |centroid: &[f32]| {
            let mut unit = centroid.to_vec();
            normalise(&mut unit);
            self.place(&unit)
        };
        memory.centroids.chunks_exact(memory.dimension()).map(place).collect()
    }
}

/// Returns the direction of the largest variance of rows, orthogonal to another (power iteration).
fn direction(rows: &[f32], dim: usize, other: Option<&[f32]>) -> Vec<f32> {
    let mut random = SplitMix::named(0, "map", &[u64::from(other.is_some())]);
    let mut axis: Vec<f32> = (0..dim).map(|_| random.normals()[0] as f32).collect();
    for _ in 0..ROUNDS {
        let mut next = vec![0f64; dim];
        for row in rows.chunks_exact(dim) {
            let along = dot(row, &axis);
            next.iter_mut().zip(row).for_each(|(sum, x)| *sum += along * f64::from(*x));
        }
        axis = next.into_iter().map(|x| x as f32).collect();
        if let Some(other) = other {
            let along = dot(&axis, other) as f32;
            axis.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
        }
        normalise(&mut axis);
    }
    axis
}

#[cfg(test)]
mod tests {
    use inkveil_nn::EncoderNote;

    use super::*;
    use crate::MemorySettings;

    #[test]
    fn the_plane_has_the_largest_variance() {
        let encoder = EncoderNote { name: "toy".into(), sha256: None };
        let settings = MemorySettings { merge_radius: 0.0, ..Default::default() };
        let mut memory = Memory::new(encoder, 3, settings).unwrap();
        // The variance is large along the first axis, smaller along the second and tiny along the
        // third.
        let rows: Vec<f32> = (0..40)
            .flat_map(|n| {
                let t = f64::from(n) * 0.157;
                [(0.8 * t.sin()) as f32, (0.4 * t.cos()) as f32, 1.0]
            })
            .collect();
        memory.add(&rows, None).unwrap();
        let map = StyleMap::of(&memory);
        assert!(map.axes[0][0].abs() > 0.95 && map.axes[1][1].abs() > 0.95, "{:?}", map.axes);
        assert!(dot(&map.axes[0], &map.axes[1]).abs() < 1e-4);
        assert_eq!(map.prototypes(&memory).len(), memory.len());
    }
}
