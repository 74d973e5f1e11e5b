//! The curves that can be measured, by name.

use inkveil_text::mechanism::MechanismName;
use inkveil_text::{Decoding, MechanismSettings, NearestBy};

/// A mechanism with the settings of one curve.
///
/// ```
/// use inkveil_eval::curves::CurveSubject;
///
/// let all = CurveSubject::all();
/// assert!(all.iter().any(|subject| subject.is_called("polar")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveSubject {
    /// The name of the curve, also in a pack.
    pub name: &'static str,
    /// Other mechanisms with the same curve.
    pub aliases: &'static [&'static str],
    /// What the mechanism does, in a sentence.
    pub about: &'static str,
    /// The mechanism and its settings.
    pub settings: MechanismSettings,
    /// How noised words are decoded.
    pub decoding: Decoding,
}

impl CurveSubject {
    /// All curves.
    pub fn all() -> Vec<Self> {
        MechanismName::ALL.iter().flat_map(|name| Self::of(*name)).collect()
    }

    /// The curves with joint decoding, for lexicons that have a prior.
    pub fn joint() -> Vec<Self> {
        let names = [
            (MechanismName::Polar, "polar-joint"),
            (MechanismName::LaplaceL2, "laplace-l2-joint"),
            (MechanismName::Purkayastha, "purkayastha-joint"),
            (MechanismName::Exponential, "exponential-joint"),
            (MechanismName::TruncatedExponential, "tem-joint"),
            (MechanismName::RandomizedResponse, "randomized-response-joint"),
        ];
        let subject = |(mechanism, name)| Self {
            name,
            aliases: if mechanism == MechanismName::Polar { &["polar-radial-joint"] } else { &[] },
            about: "Decoded jointly, among neighbours that the prior draws.",
            settings: MechanismSettings::of(mechanism),
            decoding: Decoding::Joint,
        };
        names.map(subject).to_vec()
    }

    /// The curves of a mechanism.
    fn of(mechanism: MechanismName) -> Vec<Self> {
        let settings = MechanismSettings::of(mechanism);
        let default = Self {
            name: mechanism.name(),
            aliases: &[],
            about: mechanism.about(),
            settings,
            decoding: Decoding::Nearest,
        };
        match mechanism {
            // Decoding ignores the length, so both mechanisms replace a word in the same way.
            MechanismName::Polar => vec![Self { aliases: &["polar-radial"], ..default }],
            MechanismName::PolarRadial => vec![],
            MechanismName::LaplaceL1 => {
                let euclidean = Self {
                    name: "laplace-l1-euclidean",
                    about: "Like laplace-l1, with the nearest word by Euclidean distance.",
                    settings: MechanismSettings { nearest_by: NearestBy::Euclidean, ..settings },
                    ..default
                };
                vec![default, euclidean]
            }
            _ => vec![default],
        }
    }

    /// Whether this is its name, or the name of a mechanism with the same curve.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::MECHANISM_ORDER;

    #[test]
    fn every_mechanism_has_one_curve_and_every_curve_has_a_style() {
        let all = CurveSubject::all();
        for mechanism in MechanismName::ALL {
            let curves = all.iter().filter(|subject| subject.is_called(mechanism.name()));
            assert_eq!(curves.count(), 1, "{mechanism}");
        }
        let euclidean = all.iter().find(|subject| subject.is_called("laplace-l1-euclidean")).unwrap();
        assert_eq!(euclidean.settings.nearest_by, NearestBy::Euclidean);
        assert_eq!(all.len(), MechanismName::ALL.len());
        assert!(all.iter().all(|subject| MECHANISM_ORDER.contains(&subject.name)));
    }
}
