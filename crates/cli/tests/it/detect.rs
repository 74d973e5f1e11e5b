//! `inkveil detect` with the tier rules, which needs no pack. Most runs use rules of a settings file, so that
//! they do not depend on the built-in rules.

use std::io::{Read as _, Write as _};

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::Folder;

/// Finds only herons and tickets.
const SETTINGS: &str = r#"
[detect]
tier = "rules"
kinds = ["ticket", "bird"]
deny = [{ text = "Blue Heron", kind = "bird" }]

[[detect.rule]]
name = "ticket-number"
kind = "ticket"
pattern = '\bT-\d{4}\b'
score = 0.8
context = ["ticket"]
"#;

const LETTER: &str = "\
Ticket T-1234 is about the blue heron.
Smile 😀, é: T-5678\r
<b>Nothing & \"no one\"</b>
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("veil.toml", SETTINGS).write("letter.txt", LETTER).write("none.txt", "Nothing here.\n");
    folder
}

#[test]
fn all_formats() {
    let folder = folder();
    for (name, flags) in [
        ("text", ""),
        ("explain", "--explain"),
        ("places", "--format places"),
        ("jsonl", "--format jsonl"),
        ("csv", "--format csv"),
        ("with-text", "--format csv --with-text"),
        ("html", "--format html"),
        ("mask", "--mask"),
        ("summary", "--summary"),
        ("summary-jsonl", "--summary --format jsonl"),
        ("summary-csv", "--summary --format csv"),
    ] {
        let run = folder.run(&format!("detect --config veil.toml --file letter.txt none.txt {flags}"));
        assert!(run.contains("exit 0") && run.ends_with("--- stderr\n"), "{run}");
        assert_snapshot!(format!("detect-{name}"), run);
    }
}

#[test]
fn every_line_is_a_text_with_lines() {
    let folder = folder();
    let runs =
        ["", "--format jsonl", "--format csv", "--format places", "--mask", "--summary --format jsonl"]
            .map(|flags| folder.run_with(&format!("detect --config veil.toml --lines {flags}"), LETTER));
    assert_snapshot!("detect-lines", runs.join("\n"));
}

#[test]
fn texts_from_the_command_line_and_standard_input() {
    let folder = folder();
    let texts = [
        folder.run("detect --config veil.toml ticket:T-1234"),
        folder.run("detect --config veil.toml the ticket T-1234, and the blue heron"),
        folder.run("detect --config veil.toml ticket:T-1234 --mask"),
        folder.run("detect --config veil.toml ticket:T-1234 --format jsonl"),
        folder.run("detect --config veil.toml ticket:T-1234 --check"),
        folder.run_with("detect --config veil.toml - --format jsonl --with-text", "T-1234"),
        folder.run_with("detect --config veil.toml --file - letter.txt --format places", "T-0000"),
        folder.run_with("detect --config veil.toml --format jsonl", ""),
        folder.run_with("detect --config veil.toml --format jsonl --lines", ""),
    ];
    assert_snapshot!("detect-inputs", texts.join("\n"));
}

#[test]
fn built_in_rules_and_kinds() {
    let folder = Folder::new();
    let text = "Mail ana@example.org, or pay to GB82 WEST 1234 5698 7654 32.";
    let kinds = |flags: &str| -> Vec<String> {
        let run = folder
            .command()
            .args(["detect", "--tier", "rules", "--format", "jsonl", text])
            .args(flags.split_whitespace())
            .output();
        let found: Value = serde_json::from_slice(&run.unwrap().stdout).unwrap();
        found["spans"]
            .as_array()
            .unwrap()
            .iter()
            .map(|span| span["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(kinds(""), ["email", "iban"]);
    assert_eq!(kinds("--kind iban,phone"), ["iban"]);
    assert_eq!(kinds("--ignore-kind email,url"), ["iban"]);
    assert_eq!(kinds("--kind phone"), [""; 0]);
    folder.write("quiet.toml", "[detect]\nignore-kinds = [\"iban\", \"email\"]");
    assert!(kinds("--config quiet.toml").iter().all(|kind| kind != "iban" && kind != "email"));
    assert_eq!(kinds("--config quiet.toml --kind iban"), ["iban"]);
    assert_eq!(kinds("--config quiet.toml --kind iban,email --ignore-kind iban"), ["email"]);
    let list = folder.run("detect --list --tier rules");
    for line in ["\nperson\t", "\nemail\temail\t", "\niban\tiban\t"] {
        assert!(list.contains(line), "{list}");
    }
    assert!(!folder.run("detect --list --tier rules --kind iban").contains("\nemail\t"));
}

#[test]
fn inkveil_toml_in_the_current_folder_is_used() {
    let folder = Folder::new();
    folder.write("inkveil.toml", SETTINGS).write("letter.txt", LETTER);
    let found = folder.run("detect --mask --file letter.txt");
    assert!(found.contains("[TICKET]") && found.contains("note: settings from inkveil.toml"), "{found}");
    let quiet = folder.run("detect --mask --quiet --file letter.txt");
    assert!(quiet.contains("[TICKET]") && quiet.ends_with("--- stderr\n"), "{quiet}");
    folder.write("other.toml", "[detect]\ntier = \"rules\"\n");
    assert!(!folder.run("detect --mask --config other.toml --file letter.txt").contains("[TICKET]"));
    folder.write("inkveil.toml", "[text]\npack = \"no-such-pack\"\n");
    assert!(folder.run("detect x").contains("no-such-pack"));
    assert!(!folder.run("detect --pack other-pack x").contains("no-such-pack"));
}

#[test]
fn check_has_different_exit_codes_for_findings_and_errors() {
    let folder = folder();
    let code = |line: &str| folder.command().args(line.split_whitespace()).output().unwrap().status.code();
    assert_eq!(code("detect --config veil.toml --check --file none.txt"), Some(0));
    assert_eq!(code("detect --config veil.toml --check --file none.txt letter.txt"), Some(1));
    assert_eq!(code("detect --config veil.toml --check --file absent.txt"), Some(2));
    assert_eq!(code("detect --config absent.toml --check --file none.txt"), Some(2));
    assert_eq!(code("detect --config veil.toml --check --fiel none.txt"), Some(2));
    assert_eq!(code("detect --config veil.toml --file letter.txt"), Some(0));
    let runs = [
        "detect --config veil.toml --check --quiet --file letter.txt",
        "detect --config veil.toml --check --mask --file letter.txt",
        "detect --config veil.toml --check --summary --file letter.txt",
    ];
    assert_snapshot!("detect-check", runs.map(|line| folder.run(line)).join("\n"));
}

#[test]
fn invalid_runs_are_refused() {
    let folder = folder();
    folder
        .write("bad.txt", b"fine\nnot \xff 987\n")
        .write("wide.txt", b"\xff\xfeh\0i\0")
        .write("out.txt", "mine");
    folder.write(
        "bad.toml",
        "[detect]\nteir = \"rules\"\nkinds = [\"emial\"]\n\n[[detect.rule]]\nname = \"x\"\nkind = \"x\"\npattern = '('\n",
    );
    folder.write("top.toml", "tier = \"rules\"\n");
    std::fs::create_dir(folder.path("sub")).unwrap();
    let lines = [
        "detect --config bad.toml x",
        "detect --config absent.toml x",
        "detect --config top.toml x",
        "detect --tier rules --kind emial x",
        "detect --tier rules --ignore-kind date,weather x",
        "detect --tier slow x",
        "detect --threshold 1.5 x",
        "detect --tier rules letter.txt",
        "detect --tier rules x --file letter.txt",
        "detect --tier rules --file absent.txt",
        "detect --tier rules --file letter.txt absent.txt",
        "detect --tier rules --file sub",
        "detect --tier rules --file bad.txt --format places",
        "detect --tier rules --file wide.txt --format jsonl -o new.txt",
        "detect --tier rules --file letter.txt -o out.txt",
        "detect --tier rules --file letter.txt -o letter.txt --force",
        "detect --tier rules --file letter.txt -o sub",
        "detect --tier rules --file letter.txt -o no/such/folder.txt",
        "detect --tier rules --with-text x",
        "detect --tier rules --explain --format csv x",
        "detect --tier rules --summary --format html x",
        "detect --tier rules --mask --format csv x",
        "detect --tier rules --list x",
    ];
    let runs: Vec<String> = lines.iter().map(|line| folder.run(line)).collect();
    for run in &runs {
        assert!(run.contains("\nexit 2\n") && !run.contains("987"), "{run}");
    }
    insta::with_settings!({filters => vec![(r"(cannot create \S+): .*", "$1: [system message]")]}, {
        assert_snapshot!("detect-refused", runs.join("\n"));
    });
    assert_eq!(folder.read("letter.txt"), LETTER.as_bytes());
    assert_eq!(folder.read("out.txt"), b"mine");
    assert!(
        folder.names().iter().all(|name| name != "new.txt" && !name.starts_with('.')),
        "{:?}",
        folder.names()
    );
}

#[test]
fn an_output_file_is_complete_and_replaced_only_with_force() {
    let folder = folder();
    let line = "detect --config veil.toml --file letter.txt --mask -o out.txt";
    assert!(folder.run(line).contains("exit 0"));
    let masked =
        LETTER.replace("T-1234", "[TICKET]").replace("T-5678", "[TICKET]").replace("blue heron", "[BIRD]");
    assert_eq!(String::from_utf8(folder.read("out.txt")).unwrap(), masked);
    assert!(folder.run(line).contains("exit 2"));
    folder.write("out.txt", "old");
    assert!(folder.run(&format!("{line} --force")).contains("exit 0"));
    assert_eq!(String::from_utf8(folder.read("out.txt")).unwrap(), masked);
    assert_eq!(folder.names(), ["letter.txt", "none.txt", "out.txt", "veil.toml"]);
}

#[test]
fn errors_do_not_quote_a_text_that_looks_like_an_option() {
    let folder = folder();
    let long = "--ana-lima-and-her-friends-from-here";
    let texts = [
        "--call Ana Lima",
        "-Ana Lima",
        "--ana=Lima here",
        "--ana@example.org",
        "-ana",
        "--Ana",
        "--ana=lima",
        long,
    ];
    for text in texts {
        let output = folder.command().args(["detect", "--config", "veil.toml", text]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        assert!(!said.to_lowercase().contains("ana") && said.contains("after --"), "{said}");
        let run = folder.command().args(["detect", "--config", "veil.toml", "--", text]).output().unwrap();
        assert!(run.status.success());
    }
    for flag in ["--fiel", "-x"] {
        let run = folder.run(&format!("detect --config veil.toml --file=none.txt {flag}"));
        assert!(run.contains("\nexit 2\n") && run.contains(&format!("'{flag}'")), "{run}");
    }
}

/// A text of many pieces has places from its start, and masking changes nothing else.
#[test]
fn a_long_text_is_one_text() {
    let folder = folder();
    let mut text = String::new();
    for number in 0..12_000 {
        text.push_str(match number % 5 {
            0 => "A paragraph with é and 😀.\n\n",
            1 => "ticket T-1234\r\n",
            _ => "Words that say nothing much, ",
        });
    }
    assert!(text.len() > 4 << 16);
    folder.write("long.txt", &text);
    let found = folder
        .command()
        .args(["detect", "--config", "veil.toml", "--format", "jsonl", "--file", "long.txt"])
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let spans = found["spans"].as_array().unwrap();
    let expected: Vec<usize> = text.match_indices("T-1234").map(|(start, _)| start).collect();
    assert_eq!(spans.len(), expected.len());
    for (span, start) in spans.iter().zip(expected).step_by(97) {
        let before = &text[..start];
        assert_eq!(span["start"], start);
        assert_eq!(span["end"], start + 6);
        assert_eq!(span["char_start"], before.chars().count());
        assert_eq!(span["utf16_end"], before.encode_utf16().count() + 6);
    }
    let masked = folder
        .command()
        .args(["detect", "--config", "veil.toml", "--mask", "--file", "long.txt"])
        .output()
        .unwrap();
    assert!(String::from_utf8(masked.stdout).unwrap() == text.replace("T-1234", "[TICKET]"));
}

/// Returns a PEM key with a number of lines.
fn private_key(lines: usize) -> String {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
    format!("-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----", line.repeat(lines))
}

/// Pieces have at most 128 kB. A span across the end of a piece is neither lost nor cut.
#[test]
fn a_span_across_two_pieces_is_masked_completely() {
    const PIECE: usize = 128 << 10;
    let folder = Folder::new();
    let iban = "GB82 WEST 1234 5698 7654 32".to_owned();
    // The last one is longer than the text that a window shows after its piece.
    for (secret, kind) in [(iban, "[IBAN]"), (private_key(20), "[SECRET]"), (private_key(150), "[SECRET]")] {
        for part in [1, 4, 7] {
            let before = PIECE - part * secret.len() / 8;
            let filler = "said again and again, ".repeat(PIECE / 10);
            let text = format!("{}: {secret}, {}", &filler[..before - 2], &filler[..PIECE / 2]);
            folder.write("long.txt", &text);
            let run = folder.run("detect --tier rules --mask --file long.txt -o out.txt --force");
            assert!(run.contains("exit 0"), "{run}");
            let masked = String::from_utf8(folder.read("out.txt")).unwrap();
            assert!(
                masked == text.replace(&secret, kind),
                "{kind} of {} bytes, {part}/8 before",
                secret.len()
            );
        }
    }
}

/// The report follows a growing log line by line.
#[test]
fn lines_are_reported_as_they_arrive() {
    let folder = folder();
    let mut child = folder.start("detect --config veil.toml --lines --format places");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"see T-1234\n").unwrap();
    let mut answer = [0; 8];
    child.stdout.as_mut().unwrap().read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"-:1:5: t");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// `| head` ends a run without an error.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = folder();
    folder.write("many.txt", LETTER.repeat(20_000));
    let mut child = folder.start("detect --config veil.toml --file many.txt");
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Ctrl-C while a pipe is still open: exit 130, no output, no temporary file.
#[cfg(unix)]
#[test]
fn an_interruption_leaves_no_files() {
    let folder = folder();
    let before = folder.names();
    let mut child = folder.start("detect --config veil.toml --lines --format csv -o out.csv");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(LETTER.as_bytes()).unwrap();
    // The temporary file shows that the work has started.
    while folder.names() == before {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.names(), before);
}

#[test]
fn help() {
    assert_snapshot!("detect-help", Folder::new().run("detect --help"));
}

#[test]
fn the_default_pack_finds_names() {
    for tier in ["fast", "accurate"] {
        let output = assert_cmd::Command::cargo_bin("inkveil")
            .unwrap()
            .args(["detect", "--tier", tier, "Dear Mirela Kovalenko, see you in Gdansk."])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success());
        assert_eq!(text, "Dear [person: Mirela Kovalenko], see you in [location: Gdansk].\n", "{tier}");
    }
}
