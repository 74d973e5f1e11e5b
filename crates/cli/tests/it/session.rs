//! `inkveil text --session` and `inkveil restore --session`: one map over many texts.

use crate::folder::Folder;

fn stdout(run: &str) -> &str {
    run.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap().trim()
}

/// Runs a command with the sessions of the folder.
fn run(folder: &Folder, line: &str, input: &str) -> String {
    folder.run_in_environment(
        line,
        input,
        &[("INKVEIL_SESSIONS", &folder.path("sessions").display().to_string())],
    )
}

#[test]
fn later_turns_keep_the_identities_and_answers_are_restored() {
    let folder = Folder::new();
    let first = run(&folder, "text --session chat -", "Ana Novak from Lyon called about Portugal.");
    let first = stdout(&first).to_owned();
    let name: Vec<&str> = first.split(' ').take(2).collect();
    let later = run(&folder, "text --session chat -", "Ana is back in Lyon. Ms Novak left Portugal.");
    let later = stdout(&later).to_owned();
    assert!(later.starts_with(&format!("{} is back in ", name[0])), "{first}\n{later}");
    assert!(later.contains(&format!("Ms {} left ", name[1])), "{first}\n{later}");
    // A surrogate is drawn without a look at the original, so one of them may be the same by chance. All of
    // them are the same with a chance far below 1e-6.
    let kept = |original: &&str| first.split(|c: char| !c.is_alphanumeric()).any(|word| word == *original);
    assert!(!["Ana", "Novak", "Lyon", "Portugal"].iter().all(kept), "{first}");
    let answer = format!("{first} {later} Regards to {}'s mother.", name[0]);
    let restored = run(&folder, "restore --session chat", &answer);
    assert_eq!(
        stdout(&restored),
        "Ana Novak from Lyon called about Portugal. Ana is back in Lyon. Ms Novak left Portugal. \
         Regards to Ana's mother.",
    );
    assert!(stdout(&run(&folder, "session list", "")).starts_with("chat\tkey file"));
    let stored = std::fs::read(folder.path("sessions/chat.map")).unwrap();
    assert!(!stored.windows(5).any(|window| window == b"Novak"));
    assert!(run(&folder, "session delete chat", "").contains("exit 0"));
    let gone = run(&folder, "restore --session chat", "x");
    assert!(gone.contains("exit 1") && gone.contains("there is no session"), "{gone}");
}

#[test]
fn a_session_is_refused_where_it_cannot_work() {
    let folder = Folder::new();
    folder.write("rows.jsonl", "{\"text\":\"Ana Novak\"}\n");
    for (line, why) in [
        ("text --session a/b x", "a session's name has"),
        ("text --session a --insecure-seed 1 x", "leave out --insecure-seed"),
        ("text --session a --file rows.jsonl -o out.jsonl", "--session is for single texts"),
        ("text --session a --map m.map x", "cannot be used with"),
        ("text --session a --at-zero drop x", "need at-zero = mask or surrogate"),
    ] {
        let ended = run(&folder, line, "");
        assert!(!ended.contains("exit 0") && ended.contains(why), "{ended}");
    }
    assert!(!folder.path("sessions").exists());
}

#[test]
fn a_passphrase_seals_a_session() {
    let folder = Folder::new();
    let sessions = folder.path("sessions").display().to_string();
    let with = |line: &str, passphrase: &str| {
        let variables = [("INKVEIL_SESSIONS", sessions.as_str()), ("INKVEIL_PASSPHRASE", passphrase)];
        folder.run_in_environment(line, "Ana Novak called.", &variables)
    };
    assert!(with("text --session a -", "correct horse battery").contains("exit 0"));
    assert!(!folder.path("sessions/a.key").exists());
    assert!(with("session list", "correct horse battery").contains("a\tpassphrase"));
    assert!(with("text --session a -", "another horse battery").contains("exit 1"));
    assert!(with("text --session a -", "correct horse battery").contains("exit 0"));
}
