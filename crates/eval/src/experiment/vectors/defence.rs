//! The defences that are compared.

use crate::Error;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Defence {
    None,
    /// Isotropic noise: the generalised Laplace mechanism.
    LapMech,
    /// Noise on the sphere: the Purkayastha mechanism.
    PurMech,
    /// Gaussian noise of the same variance as isotropic noise.
    Gaussian,
    /// Isotropic noise in the first principal axes.
    Axes,
    /// Erasure of the words, and isotropic noise in what is left.
    Erase,
    /// Signs of coordinates, each flipped at random: noise on the grid of a store of signs.
    Flip,
    /// Erasure of the words, and the same of what is left.
    EraseFlip,
    /// Elliptical noise, shaped by a fitted mask.
    Sparse,
    /// Elliptical noise, shaped by the gradients of an attacker on clean vectors.
    SparseWb,
    /// A star instead of every sensitive word.
    Remove,
    /// A random word of the corpus instead of every sensitive word.
    Random,
    /// A word of the same kind instead of every sensitive word.
    Semantic,
}

impl Defence {
    const ALL: [Self; 13] = [
        Self::None,
        Self::LapMech,
        Self::PurMech,
        Self::Gaussian,
        Self::Axes,
        Self::Erase,
        Self::Flip,
        Self::EraseFlip,
        Self::Sparse,
        Self::SparseWb,
        Self::Remove,
        Self::Random,
        Self::Semantic,
    ];

    pub(super) fn named(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|defence| defence.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|defence| defence.name()).collect();
            Error::format(format!("there is no defence {name:?}; known are {}", names.join(", ")))
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LapMech => "lapmech",
            Self::PurMech => "purmech",
            Self::Gaussian => "gaussian",
            Self::Axes => "axes",
            Self::Erase => "erase",
            Self::Flip => "flip",
            Self::EraseFlip => "erase-flip",
            Self::Sparse => "sparse",
            Self::SparseWb => "sparse-wb",
            Self::Remove => "remove",
            Self::Random => "random",
            Self::Semantic => "semantic",
        }
    }

    pub(super) fn has_noise(self) -> bool {
        !matches!(self, Self::None) && !self.changes_text()
    }

    /// Whether its noise is elliptical.
    pub(super) fn has_shape(self) -> bool {
        matches!(self, Self::Sparse | Self::SparseWb)
    }

    /// Whether only some axes are kept.
    pub(super) fn has_axes(self) -> bool {
        matches!(self, Self::Axes | Self::Erase | Self::EraseFlip)
    }

    /// Whether it erases words.
    pub(super) fn erases(self) -> bool {
        matches!(self, Self::Erase | Self::EraseFlip)
    }

    /// Whether it flips signs. Its ε is that of one sign.
    pub(super) fn flips(self) -> bool {
        matches!(self, Self::Flip | Self::EraseFlip)
    }

    pub(super) fn changes_text(self) -> bool {
        matches!(self, Self::Remove | Self::Random | Self::Semantic)
    }
}
