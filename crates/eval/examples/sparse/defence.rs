//! What is compared.

use std::fmt;

use crate::Outcome;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Defence {
    None,
    /// Round noise: the generalised Laplace mechanism.
    LapMech,
    /// Noise on the sphere: the Purkayastha mechanism.
    PurMech,
    /// Elliptical noise, its shape a learnt mask.
    Sparse {
        lambda: f64,
    },
    /// Elliptical noise, its shape the gradients of an attacker on clean vectors.
    SparseWb,
    /// A star for every sensitive word.
    Remove,
    /// Any word of the corpus for every sensitive word.
    Random,
    /// A word of the same kind for every sensitive word.
    Semantic,
}

impl Defence {
    /// Those with these names, or all; `sparse` once for every λ.
    pub(crate) fn chosen(names: &[String], lambdas: &[f64]) -> Outcome<Vec<Self>> {
        let masks = lambdas.iter().map(|&lambda| Self::Sparse { lambda });
        let all = [Self::None, Self::LapMech, Self::PurMech].into_iter().chain(masks);
        let all = all.chain([Self::SparseWb, Self::Remove, Self::Random, Self::Semantic]);
        let all: Vec<Self> = all.collect();
        if let Some(name) = names.iter().find(|name| all.iter().all(|defence| defence.name() != *name)) {
            return Err(format!("there is no defence {name}; the head of main.rs has what there is").into());
        }
        let chosen = |defence: &Self| names.is_empty() || names.iter().any(|name| name == defence.name());
        Ok(all.into_iter().filter(chosen).collect())
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LapMech => "lapmech",
            Self::PurMech => "purmech",
            Self::Sparse { .. } => "sparse",
            Self::SparseWb => "sparse-wb",
            Self::Remove => "remove",
            Self::Random => "random",
            Self::Semantic => "semantic",
        }
    }

    pub(crate) fn has_noise(self) -> bool {
        matches!(self, Self::LapMech | Self::PurMech | Self::Sparse { .. } | Self::SparseWb)
    }

    pub(crate) fn changes_text(self) -> bool {
        matches!(self, Self::Remove | Self::Random | Self::Semantic)
    }
}

impl fmt::Display for Defence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sparse { lambda } => write!(f, "sparse λ={lambda}"),
            other => f.write_str(other.name()),
        }
    }
}
