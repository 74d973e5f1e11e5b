//! `inkveil curves`, on a pack of a few words.

use inkveil::detect::{EntryFlags, Gazetteer};
use inkveil::pack::{Manifest, Provenance};
use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::Folder;

const NAMES: [&str; 8] = ["ana", "boris", "chloe", "dmitri", "lisbon", "nairobi", "oslo", "quito"];
const OTHERS: [&str; 4] = ["tea", "boat", "green", "walk"];
const LITTLE: &str = "--pack ./pack --lexicon words --words 8 --points 4";

/// A folder with a pack of twelve words in four dimensions; eight of them are names.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("pack")).unwrap();
    let words: Vec<&str> = NAMES.into_iter().chain(OTHERS).collect();
    // Fixed directions all over the sphere.
    let numbers = (1..=words.len() * 4).map(|i| (i as f32 * 1.7).sin()).collect::<Vec<f32>>();
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let header = format!(
        r#"{{"words":{{"dtype":"F32","shape":[{},4],"data_offsets":[0,{}]}}}}"#,
        words.len(),
        bytes.len()
    );
    folder.write("pack/words.txt", words.join("\n") + "\n");
    folder.write(
        "pack/words.safetensors",
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes].concat(),
    );
    let entry = |(at, name)| (name, if at < 4 { EntryFlags::GIVEN } else { EntryFlags::CITY });
    let gazetteer = Gazetteer::build(NAMES.into_iter().enumerate().map(entry)).unwrap();
    folder.write("pack/gazetteer.fst", gazetteer.as_bytes());
    folder
}

/// The standard output of a successful run.
fn stdout(folder: &Folder, line: &str) -> String {
    let output = folder.command().args(line.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Folder, line: &str) -> Value {
    serde_json::from_str(&stdout(folder, &format!("curves {LITTLE} --json {line}"))).unwrap()
}

#[test]
fn a_table_of_measured_curves() {
    let folder = folder();
    assert_snapshot!("curves-table", folder.run(&format!("curves {LITTLE} --draws 20")));
    assert_eq!(folder.names(), ["pack"]);
}

#[test]
fn json_and_csv_have_the_same_numbers() {
    let folder = folder();
    let curves = json(&folder, "--draws 20");
    assert_eq!((&curves["lexicon"], &curves["distinct_of"]), (&"words".into(), &20.into()));
    assert_eq!(curves["curves"][1]["mechanism"], "exponential");
    let csv = stdout(&folder, &format!("curves {LITTLE} --draws 20 --csv"));
    let mut rows = csv.lines();
    let header: Vec<&str> = rows.next().unwrap().split(',').collect();
    let mut count = 0;
    for curve in curves["curves"].as_array().unwrap() {
        assert_eq!(curve["stored"], false);
        for point in curve["points"].as_array().unwrap() {
            let row: Vec<&str> = rows.next().unwrap().split(',').collect();
            let field = |name: &str| row[header.iter().position(|title| *title == name).unwrap()];
            assert_eq!(field("mechanism"), curve["mechanism"]);
            assert_eq!((field("lexicon"), field("distinct_of")), ("words", "20"));
            for name in ["epsilon", "survival", "distinct", "cosine", "attack"] {
                assert_eq!(field(name).parse::<f64>().unwrap(), point[name].as_f64().unwrap());
            }
            count += 1;
        }
    }
    assert_eq!((count, rows.next()), (8, None));
}

#[test]
fn the_numbers_depend_on_the_seed() {
    let folder = folder();
    let of = |seed: u32| json(&folder, &format!("-m polar --draws 20 --insecure-seed {seed}"));
    assert_eq!(of(1), json(&folder, "-m polar --draws 20"));
    assert_ne!(of(1), of(2));
}

/// Every curve and the class of its colour.
const COLOURS: [(&str, &str); 9] = [
    ("polar", "k0"),
    ("exponential", "k1"),
    ("laplace-l1", "k2"),
    ("purkayastha", "k3"),
    ("tem", "k4"),
    ("laplace-l2", "k5"),
    ("mahalanobis", "k6"),
    ("laplace-l1-euclidean", "k7"),
    ("randomized-response", "k8"),
];

#[test]
fn a_drawing_has_a_line_for_each_mechanism_in_each_panel() {
    let folder = folder();
    let point = |epsilon: f64, share: f64| serde_json::json!({ "epsilon": epsilon, "survival": share, "distinct": 90.5, "cosine": share - 0.2, "attack": share });
    let curves: serde_json::Map<String, Value> = COLOURS
        .map(|(name, _)| (name.to_owned(), [point(8.0, 0.1), point(640.0, 0.9)].into()))
        .into_iter()
        .collect();
    let notes = serde_json::json!({ "format": 1, "default_lexicon": "words", "lexicons": { "words": { "curves": curves } } });
    folder.write("pack/veil.json", notes.to_string());
    let run = folder.run("curves --pack ./pack -m all --svg curves.svg");
    assert!(run.contains("\nexit 0\n") && run.contains("randomized-response"), "{run}");
    let svg = String::from_utf8(folder.read("curves.svg")).unwrap();
    let elements = elements(&svg);
    assert!(elements[0].starts_with("svg xmlns=\"http://www.w3.org/2000/svg\""), "{}", elements[0]);
    for (name, class) in COLOURS {
        // Lines are 1.4 or 2.2 pixels wide, strokes of markers are not.
        let widths = ["stroke-width=\"1.4\"", "stroke-width=\"2.2\""];
        let is_line = |element: &&String| {
            element.starts_with(&format!("path class=\"{class}\""))
                && widths.iter().any(|width| element.contains(width))
        };
        assert_eq!(elements.iter().filter(is_line).count(), 5, "four panels and the legend: {name}");
        assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 1, "{name}");
    }
    for words in
        ["in its mechanism&#39;s own metric", "in 100 draws", "pack, lexicon: words", ">80 %<", ">100<"]
    {
        assert!(svg.contains(words), "{words}");
    }
    assert_eq!(stdout(&folder, "curves --pack ./pack -m all --svg -"), svg);
    assert!(folder.run("curves --pack ./pack -m all --svg curves.svg --force").contains("\nexit 0\n"));
}

/// The elements of XML that is well formed, without their brackets; fails if it is not.
fn elements(xml: &str) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let mut rest = xml.trim();
    while let Some((text, after)) = rest.split_once('<') {
        let entity = |part: &str| ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|e| part.starts_with(e));
        assert!(text.split('&').skip(1).all(entity) && !text.contains('>'), "{text:?}");
        assert!(!open.is_empty() || found.is_empty(), "text after the end");
        let (tag, after) = after.split_once('>').unwrap();
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name.to_owned())),
            None => {
                let element = tag.trim_end_matches('/');
                assert_eq!(element.matches('"').count() % 2, 0, "{element:?}");
                assert_eq!(element.matches("=\"").count() * 2, element.matches('"').count(), "{element:?}");
                found.push(element.to_owned());
                if !tag.ends_with('/') {
                    open.push(element.split(' ').next().unwrap().to_owned());
                }
            }
        }
        rest = after;
    }
    assert!(open.is_empty() && rest.is_empty(), "{open:?} {rest:?}");
    found
}

#[test]
fn saved_curves_are_shown() {
    let folder = folder();
    let manifest = Manifest::describe(
        &folder.path("pack"),
        "pack".parse().unwrap(),
        Provenance::new("CC0-1.0", "a test", "by hand"),
    );
    manifest.unwrap().write(&folder.path("pack")).unwrap();
    let measured = json(&folder, "-m polar --save --threshold-quantile 0.9 --default-lexicon words");
    assert_eq!(measured["curves"][0]["stored"], false);
    // The pack is still complete, and has the measured curve, whatever the effort.
    assert!(stdout(&folder, "models verify path:pack").contains("all checksums match"));
    let shown: Value =
        serde_json::from_str(&stdout(&folder, "curves --pack ./pack -m polar-radial --json")).unwrap();
    assert_eq!(shown["curves"][0]["stored"], true);
    assert_eq!(shown["curves"][0]["points"], measured["curves"][0]["points"]);

    // A second curve is added to the first, and neither is measured again.
    let both = json(&folder, "--save");
    let again = json(&folder, "--save");
    assert_eq!(both["curves"][0], shown["curves"][0]);
    assert_eq!(again["curves"][1]["points"], both["curves"][1]["points"]);
    assert_eq!((&both["curves"][1]["stored"], &again["curves"][1]["stored"]), (&false.into(), &true.into()));
    let notes: Value = serde_json::from_slice(&folder.read("pack/veil.json")).unwrap();
    let words = &notes["lexicons"]["words"];
    assert_eq!(notes["default_lexicon"], "words");
    assert_eq!(words["threshold"], serde_json::json!({ "quantile": 0.9 }));
    assert_eq!(words["curves"].as_object().unwrap().keys().collect::<Vec<_>>(), ["exponential", "polar"]);
    assert!(stdout(&folder, "models verify path:pack").contains("all checksums match"));
    let manifest = String::from_utf8(folder.read("pack/manifest.json")).unwrap();
    assert!(manifest.contains("inkveil curves --words 8 --points 4 --insecure-seed 1 --save"), "{manifest}");
}

#[test]
fn messages_about_saving() {
    let folder = folder();
    let runs = [
        format!("curves {LITTLE} -m tem --save --threshold-cosine -0.25"),
        "curves --pack ./pack --lexicon words -m tem".to_owned(),
        format!("curves {LITTLE} -m tem --measure --insecure-seed 2 --csv"),
    ];
    assert_snapshot!("curves-save", runs.map(|line| folder.run(&line)).join("\n"));
}

/// Curves that were finished before an interruption stay, and nothing else does.
#[cfg(unix)]
#[test]
fn an_interruption_keeps_saved_curves() {
    let folder = folder();
    let line = "curves --pack ./pack --lexicon words -m polar -m laplace-l1 --words 8 --points 400 --save";
    let mut run = std::process::Command::new(folder.command().get_program())
        .current_dir(folder.path(""))
        .args(line.split_whitespace())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.path("pack/veil.json").exists() {
        assert!(run.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = run.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{words}");
    assert!(words.contains("interrupted: laplace-l1 is not finished; earlier curves are saved"), "{words}");
    assert!(output.stdout.is_empty());
    let shown = json(&folder, "-m polar");
    assert_eq!(shown["curves"][0]["stored"], true);
    let names: Vec<_> =
        std::fs::read_dir(folder.path("pack")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with('.')), "{names:?}");
}

#[test]
fn refusals() {
    let folder = folder();
    folder.write("there.svg", "");
    let runs = [
        format!("curves {LITTLE} -m nonsense"),
        "curves --pack ./pack --points 1".to_owned(),
        format!("curves {LITTLE} --draws 20 --save"),
        format!("curves {LITTLE} --threshold-cosine 0.5"),
        format!("curves {LITTLE} --save --threshold-cosine 0.5 --threshold-quantile 0.5"),
        format!("curves {LITTLE} --save --threshold-quantile 1.5"),
        format!("curves {LITTLE} --json --csv"),
        format!("curves {LITTLE} --svg there.svg"),
        format!("curves {LITTLE} --svg nowhere/curves.svg"),
    ];
    assert_snapshot!("curves-refused", runs.map(|line| folder.run(&line)).join("\n"));
    assert!(!folder.path("pack/veil.json").exists());
}

#[test]
fn packs_that_lack_something() {
    let folder = folder();
    let fails = |line: &str, words: &str| {
        let run = folder.run(line);
        assert!(run.contains("\nexit 1\n") && run.contains("error: ") && run.contains(words), "{run}");
    };
    fails("curves --pack no-such-pack", "no-such-pack");
    fails("curves --pack ./pack --lexicon subword", "no weights");
    fails(
        &format!("curves {LITTLE} --save --default-lexicon subword"),
        "subword lexicon cannot be recommended",
    );
    folder.write("pack/veil.json", "{");
    fails(&format!("curves {LITTLE}"), "veil.json");
    std::fs::remove_file(folder.path("pack/veil.json")).unwrap();
    // A damaged list is an error; without a list, the names of the default pack are used.
    folder.write("pack/gazetteer.fst", "no list");
    fails(&format!("curves {LITTLE}"), "gazetteer");
    std::fs::remove_file(folder.path("pack/gazetteer.fst")).unwrap();
    let run = folder.run(&format!("curves {LITTLE}"));
    assert!(run.contains("\nexit 0\n"), "{run}");
    std::fs::create_dir(folder.path("pack/veil.json")).unwrap();
    fails(&format!("curves {LITTLE} --save"), "veil.json");
}

#[test]
fn help() {
    assert_snapshot!("curves-help", Folder::new().run("curves --help"));
}
