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
//! | erased Laplace | ε per unit of erased distance; ε·‖A‖/r Euclidean; 0 inside the erased span | triangle inequality after a public Lipschitz map | [`ErasedLaplace`](crate::ErasedLaplace), [`Erasure`](crate::Erasure) |
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
//! - *Many releases*: the tighter accounts are at [`accounting`](crate::accounting).
//! - *Finite precision*: grids are analysed at [`Grid`](crate::Grid), and rounding errors of samplers
//!   at [`Slack`](crate::Slack). Samplers on integers are in [`exact`](crate::exact).
//! - *Rejection*: the cost bound of the angular sampler is proved in the source,
//!   `mechanism/log_concave.rs`.
//! - *Randomness*: the proofs assume true randomness. The implementation uses ChaCha20 streams with
//!   a key from the operating system; see [`NoiseKey`](crate::NoiseKey).
//!
//! The proofs are about the mathematics. The [`audit`](crate::audit) tests that the code does the
//! same.
//!
//! # What a machine has checked
//!
//! These statements are checked case by case, over all cases of the stated size, against exact
//! arithmetic on integers. Beyond that size they are proved on paper and tested by samples only. No
//! program that proves statements for all inputs (such as a model checker) is used.
//!
//! | statement | checked over | test |
//! |---|---|---|
//! | rounding to a grid is to the nearest multiple, ties to even, and sums are exact | all multiples of 1/16 up to ±64 on grids of 1/4 to 4, with every 61st second operand | `grid.rs`: `small_values_are_rounded_and_added_as_integers_are` |
//! | numbers on a grid stay on it as `f32` | the first 3000 multiples and every 7,340,033rd up to 2³⁰, on seven grids | `grid.rs`: `numbers_stay_on_the_grid_as_f32` |
//! | no encoding of an address is the beginning of another | all names of up to 8 bytes from {0, 1}, with 12 pairs of numbers | `noise_address.rs` |
//! | no encoding of an input is the beginning of another | all texts, bytes and rows of up to 3 elements from 3 values, and all pairs and nested pairs of them | `noise_input.rs` |
//! | sums, products and quotients of budgets round up, by at most one step | all pairs of mantissas below 64 at 8 relative shifts | `rounding.rs` |
//! | a coarse shape follows from the exact one, and the shape of a kind from nothing | all texts of up to 4 characters of 7, for every kind | `inkveil-surrogates`, `shape/exhaustive.rs` |
//! | the shape of a code depends on the classes of its characters (digit, a–f, other letter, by case) and its signs | all texts of up to 4 characters of 12, for 13 kinds of codes | `shape/exhaustive.rs` |
//! | a coarse shape has six buckets of lengths | all lengths up to 4096 | `shape/exhaustive.rs` |
//!
//! *Not checked by exhaustion:* the derivation of streams (HMAC and ChaCha20 are assumed), the
//! floating-point samplers (tested by their distribution), and the bound on their rounding errors
//! (its part about inner products is tested against exact sums).
