//! `inkveil style risk`, `memory` and `train`, through the real binary.

use crate::folder::Folder;

/// A writer with clear habits: semicolons, British spelling, long sentences.
const FORMAL: &str = "I should like to express, with all due respect, my astonishment at the colour of the new railings; they are, \
    I regret to say, a most unfortunate grey. The neighbours, whose judgement I have always honoured, were of the same opinion; nevertheless, \
    nobody had thought it proper to write. It is, perhaps, the humour of our age that one complains at dinner and never in a letter; I, for one, \
    have resolved to do otherwise, and I trust that the committee will recognise the sincerity of these lines.";

/// Another writer: no capitals, chat words, no full stops.
const CASUAL: &str = "ok so i went to the new place yesterday and omg it was soooo good lol... u gotta try the noodles!! they dont even charge \
    extra for the egg which is kinda crazy tbh. my brother was like nah im not hungry and then he ate half of mine haha. anyway we r going again \
    on friday if u wanna come, just text me when ur free ok?? its right next to that weird shop with the lamps lol";

fn succeed(folder: &Folder, line: &str) -> String {
    let run = folder.run(line);
    assert!(run.contains("exit 0"), "{run}");
    run
}

fn read(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

/// Texts of a small forum: several ways to say the same few things.
fn forum() -> String {
    let subjects = ["the bus", "the library", "our garden", "the new bakery", "that film"];
    let mut lines = String::new();
    for (number, subject) in (0..60).zip(subjects.iter().cycle()) {
        let text = match number % 6 {
            0 => format!(
                "We went to see {subject} again, and it was fine. I think that we will go next week, too. It was not far."
            ),
            1 => format!(
                "honestly {subject} is great!! everyone should go. we loved it so much, cant wait for next time :)"
            ),
            2 => format!(
                "Regarding {subject}: I would suggest that the hours be extended; many of us work late, and cannot come before six."
            ),
            3 => format!(
                "I don't know about {subject}. It's OK, I guess? Maybe it's just me, but I didn't see what's so special about it."
            ),
            4 => format!(
                "Has anyone been to {subject} lately? Thanks in advance for any answer. I have been ill and could not go myself."
            ),
            _ => format!(
                "{subject}... well. It is what it is. You go, you look, you leave. That's all. Nothing to write home about, really."
            ),
        };
        lines += &format!("{}\n", serde_json::json!({ "text": text, "n": number }));
    }
    lines
}

#[test]
fn a_text_gets_a_risk_and_its_habits_with_examples() {
    let folder = Folder::new();
    folder.write("formal.txt", FORMAL).write("casual.txt", CASUAL);
    let run = succeed(&folder, "style risk formal.txt");
    for part in ["risk ", "of the ", "outlier", "Habits that identify it", "semicolons:", "more than"] {
        assert!(run.contains(part), "{part}: {run}");
    }
    let run = succeed(&folder, "style risk casual.txt --json");
    let line = run.lines().find(|line| line.starts_with('{')).unwrap();
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    assert!((0.0..=1.0).contains(&value["score"].as_f64().unwrap()));
    let habits = value["habits"].as_array().unwrap();
    assert!(!habits.is_empty() && habits.len() <= 6);
    for habit in habits {
        if let Some(example) = habit["example"].as_str() {
            assert!(CASUAL.contains(example), "{example}");
        }
    }
}

#[test]
fn a_text_is_linked_to_the_earlier_ones_of_its_writer() {
    let folder = Folder::new();
    let (old, new) = FORMAL.split_at(FORMAL.find("It is, perhaps").unwrap());
    folder.write("old.txt", old).write("new.txt", new).write("casual.txt", CASUAL);
    let linked = |file: &str| -> f64 {
        let run = succeed(&folder, &format!("style risk {file} --compare old.txt --json"));
        let line = run.lines().find(|line| line.starts_with('{')).unwrap().to_owned();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()["link"]["probability"].as_f64().unwrap()
    };
    assert!(linked("new.txt") > linked("casual.txt") + 0.1);
}

#[test]
fn a_folder_has_a_row_for_each_text_and_a_page_needs_no_other_file() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    folder
        .write("in/a.txt", FORMAL)
        .write("in/b.md", CASUAL)
        .write("in/c.txt", "Hello.")
        .write("in/d.png", "x");
    let run = succeed(&folder, "style risk in");
    assert!(
        run.contains("a.txt")
            && run.contains("b.md")
            && run.contains("too short")
            && !run.contains("│ in/d.png"),
        "{run}"
    );
    assert!(run.contains("not read: in/d.png (unknown format)"), "{run}");
    succeed(&folder, "style risk in/a.txt --html page.html");
    let page = read(&folder, "page.html");
    assert!(
        page.contains("<svg")
            && page.contains("this text")
            && page.contains("railings")
            && !page.contains("<script")
    );
    let run = folder.run("style risk in --html page.html -f");
    assert!(run.contains("exit 1") && run.contains("--html draws one text; 3 were given"), "{run}");
}

#[test]
fn texts_that_cannot_be_measured_are_reported() {
    let folder = Folder::new();
    folder
        .write("word.txt", "Hello")
        .write("german.txt", "Der Zug war wieder zu spät, und wir haben eine Stunde lang auf dem kalten Bahnsteig gewartet, ohne dass jemand etwas sagte.")
        .write("greek.txt", "Το τρένο άργησε πάλι και περιμέναμε μία ώρα στην κρύα αποβάθρα χωρίς να μας πει κανείς τίποτα για αυτό.")
        .write("empty.txt", " \n")
        .write("long.txt", format!("{FORMAL} ").repeat(220));
    assert!(succeed(&folder, "style risk word.txt").contains("Too short to assess: 1 word."));
    assert!(succeed(&folder, "style risk german.txt").contains("does not look like English"));
    assert!(succeed(&folder, "style risk greek.txt").contains("another script (Greek)"));
    assert!(succeed(&folder, "style risk long.txt").contains("risk "));
    let run = folder.run("style risk empty.txt");
    assert!(run.contains("exit 1") && run.contains("empty.txt: it contains no text"), "{run}");
    let typed = folder.command().args(["style", "risk", "my secret diary"]).output().unwrap();
    let said = String::from_utf8_lossy(&typed.stderr);
    assert!(!typed.status.success() && said.contains("pipe it in") && !said.contains("secret"), "{said}");
    let run = folder.run("style risk nowhere.txt");
    assert!(run.contains("exit 1") && run.contains("nowhere.txt: cannot open it"), "{run}");
}

#[test]
fn a_memory_is_built_updated_merged_and_used() {
    let folder = Folder::new();
    folder
        .write("forum.jsonl", forum())
        .write("more.txt", "i went there too lol, it was ok i guess, nothing special tbh, u should go\n");
    folder.write("formal.txt", FORMAL);
    let run = succeed(&folder, "style memory build forum.jsonl -o forum.memory");
    assert!(run.contains("prototypes of 60 texts"), "{run}");
    assert!(
        !String::from_utf8_lossy(&std::fs::read(folder.path("forum.memory")).unwrap()).contains("bakery"),
        "texts are not kept"
    );
    let run = succeed(&folder, "style memory update forum.memory more.txt");
    assert!(run.contains("prototypes of 61 texts"), "{run}");
    succeed(&folder, "style memory build forum.jsonl -o texts.memory --keep-texts -q");
    let run = succeed(&folder, "style memory merge forum.memory texts.memory -o both.memory");
    assert!(run.contains("of 121 texts"), "{run}");
    let run = succeed(&folder, "style memory inspect both.memory --svg map.svg");
    assert!(run.contains("121 texts") && read(&folder, "map.svg").starts_with("<svg"), "{run}");
    assert!(
        succeed(&folder, "style risk formal.txt --memory forum.memory")
            .contains("of the 61 texts in the memory")
    );
    let run = folder.run("style memory build forum.jsonl -o forum.memory");
    assert!(run.contains("exit 1") && run.contains("exists already") && run.contains("--force"), "{run}");
}

#[test]
fn unusable_memories_are_refused() {
    let folder = Folder::new();
    folder
        .write("formal.txt", FORMAL)
        .write("one.txt", "Only one text is in here, and that is not enough for a memory.\n");
    folder.write("broken.memory", "no memory at all");
    succeed(&folder, "style memory build one.txt -o one.memory -q");
    let run = folder.run("style risk formal.txt --memory one.memory");
    assert!(
        run.contains("exit 1") && run.contains("a memory needs at least 2 prototypes, but this one has 1"),
        "{run}"
    );
    let run = folder.run("style risk formal.txt --memory broken.memory");
    assert!(run.contains("exit 1") && run.contains("broken.memory: it is not a memory of styles"), "{run}");
    // A public encoder is a folder in the usual layout: that of the pack, without our style weights.
    std::fs::create_dir(folder.path("public")).unwrap();
    let pack = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
    for file in [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "sentence_bert_config.json",
    ] {
        std::fs::copy(pack.join(file), folder.path("public").join(file)).unwrap();
    }
    let run = folder.run("style risk formal.txt --encoder public");
    assert!(run.contains("exit 1") && run.contains("not with public"), "{run}");
    folder.write("forum.jsonl", forum());
    succeed(&folder, "style memory build forum.jsonl -o public.memory --encoder public -q");
    succeed(&folder, "style risk formal.txt --encoder public --memory public.memory");
}

#[test]
fn an_encoder_is_trained_and_used_and_invalid_rows_are_refused() {
    let folder = Folder::new();
    let mut rows = String::new();
    for number in 0..60 {
        let text = if number % 2 == 0 { FORMAL } else { CASUAL };
        let (author, topic) = (number % 12, number / 12);
        rows += &format!(
            "{}\n",
            serde_json::json!({ "author": format!("w{author}"), "topic": format!("t{topic}"), "text": &text[..120 + 7 * author] })
        );
    }
    folder.write("authors.jsonl", &rows).write(
        "s.toml",
        "texts = [\"authors.jsonl\"]\nparts = \"surface\"\nsteps = 6\nbatch = 8\nheld-out = 0.3\n",
    );
    let run = succeed(&folder, "style train encoder s.toml -o s.safetensors --curve c.svg");
    assert!(run.contains("held-out AUC") && read(&folder, "c.svg").contains("<svg"), "{run}");
    folder.write("forum.jsonl", forum()).write("formal.txt", FORMAL);
    succeed(&folder, "style memory build forum.jsonl -o f.memory --encoder s.safetensors -q");
    succeed(&folder, "style risk formal.txt --memory f.memory --encoder s.safetensors");
    let run = folder.run("style risk formal.txt --encoder s.safetensors");
    assert!(run.contains("exit 1") && run.contains("was made with the encoder"), "{run}");
    folder.write("authors.jsonl", format!("{rows}{{\"author\": \"x\"}}\n"));
    let run = folder.run("style train encoder s.toml -o t.safetensors");
    assert!(
        run.contains("exit 1")
            && run.contains("authors.jsonl, row 61: the field \"text\" is missing or empty"),
        "{run}"
    );
    folder
        .write("few.toml", "texts = [\"few.jsonl\"]\n")
        .write("few.jsonl", "{\"author\": \"a\", \"text\": \"So it goes.\"}\n");
    let run = folder.run("style train encoder few.toml -o t.safetensors");
    assert!(run.contains("exit 1") && run.contains("0 authors with two texts or more"), "{run}");
}
