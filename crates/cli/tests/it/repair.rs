//! `inkveil text --repair` and `--at-zero fill`: a language model works on what is veiled.

use serde_json::Value;

use crate::folder::Folder;
use crate::model;
use crate::server::Server;
use crate::text::{check_tags, text};

#[test]
fn a_server_mends_what_is_veiled_and_sees_nothing_else() {
    let folder = Folder::new();
    let veil = "--budgets 30,0,inf,inf --tier rules --at-zero mask --repair-model some";
    let good = Server::saying("Please call [phone] soon.");
    let ask = |server: &Server| {
        text(&folder, veil, &["--repair", &server.url, "--json", "Call +44 20 7946 0958 soon."])
    };
    let run = ask(&good).good();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["text"], "Please call [phone] soon.");
    assert_eq!(document["repaired"], true);
    assert!(run.stdout.contains("rewritten for coherence by some"), "{}", run.stdout);
    let asked = good.asked();
    assert_eq!(asked.len(), 1);
    assert!(
        asked[0].contains("[phone]") && asked[0].contains("some") && !asked[0].contains("7946"),
        "{}",
        asked[0]
    );

    let bad = Server::saying("Please call Bob soon.");
    let run = ask(&bad).good();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["text"], "Call [phone] soon.");
    assert_eq!(document["repaired"], false);
    assert!(run.stderr.contains("not repaired: 1 of 1"), "{}", run.stderr);

    assert!(!run.stdout.contains("rewritten for coherence"), "what was thrown away is not on the receipt");

    // A receipt is that of the text that leaves; the page shows both.
    let files = "-o out.txt --explain-html why.html";
    text(&folder, &format!("{veil} {files}"), &["--repair", &good.url, "Call +44 20 7946 0958 soon."]).good();
    assert_eq!(folder.read("out.txt"), b"Please call [phone] soon.\n");
    assert!(folder.run("receipt verify out.txt.receipt.json --release out.txt").contains("exit 0"));
    assert!(folder.run("receipt show out.txt.receipt.json").contains("rewritten for coherence by some"));
    let page = String::from_utf8(folder.read("why.html")).unwrap();
    check_tags(&page);
    assert!(page.contains("<h3>Repaired</h3>"));
}

/// A mark around replacements would tell the server that every other name is real.
#[test]
fn a_server_is_not_told_which_names_are_replacements() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"text\": \"Ana Novak wrote to ben@example.org about Porto.\"}\n");
    let veil = "--preset corpus --at-zero surrogate --insecure-seed 5 --file a.jsonl --quiet";
    text(&folder, &format!("{veil} -o plain.jsonl"), &[]).good();
    let plain: Value = serde_json::from_slice(&folder.read("plain.jsonl")).unwrap();
    let veiled = plain["text"].as_str().unwrap().to_owned();
    assert!(!veiled.contains("Novak") && !veiled.contains("ben@example.org"), "{veiled}");
    let server = Server::saying("A letter was written.");
    let repair = format!("{veil} -o repaired.jsonl --repair {} --repair-model some", server.url);
    let run = text(&folder, &repair, &[]).good();
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    let request: Value = serde_json::from_str(&asked[0]).unwrap();
    let messages = request["messages"].as_array().unwrap();
    let sent = messages.last().unwrap()["content"].as_str().unwrap();
    // The text itself, and nothing between its words.
    assert!(sent.ends_with(&veiled), "{sent}");
    assert!(messages.iter().all(|message| {
        let content = message["content"].as_str().unwrap();
        !["<<", "**", "[[", "⟦"].iter().any(|mark| content.contains(mark))
    }));
    // The rewrite lost the names, so the veiled text is kept, and that is reported.
    assert_eq!(folder.read("repaired.jsonl"), folder.read("plain.jsonl"));
    assert!(run.stderr.contains("not repaired: 1 texts"), "{}", run.stderr);
}

#[test]
fn a_local_model_fills_gaps_and_mends() {
    let folder = Folder::new();
    model::write(&folder.path("model"));
    let veil = "--budgets inf,0,inf,inf --tier rules";
    let line = "Call +44 20 7946 0958 soon.";
    let filled = text(&folder, &format!("{veil} --at-zero fill --model ./model"), &[line]).good().stdout;
    assert!(
        filled.starts_with("Call ") && filled.ends_with(" soon.\n") && !filled.contains("7946 0958"),
        "{filled}"
    );
    // A model that knows nothing breaks the rules: its rewrite is thrown away.
    let run = text(&folder, &format!("{veil} --repair ./model"), &[line]).good();
    assert_eq!(run.stdout, "Call [phone] soon.\n");
    assert!(run.stderr.contains("not repaired"), "{}", run.stderr);
}
