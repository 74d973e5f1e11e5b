//! `inkveil style train`.

mod encoder;
mod rewriter;

use crate::args::{TrainArgs, TrainCommand};
use crate::outcome::Outcome;

pub(super) fn run(args: &TrainArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        TrainCommand::Encoder(args) => encoder::encoder(args),
        TrainCommand::Bootstrap(args) => rewriter::bootstrap(args),
        TrainCommand::Sft(args) => rewriter::sft(args),
        TrainCommand::Grpo(args) => rewriter::grpo(args),
    }
}
