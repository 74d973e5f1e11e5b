//! `inkveil text` with the pack that comes along. What runs say is pinned where everything that it depends on is named in the flags.

use std::io::{Read as _, Write as _};
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::Folder;

pub(crate) const TEXT: &str =
    "Dear Dr Mirela Kovalenko, my left knee hurts since Monday. Call me at +44 20 7946 0958.";
pub(crate) const TASK: &str = "What helps against a sore knee?";

/// What a run shows.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `inkveil text` with the words of `flags`, and then `more` as they are.
pub(crate) fn text(folder: &Folder, flags: &str, more: &[&str]) -> Run {
    text_with(folder, flags, more, "")
}

fn text_with(folder: &Folder, flags: &str, more: &[&str], stdin: impl Into<Vec<u8>>) -> Run {
    let mut command = folder.command();
    command
        .arg("text")
        .args(flags.split_whitespace())
        .args(more)
        .env_remove("INKVEIL_API_KEY")
        .write_stdin(stdin);
    let output = command.output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Run {
    /// The run, if it went well.
    pub(crate) fn good(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    fn shown(&self) -> String {
        format!("exit {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// Everything that an output depends on.
const FIXED: &str = "--insecure-seed 7 --lexicon subword --task-vector tokens --quantile 0.9 --epsilon 30";

#[test]
fn an_explanation_says_what_became_of_every_word() {
    let folder = Folder::new();
    let run = text(&folder, FIXED, &["--explain", "--task", TASK, TEXT]).good();
    assert!(!run.stdout.contains("Kovalenko") && !run.stdout.contains("7946"));
    assert!(!run.stderr.contains('\u{1b}'), "no colours where nobody sees them");
    assert_snapshot!("text-explain", run.shown());
    let untold = text(&folder, FIXED, &["--task", TASK, TEXT]).good();
    assert_eq!(untold.stdout, run.stdout, "an explanation changes nothing");
    assert_eq!(untold.stderr, "warning: noise from a fixed seed protects nothing; use it for tests only\n");
}

#[test]
fn without_a_task_nothing_is_needed_and_the_reader_is_told() {
    let run =
        text(&Folder::new(), "--insecure-seed 7 --lexicon words --budgets 30,0,60,40 --explain", &[TEXT])
            .good();
    assert!(run.stderr.contains("There is no task") && run.stderr.contains("--task"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("3 needed").count(), 1, "in the legend only: {}", run.stderr);
}

/// Infinite budgets keep every byte, wherever a text comes from.
#[test]
fn infinite_budgets_keep_every_byte() {
    let folder = Folder::new();
    let odd = " Ana's  caf\u{e9}:\t\"na\u{ef}ve\"\r\n\r\n\u{200b}\u{1f642} 12,5\u{a0}\u{20ac} \u{4f60}\u{597d} <b>&amp;\n no end";
    let keep = "--budgets inf,inf,inf,inf";
    folder.write("odd.txt", odd);
    assert_eq!(text(&folder, keep, &[TEXT]).good().stdout, format!("{TEXT}\n"));
    assert_eq!(text(&folder, keep, &["two", "words"]).good().stdout, "two words\n");
    for flags in ["--file odd.txt", "--file odd.txt --lines", "", "-", "--file -", "--lines"] {
        let run = text_with(&folder, &format!("{keep} {flags}"), &[], odd).good();
        assert_eq!(run.stdout, odd, "{flags}");
        assert_eq!(run.stderr, "");
    }
    assert_eq!(text_with(&folder, keep, &[], "").good().stdout, "");
    assert_eq!(text_with(&folder, &format!("{keep} --lines"), &[], "").good().stdout, "");
}

/// Every set of flags must be understood, and give a text without further words.
fn give_a_text(choices: &[&str]) {
    let folder = Folder::new();
    for flags in choices {
        let run = text(&folder, flags, &["--quiet", "--task", TASK, TEXT]).good();
        assert!(run.stdout.trim().len() > 10, "{flags}: {}", run.stdout);
        assert_eq!(run.stderr, "", "{flags}");
    }
}

#[test]
fn every_mechanism_that_turns_or_shifts_can_be_chosen() {
    give_a_text(&[
        "--epsilon 40 --mechanism polar --calibration pure",
        "--epsilon 40 --mechanism polar-radial --calibration reference",
        "--epsilon 20 --mechanism purkayastha",
        "--epsilon 20 --mechanism mahalanobis",
        "--epsilon 20 --mechanism laplace-l2",
        "--uniform 60 --mechanism laplace-l1 --nearest-by euclidean",
    ]);
}

#[test]
fn every_mechanism_that_draws_by_distance_can_be_chosen() {
    give_a_text(&[
        "--epsilon 4 --mechanism exponential",
        "--epsilon 9 --mechanism tem --lexicon words",
        "--epsilon 4 --mechanism randomized-response",
    ]);
}

#[test]
fn everything_else_can_be_chosen() {
    give_a_text(&[
        "--budgets 30,0,60,40 --tier rules --at-zero drop --identifiers noise",
        "--epsilon 30 --tier accurate --punctuation noise --casing vocabulary --threshold 0.4",
        "--epsilon 30 --at-zero mask --punctuation keep --casing original --task second --task-vector weighted",
        "--epsilon 30 --grouping public --lexicon words --quantile 0.8 --task-vector sentence",
        "--preset paper-1 --as-published",
        "--preset paper-5 --pack en --grouping text --task-vector tokens --identifiers replace",
    ]);
}

#[test]
fn surrogates_are_fresh_values() {
    let run = text(&Folder::new(), "--budgets 0,0,inf,inf --at-zero surrogate --quiet", &[TEXT]).good();
    let kept = ["Dear ", ", my left knee hurts since ", ". Call me at ", ".\n"];
    let mut rest = run.stdout.as_str();
    for part in kept {
        let (before, after) = rest.split_once(part).unwrap_or_else(|| panic!("{}", run.stdout));
        assert!(part == "Dear " || !before.trim().is_empty(), "{}", run.stdout);
        rest = after;
    }
    for word in ["Mirela Kovalenko", "["] {
        assert!(!run.stdout.contains(word), "{}", run.stdout);
    }
}

/// A pack with curves of its own, so that presets do not change when curves are measured anew.
#[cfg(unix)]
fn pack_with_curves(folder: &Folder) {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/en");
    std::fs::create_dir(folder.path("pack")).unwrap();
    for entry in std::fs::read_dir(models.canonicalize().unwrap()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "manifest.json" && entry.file_name() != "veil.json" {
            std::os::unix::fs::symlink(entry.path(), folder.path("pack").join(entry.file_name())).unwrap();
        }
    }
    let point = |epsilon: f64, survival: f64| serde_json::json!({ "epsilon": epsilon, "survival": survival, "distinct": 9.0, "cosine": 0.5, "attack": survival });
    let curve =
        [point(20.0, 0.01), point(60.0, 0.2), point(90.0, 0.6), point(120.0, 0.95), point(200.0, 1.0)];
    let lexicon = serde_json::json!({ "threshold": { "quantile": 0.9 }, "curves": { "polar": curve } });
    let notes =
        serde_json::json!({ "format": 1, "default_lexicon": "subword", "lexicons": { "subword": lexicon } });
    folder.write("pack/veil.json", notes.to_string());
}

#[cfg(unix)]
#[test]
fn goals_become_budgets_by_the_curves_of_the_pack() {
    let folder = Folder::new();
    pack_with_curves(&folder);
    let epsilons = |flags: &str| -> Vec<String> {
        let run =
            text(&folder, &format!("--pack ./pack --dry-run --json {flags}"), &["--task", TASK, TEXT]).good();
        let cost: Value = serde_json::from_str(&run.stdout).unwrap();
        cost["groups"].as_array().unwrap().iter().map(|group| group["epsilon"].to_string()).collect()
    };
    assert_eq!(epsilons(""), ["0.0", "0.0", "\"inf\"", "\"inf\""]);
    assert_eq!(epsilons(""), epsilons("--preset prompt"));
    let strict = epsilons("--preset strict");
    assert_eq!(strict[..2], ["0.0", "0.0"]);
    // Group 1 gets what lets a fifth survive, the others follow by 2 : 1 : 4 : 3.
    assert_eq!(epsilons("--target-survival 0.2"), ["60.0", "30.0", "120.0", "90.0"]);
    let refused = text(&folder, "--pack ./pack --preset strict --mechanism tem", &[TEXT]);
    assert!(
        refused.code == 1
            && refused.stderr.contains("the mechanism tem")
            && refused.stderr.contains("`inkveil curves`"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_settings_file_is_overridden_by_flags() {
    let folder = Folder::new();
    folder.write(
        "inkveil.toml",
        "[text]\ntasks = [\"knee\"]\nbudgets = [\"inf\", 0, \"inf\", \"inf\"]\nat-zero = \"drop\"\n",
    );
    folder.write("wrong.toml", "[text]\npreset = \"strcit\"\n");
    let dropped = text(&folder, "--config inkveil.toml", &[TEXT]).good().stdout;
    assert!(
        !dropped.contains("Kovalenko")
            && !dropped.contains("[person]")
            && dropped.contains("my left knee hurts")
    );
    let masked = text(&folder, "--config inkveil.toml --at-zero mask", &[TEXT]).good().stdout;
    assert!(masked.contains("[person]"), "{masked}");
    let wrong = text(&folder, "--config wrong.toml", &[TEXT]);
    assert!(wrong.code == 1 && wrong.stderr.contains("wrong.toml:2:10"), "{}", wrong.stderr);
}

/// With `--shape kind`, originals of one kind have the same surrogate under the same seed.
#[test]
fn the_shape_decides_how_much_of_a_format_is_kept() {
    let folder = Folder::new();
    let veiled = |shape: &str, code: &str| {
        let flags = format!("--insecure-seed 7 --budgets 0,0,inf,inf --at-zero surrogate --shape {shape}");
        text(&folder, &flags, &[&format!("The order number is {code} today.")]).good().stdout
    };
    assert_eq!(veiled("kind", "INV-2020-7"), veiled("kind", "dQw4w9WgXcQ77"));
    assert_ne!(veiled("coarse", "INV-2020-7"), veiled("coarse", "dQw4w9WgXcQ77"));
    assert_eq!(veiled("coarse", "INV-2020-7"), veiled("coarse", "ABCD-991-42"));
    assert_ne!(veiled("exact", "INV-2020-7"), veiled("exact", "ABCD-991-42"));
    let refused = text(&folder, "--preset strict --shape kind", &["Ask Ana."]);
    assert!(refused.code != 0 && refused.stderr.contains("--at-zero surrogate"), "{}", refused.stderr);
}

#[test]
fn json_has_the_text_the_receipt_and_the_units() {
    let folder = Folder::new();
    let lines = format!("{TEXT}\n\nNothing to see.\r\n");
    let run = text_with(&folder, "--budgets 30,0,60,40 --lines --json", &["--task", TASK], lines).good();
    let documents: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<u64> = documents.iter().map(|document| document["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(documents[1]["text"], "");
    assert!(documents.iter().all(|document| document.get("units").is_none()));
    assert!(documents[0]["text"].as_str().unwrap().contains("[person]"));
    folder.write("receipt.json", documents[0]["receipt"].to_string());
    assert!(folder.run("receipt verify receipt.json").contains("exit 0"));

    let run = text(&folder, &format!("{FIXED} --json --explain"), &["--task", TASK, TEXT]).good();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let text = document["text"].as_str().unwrap();
    let mut at = 0;
    for unit in document["units"].as_array().unwrap() {
        let [start, end] = [0, 1].map(|side| usize::try_from(unit["range"][side].as_u64().unwrap()).unwrap());
        assert!(at <= start && start < end, "{unit}");
        at = end;
        assert!(text.contains(unit["replacement"].as_str().unwrap()), "{unit}");
        assert!((1..=4).contains(&unit["group"].as_u64().unwrap()));
        let treatment = unit["treatment"].as_str().unwrap();
        assert_eq!(treatment == "replaced", unit["epsilon"] == 0.0 && unit.get("why").is_some(), "{unit}");
        let phone = TEXT[start..end].starts_with('+');
        assert_eq!(phone, unit["kind"] == "phone" && unit["why"] == "identifier", "{unit}");
    }
    assert!(run.stderr.contains("veiled ") && !run.stderr.contains("treatment"));
}

#[test]
fn a_dry_run_spends_and_writes_nothing() {
    let folder = Folder::new();
    folder.write("letter.txt", TEXT);
    let flags = "--budgets 30,0,60,40 --lexicon subword --task-vector tokens --quantile 0.9 --file letter.txt --dry-run \
                 -o out.txt --receipt r.json --explain-html why.html";
    let run = text(&folder, flags, &["--task", TASK]).good();
    assert_eq!(folder.names(), ["letter.txt"]);
    assert_snapshot!("text-dry-run", run.shown());
    let explained = text(&folder, flags, &["--task", TASK, "--explain"]).good();
    assert_eq!(explained.stdout, run.stdout);
    assert!(explained.stderr.contains("to be noised") && explained.stderr.contains("to be replaced"));
    let json = text(&folder, flags, &["--task", TASK, "--explain", "--json"]).good();
    let cost: Value = serde_json::from_str(&json.stdout).unwrap();
    let units = cost["units"].as_array().unwrap();
    let words = units.iter().filter(|unit| unit["treatment"] != "punctuation").count() as u64;
    let counted: u64 =
        cost["groups"].as_array().unwrap().iter().map(|group| group["units"].as_u64().unwrap()).sum();
    assert_eq!(counted, words);
    assert!(units.iter().all(|unit| unit.get("replacement").is_none()));
}

#[test]
fn a_page_stands_by_itself_and_nothing_of_a_text_is_markup() {
    let folder = Folder::new();
    let hostile =
        "Mirela Kovalenko wrote <script>alert('1')</script> & \"quoted\" <img src=x onerror=y>\nline two";
    let lines = format!("{hostile}\n{TEXT}\n");
    let run =
        text_with(&folder, "--epsilon 30 --lines --explain-html why.html", &["--task", TASK], lines).good();
    assert!(run.stderr.contains("private: why.html holds the original"), "{}", run.stderr);
    let page = String::from_utf8(folder.read("why.html")).unwrap();
    check_tags(&page);
    assert!(!page.contains("<script") && !page.contains("<img"));
    for outside in ["http:", "https:", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    for word in
        [">knee<", "Private.", "group 2 sensitive", "(tagger fast)", ">Receipt<", "prefers-color-scheme"]
    {
        assert!(page.contains(word), "{word}");
    }
    assert_eq!(page.matches("<article>").count(), 3);
    assert_eq!(page.matches("<h2>Line ").count(), 3);
    // The same words on standard output, whatever is said about them.
    assert_eq!(
        text_with(&folder, "--uniform inf --explain-html all.html", &[], hostile).good().stdout,
        hostile
    );
    check_tags(std::str::from_utf8(&folder.read("all.html")).unwrap());
}

/// That every tag is closed, in order.
pub(crate) fn check_tags(page: &str) {
    let mut open = Vec::new();
    for part in page.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap();
        assert!(!tag.contains('<'));
        let name: String = tag.chars().take_while(|c| !c.is_whitespace()).collect();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
            None if ["!doctype", "meta"].contains(&name.as_str()) => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn refusals_say_what_to_do() {
    let folder = Folder::new();
    folder.write("letter.txt", TEXT).write("latin.txt", b"caf\xe9\n");
    let refused = [
        "letter.txt",
        "--file absent.txt",
        "--file .",
        "--file latin.txt --epsilon 1",
        "--file letter.txt -o letter.txt",
        "--file letter.txt -o a.txt --receipt a.txt",
        "--file letter.txt --receipt -",
        "--file letter.txt --explain-html -",
        "--file letter.txt --json --explain -o a.txt",
        "--file letter.txt -o absent/a.txt --epsilon 1",
        "--file letter.txt words",
        "--epsilon 3 --preset strict x",
        "--epsilon -3 x",
        "--budgets 1,2,3 x",
        "--target-survival 2 x",
        "--threshold 0.5 --quantile 0.5 x",
        "--threshold 0.5 x",
        "--mechanism tem --calibration pure x",
        "--mechanism laplace x",
        "--at-zero fill --epsilon 1 x",
        "--at-zero fill --epsilon 1 --model absent x",
        "--model absent x",
        "--pack absent x",
        "--config absent.toml x",
        "--grouping public --tier fast x",
        "--repair http://127.0.0.1:9/v1 x",
        "--repair absent --epsilon 1 x",
        "--repair-model absent x",
        "--task-vector sentence --lexicon subword --epsilon 1 --task t x",
    ];
    let runs = refused.map(|flags| {
        let run = text(&folder, flags, &[]);
        assert!(run.code != 0 && run.stdout.is_empty(), "{flags}: {}", run.shown());
        format!("$ inkveil text {flags}\nexit {}\n{}", run.code, run.stderr)
    });
    assert_eq!(folder.names(), ["latin.txt", "letter.txt"]);
    assert_snapshot!("text-refused", runs.join("\n"));
}

/// An error never repeats a text.
#[test]
fn no_text_in_messages() {
    let folder = Folder::new();
    for flags in [
        "--pack absent",
        "--file",
        "--epsilon 1 -o absent/a",
        "--nonsense",
        "--budgets 1 --",
        "--at-zero fill",
    ] {
        let run = text(&folder, flags, &["Kovalenko has a sore knee"]);
        assert!(run.code != 0, "{flags}");
        assert!(!run.stderr.contains("Kovalenko") || flags == "--file", "{flags}: {}", run.stderr);
    }
    let dashed = text(&folder, "", &["--Kovalenko has a knee"]);
    assert!(dashed.code == 2 && !dashed.stderr.contains("Kovalenko"), "{}", dashed.stderr);
    let quiet = text(&folder, "--epsilon 30", &[TEXT]).good();
    assert_eq!(quiet.stderr, "", "nothing is said where nobody looks");
}

#[test]
fn a_fixed_seed_repeats_and_is_told_of() {
    let folder = Folder::new();
    let run = |flags: &str| text(&folder, flags, &["--json", "--task", TASK, TEXT]).good();
    let (first, again) = (run(FIXED), run(FIXED));
    assert_eq!(first.stdout, again.stdout);
    assert!(first.stderr.starts_with("warning: ") && first.stdout.contains("\"secure\":false"));
    assert_ne!(first.stdout, run(&FIXED.replace("seed 7", "seed 8")).stdout);
}

/// A reader who follows a log sees each line as it is written, not when the log ends.
#[test]
fn lines_are_veiled_as_they_come() {
    let folder = Folder::new();
    let mut child = folder.start("text --lines --uniform inf");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"first\n").unwrap();
    let mut answer = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"first\n");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// `| head` ends a run quietly.
#[cfg(unix)]
#[test]
fn a_reader_that_has_enough_is_no_error() {
    let folder = Folder::new();
    folder.write("many.txt", "Some words in a line.\n".repeat(5_000));
    let mut child = folder.start("text --lines --tier rules --uniform inf --file many.txt");
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Ctrl-C while a pipe is still open: exit 130, no output, no receipt, no page, no temporary file.
#[cfg(unix)]
#[test]
fn an_interruption_leaves_nothing() {
    let folder = Folder::new();
    let mut child = folder.start("text --lines --uniform inf -o out.txt --explain-html why.html");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"one line\n").unwrap();
    // Wait until the temporary files show that the work has begun.
    while folder.names().len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn help() {
    assert_snapshot!("text-help", Folder::new().run("text --help"));
}

#[test]
fn doubtful_places_are_listed_and_decisions_are_applied() {
    let folder = Folder::new();
    let write = |name: &str, content: &str| {
        folder.write(name, content);
    };
    write("letter.txt", "The only doctor in Trnava is Ana Novak.\n");
    let listed = text(&folder, "--file letter.txt --review=list", &[]).good().stdout;
    let places: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let only = places.iter().find(|place| place["start"] == 4).unwrap();
    assert_eq!((only["end"].as_u64(), only["proposal"].as_str()), (Some(8), Some("keep")));
    assert!(!listed.contains("Trnava") && !listed.contains("Novak"), "{listed}");

    let decisions = "{\"text\": \"Ana Novak\", \"action\": \"keep\"}\n{\"start\": 9, \"end\": 15, \"action\": \"replace\"}\n";
    write("decisions.jsonl", decisions);
    text(&folder, "--file letter.txt -o veiled.txt --decisions decisions.jsonl -q", &[]).good();
    let read = |name: &str| String::from_utf8(folder.read(name)).unwrap();
    let (veiled, receipt) = (read("veiled.txt"), read("veiled.txt.receipt.json"));
    assert!(veiled.contains("Ana Novak") && !veiled.contains("doctor"), "{veiled}");
    assert!(receipt.contains("what the user kept") && !receipt.contains("Novak"), "{receipt}");

    write("decisions.jsonl", "{\"text\": \"Ana Novak\", \"action\": \"kepe\"}\n");
    let wrong = text(&folder, "--file letter.txt --decisions decisions.jsonl", &[]);
    assert_eq!(wrong.code, 1);
    assert!(
        wrong.stderr.contains("decisions.jsonl: row 1") && !wrong.stderr.contains("Novak"),
        "{}",
        wrong.stderr
    );
}
