//! `inkveil serve`, `inkveil mcp` and `inkveil sql` hand over to programs of their own.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

#[test]
fn arguments_and_the_exit_code_are_handed_over() {
    let built = Path::new(env!("CARGO_BIN_EXE_inkveil"));
    let folder = tempfile::tempdir_in(built.parent().unwrap()).unwrap();
    let program = folder.path().join("inkveil");
    std::fs::hard_link(built, &program).unwrap();
    let run = |arguments: &[&str]| Command::new(&program).args(arguments).env("PATH", "").output().unwrap();

    let missing = run(&["serve", "--upstream", "http://localhost:1"]);
    assert_eq!(missing.status.code(), Some(1));
    let message = String::from_utf8(missing.stderr).unwrap();
    assert!(message.contains("cargo build --release -p inkveil-serve"), "{message}");

    let missing = run(&["sql", "--help"]);
    let message = String::from_utf8(missing.stderr).unwrap();
    assert!(message.contains("engines/Cargo.toml"), "{message}");

    for name in ["inkveil-serve", "inkveil-sql"] {
        let program = folder.path().join(name);
        std::fs::write(&program, "#!/bin/sh\necho \"$@\"\nexit 7\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (arguments, seen) in [
        (&["serve", "--upstream", "http://localhost:1", "-q"][..], "--upstream http://localhost:1 -q\n"),
        (&["serve", "--help"], "--help\n"),
        (&["mcp", "--tier", "fast"], "mcp --tier fast\n"),
        (&["sql", "-c", "SELECT 1"], "-c SELECT 1\n"),
    ] {
        let done = run(arguments);
        assert_eq!((done.status.code(), String::from_utf8(done.stdout).unwrap().as_str()), (Some(7), seen));
    }
}
