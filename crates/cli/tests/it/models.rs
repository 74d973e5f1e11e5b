//! `inkveil models`, with the cache in a folder of the test's own.

use std::path::Path;

use insta::assert_snapshot;

use crate::pull::{Home, SOURCE};

#[test]
fn list_verify_path_remove() {
    let home = Home::new();
    home.run(&format!("pull {SOURCE} --name tiny --quiet"));
    let list = home.run("models --json");
    let json = list.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap();
    let entries: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
    let named = |name: &str| entries.iter().find(|entry| entry["name"] == name).unwrap();
    assert_eq!((&named("tiny")["state"], &named("tiny")["bytes"]), (&"cached".into(), &9.into()));
    assert_eq!(
        (&named("qwen-1.5b")["state"], &named("qwen-1.5b")["licence"]),
        (&"not here".into(), &"Apache-2.0".into())
    );
    assert!(named("qwen-1.5b")["folder"].is_null());
    assert_eq!(
        home.run("models list --json").lines().skip(1).collect::<Vec<_>>(),
        list.lines().skip(1).collect::<Vec<_>>()
    );
    let table = home.run("models");
    for word in
        ["tiny", "minilm", "91 MB", "Apache-2.0", "53aa5117", "cached", "not here", "inkveil pull NAME"]
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
fn refusals() {
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
fn help() {
    let home = Home::new();
    let runs: Vec<String> = ["models --help", "models verify --help", "models path --help"]
        .iter()
        .map(|line| home.run(line))
        .collect();
    assert_snapshot!("models-help", runs.join("\n"));
}
