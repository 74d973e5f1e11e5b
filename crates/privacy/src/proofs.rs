//! Every guarantee of this crate and where it is proved.
//!
//! For inputs x, x′ at distance d and any set S of outputs, *ε per unit of d* means
//! `Pr[M(x) ∈ S] ≤ exp(ε·d(x,x′))·Pr[M(x′) ∈ S]`.
//!
//! | mechanism | guarantee | reason in one line | proof |
//! |---|---|---|---|
//! | von Mises–Fisher | κ per unit of chordal distance | Cauchy–Schwarz on κ(μ−ν)ᵀy | [`Vmf`](crate::Vmf) |
//! | Purkayastha | ε per unit of angle | triangle inequality for angles | [`Purkayastha`](crate::Purkayastha) |
//! | Laplace, coordinate-wise | ε per unit of Manhattan distance | triangle inequality per coordinate | [`LaplaceL1`](crate::LaplaceL1) |
//! | Laplace, Euclidean | ε per unit of Euclidean distance | triangle inequality | [`LaplaceL2`](crate::LaplaceL2) |
//! | Mahalanobis | ε per unit of Mahalanobis distance; ε/√c Euclidean | triangle inequality; c the smallest eigenvalue | [`Mahalanobis`](crate::Mahalanobis) |
//! | Gaussian | (ε, δ) within a Euclidean distance | the loss is itself Gaussian | [`Gaussian`](crate::Gaussian) |
//! | polar-radial | κ chordal plus ε_r radial | losses of independent draws add up | [`PolarRadial`](crate::PolarRadial) |
//! | exponential | ε per unit of the score's metric | half from the weights, half from their sum | [`Exponential`](crate::Exponential) |
//! | truncated exponential | ε per unit of distance | min(d, γ) is a metric | [`TruncatedExponential`](crate::TruncatedExponential) |
//! | randomised response | ε, pure | two probabilities, one ratio | [`RandomizedResponse`](crate::RandomizedResponse) |
//! | uniform | 0 | the input is not used | [`Uniform`](crate::Uniform) |
//!
//! Around the mechanisms:
//! - *Composition*: budgets of releases about the same unit add up, since the inequalities above
//!   multiply; see [`Guarantee::then`](crate::Guarantee::then),
//!   [`beside`](crate::Guarantee::beside) and [`group`](crate::Guarantee::group).
//! - *Finite precision*: the effects of rounding are analysed at [`Grid`](crate::Grid).
//! - *Rejection*: the cost bound of the angular sampler is proved in the source,
//!   `mechanism/log_concave.rs`.
//! - *Randomness*: the proofs assume true randomness. The implementation uses ChaCha20 streams with
//!   a key from the operating system; see [`NoiseKey`](crate::NoiseKey).
//!
//! The proofs are about the mathematics. The [`audit`](crate::audit) tests that the code does the
//! same.
