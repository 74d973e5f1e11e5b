//! From flags to one value that can be carried out: everything is checked before anything is written.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use inkveil_io::{Input, Output, ReadOptions, VectorFormat, read_matrix};
use inkveil_privacy::{
    Calibration, Epsilon, Gaussian, Guarantee, LaplaceL1, LaplaceL2, Mahalanobis, Metric, PolarRadial,
    Purkayastha, VectorMechanism, Vmf,
};

use crate::args::{MechanismName, NoiseArgs};
use crate::{digest, distinct};

/// Where vectors come from and go to.
pub(super) struct Files {
    input: Option<PathBuf>,
    output: Option<PathBuf>,
    force: bool,
    pub(super) format: VectorFormat,
    pub(super) options: ReadOptions,
    pub(super) receipt: Option<PathBuf>,
}

impl Files {
    pub(super) fn new(args: &NoiseArgs) -> anyhow::Result<Self> {
        let named = |path: &Option<PathBuf>| path.clone().filter(|p| p != Path::new("-"));
        let (input, output) = (named(&args.input), named(&args.output));
        let format = match (args.format, &input) {
            (Some(format), _) => format,
            (None, Some(path)) => VectorFormat::from_path(path).with_context(|| {
                format!("the format of {} cannot be told from its name; say --format", path.display())
            })?,
            (None, None) => VectorFormat::Jsonl,
        };
        if input.is_none() && std::io::stdin().is_terminal() {
            bail!("nothing to read: name a file, or pipe vectors in (see `inkveil noise --help`)");
        }
        if output.is_none() && format != VectorFormat::Jsonl && std::io::stdout().is_terminal() {
            bail!("{format} is not text; name a file with -o, or pipe the output");
        }
        let receipt = args.receipt.clone().or_else(|| {
            let mut name = output.clone()?.into_os_string();
            name.push(".receipt.json");
            Some(name.into())
        });
        ensure!(
            receipt.as_deref() != Some(Path::new("-")),
            "the receipt needs a file: standard output carries the vectors"
        );
        if let Some(named) = output.as_deref().and_then(VectorFormat::from_path) {
            ensure!(named == format, "the output is {format} like the input, but its name says {named}");
        }
        distinct::check(&[
            ("the input", input.as_deref()),
            ("--output", output.as_deref()),
            ("--receipt", receipt.as_deref()),
            ("--sigma", args.sigma.as_deref()),
        ])?;
        let options = ReadOptions { column: args.column.clone(), ..ReadOptions::default() };
        Ok(Self { input, output, force: args.force, format, options, receipt })
    }

    pub(super) fn input(&self) -> Input {
        self.input.as_ref().map_or_else(Input::stdin, Input::path)
    }

    pub(super) fn input_name(&self) -> String {
        self.input.as_ref().map_or_else(|| "standard input".into(), |p| p.display().to_string())
    }

    pub(super) fn output(&self) -> anyhow::Result<Output> {
        self.output.as_deref().map_or_else(|| Ok(Output::stdout()), |path| self.create(path, "--output"))
    }

    /// The receipt's file, opened before anything is released so that it can be written afterwards.
    pub(super) fn receipt_output(&self) -> anyhow::Result<Option<Output>> {
        self.receipt.as_deref().map(|path| self.create(path, "--receipt")).transpose()
    }

    fn create(&self, path: &Path, flag: &str) -> anyhow::Result<Output> {
        Output::file(path, self.force).map_err(|error| match error.kind() {
            inkveil_io::ErrorKind::Exists => anyhow::anyhow!(
                "{} exists already; choose another {flag} or replace it with --force",
                path.display()
            ),
            _ => error.into(),
        })
    }
}

/// The noise to add and what has to be known of it for the receipt.
pub(super) struct Mechanism {
    pub(super) noise: Box<dyn VectorMechanism>,
    pub(super) calibration: Option<Calibration>,
    pub(super) clip: Option<f64>,
    /// The largest distance of two inputs, where flags bound it.
    pub(super) diameter: Option<(Metric, f64)>,
    /// By how much snapping to the grid can lengthen a distance.
    pub(super) added_distance: Option<f64>,
    /// The same promise in other terms.
    pub(super) equivalent: Option<Guarantee>,
    /// What else a reader must know of the noise.
    pub(super) parameters: Vec<(&'static str, String)>,
}

impl Mechanism {
    /// Shortens rows that are longer than the public bound.
    pub(super) fn clip(&self, rows: &mut [f64], dim: usize) {
        let Some(bound) = self.clip else { return };
        for row in rows.chunks_exact_mut(dim) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            // An infinite length is left for the mechanism to refuse.
            if length > bound && length.is_finite() {
                row.iter_mut().for_each(|x| *x *= bound / length);
            }
        }
    }
}

/// The mechanism the flags ask for, for vectors of dimension `dim`.
pub(super) fn mechanism(args: &NoiseArgs, dim: usize) -> anyhow::Result<Mechanism> {
    use MechanismName::{
        Gaussian as G, LaplaceL1 as L1, Mahalanobis as M, PolarRadial as P, Purkayastha as K, Vmf as V,
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
        "--diameter only matters with --calibration pure"
    );
    let (epsilon, n) = (args.epsilon, dim as f64);
    let euclidean_diameter = args.clip.map(|c| 2.0 * c);
    let mut calibration = None;
    let mut diameter = None;
    let mut equivalent = None;
    let mut parameters = Vec::new();
    let noise: Box<dyn VectorMechanism> = match name {
        V => {
            calibration = Some(calibrated);
            let noise = Vmf::calibrated(dim, epsilon, calibrated, args.diameter.unwrap_or(2.0))?;
            equivalent = noise.within();
            parameters.push(("kappa", noise.kappa().to_string()));
            Box::new(noise)
        }
        K => Box::new(Purkayastha::new(dim, epsilon)?),
        L1 => {
            // ‖z‖₁ ≤ √n·‖z‖₂.
            diameter = euclidean_diameter.map(|d| (Metric::Manhattan, d * n.sqrt()));
            match args.sensitivity {
                Some(sensitivity) => Box::new(LaplaceL1::with_sensitivity(dim, epsilon, sensitivity)?),
                None => Box::new(LaplaceL1::new(dim, epsilon)?),
            }
        }
        MechanismName::LaplaceL2 => {
            diameter = euclidean_diameter.map(|d| (Metric::Euclidean, d));
            Box::new(LaplaceL2::new(dim, epsilon)?)
        }
        M => {
            let path = args.sigma.as_deref().context("mahalanobis needs --sigma FILE, the Σ of its noise")?;
            let noise = mahalanobis(epsilon, dim, path)?;
            let euclidean = noise.euclidean()?;
            if !epsilon.is_infinite() {
                let stretch = euclidean.epsilon().get() / epsilon.get();
                diameter = euclidean_diameter.map(|d| (Metric::Mahalanobis, d * stretch));
            }
            parameters.push(("sha256 of sigma", digest::of_file(path)?));
            equivalent = Some(euclidean);
            Box::new(noise)
        }
        G => {
            let delta = args.delta.context("gaussian needs --delta, its failure probability")?;
            let sensitivity = args
                .sensitivity
                .or(euclidean_diameter)
                .context("gaussian needs --sensitivity, or --clip which bounds it")?;
            let noise = Gaussian::new(dim, epsilon, delta, sensitivity)?;
            parameters.push(("standard deviation", noise.sigma().to_string()));
            Box::new(noise)
        }
        P => {
            let radius = args
                .epsilon_radius
                .context("polar-radial needs --epsilon-radius, the budget of the length")?;
            ensure!(
                calibrated != Calibration::Pure,
                "polar-radial has no pure calibration; use paper or reference"
            );
            calibration = Some(calibrated);
            // Clipped lengths lie between 0 and the bound.
            diameter = args.clip.map(|c| (Metric::Radial, c));
            let noise = PolarRadial::new(dim, calibrated.kappa(epsilon, 2.0)?, radius)?;
            if let Some(grid) = noise.length_grid() {
                parameters.push(("grid of the length", grid.to_string()));
            }
            Box::new(noise)
        }
    };
    // Promises within a fixed distance have the grid's share in them already.
    let per_unit: Vec<Metric> =
        noise.guarantees().iter().filter(|g| g.within().is_none()).map(Guarantee::metric).collect();
    let added = |metric: Metric| noise.added_distance(metric).filter(|_| per_unit.contains(&metric));
    let added_distance = per_unit.iter().filter_map(|metric| added(*metric)).reduce(f64::max);
    // Clipping bounds the inputs; the promise is about the inputs as they are once snapped.
    let diameter = diameter.map(|(metric, d)| (metric, d + added(metric).unwrap_or(0.0)));
    Ok(Mechanism { noise, calibration, clip: args.clip, diameter, added_distance, equivalent, parameters })
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

/// Refuses a flag that the mechanism would ignore: someone who gives it believes that it does something.
fn only(name: MechanismName, flag: &str, given: bool, allowed: &[MechanismName]) -> anyhow::Result<()> {
    if given && !allowed.contains(&name) {
        let allowed: Vec<String> = allowed.iter().map(|m| word(*m)).collect();
        bail!("{flag} does nothing with {}; it goes with {}", word(name), allowed.join(" or "));
    }
    Ok(())
}

fn word(name: MechanismName) -> String {
    clap::ValueEnum::to_possible_value(&name).map_or_else(String::new, |v| v.get_name().to_owned())
}
