//! LibreOffice opens what is written. Skipped where it is not installed.

use std::path::Path;
use std::process::Command;

use inkveil_documents::DocumentFormat;

use crate::canary::{open, veiled};

/// Makes a document with LibreOffice, veils it, and lets LibreOffice read it again.
fn round_trip(from: &str, to: DocumentFormat, back: &str) -> Option<(String, String)> {
    let office = ["soffice", "libreoffice"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(office) = office else {
        println!("skipped: LibreOffice is not installed");
        return None;
    };
    let folder = std::env::temp_dir().join(format!("inkveil-office-{}-{to}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let convert = |input: &Path, to: &str| {
        let home = format!("-env:UserInstallation=file://{}/home", folder.display());
        let run = Command::new(office)
            .args(["--headless", &home, "--convert-to", to, "--outdir"])
            .arg(&folder)
            .arg(input)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    };
    let (name, content) = from.split_once('|').unwrap();
    std::fs::write(folder.join(name), content).unwrap();
    convert(&folder.join(name), to.extension());
    let made = folder.join(Path::new(name).with_extension(to.extension()));
    let document = open(&std::fs::read(&made).unwrap(), to);
    let written = folder.join(format!("veiled.{}", to.extension()));
    std::fs::write(&written, veiled(&document)).unwrap();
    convert(&written, back);
    let extension = back.split(':').next().unwrap();
    let text = std::fs::read_to_string(written.with_extension(extension)).unwrap();
    let before = document.text().to_owned();
    std::fs::remove_dir_all(&folder).unwrap();
    Some((before, text))
}

const PAGE: &str = "page.html|<html><body><h1>Contract of Zyx001canary</h1><p>Ask <b>Zyx002canary</b> from Lyon.</p>\
    <ul><li>first</li><li>Zyx003canary</li></ul><table border=\"1\"><tr><td>Name</td><td>Zyx004canary</td></tr></table></body></html>";

#[test]
fn libreoffice_opens_veiled_texts() {
    for format in [DocumentFormat::Docx, DocumentFormat::Odt] {
        let Some((before, after)) = round_trip(PAGE, format, "txt:Text (encoded):UTF8") else { return };
        assert!(before.contains("Contract of Zyx001canary"), "{before}");
        for kept in ["Contract of Mira", "Ask Mira from Lyon.", "first", "Name"] {
            assert!(after.contains(kept), "{format}: {kept} in {after}");
        }
        assert!(!after.contains("canary"), "{after}");
        println!("{format}: LibreOffice reads the veiled document");
    }
}

#[test]
fn libreoffice_opens_veiled_tables() {
    let table = "table.csv|name,number,day\nZyx001canary,4711,2024-01-31\nBo,12,2024-02-01\n";
    for format in [DocumentFormat::Xlsx, DocumentFormat::Ods] {
        let Some((before, after)) = round_trip(table, format, "csv") else { return };
        assert!(before.contains("Zyx001canary\t4711\t"), "{before}");
        assert!(
            after.contains("Mira,4711,") && after.contains("Bo,12,") && !after.contains("canary"),
            "{format}: {after}"
        );
        println!("{format}: LibreOffice reads the veiled document");
    }
}
