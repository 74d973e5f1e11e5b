//! A small deterministic random number generator for initial values and dropout masks. It is not
//! for privacy: released noise must never come from it.

use std::f64::consts::TAU;

/// SplitMix64 (Steele, Lea and Flood, 2014): one 64-bit state; every seed is good. Use it for
/// training, splits and tests, **never** for noise that protects something.
///
/// ```
/// let mut random = inkveil_nn::SplitMix::named(7, "split", &[]);
/// let mut order = [1, 2, 3, 4];
/// random.shuffle(&mut order);
/// assert_eq!(order.iter().sum::<i32>(), 10);
/// ```
#[derive(Debug, Clone)]
pub struct SplitMix(u64);

impl SplitMix {
    /// Returns the stream for a seed, a name and numbers. Streams with different names or numbers
    /// are unrelated, so the numbers of one layer do not depend on the layers created before it.
    pub fn named(seed: u64, name: &str, numbers: &[u64]) -> Self {
        let mut state = SplitMix(seed).next();
        for byte in name.bytes() {
            state = SplitMix(state ^ u64::from(byte)).next();
        }
        // No byte has this value, so it marks the end of the name unambiguously.
        state = SplitMix(state ^ 256).next();
        for &number in numbers {
            state = SplitMix(state ^ number).next();
        }
        SplitMix(state)
    }

    /// Returns the next 64 bits.
    #[allow(clippy::should_implement_trait)] // It never ends, so it is not an iterator.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles items (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            // The bias of the remainder is below 2⁻³² for any list that fits into memory.
            items.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }

    /// Returns two independent standard normal numbers (Box and Muller).
    pub fn normals(&mut self) -> [f64; 2] {
        // 1 − u is in (0, 1]: its logarithm is finite.
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let (sin, cos) = (TAU * self.unit()).sin_cos();
        [radius * cos, radius * sin]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // The first outputs for the state 1234567, as published with the reference implementation.
        let mut random = SplitMix(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn streams_differ_by_seed_name_and_number() {
        let first = |seed, name, numbers: &[u64]| SplitMix::named(seed, name, numbers).next();
        let all = [
            first(1, "a", &[]),
            first(2, "a", &[]),
            first(1, "b", &[]),
            first(1, "ab", &[]),
            first(1, "a", &[0]),
            first(1, "a", &[1]),
            first(1, "a", &[0, 1]),
            first(1, "a", &[u64::from(b'b')]),
        ];
        for (i, x) in all.iter().enumerate() {
            assert!(!all[..i].contains(x), "stream {i} repeats another one");
        }
        assert_eq!(first(1, "a", &[7]), first(1, "a", &[7]));
    }
}
