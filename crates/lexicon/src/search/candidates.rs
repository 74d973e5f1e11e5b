//! The candidates of one query while the table is scanned.

use super::bounds::{Bounds, Estimate};

/// The best lower bounds so far, and the rows that may still be among the best.
pub(super) struct Candidates {
    /// The k largest lower bounds, largest first; missing ones are −∞.
    floors: Vec<f32>,
    /// Rows whose upper bound reached the floor at the time.
    candidates: Vec<(f32, u32)>,
    /// The factor from bounds to scores.
    unit: f64,
}

/// A reusable buffer for the rows of one panel.
pub(super) type Reached = Vec<(u32, f32, f32)>;

impl Candidates {
    pub(super) fn new(k: usize, unit: f64) -> Self {
        Self { floors: vec![f32::NEG_INFINITY; k], candidates: Vec::new(), unit }
    }

    /// Returns the k-th largest lower bound, which an upper bound must reach.
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

    /// Adds the bounds of a panel whose first row is at `start`.
    pub(super) fn add_panel<T: Estimate>(
        &mut self,
        bounds: Bounds<'_, T>,
        start: u32,
        reached: &mut Reached,
    ) {
        let extremes = bounds.extremes();
        if let [floor] = self.floors.as_mut_slice() {
            // For a single nearest row, the largest lower bound of the panel also prunes the panel
            // itself.
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

    /// Merges the candidates from other rows.
    pub(super) fn merge(&mut self, other: Self) {
        for lower in other.floors {
            self.raise(lower);
        }
        self.candidates.extend(other.candidates);
    }

    /// Returns the rows that may be among the best, the highest upper bound first, with the upper
    /// bound of each score.
    pub(super) fn shortlist(mut self) -> impl Iterator<Item = (u32, f64)> {
        let floor = self.floor();
        self.candidates.retain(|&(upper, _)| upper >= floor);
        self.candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let unit = self.unit;
        self.candidates.into_iter().map(move |(upper, position)| (position, f64::from(upper) * unit))
    }
}
