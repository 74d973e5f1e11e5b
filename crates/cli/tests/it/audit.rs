//! `inkveil audit`.

use insta::assert_snapshot;

use crate::folder::Folder;

#[test]
fn honest_mechanisms_pass_and_the_findings_are_json() {
    let folder = Folder::new();
    let run = folder
        .run("audit --quick -m randomized-response -m gaussian --insecure-seed 1 --json -o findings.json");
    assert_snapshot!("audit-honest", run);
    assert_snapshot!("audit-json", String::from_utf8(folder.read("findings.json")).unwrap());
}

#[test]
fn broken_mechanisms_are_flagged() {
    let folder = Folder::new();
    let run = folder.run("audit --quick -m laplace-l1 --noise-scale 0.8 --insecure-seed 1");
    assert!(run.contains("\nexit 1\n"));
    assert_snapshot!("audit-broken", run);
}

#[test]
fn fresh_samples_by_default() {
    let run = Folder::new().run("audit --quick -m uniform");
    assert!(run.contains("\nexit 0\n") && !run.contains("fixed seed"), "{run}");
}

#[test]
fn findings_can_be_piped() {
    let run = Folder::new().run("audit --quick -m uniform --json");
    let json = run.split("--- stdout\n").nth(1).unwrap();
    assert!(json.starts_with('{') && json.contains("\"findings\""), "{run}");
}

/// A full disk behind standard output is an error, not a panic.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let binary = Folder::new().command().get_program().to_owned();
    let run = std::process::Command::new(binary)
        .args(["audit", "--quick", "-m", "uniform"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn refusals() {
    let folder = Folder::new();
    let runs = ["audit -m nonsense", "audit --noise-scale 7"].map(|line| folder.run(line));
    assert_snapshot!("audit-refused", runs.join("\n"));
}

/// Releases of vectors, of masked texts, and what they leave beside the output.
#[test]
fn the_release_path_is_audited_end_to_end() {
    let folder = Folder::new();
    let paths = "-m vectors/laplace-l1 -m vectors/without-noise -m records -m texts/mask";
    let run =
        folder.run(&format!("audit --end-to-end --quick {paths} --insecure-seed 1 --json -o findings.json"));
    assert!(run.contains("\nexit 0\n") && run.contains("none refuted a guarantee"), "{run}");
    assert!(run.contains("path") && run.contains("numbers off the grid"), "{run}");
    let findings = String::from_utf8(folder.read("findings.json")).unwrap();
    for kind in ["\"loss\"", "\"distribution\"", "\"exact\""] {
        assert!(findings.contains(kind), "{kind}: {findings}");
    }
}

#[test]
fn paths_that_do_not_exist_are_refused() {
    let folder = Folder::new();
    let run = folder.run("audit --end-to-end -m vectors/nonsense");
    assert!(run.contains("\nexit 1\n") && run.contains("choose from vectors/round"), "{run}");
    let run = folder.run("audit --end-to-end --noise-scale 0.8");
    assert!(run.contains("cannot be used with"), "{run}");
}
