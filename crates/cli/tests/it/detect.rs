//! `inkveil detect` with rules only: no model is needed. Most runs use rules of a settings file, so that they do not change when a
//! rule of ours becomes surer.

use std::io::{Read as _, Write as _};

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::Folder;

/// Finds herons and tickets, and nothing else.
const SETTINGS: &str = r#"
tier = "rules"
kinds = ["ticket", "bird"]
deny = [{ text = "Blue Heron", kind = "bird" }]

[[rule]]
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
fn every_format() {
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
        let run = folder.run(&format!("detect --settings veil.toml --file letter.txt none.txt {flags}"));
        assert!(run.contains("exit 0") && run.ends_with("--- stderr\n"), "{run}");
        assert_snapshot!(format!("detect-{name}"), run);
    }
}

#[test]
fn every_line_a_text() {
    let folder = folder();
    let runs =
        ["", "--format jsonl", "--format csv", "--format places", "--mask", "--summary --format jsonl"]
            .map(|flags| folder.run_with(&format!("detect --settings veil.toml --lines {flags}"), LETTER));
    assert_snapshot!("detect-lines", runs.join("\n"));
}

#[test]
fn texts_from_the_command_line_and_standard_input() {
    let folder = folder();
    let texts = [
        folder.run("detect --settings veil.toml ticket:T-1234"),
        folder.run("detect --settings veil.toml the ticket T-1234, and the blue heron"),
        folder.run("detect --settings veil.toml ticket:T-1234 --mask"),
        folder.run("detect --settings veil.toml ticket:T-1234 --format jsonl"),
        folder.run("detect --settings veil.toml ticket:T-1234 --check"),
        folder.run_with("detect --settings veil.toml - --format jsonl --with-text", "T-1234"),
        folder.run_with("detect --settings veil.toml --file - letter.txt --format places", "T-0000"),
        folder.run_with("detect --settings veil.toml --format jsonl", ""),
        folder.run_with("detect --settings veil.toml --format jsonl --lines", ""),
    ];
    assert_snapshot!("detect-inputs", texts.join("\n"));
}

/// The rules that come with the program, and flags that narrow them.
#[test]
fn rules_of_ours() {
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
    assert_eq!(kinds("--kinds iban,phone"), ["iban"]);
    assert_eq!(kinds("--ignore-kinds email,url"), ["iban"]);
    assert_eq!(kinds("--kinds phone"), [""; 0]);
    folder.write("quiet.toml", "ignore-kinds = [\"iban\", \"email\"]");
    assert!(kinds("--settings quiet.toml").iter().all(|kind| kind != "iban" && kind != "email"));
    assert_eq!(kinds("--settings quiet.toml --kinds iban"), ["iban"]);
    assert_eq!(kinds("--settings quiet.toml --kinds iban,email --ignore-kinds iban"), ["email"]);
    let list = folder.run("detect --list --tier rules");
    for line in ["\nperson\t", "\nemail\temail\t", "\niban\tiban\t"] {
        assert!(list.contains(line), "{list}");
    }
    assert!(!folder.run("detect --list --tier rules --kinds iban").contains("\nemail\t"));
}

#[test]
fn a_check_tells_findings_from_trouble() {
    let folder = folder();
    let code = |line: &str| folder.command().args(line.split_whitespace()).output().unwrap().status.code();
    assert_eq!(code("detect --settings veil.toml --check --file none.txt"), Some(0));
    assert_eq!(code("detect --settings veil.toml --check --file none.txt letter.txt"), Some(1));
    assert_eq!(code("detect --settings veil.toml --check --file absent.txt"), Some(2));
    assert_eq!(code("detect --settings absent.toml --check --file none.txt"), Some(2));
    assert_eq!(code("detect --settings veil.toml --check --fiel none.txt"), Some(2));
    assert_eq!(code("detect --settings veil.toml --file letter.txt"), Some(0));
    let runs = [
        "detect --settings veil.toml --check --quiet --file letter.txt",
        "detect --settings veil.toml --check --mask --file letter.txt",
        "detect --settings veil.toml --check --summary --file letter.txt",
    ];
    assert_snapshot!("detect-check", runs.map(|line| folder.run(line)).join("\n"));
}

#[test]
fn refusals() {
    let folder = folder();
    folder
        .write("bad.txt", b"fine\nnot \xff 987\n")
        .write("wide.txt", b"\xff\xfeh\0i\0")
        .write("out.txt", "mine");
    folder.write(
        "bad.toml",
        "teir = \"rules\"\nkinds = [\"emial\"]\n\n[[rule]]\nname = \"x\"\nkind = \"x\"\npattern = '('\n",
    );
    std::fs::create_dir(folder.path("sub")).unwrap();
    let lines = [
        "detect --settings bad.toml x",
        "detect --settings absent.toml x",
        "detect --tier rules --kinds emial x",
        "detect --tier rules --ignore-kinds date,weather x",
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
    insta::with_settings!({filters => vec![(r"(cannot create \S+): .*", "$1: [what the system says]")]}, {
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
fn a_file_appears_whole_and_is_replaced_only_by_force() {
    let folder = folder();
    let line = "detect --settings veil.toml --file letter.txt --mask -o out.txt";
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
fn a_text_that_looks_like_an_option_stays_out_of_the_message() {
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
        let output = folder.command().args(["detect", "--settings", "veil.toml", text]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        assert!(!said.to_lowercase().contains("ana") && said.contains("after --"), "{said}");
        let run = folder.command().args(["detect", "--settings", "veil.toml", "--", text]).output().unwrap();
        assert!(run.status.success());
    }
    for flag in ["--fiel", "-x"] {
        let run = folder.run(&format!("detect --settings veil.toml --file=none.txt {flag}"));
        assert!(run.contains("\nexit 2\n") && run.contains(&format!("'{flag}'")), "{run}");
    }
}

/// A text of many pieces is one text: places count from its beginning, and masking changes nothing else.
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
        .args(["detect", "--settings", "veil.toml", "--format", "jsonl", "--file", "long.txt"])
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
        .args(["detect", "--settings", "veil.toml", "--mask", "--file", "long.txt"])
        .output()
        .unwrap();
    assert!(String::from_utf8(masked.stdout).unwrap() == text.replace("T-1234", "[TICKET]"));
}

/// A key in PEM with so many lines.
fn private_key(lines: usize) -> String {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
    format!("-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----", line.repeat(lines))
}

/// Pieces have at most 128 kB: what lies across the border of two is neither lost nor cut in half.
#[test]
fn what_crosses_the_end_of_a_piece_is_masked_whole() {
    const PIECE: usize = 128 << 10;
    let folder = Folder::new();
    let iban = "GB82 WEST 1234 5698 7654 32".to_owned();
    // The last is longer than what is seen of the next piece.
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

/// Whoever follows a log sees each line as it is written, not when the log ends.
#[test]
fn lines_are_answered_as_they_come() {
    let folder = folder();
    let mut child = folder.start("detect --settings veil.toml --lines --format places");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"see T-1234\n").unwrap();
    let mut answer = [0; 8];
    child.stdout.as_mut().unwrap().read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"-:1:5: t");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// `| head` ends a run quietly.
#[cfg(unix)]
#[test]
fn a_reader_that_has_enough_is_no_error() {
    let folder = folder();
    folder.write("many.txt", LETTER.repeat(20_000));
    let mut child = folder.start("detect --settings veil.toml --file many.txt");
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Ctrl-C while a pipe is still open: exit 130, no output, no temporary file.
#[cfg(unix)]
#[test]
fn an_interruption_leaves_nothing() {
    let folder = folder();
    let before = folder.names();
    let mut child = folder.start("detect --settings veil.toml --lines --format csv -o out.csv");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(LETTER.as_bytes()).unwrap();
    // Wait until the temporary file shows that the work has begun.
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
fn names_are_found_with_the_pack_that_comes_along() {
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
