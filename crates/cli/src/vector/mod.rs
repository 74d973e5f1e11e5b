//! `inkveil vector`: embeddings, masks, noise where a concept lies, and attacks on the result.

mod apply;
mod attack;
mod concept;
mod embed;
mod fit;
mod inspect;
mod measured_fit;

pub(crate) use attack::run as attack;

use crate::args::{VectorArgs, VectorCommand};
use crate::outcome::Outcome;

pub(crate) fn run(args: &VectorArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        VectorCommand::Embed(args) => embed::run(args),
        VectorCommand::Fit(args) => fit::run(args),
        VectorCommand::Apply(args) => apply::run(args),
        VectorCommand::Inspect(args) => inspect::run(args),
    }
}
