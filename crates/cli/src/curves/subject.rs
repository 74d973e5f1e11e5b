//! What can be measured: mechanisms, by the names of their curves.

use inkveil::{Decoding, MechanismName, MechanismSettings};

/// A mechanism with the choices that make a curve of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Subject {
    /// What its curve is called, here and in a pack.
    pub(crate) name: &'static str,
    /// Other mechanisms with the same curve.
    pub(crate) aliases: &'static [&'static str],
    /// What it does, in a sentence.
    pub(crate) about: &'static str,
    pub(crate) settings: MechanismSettings,
}

impl Subject {
    /// Every curve that there can be.
    pub(crate) fn all() -> Vec<Self> {
        MechanismName::ALL.iter().flat_map(|name| Self::of(*name)).collect()
    }

    /// The curves of a mechanism.
    fn of(mechanism: MechanismName) -> Vec<Self> {
        let settings = MechanismSettings::of(mechanism);
        let usual = Self { name: mechanism.name(), aliases: &[], about: mechanism.about(), settings };
        match mechanism {
            // Decoding ignores the length, so both replace a word alike.
            MechanismName::Polar => vec![Self { aliases: &["polar-radial"], ..usual }],
            MechanismName::PolarRadial => vec![],
            MechanismName::LaplaceL1 => {
                let euclidean = Self {
                    name: "laplace-l1-euclidean",
                    about: "As laplace-l1, to the nearest word by Euclidean distance.",
                    settings: MechanismSettings { decoding: Decoding::Euclidean, ..settings },
                    ..usual
                };
                vec![usual, euclidean]
            }
            _ => vec![usual],
        }
    }

    /// Whether this is its name, or that of a mechanism with the same curve.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mechanism_has_a_curve_and_every_curve_a_name() {
        let all = Subject::all();
        for mechanism in MechanismName::ALL {
            assert_eq!(
                all.iter().filter(|subject| subject.is_called(mechanism.name())).count(),
                1,
                "{mechanism}"
            );
        }
        let euclidean = all.iter().find(|subject| subject.is_called("laplace-l1-euclidean")).unwrap();
        assert_eq!(euclidean.settings.decoding, Decoding::Euclidean);
        assert_eq!(all.len(), MechanismName::ALL.len());
    }
}
