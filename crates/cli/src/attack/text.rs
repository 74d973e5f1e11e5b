//! `inkveil attack text`: which sensitive words of released texts come back.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use inkveil::names_folder;
use inkveil_detect::{Detector, Settings, Span};
use inkveil_eval::Split;
use inkveil_eval::attack::{
    Base, Continued, Hidden, LanguageModel, PairedWord, Place, Reads, Similarities, Tells, TokenAttack,
    TokenAttacker, TokenChannel, TokenSpace, Trigrams, Unigrams, pair_words,
};
use inkveil_eval::metrics::{Bootstrap, Estimate, Group};
use inkveil_lexicon::Lexicon;
use inkveil_nn::SentenceEncoder;
use serde_json::json;

use super::pairs::Pairs;
use super::percent;
use crate::args::TextAttackArgs;
use crate::outcome::Outcome;
use crate::{device, progress};
use inkveil::pack_folder;

/// Fewer examples say nothing about what a veil does.
const LEAST: usize = 30;

/// Texts are linked to their originals among so many at most: the work grows with their square.
const MOST_LINKED: usize = 3_000;

/// The channel of sensitive words, and that of all others.
const SENSITIVE: usize = 0;
const OTHER: usize = 1;

pub(super) fn run(args: &TextAttackArgs) -> anyhow::Result<Outcome> {
    let pairs = Pairs::read(&args.original, &args.released, &args.tables, None)?;
    let pack = pack_folder(&args.pack)?;
    let names = names_folder(&pack)?;
    let bar = progress::bar(None, "attacking {spinner} {elapsed}", args.quiet);
    let detector = Detector::open(Some(&names), Settings::default())?;
    let spans = detector.detect(&pairs.originals())?;
    let lexicon = Arc::new(Lexicon::open(&pack)?);
    let release = Release::new(&lexicon, &pairs, &spans)?;
    let split = Split::new(pairs.original.len().max(2), 0.5, args.seed)?;
    ensure!(
        pairs.original.len() >= 2,
        "an attack needs two texts or more: some are known, the others are attacked"
    );
    let model = match &args.model {
        Some(name) => {
            let base = Base { path: inkveil::model_path(name)?, device: device::open(args.device)? };
            Some(LanguageModel::open(&base)?)
        }
        None => None,
    };
    let guessed = release.attack(&split, model.as_ref())?;
    let linked = pairs.original.len().min(MOST_LINKED);
    let encoder = SentenceEncoder::open(&names)?;
    let encode = |texts: &[&str]| anyhow::Ok(encoder.encode(&texts[..linked])?.concat());
    let similar =
        Similarities::of_vectors(encoder.width(), &encode(&pairs.released())?, &encode(&pairs.originals())?)?;
    bar.finish_and_clear();
    let report = Report { guessed, linked, exposure: similar.exposure().unwrap_or(0.0) };
    let text = match args.json {
        true => serde_json::to_string_pretty(&report.json())? + "\n",
        false => report.in_words(),
    };
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")?;
    Ok(Outcome::Success)
}

/// Released texts beside their originals, word by word.
struct Release<'a> {
    lexicon: Arc<Lexicon>,
    space: TokenSpace,
    texts: Vec<Vec<PairedWord>>,
    released: &'a [String],
    spans: &'a [Vec<Span>],
}

/// What attackers found.
struct Guessed {
    texts: usize,
    words: u32,
    survived: Estimate,
    attackers: Vec<(TokenAttacker, Estimate)>,
    /// Of each kind, how many there are and how many the best attacker finds.
    kinds: BTreeMap<String, [u32; 2]>,
}

impl<'a> Release<'a> {
    fn new(lexicon: &Arc<Lexicon>, pairs: &'a Pairs, spans: &'a [Vec<Span>]) -> anyhow::Result<Self> {
        let space = TokenSpace::new(lexicon);
        let texts = pairs
            .original
            .iter()
            .zip(&pairs.released)
            .map(|(original, released)| pair_words(lexicon, &space, original, released))
            .collect::<Result<_, _>>()?;
        Ok(Self { lexicon: Arc::clone(lexicon), space, texts, released: &pairs.released, spans })
    }

    /// The kind of a word, if it is sensitive.
    fn kind(&self, text: usize, word: &PairedWord) -> Option<&str> {
        let within = |span: &&Span| span.start < word.range.end && word.range.start < span.end;
        self.spans[text].iter().find(within).map(|span| span.kind.name())
    }

    /// What stands for each word of a text.
    fn surfaces(&self, text: usize) -> Vec<String> {
        let stands = |word: &PairedWord| self.released[text].get(word.place.clone()).unwrap_or_default();
        self.texts[text].iter().map(|word| stands(word).to_owned()).collect()
    }

    fn attack(&self, split: &Split, model: Option<&LanguageModel>) -> anyhow::Result<Guessed> {
        let mut draws = [Vec::new(), Vec::new()];
        for &text in split.train() {
            for word in &self.texts[text] {
                if let (Some(original), Some(released)) = (word.original, word.released) {
                    let channel = if self.kind(text, word).is_some() { SENSITIVE } else { OTHER };
                    draws[channel].push((original, released));
                }
            }
        }
        // What is sensitive may have been left out everywhere; then the others say what the veil does.
        let all: Vec<(usize, usize)> = draws.concat();
        ensure!(
            all.len() >= LEAST,
            "too few words of the originals stand in the release to learn from; give more texts, in the same order"
        );
        let learn = |draws: &Vec<(usize, usize)>| {
            TokenChannel::learn(&self.space, if draws.len() < LEAST { &all } else { draws })
        };
        let channels = [
            (Arc::new(learn(&draws[SENSITIVE])?), Tells::Hidden),
            (Arc::new(learn(&draws[OTHER])?), Tells::Shown),
        ];
        let known: Vec<Vec<Option<usize>>> = split
            .train()
            .iter()
            .map(|&text| self.texts[text].iter().map(|word| word.original).collect())
            .collect();
        let unigrams = Unigrams::count(self.space.len(), known.iter().flatten().flatten().copied());
        let language = Trigrams::count(unigrams, known.iter().map(Vec::as_slice));
        let hides = |&text: &usize| {
            self.texts[text]
                .iter()
                .filter_map(move |word| Some((word.original?, self.kind(text, word).is_some())))
        };
        let hidden = Hidden::count(split.train().iter().flat_map(hides));
        let seen = |&text: &usize| -> Vec<Place> {
            let place = |word: &PairedWord| match word.released {
                Some(released) => {
                    Place::Drawn(released, if self.kind(text, word).is_some() { SENSITIVE } else { OTHER })
                }
                None if self.kind(text, word).is_some() => Place::Gap,
                None => Place::Other,
            };
            self.texts[text].iter().map(place).collect()
        };
        let places: Vec<Vec<Place>> = split.test().iter().map(seen).collect();
        let surfaces: Vec<Vec<String>> = split.test().iter().map(|&text| self.surfaces(text)).collect();
        let scores = |asked: &[Continued]| model.map_or_else(|| Ok(Vec::new()), |model| model.scores(asked));
        let reads = Reads { scores: &scores, surfaces: &surfaces, lexicon: &self.lexicon };
        let attack = TokenAttack {
            space: &self.space,
            channels: &channels,
            language: &language,
            hidden: &hidden,
            reads: model.map(|_| reads),
        };
        let who: Vec<TokenAttacker> = TokenAttacker::ALL
            .into_iter()
            .filter(|attacker| model.is_some() || *attacker != TokenAttacker::Neural)
            .collect();
        let found = attack.run(&who, &places)?;
        let hit = |word: &PairedWord, guess: Option<usize>| word.original.is_some() && word.original == guess;
        let share = |hit: &dyn Fn(usize, usize, &PairedWord) -> bool| {
            let groups: Vec<Group> = split
                .test()
                .iter()
                .enumerate()
                .map(|(place, &text)| {
                    let mut group = Group::default();
                    for (index, word) in self.texts[text].iter().enumerate() {
                        if self.kind(text, word).is_some() {
                            group.count += 1;
                            group.sum += f64::from(u8::from(hit(place, index, word)));
                        }
                    }
                    group
                })
                .collect();
            let words = groups.iter().map(|group| group.count).sum();
            (words, Bootstrap::default().mean(&groups))
        };
        let (words, survived) = share(&|_, _, word| hit(word, word.released));
        let nothing = "nothing sensitive was found in the texts that are attacked; give more texts";
        let survived = survived.context(nothing)?;
        let mut attackers = Vec::new();
        for (attacker, found) in who.into_iter().zip(&found) {
            let (_, estimate) = share(&|place, index, word| hit(word, found[place][index]));
            attackers.push((attacker, estimate.context(nothing)?));
        }
        let best = (0..attackers.len()).max_by(|&a, &b| attackers[a].1.mean.total_cmp(&attackers[b].1.mean));
        let mut kinds: BTreeMap<String, [u32; 2]> = BTreeMap::new();
        for (place, &text) in split.test().iter().enumerate() {
            for (index, word) in self.texts[text].iter().enumerate() {
                if let Some(kind) = self.kind(text, word) {
                    let [count, hits] = kinds.entry(kind.to_owned()).or_default();
                    *count += 1;
                    *hits += u32::from(best.is_some_and(|best| hit(word, found[best][place][index])));
                }
            }
        }
        Ok(Guessed { texts: split.test().len(), words, survived, attackers, kinds })
    }
}

struct Report {
    guessed: Guessed,
    linked: usize,
    exposure: f64,
}

impl Report {
    /// What the best attacker finds.
    fn worst(&self) -> &Estimate {
        let best =
            self.guessed.attackers.iter().map(|(_, found)| found).max_by(|a, b| a.mean.total_cmp(&b.mean));
        best.unwrap_or(&self.guessed.survived)
    }

    fn in_words(&self) -> String {
        let Guessed { texts, words, survived, attackers, kinds } = &self.guessed;
        let knows = |attacker: &TokenAttacker| match attacker {
            TokenAttacker::Likelihood => "found by what the veil does",
            TokenAttacker::Unigram => "… and how frequent words are",
            TokenAttacker::Language => "… and which words follow each other",
            TokenAttacker::Neural => "… and what a language model reads",
            _ => attacker.name(),
        };
        let mut text = format!(
            "An attacker who knows the originals of half of the texts, tried on the other {texts}: {words} sensitive words.\n\n"
        );
        text += &format!("  {:<44} {}\n", "words that came out as they were", percent(survived));
        for (attacker, found) in attackers {
            text += &format!("  {:<44} {}\n", knows(attacker), percent(found));
        }
        text += "\n  by kind, found by the best attacker\n";
        for (kind, [count, hits]) in kinds {
            text += &format!(
                "    {kind:<42} {:5.1} %  of {count}\n",
                100.0 * f64::from(*hits) / f64::from(*count)
            );
        }
        text += &format!(
            "\nOf {} released texts, {:.1} % are most similar to their own original: they can be linked to it by whoever holds both.\n\n{}\n",
            self.linked,
            100.0 * self.exposure,
            self.advice()
        );
        text
    }

    /// What would be safer.
    fn advice(&self) -> String {
        let worst = self.worst().high;
        let weakest = self
            .guessed
            .kinds
            .iter()
            .filter(|(_, [count, _])| *count >= 10)
            .max_by(|a, b| (a.1[1] * b.1[0]).cmp(&(b.1[1] * a.1[0])));
        let also = match weakest {
            Some((kind, [_, hits])) if *hits > 0 => format!(" Weakest is {kind}."),
            _ => String::new(),
        };
        match worst {
            // Nothing came through, and yet some is known: from the words around it.
            share if share >= 0.02 && self.guessed.survived.high < 0.02 => format!(
                "No sensitive word came through; what is found is guessed from the words around it, as it could be from any gap. \
                 Noise on these words too makes that harder (--preset strict).{also}"
            ),
            share if share >= 0.1 => format!(
                "Safer: replace what is sensitive instead of noising it (`inkveil text --preset strict`, or --budgets 0,0,… with \
                 --at-zero surrogate), or lower the budgets of groups 1 and 2; `inkveil curves` shows what each ε lets through.{also}"
            ),
            share if share >= 0.02 => format!(
                "Some of it comes back. If no sensitive word may, replace them: `inkveil text --preset strict`.{also}"
            ),
            _ => "These attackers find next to nothing. Others may know more about the people in the texts than these did.".to_owned(),
        }
    }

    fn json(&self) -> serde_json::Value {
        let attackers: serde_json::Map<String, serde_json::Value> = self
            .guessed
            .attackers
            .iter()
            .map(|(attacker, found)| (attacker.name().to_owned(), json!(found)))
            .collect();
        json!({
            "attacked_texts": self.guessed.texts,
            "sensitive_words": self.guessed.words,
            "survived": self.guessed.survived,
            "found": attackers,
            "kinds": self.guessed.kinds.iter().map(|(kind, [count, hits])| {
                (kind.clone(), json!({"words": count, "found": hits}))
            }).collect::<serde_json::Map<_, _>>(),
            "linked_to_original": self.exposure,
            "advice": self.advice(),
        })
    }
}
