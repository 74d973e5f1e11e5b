//! `inkveil style`: the risk of a text, memories of styles, rewriting, and training.

mod inputs;
mod memory;
mod rewrite;
mod risk;
mod train;

use crate::args::{StyleArgs, StyleCommand};
use crate::outcome::Outcome;

pub(crate) fn run(args: &StyleArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        StyleCommand::Risk(args) => risk::run(args),
        StyleCommand::Memory(args) => memory::run(args),
        StyleCommand::Rewrite(args) => rewrite::run(args),
        StyleCommand::Train(args) => train::run(args),
    }
}
