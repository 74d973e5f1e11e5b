//! `inkveil audit`.

use insta::assert_snapshot;

use crate::folder::Folder;

#[test]
fn honest_mechanisms_pass_and_the_findings_are_json() {
    let folder = Folder::new();
    let run =
        folder.run("audit --quick -m randomized-response -m gaussian --insecure-seed 1 --json findings.json");
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
fn refusals() {
    let folder = Folder::new();
    let runs = ["audit -m nonsense", "audit --noise-scale 7"].map(|line| folder.run(line));
    assert_snapshot!("audit-refused", runs.join("\n"));
}
