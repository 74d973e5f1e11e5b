//! What is known of one query while the table is scanned.

use super::bounds::{Bounds, Estimate};

/// The best lower bounds so far, and the rows that may still be among the best.
pub(super) struct Running {
    /// The k largest lower bounds, largest first; missing ones are −∞.
    floors: Vec<f32>,
    /// Rows whose upper bound reached the floor when they were seen.
    candidates: Vec<(f32, u32)>,
    /// What bounds are multiplied by to be scores.
    unit: f64,
}

/// Room for the rows of one panel, kept between panels.
pub(super) type Reached = Vec<(u32, f32, f32)>;

impl Running {
    pub(super) fn new(k: usize, unit: f64) -> Self {
        Self { floors: vec![f32::NEG_INFINITY; k], candidates: Vec::new(), unit }
    }

    /// What an upper bound must reach: the k-th largest lower bound.
    fn floor(&self) -> f32 {
        self.floors.last().copied().unwrap_or(f32::NEG_INFINITY)
    }

    fn raise(&mut self, lower: f32) {
        let at = self.floors.partition_point(|&floor| floor >= lower);
        if at < self.floors.len() {
            self.floors.pop();
            self.floors.insert(at, lower);
        }
    }

    /// Takes in the bounds of a panel whose first row is at `start`.
    pub(super) fn take<T: Estimate>(&mut self, bounds: Bounds<'_, T>, start: u32, reached: &mut Reached) {
        let extremes = bounds.extremes();
        if let [floor] = self.floors.as_mut_slice() {
            // For one nearest row, the largest lower bound of the panel prunes the panel itself.
            *floor = floor.max(extremes.lower);
        }
        if extremes.upper < self.floor() {
            return;
        }
        let single = self.floors.len() == 1;
        bounds.reaching(self.floor(), reached);
        for &(offset, lower, upper) in &*reached {
            if upper >= self.floor() {
                self.candidates.push((upper, start + offset));
                if !single {
                    self.raise(lower);
                }
            }
        }
    }

    /// Joins what was seen of other rows.
    pub(super) fn merge(&mut self, other: Self) {
        for lower in other.floors {
            self.raise(lower);
        }
        self.candidates.extend(other.candidates);
    }

    /// The rows that may be among the best, the most promising first, each with what its score cannot exceed.
    pub(super) fn shortlist(mut self) -> impl Iterator<Item = (u32, f64)> {
        let floor = self.floor();
        self.candidates.retain(|&(upper, _)| upper >= floor);
        self.candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let unit = self.unit;
        self.candidates.into_iter().map(move |(upper, position)| (position, f64::from(upper) * unit))
    }
}
