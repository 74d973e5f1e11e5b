//! Keyed randomness: one key per job, one stream per address and input.

use inkveil_error::Cause;
use std::fmt;

use chacha20::ChaCha20Rng;
use hmac::{Hmac, KeyInit, Mac};
use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, Exp1, StandardNormal};
use sha2::Sha256;
use zeroize::Zeroize;

use crate::faults::{self, Fault};
use crate::{Error, ErrorKind, NoiseAddress, NoiseInput, Purpose, Secret};

/// The random stream of derived keys.
const DERIVED_KEY: Purpose = Purpose::named("derived key");

/// The secret from which all noise of a job is derived.
///
/// A job draws a key of 32 bytes from the operating system. Each draw of noise has an address
/// (record, position, purpose) and an input, and each pair of them has its own ChaCha20 stream:
///
/// ```text
/// stream = ChaCha20(HMAC-SHA-256(key, address ‖ input))
/// ```
///
/// Both parts are encoded so that different pairs give different messages: lengths come before
/// contents (see [`NoiseInput`]). HMAC-SHA-256 is a pseudo-random function, so without the key the
/// streams of different pairs look independent.
///
/// **A retry repeats, other data gets fresh noise.** The same key, address and input give the same
/// noise again: a retried task leaks nothing, spends no further budget, and does not depend on how
/// work is divided among threads. Another input at the same address gets noise of its own.
/// Subtracting the two outputs therefore does not remove the noise. There is no way to get a
/// stream without stating the input.
///
/// The key allows its holder to subtract the noise. It is never printed, is overwritten when
/// dropped, and is never part of a receipt. For interactive use, draw a fresh key per call and drop
/// it.
///
/// ```
/// use inkveil_privacy::{NoiseAddress, NoiseKey};
///
/// let key = NoiseKey::fresh()?;
/// assert!(key.is_secure());
/// let first = |input: &str| key.stream(NoiseAddress::record(7), input).next_u64();
/// assert_eq!(first("tea"), first("tea"));
/// assert_ne!(first("tea"), first("coffee"));
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

    /// Returns a key that follows from this one and a name, for example one key for the rows of a
    /// job. Without this key, the derived keys look independent of each other and of their names.
    pub fn derived(&self, name: &(impl NoiseInput + ?Sized)) -> Self {
        let mut bytes = Secret::new([0; 32]);
        let address = NoiseAddress::record(0).purpose(DERIVED_KEY);
        self.stream(address, name).fill_bytes(bytes.expose_mut());
        Self { bytes, secure: self.secure }
    }

    /// Whether the key came from the operating system.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Returns the stream of an input at an address.
    pub fn stream(&self, address: NoiseAddress, input: &(impl NoiseInput + ?Sized)) -> NoiseStream {
        NoiseStream { rng: self.generator(address, input), scratch: Vec::new() }
    }

    /// Moves a stream to another address and input and reuses its memory, so that batches allocate
    /// nothing per row.
    pub(crate) fn reseat(
        &self,
        stream: &mut NoiseStream,
        address: NoiseAddress,
        input: &(impl NoiseInput + ?Sized),
    ) {
        stream.rng = self.generator(address, input);
    }

    fn generator(&self, address: NoiseAddress, input: &(impl NoiseInput + ?Sized)) -> ChaCha20Rng {
        // HMAC fills a key up to a block of the hash with zeros.
        let mut block = Secret::new([0; 64]);
        block.expose_mut()[..32].copy_from_slice(self.bytes.expose());
        let mut mac = Hmac::<Sha256>::new(block.expose().into());
        let mut add = |piece: &[u8]| mac.update(piece);
        address.encode(&mut add);
        if faults::is(Fault::NoiseReuse) {
            ().encode(&mut add);
        } else {
            input.encode(&mut add);
        }
        let mut subkey: [u8; 32] = mac.finalize().into_bytes().into();
        let rng = ChaCha20Rng::from_seed(subkey);
        subkey.zeroize();
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
    fn derived_keys_follow_from_the_key_and_the_name() {
        let bytes = |seed: u64, name: &str| {
            NoiseKey::insecure_from_seed(seed).derived(name).bytes.expose().to_owned()
        };
        assert_eq!(bytes(1, "a"), bytes(1, "a"));
        assert_ne!(bytes(1, "a"), bytes(1, "b"));
        assert_ne!(bytes(1, "a"), bytes(2, "a"));
        assert!(!NoiseKey::insecure_from_seed(1).derived("a").is_secure());
    }

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
    fn every_part_of_the_address_and_the_input_change_the_stream() {
        let key = NoiseKey::insecure_from_seed(1);
        let at = |record, position| NoiseAddress::record(record).position(position);
        let first = |k: &NoiseKey, address, input: &str| k.stream(address, input).next_u64();
        let reference = first(&key, at(1, 2), "tea");
        assert_eq!(reference, first(&key, at(1, 2), "tea"));
        assert_ne!(reference, first(&key, at(2, 2), "tea"));
        assert_ne!(reference, first(&key, at(1, 3), "tea"));
        assert_ne!(reference, first(&key, at(1, 2).purpose(Purpose::AUDIT), "tea"));
        assert_ne!(reference, first(&key, at(1, 2), "tee"));
        assert_ne!(reference, first(&NoiseKey::insecure_from_seed(2), at(1, 2), "tea"));
        let kept = NoiseKey::from_kept(&key.keep()).unwrap();
        assert_eq!(reference, first(&kept, at(1, 2), "tea"));
        assert!(!kept.is_secure(), "storing a key does not make it secure");
        assert!(NoiseKey::from_kept(&NoiseKey::fresh().unwrap().keep()).unwrap().is_secure());
        for bad in [[2; 33], std::array::from_fn(|i| u8::from(i == 32))] {
            assert!(NoiseKey::from_kept(&Secret::new(bad)).is_err());
        }
    }

    #[test]
    fn reseating_equals_a_new_stream() {
        let key = NoiseKey::insecure_from_seed(1);
        let mut moved = key.stream(NoiseAddress::record(0), &());
        moved.next_u64();
        let address = NoiseAddress::record(5).position(6);
        key.reseat(&mut moved, address, "tea");
        assert_eq!(moved.next_u64(), key.stream(address, "tea").next_u64());
    }

    /// A fixed value: a job resumed by a later version must redraw the same noise.
    #[test]
    fn streams_are_stable_across_versions() {
        let row = [0.5f64, -1.25];
        let address = NoiseAddress::record(3).position(1);
        let mut stream = NoiseKey::insecure_from_seed(42).stream(address, &("polar", &row[..]));
        assert_eq!([stream.next_u64(), stream.next_u64()], GOLDEN);
    }

    /// Computed independently of this crate, from the definition in the documentation of
    /// [`NoiseKey`].
    const GOLDEN: [u64; 2] = [2_774_187_180_324_623_256, 2_402_202_982_641_535_468];

    #[test]
    fn unit_excludes_0_and_1_and_reaches_small_values() {
        let mut stream = NoiseKey::insecure_from_seed(3).stream(NoiseAddress::record(0), &());
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
        let mut stream = NoiseKey::insecure_from_seed(3).stream(NoiseAddress::record(0), &());
        assert_eq!(stream.below(0).unwrap_err().kind(), &ErrorKind::EmptySet);
        assert_eq!(stream.below(1).unwrap(), 0);
        assert!((0..1000).all(|_| stream.below(3).unwrap() < 3));
    }
}
