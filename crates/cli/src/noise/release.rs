//! The receipt of a release of vectors.

use inkveil_io::Finished;
use inkveil_privacy::{Epsilon, Error, GroupBudget, Metric, NoiseKey, Receipt, ReleaseKind, Unit};

use super::plan::Mechanism;
use crate::args::NoiseArgs;

pub(super) fn receipt(
    args: &NoiseArgs,
    mechanism: &Mechanism,
    column: Option<&str>,
    finished: &Finished,
    key: &NoiseKey,
) -> Result<Receipt, Error> {
    let noise = mechanism.noise.as_ref();
    let guarantees = noise.guarantees();
    let metrics: Vec<Metric> = guarantees.iter().map(|g| g.metric()).collect();
    // Where direction and length have a budget each, both are spent.
    let epsilon = args.epsilon.checked_add(args.epsilon_radius.unwrap_or(Epsilon::ZERO))?;
    let mut group = GroupBudget::new("all", finished.rows(), epsilon, guarantees);
    if let Some((metric, diameter)) = mechanism.diameter {
        group = group.diameter(metric, diameter);
    }
    if let Some(equivalent) = mechanism.equivalent {
        group = group.equivalent(equivalent);
    }
    let mut receipt = Receipt::builder(ReleaseKind::Vectors, noise.name(), Unit::Vector, key)
        .sha256(finished.sha256())
        .parameter("dimension", noise.dim())
        .group(group);
    if let Some(column) = column {
        // A name from the file: whatever could break its line is shown as an escape.
        receipt = receipt.parameter("column", column.escape_debug());
    }
    if let Some(calibration) = mechanism.calibration {
        receipt = receipt.calibration(calibration);
    }
    for (name, value) in &mechanism.parameters {
        receipt = receipt.parameter(name, value);
    }
    if let Some(diameter) = args.diameter {
        receipt = receipt.parameter("diameter", diameter);
    }
    if let Some(sensitivity) = args.sensitivity {
        receipt = receipt.parameter("sensitivity", sensitivity);
    }
    if let Some(clip) = mechanism.clip {
        receipt = receipt.parameter("clip", clip).treatment(
            "vectors longer than the clip",
            "shortened to it before noise was added",
            None,
        );
    }
    match noise.grid() {
        Some(grid) => receipt = receipt.grid(grid, mechanism.added_distance),
        None => receipt = receipt.note("ε is inf: no noise was added"),
    }
    let spherical = metrics.iter().any(|m| matches!(m, Metric::Chordal | Metric::Angular | Metric::Discrete));
    if spherical && !metrics.contains(&Metric::Radial) {
        receipt = receipt.treatment("lengths of vectors", "discarded, only directions are released", None);
    }
    receipt
        .not_covered("the number and the order of the rows")
        .not_covered(
            "everything else in the file: ids, texts, other vectors and other columns are copied as they are",
        )
        .not_covered("several vectors about the same person: their budgets add up")
        .build()
}
