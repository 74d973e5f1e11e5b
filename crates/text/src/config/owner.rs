//! Settings that only some mechanisms read.

use inkveil_settings::{Reader, Table};

use crate::mechanism::Name;

/// Which mechanisms read a setting; every other setting is for all.
fn owners(key: &str) -> Option<&'static [Name]> {
    Some(match key {
        "calibration" => &[Name::Polar, Name::PolarRadial],
        "radial-epsilon" => &[Name::PolarRadial],
        "decoding" => &[Name::LaplaceL1],
        "ellipse" => &[Name::Mahalanobis],
        "failure" => &[Name::TruncatedExponential],
        _ => return None,
    })
}

/// Refuses settings that the mechanism does not read: whoever wrote them expects them to change something.
pub(super) fn check(reader: &mut Reader, table: Table<'_>) {
    let mechanism = match table.get("mechanism") {
        None => Name::default(),
        Some(value) => match value.as_str().and_then(|name| name.parse().ok()) {
            Some(name) => name,
            // That there is no such mechanism is noted already; which one was meant is not known.
            None => return,
        },
    };
    for (key, _) in table.iter() {
        let Some(owners) = owners(key.name()) else { continue };
        if owners.contains(&mechanism) {
            continue;
        }
        let names: Vec<&str> = owners.iter().map(|owner| owner.name()).collect();
        let what = format!("{} is for {}, and the mechanism is {mechanism}", key.name(), names.join(" and "));
        let advice = format!("remove it, or choose mechanism = \"{}\"", names.join("\" or \""));
        reader.wrong(key.span(), what, advice);
    }
}
