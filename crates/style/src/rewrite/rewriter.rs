//! Algorithm 1 of the paper, passage by passage.

use inkveil_chat::AvoidedWords;
use inkveil_nn::SplitMix;

use super::choose::{Candidate, CandidateFault};
use super::judge::{Judge, RewriteSource};
use super::measures::RewriteMeasures;
use super::passages::{Passage, PassageKind, passages};
use super::prompt::rewrite_prompt;
use super::report::{PassageOutcome, PassageReport, Rewrite, RewriteProgress};
use super::settings::{Fallback, RewriteSettings};
use super::wording::words_to_avoid;
use super::writer::{DraftRequest, DraftWriter, token_limit};
use crate::{Error, ErrorKind, FactChanges};

/// Rewrites texts toward a common style (Algorithm 1 of the paper), passage by passage.
///
/// [`StyleVeil`](crate::StyleVeil) owns its models and writes receipts; this type borrows them.
pub struct Rewriter<'a> {
    /// Measures candidates.
    pub judge: Judge<'a>,
    /// Writes candidates.
    pub writer: &'a dyn DraftWriter,
    /// How texts are rewritten.
    pub settings: RewriteSettings,
}

/// The address of a passage.
struct Place {
    /// The position of its text in the call.
    text: usize,
    /// Its position among the passages of the text.
    number: usize,
    passage: Passage,
}

/// A passage whose candidates are being sampled.
struct OpenPassage {
    source: RewriteSource,
    candidates: Vec<Candidate>,
    chosen: Option<usize>,
}

impl OpenPassage {
    /// The text to rewrite next.
    fn text(&self) -> &str {
        let chosen = self.chosen.and_then(|chosen| self.candidates.get(chosen));
        chosen.map_or(&self.source.text, |chosen| &chosen.text)
    }
}

/// A new text that grows passage by passage.
#[derive(Default)]
struct NewText {
    text: String,
    /// Where the part of the original that is done ends.
    end: usize,
    passages: Vec<PassageReport>,
}

impl Rewriter<'_> {
    /// Rewrites texts. `progress` returns whether to continue.
    ///
    /// Text i of the call has the index `first` + i. The random draws for a passage depend on `seed`, the index of its text
    /// and its position in the text, and on nothing else. A local model on a CPU therefore gives a text the same
    /// rewrite whichever texts come with it. A GPU computes many passages together, so there the same call
    /// gives the same rewrites.
    ///
    /// # Errors
    /// If a model fails, or `progress` returned false.
    pub fn rewrite(
        &self,
        texts: &[&str],
        first: u64,
        seed: u64,
        progress: &mut dyn FnMut(RewriteProgress<'_>) -> bool,
    ) -> Result<Vec<Rewrite>, Error> {
        let places = places(texts);
        let all = places.len();
        let mut new: Vec<NewText> = texts.iter().map(|_| NewText::default()).collect();
        let mut done = 0;
        for batch in places.chunks(self.writer.batch().max(1)) {
            let seeds = |place: &Place, what: &str, round: usize| {
                passage_seed(seed, what, first + place.text as u64, place.number, round)
            };
            let mut report = || progress(RewriteProgress::Passages { done, all });
            let taken = self.rewrite_batch(texts, batch, &seeds, &mut report)?;
            done += batch.len();
            for (place, mut report) in batch.iter().zip(taken) {
                let (text, new) = (texts[place.text], &mut new[place.text]);
                let kept = &text[place.passage.range.clone()];
                report.range = place.passage.range.clone();
                let piece = text[new.end..place.passage.range.start].to_owned()
                    + report.text.as_deref().unwrap_or(match report.outcome {
                        PassageOutcome::Refused => "",
                        _ => kept,
                    });
                new.end = place.passage.range.end;
                new.text.push_str(&piece);
                new.passages.push(report);
                if !progress(RewriteProgress::Piece { text: place.text, piece: &piece }) {
                    return Err(ErrorKind::Stopped.into());
                }
            }
            progress(RewriteProgress::Passages { done, all });
        }
        for (index, (text, new)) in texts.iter().zip(&mut new).enumerate() {
            let piece = &text[new.end..];
            new.text.push_str(piece);
            progress(RewriteProgress::Piece { text: index, piece });
        }
        self.measured(texts, new)
    }

    /// Rewrites passages together. The reports do not know yet where their passages are.
    fn rewrite_batch(
        &self,
        texts: &[&str],
        batch: &[Place],
        seeds: &dyn Fn(&Place, &str, usize) -> u64,
        report: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<PassageReport>, Error> {
        let open: Vec<&Place> = batch.iter().filter(|place| place.passage.is_rewritten()).collect();
        let pieces: Vec<(&str, u64)> = open
            .iter()
            .map(|place| (&texts[place.text][place.passage.range.clone()], seeds(place, "reference", 0)))
            .collect();
        let sources = self.judge.sources(&pieces)?;
        let mut work: Vec<OpenPassage> = sources
            .into_iter()
            .map(|source| OpenPassage { source, candidates: Vec::new(), chosen: None })
            .collect();
        for round in 0..self.settings.rounds.max(1) {
            let seed = |index: usize| seeds(open[index], "draft", round);
            if !self.round(&mut work, &seed, report)? {
                break;
            }
        }
        for pass in 1..self.settings.passes {
            let seed = |index: usize| seeds(open[index], "again", pass);
            self.rewrite_again(&mut work, &seed, report)?;
        }
        let mut work = work.into_iter();
        batch
            .iter()
            .map(|place| match place.passage.is_rewritten().then(|| work.next()).flatten() {
                Some(work) => self.report(work),
                None => Ok(kept_passage(place.passage.kind)),
            })
            .collect()
    }

    /// Samples candidates for the passages that have no good one. Returns whether there were any.
    fn round(
        &self,
        work: &mut [OpenPassage],
        seed: &dyn Fn(usize) -> u64,
        report: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Error> {
        let open: Vec<usize> = (0..work.len()).filter(|&index| work[index].chosen.is_none()).collect();
        if open.is_empty() {
            return Ok(false);
        }
        self.sample(work, &open, seed, report)?;
        Ok(true)
    }

    /// Rewrites the chosen candidates once more. A candidate that is worse than the one before is not chosen, because
    /// all are compared with the original.
    fn rewrite_again(
        &self,
        work: &mut [OpenPassage],
        seed: &dyn Fn(usize) -> u64,
        report: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        let chosen: Vec<usize> = (0..work.len()).filter(|&index| work[index].chosen.is_some()).collect();
        match chosen.is_empty() {
            true => Ok(()),
            false => self.sample(work, &chosen, seed, report),
        }
    }

    /// Samples candidates for these passages: from the chosen candidate of a passage, or from the original if none is
    /// chosen yet.
    fn sample(
        &self,
        work: &mut [OpenPassage],
        open: &[usize],
        seed: &dyn Fn(usize) -> u64,
        report: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        let sources: Vec<&RewriteSource> = open.iter().map(|&index| &work[index].source).collect();
        let memory = self.judge.geometry.memory();
        let avoids = self.settings.draft.avoid > 0.0;
        let requests: Vec<DraftRequest> = open
            .iter()
            .zip(&sources)
            .map(|(&index, source)| DraftRequest {
                messages: rewrite_prompt(work[index].text(), source.outlier, memory.text(source.reference)),
                max_tokens: token_limit(source.text.len()).min(self.settings.draft.max_tokens),
                avoid: if avoids { words_to_avoid(&source.text) } else { AvoidedWords::default() },
                seed: seed(index),
            })
            .collect();
        let drafts = self.writer.write(&requests, &self.settings.draft, &mut |_| report())?;
        let candidates = self.judge.candidates(&self.settings.rules, &sources, drafts)?;
        for (&index, candidates) in open.iter().zip(candidates) {
            let work = &mut work[index];
            work.candidates.extend(candidates);
            work.chosen = self.settings.rules.choose(&work.candidates);
            if self.settings.mixed {
                // Dozens of mixtures are measured for each passage, which takes seconds.
                if !report() {
                    return Err(ErrorKind::Stopped.into());
                }
                let OpenPassage { source, candidates, chosen } = work;
                let mixture = self.judge.mix(&self.settings.rules, source, candidates, *chosen)?;
                candidates.extend(mixture);
                *chosen = self.settings.rules.choose(candidates);
            }
        }
        Ok(())
    }

    fn report(&self, work: OpenPassage) -> Result<PassageReport, Error> {
        let OpenPassage { source, candidates, chosen } = work;
        let rules = &self.settings.rules;
        let (outcome, chosen) = match (chosen, self.settings.fallback) {
            (Some(chosen), _) => (PassageOutcome::Rewritten, Some(chosen)),
            (None, Fallback::Keep) => (PassageOutcome::Kept, None),
            (None, Fallback::Refuse) => (PassageOutcome::Refused, None),
            (None, Fallback::Closest) => match rules.closest(&candidates) {
                Some(closest) => (PassageOutcome::Closest, Some(closest)),
                // Every candidate is a copy, or no text at all. The receipt counts what was kept.
                None => (PassageOutcome::Kept, None),
            },
        };
        let chosen = chosen.and_then(|chosen| candidates.get(chosen));
        let changes = match chosen {
            Some(chosen) => self.judge.changes(&[(&source, chosen.text.as_str())])?.pop().unwrap_or_default(),
            None => FactChanges::default(),
        };
        let meanings = candidates.iter().filter_map(|candidate| Some(candidate.measures?.meaning));
        let faults: Vec<CandidateFault> = candidates.iter().filter_map(|candidate| candidate.fault).collect();
        Ok(PassageReport {
            range: 0..0,
            text: chosen.map(|candidate| candidate.text.clone()),
            outcome,
            measures: chosen.and_then(|candidate| candidate.measures),
            faults,
            candidates: candidates.len(),
            closest: meanings.max_by(f64::total_cmp),
            changes,
            sentences: Vec::new(),
        })
    }

    /// Measures whole texts. A few at a time: the vectors of all words of many texts would fill the memory.
    fn measured(&self, texts: &[&str], new: Vec<NewText>) -> Result<Vec<Rewrite>, Error> {
        let mut rewrites = Vec::with_capacity(texts.len());
        let at_once = self.writer.batch().max(1);
        let mut new = new.into_iter();
        for originals in texts.chunks(at_once) {
            // The reference prototype of a whole text is not used, so its seed does not matter.
            let originals: Vec<(&str, u64)> = originals.iter().map(|text| (*text, 0)).collect();
            let sources = self.judge.sources(&originals)?;
            let new: Vec<NewText> = new.by_ref().take(sources.len()).collect();
            let pairs: Vec<(&RewriteSource, &str)> =
                sources.iter().zip(new.iter().map(|new| new.text.as_str())).collect();
            let measures = self.judge.measure(&pairs)?;
            rewrites.extend(sources.iter().zip(new).zip(measures).map(rewrite));
        }
        Ok(rewrites)
    }
}

fn rewrite(((source, new), measures): ((&RewriteSource, NewText), RewriteMeasures)) -> Rewrite {
    let released = new.passages.iter().all(|passage| passage.outcome != PassageOutcome::Refused);
    Rewrite {
        original: source.text.clone(),
        text: released.then_some(new.text),
        passages: new.passages,
        source: source.measures(),
        measures: released.then_some(measures),
        goal: None,
    }
}

fn places(texts: &[&str]) -> Vec<Place> {
    let of_text = |(text, content): (usize, &&str)| {
        let places = passages(content).into_iter().enumerate();
        places.map(move |(number, passage)| Place { text, number, passage }).collect::<Vec<_>>()
    };
    texts.iter().enumerate().flat_map(of_text).collect()
}

/// Returns the seed of a passage. It has 31 bits, because some servers refuse larger numbers.
fn passage_seed(seed: u64, what: &str, text: u64, passage: usize, round: usize) -> u64 {
    SplitMix::named(seed, what, &[text, passage as u64, round as u64]).next() >> 33
}

fn kept_passage(kind: PassageKind) -> PassageReport {
    PassageReport {
        range: 0..0,
        text: None,
        outcome: if kind == PassageKind::Fixed { PassageOutcome::Fixed } else { PassageOutcome::Short },
        measures: None,
        faults: Vec::new(),
        candidates: 0,
        closest: None,
        changes: FactChanges::default(),
        sentences: Vec::new(),
    }
}
