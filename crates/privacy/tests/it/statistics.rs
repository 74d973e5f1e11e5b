//! The statistical suite: every check of the audit with all its samples and a fixed seed. Each check has a false-alarm
//! rate of 1e-6, so the suite would fail by chance for about one seed in 20,000; this one does not.

use std::collections::BTreeSet;

use inkveil_privacy::NoiseKey;
use inkveil_privacy::audit::{self, Check, Effort, Kind, Report};

fn audited(noise_scale: f64, effort: Effort, wanted: impl Fn(&Check) -> bool) -> Report {
    let checks = audit::checks(noise_scale).unwrap();
    let chosen: Vec<_> = checks.iter().filter(|c| wanted(c)).collect();
    assert!(!chosen.is_empty());
    audit::run(&chosen, effort, &NoiseKey::insecure_from_seed(20), |_| ()).unwrap()
}

fn failures(report: &Report) -> String {
    report.findings.iter().filter(|f| !f.passed).map(|f| format!("{f:?}\n")).collect()
}

#[test]
fn honest_mechanisms_pass() {
    let report = audited(1.0, Effort::Full, |_| true);
    assert!(report.passed(), "{}", failures(&report));
    assert!(!report.secure);
}

/// The mutation test: each sampler's scale off by 2 %, either way, fails every distribution check that can see a scale.
/// (The side to which a direction is turned has no scale.)
#[test]
fn a_scale_off_by_two_percent_is_found_in_every_sampler() {
    for noise_scale in [0.98, 1.02] {
        let has_a_scale = |c: &Check| !c.about().ends_with("side") && !c.about().ends_with("direction");
        let report = audited(noise_scale, Effort::Full, |c| c.kind() == Kind::Distribution && has_a_scale(c));
        let missed: Vec<_> = report.findings.iter().filter(|f| f.passed).collect();
        assert!(missed.is_empty(), "scale {noise_scale} passed: {missed:#?}");
    }
}

/// Noise silently shrunk by a fifth: even the quick audit flags every mechanism, by its loss where the worst pair
/// can show it.
#[test]
fn noise_shrunk_by_a_fifth_is_flagged_for_every_mechanism() {
    let report = audited(0.8, Effort::Quick, |_| true);
    let mechanisms = |kind: Option<Kind>, all: bool| -> BTreeSet<&str> {
        let findings =
            report.findings.iter().filter(|f| kind.is_none_or(|k| f.kind == k) && (all || !f.passed));
        findings.map(|f| f.mechanism.as_str()).collect()
    };
    let every = mechanisms(None, true);
    assert_eq!(every.len(), 11);
    assert_eq!(report.flagged().into_iter().collect::<BTreeSet<_>>(), every);
    assert_eq!(mechanisms(Some(Kind::Loss), false), every, "by their loss");
    assert_eq!(mechanisms(Some(Kind::Distribution), false), every, "by their distribution");
}

/// More noise than promised is wasteful, not dangerous: no loss check may object.
#[test]
fn too_much_noise_breaks_no_promise() {
    // (A uniform draw that favours anything is broken either way.)
    let report = audited(1.2, Effort::Quick, |c| c.kind() == Kind::Loss && c.mechanism() != "uniform");
    assert!(report.passed(), "{}", failures(&report));
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| audited(1.0, Effort::Quick, |c| c.mechanism().starts_with("laplace")))
    };
    assert_eq!(run(1), run(4));
}

/// A check that cannot fail is no check: too few samples, statistics that are no numbers and no checks at all do not pass.
#[test]
fn checks_without_power_do_not_pass() {
    let key = NoiseKey::insecure_from_seed(20);
    let claimed = inkveil_privacy::Epsilon::new(2.0).unwrap();
    let check = |samples: u64, x: f64, delta: f64| {
        Check::loss("leak", "all of it", claimed, delta, samples, move |_| Ok(x), |_| Ok(0.0))
    };
    let run = |check: &Check| audit::run(&[check], Effort::Full, &key, |_| ());
    assert!(!run(&check(10_000, 1.0, 0.0).unwrap()).unwrap().passed());
    assert!(run(&check(10, 1.0, 0.0).unwrap()).is_err());
    assert!(run(&check(10_000, f64::NAN, 0.0).unwrap()).is_err());
    assert!(check(10_000, 1.0, f64::NAN).is_err() && check(10_000, 1.0, 1.0).is_err());
    assert!(!audit::run(&[], Effort::Full, &key, |_| ()).unwrap().passed());
}

#[test]
fn absurd_scales_are_refused() {
    assert!(audit::checks(0.0).is_err());
    assert!(audit::checks(f64::NAN).is_err());
}
