//! Experiments on texts with authors.

use super::{SPORTS, good, mean, results};
use crate::folder::Folder;
use crate::model;

/// Posts by authors with different styles, with a mood.
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
fn authors_of_released_texts_are_attacked() {
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
    let results = results(&folder, "own");
    let of = |method: &str, measure: &str| mean(&results, &[("method", method)], measure).unwrap();
    // The two styles are easy to tell apart, and one word shows the mood.
    assert!(of("keep", "author") > 0.9 && of("keep", "strongest") > 0.9, "{results}");
    assert!(of("keep", "utility") > 0.9 && of("keep", "meaning") > 0.999, "{results}");
    assert_eq!((of("keep", "unchanged"), of("keep", "exposure")), (1.0, 1.0));
    // In every fifth by risk.
    for fifth in 1..=5 {
        assert!(of("keep", &format!("success-author-classifier-{fifth}")) > 0.5, "{results}");
    }
    for measure in ["author-ngram-svm-informed", "author-style-logistic-adaptive", "meaning", "membership"] {
        assert!((0.0..=1.0).contains(&of("tiny", measure)), "{measure}: {results}");
    }
    // An untrained model never ends a text, so all candidates are refused and the originals are released.
    assert_eq!((of("tiny", "unchanged"), of("tiny", "author")), (1.0, of("keep", "author")));
    let again = good(&folder, line);
    assert!(again.contains("3 stored measurements reused"), "{again}");

    folder.write("own.toml", experiment.replace("\"none\"", "\"mine.safetensors\""));
    let absent = folder.run(line);
    assert!(absent.contains("mine.safetensors") && absent.contains("exit 1"), "{absent}");
    posts(&folder, &["ann"]);
    let alone = folder.run(line);
    assert!(alone.contains("at least two authors") && alone.contains("exit 1"), "{alone}");
    folder.write("data/posts/all.jsonl", "{\"author\": \"ann\", \"text\": 7}\n");
    let wrong = folder.run(line);
    assert!(wrong.contains("all.jsonl: line 1: not a JSON object") && wrong.contains("exit 1"), "{wrong}");
    folder.write("own.toml", experiment.replace("model = \"tiny\"\n", ""));
    let nobody = folder.run(line);
    assert!(nobody.contains("own.toml") && nobody.contains("need a model"), "{nobody}");
}
