//! Experiments and attacks through the real binary, on texts made up here.

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

/// A measure of a cell.
fn measured(results: &Value, mechanism: &str, base: &str, measure: &str) -> f64 {
    let cells = results["cells"].as_array().unwrap();
    let cell = cells.iter().find(|cell| cell["at"]["mechanism"] == mechanism && cell["at"]["base"] == base);
    cell.unwrap()["measures"][measure]["mean"].as_f64().unwrap()
}

#[test]
fn an_experiment_runs_says_what_is_so_and_is_not_measured_twice() {
    let folder = experiment();
    let line = "eval run small.toml --data data -o results --commit abc";
    let first = good(&folder, line);
    assert!(first.contains("5 cells") && !first.contains("there already"), "{first}");
    let json = folder.read("results/small.json");
    let results: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(results["commit"], "abc");
    let of = |mechanism: &str, base: &str, measure: &str| measured(&results, mechanism, base, measure);
    // Clear texts tell their topic, and show everything.
    assert!(of("keep", "–", "accuracy-words") > 0.95);
    assert_eq!(of("keep", "–", "attack"), 1.0);
    // Noise costs, and less noise costs less: some leeway for sixty texts.
    let bases = ["10", "200", "2000"];
    for pair in bases.windows(2) {
        for measure in ["survived", "attack", "accuracy-words"] {
            let (less, more) = (of("polar", pair[0], measure), of("polar", pair[1], measure));
            assert!(less <= more + 0.1, "{measure}: {less} at {}, {more} at {}", pair[0], pair[1]);
        }
    }
    assert!(of("polar", "10", "attack") < 0.3 && of("polar", "2000", "attack") > 0.7, "{results}");
    // Whoever knows the language finds at least about as much as whoever does not.
    assert!(of("polar", "200", "attack-language") + 0.05 > of("polar", "200", "attack-likelihood"));
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
    assert!(second.contains("5 measurements were there already"), "{second}");
    assert_eq!(folder.read("results/small.json"), json);
    good(&folder, "eval report results/small.json -o other.html");
    // With another task the same files are another set, of which nothing is known.
    let fewer = EXPERIMENT.replace(", \"400,200,800,600\", \"4000,2000,8000,6000\"", "");
    folder.write("small.toml", fewer.replace("Is this about sports or money?", "Who said it, and where?"));
    let asked = good(&folder, line);
    assert!(asked.contains("3 cells") && !asked.contains("there already"), "{asked}");
}

#[test]
fn a_language_model_reads_what_an_experiment_releases() {
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
    let results: Value = serde_json::from_slice(&folder.read("results/reads.json")).unwrap();
    let of = |base: &str, measure: &str| measured(&results, "polar", base, measure);
    assert!(of("10", "attack-neural") < 0.3 && of("2000", "attack-neural") > 0.7, "{results}");
    // What counts is whoever finds most.
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
    let results: Value = serde_json::from_slice(&folder.read("results/asked.json")).unwrap();
    // Who answered is named, not where.
    let text = results.to_string();
    assert!(text.contains("small behind an address") && !text.contains("127.0.0.1"), "{text}");
    // One of two answers is right, and it is right word for word; the other shares none.
    for mechanism in ["keep", "mask"] {
        for measure in ["exact", "f1"] {
            assert_eq!(measured(&results, mechanism, "–", measure), 0.5, "{mechanism} {measure}");
        }
        let cosine = measured(&results, mechanism, "–", "cosine");
        assert!(cosine > 0.5 && cosine < 0.9, "{cosine}");
    }
    assert_eq!(measured(&results, "mask", "–", "survived"), 0.0);
    // The model sees the paper's words, the question, and nothing of what was masked.
    let bodies = server.asked();
    assert_eq!(bodies.len(), 4);
    assert!(
        bodies
            .iter()
            .all(|body| body.contains("Limit your answer to one word") && body.contains("Question:"))
    );
    assert!(bodies[0].contains("Lima") && !bodies[2].contains("Lima"), "{}", bodies[2]);
}

/// What says of an experiment where its pairs are.
const PAIRS: &str = r#"
[sets.pairs]
about = "Pairs"
pairs = "sts12"
rows = 240
"#;

/// 240 pairs of sentences, alike or not.
fn pairs(folder: &Folder) {
    std::fs::create_dir_all(folder.path("data/pairs")).unwrap();
    let pair = |row: usize| {
        let name = NAMES[row * 7 % NAMES.len()];
        let (city, word) = (CITIES[row * 3 % CITIES.len()], SPORTS[row % 5]);
        match row % 2 {
            0 => {
                (format!("{name} of {city} saw the {word}.\t{name} watched the {word} in {city}.\n"), "4.5\n")
            }
            _ => (
                format!("{name} likes the {word}.\tThe {} near {city} closed {row} shops.\n", MONEY[row % 5]),
                "0.5\n",
            ),
        }
    };
    let rows: Vec<(String, &str)> = (0..240).map(pair).collect();
    folder.write("data/pairs/STS.input.own.txt", rows.iter().map(|row| row.0.as_str()).collect::<String>());
    folder.write("data/pairs/STS.gs.own.txt", rows.iter().map(|row| row.1).collect::<String>());
}

#[test]
fn vectors_under_noise_hide_and_cost() {
    let folder = Folder::new();
    pairs(&folder);
    folder.write(
        "own.toml",
        [
            r#"
name = "own"
title = "Vectors"
seeds = [1, 2]
[vectors]
data = ["pairs"]
min-count = 5
[[vectors.grid]]
defences = ["none", "remove"]
[[vectors.grid]]
defences = ["lapmech", "sparse"]
epsilons = [2, 200]
[[tables]]
title = "All"
rows = ["defence", "epsilon"]
measures = [{ measure = "leakage", title = "leakage", digits = 1, percent = true }]
"#,
            PAIRS,
        ]
        .concat(),
    );
    let line = "eval run own.toml --data data -o results";
    good(&folder, line);
    let results: Value = serde_json::from_slice(&folder.read("results/own.json")).unwrap();
    let of = |defence: &str, epsilon: &str, measure: &str| {
        let cells = results["cells"].as_array().unwrap();
        let at = |cell: &&Value| cell["at"]["defence"] == defence && cell["at"]["epsilon"] == epsilon;
        cells.iter().find(at).unwrap()["measures"][measure]["mean"].as_f64().unwrap()
    };
    // Six names are easily read from clear vectors, and hardly through noise; next to no noise costs next to nothing.
    assert!(of("none", "–", "found") > 0.8, "{results}");
    assert!(of("lapmech", "2", "found") < of("none", "–", "found") - 0.2, "{results}");
    assert!(of("lapmech", "2", "pearson") < of("lapmech", "200", "pearson"));
    assert!((of("lapmech", "200", "pearson") - of("none", "–", "pearson")).abs() < 0.05);
    assert!((of("lapmech", "2", "formal") - 2.0 * 384_f64.sqrt()).abs() < 1e-6);
    // Noise where a mask has gates only is thin elsewhere, and the results say so.
    assert!(of("sparse", "2", "euclidean") > of("sparse", "2", "formal"));
    let again = good(&folder, line);
    assert!(again.contains("12 measurements were there already"), "{again}");
    folder.write("data/pairs/STS.gs.own.txt", "4.5\n");
    let cut = folder.run(line);
    assert!(cut.contains("STS.gs.own.txt") && cut.contains("exit 1"), "{cut}");
}

#[test]
fn documents_are_searched_under_noise() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("data/guide")).unwrap();
    let things = ["ferry", "museum", "bakery", "library", "stadium", "garden", "airport", "theatre"];
    let (mut documents, mut judgements) = (String::new(), "query-id,corpus-id,score\n".to_owned());
    for row in 0..160 {
        let (thing, city) = (row % things.len(), CITIES[row / things.len() % CITIES.len()]);
        documents += &format!(
            "d{row}\tThe {} of {city} has been there for {} years. Many go to see it.\n",
            things[thing],
            20 + row
        );
        judgements += &format!("q{thing},d{row},1\n");
    }
    folder.write("data/guide/documents.tsv", &documents);
    folder.write("data/guide/judgements.csv", judgements);
    let query = |(number, thing): (usize, &&str)| format!("q{number}\twhere is a {thing}\n");
    folder.write("data/guide/queries.tsv", things.iter().enumerate().map(query).collect::<String>());
    let experiment = r#"
name = "own"
title = "Search"
seeds = [1]
[sets.guide]
about = "Sights of cities"
search = { documents = "documents.tsv", queries = "queries.tsv", judgements = "judgements.csv" }
rows = 160
[vectors]
data = ["guide"]
min-count = 5
[vectors.words.guide]
cities = ["porto", "oslo", "lisbon", "madrid", "vienna"]
[[vectors.grid]]
defences = ["none"]
[[vectors.grid]]
defences = ["lapmech", "sparse"]
epsilons = [2, 200]
[[tables]]
title = "All"
rows = ["defence", "epsilon"]
measures = [{ measure = "ndcg", title = "NDCG", digits = 1, percent = true }]
"#;
    folder.write("own.toml", experiment);
    let line = "eval run own.toml --data data -o results";
    good(&folder, line);
    let results: Value = serde_json::from_slice(&folder.read("results/own.json")).unwrap();
    let of = |defence: &str, epsilon: &str, measure: &str| {
        let cells = results["cells"].as_array().unwrap();
        let at = |cell: &&Value| cell["at"]["defence"] == defence && cell["at"]["epsilon"] == epsilon;
        cells.iter().find(at).unwrap()["measures"][measure]["mean"].as_f64().unwrap()
    };
    assert!(of("none", "–", "ndcg") > 0.8 && of("none", "–", "results") == 1.0, "{results}");
    assert!(of("lapmech", "2", "ndcg") < of("none", "–", "ndcg") - 0.2, "{results}");
    assert!((of("lapmech", "200", "ndcg") - of("none", "–", "ndcg")).abs() < 0.05, "{results}");
    assert!(of("lapmech", "2", "found") < of("none", "–", "found"), "{results}");
    // Noise where a mask is leaves more of a search than noise everywhere.
    assert!(of("sparse", "2", "results") > of("lapmech", "2", "results"), "{results}");

    // Queries that are noised too find other things.
    folder.write("own.toml", experiment.replace("min-count", "noisy-queries = true\nmin-count"));
    good(&folder, line);
    let both: Value = serde_json::from_slice(&folder.read("results/own.json")).unwrap();
    assert_ne!(both["cells"][1]["measures"]["results"], results["cells"][1]["measures"]["results"]);
    folder.write("own.toml", experiment.replace("rows = 160", "rows = 161"));
    let short = folder.run(line);
    assert!(short.contains("160 documents, but there should be 161") && short.contains("exit 1"), "{short}");
    folder.write("own.toml", experiment.replace("[vectors.words.guide]", "[vectors.words.guides]"));
    let unknown = folder.run(line);
    assert!(unknown.contains("\"guides\", which is not in data") && unknown.contains("exit 1"), "{unknown}");
    folder.write("data/guide/judgements.csv", "query-id,corpus-id,score\nq0,d999,1\n");
    folder.write("own.toml", experiment);
    let apart = folder.run(line);
    assert!(apart.contains("do the three files belong together") && apart.contains("exit 1"), "{apart}");
}

#[test]
fn a_mask_for_one_group_of_words_is_looked_at_beside_others() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("data/notes")).unwrap();
    let days = ["Monday", "Friday", "Sunday"];
    let note = |row: usize| {
        let (day, city) = (days[row % 3], CITIES[row / 3 % 3]);
        format!(
            "{{\"kind\": \"note\", \"text\": \"Note {row}: on {day} we go to {city} for the {}.\"}}\n",
            MONEY[row % 5]
        )
    };
    folder.write("data/notes/all.jsonl", (0..240).map(note).collect::<String>());
    let marked = |row: usize| {
        let (day, city) = (days[row % 3], CITIES[row / 3 % 3]);
        let (start, end) = (10 + day.len(), 10 + day.len() + city.len());
        format!(
            "{{\"source_text\": \"On {day} to {city}, {row}\", \"privacy_mask\": [{{\"label\": \"CITY\", \"start\": {}, \"end\": {}, \"value\": \"{city}\"}}]}}\n",
            start - 3,
            end - 3
        )
    };
    std::fs::create_dir_all(folder.path("data/marked")).unwrap();
    folder.write("data/marked/all.jsonl", (0..240).map(marked).collect::<String>());
    let experiment = r#"
name = "own"
title = "Groups"
seeds = [1]
[sets.notes]
about = "Notes"
test = [{ file = "all.jsonl", texts = ["text"], label = "kind", labels = { note = "note" } }]
[sets.marked]
about = "Notes with marks"
marked = { file = "all.jsonl", values = ["CITY"] }
[vectors]
data = ["notes", "marked"]
text-rows = 240
min-count = 5
[vectors.words.notes]
days = ["monday", "friday", "sunday"]
cities = ["porto", "oslo", "lisbon"]
[[vectors.grid]]
defences = ["none"]
[[vectors.grid]]
defences = ["sparse"]
epsilons = [2]
targets = ["group", "word"]
[[vectors.grid]]
defences = ["lapmech"]
epsilons = [2]
targets = ["word"]
[[tables]]
title = "All"
rows = ["data", "defence", "target"]
measures = [{ measure = "leakage", title = "leakage", digits = 1, percent = true }]
"#;
    folder.write("own.toml", experiment);
    let line = "eval run own.toml --data data -o results";
    good(&folder, line);
    let results: Value = serde_json::from_slice(&folder.read("results/own.json")).unwrap();
    let of = |data: &str, defence: &str, target: &str, measure: &str| {
        let cells = results["cells"].as_array().unwrap();
        let at = |cell: &&Value| {
            cell["at"]["data"] == data && cell["at"]["defence"] == defence && cell["at"]["target"] == target
        };
        cells.iter().find(at).unwrap()["measures"][measure]["mean"].as_f64()
    };
    assert_eq!(results["cells"].as_array().unwrap().len(), 1 + 4 + 2 + 1 + 2 + 1);
    assert!(of("notes", "none", "–", "leakage-days").unwrap() > 0.5, "{results}");
    // A mask for days hides them and spares cities; round noise at this ε hides all.
    let change = |measure: &str| of("notes", "sparse", "days", measure).unwrap();
    assert!(
        change("change-target") < -0.5 && change("change-others") > change("change-target") + 0.3,
        "{results}"
    );
    for target in ["days", "cities"] {
        // All of a group is aimed at, so there is no rest of it; of one word there is.
        assert_eq!(of("notes", "sparse", target, "change-group"), None);
        assert!(of("notes", "sparse", &format!("one of {target}"), "change-group").is_some());
        assert!(of("notes", "lapmech", &format!("one of {target}"), "change-target").unwrap() < 0.0);
    }
    assert!(of("marked", "none", "–", "leakage-city").is_some(), "{results}");
    folder.write("own.toml", experiment.replace("\"lisbon\"", "\"lisbon\"]\nrivers = [\"tagus\""));
    let none = folder.run(line);
    assert!(none.contains("no word of the group \"rivers\"") && none.contains("exit 1"), "{none}");
}

#[test]
fn sentences_are_written_from_vectors() {
    let folder = Folder::new();
    pairs(&folder);
    let experiment = [
        r#"
name = "own"
title = "Sentences"
seeds = [1]
[vectors]
data = ["pairs"]
pair-rows = 60
min-count = 5
[vectors.inversion]
model = "MODEL"
settings = { epochs = 1, batch = 16, longest = 8, rounds = 1, rank = 2 }
[[vectors.grid]]
defences = ["lapmech"]
epsilons = [20]
[[tables]]
title = "All"
rows = ["defence"]
measures = [{ measure = "leakage-corrector", title = "leakage", digits = 1, percent = true }]
"#,
        PAIRS,
    ]
    .concat();
    folder.write("own.toml", &experiment);
    let line = "eval run own.toml --data data -o results";
    let missing = folder.run(line);
    assert!(missing.contains("inkveil pull MODEL") && missing.contains("exit 1"), "{missing}");
    model::write(&folder.path("tiny"));
    folder.write("own.toml", experiment.replace("MODEL", "tiny"));
    good(&folder, line);
    let results: Value = serde_json::from_slice(&folder.read("results/own.json")).unwrap();
    for who in ["inverter", "corrector", "chance"] {
        for what in ["leakage", "likeness"] {
            let found = &results["cells"][0]["measures"][format!("{what}-{who}")]["mean"];
            assert!(
                found.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)),
                "{what} {who}: {results}"
            );
        }
    }
    folder.write("own.toml", experiment.replace("batch = 16", "batch = 0"));
    let nonsense = folder.run(line);
    assert!(nonsense.contains("own.toml") && nonsense.contains("above 0"), "{nonsense}");
}

/// Posts by two who write in their own ways, with a mood.
fn posts(folder: &Folder, authors: &[&str]) {
    std::fs::create_dir_all(folder.path("data/posts")).unwrap();
    let post = |row: usize| {
        let (author, mood) = (authors[row % authors.len()], ["glad", "sad"][row / 2 % 2]);
        let (word, day) = (SPORTS[row / 4 % 5], row / 3);
        let text = match author {
            "ann" => {
                format!("Well... I never!! The {word} of day {day} was, like, SO {mood} :) see ya folks")
            }
            _ => {
                format!("It must be noted, however, that the {word} of day {day} proved to be rather {mood}.")
            }
        };
        format!("{{\"author\": \"{author}\", \"label\": \"{mood}\", \"text\": \"{text}\"}}\n")
    };
    folder.write("data/posts/all.jsonl", (0..80).map(post).collect::<String>());
}

#[test]
fn who_wrote_what_is_released() {
    let folder = Folder::new();
    posts(&folder, &["ann", "bob"]);
    model::write(&folder.path("tiny"));
    let experiment = r#"
name = "own"
title = "Authors"
seeds = [1]
[sets.posts]
about = "Posts by two"
authors = "all.jsonl"
draw = [48, 24]
[style]
data = ["posts"]
model = "tiny"
informed = true
risk = true
[[style.veils]]
mechanisms = ["keep", "mask"]
[[style.rewrites]]
adapters = ["none"]
[[tables]]
title = "All"
rows = ["method"]
measures = [{ measure = "strongest", title = "strongest", digits = 1, percent = true }]
"#;
    folder.write("own.toml", experiment);
    let line = "eval run own.toml --data data -o results";
    good(&folder, line);
    let results: Value = serde_json::from_slice(&folder.read("results/own.json")).unwrap();
    let of = |method: &str, measure: &str| {
        let cells = results["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["at"]["method"] == method).unwrap();
        cell["measures"][measure]["mean"].as_f64().unwrap()
    };
    // Two who write so differently are told apart, and the mood is in a word.
    assert!(of("keep", "author") > 0.9 && of("keep", "strongest") > 0.9, "{results}");
    assert!(of("keep", "utility") > 0.9 && of("keep", "meaning") > 0.999, "{results}");
    assert_eq!((of("keep", "unchanged"), of("keep", "exposure")), (1.0, 1.0));
    // Whether they stand out or not.
    for fifth in 1..=5 {
        assert!(of("keep", &format!("success-author-classifier-{fifth}")) > 0.5, "{results}");
    }
    for measure in ["author-ngram-svm-informed", "author-style-logistic-adaptive", "meaning", "membership"] {
        assert!((0.0..=1.0).contains(&of("tiny", measure)), "{measure}: {results}");
    }
    // A model that knows nothing finds no end, so all it writes is refused; its users would release what they had, and that is what counts.
    assert_eq!((of("tiny", "unchanged"), of("tiny", "author")), (1.0, of("keep", "author")));
    let again = good(&folder, line);
    assert!(again.contains("3 measurements were there already"), "{again}");

    folder.write("own.toml", experiment.replace("\"none\"", "\"mine.safetensors\""));
    let absent = folder.run(line);
    assert!(absent.contains("mine.safetensors") && absent.contains("exit 1"), "{absent}");
    posts(&folder, &["ann"]);
    let alone = folder.run(line);
    assert!(alone.contains("two authors at least") && alone.contains("exit 1"), "{alone}");
    folder.write("data/posts/all.jsonl", "{\"author\": \"ann\", \"text\": 7}\n");
    let wrong = folder.run(line);
    assert!(wrong.contains("all.jsonl: line 1: no JSON object") && wrong.contains("exit 1"), "{wrong}");
    folder.write("own.toml", experiment.replace("model = \"tiny\"\n", ""));
    let nobody = folder.run(line);
    assert!(nobody.contains("own.toml") && nobody.contains("need a model"), "{nobody}");
}

#[test]
fn what_an_experiment_lacks_is_told() {
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
    assert!(absent.contains("ag_news: there is no such folder"), "{absent}");
    folder.write("bad.toml", "name = \"bad\"\ntitle = \"x\"\nseeds = []\n");
    let bad = folder.run("eval run bad.toml --data data -o results");
    assert!(bad.contains("bad.toml: an experiment needs a seed"), "{bad}");
    let list = good(&folder, "eval list");
    assert!(list.contains("stamp-frontier"), "{list}");
    let shown = good(&folder, "eval show stamp-frontier");
    assert!(shown.contains("[[text.grid]]"), "{shown}");
}

#[test]
fn a_release_of_texts_is_attacked() {
    let folder = Folder::new();
    let texts: String = (0..80).map(|row| sentence(row).1 + "\n").collect();
    folder.write("notes.txt", &texts);
    let kept = good(&folder, "attack text notes.txt notes.txt --json -q");
    let json: Value =
        serde_json::from_str(&kept[kept.find('{').unwrap()..=kept.rfind('}').unwrap()]).unwrap();
    assert_eq!(json["survived"]["mean"], 1.0);
    assert!(json["found"]["language"]["mean"].as_f64().unwrap() > 0.9, "{json}");
    assert!(json["kinds"]["person"]["words"].as_u64().unwrap() > 20, "{json}");
    assert_eq!(json["linked_to_original"], 1.0);
    good(&folder, "text --file notes.txt --lines --budgets 0,0,inf,inf -o masked.txt --insecure-seed 3 -q");
    let masked = good(&folder, "attack text notes.txt masked.txt -q");
    // Six names fill all gaps, so some are guessed; none came through.
    assert!(
        masked.contains("as they were               0.0 %")
            && masked.contains("guessed from the words around"),
        "{masked}"
    );
    assert!(!masked.contains("Lima"), "{masked}");
    // A model that knows nothing reads, too: it takes little from what the others say.
    let missing = folder.run("attack text notes.txt masked.txt --model nowhere -q");
    assert!(missing.contains("inkveil pull nowhere") && missing.contains("exit 1"), "{missing}");
    model::write(&folder.path("tiny"));
    let read = good(&folder, "attack text notes.txt notes.txt --model tiny --json -q");
    let json: Value =
        serde_json::from_str(&read[read.find('{').unwrap()..=read.rfind('}').unwrap()]).unwrap();
    assert!(json["found"]["neural"]["mean"].as_f64().unwrap() > 0.9, "{json}");
    folder.write("few.txt", "One.\nTwo.\n");
    let uneven = folder.run("attack text notes.txt few.txt -q");
    assert!(uneven.contains("80 texts") && uneven.contains("has 2") && uneven.contains("exit 1"), "{uneven}");
}

#[test]
fn a_release_of_rewrites_is_attacked() {
    let folder = Folder::new();
    let line = |author: &str, row: usize| {
        let text = match author {
            "ann" => format!("Well... I never!! The {} was, like, SO good :) see ya", SPORTS[row % 5]),
            _ => format!(
                "It must be noted, however, that the {} proved to be of moderate value.",
                SPORTS[row % 5]
            ),
        };
        format!("{{\"who\": \"{author}\", \"text\": \"{text}\"}}\n")
    };
    let posts: String = (0..24).map(|row| line(if row % 2 == 0 { "ann" } else { "bob" }, row / 2)).collect();
    folder.write("posts.jsonl", &posts);
    let same = good(&folder, "attack style posts.jsonl posts.jsonl --author-column who -q --json");
    let json: Value =
        serde_json::from_str(&same[same.find('{').unwrap()..=same.rfind('}').unwrap()]).unwrap();
    assert_eq!(json["authors"], 2);
    assert!(json["macro_f1"][0]["released"]["mean"].as_f64().unwrap() > 0.9, "{json}");
    let alike: String = (0..24)
        .map(|row| {
            let who = if row % 2 == 0 { "ann" } else { "bob" };
            format!("{{\"who\": \"{who}\", \"text\": \"The {} was good.\"}}\n", SPORTS[row / 2 % 5])
        })
        .collect();
    folder.write("alike.jsonl", &alike);
    let hidden = good(&folder, "attack style posts.jsonl alike.jsonl --author-column who -q");
    assert!(hidden.contains("Of what the best attacker finds beyond a guess"), "{hidden}");
    let nobody = folder.run("attack style posts.jsonl alike.jsonl --author-column user -q");
    assert!(nobody.contains("exit 1") && nobody.contains("user"), "{nobody}");
}

/// Opens the report in a real browser: `INKVEIL_CHROMIUM=/usr/bin/chromium cargo test --workspace --test it browser -- --ignored`.
#[test]
#[ignore = "needs a browser"]
fn the_report_opens_in_a_browser() {
    let browser = std::env::var("INKVEIL_CHROMIUM").expect("INKVEIL_CHROMIUM names a Chromium");
    let folder = experiment();
    good(&folder, "eval run small.toml --data data -o results");
    let run = std::process::Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--disable-quic",
            "--enable-logging=stderr",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.path("profile").display()))
        .arg(format!("file://{}", folder.path("results/report.html").display()))
        .output()
        .unwrap();
    let (page, said) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(page.contains("Two topics under noise") && page.contains("<svg"), "{said}");
    // The page's policy forbids scripts and everything from elsewhere; what it forbids would be told here.
    assert!(!said.contains("CONSOLE") && !said.contains("Refused to"), "{said}");
}

/// Sets the tables with LaTeX: `INKVEIL_PDFLATEX=/usr/bin/pdflatex cargo test --workspace --test it latex -- --ignored`.
#[test]
#[ignore = "needs LaTeX"]
fn the_tables_are_set_by_latex() {
    let latex = std::env::var("INKVEIL_PDFLATEX").expect("INKVEIL_PDFLATEX names a pdflatex");
    let folder = experiment();
    good(&folder, "eval run small.toml --data data -o results");
    let preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}";
    let document = format!(r"{preamble}\begin{{document}}\input{{small.tex}}\end{{document}}");
    folder.write("results/all.tex", &document);
    let run = std::process::Command::new(latex)
        .args(["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"])
        .current_dir(folder.path("results"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    assert!(folder.read("results/all.pdf").starts_with(b"%PDF"));
}
