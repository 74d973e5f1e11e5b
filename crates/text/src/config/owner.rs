//! Settings that only some mechanisms read.

use inkveil_settings::{Reader, Table};

use crate::mechanism::MechanismName;

/// Returns the mechanisms that read a setting; none if all do.
fn owners(key: &str) -> Option<&'static [MechanismName]> {
    Some(match key {
        "calibration" => &[MechanismName::Polar, MechanismName::PolarRadial],
        "radial-epsilon" => &[MechanismName::PolarRadial],
        "nearest-by" => &[MechanismName::LaplaceL1],
        "ellipse" => &[MechanismName::Mahalanobis],
        "failure" => &[MechanismName::TruncatedExponential],
        "certify" => &[
            MechanismName::Exponential,
            MechanismName::TruncatedExponential,
            MechanismName::RandomizedResponse,
        ],
        _ => return None,
    })
}

/// Refuses settings that the mechanism does not read: the user expects them to have an effect.
pub(super) fn check(reader: &mut Reader, table: Table<'_>) {
    let mechanism = match table.get("mechanism") {
        None => MechanismName::default(),
        Some(value) => match value.as_str().and_then(|name| name.parse().ok()) {
            Some(name) => name,
            // An unknown mechanism is already reported, and the intended one is not known.
            None => return,
        },
    };
    for (key, _) in table.iter() {
        let Some(owners) = owners(key.name()) else { continue };
        if owners.contains(&mechanism) {
            continue;
        }
        let names: Vec<&str> = owners.iter().map(|owner| owner.name()).collect();
        let what = format!("{} is for {}, but the mechanism is {mechanism}", key.name(), names.join(" and "));
        let advice = format!("remove it, or choose mechanism = \"{}\"", names.join("\" or \""));
        reader.wrong(key.span(), what, advice);
    }
}
