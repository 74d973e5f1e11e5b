//! The lexicon itself.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use inkveil_nn::Tokenizer;

use crate::align::{Alignment, Fallback, Token};
use crate::render::{Replacement, Style, render};
use crate::search::{Match, Search};
use crate::words::{Symbols, WordIndex};
use crate::{Centring, Error, ErrorKind, Flags, Geometry, UnitTable, Vocabulary};

/// What the units of a lexicon are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The tokens of a model's tokenizer: words and pieces of words.
    Subword,
    /// Whole words.
    Words,
}

impl Kind {
    /// Its name: `subword` or `words`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Subword => "subword",
            Self::Words => "words",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        [Self::Subword, Self::Words]
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Error::argument("there is no such kind of lexicon; use subword or words"))
    }
}

/// A tokenizer or word list, its vocabulary, and a direction for each entry.
///
/// See the [crate's overview](crate) for an example.
pub struct Lexicon {
    reader: Reader,
    vocabulary: Vocabulary,
    table: Arc<UnitTable>,
    centring: Option<Centring>,
    /// The entry that stands for text which is not in the vocabulary.
    unknown: Option<u32>,
    geometry: OnceLock<Geometry>,
    search: OnceLock<Search>,
}

/// How text becomes entries.
pub(crate) enum Reader {
    Tokenizer(Box<Tokenizer>),
    Words(WordIndex),
}

/// An entry near another.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Its id.
    pub id: u32,
    /// Its text; pieces of words begin with `##`, however the vocabulary writes them.
    pub text: String,
    /// The cosine of the two directions.
    pub cosine: f64,
}

impl Lexicon {
    /// Puts a lexicon together from parts that belong to each other.
    pub(crate) fn assemble(
        reader: Reader,
        mut vocabulary: Vocabulary,
        table: UnitTable,
        centring: Option<Centring>,
        geometry: Option<Geometry>,
    ) -> Result<Self, Error> {
        if vocabulary.len() != table.rows() {
            return Err(ErrorKind::Mismatch { tokens: vocabulary.len(), rows: table.rows() }.into());
        }
        vocabulary.mark(table.directionless(), Flags::DIRECTIONLESS);
        if vocabulary.allowed().is_empty() {
            return Err(ErrorKind::NothingAllowed.into());
        }
        let unknown = match &reader {
            Reader::Tokenizer(tokenizer) => unknown_token(tokenizer).filter(|&id| table.row(id).is_some()),
            Reader::Words(_) => None,
        };
        let geometry = geometry.map_or_else(OnceLock::new, OnceLock::from);
        let search = OnceLock::new();
        Ok(Self { reader, vocabulary, table: Arc::new(table), centring, unknown, geometry, search })
    }

    /// What its units are.
    pub fn kind(&self) -> Kind {
        match self.reader {
            Reader::Tokenizer(_) => Kind::Subword,
            Reader::Words(_) => Kind::Words,
        }
    }

    /// Its entries.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Their directions.
    pub fn table(&self) -> &Arc<UnitTable> {
        &self.table
    }

    /// The direction of an entry; none if it has none or is not there.
    pub fn row(&self, id: u32) -> Option<&[f32]> {
        self.table.row(id)
    }

    /// How its table was centred, if it was.
    pub fn centring(&self) -> Option<&Centring> {
        self.centring.as_ref()
    }

    /// The entries that may be released, in ascending order.
    pub fn allowed(&self) -> &[u32] {
        self.vocabulary.allowed()
    }

    /// The entry that stands for text which is not in the vocabulary, if there is one with a direction.
    pub fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// Every entry that a unit of a text may have: those that may be released, and the unknown one. Promises that need a
    /// largest distance between inputs need it for these.
    pub fn inputs(&self) -> Vec<u32> {
        let mut inputs = self.allowed().to_vec();
        if let Some(unknown) = self.unknown
            && let Err(place) = inputs.binary_search(&unknown)
        {
            inputs.insert(place, unknown);
        }
        inputs
    }

    /// How far apart the directions of its [`inputs`](Self::inputs) lie. Folders made by [`build_lexicon`](crate::build_lexicon)
    /// have it stored; otherwise it is computed once, which takes seconds for a usual vocabulary.
    pub fn geometry(&self) -> Result<&Geometry, Error> {
        if let Some(geometry) = self.geometry.get() {
            return Ok(geometry);
        }
        let computed = Geometry::of(&self.table, &self.inputs())?;
        Ok(self.geometry.get_or_init(|| computed))
    }

    /// Exact search among the entries that may be released.
    pub fn search(&self) -> Result<&Search, Error> {
        if let Some(search) = self.search.get() {
            return Ok(search);
        }
        let search = Search::new(self.table.clone(), self.table.dimension(), self.allowed())?;
        Ok(self.search.get_or_init(|| search))
    }

    /// Chooses what punctuation, symbols and emoji are in a lexicon of words; a tokenizer has its own way with them.
    pub fn with_symbols(mut self, symbols: Symbols) -> Self {
        if let Reader::Words(index) = &mut self.reader {
            index.symbols = symbols;
        }
        self
    }

    /// Takes a text apart.
    pub fn align<'t>(&self, text: &'t str) -> Result<Alignment<'t>, Error> {
        let fallback = Fallback { unknown: self.unknown };
        let tokenizer = match &self.reader {
            Reader::Words(index) => {
                return Ok(Alignment::new(text, index.tokens(text).into_iter(), fallback));
            }
            Reader::Tokenizer(tokenizer) => tokenizer,
        };
        let encoding = tokenizer.encode(text, false)?;
        let parts = encoding.ids.into_iter().zip(encoding.offsets).zip(encoding.word_starts);
        let tokens = parts.map(|((id, range), starts_word)| {
            let unknown = !self.vocabulary.is_allowed(id);
            Token { range, id: if unknown { self.unknown } else { Some(id) }, unknown, starts_word }
        });
        Ok(Alignment::new(text, tokens, fallback))
    }

    /// Puts a text together again, with one replacement for each unit.
    ///
    /// The original's spacing decides where spaces are: a piece (`##ing`) in the place of a word is a word of its own, and a
    /// word in the place of a piece is written onto the piece before. A replacement is always written from the vocabulary, even
    /// if it is the entry that was there, so that accents do not show what was replaced.
    pub fn render(
        &self,
        alignment: &Alignment<'_>,
        replacements: &[Replacement],
        style: &Style,
    ) -> Result<String, Error> {
        Ok(self.render_placed(alignment, replacements, style)?.0)
    }

    /// As [`render`](Self::render), with the bytes of the new text that stand for each unit.
    pub fn render_placed(
        &self,
        alignment: &Alignment<'_>,
        replacements: &[Replacement],
        style: &Style,
    ) -> Result<(String, Vec<Range<usize>>), Error> {
        render(&self.vocabulary, alignment, replacements, style, self.kind() == Kind::Words)
    }

    /// The entry of a word, in any case. Among tokens, one that begins a word comes before a piece.
    pub fn find(&self, word: &str) -> Option<u32> {
        match &self.reader {
            Reader::Tokenizer(_) => self.vocabulary.find(word),
            Reader::Words(index) => index.find(word),
        }
    }

    /// The `count` entries nearest to a word, nearest first, without the word itself.
    ///
    /// ```
    /// use inkveil_lexicon::Lexicon;
    ///
    /// let words = ["tea", "coffee", "ship"].map(String::from).to_vec();
    /// let lexicon = Lexicon::words_from_table(words, &[1.0, 0.0, 0.8, 0.6, 0.0, -1.0], 2)?;
    /// let near = lexicon.neighbours("Tea", 1)?;
    /// assert_eq!(near[0].text, "coffee");
    /// assert!((near[0].cosine - 0.8).abs() < 1e-7);
    /// # Ok::<(), inkveil_lexicon::Error>(())
    /// ```
    pub fn neighbours(&self, word: &str, count: usize) -> Result<Vec<Neighbour>, Error> {
        let id = self.find(word).ok_or(ErrorKind::UnknownWord)?;
        let row = self.row(id).ok_or(ErrorKind::UnknownWord)?;
        let found = self.search()?.nearest_k(row, count.saturating_add(1))?;
        let others = found.into_iter().flatten().filter(|found| found.id != id).take(count);
        Ok(others.map(|Match { id, score }| Neighbour { id, text: self.shown(id), cosine: score }).collect())
    }

    /// An entry for people.
    fn shown(&self, id: u32) -> String {
        let text = self.vocabulary.text(id).unwrap_or_default();
        match self.vocabulary.flags(id).contains(Flags::PIECE) {
            true => format!("##{text}"),
            false => text.to_owned(),
        }
    }
}

impl fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lexicon")
            .field("kind", &self.kind())
            .field("vocabulary", &self.vocabulary)
            .field("table", &self.table)
            .field("centring", &self.centring)
            .finish_non_exhaustive()
    }
}

/// The token for unknown text, by the names it usually has.
pub(crate) fn unknown_token(tokenizer: &Tokenizer) -> Option<u32> {
    ["[UNK]", "<unk>", "<UNK>", "<|unk|>"].into_iter().find_map(|name| tokenizer.id(name))
}
