//! Training of the language model that rewrites: a teacher's rewrites, fine-tuning on them, and
//! fine-tuning by reward.

mod authors;
mod bootstrap;
mod grpo;
mod objective;
mod order;
mod pairs;
mod reward;
mod settings;
mod sft;

pub use crate::policy::{Learning, Policy};
pub use authors::AuthorModel;
pub use bootstrap::{BootstrapPlan, BootstrapPoint, bootstrap};
pub use grpo::{GrpoPlan, GrpoPoint, GrpoTools, grpo, steps_to};
pub use objective::{Leash, Objective, advantages, grpo_objective};
pub use pairs::RewritePair;
pub use reward::{Reward, RewardSettings};
pub use settings::RewriterSettings;
pub use sft::{SftPlan, SftPoint, sft};
