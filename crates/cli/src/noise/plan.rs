//! From arguments to a veil. Everything is checked before anything is written.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use inkveil::privacy::{Calibration, Epsilon, Mahalanobis};
use inkveil::vectors_io::read_matrix;
use inkveil::{Bound, VectorVeil};

use crate::args::{MechanismName, NoiseArgs};

/// The veil for vectors of dimension `dim`.
pub(super) fn veil(args: &NoiseArgs, dim: usize) -> anyhow::Result<VectorVeil> {
    use MechanismName::{
        Gaussian as G, LaplaceL1 as L1, Mahalanobis as M, Polar as V, PolarRadial as P, Purkayastha as K,
    };
    let name = args.mechanism;
    only(name, "--calibration", args.calibration.is_some(), &[V, P])?;
    only(name, "--diameter", args.diameter.is_some(), &[V])?;
    only(name, "--epsilon-radius", args.epsilon_radius.is_some(), &[P])?;
    only(name, "--sigma", args.sigma.is_some(), &[M])?;
    only(name, "--delta", args.delta.is_some(), &[G])?;
    only(name, "--sensitivity", args.sensitivity.is_some(), &[G, L1])?;
    ensure!(
        args.clip.is_none() || !matches!(name, V | K),
        "--clip does nothing here: {} uses directions only",
        word(name)
    );
    ensure!(args.clip.is_none_or(|c| c > 0.0 && c.is_finite()), "--clip must be a positive number");
    let calibrated = args.calibration()?.unwrap_or_default();
    ensure!(
        args.diameter.is_none() || calibrated == Calibration::Pure,
        "--diameter is for --calibration pure"
    );
    let epsilon = args.epsilon;
    let mut veil = match name {
        V => VectorVeil::polar(dim, epsilon, calibrated, args.diameter)?,
        K => VectorVeil::directional(dim, epsilon)?,
        L1 => VectorVeil::laplace_l1(dim, epsilon, args.sensitivity)?,
        MechanismName::LaplaceL2 => VectorVeil::round(dim, epsilon)?,
        M => {
            let path = args
                .sigma
                .as_deref()
                .context("mahalanobis needs --sigma FILE, the covariance of its noise")?;
            VectorVeil::mahalanobis(mahalanobis(epsilon, dim, path)?, epsilon)?
                .parameter("sha256 of sigma", inkveil::files::Sha256Sum::of_file(path)?.to_string())
        }
        G => {
            let delta = args.delta.context("gaussian needs --delta, its failure probability")?;
            let sensitivity = args
                .sensitivity
                .or(args.clip.map(|c| 2.0 * c))
                .context("gaussian needs --sensitivity, or --clip, which bounds it")?;
            VectorVeil::gaussian(dim, epsilon, delta, sensitivity)?
        }
        P => {
            let radius = args
                .epsilon_radius
                .context("polar-radial needs --epsilon-radius, the budget of the length")?;
            ensure!(
                calibrated != Calibration::Pure,
                "polar-radial has no pure calibration; use paper or reference"
            );
            VectorVeil::polar_radial(dim, epsilon, calibrated, radius)?
        }
    };
    if let Some(diameter) = args.diameter {
        veil = veil.parameter("diameter", diameter);
    }
    if let Some(sensitivity) = args.sensitivity {
        veil = veil.parameter("sensitivity", sensitivity);
    }
    Ok(veil.bound(args.clip.map_or(Bound::AsIs, Bound::Clip))?)
}

fn mahalanobis(epsilon: Epsilon, dim: usize, path: &Path) -> anyhow::Result<Mahalanobis> {
    let sigma = read_matrix(path).context("--sigma")?;
    let in_file = || format!("--sigma {}", path.display());
    ensure!(
        sigma.dim == dim && (sigma.rows == 1 || sigma.rows == dim),
        "--sigma {} is {} × {}; vectors of dimension {dim} need one row of {dim} numbers, or {dim} rows",
        path.display(),
        sigma.rows,
        sigma.dim
    );
    if sigma.rows == 1 {
        Mahalanobis::diagonal(epsilon, sigma.values).with_context(in_file)
    } else {
        Mahalanobis::full(epsilon, dim, &sigma.values).with_context(in_file)
    }
}

/// Refuses an option that the mechanism would ignore, because the user expects it to do something.
fn only(name: MechanismName, flag: &str, given: bool, allowed: &[MechanismName]) -> anyhow::Result<()> {
    if given && !allowed.contains(&name) {
        let allowed: Vec<String> = allowed.iter().map(|m| word(*m)).collect();
        bail!("{flag} does nothing with {}; it is for {}", word(name), allowed.join(" or "));
    }
    Ok(())
}

fn word(name: MechanismName) -> String {
    clap::ValueEnum::to_possible_value(&name).map_or_else(String::new, |v| v.get_name().to_owned())
}
