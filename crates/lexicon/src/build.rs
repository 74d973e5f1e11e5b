//! Writes the files of a lexicon. The same inputs give the same bytes.

use std::collections::HashSet;
use std::path::Path;

use inkveil_files::write_atomically;
use inkveil_nn::{Weights, quantise};
use safetensors::tensor::{Dtype, TensorView, serialize};

use crate::description::{self, Description, Section};
use crate::open::{LexiconFiles, checksum};
use crate::{Centring, Error, Flags, Lexicon, LexiconKind, UnitTable, Vocabulary};

/// Returns the words of a tokenizer's vocabulary that suit a word lexicon: entries that begin a
/// word and consist of at least two letters, plus "a" and "i". They are in the order of their ids.
/// Of words that differ only in case, the first is kept.
///
/// ```
/// use inkveil_lexicon::{Vocabulary, whole_words};
///
/// let tokens = ["[UNK]", "tea", "##s", "t", "i", "1984", "Tea"].map(Some);
/// let vocabulary = Vocabulary::new(tokens.into_iter(), &[0]);
/// assert_eq!(whole_words(&vocabulary), ["tea", "i"]);
/// ```
pub fn whole_words(vocabulary: &Vocabulary) -> Vec<String> {
    let wanted = Flags::WORD_START | Flags::ALPHABETIC;
    let mut seen = HashSet::new();
    let words = vocabulary.allowed().iter().filter(|&&id| vocabulary.flags(id).contains(wanted));
    words
        .filter_map(|&id| vocabulary.text(id))
        .filter(|word| word.chars().nth(1).is_some() || ["a", "i", "A", "I"].contains(word))
        .filter(|word| seen.insert(word.to_lowercase()))
        .map(str::to_owned)
        .collect()
}

/// Writes the words of a word lexicon to a folder: `words.txt`, and `words.safetensors` with 8 bits
/// per number. `rows` has `dimension` numbers for each word, in the same order;
/// [`word_vectors`](crate::word_vectors) computes them with an encoder.
///
/// Call [`build_lexicon`] afterwards: the stored description of the previous words no longer
/// applies.
pub fn build_words<'w>(
    folder: &Path,
    words: &'w [String],
    rows: &[f32],
    dimension: usize,
) -> Result<(), Error> {
    let count = rows.len().checked_div(dimension).unwrap_or(0);
    // Also checks the other requirements of a word lexicon.
    Lexicon::words_from_table(words.to_vec(), rows, dimension)?;
    let mut seen = HashSet::new();
    let bad = |word: &'w String| word.trim() != word || word.contains(['\n', '\r']) || !seen.insert(word);
    if let Some(position) = words.iter().position(bad) {
        return Err(Error::argument(format!(
            "word {position} (counted from 0) occurs twice, or has white space around it or a line break in it"
        )));
    }
    let values = tensors([("words".to_owned(), vec![count, dimension], rows)])?;
    quantise(&Weights::from_bytes(values)?, &folder.join(description::WORD_VECTORS), &mut |_, _| ())?;
    let list: String = words.iter().flat_map(|word| [word.as_str(), "\n"]).collect();
    Ok(write_atomically(&folder.join(description::WORDS), list.as_bytes(), true)?)
}

/// Computes the centring and the [geometry](Lexicon::geometry) of one lexicon in a folder and
/// writes them to `lexicon.json` and `lexicon.safetensors`. `components` is the number of principal
/// components to remove; `None` leaves the table uncentred. The stored data of the other kind of
/// lexicon is kept.
///
/// It compares all pairs of entries, which takes seconds for a typical vocabulary.
pub fn build_lexicon(folder: &Path, kind: LexiconKind, components: Option<usize>) -> Result<Lexicon, Error> {
    let mut description = Description::read(folder)?.unwrap_or_else(Description::new);
    let files = LexiconFiles::open(folder, kind)?;
    let raw = files.raw_table(folder)?;
    let plain = UnitTable::build(&raw, None);
    let mut vocabulary = files.vocabulary(raw.rows());
    vocabulary.mark(plain.directionless(), Flags::DIRECTIONLESS);
    drop(plain);
    let centring =
        components.map(|count| Centring::compute(&raw, vocabulary.allowed(), count)).transpose()?;
    let checksum = checksum(&vocabulary, &raw);
    let (entries, dimension) = (raw.rows(), raw.dimension());
    let table = UnitTable::build(&raw, centring.as_ref());
    drop(raw);
    let lexicon = Lexicon::assemble(files.into_segmenter(&vocabulary)?, vocabulary, table, centring, None)?;
    let geometry = lexicon.geometry()?.clone();
    let other = other_centring(folder, kind, &description)?;
    description.set(kind, Section { entries, dimension, checksum, components, geometry });
    write(folder, &description, [(kind, lexicon.centring().cloned()), other])?;
    Ok(lexicon)
}

/// Reads the centring of the other kind of lexicon, so that it is kept.
fn other_centring(
    folder: &Path,
    kind: LexiconKind,
    description: &Description,
) -> Result<(LexiconKind, Option<Centring>), Error> {
    let other = match kind {
        LexiconKind::Subword => LexiconKind::Words,
        LexiconKind::Words => LexiconKind::Subword,
    };
    let section = description.section(other);
    let centring = section.map(|section| description::read_centring(folder, other, section)).transpose()?;
    Ok((other, centring.flatten()))
}

/// The numbers are written first, because the description refers to them.
fn write(
    folder: &Path,
    description: &Description,
    centrings: [(LexiconKind, Option<Centring>); 2],
) -> Result<(), Error> {
    let mut all = Vec::new();
    for (kind, centring) in &centrings {
        let Some(centring) = centring else { continue };
        let dimension = centring.mean().len();
        all.push((format!("{kind}.mean"), vec![dimension], centring.mean()));
        if centring.count() > 0 {
            all.push((
                format!("{kind}.components"),
                vec![centring.count(), dimension],
                centring.components(),
            ));
        }
    }
    if !all.is_empty() {
        write_atomically(&folder.join(description::NUMBERS), &tensors(all)?, true)?;
    }
    Ok(write_atomically(&folder.join(description::FILE), description.to_json()?.as_bytes(), true)?)
}

/// Serialises `f32` tensors as a safetensors file; the library sorts them by name.
fn tensors<'a>(tensors: impl IntoIterator<Item = (String, Vec<usize>, &'a [f32])>) -> Result<Vec<u8>, Error> {
    let failed = |_| Error::argument("the numbers of a tensor do not fit its shape");
    let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .into_iter()
        .map(|(name, shape, values)| (name, shape, values.iter().flat_map(|x| x.to_le_bytes()).collect()))
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| Ok((name, TensorView::new(Dtype::F32, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    serialize(views, None).map_err(failed)
}
