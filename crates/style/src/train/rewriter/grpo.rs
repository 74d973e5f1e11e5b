//! Group-relative policy optimisation: the model samples several rewrites of each text and learns
//! from their rewards (section 3.5 of the paper).

use std::path::Path;

use inkveil_nn::generate::Continuation;
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Schedule};
use inkveil_nn::{Device, SplitMix, Tensor};
use serde::{Deserialize, Serialize};

use super::super::checkpoint::Checkpoint;
use super::authors::AuthorModel;
use super::objective::{Leash, advantages, grpo_objective};
use super::order::order;
use super::pairs;
use super::reward::{Reward, RewardSettings};
use crate::policy::{Learning, Policy};
use crate::rewrite::{
    Candidate, Draft, DraftSettings, FactRule, Judge, RewriteRules, RewriteSource, rewrite_prompt,
    token_limit,
};
use crate::{AuthorText, Error, ErrorKind, Memory, digest};

/// How a policy is fine-tuned by reward.
#[derive(Debug, Clone, PartialEq)]
pub struct GrpoPlan {
    /// The number of steps.
    pub steps: u64,
    /// The number of texts in a step.
    pub texts: usize,
    /// The number of rewrites of each text: the paper's G.
    pub group: usize,
    /// The sampling temperature.
    pub temperature: f64,
    /// The number of texts to draw from.
    pub pool: usize,
    /// The number of updates from each sample.
    pub updates: usize,
    /// The number of rewrites that are computed at once. The gradients of a step are summed.
    pub at_once: usize,
    /// The largest number of tokens of a rewrite.
    pub max_tokens: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// The norm to which gradients are clipped.
    pub clip_norm: f64,
    /// The rank of the adapters, unless they are continued from a file.
    pub rank: usize,
    /// The limits of a step.
    pub leash: Leash,
    /// The settings of the reward.
    pub reward: RewardSettings,
    /// The number of authors of the attribution model.
    pub authors: usize,
    /// Whether good rewrites are added to the memory.
    pub refresh: bool,
    /// The number of steps between two checkpoints.
    pub check_every: u64,
    /// The seed of the sample of texts and of the rewrites.
    pub seed: u64,
}

impl Default for GrpoPlan {
    /// The values of the paper's Appendix E, as far as it gives them. Its epochs are counted in
    /// steps here.
    fn default() -> Self {
        Self {
            steps: 200,
            texts: 16,
            group: 16,
            temperature: 1.0,
            pool: 4000,
            updates: 1,
            at_once: 64,
            max_tokens: 256,
            rate: 5e-5,
            clip_norm: 0.1,
            rank: 16,
            leash: Leash::default(),
            reward: RewardSettings::default(),
            authors: 200,
            refresh: false,
            check_every: 20,
            seed: 1,
        }
    }
}

/// A point of the training curve: means over the rewrites of a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GrpoPoint {
    /// The step.
    pub step: u64,
    /// The reward.
    pub reward: Reward,
    /// The share of the meaning that was kept.
    pub meaning: f64,
    /// The share of rewrites with an obvious fault: empty, unfinished, a copy, or far shorter or
    /// longer.
    pub faulty: f64,
    /// The divergence from the reference, per token.
    pub divergence: f64,
    /// The share of tokens whose ratio was clipped.
    pub clipped: f64,
    /// Tokens per rewrite.
    pub tokens: f64,
    /// The norm of the gradients before they were clipped.
    pub gradient: f64,
}

/// The models of a run.
pub struct GrpoTools<'a> {
    /// Measures rewrites; its geometry is that of `memory` at the start.
    pub judge: Judge<'a>,
    /// The memory of styles.
    pub memory: &'a Memory,
    /// The attribution model.
    pub authors: &'a AuthorModel,
    /// The policy that learns.
    pub policy: &'a Policy,
    /// The policy that the learning one must stay near to.
    pub reference: &'a Policy,
}

/// The models of a run that are opened for it.
pub struct GrpoModels {
    /// The attribution model, trained on the texts of the run.
    pub authors: AuthorModel,
    policy: Policy,
    reference: Policy,
}

impl GrpoModels {
    /// Trains the attribution model, and opens a language model twice: to learn and for reference. Both start from
    /// the adapters of a file if one is given.
    ///
    /// # Errors
    /// If there are too few texts, or the model or the adapters cannot be read.
    pub fn open(
        model: &Path,
        adapters: Option<&Path>,
        texts: &[AuthorText],
        plan: &GrpoPlan,
        device: &Device,
    ) -> Result<Self, Error> {
        let learning = Learning::Adapters { rank: plan.rank, seed: plan.seed };
        Ok(Self {
            authors: AuthorModel::train(texts, plan.authors, plan.seed)?,
            policy: Policy::open(model, adapters, learning, device)?,
            reference: Policy::open(model, adapters, Learning::Nothing, device)?,
        })
    }

    /// Returns the models with a judge, for [`grpo`].
    pub fn tools<'a>(&'a self, judge: Judge<'a>) -> GrpoTools<'a> {
        let Self { authors, policy, reference } = self;
        GrpoTools { judge, memory: judge.geometry.memory(), authors, policy, reference }
    }
}

/// Fine-tunes a policy by the rewards of its rewrites, on texts by authors that the attribution
/// model knows. The checkpoint is `out` with the extension `.checkpoint`; a run with the same texts
/// and settings resumes from it.
///
/// # Errors
/// If there is no text to rewrite, a model fails, or `report` returned false; a checkpoint is
/// written then.
pub fn grpo(
    tools: &GrpoTools<'_>,
    texts: &[AuthorText],
    plan: &GrpoPlan,
    out: &Path,
    report: &mut dyn FnMut(&GrpoPoint) -> bool,
) -> Result<Vec<GrpoPoint>, Error> {
    let known: Vec<AuthorText> =
        texts.iter().filter(|text| tools.authors.knows(&text.author)).cloned().collect();
    let pool = pairs::sample(&known, plan.pool, plan.seed);
    if pool.is_empty() {
        return Err(Error::too_few("no text is long enough to be rewritten; add texts of several sentences"));
    }
    let schedule =
        Schedule { peak: plan.rate, warm_up: plan.steps / 10 + 1, steps: plan.steps, decay: Decay::Cosine };
    let settings = AdamWSettings { beta2: 0.99, weight_decay: 0.1, ..Default::default() };
    let mut optimiser = AdamW::new(tools.policy.variables(), settings)?;
    let mut gradients = Gradients::new(tools.policy.variables());
    let memory_file = out.with_extension("memory");
    let checkpoint = Checkpoint::new(out, checksum(&pool, plan));
    let restored: Option<Vec<GrpoPoint>> = checkpoint.restore(&mut optimiser)?;
    let mut memory = match (&restored, plan.refresh) {
        (Some(_), true) => Memory::open(&memory_file)?,
        _ => tools.memory.clone(),
    };
    let mut curve = restored.unwrap_or_default();
    // The optimiser counts every update as a step.
    while (curve.len() as u64) < plan.steps {
        let step = curve.len() as u64;
        let geometry = memory.geometry()?;
        let judge = Judge { geometry: &geometry, ..tools.judge };
        let drawn = Drawn::new(tools, &judge, &pool, plan, step)?;
        let mut learnt = Learnt::default();
        let mut before: Option<Vec<Tensor>> = None;
        for _ in 0..plan.updates.max(1) {
            learnt = drawn.learn(tools, plan, &mut gradients, &mut before)?;
            learnt.gradient = gradients.clip(plan.clip_norm)?;
            optimiser.step(&mut gradients, schedule.rate(step))?;
        }
        if plan.refresh {
            let fresh = drawn.good(tools, plan)?;
            memory.add(&fresh, None)?;
        }
        let point = drawn.point(step + 1, &learnt);
        curve.push(point);
        let continues = report(&point);
        if (step + 1).is_multiple_of(plan.check_every) || !continues {
            if plan.refresh {
                inkveil_files::write_atomically(&memory_file, &memory.to_bytes()?, true)?;
            }
            checkpoint.save(&optimiser, &curve)?;
        }
        if !continues {
            return Err(ErrorKind::Stopped.into());
        }
    }
    tools.policy.save(out)?;
    Ok(curve)
}

/// The rewrites of a step and their rewards.
struct Drawn {
    prompts: Vec<Vec<u32>>,
    answers: Vec<Vec<u32>>,
    candidates: Vec<Candidate>,
    rewards: Vec<Reward>,
    advantages: Vec<f64>,
    group: usize,
}

#[derive(Default)]
struct Learnt {
    divergence: f64,
    clipped: f64,
    gradient: f64,
}

impl Drawn {
    fn new(
        tools: &GrpoTools<'_>,
        judge: &Judge<'_>,
        pool: &[AuthorText],
        plan: &GrpoPlan,
        step: u64,
    ) -> Result<Self, Error> {
        let first = step * plan.texts as u64;
        let places = order(pool.len(), first..first + plan.texts as u64, plan.seed, "pool");
        let texts: Vec<&str> = places.map(|index| pool[index].text.as_str()).collect();
        let seed = SplitMix::named(plan.seed, "step", &[step]).next();
        let seeded: Vec<(&str, u64)> =
            texts.iter().enumerate().map(|(index, text)| (*text, seed.wrapping_add(index as u64))).collect();
        let sources = judge.sources(&seeded)?;
        let memory = judge.geometry.memory();
        let prompts = sources
            .iter()
            .map(|source| {
                let example = memory.text(source.reference);
                tools.policy.prompt(&rewrite_prompt(&source.text, source.outlier, example))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let draft = DraftSettings {
            count: plan.group,
            temperature: plan.temperature,
            top_p: 1.0,
            max_tokens: token_limit(texts.iter().map(|text| text.len()).max().unwrap_or(0))
                .min(plan.max_tokens),
            avoid: 0.0,
        };
        let answers = tools.policy.sample(&prompts, &draft, seed)?;
        let drafts = answers.iter().map(|ids| tools.policy.text(ids)).collect::<Result<Vec<Draft>, _>>()?;
        let refs: Vec<&RewriteSource> = sources.iter().collect();
        let grouped = drafts.chunks(plan.group).map(<[Draft]>::to_vec).collect();
        // Everything that can be measured is, because a low reward is informative.
        let rules = RewriteRules { meaning: 0.0, facts: FactRule::Report, ..RewriteRules::default() };
        let candidates: Vec<Candidate> =
            judge.candidates(&rules, &refs, grouped)?.into_iter().flatten().collect();
        let whole: Vec<&str> = candidates.iter().map(|candidate| candidate.text.as_str()).collect();
        let uncertain = tools.authors.uncertainty(&whole)?;
        let found: Vec<Option<Reward>> = candidates
            .iter()
            .zip(uncertain)
            .enumerate()
            .map(|(index, (candidate, uncertain))| {
                let measures = candidate.measures.as_ref()?;
                Some(plan.reward.reward(&sources[index / plan.group], measures, uncertain))
            })
            .collect();
        let rewards: Vec<Reward> = found.chunks(plan.group).flat_map(RewardSettings::of_group).collect();
        let advantages = rewards
            .chunks(plan.group)
            .flat_map(|group| advantages(&group.iter().map(|reward| reward.total).collect::<Vec<_>>()))
            .collect();
        Ok(Self { prompts, answers, candidates, rewards, advantages, group: plan.group })
    }

    /// Adds the gradients of all rewrites. `before` holds the log-probabilities at the time of
    /// sampling, which the first update computes.
    fn learn(
        &self,
        tools: &GrpoTools<'_>,
        plan: &GrpoPlan,
        gradients: &mut Gradients,
        before: &mut Option<Vec<Tensor>>,
    ) -> Result<Learnt, Error> {
        let mut learnt = Learnt::default();
        let mut found = Vec::new();
        let rows: Vec<usize> = (0..self.answers.len()).collect();
        for (number, part) in rows.chunks(plan.at_once.max(1)).enumerate() {
            let texts: Vec<Continuation<'_>> = part
                .iter()
                .map(|&row| Continuation {
                    prompt: &self.prompts[row / self.group],
                    tokens: &self.answers[row],
                })
                .collect();
            let now = tools.policy.log_likelihoods(&texts)?;
            let reference = tools.reference.log_likelihoods(&texts)?.detach();
            let drawn = match before {
                Some(before) => before[number].clone(),
                None => now.detach(),
            };
            let (mut advantages, mut weights) = (Vec::new(), Vec::new());
            for &row in part {
                let length = self.answers[row].len();
                advantages.extend(std::iter::repeat_n(self.advantages[row] as f32, length));
                // All rewrites count the same, whatever their length.
                let weight = 1.0 / (length * self.answers.len()) as f32;
                weights.extend(std::iter::repeat_n(weight, length));
            }
            let objective = grpo_objective(&now, &drawn, &reference, &advantages, &weights, &plan.leash)?;
            gradients.add(&objective.loss, 1.0)?;
            learnt.divergence += objective.divergence;
            learnt.clipped += objective.clipped * part.len() as f64 / rows.len() as f64;
            found.push(drawn);
        }
        *before = Some(found);
        Ok(learnt)
    }

    /// Returns the style vectors of rewrites that keep the meaning.
    fn good(&self, tools: &GrpoTools<'_>, plan: &GrpoPlan) -> Result<Vec<f32>, Error> {
        let keeps = |candidate: &&Candidate| {
            candidate.measures.is_some_and(|measures| measures.meaning >= plan.reward.floor)
        };
        let texts: Vec<&str> =
            self.candidates.iter().filter(keeps).map(|candidate| candidate.text.as_str()).collect();
        Ok(tools.judge.encoder.encode(&texts)?.concat())
    }

    fn point(&self, step: u64, learnt: &Learnt) -> GrpoPoint {
        let count = self.rewards.len().max(1) as f64;
        let mean = |of: fn(&Reward) -> f64| self.rewards.iter().map(of).sum::<f64>() / count;
        let measured = || self.candidates.iter().filter_map(|candidate| candidate.measures);
        GrpoPoint {
            step,
            reward: Reward {
                uncertainty: mean(|reward| reward.uncertainty),
                style: mean(|reward| reward.style),
                entities: mean(|reward| reward.entities),
                wording: mean(|reward| reward.wording),
                facts: mean(|reward| reward.facts),
                meaning: mean(|reward| reward.meaning),
                total: mean(|reward| reward.total),
            },
            meaning: measured().map(|measures| measures.meaning).sum::<f64>()
                / measured().count().max(1) as f64,
            faulty: self.candidates.iter().filter(|candidate| candidate.fault.is_some()).count() as f64
                / count,
            divergence: learnt.divergence,
            clipped: learnt.clipped,
            tokens: self.answers.iter().map(Vec::len).sum::<usize>() as f64 / count,
            gradient: learnt.gradient,
        }
    }
}

/// Returns the number of steps until the smoothed uncertainty of the attribution model has covered
/// this share of its rise.
///
/// ```
/// use inkveil_style::train::{GrpoPoint, Reward, steps_to};
/// # let point = |step: u64| GrpoPoint {
/// #     step, reward: Reward { uncertainty: (step as f64 / 50.0).min(1.0), ..Reward::default() },
/// #     meaning: 0.9, faulty: 0.0, divergence: 0.0, clipped: 0.0, tokens: 9.0, gradient: 0.1,
/// # };
/// let curve: Vec<GrpoPoint> = (1..=100).map(point).collect();
/// assert!(steps_to(&curve, 0.8) < steps_to(&curve, 0.9));
/// ```
pub fn steps_to(curve: &[GrpoPoint], share: f64) -> Option<u64> {
    const WINDOW: usize = 5;
    let smooth: Vec<(u64, f64)> = curve
        .windows(WINDOW)
        .map(|window| {
            let mean = window.iter().map(|point| point.reward.uncertainty).sum::<f64>() / WINDOW as f64;
            (window[WINDOW - 1].step, mean)
        })
        .collect();
    let first = smooth.first()?.1;
    let best = smooth.iter().map(|(_, mean)| *mean).fold(first, f64::max);
    smooth.iter().find(|(_, mean)| *mean >= first + share * (best - first)).map(|(step, _)| *step)
}

fn checksum(pool: &[AuthorText], plan: &GrpoPlan) -> String {
    let plan = GrpoPlan { check_every: 0, at_once: 0, ..plan.clone() };
    let settings = format!("{plan:?}");
    digest::of_texts(std::iter::once(settings.as_str()).chain(pool.iter().map(|text| text.text.as_str())))
}
