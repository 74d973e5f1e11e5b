//! Checks of mechanisms on vectors.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use statrs::function::erf::erf;

use super::check::{Check, Draw, Test};
use super::goodness::NumericCdf;
use crate::unit_vector::{dot, norm};
use crate::{
    Calibration, Epsilon, ErasedLaplace, Erasure, Error, Gaussian, Kappa, LaplaceL1, LaplaceL2, Mahalanobis,
    Metric, OutputUse, PolarRadial, Purkayastha, VectorMechanism, Vmf,
};

pub(super) fn checks(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let mut all = Vec::new();
    for part in [vmf, purkayastha, laplace_l1, laplace_l2, mahalanobis, erased, gaussian, polar_radial] {
        all.extend(part(noise_scale)?);
    }
    Ok(all)
}

/// The mechanism to sample from: the one under test, with scaled noise.
type Subject = Arc<dyn VectorMechanism>;

/// Draws from `subject` at `input` and reduces each output to one number.
fn draw(
    subject: &Subject,
    input: &[f64],
    reduce: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
) -> Draw<f64> {
    let (subject, input) = (Arc::clone(subject), input.to_vec());
    Box::new(move |stream, buffer| {
        buffer.clear();
        buffer.extend_from_slice(&input);
        subject.perturb(buffer, OutputUse::Released, stream)?;
        Ok(reduce(buffer))
    })
}

/// Creates a loss check for the pair (x, other). `statistic` is large where x is likelier.
fn loss(
    subject: &Subject,
    about: String,
    claimed: f64,
    (x, other): (&[f64], &[f64]),
    statistic: impl Fn(&[f64]) -> f64 + Clone + Send + Sync + 'static,
) -> Check {
    Check {
        mechanism: subject.name().into(),
        about,
        samples: 2_000_000,
        test: Test::Loss {
            claimed,
            delta: subject.guarantees().iter().find_map(|g| g.delta()).unwrap_or(0.0),
            under_x: draw(subject, x, statistic.clone()),
            under_other: draw(subject, other, statistic),
        },
    }
}

fn distribution(
    mechanism: &'static str,
    about: String,
    samples: u64,
    draw: Draw<f64>,
    cdf: impl Fn(f64) -> f64 + Send + Sync + 'static,
) -> Check {
    Check { mechanism: mechanism.into(), about, samples, test: Test::Continuous { cdf: Box::new(cdf), draw } }
}

fn eps(value: f64) -> Result<Epsilon, Error> {
    Epsilon::new(value)
}

/// Returns a direction with weight in every coordinate, so that no axis is special.
fn slanted(dim: usize) -> Vec<f64> {
    let row: Vec<f64> = (0..dim).map(|i| 1.0 + 0.3 * (i as f64).sin()).collect();
    let length = norm(&row);
    row.iter().map(|x| x / length).collect()
}

/// Returns a direction orthogonal to [`slanted`].
fn orthogonal(dim: usize) -> Vec<f64> {
    let along = slanted(dim);
    let mut row: Vec<f64> = (0..dim).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let overlap = dot(&row, &along);
    row.iter_mut().zip(&along).for_each(|(x, m)| *x -= overlap * m);
    let length = norm(&row);
    row.iter().map(|x| x / length).collect()
}

/// Returns the point of the unit circle at an angle.
fn circle(angle: f64) -> [f64; 2] {
    [angle.cos(), angle.sin()]
}

fn angle_between(a: &[f64], b: &[f64]) -> f64 {
    Metric::Angular.between(a, b).unwrap_or(0.0)
}

/// Checks the angle between output and input against a density on [0, π]. The density is given by
/// its logarithm, without the factor sin^{d−2} that every density on the sphere has. Uses the
/// mechanism's own grid.
fn angle_check(subject: &Subject, about: String, samples: u64, log_density: impl Fn(f64) -> f64) -> Check {
    let (dim, input) = (subject.dim(), slanted(subject.dim()));
    let power = dim as f64 - 2.0;
    let log =
        |theta: f64| log_density(theta) + if dim == 2 { 0.0 } else { power * theta.sin().max(0.0).ln() };
    let cdf = NumericCdf::new(log, 0.0, PI);
    let centre = input.clone();
    let draw = draw(subject, &input, move |y| angle_between(y, &centre));
    distribution(subject.name(), about, samples, draw, move |theta| cdf.at(theta))
}

/// Checks that the tangent direction of the rotation is uniform: its angle to a fixed tangent has
/// density sin^{d−3}.
fn tangent_check(subject: &Subject, about: String, samples: u64) -> Check {
    let dim = subject.dim();
    let (along, aside) = (slanted(dim), orthogonal(dim));
    let cdf = NumericCdf::new(|phi| (dim as f64 - 3.0) * phi.sin().max(1e-300).ln(), 0.0, PI);
    let centre = along.clone();
    let draw = draw(subject, &along, move |y| {
        let w = dot(y, &centre);
        let rest = (dot(y, y) - w * w).max(0.0).sqrt();
        (dot(y, &aside) / rest).clamp(-1.0, 1.0).acos()
    });
    distribution(subject.name(), about, samples, draw, move |phi| cdf.at(phi))
}

fn vmf(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let subject = |dim: usize, kappa: f64| -> Result<Subject, Error> {
        Ok(Arc::new(Vmf::new(dim, Kappa::new((kappa / noise_scale).min(Kappa::MAX_FINITE))?)?))
    };
    let mut all = Vec::new();
    let (east, west) = (circle(0.0), circle(PI));
    let claimed = Vmf::new(2, Kappa::new(1.0)?)?.guarantees()[0];
    all.push(loss(
        &subject(2, 1.0)?,
        "d = 2, κ = 1, opposite directions".into(),
        claimed.loss(2.0)?.get(),
        (&east, &west),
        |y| y[0],
    ));
    let near = [1.0, 0.0, 0.0];
    let turned = [0.5, 0.75f64.sqrt(), 0.0];
    let claimed = Vmf::new(3, Kappa::new(2.0)?)?.guarantees()[0];
    all.push(loss(
        &subject(3, 2.0)?,
        "d = 3, κ = 2, 60° apart".into(),
        claimed.loss(1.0)?.get(),
        (&near, &turned),
        move |y| dot(y, &near) - dot(y, &turned),
    ));
    // The pure calibration guarantees ε for every pair of inputs at most D apart.
    let pure = Vmf::calibrated(2, eps(2.0)?, Calibration::Pure, 1.0)?;
    let north = circle(PI / 3.0);
    all.push(loss(
        &subject(2, pure.kappa())?,
        "d = 2, pure ε = 2, D = 1, 60° apart".into(),
        2.0,
        (&east, &north),
        move |y| dot(y, &east) - dot(y, &north),
    ));
    for (dim, kappa, samples) in [
        (2, 1.0, 6_000_000),
        (2, 1000.0, 2_000_000),
        (3, 10.0, 1_500_000),
        (16, 50.0, 400_000),
        (768, 100.0, 60_000),
        (768, 1e4, 40_000),
        (768, 9e7, 40_000),
        (4096, 400.0, 20_000),
    ] {
        let about = format!("d = {dim}, κ = {kappa}, angle");
        let log = move |theta: f64| -2.0 * kappa * (theta / 2.0).sin().powi(2);
        all.push(angle_check(&subject(dim, kappa)?, about, samples, log));
    }
    for (dim, samples) in [(3, 400_000), (768, 20_000)] {
        all.push(tangent_check(&subject(dim, 20.0)?, format!("d = {dim}, κ = 20, tangent"), samples));
    }
    Ok(all)
}

fn purkayastha(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let subject = |dim: usize, epsilon: f64| -> Result<Subject, Error> {
        Ok(Arc::new(Purkayastha::new(dim, eps(epsilon / noise_scale)?)?))
    };
    let mut all = Vec::new();
    let claimed = Purkayastha::new(2, eps(1.0)?)?.guarantees()[0];
    for (about, angle) in [("90° apart", FRAC_PI_2), ("opposite directions", PI)] {
        let (x, other) = (circle(0.0), circle(angle));
        all.push(loss(
            &subject(2, 1.0)?,
            format!("d = 2, ε = 1, {about}"),
            claimed.loss(angle)?.get(),
            (&x, &other),
            move |y| angle_between(y, &other) - angle_between(y, &x),
        ));
    }
    for (dim, epsilon, samples) in [
        (2, 2.0, 2_000_000),
        (3, 10.0, 1_000_000),
        (768, 100.0, 200_000),
        (768, 5000.0, 40_000),
        (4096, 500.0, 20_000),
    ] {
        let about = format!("d = {dim}, ε = {epsilon}, angle");
        all.push(angle_check(&subject(dim, epsilon)?, about, samples, move |theta| -epsilon * theta));
    }
    all.push(tangent_check(&subject(3, 5.0)?, "d = 3, ε = 5, tangent".into(), 400_000));
    Ok(all)
}

fn laplace_l1(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let subject: Subject = Arc::new(LaplaceL1::new(2, eps(1.0 / noise_scale)?)?);
    let (x, other) = ([0.0, 0.0], [1.0, 1.0]);
    let claimed = LaplaceL1::new(2, eps(1.0)?)?.guarantees()[0];
    let manhattan = |a: &[f64], b: &[f64]| Metric::Manhattan.between(a, b).unwrap_or(0.0);
    let sensitive: Subject = Arc::new(LaplaceL1::with_sensitivity(1, eps(2.0 / noise_scale)?, 4.0)?);
    Ok(vec![
        loss(&subject, "n = 2, ε = 1, diagonal".into(), claimed.loss(2.0)?.get(), (&x, &other), move |y| {
            manhattan(y, &other) - manhattan(y, &x)
        }),
        loss(&sensitive, "n = 1, ε = 2 within Δ₁ = 4".into(), 2.0, (&[0.0], &[4.0]), |y| -y[0]),
        distribution(
            "laplace-l1",
            "n = 2, ε = 1, coordinate".into(),
            1_500_000,
            draw(&subject, &[0.3, -7.0], |y| (y[1] + 7.0).abs()),
            |z| 1.0 - (-z).exp(),
        ),
    ])
}

fn laplace_l2(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let subject = |dim: usize, epsilon: f64| -> Result<Subject, Error> {
        Ok(Arc::new(LaplaceL2::new(dim, eps(epsilon / noise_scale)?)?))
    };
    let claimed = LaplaceL2::new(1, eps(1.0)?)?.guarantees()[0];
    let (x, other) = ([0.0, 0.0], [2.0, 0.0]);
    let distance = |a: &[f64], b: &[f64]| Metric::Euclidean.between(a, b).unwrap_or(0.0);
    let mut all = vec![
        loss(
            &subject(1, 1.0)?,
            "n = 1, ε = 1, 2 apart".into(),
            claimed.loss(2.0)?.get(),
            (&[0.0], &[2.0]),
            |y| -y[0],
        ),
        loss(
            &subject(2, 1.0)?,
            "n = 2, ε = 1, 2 apart".into(),
            claimed.loss(2.0)?.get(),
            (&x, &other),
            move |y| distance(y, &other) - distance(y, &x),
        ),
    ];
    for (dim, epsilon, samples) in
        [(1, 1.0, 1_500_000), (2, 10.0, 1_000_000), (768, 10.0, 40_000), (4096, 1e-3, 10_000)]
    {
        let log = move |r: f64| (dim as f64 - 1.0) * r.max(1e-300).ln() - epsilon * r;
        let cdf = NumericCdf::new(log, 0.0, 4.0 * (dim as f64 + 40.0) / epsilon);
        let subject = subject(dim, epsilon)?;
        let draw = draw(&subject, &vec![0.0; dim], norm);
        all.push(distribution(
            "laplace-l2",
            format!("n = {dim}, ε = {epsilon}, length"),
            samples,
            draw,
            move |r| cdf.at(r),
        ));
    }
    // In three dimensions each coordinate of a uniform direction is uniform (Archimedes).
    let three = subject(3, 5.0)?;
    let draw = draw(&three, &[0.0; 3], |y| y[2] / norm(y));
    all.push(distribution("laplace-l2", "n = 3, ε = 5, direction".into(), 400_000, draw, |z| {
        (z + 1.0) / 2.0
    }));
    Ok(all)
}

fn mahalanobis(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let diagonal = |epsilon: f64| Mahalanobis::diagonal(eps(epsilon)?, vec![1.9, 0.1]);
    let full = |epsilon: f64| Mahalanobis::full(eps(epsilon)?, 2, &[1.0, 0.6, 0.6, 1.0]);
    let mut all = Vec::new();
    // Pairs along the axis with the least noise, and along the thin direction of the ellipse.
    for (shape, nominal, scaled, other) in [
        ("diagonal", diagonal(1.0)?, diagonal(1.0 / noise_scale)?, [0.0, 0.6]),
        ("full", full(1.0)?, full(1.0 / noise_scale)?, [0.9, -0.9]),
    ] {
        let x = [0.0, 0.0];
        let claimed = nominal.guarantees()[0].loss(nominal.distance(&x, &other)?)?.get();
        let euclidean = nominal.euclidean()?.loss(norm(&other))?.get();
        let subject: Subject = Arc::new(scaled);
        for (metric, claimed) in [("mahalanobis", claimed), ("euclidean", euclidean)] {
            let nominal = nominal.clone();
            let statistic = move |y: &[f64]| {
                nominal.distance(y, &other).unwrap_or(0.0) - nominal.distance(y, &x).unwrap_or(0.0)
            };
            let about = format!("{shape} Σ, ε = 1, thin axis, {metric}");
            all.push(loss(&subject, about, claimed, (&x, &other), statistic));
        }
        let nominal = nominal.clone();
        let draw = draw(&subject, &x, move |y| nominal.distance(y, &x).unwrap_or(0.0));
        let about = format!("{shape} Σ, ε = 1, length");
        all.push(distribution("mahalanobis", about, 1_000_000, draw, |r| 1.0 - (1.0 + r) * (-r).exp()));
    }
    let dim = 768;
    let sigma: Vec<f64> = (0..dim).map(|i| 0.01 + f64::from(i % 7)).collect();
    let nominal = Mahalanobis::diagonal(eps(10.0)?, sigma.clone())?;
    let subject: Subject = Arc::new(Mahalanobis::diagonal(eps(10.0 / noise_scale)?, sigma)?);
    let cdf = NumericCdf::new(|r: f64| 767.0 * r.max(1e-300).ln() - 10.0 * r, 0.0, 400.0);
    let origin = vec![0.0; dim as usize];
    let centre = origin.clone();
    let draw = draw(&subject, &origin, move |y| nominal.distance(y, &centre).unwrap_or(0.0));
    all.push(distribution("mahalanobis", "n = 768, ε = 10, length".into(), 40_000, draw, move |r| {
        cdf.at(r)
    }));
    Ok(all)
}

/// An eraser of the first `erased` coordinates that keeps the next `axes`, slanted a little towards
/// what it erases nothing of, so that its norm is not 1.
fn eraser(dim: usize, erased: usize, axes: usize) -> Result<Erasure, Error> {
    let row = |axis: usize, tilt: f64| {
        (0..dim).map(move |i| match i {
            i if i == erased + axis => 1.0,
            i if i + 1 == dim => tilt,
            _ => 0.0,
        })
    };
    let map = (0..axes).flat_map(|axis| row(axis, 0.25)).collect();
    let lift = (0..axes).flat_map(|axis| row(axis, 0.0)).collect();
    let span: Vec<f64> =
        (0..erased).flat_map(|e| (0..dim).map(move |i| if i == e { 1.0 } else { 0.0 })).collect();
    Erasure::new(dim, map, vec![0.0; axes], lift, 0.5, &span)
}

fn erased(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let of = |epsilon: f64, sizes: (usize, usize, usize)| {
        ErasedLaplace::new(eps(epsilon)?, eraser(sizes.0, sizes.1, sizes.2)?)
    };
    // One erased coordinate, one axis, and one that only the norm of the map sees.
    let small = (3, 1, 1);
    let nominal = of(1.0, small)?.guarantee()?;
    let subject: Subject = Arc::new(of(1.0 / noise_scale, small)?);
    let mut all = Vec::new();
    // f maps ±1 on the axis to ±1: the worst pair of all inputs.
    let (x, other) = ([0.3, 1.0, 0.0], [-0.2, -1.0, 0.0]);
    let claimed = nominal.erased.loss(nominal.diameter)?.get();
    all.push(loss(&subject, "n = 3, ε = 1, opposite".into(), claimed, (&x, &other), |y| y[1]));
    // Inside the ball of radius r, distances grow by the whole factor.
    let slope = [0.0, 0.3, 0.3 / 4.0];
    let claimed = nominal.euclidean.loss(norm(&slope))?.get();
    all.push(loss(&subject, "n = 3, ε = 1, euclidean".into(), claimed, (&slope, &[0.0; 3]), |y| y[1]));
    // Only the erased coordinate differs: nothing may tell the two apart.
    let (x, other) = ([1.0, 0.2, 0.0], [-1.0, 0.2, 0.0]);
    let claimed = nominal.inside_span.get();
    all.push(loss(&subject, "n = 3, ε = 1, inside the erased span".into(), claimed, (&x, &other), |y| y[1]));
    for (sizes, epsilon, samples) in [((3, 1, 1), 1.0, 1_500_000), ((768, 90, 60), 100.0, 40_000)] {
        let (dim, skipped, axes) = sizes;
        let subject: Subject = Arc::new(of(epsilon / noise_scale, sizes)?);
        let input = slanted(dim);
        let mut left = vec![0.0; axes];
        let eraser = eraser(dim, skipped, axes)?;
        eraser.apply(&input, &mut left)?;
        let log = move |r: f64| (axes as f64 - 1.0) * r.max(1e-300).ln() - epsilon * r;
        let cdf = NumericCdf::new(log, 0.0, 4.0 * (axes as f64 + 40.0) / epsilon);
        let draw = draw(&subject, &input, move |y| {
            let kept = &y[skipped..skipped + left.len()];
            kept.iter().zip(&left).map(|(y, f)| (y - f).powi(2)).sum::<f64>().sqrt()
        });
        let about = format!("n = {dim}, {axes} axes, ε = {epsilon}, length");
        all.push(distribution("erased-laplace", about, samples, draw, move |r| cdf.at(r)));
    }
    Ok(all)
}

fn gaussian(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let nominal = Gaussian::new(2, eps(1.0)?, 0.05, 1.0)?;
    let sigma = nominal.sigma();
    let claimed = nominal.guarantees()[0].loss(1.0)?.get();
    let subject: Subject = Arc::new(nominal.with_noise_scaled(noise_scale));
    let (x, other) = ([0.0, 0.0], [1.0, 0.0]);
    Ok(vec![
        loss(&subject, "n = 2, ε = 1, δ = 0.05, Δ apart".into(), claimed, (&x, &other), |y| -y[0]),
        distribution(
            "gaussian",
            "n = 2, ε = 1, δ = 0.05, coordinate".into(),
            1_500_000,
            draw(&subject, &[0.3, -7.0], |y| (y[1] + 7.0).abs()),
            move |z| erf(z / sigma * std::f64::consts::FRAC_1_SQRT_2),
        ),
    ])
}

fn polar_radial(noise_scale: f64) -> Result<Vec<Check>, Error> {
    let subject = |dim: usize, kappa: f64, radius: f64| -> Result<Subject, Error> {
        Ok(Arc::new(PolarRadial::new(dim, Kappa::new(kappa / noise_scale)?, eps(radius / noise_scale)?)?))
    };
    let nominal = PolarRadial::new(2, Kappa::new(0.8)?, eps(1.0)?)?.guarantees();
    let claimed = nominal[0].loss(2.0)?.get() + nominal[1].loss(1.0)?.get();
    let pair = subject(2, 0.8, 1.0)?;
    let (x, other) = ([9.0, 0.0], [-10.0, 0.0]);
    let statistic = |y: &[f64]| {
        let length = norm(y);
        1.6 * y[0] / length + (length - 10.0).abs() - (length - 9.0).abs()
    };
    let three = subject(3, 10.0, 4.0)?;
    let row = slanted(3).iter().map(|x| 3.0 * x).collect::<Vec<f64>>();
    let direction = slanted(3);
    let cdf = NumericCdf::new(
        |theta: f64| -20.0 * (theta / 2.0).sin().powi(2) + theta.sin().max(1e-300).ln(),
        0.0,
        PI,
    );
    Ok(vec![
        loss(&pair, "d = 2, κ = 0.8, ε_r = 1, opposite, 1 longer".into(), claimed, (&x, &other), statistic),
        distribution(
            "polar-radial",
            "d = 3, ε_r = 4, length".into(),
            1_500_000,
            draw(&three, &row, |y| (norm(y) - 3.0).abs()),
            |z| 1.0 - (-4.0 * z).exp(),
        ),
        distribution(
            "polar-radial",
            "d = 3, κ = 10, angle".into(),
            1_500_000,
            draw(&three, &row, move |y| {
                let length = norm(y);
                angle_between(&[y[0] / length, y[1] / length, y[2] / length], &direction)
            }),
            move |theta| cdf.at(theta),
        ),
    ])
}
