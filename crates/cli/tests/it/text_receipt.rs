//! The receipts of `inkveil text`.

use insta::assert_snapshot;

use crate::folder::Folder;
use crate::text::{TASK, TEXT, text};

#[test]
fn an_output_file_has_a_receipt_that_belongs_to_it() {
    let folder = Folder::new();
    folder.write("letter.txt", format!("{TEXT}\nKind regards\n"));
    let line = "--epsilon 30 --file letter.txt -o out.txt";
    assert_eq!(text(&folder, line, &["--task", TASK]).good().stdout, "");
    assert_eq!(folder.names(), ["letter.txt", "out.txt", "out.txt.receipt.json"]);
    let verify =
        |receipt: &str, release: &str| folder.run(&format!("receipt verify {receipt} --release {release}"));
    assert!(verify("out.txt.receipt.json", "out.txt").contains("exit 0"));
    assert!(verify("out.txt.receipt.json", "letter.txt").contains("exit 1"));
    let receipt = String::from_utf8(folder.read("out.txt.receipt.json")).unwrap();
    assert!(!receipt.contains("Kovalenko") && receipt.contains("\"secure\": true"), "{receipt}");

    let refused = text(&folder, line, &[]);
    assert!(refused.code == 1 && refused.stderr.contains("out.txt exists already"), "{}", refused.stderr);
    text(&folder, line, &["--force"]).good();
    assert!(verify("out.txt.receipt.json", "out.txt").contains("exit 0"));

    // What is piped can have a receipt too, and a receipt another name; lines have one together.
    let piped =
        text(&folder, "--epsilon 30 --file letter.txt --lines --insecure-seed 3 --receipt r.json", &[])
            .good();
    folder.write("piped.txt", &piped.stdout);
    let verified = verify("r.json", "piped.txt");
    assert!(verified.contains("exit 0") && verified.contains("fixed seed"), "{verified}");
    text(&folder, "--epsilon 30 --file letter.txt --lines --json -o out.jsonl --receipt j.json", &[]).good();
    assert!(verify("j.json", "out.jsonl").contains("exit 0"));
    assert!(!folder.names().iter().any(|name| name.starts_with('.')));
}

/// The receipt of a text as people read it: first what it means, then the details.
#[test]
fn a_receipt_explains_itself() {
    let folder = Folder::new();
    let flags =
        "--insecure-seed 7 --lexicon words --preset strict --decoding nearest --at-zero surrogate -o out.txt";
    text(&folder, flags, &["It wasn't Ana Lima's order INV-2020-7. Ask Dr Mirela Kovalenko about the knee."])
        .good();
    let shown =
        folder.run("receipt show out.txt.receipt.json").replace(env!("CARGO_PKG_VERSION"), "[version]");
    // Checksums change with the pack.
    let lines = shown.lines().filter(|line| !line.starts_with("  pack") && !line.starts_with("  release"));
    assert_snapshot!("text-receipt", lines.collect::<Vec<_>>().join("\n"));
    let json = String::from_utf8(folder.read("out.txt.receipt.json")).unwrap();
    for field in ["\"neighbours\": \"same-shape\"", "\"certainty\"", "\"survival\"", "\"alternatives\""] {
        assert!(json.contains(field), "{field}: {json}");
    }
}
