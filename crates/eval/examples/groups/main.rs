//! What noise protects of one group of words, and what a mask for one word does for its neighbours and for others, in the manner of SPARSE's
//! Tables 3 and 5.
//!
//! ```text
//! groups TEXTS.txt            one text to a line
//!   --pack models/en          the encoder
//!   --epsilon 10 --seeds 3    the formal ε is ε·√n, as in the example `sparse`, which says why
//!   --words NAME=FILE         one more group, a word to a line; may be repeated
//!   --most 12000              so many texts at most: those with words of the groups first
//!   --least 30                words in fewer texts are left out
//! ```
//!
//! The attacker is the strong one of `sparse`: it knows four fifths of the texts, and draws noise anew in every epoch. Masks are learnt on the
//! same four fifths; elliptical noise is shrunk after it was added.
#![allow(clippy::print_stdout)] // its output is what it is for

mod lists;
mod options;
#[path = "../sparse/parallel.rs"]
mod parallel;
mod table;

use std::collections::BTreeMap;
use std::error::Error;

use inkveil_detect::Kind;
use inkveil_eval::attack::{Findings, Mlc, MlcSettings};
use inkveil_eval::metrics::Bootstrap;
use inkveil_eval::{Sensitive, Split};
use inkveil_nn::{SentenceEncoder, SplitMix};
use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_vector::{Bound, FitSettings, Pairs, VectorVeil, fit, sigma};

use crate::options::Options;

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
    encoder: SentenceEncoder,
    vectors: Vec<f32>,
}

impl Study {
    fn open(options: Options) -> Outcome<Self> {
        let lists = lists::with(&options.words)?;
        let words: Vec<(&str, Kind)> = lists
            .iter()
            .flat_map(|(name, words)| words.iter().map(|word| (word.as_str(), Kind::named(name))))
            .collect();
        let texts = chosen(std::fs::read_to_string(&options.texts)?, &words, options.most)?;
        let views: Vec<&str> = texts.iter().map(String::as_str).collect();
        let sensitive = Sensitive::of_words(&views, &words, options.least)?;
        let groups: Vec<Kind> = lists
            .iter()
            .map(|(name, _)| Kind::named(name))
            .filter(|kind| sensitive.words().iter().any(|word| word.kind == *kind))
            .collect();
        let encoder = SentenceEncoder::open(&options.pack)?;
        let vectors = unit_vectors(&encoder, &views)?;
        Ok(Self { options, sensitive, groups, encoder, vectors, texts })
    }

    fn defences(&self) -> Vec<Defence> {
        let mut all = vec![Defence::None, Defence::LapMech, Defence::PurMech];
        all.extend(self.groups.iter().cloned().map(Defence::Group));
        all.extend(self.groups.iter().filter_map(|group| self.target(group)).map(Defence::Word));
        all
    }

    /// The commonest word of a group.
    pub(crate) fn target(&self, group: &Kind) -> Option<usize> {
        let words = self.sensitive.words().iter().enumerate().filter(|(_, word)| word.kind == *group);
        words.max_by_key(|(_, word)| word.sentences).map(|(number, _)| number)
    }

    fn leakage(&self, defence: &Defence, seed: u64) -> Outcome<Leakage> {
        let split = Split::new(self.texts.len(), 0.2, seed)?;
        let veil = self.veil(defence, &split, seed)?;
        let findings = self.attack(&split, veil.as_ref(), seed)?;
        let bootstrap = Bootstrap::default();
        let of_word = |word| findings.exposure(&bootstrap, |other| other == word);
        let leakage = |word| of_word(word).map_or((0.0, 0), |found| (found.leakage.mean, found.instances));
        Ok((0..self.sensitive.words().len()).map(leakage).collect())
    }

    fn veil(&self, defence: &Defence, split: &Split, seed: u64) -> Outcome<Option<VectorVeil>> {
        let dim = self.encoder.width();
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
        let dim = self.encoder.width();
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for &index in split.train() {
            let mentions = &self.sensitive.mentions()[index];
            if !mentions.iter().any(|mention| mention.word.is_some_and(&hidden)) {
                continue;
            }
            let text = &self.texts[index];
            let mut rest = String::new();
            let mut done = 0;
            for mention in mentions.iter().filter(|mention| mention.word.is_some_and(&hidden)) {
                rest.push_str(text.get(done..mention.range.start).unwrap_or_default());
                done = mention.range.end;
            }
            rest.push_str(text.get(done..).unwrap_or_default());
            with.extend_from_slice(&self.vectors[index * dim..][..dim]);
            without.push(rest);
        }
        let views: Vec<&str> = without.iter().map(String::as_str).collect();
        Ok(Pairs::from_vectors(dim, with, unit_vectors(&self.encoder, &views)?)?)
    }

    fn attack(&self, split: &Split, veil: Option<&VectorVeil>, seed: u64) -> Outcome<Findings> {
        let dim = self.encoder.width();
        let mut settings = MlcSettings::strong();
        settings.seed = seed;
        let veiled = |rows: Vec<f32>, copy: u64| -> Outcome<Vec<f32>> {
            let mut rows = rows;
            if let Some(veil) = veil {
                veil.apply(&mut rows, 0, &NoiseKey::insecure_from_seed(seed * 1_000 + copy))?;
            }
            Ok(rows)
        };
        // With noise every epoch sees another: see the example `sparse`.
        let copies = if veil.is_some() { std::mem::replace(&mut settings.epochs, 1) } else { 1 };
        let (mut known, mut words) = (Vec::new(), Vec::new());
        for copy in 1..=copies as u64 {
            known.extend(veiled(split.train_rows(&self.vectors, dim), copy)?);
            words.extend(split.train_of(self.sensitive.tokens()));
        }
        let mlc = Mlc::train(dim, &known, &words, self.sensitive.words().len(), &settings)?;
        let held_out = veiled(split.test_rows(&self.vectors, dim), 0)?;
        Ok(mlc.attack(&held_out, &split.test_of(self.sensitive.tokens()))?)
    }
}

/// At most so many texts: those with a word of the groups first, then others, each in a random order.
fn chosen(file: String, words: &[(&str, Kind)], most: usize) -> Outcome<Vec<String>> {
    let mut lines: Vec<&str> = file.lines().filter(|line| !line.trim().is_empty()).collect();
    SplitMix::named(1, "texts", &[]).shuffle(&mut lines);
    let sensitive = Sensitive::of_words(&lines, words, 1)?;
    let (mut with, without): (Vec<usize>, Vec<usize>) =
        (0..lines.len()).partition(|&index| !sensitive.tokens()[index].is_empty());
    with.extend(without);
    with.truncate(most);
    Ok(with.into_iter().map(|index| lines[index].to_owned()).collect())
}

fn unit_vectors(encoder: &SentenceEncoder, texts: &[&str]) -> Outcome<Vec<f32>> {
    let mut rows = encoder.encode(texts)?.concat();
    for row in rows.chunks_exact_mut(encoder.width()) {
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
        row.iter_mut().for_each(|x| *x /= length);
    }
    Ok(rows)
}
