//! Every path on which something can leave: no limit is passed, and a ledger that cannot record stops it.

use std::process::{Command as Process, Output, Stdio};

use crate::folder::{Folder, ROWS};
use crate::server::Server;

/// The commands that release something. All others keep what they make on this machine.
const RELEASES: &[&str] = &["text", "noise", "vector apply", "vector embed", "style rewrite", "detect"];

/// The commands that release nothing, with the reason.
const OTHERS: &[(&str, &str)] = &[
    ("restore", "it puts originals back, for the user"),
    ("session list", "it lists conversations"),
    ("session delete", "it deletes a conversation"),
    ("vector fit", "a mask is a setting; its receipts name the corpus"),
    ("vector inspect", "it describes a mask"),
    ("style risk", "it measures a text, for the user"),
    ("style memory build", "a memory is a setting"),
    ("style memory update", "a memory is a setting"),
    ("style memory merge", "a memory is a setting"),
    ("style memory inspect", "it describes a memory"),
    ("style train encoder", "it writes a model"),
    ("style train bootstrap", "it writes training texts; a server is refused if there is a ledger"),
    ("style train sft", "it writes a model"),
    ("style train grpo", "it writes a model"),
    ("attack text", "it measures a release"),
    ("attack vector", "it measures a release"),
    ("attack style", "it measures a release"),
    ("eval run", "it measures; a server is refused if there is a ledger"),
    ("eval list", "it lists experiments"),
    ("eval show", "it shows results"),
    ("eval data", "it describes test sets"),
    ("eval report", "it writes results"),
    ("audit", "it checks mechanisms"),
    ("receipt show", "it shows a receipt"),
    ("receipt verify", "it checks a receipt"),
    ("ledger show", "it reads the ledger"),
    ("ledger limit", "it changes the ledger"),
    ("ledger export", "it reads the ledger"),
    ("ledger verify", "it reads the ledger"),
    ("words near", "it describes a lexicon"),
    ("words info", "it describes a lexicon"),
    ("curves", "it measures a mechanism"),
    ("config check", "it checks settings"),
    ("config example", "it prints settings"),
    ("pull", "it gets models"),
    ("models list", "it lists models"),
    ("models path", "it lists models"),
    ("models verify", "it checks models"),
    ("models remove", "it removes models"),
    ("models make", "it makes a pack"),
    ("models add", "it adds a pack"),
    ("completions", "it describes the command"),
    ("man", "it describes the command"),
];

/// The commands that start another program. Its own tests cover what it releases.
const PROGRAMS: &[&str] = &["serve", "mcp", "open", "sql"];

/// All commands that have no further commands, as the binary lists them.
fn leaves(folder: &Folder, above: &str) -> Vec<String> {
    if PROGRAMS.contains(&above) {
        return vec![above.to_owned()];
    }
    let output = folder.command().args(above.split_whitespace()).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let Some((_, listed)) = help.split_once("\nCommands:\n") else { return vec![above.to_owned()] };
    let names = listed.lines().take_while(|line| !line.trim().is_empty());
    // A description may go on in the next line, which is indented further.
    let names = names.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    names.iter().flat_map(|name| leaves(folder, format!("{above} {name}").trim())).collect()
}

#[test]
fn every_command_is_known_to_release_or_not() {
    let folder = Folder::new();
    let mut known: Vec<&str> = RELEASES.to_vec();
    known.extend(OTHERS.iter().map(|(name, _)| name));
    for command in leaves(&folder, "") {
        if PROGRAMS.contains(&command.as_str()) {
            continue;
        }
        assert!(
            known.contains(&command.as_str()),
            "{command} is new: add it to the commands that release or to the others"
        );
        let output = folder.command().args(command.split_whitespace()).arg("--help").output().unwrap();
        let takes_ledger = String::from_utf8_lossy(&output.stdout).contains("--ledger <FILE>");
        let should = RELEASES.contains(&command.as_str()) || command.starts_with("ledger ");
        assert_eq!(takes_ledger, should, "{command}: only commands that release take a ledger");
    }
}

/// One way of releasing something.
struct Path {
    line: String,
    stdin: &'static str,
    /// The file that must not appear; standard output must be empty in any case.
    output: Option<&'static str>,
}

const TEXT: &str =
    "text --insecure-seed 7 --tier rules --lexicon subword --mechanism randomized-response --epsilon 3";
const MASK: &str = "detect --mask --tier rules";

/// All ways, as cheap as they can be.
fn paths(folder: &Folder, server: &Server) -> Vec<Path> {
    folder
        .write("a.txt", "The bus was late again.\nWe walked home.\n")
        .write("a.jsonl", "{\"text\": \"The bus was late again.\"}\n{\"text\": \"We walked home.\"}\n")
        .write("a.csv", "id,text\n1,The bus was late again.\n")
        .write("v.jsonl", ROWS);
    let url = &server.url;
    let repair = format!("--repair {url} --repair-model some");
    let rewrite = format!("--model {url}#some --allow-remote --candidates 1 --rounds 1 --meaning 0.7");
    let path = |line: String, stdin, output| Path { line, stdin, output };
    let stdout = |line: String| path(line, "", None);
    vec![
        stdout(format!("{TEXT} the bus was late")),
        path(format!("{TEXT} -"), "the bus was late", None),
        stdout(format!("{TEXT} --file a.txt")),
        stdout(format!("{TEXT} --file a.txt --lines --json")),
        path(format!("{TEXT} --file a.txt -o out.txt"), "", Some("out.txt")),
        stdout(format!("{TEXT} --file a.jsonl")),
        stdout(format!("{TEXT} --file a.csv --receipts columns")),
        path(format!("{TEXT} --file - --from csv"), "id,text\n1,the bus was late\n", None),
        path(format!("{TEXT} --file a.jsonl -o out.jsonl"), "", Some("out.jsonl")),
        path(format!("{TEXT} --file a.jsonl -o out.parquet --to parquet"), "", Some("out.parquet")),
        stdout(format!("{TEXT} {repair} the bus was late")),
        stdout(format!("{TEXT} {repair} --file a.jsonl")),
        path(format!("{TEXT} {repair} --file a.jsonl -o out.jsonl"), "", Some("out.jsonl")),
        stdout("noise v.jsonl -m laplace-l2 -e 5".to_owned()),
        path("noise -m laplace-l2 -e 5".to_owned(), ROWS, None),
        path("noise v.jsonl -m laplace-l2 -e 5 -o out.jsonl".to_owned(), "", Some("out.jsonl")),
        stdout("vector apply v.jsonl -m laplace-l2 -e 5".to_owned()),
        path("vector apply v.jsonl -m laplace-l2 -e 5 -o out.jsonl".to_owned(), "", Some("out.jsonl")),
        path("vector embed a.txt -o out.npy".to_owned(), "", Some("out.npy")),
        path("vector embed a.txt -m laplace-l2 -e 500 -o out.npy".to_owned(), "", Some("out.npy")),
        path("vector embed - -o out.npy".to_owned(), "the bus was late\n", Some("out.npy")),
        stdout(format!("style rewrite a.txt {rewrite}")),
        path(format!("style rewrite - {rewrite}"), "The bus was late.", None),
        stdout(format!("style rewrite a.jsonl {rewrite}")),
        path(format!("style rewrite a.jsonl {rewrite} -o out.jsonl"), "", Some("out.jsonl")),
        stdout(format!("{MASK} ana@example.org was late")),
        path(format!("{MASK} -"), "ana@example.org was late", None),
        stdout(format!("{MASK} --file a.txt")),
        path(format!("{MASK} --file a.txt -o out.txt"), "", Some("out.txt")),
        stdout(format!("{MASK} --file a.jsonl --column text")),
        path(format!("{MASK} --file a.jsonl --column text -o out.jsonl"), "", Some("out.jsonl")),
    ]
}

fn run(folder: &Folder, path: &Path, ledger: &str) -> Output {
    let mut command = folder.command();
    command.args(path.line.split_whitespace()).write_stdin(path.stdin);
    command.env("INKVEIL_LEDGER", folder.path(ledger)).output().unwrap()
}

/// Nothing left: no output, no file, no request to a server.
fn nothing_left(folder: &Folder, path: &Path, server: &Server, run: &Output) {
    let (line, said) = (&path.line, String::from_utf8_lossy(&run.stderr));
    assert!(!run.status.success(), "{line}: {said}");
    assert!(run.stdout.is_empty(), "{line}: {said}");
    if let Some(output) = path.output {
        for name in [output.to_owned(), format!("{output}.receipt.json")] {
            assert!(!folder.path(&name).exists(), "{line} wrote {name}: {said}");
        }
        let _ = std::fs::remove_dir_all(folder.path(&format!("{output}.inkveil-job")));
    }
    assert!(server.asked().is_empty(), "{line} sent a request: {said}");
}

#[test]
fn no_path_passes_a_limit() {
    let (folder, server) = (Folder::new(), Server::saying("never asked"));
    let set = folder.run("ledger limit --ledger spent.db --every-dataset --epsilon 0.001 --delta 1");
    assert!(set.contains("exit 0"), "{set}");
    for path in paths(&folder, &server) {
        let run = run(&folder, &path, "spent.db");
        nothing_left(&folder, &path, &server, &run);
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(said.contains("would exceed the limit"), "{}: {said}", path.line);
    }
    let shown = folder.run("ledger show --ledger spent.db --releases");
    assert!(shown.contains("no release was recorded"), "{shown}");
}

#[test]
fn a_ledger_that_cannot_record_stops_every_path() {
    let (folder, server) = (Folder::new(), Server::saying("never asked"));
    folder.write("not-a-ledger", "some other file");
    std::fs::create_dir(folder.path("folder")).unwrap();
    for (index, path) in paths(&folder, &server).into_iter().enumerate() {
        // One broken ledger for each path, in turn: they fail at the same place.
        let ledger = ["not-a-ledger", "folder", "not-a-ledger/below", "absent/below"][index % 4];
        let run = run(&folder, &path, ledger);
        nothing_left(&folder, &path, &server, &run);
    }
}

/// A limit on the size of files acts like a full disk: the ledger can be opened but not written.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_pipes_and_files() {
    let (folder, server) = (Folder::new(), Server::saying("never asked"));
    let set = folder.run("ledger limit --ledger spent.db --every-dataset --epsilon 1000 --delta 1");
    assert!(set.contains("exit 0"), "{set}");
    let before = folder.read("spent.db");
    folder.write("v.jsonl", ROWS);
    let full = |line: &str, ledger: &str| {
        let binary = folder.command().get_program().to_owned();
        let script = format!("trap '' XFSZ; ulimit -f 0; exec {} {line}", binary.display());
        let mut shell = Process::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path("")).stdin(Stdio::null());
        shell.env("INKVEIL_LEDGER", ledger).output().unwrap()
    };
    for line in
        ["noise v.jsonl -m laplace-l2 -e 5", "text --tier rules the bus", "detect --mask --tier rules ana"]
    {
        // Only the ledger needs the disk.
        let without = full(line, "");
        assert!(without.status.success() && !without.stdout.is_empty(), "{line}");
        let path = Path { line: line.to_owned(), stdin: "", output: None };
        nothing_left(&folder, &path, &server, &full(line, folder.path("spent.db").to_str().unwrap()));
    }
    assert_eq!(folder.read("spent.db"), before);
    let shown = folder.run("ledger show --ledger spent.db --releases");
    assert!(shown.contains("no release was recorded"), "{shown}");
}

#[cfg(unix)]
#[test]
fn a_ledger_that_is_only_readable_stops_a_release() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.write("v.jsonl", ROWS);
    std::fs::create_dir(folder.path("kept")).unwrap();
    let set = folder.run("ledger limit --ledger kept/spent.db --every-dataset --epsilon 1000");
    assert!(set.contains("exit 0"), "{set}");
    let allow = |mode: u32, folder_mode: u32| {
        std::fs::set_permissions(folder.path("kept/spent.db"), Permissions::from_mode(mode)).unwrap();
        std::fs::set_permissions(folder.path("kept"), Permissions::from_mode(folder_mode)).unwrap();
    };
    allow(0o400, 0o500);
    // The superuser may write everything, so there is nothing to test for them.
    let is_denied = std::fs::OpenOptions::new().write(true).open(folder.path("kept/spent.db")).is_err();
    let run = folder.run("noise v.jsonl -m laplace-l2 -e 5 --ledger kept/spent.db");
    allow(0o600, 0o700);
    if is_denied {
        assert!(run.contains("exit 1\n--- stdout\n--- stderr"), "{run}");
    }
}

/// A text that a server sees is charged before it is sent, and the release made from it costs nothing more.
#[test]
fn what_a_server_sees_is_charged_once() {
    let (folder, server) = (Folder::new(), Server::saying("the bus was late"));
    folder.write("a.jsonl", "{\"text\": \"The bus was late again.\"}\n{\"text\": \"We walked home.\"}\n");
    let totals = |ledger: &str| {
        let shown = folder.run(&format!("ledger show --ledger {ledger} --dataset a.jsonl"));
        let worst = shown.lines().find(|line| line.contains("worst-case")).unwrap().to_owned();
        worst.split('\t').nth(3).unwrap().to_owned()
    };
    let plain = folder.run(&format!("{TEXT} --file a.jsonl -o plain.jsonl --ledger plain.db"));
    assert!(plain.contains("exit 0"), "{plain}");
    let line = format!("{TEXT} --repair {} --repair-model some --file a.jsonl", server.url);
    let sent = folder.run(&format!("{line} -o sent.jsonl --ledger sent.db"));
    assert!(sent.contains("exit 0") && !server.asked().is_empty(), "{sent}");
    assert_eq!(totals("sent.db"), totals("plain.db"));
    let verified = folder.run("ledger verify --ledger sent.db --receipt sent.jsonl.receipt.json");
    assert!(verified.contains("exit 0"), "{verified}");
    let shown = folder.run("ledger show --ledger sent.db");
    assert!(!shown.contains("not confirmed"), "{shown}");
}

#[test]
fn masked_texts_that_stay_here_are_not_charged() {
    let folder = Folder::new();
    let set = folder.run("ledger limit --ledger spent.db --every-dataset --epsilon 1");
    assert!(set.contains("exit 0"), "{set}");
    let local = folder
        .command()
        .args(["detect", "--mask", "--local", "--tier", "rules", "ana@example.org"])
        .env("INKVEIL_LEDGER", folder.path("spent.db"))
        .output()
        .unwrap();
    assert!(local.status.success());
    assert_eq!(String::from_utf8_lossy(&local.stdout), "[EMAIL]\n");
    let charged = folder.run("detect --mask --tier rules ana@example.org --ledger other.db --subject ana");
    assert!(charged.contains("exit 0"), "{charged}");
    let shown = folder.run("ledger show --ledger other.db --subject ana");
    assert!(shown.contains("inf"), "{shown}");
}
