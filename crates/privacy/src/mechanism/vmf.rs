use rand_distr::Beta;

use super::checks::{check_dim, check_row};
use super::turn::{Grids, any_direction, keep_direction, turn};
use super::vector_mechanism::{OutputUse, VectorMechanism, checksum, slack_for};
use crate::{Calibration, Epsilon, Error, Grid, Guarantee, Kappa, Metric, NoiseStream, Slack, Unit, faults};

/// Von Mises–Fisher noise on the sphere: STAMP's polar mechanism.
///
/// # Density
/// On S^{d−1}, `f(y | μ) = C_d(κ)·exp(κ μᵀy)`. κ = 0 is uniform, κ = ∞ is no noise. Inputs are
/// projected onto the sphere first, so the output reveals nothing about their length.
///
/// # Guarantee
/// Chordal distance never exceeds angular distance, so the same ε holds for angles. It never
/// exceeds 2, so the mechanism is pure 2κ-LDP. Under [`Calibration::Pure`], κ = ε/D, which is ε-LDP
/// for inputs at most D apart.
///
/// # Sampler
/// *For any d ≥ 2, κ and μ, the output is distributed as f(· | μ).* The cosine w = μᵀy has density
/// ∝ e^{κw}(1−w²)^{(d−3)/2} and is drawn by Wood's rejection method (1994): w is a rational
/// function of a Beta((d−1)/2, (d−1)/2) variable, accepted with a probability above one half for
/// every d and κ. It is computed through 1−w, which avoids cancellation at κ = 10⁸. The tangent
/// direction is uniform. O(d).
///
/// ```
/// use inkveil_privacy::{Calibration, Epsilon, NoiseAddress, NoiseKey, VectorMechanism, Vmf, release_rows};
///
/// let mechanism = Vmf::calibrated(4, Epsilon::new(50.0)?, Calibration::Paper, 2.0)?;
/// let mut row = [1.0, 0.0, 0.0, 0.0];
/// release_rows(&mechanism, &mut row, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Vmf {
    dim: usize,
    kappa: f64,
    guarantee: Guarantee,
    within: Option<Guarantee>,
    slack: Slack,
    grids: Grids,
    checksum: [u8; 32],
    /// The concentration that is drawn: κ, unless a fault is set.
    drawn: f64,
    /// The envelope of the rejection method, or `None` at κ = ∞.
    envelope: Option<Envelope>,
}

#[derive(Debug, Clone)]
struct Envelope {
    beta: Beta<f64>,
    b: f64,
    /// 1 − x₀, where x₀ is the cosine at which envelope and density touch.
    one_minus_x0: f64,
}

impl Vmf {
    /// Creates noise of concentration `kappa` in dimension `dim`.
    ///
    /// # Errors
    /// If the dimension is below 2.
    pub fn new(dim: usize, kappa: Kappa) -> Result<Self, Error> {
        check_dim(dim, 2)?;
        let kappa = kappa.get();
        let epsilon = Epsilon::new(kappa)?;
        let guarantee = Guarantee::new(Metric::Chordal, epsilon, Unit::Vector);
        // Per coordinate, wide noise is about 1/√d and narrow noise about 1/√κ.
        let grids = Grids::new(epsilon, dim, (dim as f64 + kappa).powf(-0.5))?;
        let slack = slack_for(epsilon, || Slack::spherical(dim, grids.output.step()))?;
        let drawn = kappa / faults::share_of_noise();
        let envelope = if kappa.is_finite() { Some(Envelope::new(dim, drawn)?) } else { None };
        let checksum = checksum("polar", [dim as f64, kappa]);
        Ok(Self { dim, kappa, guarantee, within: None, slack, grids, checksum, drawn, envelope })
    }

    /// Creates noise for a budget under a calibration; `diameter` as in [`Calibration::kappa`].
    ///
    /// # Errors
    /// If κ or the diameter is out of range.
    pub fn calibrated(
        dim: usize,
        epsilon: Epsilon,
        calibration: Calibration,
        diameter: f64,
    ) -> Result<Self, Error> {
        let stated = calibration.kappa(epsilon, diameter)?;
        let kappa = match calibration {
            // Snapping lengthens the distance D of two inputs by at most 2√d steps of 2⁻²⁰/√d. The
            // distance never exceeds 2.
            Calibration::Pure => calibration.kappa(epsilon, (diameter + 2f64.powi(-19)).min(2.0))?,
            Calibration::Paper | Calibration::Reference => stated,
        };
        let mut mechanism = Self::new(dim, kappa)?;
        if calibration == Calibration::Pure {
            if diameter < 2.0 {
                // κ per unit of chordal distance holds for any two inputs, this guarantee for
                // inputs at most `diameter` apart.
                mechanism.within =
                    Some(Guarantee::new(Metric::Chordal, epsilon, Unit::Vector).with_within(diameter)?);
            } else {
                mechanism.guarantee = Guarantee::new(Metric::Discrete, epsilon, Unit::Vector);
            }
        }
        Ok(mechanism)
    }

    /// The concentration.
    pub fn kappa(&self) -> f64 {
        self.kappa
    }

    /// Under [`Calibration::Pure`] with a diameter below 2: the guarantee as a total for inputs at
    /// most that far apart.
    pub fn within(&self) -> Option<Guarantee> {
        self.within
    }
}

impl Envelope {
    fn new(dim: usize, kappa: f64) -> Result<Self, Error> {
        let m = dim as f64 - 1.0;
        // b = (√(4κ²+m²) − 2κ)/m, written without the difference.
        let b = m / (2.0 * kappa + (4.0 * kappa * kappa + m * m).sqrt());
        let beta =
            Beta::new(m / 2.0, m / 2.0).map_err(|_| Error::parameter("the dimension", "2 to 2^24", dim))?;
        Ok(Self { beta, b, one_minus_x0: 2.0 * b / (1.0 + b) })
    }

    /// Draws the cosine and sine of the angle between μ and the output.
    fn draw(&self, dim: usize, kappa: f64, stream: &mut NoiseStream) -> (f64, f64) {
        loop {
            if let Some(t) = self.attempt(dim, kappa, stream) {
                return (1.0 - t, (t * (2.0 - t)).max(0.0).sqrt());
            }
        }
    }

    /// One try: returns t = 1 − w, or `None` if it is rejected.
    fn attempt(&self, dim: usize, kappa: f64, stream: &mut NoiseStream) -> Option<f64> {
        let (m, b, gap) = (dim as f64 - 1.0, self.b, self.one_minus_x0);
        let x0 = 1.0 - gap;
        let z = stream.sample(&self.beta);
        let t = 2.0 * b * z / (1.0 - (1.0 - b) * z);
        // Wood's κw + m·log(1−x₀w) − [κx₀ + m·log(1−x₀²)], in terms of t.
        let log_accept = kappa * (gap - t) + m * ((1.0 + x0 * t / gap) / (1.0 + x0)).ln();
        (-stream.exponential() <= log_accept).then_some(t)
    }
}

impl VectorMechanism for Vmf {
    fn name(&self) -> &'static str {
        "polar"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![self.guarantee]
    }

    fn slack(&self) -> Slack {
        self.slack
    }

    fn grid(&self) -> Grid {
        self.grids.output
    }

    fn checksum(&self) -> &[u8; 32] {
        &self.checksum
    }

    fn added_distance(&self, metric: Metric) -> Option<f64> {
        self.grids.input.added_distance(metric, self.dim)
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim)?;
        match &self.envelope {
            Some(_) if self.kappa == 0.0 => any_direction(row, self.grids, output, stream),
            Some(envelope) => {
                turn(row, self.grids.used(output), stream, |s| envelope.draw(self.dim, self.drawn, s))
            }
            None => keep_direction(row, self.grids, output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseAddress, NoiseKey};

    /// Checks the acceptance rate of the doc comment in every dimension and at every concentration.
    #[test]
    fn more_than_half_of_the_tries_are_accepted() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        for dim in [2, 3, 5, 16, 128, 768, 1536, 4096] {
            for kappa in [0.0, 1e-3, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e6, 1e8] {
                let envelope = Envelope::new(dim, kappa).unwrap();
                let accepted =
                    (0..4000).filter(|_| envelope.attempt(dim, kappa, &mut stream).is_some()).count();
                assert!(accepted > 2000, "d = {dim}, κ = {kappa}: {accepted} of 4000");
            }
        }
    }

    #[test]
    fn the_pure_calibration_states_its_range() {
        let epsilon = Epsilon::new(3.0).unwrap();
        let sphere = Vmf::calibrated(5, epsilon, Calibration::Pure, 2.0).unwrap();
        assert_eq!((sphere.kappa(), sphere.guarantees()[0].metric()), (1.5, Metric::Discrete));
        let bounded = Vmf::calibrated(5, epsilon, Calibration::Pure, 1.0).unwrap();
        // Slightly less than ε/D, since snapping adds to a distance.
        assert!(bounded.kappa() < 3.0 && bounded.kappa() > 2.9999);
        assert_eq!(bounded.guarantees()[0].epsilon().get(), bounded.kappa());
        assert_eq!(bounded.within().unwrap().within(), Some(1.0));
        assert!(Vmf::calibrated(5, epsilon, Calibration::Pure, 2.1).is_err());
    }
}
