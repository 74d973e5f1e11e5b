//! Keyed randomness: one key per job, one stream per address (record, position, purpose).

use inkveil_error::Cause;
use std::fmt;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, Exp1, StandardNormal};
use zeroize::Zeroize;

use crate::{Error, ErrorKind, Secret};

/// What a stream is used for. Streams for different purposes at the same record and position are
/// independent.
///
/// ```
/// use inkveil_privacy::Purpose;
///
/// const SURROGATE: Purpose = Purpose::named("surrogate");
/// assert_ne!(SURROGATE, Purpose::NOISE);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Purpose(u64);

impl Purpose {
    /// The noise of a mechanism.
    pub const NOISE: Self = Self::named("noise");
    /// The samples of an audit.
    pub const AUDIT: Self = Self::named("audit");

    /// Creates a purpose from its name (64-bit FNV-1a of its bytes).
    pub const fn named(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
            i += 1;
        }
        Self(hash)
    }
}

/// The secret from which all noise of a job is derived.
///
/// A job draws a key of 32 bytes from the operating system. Each draw of noise has an address
/// (record, position, purpose), and each address has its own ChaCha20 stream:
///
/// ```text
/// subkey = ChaCha20(key;    nonce = purpose,  block = record)[0..32]
/// stream = ChaCha20(subkey; nonce = position, blocks 0, 1, 2 …)
/// ```
///
/// ChaCha20's block function is a pseudo-random function, so without the key the streams of
/// different addresses look independent. The same key and address give the same noise again. A
/// retried task therefore redraws the same noise: the retry leaks nothing and spends no further
/// budget, and results do not depend on how work is divided among threads.
///
/// **One address, one input.** If two different inputs are released with the noise of the same
/// address, subtracting the outputs removes the noise. Give every value of a record its own
/// position or purpose, and resume a job only on the input it started with.
///
/// The key allows its holder to subtract the noise. It is never printed, is overwritten when
/// dropped, and is never part of a receipt. For interactive use, draw a fresh key per call and drop
/// it.
///
/// ```
/// use inkveil_privacy::{NoiseKey, Purpose};
///
/// let key = NoiseKey::fresh()?;
/// assert!(key.is_secure());
/// let mut a = key.stream(7, 0, Purpose::NOISE);
/// let mut b = key.stream(7, 0, Purpose::NOISE);
/// assert_eq!(a.next_u64(), b.next_u64()); // the same address gives the same noise
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Clone)]
pub struct NoiseKey {
    bytes: Secret<[u8; 32]>,
    secure: bool,
}

impl NoiseKey {
    /// Draws a key from the operating system.
    ///
    /// # Errors
    /// If the system has no randomness. There is no fallback.
    pub fn fresh() -> Result<Self, Error> {
        Self::drawn_from(|bytes| getrandom::fill(bytes).map_err(Cause::new))
    }

    fn drawn_from(source: impl FnOnce(&mut [u8]) -> Result<(), Cause>) -> Result<Self, Error> {
        let mut bytes = Secret::new([0; 32]);
        source(bytes.expose_mut()).map_err(|cause| ErrorKind::NoEntropy { cause })?;
        Ok(Self { bytes, secure: true })
    }

    /// Returns the key in a form that can be stored, for a job that must be able to resume: 32
    /// bytes and a flag for secure randomness. Protect it like the input.
    pub fn keep(&self) -> Secret<[u8; 33]> {
        let mut kept = [0; 33];
        kept[..32].copy_from_slice(self.bytes.expose());
        kept[32] = u8::from(self.secure);
        Secret::new(kept)
    }

    /// Restores a stored key, to resume a job on the same input with the same noise. An insecure
    /// key stays insecure.
    ///
    /// # Errors
    /// If the bytes are not the result of [`NoiseKey::keep`].
    pub fn from_kept(kept: &Secret<[u8; 33]>) -> Result<Self, Error> {
        let mut bytes = Secret::new([0; 32]);
        bytes.expose_mut().copy_from_slice(&kept.expose()[..32]);
        match kept.expose()[32] {
            1 if bytes.expose().iter().all(|b| *b == 0) => {
                Err(Error::parameter("a stored key", "the result of `keep`", "all zero"))
            }
            flag @ (0 | 1) => Ok(Self { bytes, secure: flag == 1 }),
            _ => Err(Error::parameter("a stored key", "the result of `keep`", "damaged")),
        }
    }

    /// **Insecure**: creates a key that anyone can guess, for tests and demonstrations. Every
    /// receipt of a release made with it is marked as insecure.
    pub fn insecure_from_seed(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self { bytes: Secret::new(bytes), secure: false }
    }

    /// Whether the key came from the operating system.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Returns the stream of one address.
    pub fn stream(&self, record: u64, position: u64, purpose: Purpose) -> NoiseStream {
        NoiseStream { rng: self.generator(record, position, purpose), scratch: Vec::new() }
    }

    /// Moves a stream to another address and reuses its memory, so that batches allocate nothing
    /// per row.
    pub fn reseat(&self, stream: &mut NoiseStream, record: u64, position: u64, purpose: Purpose) {
        stream.rng = self.generator(record, position, purpose);
    }

    fn generator(&self, record: u64, position: u64, purpose: Purpose) -> ChaCha20Rng {
        let mut root = ChaCha20Rng::from_seed(*self.bytes.expose());
        root.set_stream(purpose.0);
        root.set_block_pos(record);
        let mut subkey = [0; 32];
        root.fill_bytes(&mut subkey);
        let mut rng = ChaCha20Rng::from_seed(subkey);
        subkey.zeroize();
        rng.set_stream(position);
        rng
    }
}

impl fmt::Debug for NoiseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NoiseKey(redacted, {})", if self.secure { "secure" } else { "INSECURE" })
    }
}

/// A stream of randomness. Every draw advances the stream.
pub struct NoiseStream {
    rng: ChaCha20Rng,
    scratch: Vec<f64>,
}

impl NoiseStream {
    /// Returns 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// Fills a buffer with uniform bytes.
    pub fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.rng.fill_bytes(bytes);
    }

    /// Returns an exactly uniform index below `bound`.
    ///
    /// # Errors
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> Result<u64, Error> {
        if bound == 0 {
            return Err(ErrorKind::EmptySet.into());
        }
        // Lemire's method: the high half of a product is uniform if the low half is at least the
        // remainder.
        let remainder = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= remainder {
                return Ok((product >> 64) as u64);
            }
        }
    }

    /// Returns a uniform number in (0, 1) that has 53 significant bits even if it is very small.
    /// Rare events are therefore drawn with their exact probability.
    pub fn unit(&mut self) -> f64 {
        // The exponent is geometric: count leading zeros over as many words as needed. The mantissa
        // is uniform. Its last bit is set, so that the value is the middle of its cell and never 1.
        let mut zeros = 0;
        let mut word = self.next_u64();
        while word == 0 && zeros < 960 {
            zeros += 64;
            word = self.next_u64();
        }
        zeros += word.leading_zeros() as i32;
        let mantissa = 1.0 + ((self.next_u64() >> 12) | 1) as f64 / 2f64.powi(52);
        mantissa * 2f64.powi(-zeros - 1)
    }

    /// Returns a standard normal number.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.rng)
    }

    /// Fills a buffer with standard normal numbers.
    pub fn fill_normal(&mut self, out: &mut [f64]) {
        out.iter_mut().for_each(|x| *x = StandardNormal.sample(&mut self.rng));
    }

    /// Returns a standard exponential number that is spaced as finely in its tail as near zero.
    /// Beyond 4 the draw starts again, which gives the same distribution because the exponential is
    /// memoryless. (The tail of the usual sampler is a logarithm of 53 bits. Its gaps would reveal
    /// the input.)
    pub fn exponential(&mut self) -> f64 {
        let mut beyond = 0.0;
        loop {
            let piece: f64 = Exp1.sample(&mut self.rng);
            if piece < 4.0 {
                return beyond + piece;
            }
            beyond += 4.0;
        }
    }

    /// Draws from a distribution of `rand_distr`.
    pub(crate) fn sample(&mut self, distribution: &impl Distribution<f64>) -> f64 {
        distribution.sample(&mut self.rng)
    }

    /// Runs `work` with a buffer of `len` numbers that the stream reuses.
    pub(crate) fn with_scratch<R>(&mut self, len: usize, work: impl FnOnce(&mut Self, &mut [f64]) -> R) -> R {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.resize(len, 0.0);
        let result = work(self, &mut scratch);
        self.scratch = scratch;
        result
    }
}

/// Noise left in memory could be read and subtracted.
impl Drop for NoiseStream {
    fn drop(&mut self) {
        self.scratch.zeroize();
    }
}

impl fmt::Debug for NoiseStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NoiseStream(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_failure_is_an_error() {
        let error = NoiseKey::drawn_from(|_| Err(Cause::new("broken device"))).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoEntropy { .. }));
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        assert_eq!(cause.as_deref(), Some("broken device"));
    }

    #[test]
    fn fresh_keys_differ_and_are_never_printed() {
        let (a, b) = (NoiseKey::fresh().unwrap(), NoiseKey::fresh().unwrap());
        assert_ne!(a.bytes.expose(), b.bytes.expose());
        assert_eq!(format!("{a:?}"), "NoiseKey(redacted, secure)");
        assert_eq!(format!("{:?}", NoiseKey::insecure_from_seed(1)), "NoiseKey(redacted, INSECURE)");
    }

    #[test]
    fn every_part_of_the_address_changes_the_stream() {
        let key = NoiseKey::insecure_from_seed(1);
        let first = |k: &NoiseKey, r, p, purpose| k.stream(r, p, purpose).next_u64();
        let reference = first(&key, 1, 2, Purpose::NOISE);
        assert_eq!(reference, first(&key, 1, 2, Purpose::NOISE));
        assert_ne!(reference, first(&key, 2, 2, Purpose::NOISE));
        assert_ne!(reference, first(&key, 1, 3, Purpose::NOISE));
        assert_ne!(reference, first(&key, 1, 2, Purpose::AUDIT));
        assert_ne!(reference, first(&NoiseKey::insecure_from_seed(2), 1, 2, Purpose::NOISE));
        let kept = NoiseKey::from_kept(&key.keep()).unwrap();
        assert_eq!(reference, first(&kept, 1, 2, Purpose::NOISE));
        assert!(!kept.is_secure(), "storing a key does not make it secure");
        assert!(NoiseKey::from_kept(&NoiseKey::fresh().unwrap().keep()).unwrap().is_secure());
        for bad in [[2; 33], std::array::from_fn(|i| u8::from(i == 32))] {
            assert!(NoiseKey::from_kept(&Secret::new(bad)).is_err());
        }
    }

    #[test]
    fn reseating_equals_a_new_stream() {
        let key = NoiseKey::insecure_from_seed(1);
        let mut moved = key.stream(0, 0, Purpose::NOISE);
        moved.next_u64();
        key.reseat(&mut moved, 5, 6, Purpose::NOISE);
        assert_eq!(moved.next_u64(), key.stream(5, 6, Purpose::NOISE).next_u64());
    }

    /// A fixed value: a job resumed by a later version must redraw the same noise.
    #[test]
    fn streams_are_stable_across_versions() {
        let mut stream = NoiseKey::insecure_from_seed(42).stream(3, 1, Purpose::NOISE);
        assert_eq!([stream.next_u64(), stream.next_u64()], GOLDEN);
    }

    /// Computed independently of this crate, from the definition in the documentation of
    /// [`NoiseKey`].
    const GOLDEN: [u64; 2] = [9_770_816_533_341_550_095, 12_231_273_652_186_982_399];

    #[test]
    fn unit_excludes_0_and_1_and_reaches_small_values() {
        let mut stream = NoiseKey::insecure_from_seed(3).stream(0, 0, Purpose::NOISE);
        let mut smallest = 1.0f64;
        for _ in 0..1_000_000 {
            let u = stream.unit();
            assert!(u > 0.0 && u < 1.0);
            smallest = smallest.min(u);
        }
        assert!(smallest < 1e-4);
    }

    #[test]
    fn below_refuses_a_bound_of_zero() {
        let mut stream = NoiseKey::insecure_from_seed(3).stream(0, 0, Purpose::NOISE);
        assert_eq!(stream.below(0).unwrap_err().kind(), &ErrorKind::EmptySet);
        assert_eq!(stream.below(1).unwrap(), 0);
        assert!((0..1000).all(|_| stream.below(3).unwrap() < 3));
    }
}
