//! Masks find the dimensions that carry a concept.

use inkveil_nn::SplitMix;
use inkveil_vector::{ErrorKind, FitSettings, Pairs, fit, sensitivity};

/// Vectors of `dim` dimensions. The concept changes the first `carrying` of them.
fn planted(count: usize, dim: usize, carrying: usize, seed: u64) -> Pairs {
    let mut random = SplitMix::named(seed, "planted", &[]);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let row: Vec<f32> = (0..dim).map(|_| random.normals()[0] as f32 * 0.1).collect();
        with.extend(row.iter().enumerate().map(|(d, x)| if d < carrying { x + 0.25 } else { *x }));
        without.extend(row);
    }
    Pairs::from_vectors(dim, with, without).unwrap()
}

fn quick() -> FitSettings {
    FitSettings { rate: 1e-3, gate_rate: 3e-2, epochs: 30, lambda: 5e-3, ..FitSettings::default() }
}

#[test]
fn the_dimensions_that_carry_the_concept_are_found() {
    let pairs = planted(600, 24, 4, 1);
    let fitted = fit(&pairs, &quick(), &mut |_| true).unwrap();
    let carrying = fitted.gates[..4].iter().copied().fold(1.0, f32::min);
    let others = fitted.gates[4..].iter().copied().fold(0.0, f32::max);
    assert!(carrying > others, "{:?}", fitted.gates);
    let last = fitted.curve.last().unwrap();
    assert!(last.accuracy.unwrap() > 0.9 && last.loss < fitted.curve[0].loss);
    let found = sensitivity(&pairs, &fitted.gates).unwrap();
    assert!(found.top > 10.0 * found.bottom);
}

#[test]
fn a_higher_cost_closes_more_gates() {
    let pairs = planted(300, 16, 2, 2);
    let open = |lambda| {
        let settings = FitSettings { lambda, ..quick() };
        fit(&pairs, &settings, &mut |_| true).unwrap().gates.iter().map(|g| f64::from(*g)).sum::<f64>()
    };
    let (none, some, much) = (open(0.0), open(5e-3), open(5e-2));
    assert!(none > some && some > much, "{none} {some} {much}");
}

#[test]
fn the_same_seed_gives_the_same_mask() {
    let pairs = planted(100, 8, 2, 3);
    let with_seed = |seed| fit(&pairs, &FitSettings { seed, epochs: 3, ..quick() }, &mut |_| true).unwrap();
    assert_eq!(with_seed(1), with_seed(1));
    assert_ne!(with_seed(1), with_seed(2));
}

#[test]
fn learning_can_be_stopped_and_settings_are_checked() {
    let pairs = planted(100, 8, 2, 4);
    let mut seen = 0;
    let stopped = fit(&pairs, &quick(), &mut |_| {
        seen += 1;
        seen < 2
    })
    .unwrap_err();
    assert!(matches!(stopped.kind(), ErrorKind::Stopped) && seen == 2);
    for settings in [
        FitSettings { lambda: f64::NAN, ..quick() },
        FitSettings { rate: 0.0, ..quick() },
        FitSettings { epochs: 0, ..quick() },
        FitSettings { held_out: 0.9, ..quick() },
    ] {
        assert!(fit(&pairs, &settings, &mut |_| true).is_err());
    }
}

#[test]
fn labelled_vectors_need_no_counterparts() {
    let pairs = planted(200, 6, 2, 5);
    let rows =
        |side: &dyn Fn(usize) -> Vec<f32>, count: usize| (0..count).flat_map(side).collect::<Vec<f32>>();
    let with = rows(&|i| pairs.positive(i).to_vec(), 200);
    let without = rows(&|i| pairs.negative(i).to_vec(), 80);
    let labelled = Pairs::from_labels(6, with, without).unwrap();
    let fitted = fit(&labelled, &quick(), &mut |_| true).unwrap();
    assert!(fitted.gates[0] > fitted.gates[5]);
    assert!(sensitivity(&labelled, &fitted.gates).is_err());
}
