//! `inkveil style`: how recognisable a text is, the memory behind that, and its training.

mod answer;
mod curve;
mod inputs;
mod map;
mod memory;
mod page;
mod risk;
mod tools;
mod train;

use crate::args::{StyleArgs, StyleCommand, TrainCommand};
use crate::outcome::Outcome;

pub(crate) fn run(args: &StyleArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        StyleCommand::Risk(args) => risk::run(args),
        StyleCommand::Memory(args) => memory::run(args),
        StyleCommand::Train(args) => match &args.command {
            TrainCommand::Encoder(args) => train::encoder(args),
        },
    }
}
