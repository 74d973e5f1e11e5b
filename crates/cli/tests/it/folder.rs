//! A folder of its own for each test, and runs of the binary in it.

use std::path::PathBuf;
use std::process::{Child, Stdio};

use assert_cmd::Command;
use tempfile::TempDir;

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names of all files, hidden ones included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::cargo_bin("inkveil").unwrap();
        command.current_dir(self.0.path()).env_remove("RUST_BACKTRACE");
        command
    }

    /// Starts the binary with the words of `line`, to be talked to while it runs.
    pub(crate) fn start(&self, line: &str) -> Child {
        std::process::Command::new(self.command().get_program())
            .args(line.split_whitespace())
            .current_dir(self.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs the binary with the words of `line` and gives back all that can be seen of it.
    pub(crate) fn run(&self, line: &str) -> String {
        self.run_with(line, "")
    }

    pub(crate) fn run_with(&self, line: &str, stdin: impl Into<Vec<u8>>) -> String {
        self.run_in_environment(line, stdin, &[])
    }

    /// Runs the binary with more environment variables.
    pub(crate) fn run_in_environment(
        &self,
        line: &str,
        stdin: impl Into<Vec<u8>>,
        variables: &[(&str, &str)],
    ) -> String {
        let mut command = self.command();
        command.args(line.split_whitespace()).envs(variables.iter().copied());
        let output = command.write_stdin(stdin).output().unwrap();
        format!(
            "$ inkveil {line}\nexit {}\n--- stdout\n{}--- stderr\n{}",
            output.status.code().unwrap(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        )
    }
}

/// Random delays: splitmix64.
pub(crate) struct Delays(pub(crate) u64);

impl Delays {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Four small vectors with ids.
pub(crate) const ROWS: &str = "\
{\"id\": \"a\", \"embedding\": [0.61, -0.12, 0.33, 0.7]}
{\"id\": \"b\", \"embedding\": [0.58, -0.05, 0.41, 0.69]}
{\"embedding\": [-0.44, 0.8, 0.1, -0.39], \"id\": \"c\"}
{\"id\": \"d\",   \"embedding\": [-0.4, 0.83, 0.02, -0.38], \"tags\": [1, {\"x\": null}]}
";
