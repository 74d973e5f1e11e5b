//! Reports in other programs.

use super::{experiment, good};

/// Opens the report in a real browser: `INKVEIL_CHROMIUM=/usr/bin/chromium cargo test --workspace --test it browser -- --ignored`.
#[test]
#[ignore = "needs a browser"]
fn the_report_opens_in_a_browser() {
    let browser = std::env::var("INKVEIL_CHROMIUM").expect("INKVEIL_CHROMIUM names a Chromium");
    let folder = experiment();
    good(&folder, "eval run small.toml --data data -o results");
    let run = std::process::Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--disable-quic",
            "--enable-logging=stderr",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.path("profile").display()))
        .arg(format!("file://{}", folder.path("results/report.html").display()))
        .output()
        .unwrap();
    let (page, said) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(page.contains("Two topics under noise") && page.contains("<svg"), "{said}");
    // The policy of the page forbids scripts and requests; the browser would report violations.
    assert!(!said.contains("CONSOLE") && !said.contains("Refused to"), "{said}");
}

/// Sets the tables with LaTeX: `INKVEIL_PDFLATEX=/usr/bin/pdflatex cargo test --workspace --test it latex -- --ignored`.
#[test]
#[ignore = "needs LaTeX"]
fn the_tables_are_set_by_latex() {
    let latex = std::env::var("INKVEIL_PDFLATEX").expect("INKVEIL_PDFLATEX names a pdflatex");
    let folder = experiment();
    good(&folder, "eval run small.toml --data data -o results");
    let preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}";
    let document = format!(r"{preamble}\begin{{document}}\input{{small.tex}}\end{{document}}");
    folder.write("results/all.tex", &document);
    let run = std::process::Command::new(latex)
        .args(["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"])
        .current_dir(folder.path("results"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    assert!(folder.read("results/all.pdf").starts_with(b"%PDF"));
}
