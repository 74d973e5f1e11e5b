//! The lexicon.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use inkveil_nn::Tokenizer;

use crate::align::{Alignment, Token};
use crate::render::{RenderStyle, Replacement, render};
use crate::search::{Match, Search};
use crate::word_index::{Symbols, WordIndex};
use crate::{Centring, Error, ErrorKind, Flags, LexiconGeometry, LexiconKind, UnitTable, Vocabulary};

/// A tokenizer or word list, its vocabulary, and a direction for each entry.
///
/// See the [crate's overview](crate) for an example.
pub struct Lexicon {
    segmenter: Segmenter,
    vocabulary: Vocabulary,
    table: Arc<UnitTable>,
    centring: Option<Centring>,
    /// The entry for text outside the vocabulary.
    unknown: Option<u32>,
    geometry: OnceLock<LexiconGeometry>,
    search: OnceLock<Search>,
}

/// Splits text into entries.
pub(crate) enum Segmenter {
    Tokenizer(Box<Tokenizer>),
    Words(WordIndex),
}

/// An entry near another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Its id.
    pub id: u32,
    /// Its text. Pieces of words begin with `##`, however the vocabulary writes them.
    pub text: String,
    /// The cosine of the two directions.
    pub cosine: f64,
}

impl Lexicon {
    /// Assembles a lexicon from matching parts.
    pub(crate) fn assemble(
        segmenter: Segmenter,
        mut vocabulary: Vocabulary,
        table: UnitTable,
        centring: Option<Centring>,
        geometry: Option<LexiconGeometry>,
    ) -> Result<Self, Error> {
        if vocabulary.len() != table.rows() {
            return Err(ErrorKind::Mismatch { tokens: vocabulary.len(), rows: table.rows() }.into());
        }
        vocabulary.mark(table.directionless(), Flags::DIRECTIONLESS);
        if vocabulary.allowed().is_empty() {
            return Err(ErrorKind::NothingAllowed.into());
        }
        let unknown = match &segmenter {
            Segmenter::Tokenizer(tokenizer) => unknown_token(tokenizer).filter(|&id| table.row(id).is_some()),
            Segmenter::Words(_) => None,
        };
        let geometry = geometry.map_or_else(OnceLock::new, OnceLock::from);
        let search = OnceLock::new();
        Ok(Self { segmenter, vocabulary, table: Arc::new(table), centring, unknown, geometry, search })
    }

    /// Returns the kind of its units.
    pub fn kind(&self) -> LexiconKind {
        match self.segmenter {
            Segmenter::Tokenizer(_) => LexiconKind::Subword,
            Segmenter::Words(_) => LexiconKind::Words,
        }
    }

    /// Returns its entries.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the directions of its entries.
    pub fn table(&self) -> &Arc<UnitTable> {
        &self.table
    }

    /// Returns the direction of an entry, or `None` if the entry does not exist or has none.
    pub fn row(&self, id: u32) -> Option<&[f32]> {
        self.table.row(id)
    }

    /// Returns the centring of its table, if the table is centred.
    pub fn centring(&self) -> Option<&Centring> {
        self.centring.as_ref()
    }

    /// Returns the entries that may be released, in ascending order.
    pub fn allowed(&self) -> &[u32] {
        self.vocabulary.allowed()
    }

    /// Returns the entry for text outside the vocabulary, if there is one with a direction.
    pub fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// Returns every entry that a unit of a text may have: the allowed entries and the unknown one.
    /// Guarantees that need the largest distance between inputs need it for these.
    pub fn inputs(&self) -> Vec<u32> {
        let mut inputs = self.allowed().to_vec();
        if let Some(unknown) = self.unknown
            && let Err(place) = inputs.binary_search(&unknown)
        {
            inputs.insert(place, unknown);
        }
        inputs
    }

    /// Returns the distances between the directions of its [`inputs`](Self::inputs). Folders made
    /// by [`build_lexicon`](crate::build_lexicon) store them; otherwise they are computed once,
    /// which takes seconds for a typical vocabulary.
    pub fn geometry(&self) -> Result<&LexiconGeometry, Error> {
        if let Some(geometry) = self.geometry.get() {
            return Ok(geometry);
        }
        let computed = LexiconGeometry::of(&self.table, &self.inputs())?;
        Ok(self.geometry.get_or_init(|| computed))
    }

    /// Returns an exact search among the entries that may be released.
    pub fn search(&self) -> Result<&Search, Error> {
        if let Some(search) = self.search.get() {
            return Ok(search);
        }
        let search = Search::new(self.table.clone(), self.table.dimension(), self.allowed())?;
        Ok(self.search.get_or_init(|| search))
    }

    /// Sets how a word lexicon treats punctuation, symbols and emoji. A tokenizer has its own
    /// rules.
    pub fn with_symbols(mut self, symbols: Symbols) -> Self {
        if let Segmenter::Words(index) = &mut self.segmenter {
            index.symbols = symbols;
        }
        self
    }

    /// Splits a text into units and gaps.
    pub fn align<'t>(&self, text: &'t str) -> Result<Alignment<'t>, Error> {
        let tokenizer = match &self.segmenter {
            Segmenter::Words(index) => {
                return Ok(Alignment::new(text, index.tokens(text).into_iter(), self.unknown));
            }
            Segmenter::Tokenizer(tokenizer) => tokenizer,
        };
        let encoding = tokenizer.encode(text, false)?;
        let parts = encoding.ids.into_iter().zip(encoding.offsets).zip(encoding.word_starts);
        let tokens = parts.map(|((id, range), starts_word)| {
            let unknown = !self.vocabulary.is_allowed(id);
            Token { range, id: if unknown { self.unknown } else { Some(id) }, unknown, starts_word }
        });
        Ok(Alignment::new(text, tokens, self.unknown))
    }

    /// Renders a text with one replacement for each unit.
    ///
    /// Spaces stay as in the original: a piece (`##ing`) that replaces a word becomes a separate
    /// word, and a word that replaces a piece is attached to the previous piece. A replacement is
    /// always written from the vocabulary, even if it is the original entry, so that accents do not
    /// reveal which units were replaced.
    pub fn render(
        &self,
        alignment: &Alignment<'_>,
        replacements: &[Replacement],
        style: &RenderStyle,
    ) -> Result<String, Error> {
        Ok(self.render_with_ranges(alignment, replacements, style)?.0)
    }

    /// Like [`render`](Self::render), but also returns the byte range of each unit in the new text.
    pub fn render_with_ranges(
        &self,
        alignment: &Alignment<'_>,
        replacements: &[Replacement],
        style: &RenderStyle,
    ) -> Result<(String, Vec<Range<usize>>), Error> {
        render(&self.vocabulary, alignment, replacements, style, self.kind() == LexiconKind::Words)
    }

    /// Returns the entry of a word, ignoring case. Tokens that begin a word are preferred to
    /// pieces.
    pub fn find(&self, word: &str) -> Option<u32> {
        match &self.segmenter {
            Segmenter::Tokenizer(_) => self.vocabulary.find(word),
            Segmenter::Words(index) => index.find(word),
        }
    }

    /// Returns the `count` entries nearest to a word, nearest first, without the word itself.
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
        Ok(others
            .map(|Match { id, score }| Neighbour { id, text: self.display_text(id), cosine: score })
            .collect())
    }

    /// Returns the text of an entry as it is shown to people.
    fn display_text(&self, id: u32) -> String {
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

/// Returns the token for unknown text, by its usual names.
pub(crate) fn unknown_token(tokenizer: &Tokenizer) -> Option<u32> {
    ["[UNK]", "<unk>", "<UNK>", "<|unk|>"].into_iter().find_map(|name| tokenizer.id(name))
}
