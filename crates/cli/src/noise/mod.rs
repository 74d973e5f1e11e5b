//! `inkveil noise`: vectors in, vectors with noise and a receipt out.

mod plan;

use crate::args::NoiseArgs;
use crate::outcome::Outcome;
use crate::vector_release;

pub(crate) fn run(args: &NoiseArgs) -> anyhow::Result<Outcome> {
    vector_release::run(&args.files, &[("--sigma", args.sigma.as_deref())], |dim| plan::veil(args, dim))
}
