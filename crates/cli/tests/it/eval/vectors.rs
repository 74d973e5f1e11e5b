//! Experiments on vectors, with generated pairs, documents and notes.

use super::{CITIES, MONEY, NAMES, SPORTS, good, mean, results};
use crate::folder::Folder;
use crate::model;

/// The description of the test set of pairs.
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
    let results = results(&folder, "own");
    let of = |defence: &str, epsilon: &str, measure: &str| {
        mean(&results, &[("defence", defence), ("epsilon", epsilon)], measure).unwrap()
    };
    // Six names are easy to infer from clear vectors, and hard to infer from noisy ones. Little noise costs little.
    assert!(of("none", "–", "found") > 0.8, "{results}");
    assert!(of("lapmech", "2", "found") < of("none", "–", "found") - 0.2, "{results}");
    assert!(of("lapmech", "2", "pearson") < of("lapmech", "200", "pearson"));
    assert!((of("lapmech", "200", "pearson") - of("none", "–", "pearson")).abs() < 0.05);
    assert!((of("lapmech", "2", "formal") - 2.0 * 384_f64.sqrt()).abs() < 1e-6);
    // Noise in the dimensions of a mask is small in other directions, and the results show it.
    assert!(of("sparse", "2", "euclidean") > of("sparse", "2", "formal"));
    let again = good(&folder, line);
    assert!(again.contains("12 stored measurements reused"), "{again}");
    folder.write("data/pairs/STS.gs.own.txt", "4.5\n");
    let cut = folder.run(line);
    assert!(cut.contains("STS.gs.own.txt") && cut.contains("exit 1"), "{cut}");
}

#[test]
fn erasure_is_measured_with_every_attacker_split_and_half_of_the_words() {
    let folder = Folder::new();
    pairs(&folder);
    folder.write(
        "own.toml",
        [
            r#"
name = "own"
title = "Erasure"
seeds = [1, 2]
[vectors]
data = ["pairs"]
min-count = 5
attackers = ["mlc", "bayes", "mean"]
splits = ["random", "groups"]
defence-share = 0.4
[[vectors.grid]]
defences = ["none"]
[[vectors.grid]]
defences = ["lapmech", "gaussian"]
epsilons = [20]
[[vectors.grid]]
defences = ["axes"]
axes = [20]
epsilons = [20]
[[vectors.grid]]
defences = ["erase"]
epsilons = [20, inf]
axes = [0, 20]
told = ["all", "half"]
[[tables]]
title = "All"
rows = ["defence", "epsilon", "axes", "told"]
columns = ["split"]
measures = [{ measure = "found", title = "found", digits = 1, percent = true }]
"#,
            PAIRS,
        ]
        .concat(),
    );
    let line = "eval run own.toml --data data -o results";
    good(&folder, line);
    let results = results(&folder, "own");
    assert_eq!(results["cells"].as_array().unwrap().len(), 2 * (1 + 2 + 1 + 8));
    let of = |at: &[(&str, &str)], measure: &str| mean(&results, at, measure).unwrap();
    for split in ["random", "groups"] {
        let none = [("defence", "none"), ("split", split)];
        let erased =
            [("defence", "erase"), ("epsilon", "inf"), ("axes", "all"), ("told", "all"), ("split", split)];
        // Six names in sentences of few forms: the context alone tells much, also after erasure.
        assert!(of(&erased, "found") <= of(&none, "found") + 0.05, "{results}");
        // The strongest attacker counts.
        for attacker in ["mlc", "bayes", "mean"] {
            assert!(of(&none, "found") >= of(&none, &format!("found-by-{attacker}")) - 1e-9, "{results}");
        }
        let half =
            [("defence", "erase"), ("epsilon", "inf"), ("axes", "all"), ("told", "half"), ("split", split)];
        assert!(of(&half, "found-untold") >= of(&erased, "found-untold") - 0.2, "{results}");
    }
    let pearson =
        |defence: &str| of(&[("defence", defence), ("epsilon", "20"), ("split", "random")], "pearson");
    // The same variance costs the same.
    assert!((pearson("lapmech") - pearson("gaussian")).abs() < 0.1, "{results}");
    assert!(good(&folder, line).contains("48 stored measurements reused"));
}

#[test]
fn changed_texts_and_rounded_vectors_are_measured_with_noise() {
    let folder = Folder::new();
    pairs(&folder);
    folder.write(
        "own.toml",
        [
            r#"
name = "own"
title = "Changed texts and small stores"
seeds = [1]
[vectors]
data = ["pairs"]
min-count = 5
attackers = ["bayes"]
splits = ["groups"]
defence-share = 0.4
[[vectors.grid]]
defences = ["none"]
stores = ["float", "int8", "binary"]
[[vectors.grid]]
defences = ["none", "semantic"]
[[vectors.grid]]
defences = ["erase"]
epsilons = [40]
axes = [20]
texts = ["kept", "semantic"]
stores = ["float", "binary"]
[[vectors.grid]]
defences = ["axes"]
epsilons = [inf]
axes = [20]
[[tables]]
title = "All"
rows = ["text", "defence", "store"]
measures = [{ measure = "found", title = "found", digits = 1, percent = true }]
"#,
            PAIRS,
        ]
        .concat(),
    );
    good(&folder, "eval run own.toml --data data -o results");
    let results = results(&folder, "own");
    // A treatment that two grids name is measured once.
    assert_eq!(results["cells"].as_array().unwrap().len(), 3 + 1 + 4 + 1, "{results}");
    let of = |defence: &str, text: &str, store: &str, measure: &str| {
        mean(&results, &[("defence", defence), ("text", text), ("store", store)], measure).unwrap()
    };
    // Bytes keep nearly everything, signs less.
    let pearson = |store: &str| of("none", "kept", store, "pearson");
    assert!((pearson("int8") - pearson("float")).abs() < 0.005, "{results}");
    assert!(pearson("binary") < pearson("float"), "{results}");
    assert!(
        of("none", "kept", "int8", "neighbours") > of("none", "kept", "binary", "neighbours"),
        "{results}"
    );
    // Other names in the texts mislead attackers, also behind erasure.
    assert!(of("semantic", "semantic", "float", "found") < of("none", "kept", "float", "found"), "{results}");
    let erased = |text: &str| of("erase", text, "float", "pearson");
    assert!((erased("semantic") - erased("kept")).abs() > 1e-9, "the texts were changed: {results}");
    let formal = |store: &str| of("erase", "kept", store, "formal");
    assert!((formal("binary") - formal("float")).abs() < 1e-9, "rounding changes no guarantee: {results}");
    for (line, problem) in
        [("texts = [\"mask\"]", "there is no change of texts \"mask\""), ("stores = [\"int4\"]", "int4")]
    {
        folder.write(
            "own.toml",
            format!("name = \"own\"\ntitle = \"O\"\nseeds = [1]\n[vectors]\ndata = [\"sts12\"]\n[[vectors.grid]]\ndefences = [\"none\"]\n{line}\n"),
        );
        let run = folder.run("eval run own.toml --data data -o results");
        assert!(run.contains(problem) && run.contains("exit 1"), "{run}");
    }
}

#[test]
fn an_eraser_can_learn_from_another_collection() {
    let folder = Folder::new();
    pairs(&folder);
    std::fs::create_dir_all(folder.path("data/news")).unwrap();
    let news = |row: usize| {
        let (name, city) = (NAMES[row * 5 % NAMES.len()], CITIES[row * 3 % CITIES.len()]);
        format!("{{\"kind\": \"news\", \"text\": \"{name} opened shop {row} in {city} on Monday.\"}}\n")
    };
    folder.write("data/news/all.jsonl", (0..200).map(news).collect::<String>());
    let experiment = [
        r#"
name = "own"
title = "Another collection"
seeds = [1]
[sets.news]
about = "News"
test = [{ file = "all.jsonl", texts = ["text"], label = "kind", labels = { news = "news" } }]
[vectors]
data = ["pairs"]
min-count = 5
attackers = ["bayes"]
splits = ["groups"]
defence-share = 0.4
[[vectors.grid]]
defences = ["lapmech"]
epsilons = [40]
[[vectors.grid]]
defences = ["erase"]
epsilons = [inf]
axes = [20]
learn-from = ["own", "news"]
[[tables]]
title = "All"
rows = ["learnt-from"]
measures = [{ measure = "found", title = "found", digits = 1, percent = true }]
"#,
        PAIRS,
    ]
    .concat();
    folder.write("own.toml", &experiment);
    let line = "eval run own.toml --data data -o results";
    good(&folder, line);
    let results = results(&folder, "own");
    let pearson = |set: &str| mean(&results, &[("learnt-from", set)], "pearson").unwrap();
    assert!(pearson("–") > 0.0 && (pearson("own") - pearson("news")).abs() > 1e-6, "{results}");
    let both = "learn-from = [\"own\", \"news\"]\ntexts = [\"remove\"]";
    folder.write("own.toml", experiment.replace("learn-from = [\"own\", \"news\"]", both));
    let run = folder.run(line);
    assert!(run.contains("from the set itself only") && run.contains("exit 1"), "{run}");
}

#[test]
fn search_in_noisy_documents() {
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
    let results = results(&folder, "own");
    let of = |defence: &str, epsilon: &str, measure: &str| {
        mean(&results, &[("defence", defence), ("epsilon", epsilon)], measure).unwrap()
    };
    assert!(of("none", "–", "ndcg") > 0.8 && of("none", "–", "results") == 1.0, "{results}");
    assert!(of("lapmech", "2", "ndcg") < of("none", "–", "ndcg") - 0.2, "{results}");
    assert!((of("lapmech", "200", "ndcg") - of("none", "–", "ndcg")).abs() < 0.05, "{results}");
    assert!(of("lapmech", "2", "found") < of("none", "–", "found"), "{results}");
    assert!(of("sparse", "2", "ndcg") < of("none", "–", "ndcg") - 0.2, "{results}");

    // The owner ranks the first hundred again by clean vectors, so noise costs less.
    assert!(of("lapmech", "2", "ndcg-reranked") > of("lapmech", "2", "ndcg") + 0.1, "{results}");
    assert!((of("none", "–", "ndcg-reranked") - of("none", "–", "ndcg")).abs() < 1e-9, "{results}");
    // Each query has twenty relevant documents, so ten results hold half of them at most.
    assert!((0.3..=0.5).contains(&of("none", "–", "recall")), "{results}");

    // Noisy queries have other results, whether the study or a grid asks for them.
    folder.write("own.toml", experiment.replace("min-count", "noisy-queries = true\nmin-count"));
    good(&folder, line);
    let both = super::results(&folder, "own");
    assert_ne!(both["cells"][1]["measures"]["results"], results["cells"][1]["measures"]["results"]);
    let sides = "epsilons = [2, 200]\nqueries = [\"clear\", \"raw\", \"noisy\"]";
    let rows = ["rows = [\"defence\", \"epsilon\"]", "rows = [\"defence\", \"epsilon\", \"queries\"]"];
    folder.write("own.toml", experiment.replace("epsilons = [2, 200]", sides).replace(rows[0], rows[1]));
    good(&folder, line);
    let sides = super::results(&folder, "own");
    let side = |queries: &str, measure: &str| {
        let at = [("defence", "lapmech"), ("epsilon", "2"), ("queries", queries)];
        mean(&sides, &at, measure).unwrap()
    };
    assert_eq!(side("clear", "ndcg"), of("lapmech", "2", "ndcg"));
    assert_eq!(side("raw", "ndcg"), side("clear", "ndcg"), "nothing is erased: {sides}");
    assert_eq!(Some(side("noisy", "ndcg")), mean(&both, &[("defence", "lapmech"), ("epsilon", "2")], "ndcg"));
    assert_eq!(side("noisy", "found"), side("clear", "found"), "attackers see documents only: {sides}");
    folder.write("own.toml", experiment.replace("rows = 160", "rows = 161"));
    let short = folder.run(line);
    assert!(short.contains("160 documents, but there should be 161") && short.contains("exit 1"), "{short}");
    folder.write("own.toml", experiment.replace("[vectors.words.guide]", "[vectors.words.guides]"));
    let unknown = folder.run(line);
    assert!(unknown.contains("\"guides\", which is not in data") && unknown.contains("exit 1"), "{unknown}");
    folder.write("data/guide/judgements.csv", "query-id,corpus-id,score\nq0,d999,1\n");
    folder.write("own.toml", experiment);
    let apart = folder.run(line);
    assert!(
        apart.contains("check that the three files belong together") && apart.contains("exit 1"),
        "{apart}"
    );
}

#[test]
fn a_mask_for_one_group_spares_other_groups() {
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
    let results = results(&folder, "own");
    let of = |data: &str, defence: &str, target: &str, measure: &str| {
        mean(&results, &[("data", data), ("defence", defence), ("target", target)], measure)
    };
    assert_eq!(results["cells"].as_array().unwrap().len(), 1 + 4 + 2 + 1 + 2 + 1);
    assert!(of("notes", "none", "–", "leakage-days").unwrap() > 0.5, "{results}");
    // A mask for days protects days and spares cities; isotropic noise at this ε protects all.
    let change = |measure: &str| of("notes", "sparse", "days", measure).unwrap();
    assert!(
        change("change-target") < -0.5 && change("change-others") > change("change-target") + 0.3,
        "{results}"
    );
    for target in ["days", "cities"] {
        // A mask for a group leaves no rest of the group; a mask for one word does.
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
    let results = results(&folder, "own");
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
