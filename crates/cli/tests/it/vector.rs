//! `inkveil vector`: from texts to veiled vectors, and every refusal.

use insta::assert_snapshot;

use crate::folder::Folder;

const PEOPLE: [&str; 8] = ["Ana", "Bo", "Carla", "Dinesh", "Elif", "Farid", "Greta", "Hiro"];
const DEEDS: [&str; 6] = [
    "fixed the printer",
    "wrote a long letter",
    "missed the train",
    "cooked for six",
    "sold a bike",
    "slept late",
];
const TIMES: [&str; 5] = ["yesterday", "in the morning", "after the meeting", "again", "before lunch"];

/// 240 short texts, one in two with a name, as JSON lines.
fn texts() -> String {
    let mut lines = String::new();
    for number in 0..240 {
        let (deed, time) = (DEEDS[number % 6], TIMES[number / 6 % 5]);
        let who = if number % 2 == 0 { PEOPLE[number / 2 % 8] } else { "somebody" };
        lines += &format!(
            "{{\"key\": \"r{number}\", \"text\": \"{who} {deed} {time}\", \"named\": {}}}\n",
            number % 2 == 0
        );
    }
    lines
}

fn words() -> String {
    PEOPLE.join("\n")
}

fn ready() -> Folder {
    let folder = Folder::new();
    folder.write("texts.jsonl", texts()).write("people.txt", words());
    folder
}

fn succeed(folder: &Folder, line: &str) -> String {
    let run = folder.run(line);
    assert!(run.contains("exit 0"), "{run}");
    run
}

/// Quick enough for a test; still tells names from none.
const FIT: &str = "--method mask --epochs 15 --rate 1e-3 --gate-rate 3e-2 -q";

#[test]
fn from_texts_to_veiled_vectors_and_an_attack() {
    let folder = ready();
    succeed(&folder, "vector embed texts.jsonl -o vectors.parquet --id-column key -q");
    succeed(
        &folder,
        &format!("vector fit texts.jsonl --words-file people.txt --name people -o people.mask {FIT}"),
    );
    let run = succeed(
        &folder,
        "vector apply vectors.parquet -o veiled.parquet --mask people.mask -e 60 --floor 0.1 --insecure-seed 1",
    );
    assert!(
        run.contains("mahalanobis") && run.contains("euclidean") && run.contains("mask of people"),
        "{run}"
    );
    succeed(&folder, "receipt verify veiled.parquet.receipt.json --release veiled.parquet");
    let attack = "attack vector vectors.parquet veiled.parquet --texts texts.jsonl --words-file people.txt --attacker mlc --epochs 80 -q";
    let found: serde_json::Value = serde_json::from_str(
        succeed(&folder, &format!("{attack} --json --save-attacker attacker"))
            .split("--- stdout\n")
            .nth(1)
            .unwrap()
            .split("--- stderr")
            .next()
            .unwrap(),
    )
    .unwrap();
    assert_eq!(found["words"], 8);
    let share = |when: &str| found[when]["found"]["mean"].as_f64().unwrap();
    assert!(share("before") > 0.6 && share("veiled") < share("before"), "{found}");
    let told = succeed(&folder, &attack.replace("--attacker mlc --epochs 80", "--epochs 1"));
    for part in [
        "bayes, knows near duplicates",
        "mean, knows no near duplicate",
        "guessing",
        "nearest rows",
        "verdict: words",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // What the attacker looks at makes a mask too.
    succeed(
        &folder,
        "vector fit texts.jsonl --words-file people.txt --method mask --white-box attacker -o looked-at.mask -q",
    );
    let run = succeed(&folder, "vector inspect people.mask looked-at.mask --svg masks.svg");
    assert!(run.contains("integrated gradients") && run.contains("8 words"), "{run}");
    assert!(String::from_utf8(folder.read("masks.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn an_eraser_removes_words_and_its_receipt_says_what_is_guaranteed() {
    let folder = ready();
    succeed(&folder, "vector embed texts.jsonl -o vectors.jsonl --local -q");
    let fit = "vector fit texts.jsonl --words-file people.txt --name people --public-corpus";
    let told = succeed(&folder, &format!("{fit} -o people.mask"));
    assert!(told.contains("people: 8 words in 120 of 240 texts") && told.contains("erases"), "{told}");
    succeed(&folder, &format!("{fit} -o again.mask -q"));
    assert_eq!(folder.read("people.mask"), folder.read("again.mask"));
    let bytes = String::from_utf8_lossy(&folder.read("people.mask")).into_owned();
    assert!(PEOPLE.iter().filter(|name| name.len() > 3).all(|name| !bytes.contains(name)));
    // An eraser needs the vectors of an encoder only, so it can be fitted for one that is elsewhere. Texts
    // and vectors may be in one file.
    succeed(&folder, &format!("{fit} --vectors vectors.jsonl -o theirs.mask -q"));
    let described = |mask: &str| {
        let shown = succeed(&folder, &format!("vector inspect {mask}"));
        shown
            .lines()
            .filter(|line| !line.contains(".mask"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    assert_eq!(described("people.mask"), described("theirs.mask"));
    succeed(&folder, "vector embed texts.jsonl -o vectors.npy --local -q");
    std::fs::remove_file(folder.path("vectors.npy.encoder.json")).unwrap();
    let nameless = folder.run(&format!("{fit} --vectors vectors.npy -o x.mask -q"));
    assert!(nameless.contains("name it with --encoder") && nameless.contains("exit 1"), "{nameless}");
    succeed(&folder, &format!("{fit} --vectors vectors.npy --encoder their-api -o named.mask -q"));
    assert!(succeed(&folder, "vector inspect named.mask").contains("their-api"));
    folder
        .write("fewer.jsonl", texts().lines().take(200).map(|line| format!("{line}\n")).collect::<String>());
    for (line, problem) in [
        (fit.replace("texts.jsonl", "fewer.jsonl"), "not one vector for each text"),
        (format!("{fit} --method mask"), "their encoder must be here"),
    ] {
        let run = folder.run(&format!("{line} --vectors vectors.jsonl -o x.mask -q"));
        assert!(run.contains(problem) && run.contains("exit 1"), "{run}");
    }
    let shown = succeed(&folder, "vector inspect people.mask");
    for part in ["of what tells the words apart", "of the spread", "erased distance", ", declared public"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let apply = "vector apply vectors.jsonl --mask people.mask --insecure-seed 1";
    let run = succeed(&folder, &format!("{apply} -o veiled.jsonl -e 200"));
    assert!(run.contains("erased") && run.contains("euclidean"), "{run}");
    assert!(!run.contains("warning: in") && !run.contains("warning: the masks"), "{run}");
    succeed(&folder, "receipt verify veiled.jsonl.receipt.json --release veiled.jsonl");
    let receipt: serde_json::Value =
        serde_json::from_slice(&folder.read("veiled.jsonl.receipt.json")).unwrap();
    let group = &receipt["groups"][0];
    assert_eq!(group["guarantees"][0]["metric"], "erased", "{receipt}");
    assert_eq!(group["equivalents"][0]["metric"], "euclidean", "{receipt}");
    let euclidean = group["equivalents"][0]["epsilon"].as_f64().unwrap();
    assert!((400.0..480.0).contains(&euclidean), "{euclidean}");
    let parameters = receipt["parameters"].to_string();
    assert!(parameters.contains("loss inside the erased span") && parameters.contains("mask of people"));
    assert!(receipt["not_covered"].to_string().contains("was not fitted on"), "{receipt}");
    // Queries that stay on the machine are erased without noise.
    succeed(&folder, &format!("{apply} -o queries.jsonl -e inf -q"));
    let attack = "attack vector vectors.jsonl queries.jsonl --texts texts.jsonl --words-file people.txt \
                  --attacker bayes --json -q";
    let run = succeed(&folder, attack);
    let json = run.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap();
    let found: serde_json::Value = serde_json::from_str(json).unwrap();
    let share = |when: &str| found[when]["found"]["mean"].as_f64().unwrap();
    assert!(share("before") > 0.6 && share("veiled") < share("before") - 0.2, "{found}");
    // A file can hold both, and the mechanism is chosen.
    succeed(&folder, &format!("{fit} --method both --epochs 2 --lambda 0 -o both.mask -q"));
    let noise = "vector apply vectors.jsonl --mask both.mask -e 200 --insecure-seed 1";
    assert!(succeed(&folder, &format!("{noise} -o a.jsonl")).contains("erased-laplace"));
    let masked = succeed(&folder, &format!("{noise} -m mahalanobis --floor 0 -o b.jsonl"));
    assert!(masked.contains("mahalanobis") && masked.contains("warning: the masks cover"), "{masked}");
    succeed(&folder, &format!("{apply} --mask both.mask -o c.jsonl -e 200 -q"));
}

#[test]
fn an_absurd_guarantee_is_a_warning_and_the_default_floor_prevents_it() {
    let folder = ready();
    succeed(&folder, "vector embed texts.jsonl -o vectors.jsonl --local -q");
    // A mask of few dimensions.
    let note = inkveil::VectorFileNote::find(&folder.path("vectors.jsonl")).unwrap().unwrap();
    let corpus =
        inkveil::vectors::CorpusNote { sha256: "cd".repeat(32), texts: 240, pairs: 120, public: true };
    let mask = inkveil::vectors::Mask {
        gates: (0..384).map(|i| if i < 30 { 1.0 } else { 0.0 }).collect(),
        mean_squares: vec![1.0 / 384.0; 384],
        eraser: None,
        note: inkveil::vectors::MaskNote::new(("people", "8 words", ""), note.encoder, corpus, None),
    };
    folder.write("few.mask", mask.to_bytes().unwrap());
    let apply = "vector apply vectors.jsonl --mask few.mask -e 300 --insecure-seed 1";
    let absurd = succeed(&folder, &format!("{apply} --floor 0 -o a.jsonl"));
    assert!(absurd.contains("warning: in Euclidean distance"), "{absurd}");
    assert!(
        String::from_utf8(folder.read("a.jsonl.receipt.json")).unwrap().contains("warning: in Euclidean")
    );
    let bounded = succeed(&folder, &format!("{apply} -o b.jsonl"));
    assert!(!bounded.contains("warning: in Euclidean"), "{bounded}");
}

#[test]
fn ids_of_rows_come_from_their_own_column() {
    let folder = Folder::new();
    folder
        .write("rows.jsonl", "{\"id\": \"seven\", \"text\": \"a\"}\n{\"id\": \"three\", \"text\": \"b\"}\n")
        .write("rows.csv", "id,text\nseven,a\nthree,b\n")
        .write("bare.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n")
        .write("some.jsonl", "{\"id\": \"x\", \"text\": \"a\"}\n{\"text\": \"b\"}\n");
    let ids = |name: &str| -> Vec<String> {
        let columns = inkveil::rows::Columns {
            texts: vec![inkveil::rows::ColumnPath::column("id")],
            ..Default::default()
        };
        let options = inkveil::rows::RecordOptions { columns, ..Default::default() };
        let mut reader = inkveil::rows::RecordReader::open(
            inkveil::files::Input::path(folder.path(name)),
            inkveil::rows::RecordFormat::Parquet,
            inkveil::rows::Packing::None,
            &options,
        )
        .unwrap();
        let mut ids = Vec::new();
        while let Some(records) = reader.next().unwrap() {
            ids.extend(records.texts().iter().map(str::to_owned));
        }
        ids
    };
    for (input, expected) in
        [("rows.jsonl", ["seven", "three"]), ("rows.csv", ["seven", "three"]), ("bare.jsonl", ["1", "2"])]
    {
        succeed(&folder, &format!("vector embed {input} -o {input}.parquet --local -q"));
        assert_eq!(ids(&format!("{input}.parquet")), expected, "{input}");
    }
    succeed(&folder, "vector embed rows.csv -o rows-vectors.jsonl --local -q");
    assert!(String::from_utf8(folder.read("rows-vectors.jsonl")).unwrap().contains("\"id\":\"three\""));
    let missing = folder.run("vector embed some.jsonl -o some.parquet --local -q");
    assert!(missing.contains("exit 1") && missing.contains("row 2"), "{missing}");
}

#[test]
fn the_same_seed_gives_the_same_mask_and_no_word_of_the_concept_is_in_it() {
    let folder = ready();
    for name in ["a.mask", "b.mask"] {
        succeed(
            &folder,
            &format!(
                "vector fit texts.jsonl --words-file people.txt -o {name} --method mask --epochs 2 --lambda 0 -q"
            ),
        );
    }
    assert_eq!(folder.read("a.mask"), folder.read("b.mask"));
    let bytes = String::from_utf8_lossy(&folder.read("a.mask")).into_owned();
    assert!(PEOPLE.iter().filter(|name| name.len() > 3).all(|name| !bytes.contains(name)));
}

#[test]
fn concepts_of_a_file_get_a_mask_each_and_labels_make_one_too() {
    let folder = ready();
    let concepts = "[[concept]]\nname = \"people\"\nwords-file = \"people.txt\"\n\n[[concept]]\nname = \"trains\"\npatterns = ['(missed|sold)']\n";
    folder.write("concepts.toml", concepts);
    succeed(
        &folder,
        "vector fit texts.jsonl --concepts concepts.toml -o masks --method mask --epochs 2 --lambda 0 -q",
    );
    assert!(folder.path("masks/people.mask").exists() && folder.path("masks/trains.mask").exists());
    succeed(
        &folder,
        "vector fit texts.jsonl --label-column named -o named.mask --method mask --epochs 2 --lambda 0 -q",
    );
    assert!(succeed(&folder, "vector inspect named.mask").contains("protects      named (a label)"));
}

#[test]
fn receipts_name_the_corpus_of_a_mask_and_whether_it_is_public() {
    let folder = ready();
    succeed(&folder, "vector embed texts.jsonl -o vectors.jsonl --local -q");
    let sha256 = inkveil::files::Sha256Sum::of_file(&folder.path("texts.jsonl")).unwrap().to_string();
    let fit =
        "vector fit texts.jsonl --words-file people.txt --name people --method mask --epochs 2 --lambda 0";
    let told = succeed(&folder, &format!("{fit} -o private.mask"));
    assert!(told.contains("not declared public"), "{told}");
    succeed(&folder, &format!("{fit} --public-corpus -o public.mask -q"));
    for (name, declared) in [("private", "not declared public"), ("public", "declared public")] {
        let line =
            format!("vector apply vectors.jsonl -o {name}.jsonl --mask {name}.mask -e 60 --insecure-seed 1");
        succeed(&folder, &format!("{line} -q"));
        let receipt: serde_json::Value =
            serde_json::from_slice(&folder.read(&format!("{name}.jsonl.receipt.json"))).unwrap();
        let corpus = format!("sha256 {sha256}, {declared}");
        let parameters = receipt["parameters"].as_array().unwrap();
        assert!(parameters.iter().any(|parameter| parameter["value"] == corpus), "{receipt}");
        // Shrinking uses statistics of the same corpus, and the receipt says whose they are.
        let treatments = receipt["treatments"].as_array().unwrap();
        assert!(treatments.iter().any(|one| one["how"].as_str().unwrap().contains(&corpus)), "{receipt}");
        let not_covered = receipt["not_covered"].to_string();
        assert_eq!(not_covered.contains("were not declared public"), name == "private", "{not_covered}");
        assert!(receipt["space"].as_str().unwrap().contains("dimension"), "{receipt}");
    }
    let inspected = succeed(&folder, "vector inspect private.mask public.mask");
    assert!(inspected.contains("not declared public") && inspected.contains(", declared public"));
}

#[test]
fn every_format_holds_the_same_vectors() {
    let folder = Folder::new();
    folder
        .write("t.txt", "one small text\nanother\n")
        .write("t.jsonl", "{\"text\": \"one small text\"}\n{ \"text\": \"another\" }\n");
    for output in ["v.npy", "v.parquet", "v.jsonl"] {
        succeed(&folder, &format!("vector embed t.jsonl -o {output} -q"));
    }
    succeed(&folder, "vector embed t.txt -o lines.npy -q");
    assert_eq!(folder.read("v.npy"), folder.read("lines.npy"));
    assert_eq!(&folder.read("v.npy")[..8], b"\x93NUMPY\x01\x00");
    let lines = String::from_utf8(folder.read("v.jsonl")).unwrap();
    assert!(lines.starts_with("{\"text\": \"one small text\", \"embedding\": ["), "{lines}");
    for (input, output) in [("v.npy", "a.npy"), ("v.parquet", "a.parquet"), ("v.jsonl", "a.jsonl")] {
        succeed(
            &folder,
            &format!("vector apply {input} -o {output} -m laplace-l2 -e 2000 --insecure-seed 3 -q"),
        );
    }
    // The same seed and rows: the same noise, whatever the file.
    let first =
        |name: &str| succeed(&folder, &format!("noise {name} -m laplace-l2 -e inf -q --format jsonl"));
    assert!(first("a.jsonl").contains("embedding"));
}

/// A bad row stops the run. After it is corrected, the run resumes after the finished rows.
#[test]
fn an_embedding_resumes_after_a_bad_row_was_corrected() {
    let folder = ready();
    succeed(&folder, "vector embed texts.jsonl -o whole.jsonl -q");
    let rows = texts();
    let lines: Vec<&str> = rows.lines().collect();
    let with_bad = |bad| [&lines[..200], &[bad], &lines[201..]].concat().join("\n");
    folder.write("rows.jsonl", with_bad("no object"));
    let embed = "vector embed rows.jsonl -o out.jsonl -q";
    let failed = folder.run(embed);
    assert!(failed.contains("exit 1") && failed.contains("rows.jsonl: row 201: not valid jsonl"), "{failed}");
    assert!(failed.contains("is kept in out.jsonl.inkveil-job") && failed.contains("--resume"), "{failed}");
    assert!(!folder.path("out.jsonl").exists());
    // The row is an object now, but it has a field of that name already.
    folder.write("rows.jsonl", with_bad("{\"text\": \"a\", \"embedding\": 1}"));
    let failed = folder.run(&format!("{embed} --resume"));
    assert!(failed.contains("row 201: there is a field"), "{failed}");
    // A crash may leave a vector or a checksum that is only half written.
    for name in ["out.jsonl.inkveil-job/vectors.f32", "out.jsonl.inkveil-job/texts.sha256"] {
        let mut bytes = folder.read(name);
        bytes.extend_from_slice(&[7; 21]);
        folder.write(name, bytes);
    }
    // The row was corrected on a system with other line ends.
    folder.write("rows.jsonl", rows.replace('\n', "\r\n"));
    succeed(&folder, &format!("{embed} --resume"));
    assert!(
        folder.read("out.jsonl") == folder.read("whole.jsonl"),
        "other bytes than without an interruption"
    );
    assert!(!folder.path("out.jsonl.inkveil-job").exists());
}

#[test]
fn an_embedding_does_not_resume_with_other_texts_or_settings() {
    let folder = ready();
    let embed = "vector embed rows.jsonl -o out.jsonl -q";
    folder.write("rows.jsonl", texts() + "no object\n");
    assert!(folder.run(embed).contains("row 241"));
    let size = folder.read("out.jsonl.inkveil-job/vectors.f32").len();
    let refused = |line: &str, said: &str| {
        let run = folder.run(line);
        assert!(run.contains("exit 1") && run.contains(said), "{run}");
        // Finished vectors are not lost by trying.
        assert_eq!(folder.read("out.jsonl.inkveil-job/vectors.f32").len(), size);
    };
    let resume = format!("{embed} --resume");
    let changed = "the input changed since the release was interrupted";
    folder.write("rows.jsonl", texts().replacen("somebody", "nobody", 1));
    refused(&resume, changed);
    folder.write("rows.jsonl", texts().lines().take(100).collect::<Vec<_>>().join("\n"));
    refused(&resume, changed);
    folder.write("rows.jsonl", texts());
    refused(&format!("{resume} --column key"), "other settings");
    folder.write("out.jsonl.inkveil-job/job.json", "{}");
    refused(&resume, "damaged");
}

/// Ctrl-C while a pipe is still open: neither an output nor a receipt nor anything temporary.
#[cfg(unix)]
#[test]
fn an_interrupted_veil_leaves_nothing() {
    use std::io::Write as _;
    let folder = Folder::new();
    let mut child = folder.start("vector apply -o out.jsonl -m laplace-l2 -e 100");
    let mut stdin = child.stdin.take().unwrap();
    // More than a batch, so that some of it is written when the signal comes.
    let rows = format!("{{\"embedding\": {:?}}}\n", vec![0.25_f32; 64]).repeat(20_000);
    stdin.write_all(rows.as_bytes()).unwrap();
    stdin.flush().unwrap();
    while folder.names().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn mistakes_are_named() {
    let folder = ready();
    folder
        .write("few.txt", "Ana came\nnobody came\n")
        .write("ragged.jsonl", "{\"embedding\": [1.0, 2.0]}\n{\"embedding\": [1.0]}\n")
        .write("nan.jsonl", "{\"embedding\": [1.0, 2.0]}\n{\"embedding\": [1.0, NaN]}\n")
        .write("two.jsonl", "{\"embedding\": [1.0, 2.0]}\n{\"embedding\": [2.0, 1.0]}\n")
        .write("no.mask", "not a mask")
        .write("nothing.txt", "")
        .write("has.jsonl", "{\"text\": \"a\", \"embedding\": [1]}\n")
        .write("empty.toml", "[[concept]]\nname = \"x\"\n");
    succeed(&folder, "vector embed texts.jsonl -o vectors.jsonl -q");
    succeed(
        &folder,
        "vector fit texts.jsonl --words-file people.txt -o people.mask --method mask --epochs 2 --lambda 0 -q",
    );
    succeed(&folder, "vector fit texts.jsonl --words-file people.txt -o erased.mask -q");
    // The same vectors, said to be another encoder's.
    let note = String::from_utf8(folder.read("vectors.jsonl.encoder.json")).unwrap();
    folder.write("other.jsonl", folder.read("vectors.jsonl"));
    folder.write(
        "other.jsonl.encoder.json",
        note.replace("\"en\"", "\"mpnet\"").replace("\"sha256\": \"", "\"sha256\": \"0"),
    );
    let mut all = String::new();
    for line in [
        "vector fit few.txt --words-file people.txt -o x.mask",
        "vector fit texts.jsonl -o x.mask",
        "vector fit texts.jsonl --word nowhere -o x.mask",
        "vector fit texts.jsonl --pattern ( -o x.mask",
        "vector fit texts.jsonl --kind persn -o x.mask",
        "vector fit texts.jsonl --concepts empty.toml -o x.mask",
        "vector fit texts.jsonl --label-column text -o x.mask",
        "vector fit texts.jsonl --words-file people.txt -o people.mask",
        "vector fit texts.jsonl --words-file people.txt -o x.mask --method mask --lambda 10 --gate-rate 0.5 --epochs 20 -q",
        "vector fit texts.jsonl --words-file people.txt -o x.mask --lambda 10",
        "vector fit texts.jsonl --words-file people.txt -o x.mask --min-count 1000 -q",
        "vector apply two.jsonl -o x.jsonl --mask people.mask -e 10",
        "vector apply two.jsonl -o x.jsonl --mask no.mask -e 10",
        "vector apply other.jsonl -o x.jsonl --mask people.mask -e 10",
        "vector apply vectors.jsonl -o x.jsonl -e 10",
        "vector apply vectors.jsonl -o x.jsonl --mask people.mask -m erase -e 10",
        "vector apply vectors.jsonl -o x.jsonl --mask people.mask --axes 5 -e 10",
        "vector apply vectors.jsonl -o x.jsonl --mask erased.mask -m mahalanobis -e 10",
        "vector apply vectors.jsonl -o x.jsonl --mask erased.mask --floor 0.2 -e 10",
        "vector apply vectors.jsonl -o x.jsonl --mask people.mask -e 0",
        "vector apply vectors.jsonl -o x.jsonl --mask people.mask -e 10 --floor 2",
        "vector apply vectors.jsonl -o x.jsonl -m laplace-l2 -e 10 --floor 0.5",
        "vector apply vectors.jsonl -o x.jsonl -m laplace-l2 -e 10 --after shrink",
        "vector apply ragged.jsonl -o x.jsonl -m laplace-l2 -e 10",
        "vector apply nan.jsonl -o x.jsonl -m laplace-l2 -e 10",
        "attack vector two.jsonl two.jsonl --texts few.txt --word ana",
        "attack vector vectors.jsonl two.jsonl --texts texts.jsonl --word ana",
        "vector inspect no.mask",
        "vector embed nowhere.txt -o x.npy",
        "vector embed nothing.txt -o x.jsonl",
        "vector embed texts.jsonl -o x.doc",
        "vector embed texts.jsonl --column body -o x.npy",
        "vector embed texts.jsonl -o x.npy --resume",
        "vector embed texts.jsonl -o y.jsonl --resume",
        "vector embed has.jsonl -o z.jsonl",
    ] {
        let run = folder.run(line);
        assert!(!run.contains("exit 0"), "{run}");
        all += &run;
        all += "\n";
    }
    assert!(folder.names().iter().all(|name| !name.starts_with(['x', 'y', 'z'])), "{:?}", folder.names());
    assert_snapshot!("vector-refused", all);
}

#[test]
fn help_has_examples() {
    let folder = Folder::new();
    for command in ["vector embed", "vector fit", "vector apply", "vector inspect", "attack vector"] {
        let run = succeed(&folder, &format!("{command} --help"));
        assert!(run.contains("Examples:"), "{run}");
    }
}
