//! The statistical tests: every check of the audit with all its samples and a fixed seed. Each
//! check has a false-alarm rate of 1e-6, so for about one seed in 20,000 the suite would fail by
//! chance. It passes for this seed.

use std::collections::BTreeSet;

use inkveil_privacy::NoiseKey;
use inkveil_privacy::audit::{self, AuditEffort, AuditReport, Check, CheckKind};

fn audited(noise_scale: f64, effort: AuditEffort, wanted: impl Fn(&Check) -> bool) -> AuditReport {
    let checks = audit::checks(noise_scale).unwrap();
    let chosen: Vec<_> = checks.iter().filter(|c| wanted(c)).collect();
    assert!(!chosen.is_empty());
    audit::run(&chosen, effort, &NoiseKey::insecure_from_seed(20), |_| ()).unwrap()
}

fn failures(report: &AuditReport) -> String {
    report.findings.iter().filter(|f| !f.passed).map(|f| format!("{f:?}\n")).collect()
}

#[test]
fn correct_mechanisms_pass() {
    let report = audited(1.0, AuditEffort::Full, |_| true);
    assert!(report.passed(), "{}", failures(&report));
    assert!(!report.secure);
}

/// A mutation test: if the scale of a sampler is off by 2 % in either direction, every distribution
/// check that depends on the scale fails. (The tangent direction of a rotation has no scale.)
#[test]
fn a_scale_error_of_two_percent_is_found_in_every_sampler() {
    for noise_scale in [0.98, 1.02] {
        let has_a_scale = |c: &Check| !c.about().ends_with("tangent") && !c.about().ends_with("direction");
        let report = audited(noise_scale, AuditEffort::Full, |c| {
            c.kind() == CheckKind::Distribution && has_a_scale(c)
        });
        let missed: Vec<_> = report.findings.iter().filter(|f| f.passed).collect();
        assert!(missed.is_empty(), "scale {noise_scale} passed: {missed:#?}");
    }
}

/// Noise that is 20 % too small: even the quick audit flags every mechanism.
#[test]
fn noise_that_is_20_percent_too_small_is_flagged_for_every_mechanism() {
    let report = audited(0.8, AuditEffort::Quick, |_| true);
    let mechanisms = |kind: Option<CheckKind>, all: bool| -> BTreeSet<&str> {
        let findings =
            report.findings.iter().filter(|f| kind.is_none_or(|k| f.kind == k) && (all || !f.passed));
        findings.map(|f| f.mechanism.as_str()).collect()
    };
    let every = mechanisms(None, true);
    assert_eq!(every.len(), 12);
    assert_eq!(report.flagged().into_iter().collect::<BTreeSet<_>>(), every);
    assert_eq!(mechanisms(Some(CheckKind::Loss), false), every, "by their loss");
    assert_eq!(mechanisms(Some(CheckKind::Distribution), false), every, "by their distribution");
}

/// More noise than necessary violates no guarantee: no loss check may fail.
#[test]
fn too_much_noise_violates_no_guarantee() {
    // (A uniform draw that favours any value is wrong in either case.)
    let report =
        audited(1.2, AuditEffort::Quick, |c| c.kind() == CheckKind::Loss && c.mechanism() != "uniform");
    assert!(report.passed(), "{}", failures(&report));
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| audited(1.0, AuditEffort::Quick, |c| c.mechanism().starts_with("laplace")))
    };
    assert_eq!(run(1), run(4));
}

/// Too few samples, statistics that are not numbers, and an empty list of checks do not pass.
#[test]
fn checks_without_power_do_not_pass() {
    let key = NoiseKey::insecure_from_seed(20);
    let claimed = inkveil_privacy::Epsilon::new(2.0).unwrap();
    let check = |samples: u64, x: f64, delta: f64| {
        Check::loss("leak", "the whole input", claimed, delta, samples, move |_| Ok(x), |_| Ok(0.0))
    };
    let run = |check: &Check| audit::run(&[check], AuditEffort::Full, &key, |_| ());
    assert!(!run(&check(10_000, 1.0, 0.0).unwrap()).unwrap().passed());
    assert!(run(&check(10, 1.0, 0.0).unwrap()).is_err());
    assert!(run(&check(10_000, f64::NAN, 0.0).unwrap()).is_err());
    assert!(check(10_000, 1.0, f64::NAN).is_err() && check(10_000, 1.0, 1.0).is_err());
    assert!(!audit::run(&[], AuditEffort::Full, &key, |_| ()).unwrap().passed());
}

#[test]
fn scales_out_of_range_are_refused() {
    assert!(audit::checks(0.0).is_err());
    assert!(audit::checks(f64::NAN).is_err());
}
