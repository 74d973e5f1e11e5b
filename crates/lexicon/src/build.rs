//! Writing the files of a lexicon. The same inputs give the same bytes.

use std::collections::HashSet;
use std::path::Path;

use inkveil_files::write_atomically;
use inkveil_nn::{Weights, quantise};
use safetensors::tensor::{Dtype, TensorView, serialize};

use crate::description::{self, Description, Section};
use crate::open::{Opened, checksum};
use crate::{Centring, Error, Flags, Kind, Lexicon, UnitTable, Vocabulary};

/// Words worth a place in a lexicon of words, from the vocabulary of a tokenizer: entries that begin a word and have letters
/// only, at least two of them, and "a" and "i". In the order of their ids; of words that differ in case alone, the first.
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

/// Writes the words of a lexicon of words to a folder: `words.txt`, and `words.safetensors` with 8 bits per number. `rows` has
/// `dimension` numbers for each word, in the same order; [`word_vectors`](crate::word_vectors) has them from an encoder.
///
/// Call [`build_lexicon`] afterwards, as what was stored about other words is then wrong.
pub fn build_words<'w>(
    folder: &Path,
    words: &'w [String],
    rows: &[f32],
    dimension: usize,
) -> Result<(), Error> {
    let count = rows.len().checked_div(dimension).unwrap_or(0);
    // Also checks everything else that a lexicon of these words needs.
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

/// Computes what is stored about the lexicon of a kind in a folder, and writes `lexicon.json` and `lexicon.safetensors`: the
/// centring and the [geometry](Lexicon::geometry). `components` is how many principal components are left out; with none, the
/// table is used as it is. What is stored about the other kind is kept.
///
/// This compares all pairs of entries, which takes seconds for a usual vocabulary.
pub fn build_lexicon(folder: &Path, kind: Kind, components: Option<usize>) -> Result<Lexicon, Error> {
    let mut description = Description::read(folder)?.unwrap_or_else(Description::new);
    let opened = Opened::open(folder, kind)?;
    let source = opened.source(folder)?;
    let plain = UnitTable::build(&source, None);
    let mut vocabulary = opened.vocabulary(source.rows());
    vocabulary.mark(plain.directionless(), Flags::DIRECTIONLESS);
    drop(plain);
    let centring =
        components.map(|count| Centring::compute(&source, vocabulary.allowed(), count)).transpose()?;
    let checksum = checksum(&vocabulary, &source);
    let (entries, dimension) = (source.rows(), source.dimension());
    let table = UnitTable::build(&source, centring.as_ref());
    drop(source);
    let lexicon = Lexicon::assemble(opened.into_reader(&vocabulary)?, vocabulary, table, centring, None)?;
    let geometry = lexicon.geometry()?.clone();
    let others = other_numbers(folder, kind, &description)?;
    description.set(kind, Section { entries, dimension, checksum, components, geometry });
    write(folder, &description, [(kind, lexicon.centring().cloned()), others])?;
    Ok(lexicon)
}

/// The centring of the other kind, to keep it.
fn other_numbers(
    folder: &Path,
    kind: Kind,
    description: &Description,
) -> Result<(Kind, Option<Centring>), Error> {
    let other = match kind {
        Kind::Subword => Kind::Words,
        Kind::Words => Kind::Subword,
    };
    let section = description.section(other);
    let centring = section.map(|section| description::read_centring(folder, other, section)).transpose()?;
    Ok((other, centring.flatten()))
}

/// The numbers are written first: without them the description would be of no use.
fn write(
    folder: &Path,
    description: &Description,
    centrings: [(Kind, Option<Centring>); 2],
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

/// A safetensors file of `f32`; the library sorts the tensors by name.
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
