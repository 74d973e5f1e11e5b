//! Names in scripts other than Latin, through the binary.

use serde_json::Value;

use crate::folder::Folder;
use crate::text::text;

const RUSSIAN: &str = "Уважаемый господин Петров! Договор подписала Анна Сергеевна Смирнова из отдела продаж. \
    Пожалуйста, отправьте копию на адрес anna@example.org, и мы ответим вам в течение недели.";
const CHINESE: &str = "请联系张伟先生，他的同事王小红女士今天不在办公室。合同的副本请寄到 anna@example.org，我们会在一周内回复。";

/// Returns the texts of the spans of a kind.
fn found(tier: &str, text: &str, kind: &str) -> Vec<String> {
    let output = Folder::new()
        .command()
        .args(["detect", "--tier", tier, "--format", "jsonl", "--with-text", text])
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let spans = found["spans"].as_array().unwrap().iter().filter(|span| span["kind"] == kind);
    spans
        .map(|span| {
            let at = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
            text[at("start")..at("end")].to_owned()
        })
        .collect()
}

#[test]
fn rules_and_lists_find_names_without_a_tagger() {
    assert_eq!(found("rules", RUSSIAN, "person"), ["Петров", "Анна Сергеевна Смирнова"]);
    assert_eq!(found("rules", CHINESE, "person"), ["张伟", "王小红"]);
    assert_eq!(found("rules", RUSSIAN, "email"), ["anna@example.org"]);
    assert_eq!(found("rules", CHINESE, "email"), ["anna@example.org"]);
}

#[test]
fn both_tiers_find_names_and_a_message_says_how() {
    for tier in ["fast", "accurate"] {
        for (text, names) in
            [(RUSSIAN, vec!["Петров", "Анна Сергеевна Смирнова"]), (CHINESE, vec!["张伟", "王小红"])]
        {
            let output = Folder::new().command().args(["detect", "--tier", tier, text]).output().unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            let said = "which detection supports by rules and lists of names only";
            assert!(message.contains(said), "{message}");
            // The taggers mark other words too, because they have not learned these scripts.
            let persons = found(tier, text, "person").join("|");
            assert!(names.iter().all(|name| persons.contains(name)), "{persons}");
            assert_eq!(found(tier, text, "email"), ["anna@example.org"]);
        }
    }
}

#[test]
fn a_surrogate_is_a_name_in_the_same_script() {
    let letter =
        "Please send the contract to Иван Петров and to 王小红 before Friday. Thank you for your help.";
    for seed in 0..8 {
        let flags = format!("--insecure-seed {seed} --budgets 0,0,inf,inf --at-zero surrogate --quiet");
        let run = text(&Folder::new(), &flags, &[letter]).good();
        let written = run.stdout;
        for original in ["Иван", "Петров", "王小红"] {
            assert!(!written.contains(original), "{written}");
        }
        let (_, rest) = written.split_once("contract to ").unwrap_or_else(|| panic!("{written}"));
        let (russian, rest) = rest.split_once(" and to ").unwrap_or_else(|| panic!("{written}"));
        let (chinese, _) = rest.split_once(" before").unwrap_or_else(|| panic!("{written}"));
        let in_cyrillic = |c: char| ('\u{400}'..='\u{4ff}').contains(&c);
        assert!(russian.split(' ').count() == 2, "{written}");
        assert!(russian.chars().all(|c| c == ' ' || in_cyrillic(c)), "{written}");
        assert!(chinese.chars().all(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{written}");
        let russian = text(&Folder::new(), &flags, &[RUSSIAN]).good().stdout;
        for original in ["Петров!", "Сергеевна Смирнова", "Анна Сергеевна", "anna@example.org"]
        {
            assert!(!russian.contains(original), "{russian}");
        }
        let chinese = text(&Folder::new(), &flags, &[CHINESE]).good().stdout;
        for original in ["张伟", "王小红", "anna@example.org"] {
            assert!(!chinese.contains(original), "{chinese}");
        }
    }
}
