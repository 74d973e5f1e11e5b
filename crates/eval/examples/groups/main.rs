//! What noise protects of one group of words, and what a mask for one word does for its neighbours and for others, in the manner of SPARSE's
//! Tables 3 and 5.
//!
//! ```text
//! groups TEXTS.txt            one text to a line; or TEXTS.jsonl with what people marked: `text` and `marks`, each of `start` and `end` in
//!                             bytes, `group` and `word`
//!   --pack models/en          the encoder
//!   --epsilon 10 --seeds 3    the formal ε is ε·√n, as in the example `sparse`, which says why
//!   --words NAME=FILE         one more group, a word to a line; may be repeated
//!   --most 12000              so many texts at most: those with words of the groups first
//!   --least 30                words in fewer texts are left out
//!   --cache FOLDER            vectors are kept there
//! ```
//!
//! The attacker is the strong one of `sparse`: it knows four fifths of the texts, and draws noise anew in every epoch. Masks are learnt on the
//! same four fifths; elliptical noise is shrunk after it was added.
#![allow(clippy::print_stdout)] // its output is what it is for

mod attacker;
mod lists;
mod marks;
mod options;
mod parallel;
mod spread;
mod table;
mod vectors;

use std::collections::BTreeMap;
use std::error::Error;

use inkveil_detect::Kind;
use inkveil_eval::metrics::Bootstrap;
use inkveil_eval::{Sensitive, Split};
use inkveil_privacy::Epsilon;
use inkveil_vector::{Bound, FitSettings, Pairs, VectorVeil, fit, sigma};

use crate::options::Options;
use crate::vectors::Encoder;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let options = Options::from_arguments()?;
    let study = Study::open(options)?;
    eprintln!("{} texts, {} words", study.texts.len(), study.sensitive.words().len());
    let jobs: Vec<(u64, Defence)> = (1..=study.options.seeds)
        .flat_map(|seed| study.defences().into_iter().map(move |d| (seed, d)))
        .collect();
    let (mut results, mut done) = (BTreeMap::new(), 0);
    parallel::each(
        &jobs,
        |(seed, defence)| study.leakage(defence, *seed),
        |(seed, defence), found| {
            done += 1;
            eprintln!("[{done}/{}] {defence:?}, seed {seed}", jobs.len());
            results.insert((defence.clone(), *seed), found);
            Ok(())
        },
    )?;
    table::print(&study, &results);
    Ok(())
}

/// What is done to vectors before the attacker sees them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Defence {
    None,
    LapMech,
    PurMech,
    /// A mask for the words of a group.
    Group(Kind),
    /// A mask for one word.
    Word(usize),
}

/// The share of the mentions of each word that the attacker thinks likelier than not, and how many there are.
pub(crate) type Leakage = Vec<(f64, usize)>;

pub(crate) struct Study {
    pub(crate) options: Options,
    pub(crate) texts: Vec<String>,
    pub(crate) sensitive: Sensitive,
    pub(crate) groups: Vec<Kind>,
    encoder: Encoder,
    vectors: Vec<f32>,
}

impl Study {
    fn open(options: Options) -> Outcome<Self> {
        let (texts, sensitive) = match options.texts.extension().is_some_and(|ending| ending == "jsonl") {
            true => marks::read(&options)?,
            false => lists::read(&options)?,
        };
        let mut groups: Vec<Kind> = Vec::new();
        for word in sensitive.words() {
            if !groups.contains(&word.kind) {
                groups.push(word.kind.clone());
            }
        }
        let encoder = Encoder::new(&options)?;
        let vectors = encoder.vectors(&texts)?;
        Ok(Self { options, sensitive, groups, encoder, vectors, texts })
    }

    fn defences(&self) -> Vec<Defence> {
        let mut all = vec![Defence::None, Defence::LapMech, Defence::PurMech];
        all.extend(self.groups.iter().cloned().map(Defence::Group));
        all.extend(self.groups.iter().filter_map(|group| self.target(group)).map(Defence::Word));
        all
    }

    /// The commonest word of a group of two or more.
    pub(crate) fn target(&self, group: &Kind) -> Option<usize> {
        let words = self.sensitive.words().iter().enumerate().filter(|(_, word)| word.kind == *group);
        let commonest = words.clone().max_by_key(|(_, word)| word.sentences).map(|(number, _)| number);
        commonest.filter(|_| words.count() > 1)
    }

    fn leakage(&self, defence: &Defence, seed: u64) -> Outcome<Leakage> {
        let split = Split::new(self.texts.len(), 0.2, seed)?;
        let veil = self.veil(defence, &split, seed)?;
        let dim = self.encoder.dim();
        let findings = attacker::attack(&self.vectors, dim, &self.sensitive, &split, veil.as_ref(), seed)?;
        let bootstrap = Bootstrap::default();
        let of_word = |word| findings.exposure(&bootstrap, |other| other == word);
        let leakage = |word| of_word(word).map_or((0.0, 0), |found| (found.leakage.mean, found.instances));
        Ok((0..self.sensitive.words().len()).map(leakage).collect())
    }

    fn veil(&self, defence: &Defence, split: &Split, seed: u64) -> Outcome<Option<VectorVeil>> {
        let dim = self.encoder.dim();
        let epsilon = Epsilon::new(self.options.epsilon * (dim as f64).sqrt())?;
        let hidden = |word: usize| match defence {
            Defence::Group(kind) => self.sensitive.words()[word].kind == *kind,
            Defence::Word(target) => word == *target,
            _ => false,
        };
        let veil = match defence {
            Defence::None => return Ok(None),
            Defence::LapMech => VectorVeil::round(dim, epsilon)?,
            Defence::PurMech => VectorVeil::turning(dim, epsilon)?,
            Defence::Group(_) | Defence::Word(_) => {
                let pairs = self.pairs(split, hidden)?;
                let fitted = fit(&pairs, &FitSettings { seed, ..FitSettings::default() }, &mut |_| true)?;
                let squares: Vec<f64> = pairs.mean_squares().iter().map(|&square| square.into()).collect();
                VectorVeil::elliptical(epsilon, sigma(&fitted.gates, 0.0)?)?.shrink_after(&squares)?
            }
        };
        Ok(Some(veil.bound(Bound::Unit)?))
    }

    /// Known texts with some words, and the same without them.
    fn pairs(&self, split: &Split, hidden: impl Fn(usize) -> bool) -> Outcome<Pairs> {
        let dim = self.encoder.dim();
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for &index in split.train() {
            let mentions = &self.sensitive.mentions()[index];
            if !mentions.iter().any(|mention| mention.word.is_some_and(&hidden)) {
                continue;
            }
            let text = &self.texts[index];
            without.push(self.sensitive.replaced(index, text, |mention| {
                match mention.word.is_some_and(&hidden) {
                    true => "".into(),
                    false => text.get(mention.range.clone()).unwrap_or_default().into(),
                }
            }));
            with.extend_from_slice(&self.vectors[index * dim..][..dim]);
        }
        Ok(Pairs::from_vectors(dim, with, self.encoder.vectors(&without)?)?)
    }
}
