//! Attacks on releases.

use serde_json::Value;

use super::{SPORTS, good, sentence};
use crate::folder::Folder;
use crate::model;

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
    assert!(json["kinds"]["person"]["values"].as_u64().unwrap() > 20, "{json}");
    assert_eq!(json["linked_to_original"], 1.0);
    good(&folder, "text --file notes.txt --lines --budgets 0,0,inf,inf -o masked.txt --insecure-seed 3 -q");
    let masked = good(&folder, "attack text notes.txt masked.txt -q");
    // There are six names only, so some are guessed; none survives.
    assert!(
        masked.contains("survive unchanged        0.0 %") && masked.contains("guessed from the context"),
        "{masked}"
    );
    assert!(!masked.contains("Lima"), "{masked}");
    // An untrained model changes the result of the others little.
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

/// Pieces of an address such as "com" are in every address. They are not what an attacker looks for.
#[test]
fn replaced_addresses_count_as_replaced() {
    let folder = Folder::new();
    let names = ["ines.castro", "tomas.reyes", "ana.novak", "peter.holm"];
    let line = |row: usize| {
        let name = names[row % 4];
        format!("Please write to {name}{row}@example.com about the order, or call 0{row}55 123 45{row}.\n")
    };
    folder.write("notes.txt", (0..60).map(line).collect::<String>());
    good(&folder, "text --file notes.txt --lines --preset corpus -o veiled.txt --insecure-seed 3 -q");
    let found = good(&folder, "attack text notes.txt veiled.txt --rows 40 --json -q");
    let json: Value =
        serde_json::from_str(&found[found.find('{').unwrap()..=found.rfind('}').unwrap()]).unwrap();
    assert_eq!((&json["texts"], &json["attacked_texts"]), (&60.into(), &20.into()), "{json}");
    assert_eq!(json["survived"]["mean"], 0.0, "{json}");
    assert_eq!(json["kinds"]["email"]["found"], 0, "{json}");
    assert!(json["kinds"]["email"]["values"].as_u64().unwrap() >= 15, "{json}");
    let shown = good(&folder, "attack text notes.txt veiled.txt --rows 40 -q");
    assert!(shown.contains("Verdict: "), "{shown}");
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
    assert!(hidden.contains("of the best attacker's gain over guessing is left"), "{hidden}");
    let nobody = folder.run("attack style posts.jsonl alike.jsonl --author-column user -q");
    assert!(nobody.contains("exit 1") && nobody.contains("user"), "{nobody}");
}
