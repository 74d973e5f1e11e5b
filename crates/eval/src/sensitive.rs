//! The sensitive words of a corpus.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;

use inkveil_detect::{Kind, Span};
use unicode_segmentation::UnicodeSegmentation;

use crate::Error;

/// Words inside names that are not sensitive by themselves.
const FUNCTION_WORDS: [&str; 20] = [
    "an", "and", "at", "by", "da", "de", "del", "der", "di", "du", "el", "for", "in", "la", "le", "of", "on",
    "the", "to", "von",
];

/// An occurrence of a sensitive word in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its range of bytes.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: Kind,
    /// Its number in the vocabulary; rare words have none.
    pub word: Option<usize>,
}

/// A word of the vocabulary.
#[derive(Clone, PartialEq, Eq)]
pub struct SensitiveWord {
    /// The word, in lower case.
    pub text: String,
    /// Its most frequent kind.
    pub kind: Kind,
    /// The number of sentences in which it is sensitive.
    pub sentences: usize,
}

impl fmt::Debug for SensitiveWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SensitiveWord({}, in {} sentences)", self.kind, self.sentences)
    }
}

/// The sensitive words of a corpus: a vocabulary of frequent ones, and all mentions.
///
/// A word outside of a sensitive span is not a mention, because a fruit can have the name of a
/// company.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_eval::SensitiveWords;
///
/// let texts = ["Monday in Rome", "a Monday", "Rome, again Rome", "on Friday"];
/// let days = [("monday", Kind::Date), ("friday", Kind::Date), ("rome", Kind::Location)];
/// let sensitive = SensitiveWords::of_words(&texts, &days, 2)?;
/// assert_eq!(sensitive.words().iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), ["monday", "rome"]);
/// assert_eq!(sensitive.tokens(), [vec![0, 1], vec![0], vec![1], vec![]]);
/// assert_eq!(sensitive.replaced(0, texts[0], |_| "*".into()), "* in *");
/// assert_eq!(sensitive.replaced(3, texts[3], |_| "*".into()), "on *"); // rare words too
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SensitiveWords {
    words: Vec<SensitiveWord>,
    mentions: Vec<Vec<Mention>>,
    tokens: Vec<Vec<usize>>,
}

impl SensitiveWords {
    /// Takes the words of detected spans. A word is in the vocabulary if it is sensitive in at
    /// least `min_count` texts. Words of one letter, and function words as in "Bank *of* the
    /// North", are not sensitive.
    ///
    /// # Errors
    /// If there is not one list of spans for each text.
    pub fn in_spans(texts: &[&str], spans: &[Vec<Span>], min_count: usize) -> Result<Self, Error> {
        if texts.len() != spans.len() {
            return Err(Error::argument(format!(
                "{} texts have {} lists of spans; each text needs one",
                texts.len(),
                spans.len()
            )));
        }
        let find = |(text, spans): (&&str, &Vec<Span>)| {
            let of_span = |span: &Span| {
                let inside = text.get(span.range()).unwrap_or_default();
                let (start, kind) = (span.start, span.kind.clone());
                words_of(inside).map(move |range| Found {
                    word: inside[range.clone()].to_lowercase(),
                    range: start + range.start..start + range.end,
                    kind: kind.clone(),
                })
            };
            spans.iter().flat_map(of_span).collect()
        };
        Ok(Self::new(texts.iter().zip(spans).map(find).collect(), min_count))
    }

    /// Takes all occurrences of listed words, ignoring case.
    ///
    /// # Errors
    /// If an entry is not a single word, because it would never be found.
    pub fn of_words(texts: &[&str], list: &[(&str, Kind)], min_count: usize) -> Result<Self, Error> {
        let mut kinds = HashMap::new();
        for (index, (word, kind)) in list.iter().enumerate() {
            if words_of(word).next() != Some(0..word.len()) {
                let what =
                    format!("entry {} of the list is not a single word; list words one by one", index + 1);
                return Err(Error::argument(what));
            }
            kinds.insert(word.to_lowercase(), kind);
        }
        let find = |text: &&str| {
            let listed = |range: Range<usize>| {
                let word = text[range.clone()].to_lowercase();
                let kind = (*kinds.get(&word)?).clone();
                Some(Found { range, kind, word })
            };
            words_of(text).filter_map(listed).collect()
        };
        Ok(Self::new(texts.iter().map(find).collect(), min_count))
    }

    /// Takes marks of each text, in order and without overlaps: a range, its kind, and the word
    /// that it counts as. The word can differ from the text, so that ages count by decade or all
    /// cities as one.
    ///
    /// ```
    /// use inkveil_detect::Kind;
    /// use inkveil_eval::SensitiveWords;
    ///
    /// let marks = vec![vec![(6..8, Kind::named("age"), "thirties".to_owned())], vec![]];
    /// let sensitive = SensitiveWords::of_marks(marks, 1);
    /// assert_eq!(sensitive.without(0, "He is 34 now", 0..12, |_| true).as_deref(), Some("He is now"));
    /// ```
    pub fn of_marks(marks: Vec<Vec<(Range<usize>, Kind, String)>>, min_count: usize) -> Self {
        let found = |(range, kind, word)| Found { range, kind, word };
        Self::new(marks.into_iter().map(|marks| marks.into_iter().map(found).collect()).collect(), min_count)
    }

    fn new(found: Vec<Vec<Found>>, min_count: usize) -> Self {
        let mut counts: BTreeMap<String, Count> = BTreeMap::new();
        for (sentence, found) in found.iter().enumerate() {
            for found in found {
                counts.entry(found.word.clone()).or_default().add(sentence, &found.kind);
            }
        }
        counts.retain(|_, count| count.sentences.len() >= min_count.max(1));
        let numbers: HashMap<&str, usize> =
            counts.keys().enumerate().map(|(number, word)| (word.as_str(), number)).collect();
        let mention = |found: Found| {
            let word = numbers.get(found.word.as_str()).copied();
            Mention { range: found.range, kind: found.kind, word }
        };
        let mentions: Vec<Vec<Mention>> =
            found.into_iter().map(|found| found.into_iter().map(mention).collect()).collect();
        let tokens = mentions.iter().map(|mentions: &Vec<Mention>| {
            mentions.iter().filter_map(|mention| mention.word).collect::<BTreeSet<_>>().into_iter().collect()
        });
        let tokens = tokens.collect();
        let word = |(text, count): (String, Count)| SensitiveWord {
            text,
            sentences: count.sentences.len(),
            kind: count.most_often(),
        };
        Self { words: counts.into_iter().map(word).collect(), mentions, tokens }
    }

    /// The vocabulary, in alphabetical order.
    pub fn words(&self) -> &[SensitiveWord] {
        &self.words
    }

    /// The distinct words of the vocabulary in each sentence, in ascending order.
    pub fn tokens(&self) -> &[Vec<usize>] {
        &self.tokens
    }

    /// Every mention in each sentence, of rare words too, in order.
    pub fn mentions(&self) -> &[Vec<Mention>] {
        &self.mentions
    }

    /// Returns a piece of a sentence without its hidden mentions; none if it has none. A mask is
    /// fitted on the difference.
    ///
    /// ```
    /// # use inkveil_detect::Kind;
    /// # use inkveil_eval::SensitiveWords;
    /// let texts = ["Rome on Monday, Oslo on Friday"];
    /// let words = [("rome", Kind::Location), ("oslo", Kind::Location), ("friday", Kind::Date)];
    /// let sensitive = SensitiveWords::of_words(&texts, &words, 1)?;
    /// let places = |mention: &inkveil_eval::Mention| mention.kind == Kind::Location;
    /// assert_eq!(sensitive.without(0, texts[0], 0..30, places).as_deref(), Some("on Monday, on Friday"));
    /// assert_eq!(sensitive.without(0, texts[0], 5..15, places), None);
    /// # Ok::<(), inkveil_eval::Error>(())
    /// ```
    pub fn without(
        &self,
        sentence: usize,
        text: &str,
        piece: Range<usize>,
        hidden: impl Fn(&Mention) -> bool,
    ) -> Option<String> {
        let (mut rest, mut done, mut found) = (String::with_capacity(piece.len()), piece.start, false);
        for mention in self.mentions.get(sentence).map_or(&[][..], Vec::as_slice) {
            let inside = piece.start <= mention.range.start && mention.range.end <= piece.end;
            if inside && hidden(mention) {
                // A different text may be shorter.
                rest.push_str(text.get(done..mention.range.start).unwrap_or_default());
                (done, found) = (mention.range.end, true);
            }
        }
        rest.push_str(text.get(done..piece.end).unwrap_or_default());
        found.then(|| rest.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Returns the sentence with its mentions replaced.
    ///
    /// ```
    /// # use inkveil_detect::Kind;
    /// # use inkveil_eval::SensitiveWords;
    /// let texts = ["Rome, on Monday"];
    /// let sensitive = SensitiveWords::of_words(&texts, &[("rome", Kind::Location)], 1)?;
    /// assert_eq!(sensitive.replaced(0, texts[0], |_| "*".into()), "*, on Monday");
    /// # Ok::<(), inkveil_eval::Error>(())
    /// ```
    pub fn replaced<'a>(
        &self,
        sentence: usize,
        text: &str,
        mut by: impl FnMut(&Mention) -> Cow<'a, str>,
    ) -> String {
        let mut result = String::with_capacity(text.len());
        let mut done = 0;
        for mention in self.mentions.get(sentence).map_or(&[][..], Vec::as_slice) {
            // A different text may be shorter.
            result.push_str(text.get(done..mention.range.start).unwrap_or_default());
            result.push_str(&by(mention));
            done = mention.range.end;
        }
        result.push_str(text.get(done..).unwrap_or_default());
        result
    }
}

/// A mention before the vocabulary is known.
struct Found {
    range: Range<usize>,
    kind: Kind,
    word: String,
}

#[derive(Default)]
struct Count {
    sentences: BTreeSet<usize>,
    kinds: BTreeMap<Kind, usize>,
}

impl Count {
    fn add(&mut self, sentence: usize, kind: &Kind) {
        self.sentences.insert(sentence);
        *self.kinds.entry(kind.clone()).or_default() += 1;
    }

    /// The most frequent kind; the first of equal ones.
    fn most_often(self) -> Kind {
        let most = self.kinds.into_iter().rev().max_by_key(|(_, count)| *count);
        most.map_or(Kind::Id, |(kind, _)| kind)
    }
}

/// The ranges of words that can be sensitive: at least two characters, no function words, without a
/// genitive ending.
fn words_of(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.unicode_word_indices().filter_map(|(start, word)| {
        let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        let is_word = word.chars().nth(1).is_some() && word.chars().any(char::is_alphabetic);
        let is_function_word = FUNCTION_WORDS.contains(&word.to_lowercase().as_str());
        (is_word && !is_function_word).then_some(start..start + word.len())
    })
}

#[cfg(test)]
mod tests {
    use inkveil_detect::{FoundBy, Reason};

    use super::*;

    fn span(start: usize, end: usize, kind: Kind) -> Span {
        let reason = Reason {
            found_by: FoundBy::Tagger,
            name: "test".into(),
            context: None,
            validator: None,
            also: Vec::new(),
        };
        Span { start, end, kind, score: 1.0, reason }
    }

    #[test]
    fn words_in_spans_are_counted_by_sentence() {
        let texts = ["The Bank of Oslo paid Oslo.", "OSLO's bank", "bank"];
        let spans = vec![
            vec![span(4, 16, Kind::Organisation), span(22, 26, Kind::Location)],
            vec![span(0, 6, Kind::Location)],
            vec![],
        ];
        let sensitive = SensitiveWords::in_spans(&texts, &spans, 1).unwrap();
        let words: Vec<(&str, &Kind, usize)> =
            sensitive.words().iter().map(|w| (w.text.as_str(), &w.kind, w.sentences)).collect();
        assert_eq!(words, [("bank", &Kind::Organisation, 1), ("oslo", &Kind::Location, 2)]);
        assert_eq!(sensitive.tokens(), [vec![0, 1], vec![1], vec![]]);
        assert_eq!(sensitive.mentions()[0].len(), 3, "function words are not mentions");
        let frequent = SensitiveWords::in_spans(&texts, &spans, 2).unwrap();
        assert_eq!(frequent.tokens(), [vec![0], vec![0], vec![]]);
        assert_eq!(frequent.mentions()[0][0].word, None);
        assert!(!format!("{:?}", sensitive.words()).contains("oslo"));
    }

    #[test]
    fn replaced_text_keeps_the_rest() {
        let texts = ["The Bank of Oslo paid Oslo."];
        let spans = vec![vec![span(4, 16, Kind::Organisation), span(22, 26, Kind::Location)]];
        let sensitive = SensitiveWords::in_spans(&texts, &spans, 1).unwrap();
        let without = |text: &str| sensitive.without(0, text, 0..text.len(), |_| true);
        assert_eq!(without(texts[0]).as_deref(), Some("The of paid ."));
        let by_kind = sensitive.replaced(0, texts[0], |mention| mention.kind.name().to_owned().into());
        assert_eq!(by_kind, "The organisation of organisation paid location.");
        assert_eq!(sensitive.replaced(7, "no such sentence", |_| "x".into()), "no such sentence");
        assert_eq!(without("short"), None, "mentions outside of a text are ignored");
    }

    #[test]
    fn spans_outside_of_the_text_are_ignored() {
        let beyond = vec![vec![span(3, 90, Kind::Person)]];
        assert!(SensitiveWords::in_spans(&["short"], &beyond, 1).unwrap().words().is_empty());
        assert!(SensitiveWords::in_spans(&["a", "b"], &beyond, 1).is_err());
    }

    #[test]
    fn lists_have_single_words() {
        let of = |word| SensitiveWords::of_words(&["New York"], &[(word, Kind::Location)], 1);
        assert!(of("new york").is_err() && of("").is_err() && of("the").is_err());
        assert_eq!(of("York").unwrap().tokens(), [vec![0]]);
    }
}
