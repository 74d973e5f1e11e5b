//! What noise is drawn for: the input of a stream.

/// An input that noise is drawn for.
///
/// A stream depends on the input, so two different inputs never share noise (see
/// [`NoiseKey`](crate::NoiseKey)). Everything that decides the output belongs to the input: the
/// value, and the mechanism with its budget. The unit type `()` is the input of draws that depend
/// on nothing.
///
/// ```
/// use inkveil_privacy::{NoiseAddress, NoiseKey};
///
/// let key = NoiseKey::fresh()?;
/// let address = NoiseAddress::record(7);
/// let first = |word: &str, epsilon: f64| key.stream(address, &(word, &[epsilon][..])).next_u64();
/// assert_eq!(first("tea", 2.0), first("tea", 2.0)); // a retry repeats
/// assert_ne!(first("tea", 2.0), first("coffee", 2.0)); // other data gets fresh noise
/// assert_ne!(first("tea", 2.0), first("tea", 4.0)); // and so does another budget
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
pub trait NoiseInput {
    /// Passes an encoding to `to`, in pieces. Different inputs must have different encodings, and
    /// none may be the beginning of another.
    fn encode(&self, to: &mut dyn FnMut(&[u8]));
}

/// The first byte of an encoding says which kind of input follows.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Tag {
    Nothing,
    Number,
    Text,
    Bytes,
    Singles,
    Doubles,
    Pair,
    Triple,
}

fn begin(tag: Tag, length: usize, to: &mut dyn FnMut(&[u8])) {
    to(&[tag as u8]);
    to(&(length as u64).to_le_bytes());
}

impl NoiseInput for () {
    fn encode(&self, to: &mut dyn FnMut(&[u8])) {
        to(&[Tag::Nothing as u8]);
    }
}

impl NoiseInput for u64 {
    fn encode(&self, to: &mut dyn FnMut(&[u8])) {
        to(&[Tag::Number as u8]);
        to(&self.to_le_bytes());
    }
}

impl NoiseInput for str {
    fn encode(&self, to: &mut dyn FnMut(&[u8])) {
        begin(Tag::Text, self.len(), to);
        to(self.as_bytes());
    }
}

impl NoiseInput for [u8] {
    fn encode(&self, to: &mut dyn FnMut(&[u8])) {
        begin(Tag::Bytes, self.len(), to);
        to(self);
    }
}

/// Numbers are passed on in blocks: a call for each would take longer than the hash itself.
const BLOCK: usize = 64;

macro_rules! numbers {
    ($type:ty, $tag:expr, $size:literal) => {
        impl NoiseInput for [$type] {
            fn encode(&self, to: &mut dyn FnMut(&[u8])) {
                begin($tag, self.len(), to);
                let mut bytes = [0; BLOCK * $size];
                for block in self.chunks(BLOCK) {
                    for (place, number) in bytes.as_chunks_mut::<$size>().0.iter_mut().zip(block) {
                        *place = number.to_le_bytes();
                    }
                    to(&bytes[..block.len() * $size]);
                }
                zeroize::Zeroize::zeroize(&mut bytes);
            }
        }
    };
}

numbers!(f32, Tag::Singles, 4);
numbers!(f64, Tag::Doubles, 8);

impl<T: NoiseInput + ?Sized> NoiseInput for &T {
    fn encode(&self, to: &mut dyn FnMut(&[u8])) {
        (**self).encode(to);
    }
}

impl<A: NoiseInput, B: NoiseInput> NoiseInput for (A, B) {
    fn encode(&self, to: &mut dyn FnMut(&[u8])) {
        to(&[Tag::Pair as u8]);
        self.0.encode(to);
        self.1.encode(to);
    }
}

impl<A: NoiseInput, B: NoiseInput, C: NoiseInput> NoiseInput for (A, B, C) {
    fn encode(&self, to: &mut dyn FnMut(&[u8])) {
        to(&[Tag::Triple as u8]);
        self.0.encode(to);
        self.1.encode(to);
        self.2.encode(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Exhaustive over small inputs of every kind, pairs and triples included.
    #[test]
    fn no_encoding_is_the_beginning_of_another() {
        let mut simple: Vec<(String, Box<dyn NoiseInput>)> = vec![("()".into(), Box::new(()))];
        for number in [0, 1, 2, 255, 256, u64::MAX] {
            simple.push((format!("number {number}"), Box::new(number)));
        }
        for length in 0..=3usize {
            for code in 0..3usize.pow(length as u32) {
                let digits: Vec<u8> = (0..length).map(|i| (code / 3usize.pow(i as u32) % 3) as u8).collect();
                let text: &'static str = String::from_utf8(digits.clone()).unwrap().leak();
                simple.push((format!("text {digits:?}"), Box::new(text)));
                let singles: Vec<f32> = digits.iter().map(|d| f32::from_bits(u32::from(*d))).collect();
                let doubles: Vec<f64> = digits.iter().map(|d| f64::from_bits(u64::from(*d))).collect();
                simple.push((format!("singles {digits:?}"), Box::new(&*singles.leak())));
                simple.push((format!("doubles {digits:?}"), Box::new(&*doubles.leak())));
                simple.push((format!("bytes {digits:?}"), Box::new(&*digits.leak())));
            }
        }
        let encoded = |input: &dyn NoiseInput| {
            let mut bytes = Vec::new();
            input.encode(&mut |piece| bytes.extend_from_slice(piece));
            bytes
        };
        let mut all: BTreeMap<Vec<u8>, String> = BTreeMap::new();
        let mut add = |name: String, input: &dyn NoiseInput| {
            let known = all.insert(encoded(input), name.clone());
            assert!(known.is_none(), "{name} and {known:?}");
        };
        for (a, x) in &simple {
            add(a.clone(), x.as_ref());
            for (b, y) in &simple {
                add(format!("({a}, {b})"), &(x.as_ref(), y.as_ref()));
                add(format!("({a}, ({b}, {a}))"), &(x.as_ref(), (y.as_ref(), x.as_ref())));
                add(format!("(({a}, {b}), {a})"), &((x.as_ref(), y.as_ref()), x.as_ref()));
                add(format!("({a}, {b}, {a})"), &(x.as_ref(), y.as_ref(), x.as_ref()));
            }
        }
        let sorted: Vec<&Vec<u8>> = all.keys().collect();
        assert!(sorted.windows(2).all(|pair| !pair[1].starts_with(pair[0])));
    }

    #[test]
    fn rows_longer_than_a_block_are_encoded_whole() {
        for length in [63, 64, 65, 200] {
            let row: Vec<f64> = (0..length).map(f64::from).collect();
            let mut bytes = Vec::new();
            row[..].encode(&mut |piece| bytes.extend_from_slice(piece));
            let numbers: Vec<u8> = row.iter().flat_map(|x| x.to_le_bytes()).collect();
            assert_eq!(bytes[9..], numbers);
        }
    }
}
