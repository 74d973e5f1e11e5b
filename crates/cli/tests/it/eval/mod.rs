//! Experiments and attacks through the binary, on generated texts.

mod attacks;
mod authors;
mod report;
mod vectors;

use serde_json::Value;

use crate::folder::Folder;
use crate::model;
use crate::server::Server;

const NAMES: [&str; 6] = ["Ana Lima", "Jonas Berg", "Mei Tan", "Omar Haddad", "Rosa Vega", "Peter Novak"];
const CITIES: [&str; 5] = ["Porto", "Oslo", "Lisbon", "Madrid", "Vienna"];
const SPORTS: [&str; 5] = ["match", "goal", "team", "coach", "league"];
const MONEY: [&str; 5] = ["market", "shares", "profit", "bank", "merger"];

/// A sentence about sports or about money, with a name and a city in it.
fn sentence(row: usize) -> (&'static str, String) {
    let (topic, words) = if row.is_multiple_of(2) { ("sports", SPORTS) } else { ("money", MONEY) };
    let word = |step: usize| words[(row / 2 + step) % words.len()];
    let (name, city) = (NAMES[row * 7 % NAMES.len()], CITIES[row * 3 % CITIES.len()]);
    let text = format!(
        "{name} from {city} said on the phone that the {} and the {} were better than last year, and number {row} of the {} agreed.",
        word(0),
        word(1),
        word(2)
    );
    (topic, text)
}

fn rows(first: usize, count: usize) -> String {
    (first..first + count)
        .map(|row| {
            let (topic, text) = sentence(row);
            format!("{{\"topic\": \"{topic}\", \"text\": \"{text}\"}}\n")
        })
        .collect()
}

const EXPERIMENT: &str = r#"
name = "small"
title = "Two topics under noise"
seeds = [1]

[sets.topics]
about = "Sentences about sports and money"
task = "Is this about sports or money?"
train = [{ file = "train.jsonl", texts = ["text"], label = "topic", labels = { sports = "sports", money = "money" } }]
test = [{ file = "test.jsonl", texts = ["text"], label = "topic", labels = { sports = "sports", money = "money" }, rows = 60 }]

[text]
data = ["topics"]
attackers = ["likelihood", "unigram", "language"]

[[text.grid]]
mechanisms = ["keep", "mask"]

[[text.grid]]
mechanisms = ["polar"]
budgets = ["20,10,40,30", "400,200,800,600", "4000,2000,8000,6000"]

[[plots]]
title = "Found and kept"
x = { measure = "attack", title = "Sensitive words found", percent = true }
y = { measure = "accuracy-words", title = "Accuracy", percent = true }
series = ["mechanism"]
joined = true

[[tables]]
title = "All"
rows = ["mechanism", "budgets"]
measures = [
    { measure = "accuracy-words", title = "accuracy", digits = 1, percent = true },
    { measure = "survived", title = "survived", digits = 1, percent = true },
    { measure = "attack", title = "found", digits = 1, percent = true },
]
"#;

fn experiment() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("data/topics")).unwrap();
    folder.write("data/topics/train.jsonl", rows(0, 200));
    folder.write("data/topics/test.jsonl", rows(1000, 60));
    folder.write("small.toml", EXPERIMENT);
    folder
}

fn good(folder: &Folder, line: &str) -> String {
    let run = folder.run(line);
    assert!(run.contains("\nexit 0\n"), "{run}");
    run
}

/// The results of an experiment.
fn results(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&folder.read(&format!("results/{name}.json"))).unwrap()
}

/// A measure of a mechanism, by the budget of sensitive words that are not needed.
fn measured(results: &Value, mechanism: &str, base: &str, measure: &str) -> f64 {
    mean(results, &[("mechanism", mechanism), ("base", base)], measure).unwrap()
}

/// A measure of the cell at these coordinates, if it exists.
fn mean(results: &Value, at: &[(&str, &str)], measure: &str) -> Option<f64> {
    let mut cells = results["cells"].as_array().unwrap().iter();
    let cell = cells.find(|cell| at.iter().all(|(name, value)| cell["at"][*name] == *value)).unwrap();
    cell["measures"][measure]["mean"].as_f64()
}

#[test]
fn an_experiment_gives_plausible_results_and_is_not_measured_twice() {
    let folder = experiment();
    let line = "eval run small.toml --data data -o results --commit abc";
    let first = good(&folder, line);
    assert!(first.contains("5 cells") && !first.contains("reused"), "{first}");
    let json = folder.read("results/small.json");
    let results: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(results["commit"], "abc");
    let of = |mechanism: &str, base: &str, measure: &str| measured(&results, mechanism, base, measure);
    // Clear texts show their topic and all words.
    assert!(of("keep", "–", "accuracy-words") > 0.95);
    assert_eq!(of("keep", "–", "attack"), 1.0);
    // Less noise costs less utility; sixty texts need some tolerance.
    let bases = ["10", "200", "2000"];
    for pair in bases.windows(2) {
        for measure in ["survived", "attack", "accuracy-words"] {
            let (less, more) = (of("polar", pair[0], measure), of("polar", pair[1], measure));
            assert!(less <= more + 0.1, "{measure}: {less} at {}, {more} at {}", pair[0], pair[1]);
        }
    }
    assert!(of("polar", "10", "attack") < 0.3 && of("polar", "2000", "attack") > 0.7, "{results}");
    // Knowledge of language does not hurt an attacker.
    assert!(of("polar", "200", "attack-language") + 0.05 > of("polar", "200", "attack-likelihood"));
    // An attacker can take the released words at face value.
    assert!(
        bases.iter().all(|base| of("polar", base, "attack") >= of("polar", base, "survived")),
        "{results}"
    );
    assert_eq!(of("mask", "–", "survived"), 0.0);
    for file in ["small.md", "small.tex", "report.html"] {
        assert!(folder.read(&format!("results/{file}")).len() > 500, "{file}");
    }
    let page = String::from_utf8(folder.read("results/report.html")).unwrap();
    assert!(
        page.contains("<svg")
            && !page.contains("<script")
            && !page.contains("http://")
            && !page.contains("said on the phone")
    );
    let second = good(&folder, line);
    assert!(second.contains("5 stored measurements reused"), "{second}");
    assert_eq!(folder.read("results/small.json"), json);
    good(&folder, "eval report results/small.json -o other.html");
    // Naming the default pack changes only the command.
    let named = good(&folder, &format!("{line} --pack en"));
    assert!(named.contains("5 stored measurements reused"), "{named}");
    let command = self::results(&folder, "small")["command"].to_string();
    assert!(command.ends_with("-o RESULTS --pack 'en'\""), "{command}");
    // With another task the same files are another set, without stored measurements.
    let fewer = EXPERIMENT.replace(", \"400,200,800,600\", \"4000,2000,8000,6000\"", "");
    folder.write("small.toml", fewer.replace("Is this about sports or money?", "Who said it, and where?"));
    let asked = good(&folder, line);
    assert!(asked.contains("3 cells") && !asked.contains("reused"), "{asked}");
}

#[test]
fn a_language_model_attacks_words() {
    let folder = experiment();
    let reads = EXPERIMENT
        .replace("\"language\"]", "\"language\", \"neural\"]\nattack-model = \"MODEL\"")
        .replace("data = [\"topics\"]", "data = [\"topics\"]\nattack-rows = 12")
        .replace("\"small\"", "\"reads\"");
    folder.write("reads.toml", reads.replace("MODEL", "nowhere"));
    let line = "eval run reads.toml --data data -o results";
    let missing = folder.run(line);
    assert!(missing.contains("inkveil pull nowhere") && missing.contains("exit 1"), "{missing}");
    model::write(&folder.path("tiny"));
    folder.write("reads.toml", reads.replace("MODEL", "tiny"));
    good(&folder, line);
    let results = results(&folder, "reads");
    let of = |base: &str, measure: &str| measured(&results, "polar", base, measure);
    assert!(of("10", "attack-neural") < 0.3 && of("2000", "attack-neural") > 0.6, "{results}");
    // The best attacker counts.
    assert!(of("200", "attack") >= of("200", "attack-neural"));
    folder.write("reads.toml", reads.replace("attack-model = \"MODEL\"", ""));
    let without = folder.run(line);
    assert!(without.contains("reads.toml") && without.contains("attack-model"), "{without}");
}

#[test]
fn questions_about_veiled_passages_are_answered() {
    let folder = Folder::new();
    let passage = "Ana Lima of Porto met the coach of the league on Monday and paid 300 euros.";
    let ask = |question: &str, answer: &str| {
        format!("{{\"question\": \"{question}\", \"answers\": [{{\"text\": \"{answer}\"}}]}}")
    };
    let asked =
        [ask("Where is Ana from?", "Porto"), ask("Whom did she meet?", "the coach of the league")].join(",");
    let squad =
        format!("{{\"data\": [{{\"paragraphs\": [{{\"context\": \"{passage}\", \"qas\": [{asked}]}}]}}]}}");
    std::fs::create_dir_all(folder.path("data/notes")).unwrap();
    folder.write("data/notes/questions.json", squad);
    folder.write(
        "asked.toml",
        r#"
name = "asked"
title = "Questions"
seeds = [1]
[sets.notes]
about = "A note"
questions = [{ file = "questions.json", rows = 2 }]
[text]
data = ["notes"]
attackers = ["unigram", "language"]
[[text.grid]]
mechanisms = ["keep", "mask"]
[[tables]]
title = "Answers"
rows = ["mechanism"]
measures = [{ measure = "f1", title = "F1", digits = 1, percent = true }]
"#,
    );
    let nobody = folder.run("eval run asked.toml --data data -o results");
    assert!(nobody.contains("--reader") && nobody.contains("exit 1"), "{nobody}");
    let server = Server::saying("The Porto.\nBecause it says so.");
    good(&folder, &format!("eval run asked.toml --data data -o results --reader {}#small", server.url));
    let results = results(&folder, "asked");
    // The results name the model, not its address.
    let text = results.to_string();
    assert!(text.contains("small behind an address") && !text.contains("127.0.0.1"), "{text}");
    // One of two answers is exactly right; the other shares no word.
    for mechanism in ["keep", "mask"] {
        for measure in ["exact", "f1"] {
            assert_eq!(measured(&results, mechanism, "–", measure), 0.5, "{mechanism} {measure}");
        }
        let cosine = measured(&results, mechanism, "–", "cosine");
        assert!(cosine > 0.5 && cosine < 0.9, "{cosine}");
    }
    assert_eq!(measured(&results, "mask", "–", "survived"), 0.0);
    // The model gets the paper's prompt, the question, and no masked word.
    let bodies = server.asked();
    assert_eq!(bodies.len(), 4);
    assert!(
        bodies
            .iter()
            .all(|body| body.contains("Limit your answer to one word") && body.contains("Question:"))
    );
    assert!(bodies[0].contains("Lima") && !bodies[2].contains("Lima"), "{}", bodies[2]);
}

#[test]
fn missing_data_is_named() {
    let folder = experiment();
    folder.write("data/topics/test.jsonl", rows(1000, 59));
    let short = folder.run("eval run small.toml --data data -o results");
    assert!(short.contains("59 rows, but there should be 60") && short.contains("exit 1"), "{short}");
    folder.write("data/topics/test.jsonl", rows(1000, 60).replace("money\"", "weather\""));
    let label = folder.run("eval run small.toml --data data -o results");
    assert!(label.contains("test.jsonl: line 2: a label") && !label.contains("weather"), "{label}");
    let unknown = folder.run("eval run stamp-mechanism --data data -o results");
    assert!(unknown.contains("stamp-mechanisms") && unknown.contains("exit 1"), "{unknown}");
    let absent = folder.run("eval run stamp-mechanisms --data data -o results");
    assert!(
        absent.contains("ag_news: there is no such folder; name the folder of test sets with --data"),
        "{absent}"
    );
    folder.write("bad.toml", "name = \"bad\"\ntitle = \"x\"\nseeds = []\n");
    let bad = folder.run("eval run bad.toml --data data -o results");
    assert!(bad.contains("bad.toml: an experiment needs a seed"), "{bad}");
    folder.write("other.toml", format!("pack = \"nowhere\"\n{EXPERIMENT}"));
    let nowhere = folder.run("eval run other.toml --data data -o results");
    assert!(nowhere.contains("nowhere") && nowhere.contains("exit 1"), "{nowhere}");
    let list = good(&folder, "eval list");
    assert!(list.contains("stamp-frontier"), "{list}");
    let shown = good(&folder, "eval show stamp-frontier");
    assert!(shown.contains("[[text.grid]]"), "{shown}");
}
