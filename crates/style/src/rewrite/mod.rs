//! Rewriting toward common style: passages, candidates from a language model, and the choice among them. Measured, not promised.

mod choose;
mod judge;
mod passages;
mod prompt;
mod writer;

use std::fmt;

use inkveil_nn::Message;

pub use self::choose::{Candidate, Fault, Rules};
#[cfg(test)]
pub(crate) use self::judge::test_source;
pub use self::judge::{Judge, Measures, Source};
pub(crate) use self::passages::first_passage;
use self::passages::{Passage, passages};
pub use self::prompt::rewrite_prompt;
pub use self::writer::{ChatWriter, Draw, Writer, Written};
use crate::{Error, ErrorKind};

/// How texts are rewritten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RewriteSettings {
    /// How candidates are drawn.
    pub draw: Draw,
    /// How often candidates are drawn for a passage before it is given up.
    pub rounds: usize,
    /// Which candidates are good enough, and which is best.
    pub rules: Rules,
    /// What becomes of a passage for which no candidate was good enough.
    pub fallback: Fallback,
    /// How many passages are written at once.
    pub batch: usize,
}

impl Default for RewriteSettings {
    fn default() -> Self {
        let draw = Draw { count: 4, ..Draw::default() };
        Self { draw, rounds: 2, rules: Rules::default(), fallback: Fallback::Refuse, batch: 1 }
    }
}

/// What becomes of a passage for which no candidate was good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// The text is not released.
    Refuse,
    /// The candidate that keeps most of the meaning is taken, as in the paper.
    Closest,
    /// It stays as it is, with its style.
    Keep,
}

/// What became of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It was rewritten.
    Rewritten,
    /// No candidate was good enough; the one that keeps most of the meaning was taken.
    Closest,
    /// No candidate was good enough; it stayed as it was.
    Kept,
    /// It was too short to rewrite, and stayed as it was.
    Short,
    /// No candidate was good enough, and the text is not released.
    Refused,
}

/// A passage of a text, and what became of it. It holds no text.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageReport {
    /// What became of it.
    pub fate: Fate,
    /// What was measured of what was taken.
    pub measures: Option<Measures>,
    /// What was wrong with the candidates, one fault for each that was not good enough.
    pub faults: Vec<Fault>,
    /// How many candidates there were.
    pub candidates: usize,
    /// The most of the meaning that a candidate kept.
    pub closest: Option<f64>,
}

/// A text, rewritten.
#[derive(Clone)]
pub struct Rewrite {
    /// The new text; none if it was refused.
    pub text: Option<String>,
    /// Its passages.
    pub passages: Vec<PassageReport>,
    /// The whole source.
    pub source: Source,
    /// What was measured of the whole.
    pub measures: Option<Measures>,
}

impl Rewrite {
    /// How many passages had this fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.passages.iter().filter(|passage| passage.fate == fate).count()
    }
}

/// Texts are private.
impl fmt::Debug for Rewrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rewrite({} passages, {:?})", self.passages.len(), self.measures)
    }
}

/// How far rewriting is.
#[derive(Clone, Copy)]
pub enum Progress<'a> {
    /// So many of all passages are done.
    Passages(usize, usize),
    /// The next piece of the text with this number is certain. Texts come in order, and so do their pieces.
    Piece(usize, &'a str),
}

/// Rewrites texts toward common style (Algorithm 1 of the paper), passage by passage.
///
/// ```no_run
/// use std::path::Path;
/// use inkveil_chat::LocalChat;
/// use inkveil_detect::{Detector, Settings};
/// use inkveil_style::{ChatWriter, Judge, Meaning, Memory, RewriteSettings, Rewriter, StyleEncoder};
///
/// let pack = Path::new("models/en");
/// let (encoder, memory) = (StyleEncoder::open(pack)?, Memory::open(&pack.join("style.memory"))?);
/// let (meaning, detector) = (Meaning::open(pack)?, Detector::open(Some(pack), Settings::default())?);
/// let chat = LocalChat::open(Path::new("packs/smollm2"))?;
/// let judge =
///     Judge { encoder: &encoder, geometry: &memory.geometry()?, meaning: &meaning, detector: &detector };
/// let rewriter = Rewriter { judge, writer: &ChatWriter(Box::new(chat)), settings: RewriteSettings::default() };
/// let rewrite = rewriter.rewrite(&["Well; I never! A most peculiar evening, I must say."], &mut |_| true)?;
/// println!("{}", rewrite[0].text.as_deref().unwrap_or("no candidate was good enough"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rewriter<'a> {
    /// Measures candidates.
    pub judge: Judge<'a>,
    /// Writes them.
    pub writer: &'a dyn Writer,
    /// How.
    pub settings: RewriteSettings,
}

/// The tokens that a rewrite of a text of so many bytes may have: English has more than four bytes to a token, so this is half as long again.
pub(crate) fn room(bytes: usize) -> usize {
    bytes / 3 + 24
}

/// A passage that is being rewritten.
struct Work {
    text: usize,
    passage: Passage,
    source: Option<Source>,
    candidates: Vec<Candidate>,
    chosen: Option<usize>,
}

impl Rewriter<'_> {
    /// Rewrites texts; `report` is told how far it is, and says whether to go on.
    ///
    /// # Errors
    /// If a model fails, or `report` asked to stop.
    pub fn rewrite(
        &self,
        texts: &[&str],
        report: &mut dyn FnMut(Progress<'_>) -> bool,
    ) -> Result<Vec<Rewrite>, Error> {
        let mut work = self.work(texts)?;
        let all = work.len();
        let mut new = vec![String::new(); texts.len()];
        let mut ends = vec![0; texts.len()];
        let mut done = 0;
        while done < all {
            let batch = &mut work[done..(done + self.settings.batch.max(1)).min(all)];
            self.write(batch, done, all, report)?;
            for work in batch.iter() {
                let (text, at) = (texts[work.text], &mut ends[work.text]);
                let piece = text[*at..work.passage.range.start].to_owned() + self.taken(work, text);
                *at = work.passage.range.end;
                new[work.text].push_str(&piece);
                if !report(Progress::Piece(work.text, &piece)) {
                    return Err(ErrorKind::Stopped.into());
                }
            }
            done += batch.len();
            report(Progress::Passages(done, all));
        }
        for (index, (text, end)) in texts.iter().zip(&ends).enumerate() {
            new[index].push_str(&text[*end..]);
            report(Progress::Piece(index, &text[*end..]));
        }
        self.results(texts, new, &work)
    }

    /// The passages of all texts, with what is known of those that are rewritten.
    fn work(&self, texts: &[&str]) -> Result<Vec<Work>, Error> {
        let mut work: Vec<Work> = Vec::new();
        for (text, content) in texts.iter().enumerate() {
            let made = passages(content).into_iter().map(|passage| Work {
                text,
                passage,
                source: None,
                candidates: Vec::new(),
                chosen: None,
            });
            work.extend(made);
        }
        let rewritten = || work.iter().filter(|work| work.passage.rewritten);
        let pieces: Vec<&str> =
            rewritten().map(|work| &texts[work.text][work.passage.range.clone()]).collect();
        let sources = self.judge.sources(&pieces, self.settings.draw.seed)?;
        for (work, source) in work.iter_mut().filter(|work| work.passage.rewritten).zip(sources) {
            work.source = Some(source);
        }
        Ok(work)
    }

    /// Draws candidates for passages, and again for those that have no good one.
    fn write(
        &self,
        batch: &mut [Work],
        done: usize,
        all: usize,
        report: &mut dyn FnMut(Progress<'_>) -> bool,
    ) -> Result<(), Error> {
        for round in 0..self.settings.rounds.max(1) {
            let open: Vec<usize> = (0..batch.len())
                .filter(|&index| batch[index].source.is_some() && batch[index].chosen.is_none())
                .collect();
            if open.is_empty() {
                break;
            }
            let sources: Vec<&Source> =
                open.iter().filter_map(|&index| batch[index].source.as_ref()).collect();
            let prompts: Vec<Vec<Message>> = sources.iter().map(|source| self.prompt(source)).collect();
            let longest = sources.iter().map(|source| source.text.len()).max().unwrap_or(0);
            let draw = Draw {
                max_tokens: room(longest).min(self.settings.draw.max_tokens),
                seed: self.settings.draw.seed.wrapping_add((round * all + done) as u64),
                ..self.settings.draw
            };
            let written =
                self.writer.write(&prompts, &draw, &mut |_| report(Progress::Passages(done, all)))?;
            let made = self.judge.candidates(&self.settings.rules, &sources, written)?;
            for (&index, candidates) in open.iter().zip(made) {
                let work = &mut batch[index];
                work.candidates.extend(candidates);
                work.chosen = self.settings.rules.choose(&work.candidates);
            }
        }
        for work in batch {
            if work.chosen.is_none() && self.settings.fallback == Fallback::Closest {
                work.chosen = self.settings.rules.closest(&work.candidates);
            }
        }
        Ok(())
    }

    fn prompt(&self, source: &Source) -> Vec<Message> {
        let example = self.judge.geometry.memory().text(source.reference);
        rewrite_prompt(&source.text, source.outlier, example)
    }

    fn fate(&self, work: &Work) -> Fate {
        let Some(chosen) = work.chosen else {
            return match self.settings.fallback {
                _ if work.source.is_none() => Fate::Short,
                Fallback::Keep => Fate::Kept,
                Fallback::Refuse | Fallback::Closest => Fate::Refused,
            };
        };
        match work.candidates.get(chosen).and_then(|candidate| candidate.fault) {
            None => Fate::Rewritten,
            Some(_) => Fate::Closest,
        }
    }

    /// What stands in the new text for a passage.
    fn taken<'a>(&self, work: &'a Work, text: &'a str) -> &'a str {
        match (self.fate(work), work.chosen) {
            (Fate::Kept | Fate::Short, _) => &text[work.passage.range.clone()],
            (_, Some(chosen)) => work.candidates.get(chosen).map_or("", |candidate| &candidate.text),
            (_, None) => "",
        }
    }

    fn results(&self, texts: &[&str], new: Vec<String>, work: &[Work]) -> Result<Vec<Rewrite>, Error> {
        let sources = self.judge.sources(texts, self.settings.draw.seed)?;
        let pairs: Vec<(&Source, &str)> = sources.iter().zip(new.iter().map(String::as_str)).collect();
        let measures = self.judge.measure(&pairs)?;
        let mut reports: Vec<Vec<PassageReport>> = vec![Vec::new(); texts.len()];
        for work in work {
            let candidates = &work.candidates;
            let measured = |candidate: &Candidate| candidate.measures.map(|measures| measures.meaning);
            reports[work.text].push(PassageReport {
                fate: self.fate(work),
                measures: work.chosen.and_then(|chosen| candidates.get(chosen)?.measures),
                faults: candidates.iter().filter_map(|candidate| candidate.fault).collect(),
                candidates: candidates.len(),
                closest: candidates.iter().filter_map(measured).max_by(f64::total_cmp),
            });
        }
        let parts = sources.into_iter().zip(new).zip(measures.into_iter().zip(reports));
        Ok(parts
            .map(|((source, text), (measures, passages))| {
                let released = passages.iter().all(|passage| passage.fate != Fate::Refused);
                Rewrite {
                    text: released.then_some(text),
                    passages,
                    source,
                    measures: released.then_some(measures),
                }
            })
            .collect())
    }
}
