//! `inkveil restore`, with maps made by the library.

use inkveil::restore::{MapKey, ReplacementMap};

use crate::folder::Folder;

const ANSWER: &str = "Dear Made Antonov,\nask [person 2] or MADE\nANTONOV. Ms Antonov's Banana stays.\n";

/// A folder with a map and its key file.
fn with_map() -> Folder {
    let folder = Folder::new();
    let key = MapKey::create_file(folder.path("map.key")).unwrap();
    map().save(folder.path("letters.map"), &key, false).unwrap();
    folder.write("answer.txt", ANSWER);
    folder
}

fn map() -> ReplacementMap {
    let mut pairs = ReplacementMap::builder();
    pairs.add("Made Antonov", "Ana Novak", "person").unwrap();
    pairs.add("[person 2]", "Eva Horak", "person").unwrap();
    pairs.add("Ana", "never", "person").unwrap();
    pairs.add("[email]", "eva@firm.example", "email").unwrap();
    pairs.add("[email]", "ivo@firm.example", "email").unwrap();
    pairs.build()
}

#[test]
fn a_file_is_restored() {
    let folder = with_map();
    let run = folder.run("restore answer.txt --map letters.map --map-key map.key -o out.txt --report");
    assert_eq!(
        run,
        "$ inkveil restore answer.txt --map letters.map --map-key map.key -o out.txt --report\nexit 0\n--- stdout\n\
         --- stderr\nrestored 3: person 3\nwarning: Antonov is a part of a replaced person and was left unchanged, once\n"
    );
    let expected = "Dear Ana Novak,\nask Eva Horak or ANA NOVAK. Ms Antonov's Banana stays.\n";
    assert_eq!(folder.read("out.txt"), expected.as_bytes());
    let again = folder.run("restore answer.txt --map letters.map --map-key map.key -o out.txt");
    assert!(again.contains("exit 1") && again.contains("replace it with --force"), "{again}");
    let same = folder.run("restore answer.txt --map letters.map --map-key map.key -o answer.txt --force");
    assert!(same.contains("exit 1") && same.contains("is the input"), "{same}");
    assert_eq!(folder.names(), ["answer.txt", "letters.map", "map.key", "out.txt"]);
}

#[test]
fn a_pipe_is_restored_and_what_is_ambiguous_is_told() {
    let folder = with_map();
    let line = "restore --map letters.map --map-key map.key --parts";
    let run = folder.run_with(line, "Ms Antonov wrote to [email] and [email], \u{1b}[31m.");
    assert!(
        run.contains("exit 0\n--- stdout\nMs Novak wrote to [email] and [email], \u{1b}[31m.--- stderr\n"),
        "{run}"
    );
    assert!(
        run.contains(
            "warning: [email] (email) stands for several originals and was left unchanged, 2 times\n"
        ),
        "{run}"
    );
    assert!(!run.contains("firm.example"), "no original is shown");
    let bytes =
        folder.command().args(line.split(' ')).arg("-").write_stdin([0xff, b' ', 0xfe]).output().unwrap();
    assert_eq!(bytes.stdout, [0xff, b' ', 0xfe]);
}

#[test]
fn a_passphrase_comes_from_the_environment() {
    let folder = with_map();
    let key = MapKey::from_passphrase("correct horse".to_owned().into()).unwrap();
    map().save(folder.path("phrase.map"), &key, false).unwrap();
    let run = |passphrase: &str, more: &[&str]| {
        let mut command = folder.command();
        command.args(["restore", "answer.txt", "--map", "phrase.map"]).args(more);
        let output = command.env("INKVEIL_PASSPHRASE", passphrase).output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, stdout, stderr) = run("correct horse", &[]);
    assert_eq!(
        (code, stderr.as_str()),
        (0, "warning: Antonov is a part of a replaced person and was left unchanged, once\n")
    );
    assert!(stdout.starts_with("Dear Ana Novak,"));
    for (passphrase, more, words) in [
        ("correct mule", &[][..], "phrase.map: wrong key, or the file was changed"),
        ("", &[], "the passphrase is empty"),
        ("correct horse", &["--map-key", "map.key"], "leave out --map-key"),
    ] {
        let (code, stdout, stderr) = run(passphrase, more);
        assert!(code == 1 && stdout.is_empty() && stderr.contains(words), "{stderr}");
        assert!(!stderr.contains("mule"));
    }
}

#[test]
fn what_does_not_open_is_told() {
    let folder = with_map();
    MapKey::create_file(folder.path("other.key")).unwrap();
    let mut changed = folder.read("letters.map");
    *changed.last_mut().unwrap() ^= 1;
    folder.write("changed.map", changed).write("no.map", "something else");
    for (line, words) in [
        ("restore answer.txt --map letters.map --map-key other.key", "wrong key, or the file was changed"),
        ("restore answer.txt --map changed.map --map-key map.key", "wrong key, or the file was changed"),
        ("restore answer.txt --map no.map --map-key map.key", "no.map: this is not a map of inkveil"),
        ("restore answer.txt --map letters.map --map-key answer.txt", "answer.txt: this is not a key file"),
        ("restore answer.txt --map letters.map", "name it with --map-key"),
        ("restore absent.txt --map letters.map --map-key map.key", "cannot read absent.txt"),
        ("restore answer.txt --map absent.map --map-key map.key", "absent.map: cannot open it"),
    ] {
        let run = folder.run(line);
        assert!(run.contains("exit 1\n--- stdout\n--- stderr\n") && run.contains(words), "{run}");
    }
}

#[test]
fn help_has_examples() {
    let run = Folder::new().run("restore --help");
    assert!(run.contains("exit 0") && run.contains("Examples:") && run.contains("--map-key"), "{run}");
}
