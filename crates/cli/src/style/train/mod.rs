//! `inkveil style train`.

mod curve;
mod encoder;
mod rewriter;

use anyhow::Context as _;
use inkveil_nn::Device;

use crate::args::{DeviceName, TrainArgs, TrainCommand};
use crate::outcome::Outcome;

pub(super) use self::rewriter::Measuring;

pub(super) fn run(args: &TrainArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        TrainCommand::Encoder(args) => encoder::encoder(args),
        TrainCommand::Bootstrap(args) => rewriter::bootstrap(args),
        TrainCommand::Sft(args) => rewriter::sft(args),
        TrainCommand::Grpo(args) => rewriter::grpo(args),
    }
}

/// Where a network computes.
pub(super) fn device(name: DeviceName) -> anyhow::Result<Device> {
    match name {
        DeviceName::Cpu => Ok(Device::Cpu),
        DeviceName::Cuda => inkveil_nn::gpu()
            .context("no GPU can be used; build with scripts/build-cuda, or leave --device out"),
    }
}
