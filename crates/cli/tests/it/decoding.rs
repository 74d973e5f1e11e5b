//! Decoding noised words alone and together.

use serde_json::Value;

use crate::folder::Folder;

const SENTENCE: &str =
    "the company said that it will sell most of its business in the united states by the end of the year";

fn veiled(folder: &Folder, flags: &str) -> Value {
    let mut command = folder.command();
    command.arg("text").args(flags.split_whitespace()).args(["--json", "-q", SENTENCE]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{flags}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn words(document: &Value) -> Vec<String> {
    document["text"].as_str().unwrap().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn joint_decoding_keeps_more_words_and_says_so() {
    let folder = Folder::new();
    let (mut alone, mut together) = (0, 0);
    for seed in 1..6 {
        let flags = format!("--insecure-seed {seed} --lexicon words --uniform 75");
        let nearest = veiled(&folder, &format!("{flags} --decoding nearest"));
        let joint = veiled(&folder, &format!("{flags} --decoding joint"));
        assert_eq!(words(&nearest), words(&veiled(&folder, &flags)), "the nearest word is the default");
        assert_eq!(words(&joint).len(), words(&nearest).len());
        let kept = |document: &Value| {
            words(document).iter().zip(SENTENCE.split_whitespace()).filter(|(a, b)| *a == b).count()
        };
        alone += kept(&nearest);
        together += kept(&joint);
        let shown = joint["receipt"].to_string();
        assert!(shown.contains("\"decoding\"") && shown.contains("post-processing"), "{shown}");
        assert!(shown.contains("prior over neighbouring words"), "{shown}");
        assert!(!nearest["receipt"].to_string().contains("post-processing"));
        // The price is the same.
        assert_eq!(joint["receipt"]["total_epsilon"], nearest["receipt"]["total_epsilon"]);
    }
    assert!(together > alone + 10, "{alone} alone, {together} together, of 105");
}

#[test]
fn words_that_are_drawn_are_decoded_together_on_request() {
    let folder = Folder::new();
    for mechanism in ["exponential --uniform 14", "tem --uniform 14", "randomized-response --uniform 9"] {
        let flags = format!("--insecure-seed 4 --lexicon words --mechanism {mechanism}");
        let by_default = veiled(&folder, &flags);
        assert_eq!(words(&by_default), words(&veiled(&folder, &format!("{flags} --decoding nearest"))));
        let joint = veiled(&folder, &format!("{flags} --decoding joint"));
        assert_eq!(words(&joint).len(), words(&by_default).len());
        assert!(joint["receipt"].to_string().contains("post-processing"), "{mechanism}");
    }
}

#[test]
fn joint_decoding_is_refused_where_it_cannot_be_done() {
    let folder = Folder::new();
    for (flags, why) in [
        ("--uniform 60 --lexicon words --mechanism laplace-l1", "the mechanism laplace-l1"),
        ("--uniform 60 --lexicon words --mechanism mahalanobis", "the mechanism mahalanobis"),
        ("--uniform 60 --lexicon subword", "no prior"),
    ] {
        let refused = folder.run(&format!("text {flags} --decoding joint hello"));
        assert!(refused.contains(why) && refused.contains("exit 1"), "{refused}");
        assert!(folder.run(&format!("text {flags} -q hello")).contains("exit 0"), "{flags}");
    }
}

#[test]
fn a_settings_file_chooses_the_decoding() {
    let folder = Folder::new();
    folder.write("alone.toml", "[text]\nuniform = 75\nlexicon = \"words\"\ndecoding = \"nearest\"\n");
    let from_file = veiled(&folder, "--config alone.toml --insecure-seed 1");
    let from_flags = veiled(&folder, "--insecure-seed 1 --lexicon words --uniform 75 --decoding nearest");
    assert_eq!(words(&from_file), words(&from_flags));
    let other = veiled(&folder, "--config alone.toml --insecure-seed 1 --decoding joint");
    assert_ne!(words(&other), words(&from_file));
}
