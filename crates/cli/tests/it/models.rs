//! `inkveil models`, with a cache in a temporary folder.

use std::path::Path;

use insta::assert_snapshot;

use crate::pull::{Home, SOURCE};

#[test]
fn packs_are_listed_verified_and_removed() {
    let home = Home::new();
    home.run(&format!("pull {SOURCE} --name tiny --quiet"));
    let list = home.run("models --json");
    let json = list.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap();
    let entries: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
    let named = |name: &str| entries.iter().find(|entry| entry["name"] == name).unwrap();
    assert_eq!((&named("tiny")["state"], &named("tiny")["bytes"]), (&"cached".into(), &9.into()));
    assert_eq!(
        (&named("qwen-1.5b")["state"], &named("qwen-1.5b")["licence"]),
        (&"not installed".into(), &"Apache-2.0".into())
    );
    assert!(named("qwen-1.5b")["folder"].is_null());
    assert_eq!(
        home.run("models list --json").lines().skip(1).collect::<Vec<_>>(),
        list.lines().skip(1).collect::<Vec<_>>()
    );
    let table = home.run("models");
    for word in
        ["tiny", "minilm", "91 MB", "Apache-2.0", "53aa5117", "cached", "not installed", "inkveil pull NAME"]
    {
        assert!(table.contains(word), "{word} is not in {table}");
    }

    assert_snapshot!("models-path", home.run("models path tiny"));
    assert_snapshot!("models-verify", home.run("models verify tiny"));
    std::fs::write(home.pack("tiny").join("model.safetensors"), "WEIGHTS").unwrap();
    assert_snapshot!("models-verify-damaged", home.run("models verify tiny"));
    std::fs::write(home.pack("tiny").join("model.safetensors"), "WEIGHT").unwrap();
    assert!(home.run("models").contains("BROKEN: the size is 6 bytes instead of 7"));
    assert_snapshot!("models-remove", home.run("models remove tiny"));
    assert!(!Path::new(&home.pack("tiny")).exists());
}

#[test]
fn invalid_arguments_are_refused() {
    let home = Home::new();
    let runs: Vec<String> = [
        "models path qwen-1.5b",
        "models path ../etc",
        "models verify qwen-1.5b",
        "models remove qwen-1.5b",
        "models remove ../etc",
        "models burn",
    ]
    .iter()
    .map(|line| home.run(line))
    .collect();
    assert_snapshot!("models-refused", runs.join("\n"));
}

#[test]
fn help_texts() {
    let home = Home::new();
    let runs: Vec<String> = ["models --help", "models verify --help", "models path --help"]
        .iter()
        .map(|line| home.run(line))
        .collect();
    assert_snapshot!("models-help", runs.join("\n"));
}

#[test]
fn an_added_file_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("pack");
    std::fs::create_dir(&pack).unwrap();
    std::fs::write(pack.join("config.json"), "{}").unwrap();
    let hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    let manifest = format!(
        r#"{{"format":1,"name":"p","licence":"MIT","origin":"x","made_by":"y","files":[{{"path":"config.json","bytes":2,"sha256":"{hash}","about":"settings"}}]}}"#
    );
    std::fs::write(pack.join("manifest.json"), manifest).unwrap();
    let add = |file: &str| {
        let mut command = assert_cmd::Command::cargo_bin("inkveil").unwrap();
        command.args(["models", "add"]).arg(&pack).arg(file);
        command.args(["--about", "a head", "--licence", "MIT", "--origin", "our texts", "--made-by", "make"]);
        command.assert()
    };
    add("head.bin").failure();
    std::fs::write(pack.join("head.bin"), "first").unwrap();
    add("head.bin").success();
    std::fs::write(pack.join("head.bin"), "second").unwrap();
    add("head.bin").success();
    add("../head.bin").failure();
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(pack.join("manifest.json")).unwrap()).unwrap();
    let files = manifest["files"].as_array().unwrap();
    assert_eq!(files.len(), 2);
    assert_eq!((files[1]["path"].as_str(), files[1]["bytes"].as_u64()), (Some("head.bin"), Some(6)));
    assert_eq!(files[1]["made_by"], "make");
}
