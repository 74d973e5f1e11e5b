//! Random numbers for training.

/// A random generator for training, which needs no secrecy (SplitMix64).
///
/// ```
/// use inkveil_detect::train::Shuffle;
///
/// let mut order = Shuffle::new(4).order(5);
/// assert_eq!(order, Shuffle::new(4).order(5));
/// order.sort_unstable();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// ```
#[derive(Debug, Clone)]
pub struct Shuffle(u64);

impl Shuffle {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Shuffle(seed)
    }

    /// Returns the next number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns true in this share of cases.
    pub fn chance(&mut self, share: f64) -> bool {
        (self.word() >> 11) as f64 / ((1u64 << 53) as f64) < share
    }

    /// Returns the numbers below `n` in a random order.
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            order.swap(last, (self.word() % (last as u64 + 1)) as usize);
        }
        order
    }
}
