//! `inkveil noise`: vectors in, vectors with noise and a receipt out.

mod plan;

use crate::args::NoiseArgs;
use crate::outcome::Outcome;
use crate::release;

pub(crate) fn run(args: &NoiseArgs) -> anyhow::Result<Outcome> {
    release::run(&args.files, &[("--sigma", args.sigma.as_deref())], |dim| plan::veil(args, dim))
}
