//! Rewrites by a teacher, from which a smaller model learns (section 3.4 of the paper).

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use inkveil_chat::AvoidedWords;

use super::pairs::{self, RewritePair};
use crate::rewrite::{
    Candidate, DraftRequest, DraftSettings, DraftWriter, Judge, RewriteRules, RewriteSource, rewrite_prompt,
    token_limit,
};
use crate::{AuthorText, Error, digest};

/// How a teacher rewrites texts.
#[derive(Debug, Clone, PartialEq)]
pub struct BootstrapPlan {
    /// The number of texts.
    pub texts: usize,
    /// How candidates are sampled.
    pub draft: DraftSettings,
    /// How a candidate is chosen.
    pub rules: RewriteRules,
    /// The number of texts that are processed together.
    pub batch: usize,
    /// The seed of the sample of texts and of the candidates.
    pub seed: u64,
}

impl Default for BootstrapPlan {
    fn default() -> Self {
        Self {
            texts: 4000,
            draft: DraftSettings::default(),
            rules: RewriteRules::default(),
            batch: 96,
            seed: 1,
        }
    }
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BootstrapPoint {
    /// The number of texts that are done.
    pub done: usize,
    /// The number of all texts.
    pub all: usize,
    /// The number of texts with a good enough rewrite.
    pub good: usize,
}

/// Lets a teacher rewrite texts and appends a row for each to `out`, batch by batch. A run that
/// finds its own rows resumes after them. Texts without any draft have no row.
///
/// # Errors
/// If the teacher fails, the file cannot be written or holds rows of other texts, or `report`
/// returned false. Rows that were written are kept.
pub fn bootstrap(
    judge: &Judge<'_>,
    teacher: &dyn DraftWriter,
    texts: &[AuthorText],
    plan: &BootstrapPlan,
    out: &Path,
    report: &mut dyn FnMut(&BootstrapPoint) -> bool,
) -> Result<BootstrapPoint, Error> {
    let texts = pairs::sample(texts, plan.texts, plan.seed);
    if texts.is_empty() {
        return Err(Error::too_few("no text is long enough to be rewritten; add texts of several sentences"));
    }
    let failed = |error: std::io::Error| Error::io("write it", &error).of(out.display());
    let marker = out.with_extension("done");
    let run = checksum(&texts, plan);
    let mut point = BootstrapPoint { done: 0, all: texts.len(), good: 0 };
    if out.exists() {
        let note = std::fs::read_to_string(&marker).unwrap_or_default();
        let (found, done) = note.trim().split_once(' ').unwrap_or_default();
        if found != run {
            return Err(Error::file(
                out,
                "it contains rewrites of other texts or settings; remove it, or name another file",
            ));
        }
        point.done = done.parse().unwrap_or(0).min(texts.len());
        // Rows after the last complete batch are written again.
        let kept: Vec<RewritePair> =
            pairs::read(out)?.into_iter().filter(|pair| pair.row < point.done).collect();
        point.good = kept.iter().filter(|pair| pair.fault.is_none()).count();
        let lines: Vec<String> = kept.iter().map(line).collect();
        inkveil_files::write_private(out, lines.concat().as_bytes(), true)?;
    }
    // The rows hold the texts.
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(out).map_err(failed)?;
    while point.done < texts.len() {
        if !report(&point) {
            return Err(crate::ErrorKind::Stopped.into());
        }
        let batch = &texts[point.done..(point.done + plan.batch.max(1)).min(texts.len())];
        let made = rewrite(judge, teacher, batch, plan, point.done)?;
        for pair in made {
            point.good += usize::from(pair.fault.is_none());
            file.write_all(line(&pair).as_bytes()).map_err(failed)?;
        }
        file.sync_data().map_err(failed)?;
        point.done += batch.len();
        inkveil_files::write_atomically(&marker, format!("{run} {}\n", point.done).as_bytes(), true)?;
    }
    report(&point);
    Ok(point)
}

fn rewrite(
    judge: &Judge<'_>,
    teacher: &dyn DraftWriter,
    batch: &[AuthorText],
    plan: &BootstrapPlan,
    first: usize,
) -> Result<Vec<RewritePair>, Error> {
    let seed = |index: usize| plan.seed.wrapping_add((first + index) as u64);
    let texts: Vec<(&str, u64)> =
        batch.iter().enumerate().map(|(index, text)| (text.text.as_str(), seed(index))).collect();
    let sources = judge.sources(&texts)?;
    let sources: Vec<&RewriteSource> = sources.iter().collect();
    let memory = judge.geometry.memory();
    let requests: Vec<DraftRequest> = sources
        .iter()
        .enumerate()
        .map(|(index, source)| DraftRequest {
            messages: rewrite_prompt(&source.text, source.outlier, memory.text(source.reference)),
            max_tokens: token_limit(source.text.len()).min(plan.draft.max_tokens),
            avoid: AvoidedWords::default(),
            seed: seed(index),
        })
        .collect();
    let drafts = teacher.write(&requests, &plan.draft, &mut |_| true)?;
    let candidates = judge.candidates(&plan.rules, &sources, drafts)?;
    let rows = batch.iter().zip(sources).zip(candidates).enumerate();
    let pair =
        |(index, ((text, source), candidates)): (usize, ((&AuthorText, &RewriteSource), Vec<Candidate>))| {
            let chosen = plan.rules.choose(&candidates).or_else(|| plan.rules.closest(&candidates))?;
            let candidate = candidates.get(chosen)?;
            let measures = candidate.measures?;
            Some(RewritePair {
                row: first + index,
                author: text.author.clone(),
                text: text.text.clone(),
                rewrite: candidate.text.clone(),
                outlier: source.outlier,
                meaning: measures.meaning,
                fitness: plan.rules.fitness(&measures),
                fault: candidate.fault,
            })
        };
    Ok(rows.filter_map(pair).collect())
}

fn line(pair: &RewritePair) -> String {
    serde_json::to_string(pair).unwrap_or_default() + "\n"
}

fn checksum(texts: &[AuthorText], plan: &BootstrapPlan) -> String {
    let BootstrapPlan { draft, rules, batch, seed, .. } = plan;
    let settings = format!("{draft:?} {rules:?} {batch} {seed}");
    digest::of_texts(std::iter::once(settings.as_str()).chain(texts.iter().map(|text| text.text.as_str())))
}
