//! Settings files that are accepted, and the errors of those that are not.

use proptest::prelude::*;

use super::*;

fn refused(text: &str) -> String {
    Settings::from_toml(text, "veil.toml").unwrap_err().to_string()
}

#[test]
fn all_settings() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("birds.txt"), "\u{FEFF}# our projects\nGrey Plover\n\n  Snipe \r\n")
        .unwrap();
    let text = r#"
        tier = "accurate"
        threshold = 0.6
        kinds = ["person", "email", "ticket", "private"]
        ignore-kinds = ["date"]
        allow = ["Ada Lovelace", { text = "acme", ignore-case = true }, { pattern = '(?i)test-\d+' }]
        deny = ["Blue Heron", { text = "Site 12", kind = "location", ignore-case = false }]

        [thresholds]
        person = 0.8
        ticket = 1

        [[rule]]
        name = "ticket"
        kind = "ticket"
        pattern = '\bT-\d{6}\b'
        patterns = ['\bTK\d{8}\b']
        score = 0.7
        context = ["ticket", "case"]
        context-score = 0.85
        needs-context = true
        validator = "luhn"

        [[list]]
        name = "projects"
        kind = "project"
        words = ["Heron"]
        file = "birds.txt"
        score = 0.55
        ignore-case = false

        [context]
        phone = ["rufnummer"]
        credit-card = ["karte"]
        phone-plain = ["apparat"]
    "#;
    let settings = Settings::from_toml(text, folder.path().join("veil.toml")).unwrap();
    let mut expected = Settings::of(Tier::Accurate);
    expected.threshold = 0.6;
    expected.only = Some([Kind::Person, Kind::Email, Kind::named("ticket"), Kind::named("private")].into());
    expected.disabled = [Kind::Date].into();
    expected.allow = vec![
        Allow::Text { text: "Ada Lovelace".into(), ignore_case: false },
        Allow::Text { text: "acme".into(), ignore_case: true },
        Allow::Pattern(r"(?i)test-\d+".into()),
    ];
    expected.deny = vec![
        Phrase::new("Blue Heron", Kind::named("private")),
        Phrase { text: "Site 12".into(), kind: Kind::Location, ignore_case: false },
    ];
    expected.thresholds = [(Kind::Person, 0.8), (Kind::named("ticket"), 1.0)].into();
    expected.rules = vec![UserRule {
        name: "ticket".into(),
        kind: Kind::named("ticket"),
        patterns: vec![r"\bT-\d{6}\b".into(), r"\bTK\d{8}\b".into()],
        score: 0.7,
        context: vec!["ticket".into(), "case".into()],
        context_score: 0.85,
        needs_context: true,
        validator: Some("luhn".into()),
    }];
    expected.lists = vec![WordList {
        name: "projects".into(),
        kind: Kind::named("project"),
        words: vec!["Heron".into(), "Grey Plover".into(), "Snipe".into()],
        score: 0.55,
        ignore_case: false,
    }];
    // The name of a kind means all its rules.
    expected.context = settings.context.clone();
    assert_eq!(settings, expected);
    assert_eq!(settings.context["credit-card"], ["karte"]);
    assert_eq!(settings.context["phone-international"], ["rufnummer"]);
    assert_eq!(settings.context["phone-plain"], ["rufnummer", "apparat"]);
    assert!(!settings.context.contains_key("iban"));
}

#[test]
fn an_empty_file_gives_the_defaults() {
    assert_eq!(Settings::from_toml("", "veil.toml").unwrap(), Settings::default());
    assert_eq!(Settings::from_toml("# nothing\n", "veil.toml").unwrap(), Settings::default());
}

#[test]
fn all_problems_are_reported_with_their_lines() {
    let text = r#"tier = "fsat"
threshold = 1.5
kinds = ["email", "persn"]

[[rule]]
name = "ticket"
knid = "ticket"
pattern = "T-[0-9"
"#;
    assert_eq!(
        refused(text),
        r#"veil.toml:1:8: there is no tier "fsat"
  |
1 | tier = "fsat"
  |        ^^^^^^
  = did you mean "fast"?

veil.toml:2:13: this is not from 0 to 1
  |
2 | threshold = 1.5
  |             ^^^
  = write a number such as 0.5

veil.toml:3:19: there is no kind "persn"
  |
3 | kinds = ["email", "persn"]
  |                   ^^^^^^^
  = did you mean "person"?

veil.toml:5:1: kind is missing
  |
5 | [[rule]]
  | ^^^^^^^^
  = add kind = "…"

veil.toml:7:1: there is no setting of a rule "knid"
  |
7 | knid = "ticket"
  | ^^^^
  = did you mean "kind"?

veil.toml:8:11: this pattern is invalid: unclosed character class
  |
8 | pattern = "T-[0-9"
  |           ^^^^^^^^
  = in TOML, put patterns in 'single quotes', where \ needs no escaping"#
    );
}

#[test]
fn an_error_about_invalid_toml_has_its_line() {
    let error =
        Settings::from_toml("tier = \"fast\"\nkinds = [\"email\"\nx = = 1\n", "veil.toml").unwrap_err();
    assert!(error.problems().iter().all(|problem| problem.line() >= Some(2)), "{error}");
    assert!(error.to_string().contains("this is not TOML: "), "{error}");
    assert!(refused("tier = \"fast\"\ntier = \"rules\"\n").starts_with("veil.toml:2:1: "));
}

/// Each error has the place and the problem.
#[test]
fn invalid_settings_are_refused() {
    for (text, expected) in [
        ("tier = 3", "1:8: this is a number\n"),
        ("threshold = \"high\"", "1:13: this is a text\n"),
        ("threshold = nan", "1:13: this is not from 0 to 1"),
        ("threshold = -0.1", "1:13: this is not from 0 to 1"),
        ("threshold = 0x1", "1:13: this is not from 0 to 1"),
        ("kinds = \"email\"", "= write a list in square brackets"),
        ("deny = [\" \"]", "1:9: this is empty"),
        ("deny = [{ kind = \"project\" }]", "1:9: text is missing"),
        ("deny = [{ text = \"a\", kind = \"Two Words\" }]", "1:30: this is not a valid name of a kind"),
        ("deny = [{ text = \"a\", kind = \"a--b\" }]", "1:30: this is not a valid name of a kind"),
        ("allow = [{}]", "1:10: an entry of allow must be a text or a pattern"),
        (
            "allow = [{ text = \"a\", pattern = \"b\" }]",
            "1:10: an entry of allow must be a text or a pattern",
        ),
        ("allow = [{ pattern = \"a\", ignore-case = true }]", "start the pattern with (?i) instead"),
        ("allow = [{ pattern = 'a*' }]", "1:22: this pattern matches the empty text"),
        ("[thresholds]\nemial = 0.5", "2:1: there is no kind \"emial\"\n"),
        ("[context]\nibann = [\"x\"]", "2:1: there is no rule \"ibann\"\n"),
        ("[rule]\nname = \"a\"", "1:1: this is a table\n"),
        ("[[rule]]\nname = \"a\"\nkind = \"b\"", "1:1: this rule has no pattern"),
        ("[[rule]]\nname = \"a\nb\"", "this is not TOML"),
        (
            "[[rule]]\nname = \"a\\u0007\"\nkind = \"b\"\npattern = 'c'",
            "2:8: this name contains a control character",
        ),
        ("[[rule]]\nname = \"iban\"\nkind = \"b\"\npattern = 'c'", "2:8: another rule or list has this name"),
        (
            "[[rule]]\nname = \"a\"\nkind = \"b\"\npattern = 'c'\nneeds-context = true",
            "5:17: the rule needs context but has no context words",
        ),
        (
            "[[rule]]\nname = \"a\"\nkind = \"b\"\npattern = 'c'\nvalidator = \"lun\"",
            "5:13: there is no validator \"lun\"",
        ),
        (
            "[[rule]]\nname = \"a\"\nkind = \"b\"\npattern = '(?:\\w{1000}){1000}'",
            "4:11: this pattern is invalid",
        ),
        ("[[list]]\nname = \"a\"\nkind = \"b\"", "1:1: this list has no words"),
        ("[[list]]\nname = \"a\"\nkind = \"b\"\nfile = \"no-such-file\"", "4:8: cannot read it: "),
        (
            "[[list]]\nname = \"a\"\nkind = \"b\"\nwords = [\"x\"]\n[[list]]\nname = \"a\"\nkind = \"b\"\nwords = [\"x\"]",
            "6:8: another rule or list has this name",
        ),
        ("rules = []", "= did you mean \"rule\"?"),
    ] {
        let said = refused(text);
        assert!(said.contains(expected), "{text}\n{said}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("veil.toml");
    let said = Settings::open(&path).unwrap_err().to_string();
    assert!(said.contains("veil.toml: cannot read it: "), "{said}");
    std::fs::write(&path, b"tier = \"\xff\"").unwrap();
    let said = Settings::open(&path).unwrap_err().to_string();
    assert!(said.ends_with("byte 8 is not UTF-8; convert the file, for example with iconv"), "{said}");
    std::fs::write(&path, "tier = \"rules\"").unwrap();
    assert_eq!(Settings::open(&path), Ok(Settings::of(Tier::Rules)));
}

#[test]
fn settings_can_be_a_part_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("birds.txt"), "Snipe\n").unwrap();
    let read = |text: &str| {
        inkveil_settings::parse(text, "all.toml", |reader, table| {
            let part = table.get("detect").and_then(|value| reader.table(value)).unwrap();
            Settings::from_table(reader, part, folder.path())
        })
    };
    let list = "[[detect.list]]\nname = \"birds\"\nkind = \"bird\"\nfile = \"birds.txt\"\n";
    let mut expected = Settings::of(Tier::Rules);
    expected.lists.push(WordList::new("birds", Kind::named("bird"), vec!["Snipe".into()]));
    assert_eq!(read(&format!("x = 1\n[detect]\ntier = \"rules\"\n{list}")), Ok(expected));

    let error = read("x = 1\n[detect]\ntier = \"fsat\"\n").unwrap_err();
    let [problem] = error.problems() else { panic!("{error}") };
    assert_eq!((problem.line(), problem.column()), (Some(3), Some(8)));
    assert_eq!(problem.what(), "there is no tier \"fsat\"");
}

proptest! {
    /// Any file gives settings or a list of problems.
    #[test]
    fn no_file_causes_a_panic(
        lines in proptest::collection::vec(prop_oneof![
            "(tier|threshold|kinds|allow|deny|rule|list|context) = [\\[\\]{}\"'a-z0-9.=, ]{0,20}",
            "\\[\\[?(rule|list|thresholds|context|é)\\]?\\]",
            "(name|kind|pattern|patterns|file|words) = ['\"\\[][a-z(*\\\\-]{0,9}['\"\\]]",
            "\\PC{0,30}",
        ], 0..8),
    ) {
        if let Err(error) = Settings::from_toml(&lines.join("\n"), "veil.toml") {
            prop_assert!(!error.problems().is_empty());
            prop_assert!(error.to_string().starts_with("veil.toml:"));
        }
    }
}
