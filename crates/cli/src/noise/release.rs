//! The receipt of a release of vectors.

use inkveil_io::Finished;
use inkveil_privacy::{Epsilon, Error, GroupBudget, Guarantee, Metric, NoiseKey, Receipt, ReleaseKind, Unit};

use super::plan::Mechanism;
use crate::args::NoiseArgs;

pub(super) fn receipt(
    args: &NoiseArgs,
    mechanism: &Mechanism,
    finished: &Finished,
    key: &NoiseKey,
) -> Result<Receipt, Error> {
    let noise = mechanism.noise.as_ref();
    let guarantees = noise.guarantees();
    let metrics: Vec<Metric> = guarantees.iter().map(|g| g.metric()).collect();
    // Where direction and length have a budget each, both are spent.
    let epsilon = args.epsilon.checked_add(args.epsilon_radius.unwrap_or(Epsilon::ZERO))?;
    // Promises within a fixed distance have the grid's share in them already.
    let per_unit = guarantees.iter().filter(|g| g.within().is_none()).map(Guarantee::metric);
    let added = noise.grid().and_then(|grid| {
        let added = per_unit.filter_map(|metric| match mechanism.euclidean {
            // One step of Euclidean distance is that many of Mahalanobis distance.
            Some(euclidean) => grid
                .added_distance(Metric::Euclidean, noise.dim())
                .map(|d| d * euclidean.epsilon().get() / args.epsilon.get()),
            None => grid.added_distance(metric, noise.dim()),
        });
        added.reduce(f64::max)
    });
    let mut group = GroupBudget::new("all", finished.rows(), epsilon, guarantees);
    if let Some(euclidean) = mechanism.euclidean {
        group = group.equivalent(euclidean);
    }
    if let Some(diameter) = mechanism.diameter {
        group = group.diameter(diameter);
    }
    let mut receipt = Receipt::builder(ReleaseKind::Vectors, noise.name(), Unit::Vector, key)
        .sha256(finished.sha256())
        .parameter("dimension", noise.dim())
        .group(group);
    if let Some(calibration) = mechanism.calibration {
        receipt = receipt.calibration(calibration);
    }
    if let Some(epsilon) = args.epsilon_radius {
        receipt = receipt.parameter("epsilon of the length", epsilon);
    }
    if let Some(diameter) = args.diameter {
        receipt = receipt
            .parameter("diameter", diameter)
            .not_covered("inputs farther apart than the diameter, which was taken as given");
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
        Some(grid) => receipt = receipt.grid(grid, added),
        None => receipt = receipt.note("ε is inf: no noise was added, the vectors are released as they are"),
    }
    let spherical = metrics.iter().any(|m| matches!(m, Metric::Chordal | Metric::Angular | Metric::Discrete));
    if spherical && !metrics.contains(&Metric::Radial) {
        receipt = receipt.treatment("lengths of vectors", "discarded, only directions are released", None);
    }
    receipt
        .not_covered("the number and the order of the rows")
        .not_covered("everything else in the file: ids, texts and other columns are copied as they are")
        .not_covered("several vectors about the same person: their budgets add up")
        .build()
}
