use super::*;
use crate::{
    Epsilon, ErrorKind, Grid, Guarantee, LaplaceL2, Metric, Neighbours, NoiseKey, Unit, VectorMechanism,
};
use proptest::prelude::*;

fn example(seed: u64) -> Receipt {
    let mechanism = LaplaceL2::new(3, Epsilon::new(10.0).unwrap()).unwrap();
    let key = NoiseKey::insecure_from_seed(seed);
    let mut receipt = Receipt::builder(ReleaseKind::Vectors, "laplace-l2", Unit::Vector, &key)
        .sha256("00".repeat(32))
        .parameter("dimension", 3)
        .group(
            GroupBudget::new("all", 7, Epsilon::new(10.0).unwrap(), mechanism.guarantees())
                .diameter(Metric::Euclidean, 2.0)
                .typical_distance(0.25),
        )
        .grid(mechanism.grid(), Some(1e-6))
        .treatment("lengths", "noised with the rest", None)
        .not_covered("how many rows there are")
        .note("a test")
        .build()
        .unwrap();
    // The golden files must not depend on the version of the program.
    receipt.tool = "inkveil 0.1.0".into();
    receipt.digest = verify::digest(&receipt);
    receipt
}

/// Stored receipts must stay readable: a change of the format needs a new version.
#[test]
fn golden_json() {
    let expected = include_str!("golden.json");
    assert_eq!(example(1).to_json(), expected);
    assert_eq!(Receipt::from_json(expected).unwrap(), example(1));
}

#[test]
fn golden_text() {
    assert_eq!(example(1).render(), include_str!("golden.txt"));
}

#[test]
fn totals_follow_from_groups() {
    let receipt = example(1);
    assert_eq!(receipt.count(), 7);
    assert_eq!(receipt.total_epsilon(), Some(Epsilon::new(70.0).unwrap()));
    assert_eq!(receipt.mean_epsilon(), Some(Epsilon::new(10.0).unwrap()));
    assert_eq!(receipt.worst_case_epsilon, Some(Epsilon::new(140.0).unwrap()));
}

/// The receipt of a text starts with what a person must know, and its chances belong to its losses.
#[test]
fn the_first_lines_say_how_sure_someone_can_be() {
    let key = NoiseKey::insecure_from_seed(0);
    let epsilon = Epsilon::new(2.0).unwrap();
    let noised = Guarantee::new(Metric::Chordal, epsilon, Unit::Word).among(Neighbours::SameLayout);
    let replaced = Guarantee::new(Metric::Discrete, Epsilon::ZERO, Unit::Word).among(Neighbours::SameShape);
    let other = Alternative {
        mechanism: "exponential".into(),
        metric: Metric::Chordal,
        epsilon: Epsilon::new(0.5).unwrap(),
        worst_case_epsilon: Some(Epsilon::new(1.0).unwrap()),
    };
    let noised = GroupBudget::new("group 4, neither", 3, epsilon, vec![noised])
        .diameter(Metric::Chordal, 2.0)
        .typical_distance(0.5)
        .with_certainty()
        .survival(0.25)
        .alternative(other);
    let receipt = Receipt::builder(ReleaseKind::Text, "polar", Unit::Word, &key)
        .group(noised)
        .group(GroupBudget::new("group 2, sensitive", 1, Epsilon::ZERO, vec![replaced]).with_certainty())
        .not_covered("the layout")
        .build()
        .unwrap();
    let shown = receipt.render();
    let first: Vec<&str> = shown.lines().take(8).collect();
    assert_eq!(
        first[3],
        "    group 4, neither (3 words): noised, at most 98 % (nearest words: 73 %); measured: survives in 25 % of cases"
    );
    assert_eq!(
        first[4],
        "    group 2, sensitive (1 word): replaced, 50 % between originals of the same kind and shape"
    );
    assert_eq!(
        first[5],
        "  Other mechanisms keep as many words with a smaller worst-case ε: exponential 1; now 4."
    );
    assert_eq!(first[7], "Details");
    assert!(shown.contains("compares      texts of the same layout: its words"), "{shown}");
    let json = receipt.to_json();
    assert!(json.contains("\"neighbours\": \"same-layout\"") && json.contains("\"alternatives\""), "{json}");
    assert_eq!(Receipt::from_json(&json).unwrap(), receipt);
    let changed = json.replacen("\"typical\": 0.73", "\"typical\": 0.53", 1);
    assert_ne!(changed, json);
    let problems = Receipt::from_json(&changed).unwrap().verify();
    assert!(problems.iter().any(|problem| problem.contains("chances")), "{problems:?}");
}

#[test]
fn changes_are_detected() {
    let json = example(1).to_json();
    for (from, to) in [
        ("\"count\": 7", "\"count\": 6"),
        ("\"total_epsilon\": 70.0", "\"total_epsilon\": 7.0"),
        ("\"secure\": false", "\"secure\": true"),
        ("how many rows", "nothing of the"),
    ] {
        let changed = json.replacen(from, to, 1);
        assert_ne!(changed, json, "{from}");
        assert!(!Receipt::from_json(&changed).unwrap().verify().is_empty(), "{from}");
    }
}

#[test]
fn a_receipt_must_list_what_it_does_not_cover() {
    let key = NoiseKey::insecure_from_seed(0);
    let guarantee = Guarantee::new(Metric::Discrete, Epsilon::ZERO, Unit::Token);
    let builder = Receipt::builder(ReleaseKind::Text, "uniform", Unit::Token, &key).group(GroupBudget::new(
        "all",
        1,
        Epsilon::ZERO,
        vec![guarantee],
    ));
    assert!(builder.clone().build().unwrap_err().to_string().contains("not covered"));
    assert!(builder.not_covered("length").build().is_ok());
}

#[test]
fn only_a_rewrite_may_have_no_guarantee() {
    let key = NoiseKey::insecure_from_seed(0);
    let build =
        |kind| Receipt::builder(kind, "rewrite", Unit::Document, &key).not_covered("all of it").build();
    let rewrite = build(ReleaseKind::Rewrite).unwrap();
    assert!(rewrite.render().contains("no formal guarantee"));
    assert!(build(ReleaseKind::Text).is_err());
}

#[test]
fn only_insecure_randomness_is_marked() {
    assert!(!example(1).is_secure());
    assert!(example(1).render().contains("INSECURE"));
    let guarantee = Guarantee::new(Metric::Discrete, Epsilon::ZERO, Unit::Token);
    let fresh = Receipt::builder(ReleaseKind::Text, "uniform", Unit::Token, &NoiseKey::fresh().unwrap())
        .group(GroupBudget::new("all", 1, Epsilon::ZERO, vec![guarantee]))
        .not_covered("length")
        .build()
        .unwrap();
    assert!(fresh.is_secure() && !fresh.render().contains("INSECURE"));
}

#[test]
fn unchanged_units_cost_infinity_and_unbounded_inputs_have_no_worst_case() {
    let key = NoiseKey::insecure_from_seed(0);
    let kept = Guarantee::new(Metric::Euclidean, Epsilon::INFINITE, Unit::Token);
    let noised = Guarantee::new(Metric::Euclidean, Epsilon::new(2.0).unwrap(), Unit::Token);
    let build = |g: Guarantee| {
        Receipt::builder(ReleaseKind::Text, "m", Unit::Token, &key)
            .group(GroupBudget::new("g", 2, g.epsilon(), vec![g]))
            .not_covered("length")
            .build()
            .unwrap()
    };
    assert_eq!(build(kept).total_epsilon(), Some(Epsilon::INFINITE));
    assert_eq!(build(kept).worst_case_epsilon, Some(Epsilon::INFINITE));
    assert_eq!(build(noised).worst_case_epsilon, None);
}

/// A bound on lengths implies nothing for directions: each metric has its own diameter.
#[test]
fn diameters_are_per_metric() {
    let key = NoiseKey::insecure_from_seed(0);
    let direction = Guarantee::new(Metric::Chordal, Epsilon::new(10.0).unwrap(), Unit::Vector);
    let length = Guarantee::new(Metric::Radial, Epsilon::new(2.0).unwrap(), Unit::Vector);
    let build = |group: GroupBudget| {
        let builder = Receipt::builder(ReleaseKind::Vectors, "polar-radial", Unit::Vector, &key);
        let grid = Grid::new(-20).unwrap();
        builder.group(group).grid(grid, None).not_covered("length").build().unwrap().worst_case_epsilon
    };
    let group = GroupBudget::new("all", 1, Epsilon::new(12.0).unwrap(), vec![direction, length]);
    assert_eq!(build(group.clone()), None);
    let bounded = build(group.diameter(Metric::Radial, 0.01)).unwrap().get();
    assert!((bounded - 20.02).abs() < 1e-9, "{bounded}");
}

#[test]
fn inconsistent_receipts_are_not_built() {
    let key = NoiseKey::insecure_from_seed(0);
    let chordal =
        |epsilon: f64| Guarantee::new(Metric::Chordal, Epsilon::new(epsilon).unwrap(), Unit::Vector);
    let build = |epsilon: f64, group: fn(GroupBudget) -> GroupBudget, grid: bool, note: &str| {
        let budget = GroupBudget::new("all", 3, Epsilon::new(epsilon).unwrap(), vec![chordal(100.0)]);
        let builder = Receipt::builder(ReleaseKind::Vectors, "polar", Unit::Vector, &key)
            .group(group(budget))
            .not_covered(note);
        if grid { builder.grid(Grid::new(-20).unwrap(), None) } else { builder }.build()
    };
    assert!(build(100.0, |g| g, true, "length").is_ok());
    for diameter in [(|g| g.diameter(Metric::Chordal, 0.0)) as fn(GroupBudget) -> GroupBudget, |g| {
        g.diameter(Metric::Chordal, f64::NAN)
    }] {
        assert!(build(100.0, diameter, true, "length").is_err(), "an invalid diameter");
    }
    assert!(build(0.1, |g| g, true, "length").is_err(), "a budget below all guarantees");
    assert!(build(100.0, |g| g, false, "length").is_err(), "numbers without a grid");
    assert!(
        build(100.0, |g| g, true, "length\n  randomness    from the operating system").is_err(),
        "a forged line"
    );
    let forged = example(1).to_json().replace("a test", "a test\\u001b[2J");
    assert!(Receipt::from_json(&forged).is_err());
}

#[test]
fn failure_probabilities_add_up() {
    let key = NoiseKey::insecure_from_seed(0);
    let gaussian = crate::Gaussian::new(3, Epsilon::new(1.0).unwrap(), 1e-3, 2.0).unwrap();
    let receipt = Receipt::builder(ReleaseKind::Vectors, "gaussian", Unit::Vector, &key)
        .group(GroupBudget::new("all", 1_000_000, Epsilon::new(1.0).unwrap(), gaussian.guarantees()))
        .grid(gaussian.grid(), None)
        .not_covered("length")
        .build()
        .unwrap();
    assert_eq!((receipt.total_delta(), receipt.worst_case_epsilon()), (Some(1000.0), None));
    assert!(receipt.render().contains("no guarantee for the release as a whole"));
}

#[test]
fn errors_contain_the_position_and_never_the_content() {
    for bad in
        ["my private text", r#"{"format":"my private text","version":1}"#, r#"{"version":"my private text"}"#]
    {
        let error = Receipt::from_json(bad).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Receipt { .. }));
        assert!(!format!("{error} {error:?}").contains("private"), "{error}");
    }
    let newer = example(1).to_json().replace("\"version\": 1", "\"version\": 2");
    assert!(Receipt::from_json(&newer).unwrap_err().to_string().contains("version 2"));
    let extra = example(1).to_json().replacen("{", "{\"my private text\": 1,", 1);
    let error = Receipt::from_json(&extra).unwrap_err();
    assert!(!error.to_string().contains("private"), "{error}");
}

proptest! {
    #[test]
    fn never_panics(text in ".{0,200}") {
        let _ = Receipt::from_json(&text).map(|r| (r.verify(), r.render()));
    }

    #[test]
    fn any_budget_round_trips(epsilon in 1e-6..1e6f64, count in 0..u64::MAX, diameter in 1e-3..1e3f64) {
        let epsilon = Epsilon::new(epsilon).unwrap();
        let guarantee = Guarantee::new(Metric::Euclidean, epsilon, Unit::Vector);
        let receipt = Receipt::builder(
            ReleaseKind::Vectors, "laplace-l2", Unit::Vector, &NoiseKey::insecure_from_seed(0),
        )
        .group(GroupBudget::new("all", count, epsilon, vec![guarantee]).diameter(Metric::Euclidean, diameter))
        .grid(Grid::new(-20).unwrap(), None)
        .not_covered("length")
        .build()
        .unwrap();
        let read = Receipt::from_json(&receipt.to_json()).unwrap();
        prop_assert!(read.verify().is_empty());
        prop_assert_eq!(read, receipt);
    }
}

#[test]
fn lines_that_are_added_later_are_part_of_the_digest() {
    let key = NoiseKey::insecure_from_seed(1);
    let receipt = Receipt::builder(ReleaseKind::Rewrite, "none", Unit::Document, &key).not_covered("length");
    let receipt = receipt.build().unwrap();
    let (digest, more) = (receipt.digest().to_owned(), ["the columns id".to_owned()]);
    let longer = receipt.also_not_covered(more.clone()).also_noted(more);
    assert!(longer.verify().is_empty() && longer.digest() != digest);
}
