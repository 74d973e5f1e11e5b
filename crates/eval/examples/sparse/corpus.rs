//! The sentences, how alike pairs of them are, and what is sensitive in them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use inkveil_detect::{Detector, Kind, Settings, Tier};
use inkveil_eval::{Sensitive, sts};

use crate::Outcome;
use crate::options::{Dataset, Options};
use crate::vectors::sha256;

pub(crate) struct Corpus {
    /// Every distinct sentence.
    pub(crate) texts: Vec<String>,
    /// The numbers of two sentences, and their score.
    pub(crate) pairs: Vec<(usize, usize, f64)>,
    pub(crate) sensitive: Sensitive,
}

impl Corpus {
    pub(crate) fn read(options: &Options) -> Outcome<Self> {
        let scored = match options.dataset {
            Dataset::Sts12 => sts::read_sts12(&options.folder)?,
            Dataset::Stsb => sts::read_stsb(&options.folder)?,
        };
        let (mut texts, mut numbers) = (Vec::new(), HashMap::new());
        let mut number = |text: String| {
            *numbers.entry(text).or_insert_with_key(|text| {
                texts.push(text.clone());
                texts.len() - 1
            })
        };
        let pairs: Vec<_> =
            scored.into_iter().map(|pair| (number(pair.first), number(pair.second), pair.score)).collect();

        let mut settings = Settings::of(Tier::Fast);
        settings.only = Some([Kind::Person, Kind::Location, Kind::Organisation].into());
        let views: Vec<&str> = texts.iter().map(String::as_str).collect();
        let spans = Detector::open(Some(&options.detector), settings)?.detect(&views)?;
        let sensitive = Sensitive::in_spans(&views, &spans, options.min_count)?;
        if sensitive.words().is_empty() {
            return Err("no sensitive word is frequent enough; lower --min-count".into());
        }
        Ok(Self { texts, pairs, sensitive })
    }

    /// Names the pairs, their scores and the words to be found.
    pub(crate) fn digest(&self) -> String {
        let pairs = self.pairs.iter().map(|pair| format!("{pair:?}"));
        let words = self.sensitive.words().iter().map(|word| word.text.clone());
        let places = self.sensitive.tokens().iter().map(|tokens| format!("{tokens:?}"));
        sha256(pairs.chain(words).chain(places))
    }

    /// The kinds of words in the vocabulary.
    pub(crate) fn kinds(&self) -> BTreeMap<Kind, usize> {
        let mut kinds = BTreeMap::new();
        self.sensitive.words().iter().for_each(|word| *kinds.entry(word.kind.clone()).or_default() += 1);
        kinds
    }
}

impl fmt::Display for Corpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<String> = self.kinds().iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let tokens = self.sensitive.tokens();
        write!(
            f,
            "{} pairs of {} distinct sentences; {} sensitive words ({}) {} times in {} of them",
            self.pairs.len(),
            self.texts.len(),
            self.sensitive.words().len(),
            kinds.join(", "),
            tokens.iter().map(Vec::len).sum::<usize>(),
            tokens.iter().filter(|tokens| !tokens.is_empty()).count()
        )
    }
}
