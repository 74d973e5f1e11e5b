//! Unusual surroundings: no home, no standard output, no threads, links, short passphrases, changed packs.
#![cfg(unix)]

use std::os::unix::fs::symlink;

use super::{FAST, MASK, Run, bash, run};
use crate::folder::Folder;
use crate::pull::{Home, SOURCE};

#[test]
fn no_home_folder_is_needed() {
    let folder = Folder::new();
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    for line in [
        format!("text {MASK} --pack {models}/en hello"),
        format!("text {MASK} hello"),
        "detect --tier fast hello".to_owned(),
        "models".to_owned(),
        "models verify en".to_owned(),
    ] {
        let output = folder.command().env_clear().args(line.split_whitespace()).output().unwrap();
        Run::of(&output).good();
    }
}

#[test]
fn an_absurd_number_of_threads_is_cut() {
    let folder = Folder::new();
    for threads in ["99999", "-1", "0", "x"] {
        bash(&folder, &format!("RAYON_NUM_THREADS={threads} timeout 60 $INKVEIL text {MASK} hello")).good();
    }
}

#[test]
fn a_closed_standard_output_is_an_error_and_charges_nothing() {
    let folder = Folder::new();
    folder.write("in.csv", "id,text\n1,hello\n");
    for line in [
        format!("text --ledger l.db {FAST} hello"),
        format!("text --ledger l.db {FAST} --file in.csv --column text"),
        "detect --mask --tier rules --ledger l.db hello".to_owned(),
        "detect --mask --tier rules --ledger l.db --file in.csv --column text".to_owned(),
    ] {
        bash(&folder, &format!("$INKVEIL {line} >&-")).refused(&["standard output is closed"]);
        let charged = run(&folder, "ledger export --ledger l.db");
        assert!(charged.stdout.is_empty(), "{line}: {}", charged.stdout);
        // A user who throws the output away knows it.
        bash(&folder, &format!("$INKVEIL {} >/dev/null", line.replace("--ledger l.db", ""))).good();
    }
    run(&folder, &format!("text {MASK} -o out.txt --map m.map --map-key m.key hello")).good();
    bash(&folder, "$INKVEIL restore out.txt --map m.map --map-key m.key >&-")
        .refused(&["standard output is closed"]);
}

/// A process of root may start as many threads as it likes, so this runs as another user.
#[test]
fn a_system_without_threads_is_an_error_and_no_panic() {
    let folder = Folder::new();
    bash(&folder, "chmod 755 .").good();
    for line in [format!("text {MASK} hello"), "detect --tier rules hello".to_owned()] {
        let script = format!(
            "chmod a+rx . ; if [ $(id -u) = 0 ]; then command -v setpriv >/dev/null || exit 99; \
             as='setpriv --reuid=65534 --regid=65534 --clear-groups'; fi; \
             $as $INKVEIL --version >/dev/null 2>&1 || exit 99; \
             $as bash -c 'ulimit -u 1; exec $INKVEIL {line}'"
        );
        let run = bash(&folder, &script);
        if run.code == 99 {
            eprintln!("another user cannot run the binary here: not tried");
            return;
        }
        run.refused(&["thread"]);
    }
}

#[test]
fn a_short_passphrase_is_refused_for_a_new_map() {
    let folder = Folder::new();
    for (passphrase, good) in [("a", false), ("1234567", false), ("äöüß€", false), ("long enough", true)]
    {
        let output = folder
            .command()
            .args(format!("text {MASK} --map m.map hello").split_whitespace())
            .env("INKVEIL_PASSPHRASE", passphrase)
            .output()
            .unwrap();
        match good {
            true => drop(Run::of(&output).good()),
            false => drop(Run::of(&output).refused(&["shorter than 8 characters"])),
        }
        assert_eq!(folder.path("m.map").exists(), good);
    }
}

#[test]
fn a_folder_names_what_is_not_read_and_does_not_follow_links() {
    let (folder, outside) = (Folder::new(), Folder::new());
    std::fs::create_dir(folder.path("in")).unwrap();
    folder.write("in/a.txt", "hello\n").write("in/b.bin", "x").write("in/.c.txt", "x");
    outside.write("secret.txt", "secret\n");
    symlink(outside.path("secret.txt"), folder.path("in/link.txt")).unwrap();
    symlink(outside.path(""), folder.path("in/linked")).unwrap();
    let said = run(&folder, &format!("text --file in -o out {MASK}")).good().stderr;
    for word in ["b.bin (unknown format)", ".c.txt (hidden)", "link.txt (a link)", "linked (a link)"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(folder.path("out/a.txt").exists() && !folder.path("out/link.txt").exists());
    let said = run(&folder, &format!("text --file in -o two --follow-links {MASK}")).good().stderr;
    assert!(folder.path("two/link.txt").exists() && folder.path("two/linked/secret.txt").exists(), "{said}");
    let said = run(&folder, "detect --tier rules --file in").good().stderr;
    assert!(said.contains("link.txt (a link)"), "{said}");
}

#[test]
fn a_link_out_of_a_folder_is_not_pulled() {
    let home = Home::new();
    let secret = home.path("secret.txt");
    std::fs::write(&secret, "secret").unwrap();
    symlink(&secret, home.path("model/link.txt")).unwrap();
    let run = home.run(&format!("pull {SOURCE} --name tiny"));
    assert!(run.contains("exit 1") && run.contains("link.txt"), "{run}");
    assert!(!home.pack("tiny").exists());
    std::fs::remove_file(home.path("model/link.txt")).unwrap();
    symlink("config.json", home.path("model/same.json")).unwrap();
    assert!(home.run(&format!("pull {SOURCE} --name tiny")).contains("exit 0"));
}

#[test]
fn a_changed_byte_in_a_manifest_is_noticed() {
    let home = Home::new();
    assert!(home.run(&format!("pull {SOURCE} --name tiny")).contains("exit 0"));
    assert!(home.run("models verify tiny").contains("all checksums match"));
    let path = home.pack("tiny").join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("path:model", "path:mobel")).unwrap();
    let run = home.run("models verify tiny");
    assert!(run.contains("exit 1") && run.contains("the manifest was changed"), "{run}");
}
