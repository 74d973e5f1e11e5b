//! `inkveil config`, with a pack of three words where one is needed.

use insta::assert_snapshot;

use crate::folder::Folder;

/// A pack in `./model`: words in the plane, and nothing that says how often they survive.
fn pack() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("model")).unwrap();
    let rows: [f32; 6] = [1.0, 0.0, 0.8, 0.6, -0.6, 0.8];
    let header = r#"{"words":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}"#;
    let mut table = (header.len() as u64).to_le_bytes().to_vec();
    table.extend(header.as_bytes());
    table.extend(rows.iter().flat_map(|x| x.to_le_bytes()));
    folder.write("model/words.txt", "tea\ncoffee\nship\n").write("model/words.safetensors", table);
    folder
}

/// Writes down how often words survive `polar`.
fn measured(folder: &Folder) {
    let point = |epsilon: f64, survival: f64| {
        format!(r#"{{"epsilon":{epsilon},"survival":{survival},"distinct":2,"cosine":0.9,"attack":0.5}}"#)
    };
    let curve = [point(1.0, 0.05), point(100.0, 0.5), point(1000.0, 1.0)].join(",");
    let notes = format!(
        r#"{{"format":1,"default_lexicon":"words","lexicons":{{"words":{{"threshold":{{"quantile":0.75}},"curves":{{"polar":[{curve}]}}}}}}}}"#
    );
    folder.write("model/veil.json", notes);
}

/// Files that need no model for detection.
fn settings(lines: &str) -> String {
    format!("[text]\npack = \"./model\"\n{lines}\n[detect]\ntier = \"rules\"\n")
}

#[test]
fn what_settings_mean() {
    let folder = pack();
    measured(&folder);
    let files = [
        "",
        "tasks = [\"Which tea?\"]\ntarget-survival = 0.25\nmechanism = \"polar\"\n",
        "tasks = [\"a\", \"b\"]\nlexicon = \"words\"\nrelevance = { cosine = 0.5 }\nbudgets = [0.5, 0, 20, \"inf\"]\n\
         mechanism = \"tem\"\nat-zero = \"drop\"\nidentifiers = \"noise\"\npunctuation = \"noise\"\ncasing = \"vocabulary\"\n",
        "lexicon = \"words\"\nepsilon = 25\nmechanism = \"polar-radial\"\nradial-epsilon = 10\n",
        "lexicon = \"words\"\nuniform = 3\nmechanism = \"mahalanobis\"\nellipse = 0.5\n",
        "lexicon = \"words\"\npreset = \"paper-2\"\nmechanism = \"laplace-l1\"\nnearest-by = \"euclidean\"\n",
    ];
    let mut runs = Vec::new();
    for lines in files {
        folder.write("inkveil.toml", settings(lines));
        runs.push(format!("{lines}{}", folder.run("config check")));
    }
    assert!(
        runs.iter().all(|run| run.contains("exit 0") && run.ends_with("--- stderr\n")),
        "{}",
        runs.join("\n")
    );
    assert_snapshot!("config-check", runs.join("\n"));
}

#[test]
fn own_rules_are_counted_and_tasks_are_not_shown() {
    let folder = pack();
    measured(&folder);
    let text = settings("tasks = [\"My secret plan\"]")
        + "deny = [\"Blue Heron\", \"Snipe\"]\n[[detect.rule]]\nname = \"t\"\nkind = \"ticket\"\npattern = 'T-\\d+'\n";
    folder.write("own.toml", text.replace("./model", "path:model"));
    let run = folder.run("config check own.toml");
    assert!(run.contains("ok: own.toml\n") && run.contains("1 custom rule, 2 denied phrases\n"), "{run}");
    assert!(!run.contains("secret"), "{run}");
}

#[test]
fn what_the_pack_lacks_is_said() {
    let folder = pack();
    let check = |lines: &str| {
        folder.write("inkveil.toml", settings(&format!("lexicon = \"words\"\n{lines}")));
        format!("{lines}\n{}", folder.run("config check"))
    };
    let refused = [
        check("preset = \"strict\""),
        check("target-survival = 0.1"),
        check("preset = \"strict\"\nmechanism = \"exponential\""),
        check("epsilon = 1e30"),
    ];
    assert!(
        refused.iter().all(|run| run.contains("\nexit 1\n--- stdout\n--- stderr\nerror: inkveil.toml: "))
    );
    assert_snapshot!("config-pack-lacks", refused.join("\n"));
    assert!(check("epsilon = 25").contains("exit 0"));
    measured(&folder);
    assert!(check("preset = \"strict\"").contains("exit 0"));
}

#[test]
fn what_is_not_here_is_no_mistake() {
    let folder = pack();
    folder
        .write("pack.toml", "[text]\npack = \"no-such-pack\"\n")
        .write("folder.toml", "[text]\npack = \"./nowhere\"\ntasks = [\"x\"]\nepsilon = 2\n")
        .write("fill.toml", settings("lexicon = \"words\"\nepsilon = 2\nat-zero = \"fill\""))
        .write(
            "model.toml",
            settings("lexicon = \"words\"\nepsilon = 2\nat-zero = \"fill\"\nmodel = \"no-such-model\""),
        );
    let runs =
        ["pack", "folder", "fill", "model"].map(|name| folder.run(&format!("config check {name}.toml")));
    assert!(
        runs.iter().all(|run| run.contains("\nexit 0\n") && run.contains("warning: ")),
        "{}",
        runs.join("\n")
    );
    assert_snapshot!("config-not-here", runs.join("\n"));
}

#[test]
fn mistakes_are_told_all_at_once() {
    let folder = Folder::new();
    folder.write(
        "inkveil.toml",
        "tier = \"fast\"\n\n[text]\npreset = \"balancd\"\nepsilon = 25\nmechansim = \"polar\"\nfailure = 0.1\n\n\
         [detect]\nkinds = [\"persn\"]\n",
    );
    folder.write("broken.toml", "[text]\npreset = strict\n").write("binary.toml", b"\xff");
    folder.write("name.toml", "[text]\npack = \"No Such Pack\"\n");
    let runs = [
        "config check",
        "config check broken.toml",
        "config check binary.toml",
        "config check name.toml",
        "config check absent.toml",
    ]
    .map(|line| folder.run(line));
    assert!(
        runs.iter().all(|run| run.contains("\nexit 1\n--- stdout\n--- stderr\nerror: ")),
        "{}",
        runs.join("\n")
    );
    assert_snapshot!("config-mistakes", runs.join("\n"));
    assert!(Folder::new().run("config check").contains("inkveil config example > inkveil.toml"));
}

#[test]
fn the_example_is_a_file_to_begin_with() {
    let folder = pack();
    measured(&folder);
    let output = folder.command().args(["config", "example"]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let example = String::from_utf8(output.stdout).unwrap();
    folder.write(
        "inkveil.toml",
        example
            .replace("# pack = \"en\"", "pack = \"./model\"")
            .replace("tier = \"accurate\"", "tier = \"rules\""),
    );
    let run = folder.run("config check");
    assert!(run.contains("exit 0") && run.contains("preset prompt"), "{run}");
}

#[test]
fn help() {
    let folder = Folder::new();
    let runs = ["config --help", "config check --help", "config", "config burn"].map(|line| folder.run(line));
    assert_snapshot!("config-help", runs.join("\n"));
}
