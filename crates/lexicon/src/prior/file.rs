//! The file of a prior.
//!
//! All numbers are little-endian. The successors of a context are sorted, so a file has one form.

use std::fs::File;
use std::io::{ErrorKind as IoErrorKind, Read as _};
use std::path::Path;

use inkveil_files::Sha256Sum;

use super::build::vocabulary_checksum;
use super::{PriorSymbol, Rows, WordPrior};
use crate::{Error, ErrorKind, Lexicon};

const FORMAT: &str = "words.prior";
const MAGIC: &[u8; 16] = b"inkveil prior\n\0\0";
const VERSION: u32 = 1;
/// The largest file accepted.
const LONGEST: u64 = 64 << 20;

impl WordPrior {
    /// Opens the prior of a lexicon of words in a folder; none if the folder has no such file.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or belongs to another vocabulary.
    pub fn open(folder: &Path, lexicon: &Lexicon) -> Result<Option<Self>, Error> {
        let path = folder.join(super::PRIOR_FILE);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == IoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("open it", &error).in_file(&path)),
        };
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes).map_err(|e| Error::io("read it", &e).in_file(&path))?;
        let prior = Self::from_bytes(&bytes).map_err(|error| error.in_file(&path))?;
        let fits =
            prior.words() == lexicon.vocabulary().len() && prior.vocabulary == vocabulary_checksum(lexicon);
        if !fits {
            return Err(Error::from(ErrorKind::Stale).in_file(&path));
        }
        Ok(Some(prior))
    }

    /// Returns the content of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend(self.vocabulary.to_le_bytes());
        out.extend(self.counted.to_le_bytes());
        for count in [self.words(), self.pairs()] {
            out.extend((count as u32).to_le_bytes());
        }
        self.single.iter().chain(&self.backoff).for_each(|log| out.extend(log.to_le_bytes()));
        out.extend(&self.capital);
        self.pairs.starts.windows(2).for_each(|ends| write_count(ends[1] - ends[0], &mut out));
        self.pairs.next.iter().for_each(|next| out.extend(next.to_le_bytes()));
        out.extend(&self.pairs.log);
        out
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut read = Bytes(bytes);
        if read.take(MAGIC.len())? != MAGIC {
            return Err(Error::corrupt(FORMAT, "it is not a prior"));
        }
        let version = read.number()?;
        if version != VERSION {
            return Err(ErrorKind::Version { found: version, known: VERSION }.into());
        }
        let (vocabulary, counted) = (read.long()?, read.long()?);
        let (words, pairs) = (read.number()? as usize, read.number()? as usize);
        if words > PriorSymbol::MOST_WORDS || pairs > bytes.len() {
            return Err(Error::corrupt(FORMAT, "its sizes are not plausible"));
        }
        let symbols = words + usize::from(PriorSymbol::CLASSES);
        let single = read.floats(symbols)?;
        let backoff = read.floats(symbols)?;
        let capital = read.take(words)?.to_vec();
        let pairs = read.rows(symbols, pairs)?;
        if !read.0.is_empty() {
            return Err(Error::corrupt(FORMAT, "it is too long"));
        }
        let prior = Self {
            symbols,
            vocabulary,
            counted,
            single,
            backoff,
            capital,
            pairs,
            lift: Vec::new(),
            largest_lift: 0.0,
            highest: Vec::new(),
            sha256: Sha256Sum::of(bytes),
        };
        Ok(prior.with_bounds())
    }
}

/// Writes a number with seven bits in each byte, lowest first.
fn write_count(mut count: u32, out: &mut Vec<u8>) {
    while count >= 0x80 {
        out.push((count & 0x7f) as u8 | 0x80);
        count >>= 7;
    }
    out.push(count as u8);
}

/// The rest of a file.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], Error> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or_else(|| Error::corrupt(FORMAT, "it is too short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Error::corrupt(FORMAT, "it is too short"))
    }

    fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }

    fn number(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn long(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads logarithms of probabilities.
    fn floats(&mut self, count: usize) -> Result<Vec<f32>, Error> {
        let (numbers, _) = self.take(count * 4)?.as_chunks::<4>();
        let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        match numbers.iter().all(|log| (-100.0..=0.0).contains(log)) {
            true => Ok(numbers),
            false => Err(Error::corrupt(FORMAT, "a logarithm is out of range")),
        }
    }

    fn count(&mut self) -> Result<u32, Error> {
        let mut count = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            count |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(count);
            }
        }
        Err(Error::corrupt(FORMAT, "a count is too large"))
    }

    /// Reads the successors of all symbols, `entries` in all.
    fn rows(&mut self, symbols: usize, entries: usize) -> Result<Rows, Error> {
        let mut starts = Vec::with_capacity(symbols + 1);
        let mut end = 0_u32;
        starts.push(0);
        for _ in 0..symbols {
            let count = self.count()?;
            end = end.checked_add(count).ok_or_else(|| Error::corrupt(FORMAT, "a count is too large"))?;
            starts.push(end);
        }
        if end as usize != entries {
            return Err(Error::corrupt(FORMAT, "its counts do not add up"));
        }
        let (next, _) = self.take(entries * 2)?.as_chunks::<2>();
        let next: Vec<u16> = next.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect();
        let sorted = |ends: &[u32]| {
            let row = &next[ends[0] as usize..ends[1] as usize];
            row.windows(2).all(|near| near[0] < near[1])
        };
        if next.iter().any(|next| usize::from(*next) >= symbols) || !starts.windows(2).all(sorted) {
            return Err(Error::corrupt(FORMAT, "a row is not sorted or has a word that does not exist"));
        }
        Ok(Rows { starts, next, log: self.take(entries)?.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PriorBuilder;

    fn lexicon(words: &[&str]) -> Lexicon {
        let rows: Vec<f32> = (0..words.len()).flat_map(|i| [1.0, i as f32]).collect();
        Lexicon::words_from_table(words.iter().map(|word| (*word).to_owned()).collect(), &rows, 2).unwrap()
    }

    fn prior(lexicon: &Lexicon) -> WordPrior {
        let mut builder = PriorBuilder::new(lexicon).unwrap();
        ["a b c", "a b c d", "b c, a", "c c c c"].iter().for_each(|text| builder.add(text).unwrap());
        builder.build(1)
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let lexicon = lexicon(&["a", "b", "c", "d"]);
        let folder = tempfile::tempdir().unwrap();
        assert!(WordPrior::open(folder.path(), &lexicon).unwrap().is_none());
        let written = prior(&lexicon);
        std::fs::write(folder.path().join(super::super::PRIOR_FILE), written.to_bytes()).unwrap();
        let read = WordPrior::open(folder.path(), &lexicon).unwrap().unwrap();
        assert_eq!(read.to_bytes(), written.to_bytes());
        assert_eq!((read.sha256(), read.pairs()), (written.sha256(), written.pairs()));
        let other = self::lexicon(&["a", "b", "c", "e"]);
        let error = WordPrior::open(folder.path(), &other).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Stale);
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = prior(&lexicon(&["a", "b", "c", "d"])).to_bytes();
        for length in 0..bytes.len() {
            assert!(WordPrior::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        assert!(WordPrior::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0xff;
            // It may be readable, but never panics and never indexes out of range.
            if let Ok(prior) = WordPrior::from_bytes(&bytes) {
                let [a, b] = [0, 1].map(|id| PriorSymbol::word(id).unwrap());
                let _ = prior.pair(a, b) + prior.lift(a) + prior.highest(b);
            }
        }
    }
}
