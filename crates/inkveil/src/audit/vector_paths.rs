//! The ways to release vectors that are audited.

use inkveil_privacy::{
    Calibration, Epsilon, Gaussian, LaplaceL1, Mahalanobis, PolarRadial, VectorMechanism, Vmf,
};
use inkveil_vector::{
    Bound, CorpusNote, EncoderNote, EraseNote, EraseSettings, Eraser, Mask, MaskNote, VectorVeil, sigma,
};

use super::lab::Lab;
use super::laws::Law;
use super::outputs::Form;
use crate::error::Error;
use crate::vector_builder::SHORTEST;
use crate::{AfterNoise, VectorNoise, Veil};

/// The floor of masks.
const FLOOR: f64 = 0.25;

type Build<'l> = Box<dyn Fn(usize, Epsilon) -> Result<VectorVeil, Error> + 'l>;

/// One way to release vectors.
pub(super) struct VectorPath<'l> {
    pub(super) name: &'static str,
    pub(super) setting: &'static str,
    pub(super) form: Form,
    pub(super) bound: Bound,
    /// Whether noisy vectors are released as they are.
    pub(super) plain: bool,
    pub(super) veil: Build<'l>,
    pub(super) law: fn(usize, Epsilon) -> Result<Law, Error>,
    /// The small dimension: one, in which a loss can be bounded best, or two for noise on directions
    /// or of a shape.
    pub(super) small: usize,
    /// The budgets in the small dimension, for a loss of about 1, and in the large one.
    pub(super) budgets: [f64; 2],
    /// The lengths of the far pair.
    pub(super) lengths: [f64; 2],
}

/// Every mechanism, bound, format and operation after noise, each at least once.
pub(super) fn paths<'l>(lab: &'l Lab<'_>) -> Vec<VectorPath<'l>> {
    let round = |bound: Bound, after: AfterNoise| -> Build<'l> {
        Box::new(move |dim, epsilon| {
            Veil::vectors(epsilon).noise(VectorNoise::Round).bound(bound).after(after).build(dim)
        })
    };
    let masked = |after: AfterNoise| -> Build<'l> {
        Box::new(move |dim, epsilon| {
            let path = lab.folder()?.join("canary.mask");
            let mask = mask(dim).to_bytes()?;
            std::fs::write(&path, mask).map_err(|cause| Error::write(&path, cause))?;
            Veil::vectors(epsilon).mask(path).floor(FLOOR).after(after).build(dim)
        })
    };
    let erased: Build<'l> = Box::new(move |dim, epsilon| {
        let path = lab.folder()?.join("canary.mask");
        let mask =
            Mask { gates: Vec::new(), mean_squares: Vec::new(), eraser: Some(eraser(dim)), ..mask(dim) };
        std::fs::write(&path, mask.to_bytes()?).map_err(|cause| Error::write(&path, cause))?;
        Veil::vectors(epsilon).mask(path).build(dim)
    });
    let erased_law: fn(usize, Epsilon) -> Result<Law, Error> = |dim, epsilon| {
        let map = Eraser::erasure(&[&eraser(dim)], Some(crate::DEFAULT_AXES), SHORTEST)?;
        Ok(Law::erased(epsilon.get(), map))
    };
    let one = |name, setting, form, bound, veil, law, budgets| VectorPath {
        name,
        setting,
        form,
        bound,
        plain: true,
        small: 2,
        veil,
        law,
        budgets,
        lengths: [1.0, 1.0],
    };
    let of =
        |noise: fn(usize, Epsilon) -> Result<Box<dyn VectorMechanism>, Error>, bound: Bound| -> Build<'l> {
            Box::new(move |dim, epsilon| Ok(VectorVeil::of(noise(dim, epsilon)?, epsilon).bound(bound)?))
        };
    let clip = Bound::Clip(1.0);
    let as_is = AfterNoise::AsIs;
    let wide = [0.5, 100.0];
    let round_law: fn(usize, Epsilon) -> Result<Law, Error> =
        |dim, epsilon| Ok(Law::Elliptical { epsilon: epsilon.get(), diagonal: vec![1.0; dim] });
    let masked_law: fn(usize, Epsilon) -> Result<Law, Error> = |dim, epsilon| {
        Ok(Law::Elliptical { epsilon: epsilon.get(), diagonal: sigma(&mask(dim).gates, FLOOR)? })
    };
    let mut all = vec![
        VectorPath {
            small: 1,
            ..one(
                "round",
                "length 1",
                Form::NpySingle,
                Bound::Unit,
                round(Bound::Unit, as_is),
                round_law,
                wide,
            )
        },
        // Both are longer than the clip: without it their distance would be three times as large.
        VectorPath {
            lengths: [3.0, 3.0],
            small: 1,
            ..one("round", "clip 1", Form::Jsonl, clip, round(clip, as_is), round_law, wide)
        },
        VectorPath {
            plain: false,
            ..one(
                "round",
                "length 1, unit after",
                Form::NpyDouble,
                Bound::Unit,
                round(Bound::Unit, AfterNoise::Unit),
                round_law,
                wide,
            )
        },
    ];
    for form in [Form::NpyHalf, Form::Parquet, Form::Safetensors] {
        all.push(one("round", "length 1", form, Bound::Unit, round(Bound::Unit, as_is), round_law, wide));
    }
    for (name, form) in [("pipe", Form::Pipe), ("memory", Form::List)] {
        let unit = round(Bound::Unit, as_is);
        all.push(VectorPath { small: 1, ..one(name, "length 1", form, Bound::Unit, unit, round_law, wide) });
    }
    let unit = Bound::Unit;
    let thin = [0.25, 50.0];
    all.push(one("masked", "floor 0.25", Form::NpySingle, unit, masked(as_is), masked_law, thin));
    all.push(VectorPath {
        plain: false,
        ..one(
            "masked",
            "floor 0.25, shrunk",
            Form::Parquet,
            unit,
            masked(AfterNoise::Shrink),
            masked_law,
            thin,
        )
    });
    all.push(one("erased", "100 axes", Form::NpySingle, unit, erased, erased_law, wide));
    all.push(one(
        "turning",
        "directions",
        Form::Safetensors,
        Bound::AsIs,
        Box::new(|dim, epsilon| Veil::vectors(epsilon).noise(VectorNoise::Turning).build(dim)),
        |_, epsilon| Ok(Law::Angular { epsilon: epsilon.get() }),
        [0.3, 1000.0],
    ));
    all.push(VectorPath {
        small: 1,
        ..one(
            "laplace-l1",
            "clip 1",
            Form::NpySingle,
            clip,
            of(|dim, epsilon| Ok(Box::new(LaplaceL1::new(dim, epsilon)?)), clip),
            |_, epsilon| Ok(Law::Manhattan { epsilon: epsilon.get() }),
            wide,
        )
    });
    all.push(one(
        "mahalanobis",
        "diagonal",
        Form::NpySingle,
        clip,
        Box::new(move |dim, epsilon| {
            let noise = Mahalanobis::diagonal(epsilon, diagonal(dim))?;
            Ok(VectorVeil::mahalanobis(noise, epsilon)?.bound(clip)?)
        }),
        |dim, epsilon| Ok(Law::Elliptical { epsilon: epsilon.get(), diagonal: diagonal(dim) }),
        thin,
    ));
    all.push(VectorPath {
        small: 1,
        ..one(
            "gaussian",
            "clip 1, δ = 0.01",
            Form::NpyDouble,
            clip,
            of(|dim, epsilon| Ok(Box::new(gaussian(dim, epsilon)?)), clip),
            |dim, epsilon| Ok(Law::Gaussian { sigma: gaussian(dim, epsilon)?.sigma() }),
            [1.0, 1.0],
        )
    });
    all.push(one(
        "polar",
        "directions",
        Form::NpyDouble,
        Bound::AsIs,
        of(|dim, epsilon| Ok(Box::new(Vmf::calibrated(dim, epsilon, Calibration::Paper, 2.0)?)), Bound::AsIs),
        |dim, epsilon| {
            Ok(Law::VonMises { kappa: Vmf::calibrated(dim, epsilon, Calibration::Paper, 2.0)?.kappa() })
        },
        [0.5, 500.0],
    ));
    all.push(VectorPath {
        lengths: [1.0, 2.0],
        ..one(
            "polar-radial",
            "directions and lengths",
            Form::Jsonl,
            Bound::AsIs,
            Box::new(|dim, epsilon| {
                let kappa = Calibration::Paper.kappa(epsilon, 2.0)?;
                let noise = PolarRadial::new(dim, kappa, Epsilon::new(RADIUS)?)?;
                Ok(VectorVeil::of(Box::new(noise), epsilon.checked_add(Epsilon::new(RADIUS)?)?))
            }),
            |_, epsilon| Ok(Law::VonMises { kappa: Calibration::Paper.kappa(epsilon, 2.0)?.get() }),
            [0.5, 500.0],
        )
    });
    all
}

/// The budget of the length, beside that of the direction.
const RADIUS: f64 = 0.5;

/// The diagonal of Σ: half of the dimensions have little noise.
fn diagonal(dim: usize) -> Vec<f64> {
    (0..dim).map(|i| if i % 2 == 0 { 1.0 } else { 0.25 }).collect()
}

fn gaussian(dim: usize, epsilon: Epsilon) -> Result<Gaussian, Error> {
    Ok(Gaussian::new(dim, epsilon, 0.01, 2.0)?)
}

/// An eraser of one direction in eight, at least of the first.
fn eraser(dim: usize) -> Eraser {
    let directions = (dim / 8).max(1);
    let unit = |at: usize| (0..dim).map(move |i| if i == at { 1.0 } else { 0.0 });
    // Spreads that differ, so that axes are well defined.
    let spread = |i: usize| (1.0 + (dim - i) as f32 / dim as f32) / dim as f32;
    Eraser {
        mean: vec![0.0; dim],
        covariance: (0..dim).flat_map(|i| unit(i).map(move |one: f32| one * spread(i))).collect(),
        span: (0..directions).flat_map(unit).collect(),
        note: EraseNote {
            settings: EraseSettings::default(),
            labels: directions,
            labelled_texts: 100,
            concept_removed: 1.0,
            spread_removed: 0.125,
            directions: vec![(0.0, 0.0); directions],
        },
    }
}

/// A mask that is open in every second dimension.
fn mask(dim: usize) -> Mask {
    let encoder = EncoderNote { name: "canary".into(), sha256: None };
    let corpus = CorpusNote { sha256: "0".repeat(64), texts: 1, pairs: 1, public: true };
    let note = MaskNote::new(("canary", "canary", ""), encoder, corpus, None);
    let gates = (0..dim).map(|i| if i % 2 == 0 { 1.0 } else { 0.0 }).collect();
    Mask { gates, mean_squares: vec![1.0 / dim as f32; dim], eraser: None, note }
}
