//! Every promise of this crate and where it is proved.
//!
//! For inputs x, x′ at distance d and any set S of outputs, *ε per unit of d* means
//! `Pr[M(x) ∈ S] ≤ exp(ε·d(x,x′))·Pr[M(x′) ∈ S]`.
//!
//! | mechanism | promise | why, in one line | proof |
//! |---|---|---|---|
//! | von Mises–Fisher | κ per unit of chordal distance | Cauchy–Schwarz on κ(μ−ν)ᵀy | [`Vmf`](crate::Vmf) |
//! | Purkayastha | ε per unit of angle | triangle inequality for angles | [`Purkayastha`](crate::Purkayastha) |
//! | Laplace, coordinate-wise | ε per unit of Manhattan distance | triangle inequality per coordinate | [`LaplaceL1`](crate::LaplaceL1) |
//! | Laplace, Euclidean | ε per unit of Euclidean distance | triangle inequality | [`LaplaceL2`](crate::LaplaceL2) |
//! | Mahalanobis | ε per unit of Mahalanobis distance; ε/√c Euclidean | triangle inequality; c the smallest eigenvalue | [`Mahalanobis`](crate::Mahalanobis) |
//! | Gaussian | (ε, δ) within a Euclidean distance | the loss is itself Gaussian | [`Gaussian`](crate::Gaussian) |
//! | polar-radial | κ chordal plus ε_r radial | independent draws add | [`PolarRadial`](crate::PolarRadial) |
//! | exponential | ε per unit of the score's metric | half from the weights, half from their sum | [`Exponential`](crate::Exponential) |
//! | truncated exponential | ε per unit of distance | min(d, γ) is a metric | [`TruncatedExponential`](crate::TruncatedExponential) |
//! | randomised response | ε, pure | two probabilities, one ratio | [`RandomizedResponse`](crate::RandomizedResponse) |
//! | uniform | 0 | the input is not looked at | [`Uniform`](crate::Uniform) |
//!
//! Around the mechanisms:
//! - *Composition*: budgets of releases about the same thing add, by multiplying the inequality above;
//!   see [`Guarantee::then`](crate::Guarantee::then), [`beside`](crate::Guarantee::beside) and
//!   [`group`](crate::Guarantee::group).
//! - *Finite precision*: what rounding can and cannot give away is argued at [`Grid`](crate::Grid).
//! - *Rejection*: the cost bound of the angular sampler is proved in the source, `mechanism/log_concave.rs`.
//! - *Randomness*: proofs assume true randomness; ChaCha20 streams keyed by the operating system stand in for it, see
//!   [`NoiseKey`](crate::NoiseKey).
//!
//! A proof speaks of the mathematics. That the code does the same is what the [`audit`](crate::audit) tests.
