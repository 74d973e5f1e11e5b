//! The audit of the release path: it passes, and it finds each fault that is put back.
//!
//! A fault holds for the whole process, so the tests take turns. `cargo test -p inkveil --test audit
//! -- --ignored --nocapture` prints the power of the audit.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard};

use inkveil::audit::EndToEnd;
use inkveil::privacy::audit::{AuditEffort, AuditReport, Finding};
use inkveil::privacy::faults::{self, Fault};
use inkveil::release::KeyChoice;

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn audit(effort: AuditEffort, paths: &[&str], fault: Option<Fault>) -> AuditReport {
    let paths = paths.iter().map(ToString::to_string).collect();
    let audit = EndToEnd { effort, key: KeyChoice::InsecureSeed(1), paths, ..EndToEnd::default() };
    faults::set(fault);
    let show = |finding: &Finding| {
        let Finding { mechanism, about, found, limit, passed, .. } = finding;
        println!("  {mechanism} | {about} | {found:.4} | {limit:.4} | {passed}");
    };
    let report = audit.run(&show, &AtomicBool::new(false));
    faults::set(None);
    report.map_err(|error| error.to_string()).unwrap()
}

/// A fault, the paths to audit, those that must be refuted, and the checks that may refute them.
struct Case {
    fault: Fault,
    paths: &'static [&'static str],
    refuted: &'static [&'static str],
    checks: &'static [&'static str],
}

const VECTORS: &[&str] = &[
    "vectors/round",
    "vectors/erased",
    "vectors/laplace-l1",
    "vectors/polar",
    "vectors/polar-radial",
    "vectors/pipe",
    "vectors/memory",
    "vectors/embed",
];
const SURROGATES: &[&str] = &[
    "texts/surrogate-kind",
    "texts/surrogate-coarse",
    "texts/surrogate-exact",
    "texts/pipe",
    "texts/memory",
    "texts/table",
    "texts/conversation",
    "texts/files",
];

const CASES: &[Case] = &[
    Case {
        fault: Fault::NoiseReuse,
        paths: VECTORS,
        refuted: VECTORS,
        checks: &["noise that two vectors share"],
    },
    Case {
        fault: Fault::OffGrid,
        paths: &["vectors/without-noise", "vectors/polar-radial", "vectors/laplace-l1"],
        refuted: &["vectors/without-noise", "vectors/polar-radial"],
        checks: &["numbers off the grid", "loss of vectors of one direction", "low bits and sizes"],
    },
    Case {
        fault: Fault::HiddenSlack,
        paths: VECTORS,
        refuted: &[
            "vectors/round",
            "vectors/erased",
            "vectors/polar",
            "vectors/polar-radial",
            "vectors/pipe",
            "vectors/memory",
            "vectors/embed",
        ],
        checks: &["slack of the sampler stated"],
    },
    Case {
        fault: Fault::UnderNoise(0.8),
        paths: VECTORS,
        refuted: VECTORS,
        checks: &["loss of opposite vectors", "length of the noise", "angle of the noise"],
    },
    Case {
        fault: Fault::SpanOffByOne,
        paths: &["vectors/erased", "vectors/round"],
        refuted: &["vectors/erased"],
        checks: &[
            "loss inside the erased span",
            "length of the noise",
            "loss of opposite vectors",
            "direction of the noise",
        ],
    },
    Case {
        fault: Fault::ShapeByCharacter,
        paths: SURROGATES,
        // At this level a surrogate keeps the class of every character anyway.
        refuted: &[
            "texts/surrogate-kind",
            "texts/surrogate-coarse",
            "texts/pipe",
            "texts/memory",
            "texts/table",
            "texts/conversation",
            "texts/files",
        ],
        checks: &["of one shape"],
    },
    Case {
        fault: Fault::PrivateRejection,
        paths: &["texts/restorable", "texts/surrogate-exact"],
        refuted: &["texts/restorable"],
        checks: &["one digit: surrogates"],
    },
    Case {
        fault: Fault::AnyNeighbours,
        paths: &["texts/exponential", "texts/mask", "texts/pipe", "texts/table", "texts/conversation"],
        refuted: &["texts/exponential", "texts/pipe", "texts/table", "texts/conversation"],
        checks: &["receipt names the texts it compares"],
    },
    Case {
        fault: Fault::LedgerBypass,
        paths: &["records"],
        refuted: &["records/ledger"],
        checks: &["a release is charged what its receipt states", "a release over the limit is refused"],
    },
    Case {
        fault: Fault::ClearPairs,
        paths: &["records"],
        refuted: &["records/job-folder"],
        checks: &["files of a stopped job that hold an original"],
    },
];

fn refuted(report: &AuditReport) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| !finding.passed).collect()
}

#[test]
fn each_fault_is_found_on_its_paths_and_by_its_checks() {
    let _turn = turn();
    for Case { fault, paths, refuted: expected, checks } in CASES {
        let report = audit(AuditEffort::Quick, paths, Some(*fault));
        assert_eq!(
            report.flagged().into_iter().collect::<BTreeSet<_>>(),
            expected.iter().copied().collect(),
            "{fault:?}"
        );
        for finding in refuted(&report) {
            assert!(checks.iter().any(|check| finding.about.contains(check)), "{fault:?}: {finding:?}");
        }
        println!("{fault:?}: {} of {} checks refute", refuted(&report).len(), report.findings.len());
    }
}

/// The paths of the faults, without a fault.
#[test]
fn without_a_fault_nothing_is_refuted() {
    let _turn = turn();
    let mut paths: Vec<&str> = CASES.iter().flat_map(|case| case.paths).copied().collect();
    paths.extend(["vectors", "texts/drop", "texts/documents"]);
    let report = audit(AuditEffort::Quick, &paths, None);
    assert!(report.passed(), "{:#?}", refuted(&report));
}

#[test]
#[ignore = "takes a minute: every mechanism of texts"]
fn every_path_passes() {
    let _turn = turn();
    let report = audit(AuditEffort::Quick, &[], None);
    assert!(report.passed(), "{:#?}", refuted(&report));
    let audited: BTreeSet<String> = report.findings.iter().map(|finding| finding.mechanism.clone()).collect();
    assert_eq!(audited, EndToEnd::all_paths().into_iter().collect(), "each path has a finding");
}

#[test]
fn unknown_paths_are_refused_and_a_cancelled_audit_stops() {
    let _turn = turn();
    let run = |paths: &[&str], cancelled: bool| {
        let paths = paths.iter().map(ToString::to_string).collect();
        let audit = EndToEnd { effort: AuditEffort::Quick, paths, ..EndToEnd::default() };
        audit.run(&|_| (), &AtomicBool::new(cancelled))
    };
    let error = run(&["vectors/rond"], false).unwrap_err();
    assert!(
        error.to_string().starts_with("there is no path \"vectors/rond\"; choose from vectors/round"),
        "{error}"
    );
    assert!(run(&["vector"], false).is_err(), "a part of a name is not a path");
    assert!(run(&["records/ledger"], true).unwrap_err().is_cancelled());
}

/// How much noise must be missing to be found. Prints the table in docs/results/promises.md.
#[test]
#[ignore = "takes minutes; prints a table"]
fn power() {
    let _turn = turn();
    for effort in [AuditEffort::Quick, AuditEffort::Full] {
        for share in [0.98, 0.95, 0.8] {
            let report = audit(effort, &["vectors"], Some(Fault::UnderNoise(share)));
            for path in EndToEnd::all_paths().iter().filter(|path| path.starts_with("vectors/")) {
                let of = |checks: &[&str], large: bool| {
                    let fits = |finding: &&Finding| {
                        &finding.mechanism == path
                            && ["n = 768", "n = 384"].iter().any(|n| finding.about.contains(n)) == large
                            && checks.iter().any(|check| finding.about.ends_with(check))
                    };
                    let all: Vec<&Finding> = report.findings.iter().filter(fits).collect();
                    format!("{}/{}", all.iter().filter(|finding| !finding.passed).count(), all.len())
                };
                let size = ["length of the noise", "angle of the noise"];
                println!(
                    "{effort:?} | {share} | {path} | {} | {} | {}",
                    of(&["loss of opposite vectors"], false),
                    of(&size, false),
                    of(&size, true)
                );
            }
        }
    }
}
