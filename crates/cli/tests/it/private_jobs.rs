//! A job that is killed leaves no original behind: not in its folder, not in the map, not in a temporary file.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::Folder;

/// A name that nothing but the input has.
const PLANTED: &str = "Zdenka Vyskocilova";

/// The ways in which a text may be written.
fn forms(text: &str) -> Vec<(String, Vec<u8>)> {
    let mut forms = vec![("UTF-8".to_owned(), text.as_bytes().to_vec())];
    forms.push(("UTF-16 LE".into(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()));
    forms.push(("UTF-16 BE".into(), text.encode_utf16().flat_map(u16::to_be_bytes).collect()));
    let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    forms.push(("hexadecimal".into(), digits.clone().into_bytes()));
    forms.push(("hexadecimal".into(), digits.to_uppercase().into_bytes()));
    for shift in 0..3 {
        // The digits of base64 depend on the position in a group of three bytes. The first and the last
        // digits depend on the neighbours.
        let padded = [&b"..."[..shift], text.as_bytes()].concat();
        let whole = base64(&padded);
        forms.push((
            format!("base64, shifted by {shift}"),
            whole[(shift * 8).div_ceil(6)..whole.len() - 4].into(),
        ));
    }
    forms
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = Vec::new();
    for group in bytes.chunks(3) {
        let number =
            group.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        digits.extend((0..4).map(|place| DIGITS[(number >> (18 - 6 * place)) as usize & 63]));
    }
    digits
}

/// The bytes of a file, and what it holds if it is compressed.
fn contents(path: &Path) -> Vec<Vec<u8>> {
    let raw = std::fs::read(path).unwrap_or_default();
    let mut opened = Vec::new();
    // A killed process leaves an unfinished stream; what can be read of it counts.
    let _ = flate2::read::MultiGzDecoder::new(&raw[..]).read_to_end(&mut opened);
    vec![raw, opened]
}

fn search(path: &Path, wanted: &[(String, Vec<u8>)], files: &mut usize) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap().flatten() {
            search(&entry.path(), wanted, files);
        }
        return;
    }
    *files += 1;
    for content in contents(path) {
        for (form, bytes) in wanted {
            assert!(
                !content.windows(bytes.len()).any(|window| window == bytes),
                "{} holds an original, in {form}",
                path.display()
            );
        }
    }
}

fn input(rows: usize) -> String {
    let row = |row: usize| {
        format!(
            "{{\"id\": {row}, \"text\": \"{PLANTED} wrote a long letter to her sister, number {row}.\"}}\n"
        )
    };
    (0..rows).map(row).collect()
}

fn killed_job(output: &str, key: &str) {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    folder.write("in.jsonl", input(3000));
    let line = format!(
        "text --file in.jsonl -o {output} --map names.map {key} --save-every 0 --at-zero surrogate --preset corpus \
         --quiet"
    );
    let command = |line: &str| {
        let mut command = Command::new(folder.command().get_program());
        command.args(line.split_whitespace()).current_dir(folder.path(""));
        command.env("INKVEIL_PASSPHRASE", "open sesame").env("TMPDIR", elsewhere.path(""));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let job = folder.path(&format!("{output}.inkveil-job"));
    let mut child = command(&line).spawn().unwrap();
    let started = Instant::now();
    while !job.join("000000/00000001.json").exists() {
        assert!(started.elapsed() < Duration::from_secs(120), "the job saves nothing");
        assert!(child.try_wait().unwrap().is_none(), "the job ended before it was killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let wanted = forms(PLANTED);
    let (mut in_job, mut others) = (0, 0);
    search(&job, &wanted, &mut in_job);
    search(&elsewhere.path(""), &wanted, &mut others);
    for name in folder.names().iter().filter(|name| *name != "in.jsonl") {
        search(&folder.path(name), &wanted, &mut others);
    }
    assert!(in_job >= 4, "there are parts to search");
    // The key of the noise is not in the state, and its file is private.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(job.join("key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let state = std::fs::read(job.join("job.json")).unwrap();
    let digits: String =
        std::fs::read(job.join("key")).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(!String::from_utf8_lossy(&state).contains(&digits[..32]));
    // Another key does not open the pairs.
    if !key.is_empty() {
        let other =
            command(&format!("{} --resume", line.replace("names.key", "other.key"))).output().unwrap();
        assert!(!other.status.success());
    }
    // The same key resumes the job, and the answer can be restored.
    let resumed = command(&format!("{line} --resume")).output().unwrap();
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(!job.exists());
    search(&folder.path("names.map"), &wanted, &mut others);
    search(&folder.path(output), &wanted, &mut others);
    if output.ends_with(".jsonl") {
        let restored =
            command(&format!("restore {output} --map names.map {key} -o restored.jsonl")).output().unwrap();
        assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
        let restored = String::from_utf8(folder.read("restored.jsonl")).unwrap();
        assert_eq!(restored.matches(PLANTED).count(), 3000);
    }
}

#[test]
fn a_killed_job_with_a_key_file_leaves_no_original() {
    killed_job("out.jsonl", "--map-key names.key");
}

#[test]
fn a_killed_job_with_a_passphrase_leaves_no_original() {
    killed_job("out.jsonl.gz", "");
}

/// The search itself finds a planted original in every form.
#[test]
fn the_search_finds_every_form() {
    let folder = Folder::new();
    for (form, bytes) in forms(PLANTED) {
        folder.write("found", [&b"xx"[..], &bytes, b"yy"].concat());
        let found = std::panic::catch_unwind(|| search(&folder.path("found"), &forms(PLANTED), &mut 0));
        assert!(found.is_err(), "{form}");
    }
    let whole = base64(format!("ab{PLANTED}, and more").as_bytes());
    folder.write("found", whole);
    assert!(std::panic::catch_unwind(|| search(&folder.path("found"), &forms(PLANTED), &mut 0)).is_err());
}
